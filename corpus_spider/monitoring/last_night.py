"""Sum the counters of the last night over all sites. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus_spider.monitoring.site_checks import SAME_NIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from storage.runs.site_runs import SiteRun


@dataclass(frozen=True, slots=True)
class LastNight:
    """Counters of the runs that are less than twelve hours apart, the last one included.

    ``finished`` is None while a run is going on, or if the last one was killed.
    """

    started: datetime
    finished: datetime | None
    new: int
    changed: int
    unchanged: int
    dropped: int
    failed: int


def last_night(runs: Sequence[SiteRun]) -> LastNight | None:
    """Return the counters of the last night from the counters of runs, oldest first. None without a run."""
    night: list[SiteRun] = []
    for each in reversed(runs):
        if night and night[-1].started - each.started > SAME_NIGHT:
            break
        night.append(each)
    if not night:
        return None
    return LastNight(
        started=night[-1].started,
        finished=night[0].finished,
        new=sum(each.articles for each in night),
        changed=sum(each.versions for each in night),
        unchanged=sum(each.unchanged for each in night),
        dropped=sum(each.dropped for each in night),
        failed=sum(each.failed for each in night),
    )
