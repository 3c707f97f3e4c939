"""Read the original of one page, or of one document, for a reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.errors import ConfigError, DamageError, MissingFileError
from storage.fetches.file_retention import REMOVED as EXPIRED
from storage.records import Pointer
from storage.warc.reader import end_of, read_record
from storage.warc.writer import OPEN

if TYPE_CHECKING:
    from corpus_spider.config.model import Config
    from storage.corpus import Corpus
    from storage.documents.model import CorpusDocument
    from storage.records import Capture


def pointer_to(document: CorpusDocument) -> Pointer:
    """Return the pointer to the record that a document was extracted from."""
    return Pointer(
        document.warc, document.warc_offset, document.warc_length, document.record_id, document.payload_digest
    )


def read_original(config: Config, corpus: Corpus, pointer: Pointer) -> Capture:
    """Return the stored exchange at a pointer, verified by its digests.

    Raises ConfigError if its WARC file was deleted by age, MissingFileError if it is on another machine or missing, and
    DamageError if it cannot be read, or if its name or a link leads out of the WARC folder.
    """
    file = next((file for file in corpus.warc.files() if file.name == pointer.warc), None)
    if file and file.state == EXPIRED:
        do = "[archive] in corpus.toml sets how long originals are stored."
        raise ConfigError("the original was deleted with its WARC file", where=pointer.warc, do=do)
    _within(config, pointer)
    store, machine = config.originals, config.machine
    if file and file.machine and machine and file.machine != machine and not store.has(file.name):
        do = f"Show it on machine {file.machine}."
        raise MissingFileError(f"the original is on machine {file.machine}", where=pointer.warc, do=do)
    return read_record(store, pointer)


def record_bytes(config: Config, corpus: Corpus, pointer: Pointer) -> bytes:
    """Return the stored bytes of a response record and the records that belong to it: request and rendered page.

    They are gzip members, so they are a WARC file by themselves. Raises as `read_original`, which verifies them first.
    """
    read_original(config, corpus, pointer)
    store = config.originals
    return store.range(pointer.warc, pointer.offset, end_of(store, pointer) - pointer.offset)


def _within(config: Config, pointer: Pointer) -> None:
    """Raise DamageError if a link leads out of the folder: in a stranger's corpus it may lead to any file."""
    closed, folder = config.originals.path(pointer.warc), config.warc_folder.resolve()
    for path in (closed, closed.with_name(pointer.warc + OPEN)):
        if path.resolve().parent != folder:
            raise DamageError("the WARC file is a link to another folder", where=pointer.warc, do="Copy the file here.")
