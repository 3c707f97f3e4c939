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
from storage.reporting import counted
from storage.warc.redact import RedactedFile, latest
from storage.warc.scan import scan

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from storage.corpus import Corpus
    from storage.warc import OriginalStore, RecoveredFile

logger = logging.getLogger(__name__)


def recover(corpus: Corpus, store: OriginalStore, sites: tuple[str, ...]) -> None:
    """Repair the WARC files and the frontier. The caller holds the locks of the sites."""

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

    store.sweep()
    for found in warc.recover(store.folder, committed, adopt):
        _tell(found)
    states = {file.name: file.state for file in corpus.warc.files()}
    finished = store.finished()
    delete_removed(store, sorted(name for name in finished if states.get(name) == REMOVED))
    for name in [*_replaced_since(corpus, store, states, finished), *warc.unread(finished, states)]:
        with store.open(name) as path:
            found = warc.examine(path, committed(name))
        adopt(found)
        _tell(found)
    released = corpus.frontier.release(sites)
    if released:
        logger.info("pending again, leased by an interrupted run: %s", counted(released, "URL"))


def delete_removed(store: OriginalStore, names: Iterable[str]) -> None:
    """Delete files that are recorded as removed. A run may have died before, or another machine recorded it."""
    for name in names:
        store.delete(name)
        logger.info("removed %s, which was recorded as removed", name)


def _replaced_since(
    corpus: Corpus, store: OriginalStore, states: Mapping[str, str], finished: Collection[str]
) -> Iterator[str]:
    """Point the rows of missing files into the files that removals have put in their place, and yield these.

    This happens after the database was restored from a copy of before the removal.
    """
    for name in corpus.warc.expected():
        if name in finished or store.has(name):
            continue
        newer = latest(finished, name)
        if newer is None or newer in states:
            continue
        with store.open(newer) as path:
            size = path.stat().st_size
            found = {each.record_id: (each.offset, each.length) for each in scan(path) if each.is_answer}
        pointers = [pointer for _, pointer in corpus.warc.pointers(name)]
        moves = {each.offset: found[each.record_id] for each in pointers if each.record_id in found}
        corpus.removals.move(name, RedactedFile(newer, size, moves))
        corpus.removals.forget_file(name)
        logger.info("%s has replaced %s", newer, name)
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
