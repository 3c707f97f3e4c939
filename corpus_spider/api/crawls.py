"""Crawls with their counters: sums over sites, one crawl by site, and the last night."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus_spider.monitoring.site_checks import SAME_NIGHT
from storage.reasons import reasons_of
from storage.records import SITE_COUNTERS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from storage.corpus import Corpus
    from storage.runs.run_log import Run
    from storage.runs.site_runs import SiteRun

PAGE_COUNTERS = tuple(name for name, note in SITE_COUNTERS.items() if note.on_page)
"""Counters that the page of a crawl shows."""


def totals(rows: Iterable[SiteRun]) -> dict[str, int]:
    """Return the sums of the counters over sites, with ``dropped``."""
    kept = list(rows)
    return {name: sum(getattr(row, name) for row in kept) for name in (*PAGE_COUNTERS, "dropped")}


@dataclass(frozen=True, slots=True)
class CrawlBySite:
    """One crawl: its counters at each site, and their sums."""

    run: Run
    sites: Sequence[SiteRun]

    @property
    def totals(self) -> dict[str, int]:
        """Sums over the sites."""
        return totals(self.sites)

    @property
    def reasons(self) -> dict[str, Mapping[str, int]]:
        """Numbers of responses without a document by site and reason."""
        return {row.site: reasons_of(row.reasons) for row in self.sites}


def newest_crawls(corpus: Corpus, sites: Sequence[str], newest: int) -> list[CrawlBySite]:
    """Return the ``newest`` crawls of these sites, oldest first."""
    runs = corpus.runs(newest=newest)
    rows: dict[int, list[SiteRun]] = {run.id: [] for run in runs}
    for each in corpus.runs.by_site(sites):
        if each.run_id in rows:
            rows[each.run_id].append(each)
    return [CrawlBySite(run, rows[run.id]) for run in runs]


def find_crawl(corpus: Corpus, number: int) -> CrawlBySite | None:
    """Return a crawl with its numbers of this moment, None if there is no such crawl."""
    run = next((each for each in corpus.runs() if each.id == number), None)
    return CrawlBySite(run, corpus.runs.now(run.id)) if run else None


@dataclass(frozen=True, slots=True)
class LastNight:
    """Counters of the runs that are less than twelve hours apart, the last one included.

    ``finished`` is None while a run is going on, on any machine, or if the last one was killed.
    """

    started: datetime
    finished: datetime | None
    new: int
    changed: int
    unchanged: int
    dropped: int
    failed: int


def last_night(runs: Sequence[SiteRun], running: Collection[int] = ()) -> LastNight | None:
    """Return the counters of the last night from the counters of runs, oldest first. None without a run.

    ``running``: ids of the runs that go on. Machines crawl at the same time: the newest run need not end last.
    """
    night: list[SiteRun] = []
    for each in reversed(runs):
        if night and night[-1].started - each.started > SAME_NIGHT:
            break
        night.append(each)
    if not night:
        return None
    ended = night[0].finished and max(each.finished for each in night if each.finished)
    return LastNight(
        started=night[-1].started,
        finished=None if any(each.run_id in running for each in night) else ended,
        new=sum(each.articles for each in night),
        changed=sum(each.versions for each in night),
        unchanged=sum(each.unchanged for each in night),
        dropped=sum(each.dropped for each in night),
        failed=sum(each.failed for each in night),
    )
