"""Recrawl schedule: sources by how often they bring news, articles while young, failures at growing intervals.

Pure functions; the caller passes the time. Times are epoch seconds, intervals seconds.

The numbers are those of Common Crawl's news-crawl (crawler-conf.yaml: AdaptiveScheduler from 90 minutes to 90 days; 1.5
times the interval after a visit without news, 0.8 times after one with news; sitemaps without news for 180 days
retired) and of Media Cloud's rss-fetcher (after 30 failures in a row, every 30 days).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

SHORTEST, LONGEST = 90 * MINUTE, 90 * DAY
FIRST = {Kind.FEED: 12 * HOUR, Kind.PAGE: 12 * HOUR, Kind.SITEMAP: DAY}
IN_VAIN, WITH_NEWS = 1.5, 0.8
RETIRED_AFTER = 180 * DAY
MOVED_LONGEST = 14 * DAY
"""Longest interval of a source that only redirects. The target of the redirect is a source of its own."""
AGE_SHARE = 0.1
"""First interval of a sitemap, as a share of its age (heuristic freshness of RFC 9111, 4.2.2)."""
FAILING = (HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY)
GONE_AFTER, GONE = 3, 60 * DAY
HOPELESS_AFTER, HOPELESS = 30, 30 * DAY
PAGE_RETRY, PAGE_RETRIES = 2 * DAY, 3
SLACK_SHARE, MOST_SLACK = 0.25, 6 * HOUR
"""Nightly runs do not start to the second, so a URL that is nearly due counts as due."""


class End(StrEnum):
    """The end of a visit, as far as the schedule depends on it."""

    NEWS = "news"
    """A source with links that were unknown at the visit before."""
    NOTHING = "nothing"
    MOVED = "moved"
    """A redirect without a new target."""
    READ = "read"
    """A page that is not a source."""
    FAILED = "failed"
    """No response, or an error that may go away."""
    GONE = "gone"
    REFUSED = "refused"
    """A rule of ours forbids the request. The rule may change before the next run."""


@dataclass(frozen=True, slots=True)
class Habit:
    """History of a URL: its interval, and how many visits in a row brought no news or failed."""

    period: float = 0.0
    unchanged: int = 0
    failures: int = 0
    reads: int = 0
    read_at: float = 0.0
    news_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit. ``born``: publication time of a young article; None if unknown or old."""

    now: float
    end: End
    source: bool
    kind: Kind = Kind.PAGE
    dated: float = 0.0
    """Last change as stated for a source; 0 if unknown."""
    born: float | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """Settings of a corpus. ``reread``: ages at which a young article is fetched again, ascending.

    ``rules``: digest of the link rules of each site. Pages fetched under other rules are fetched in full again.
    """

    reread: tuple[float, ...] = (DAY, 3 * DAY)
    rules: Mapping[str, str] = field(default_factory=dict)

    def after(self, habit: Habit, visit: Visit) -> tuple[Habit, float | None]:
        """Return the history after a visit, and the next due time; None: never."""
        if habit.read_at > visit.now + DAY:
            # The last visit had a clock that was ahead, so all news looked old.
            habit = replace(habit, period=0.0, unchanged=0, news_at=0.0)
        if visit.end in {End.FAILED, End.GONE, End.REFUSED}:
            return _after_failure(habit, visit)
        reads = replace(habit, failures=0, reads=habit.reads + 1, read_at=visit.now)
        if visit.source:
            learned = _learn(reads, visit)
            return learned, due(visit.now, learned.period)
        return replace(reads, period=0.0), self._article_due(habit.reads, visit)

    def _article_due(self, rereads: int, visit: Visit) -> float | None:
        """Return the next due time of an article after ``rereads`` visits; None if it is no longer young."""
        if visit.born is None or rereads >= len(self.reread) or visit.now - visit.born > self.reread[-1] + DAY:
            return None
        return due(visit.now, self.reread[rereads] - (self.reread[rereads - 1] if rereads else 0.0))


def due(now: float, interval: float) -> float:
    """Return the time from which a URL with this interval counts as due, a little early."""
    return now + interval - min(interval * SLACK_SHARE, MOST_SLACK)


def moment(stated: str | None) -> float:
    """Return an ISO 8601 date or time as epoch seconds, UTC if it names no zone; 0 if it is none."""
    try:
        read = datetime.fromisoformat(stated or "")
        return max(0.0, (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return 0.0


def _learn(habit: Habit, visit: Visit) -> Habit:
    """Adapt the interval of a source to the result of a visit."""
    news = visit.end is End.NEWS
    news_at = visit.now if news or not habit.news_at else habit.news_at
    if not habit.period:
        stated = AGE_SHARE * (visit.now - visit.dated) if visit.dated else 0.0
        period = max(FIRST.get(visit.kind, DAY), stated)
    else:
        period = max(habit.period, SHORTEST) * (WITH_NEWS if news else IN_VAIN)
    if visit.now - news_at >= RETIRED_AFTER:
        period = LONGEST
    longest = MOVED_LONGEST if visit.end is End.MOVED else LONGEST
    period = min(max(period, SHORTEST), longest)
    return replace(habit, period=period, news_at=news_at, unchanged=0 if news else habit.unchanged + 1)


def _after_failure(habit: Habit, visit: Visit) -> tuple[Habit, float | None]:
    failed = replace(habit, failures=habit.failures + 1)
    if not visit.source:
        again = visit.end is End.FAILED and failed.failures <= PAGE_RETRIES
        return failed, due(visit.now, PAGE_RETRY) if again else None
    if visit.end is End.REFUSED:
        return failed, visit.now
    wait = FAILING[min(failed.failures, len(FAILING)) - 1]
    if failed.failures >= HOPELESS_AFTER:
        wait = HOPELESS
    if visit.end is End.GONE and failed.failures >= GONE_AFTER:
        wait = GONE
    return failed, due(visit.now, wait)
