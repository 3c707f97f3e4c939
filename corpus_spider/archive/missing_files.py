"""Look for the WARC files of a corpus. Pages whose file is missing wait for it, and are fetched again after a time."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from storage.reporting import counted

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Mapping

    from storage.corpus import Corpus
    from storage.warc import OriginalStore

logger = logging.getLogger(__name__)

DAYS_BEFORE_NEW_FETCH = 14
"""Days for which pages wait for a missing WARC file. Newspapers keep an article longer than that."""


def missing(store: OriginalStore, names: Iterable[str]) -> set[str]:
    """Return the names of the WARC files that are not in the store."""
    there = store.list()
    # A crawl of other sites may have given a file its final name meanwhile.
    return {name for name in names if name not in there and not store.has(name)}


def elsewhere(corpus: Corpus, store: OriginalStore) -> dict[str, str]:
    """Return the machine of each WARC file that only another machine reaches."""
    files = corpus.warc.elsewhere()
    away = missing(store, files) if files else set()
    return {name: machine for name, machine in files.items() if name in away}


def on_machines(counts: Mapping[str, int], what: str) -> str:
    """Return words such as "on machine b: 2 files, on machine c: 1 file"."""
    return ", ".join(f"on machine {machine}: {counted(number, what)}" for machine, number in sorted(counts.items()))


def look_for_files(corpus: Corpus, store: OriginalStore, sites: tuple[str, ...]) -> Counter[str]:
    """Record which WARC files are missing, and set pages that waited long enough to pending.

    Return the number of pages of these sites that wait, by file. The caller holds the sites' locks.
    """
    now = datetime.now(UTC)
    corpus.warc.mark_missing(missing(store, corpus.warc.expected()), now, others_there=True)
    again = corpus.warc.fetch_again(sites, now - timedelta(days=DAYS_BEFORE_NEW_FETCH))
    if again:
        days = counted(DAYS_BEFORE_NEW_FETCH, "day")
        lost = f"their WARC file is missing for {days}, or on a machine that is gone"
        logger.warning("fetched again, because %s: %s", lost, counted(again, "page"))
    if sources := corpus.warc.read_sources_again(sites):
        logger.info("fetched again, because another machine has not processed them: %s", counted(sources, "source"))
    return corpus.warc.count_waiting(sites)


def words(waiting: Counter[str], where: str) -> str:
    """Return the sentences about pages that wait for missing files; "" if there are none."""
    if not waiting:
        return ""
    pages, files = counted(waiting.total(), "page"), counted(len(waiting), "WARC file")
    return (
        f"{pages} cannot be processed, because {files} cannot be found in {where} (such as {min(waiting)})."
        f" Is the folder mounted? The pages wait. After {counted(DAYS_BEFORE_NEW_FETCH, 'day')} they are fetched again."
    )
