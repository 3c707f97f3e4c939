"""Look for the WARC files of a corpus. Pages whose file is missing wait for it, and are fetched again after a time."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from storage.reporting import counted

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable

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


def look_for_files(corpus: Corpus, store: OriginalStore, sites: tuple[str, ...]) -> Counter[str]:
    """Record which WARC files are missing, and set pages that waited long enough to pending.

    Return the number of pages of these sites that wait, by file. The caller holds the sites' locks.
    """
    now = datetime.now(UTC)
    corpus.warc.mark_missing(missing(store, corpus.warc.expected()), now, others_there=True)
    again = corpus.warc.fetch_again(sites, now - timedelta(days=DAYS_BEFORE_NEW_FETCH))
    if again:
        days = counted(DAYS_BEFORE_NEW_FETCH, "day")
        logger.warning("fetched again, because their WARC file is missing for %s: %s", days, counted(again, "page"))
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
