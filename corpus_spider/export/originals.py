"""Export the originals as one file, or an index of them, while other commands may remove some."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.config.version import program_version
from corpus_spider.export.exporter import refuse_own_files
from corpus_spider.export.request import ExportRequest
from storage.corpus import Corpus
from storage.documents.selection import Selection
from storage.errors import ConfigError, DiskError
from storage.exports.originals import Originals, write_originals
from storage.fetches.file_retention import REMOVED
from storage.fetches.warc_files import REPLACED

if TYPE_CHECKING:
    from corpus_spider.config.model import Config
    from storage.exports.originals import OriginalsReport

TRIES = 3
"""Attempts, when originals are removed during the export."""


def originals(config: Config, wanted: ExportRequest) -> OriginalsReport:
    """Export the finished WARC files as ``.wacz``, or an index of them as ``.cdxj``.

    Raises ConfigError for every option that would choose among documents.
    """
    plain = ExportRequest(wanted.target, Selection(), overwrite=wanted.overwrite)
    if wanted != plain:
        raise ConfigError(
            "originals are exported whole", where=wanted.target, do="Leave out every option but --overwrite."
        )
    refuse_own_files(config, wanted.target)
    return _write(config, wanted, TRIES)


def _write(config: Config, wanted: ExportRequest, tries: int) -> OriginalsReport:
    with Corpus.open(config.database_url, read_only=True, machine=config.machine) as corpus:
        files = _finished(config, corpus)
        try:
            return write_originals(files, Path(wanted.target), overwrite=wanted.overwrite)
        except DiskError:
            if tries == 1 or not files.have_gone():
                raise
    return _write(config, wanted, tries - 1)


def _finished(config: Config, corpus: Corpus) -> Originals:
    """Return the finished WARC files, without those that a removal has replaced."""

    def known() -> list[str]:
        return [file.name for file in corpus.warc.files() if file.state not in {REMOVED, REPLACED}]

    store = config.originals
    uploaded = store.uploaded()
    there = tuple(name for name in known() if store.path(name).is_file() or name in uploaded)
    every, names = Selection(include_duplicates=True, versions="all"), frozenset(there)
    return Originals(
        store,
        there,
        corpus.fetches(),
        # A player lists all pages. Those whose files [archive] has not kept would be dead links.
        (document for document in corpus.documents(every) if document.warc in names),
        f"corpus-spider {program_version()}",
        lambda: not names.issubset(known()),
        Counter(machine for name, machine in corpus.warc.elsewhere().items() if name not in names),
    )
