"""Recover after a dead run, before anything new is fetched. Recovery can be killed at any moment.

- Open WARC files lose their torn tail and get their final name.
- Complete records without a row are indexed as orphans. Finished files can have some too, if the database was restored
  from a copy or a standby without its last commits took over. A crawl adopts wanted orphans (see `adoption`).
- If a removal has replaced a file since, its rows point into the new file.
- Leases of dead runs become pending again.
- Pages that were fetched but not processed stay: the crawl processes them first.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pipelines.urls.url import canonicalise
from storage import warc
from storage.fetches.fetches import Orphan
from storage.fetches.file_retention import REMOVED
from storage.fetches.warc_files import REPLACED
from storage.reporting import counted
from storage.warc.redact import RedactedFile, latest
from storage.warc.writer import OPEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from storage.corpus import Corpus
    from storage.warc import RecoveredFile

logger = logging.getLogger(__name__)


def recover(corpus: Corpus, folder: Path, sites: tuple[str, ...]) -> None:
    """Repair the WARC folder and the frontier. The caller holds the locks of the sites."""

    def committed(name: str) -> set[int]:
        return {pointer.offset for _, pointer in corpus.warc.pointers(name)}

    def adopt(found: RecoveredFile) -> None:
        orphans = [
            Orphan(
                record.uri,
                record.pointer(found.name),
                record.status or 0,
                _moment(record.date),
                canonicalise(record.uri) or "",
            )
            for record in found.orphans
        ]
        corpus.fetches.add_orphans(None, orphans)
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
    """Point the rows of missing files into the files that removals have put in their place, and yield these.

    This happens after the database was restored from a copy of before the removal.
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
        corpus.removals.move(name, RedactedFile(newer.name, newer.stat().st_size, moves))
        corpus.removals.forget_file(name)
        logger.info("%s has replaced %s", newer.name, name)
        yield newer


def _moment(stated: str) -> datetime:
    """Return the time of fetching that a record states. Without one it is now, so that its file is not pruned early."""
    try:
        moment = datetime.fromisoformat(stated)
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime.now(UTC)


def _tell(found: RecoveredFile) -> None:
    records = counted(len(found.records), "record")
    logger.info("recovered %s: %s read, %d without a row", found.name, records, len(found.orphans))
    if found.torn:
        logger.info("its torn tail was moved to %s", found.torn)
    for offset in found.missing:
        logger.error("%s holds no record at offset %d, where the database points; run check --deep", found.name, offset)
