"""`corpus-spider show --original`: the bytes of a page as it was served, out of its WARC file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.errors import ConfigError

if TYPE_CHECKING:
    from corpus_spider.config import Config
    from storage.holdings import CorpusDocument
    from storage.pages import Page
    from storage.records import Pointer


def original(config: Config, page: Page, document: CorpusDocument | None, target: str) -> bytes:
    """Return the page that its text was made from, else the newest that was served: its content coding undone, or what
    a browser made of it where one did.

    Raises ConfigError where nothing is kept of it, DamageError where that cannot be read.
    """
    from storage.bytes.content_encoding import InflateError, inflate
    from storage.warc.reader import read_record

    pointer = _pointer(page, document)
    if pointer is None:
        raise ConfigError(
            "there is no original of it", where=target, do="See what came of its visits without --original."
        )
    _refuse_removed(config, pointer)
    capture = read_record(config.warc_folder, pointer)
    try:
        return capture.rendered or inflate(capture.body, capture.coding)
    except InflateError as error:
        raise ConfigError(
            f"cannot be unpacked: {error}", where=target, do=f"Its record is in {pointer.warc}."
        ) from error


def _pointer(page: Page, document: CorpusDocument | None) -> Pointer | None:
    pointers = [visit.pointer for visit in page.visits if visit.pointer]
    made = [each for each in pointers if document and each.record_id == document.record_id]
    return next(iter(made or pointers), None)


def _refuse_removed(config: Config, pointer: Pointer) -> None:
    from storage.corpus import Corpus
    from storage.retention import REMOVED as EXPIRED

    with Corpus.open(config.database_url, read_only=True) as corpus:
        gone = {file.name for file in corpus.warc.files() if file.state == EXPIRED}
    if pointer.warc in gone:
        do = "[archive] in corpus.toml says how long originals are kept."
        raise ConfigError("its original was removed with its WARC file", where=pointer.warc, do=do)
