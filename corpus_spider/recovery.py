"""Start-up recovery: what a dead run left is made whole before anything new is fetched. Safe to be killed in.

WARC files left open lose their torn tail and get their final name; complete records without a row are indexed as
orphans, also those of finished files that the database does not know to their end: it was restored from a copy, or a
standby without its last commits has taken its place. A crawl reads in what is wanted of them (`adoption`). Where files
have been replaced since by removals, rows point into those in their place. Leases of dead runs go back to pending.
Pages that were fetched and not processed stay as they are: the crawl drains them first.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pipelines.urls import canonicalise
from storage import warc
from storage.counting import counted
from storage.fetches import Orphan
from storage.retention import REMOVED
from storage.warc.scrubbing import Scrubbed, latest
from storage.warc.writer import OPEN
from storage.warc_files import REPLACED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from storage.corpus import Corpus
    from storage.warc import Recovered, ScannedRecord

logger = logging.getLogger(__name__)


def recover(corpus: Corpus, folder: Path, sites: tuple[str, ...]) -> None:
    """Repair the WARC folder and the frontier. The caller holds the locks of the sites."""

    def committed(name: str) -> set[int]:
        return {pointer.offset for _, pointer in corpus.warc.pointers(name)}

    def adopt(found: Recovered) -> None:
        corpus.fetches.add_orphans(None, [_orphan(found.name, record) for record in found.orphans])
        corpus.warc.close(found.name, found.size)

    for found in warc.recover(folder, committed, adopt):
        _tell(found)
    states = {file.name: file.state for file in corpus.warc.files()}
    for path in [*_replaced_since(corpus, folder, states), *warc.unread(folder, states)]:
        found = warc.examine(path, committed(path.name))
        adopt(found)
        _tell(found)
    released = corpus.frontier.release(sites)
    if released:
        logger.info("pending again, leased by an interrupted run: %s", counted(released, "URL"))


def _replaced_since(corpus: Corpus, folder: Path, states: Mapping[str, str]) -> Iterator[Path]:
    """Have the rows of files that are gone point into those that removals have put in their place, and yield these: the
    database was restored from a copy of before.
    """
    for name, state in states.items():
        if state in {REMOVED, REPLACED} or any((folder / each).exists() for each in (name, name + OPEN)):
            continue
        newer = latest(folder, name)
        if newer is None or newer.name in states:
            continue
        found = {record.record_id: (record.offset, record.length) for record in warc.scan(newer) if record.is_answer}
        pointers = [pointer for _, pointer in corpus.warc.pointers(name)]
        moves = {each.offset: found[each.record_id] for each in pointers if each.record_id in found}
        corpus.removals.move(name, Scrubbed(newer.name, newer.stat().st_size, moves))
        corpus.removals.forget_file(name)
        logger.info("%s has come in the place of %s", newer.name, name)
        yield newer


def _orphan(name: str, record: ScannedRecord) -> Orphan:
    page = canonicalise(record.uri) or ""
    return Orphan(record.uri, record.pointer(name), record.status or 0, _moment(record.date), page)


def _moment(stated: str) -> datetime:
    """Read when a record says it was fetched; now, where it states no time: the file is not to go sooner for it."""
    try:
        moment = datetime.fromisoformat(stated)
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime.now(UTC)


def _tell(found: Recovered) -> None:
    records = counted(len(found.records), "record")
    logger.info("recovered %s: %s read, %d without a row", found.name, records, len(found.orphans))
    if found.torn:
        logger.info("its torn tail was moved to %s", found.torn)
    for offset in found.missing:
        logger.error("%s holds no record at offset %d, where the database points; run check --deep", found.name, offset)
