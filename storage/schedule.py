"""When a URL is read again: sources by how often they bring news, articles while young, failures ever later.

Pure: the time is given, nothing is looked up. The numbers are those of Common Crawl's news-crawl (crawler-conf.yaml:
AdaptiveScheduler from 90 minutes to 90 days, half as long again after a visit in vain and a fifth less after one that
brought news, sitemaps without news for 180 days retired) and of Media Cloud's rss-fetcher (30 failures in a row, then
30 days). Times are epoch seconds, intervals seconds.
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
"""A source that only sends on is asked no seldomer: what it sends to is a source of its own."""
AGE_SHARE = 0.1
"""A sitemap that says when it last changed is first read again after this share of its age (RFC 9111, 4.2.2)."""
FAILING = (HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 3 * DAY)
GONE_AFTER, GONE = 3, 60 * DAY
HOPELESS_AFTER, HOPELESS = 30, 30 * DAY
PAGE_RETRY, PAGE_RETRIES = 2 * DAY, 3
SLACK_SHARE, MOST_SLACK = 0.25, 6 * HOUR
"""A nightly run does not start to the second, and last night's took its time: what is nearly due is due."""


class End(StrEnum):
    """How a visit ended, as far as the next one depends on it."""

    NEWS = "news"
    """A source that brought links not known at the visit before."""
    NOTHING = "nothing"
    MOVED = "moved"
    """A redirect that leads nowhere new."""
    READ = "read"
    """A page that is no source."""
    FAILED = "failed"
    """No answer, or one that may be better next time."""
    GONE = "gone"
    REFUSED = "refused"
    """Kept from asking by our own rules, which may have changed by the next run; it costs nobody anything."""


@dataclass(frozen=True, slots=True)
class Habit:
    """What earlier visits to a URL taught: its interval, and how many visits in a row brought nothing, or failed."""

    period: float = 0.0
    unchanged: int = 0
    failures: int = 0
    reads: int = 0
    read_at: float = 0.0
    news_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit: when, how it ended, and what the URL is. ``born``: when an article was published; None: not known to
    be young.
    """

    now: float
    end: End
    source: bool
    kind: Kind = Kind.PAGE
    dated: float = 0.0
    """When the source is said to have changed last; 0: not said."""
    born: float | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """The choices of a corpus. ``reread``: ages at which a young article is read again, ascending.

    ``rules``: a digest of each site's rules for links; what was read under others is read again in full.
    """

    reread: tuple[float, ...] = (DAY, 3 * DAY)
    rules: Mapping[str, str] = field(default_factory=dict)

    def after(self, habit: Habit, visit: Visit) -> tuple[Habit, float | None]:
        """Return what is known after a visit and when the URL is due again; None: never."""
        if habit.read_at > visit.now + DAY:
            # By a clock that was ahead, to which all news were old.
            habit = replace(habit, period=0.0, unchanged=0, news_at=0.0)
        if visit.end in {End.FAILED, End.GONE, End.REFUSED}:
            return _after_failure(habit, visit)
        reads = replace(habit, failures=0, reads=habit.reads + 1, read_at=visit.now)
        if visit.source:
            learned = _learn(reads, visit)
            return learned, due(visit.now, learned.period)
        return replace(reads, period=0.0), self._article_due(habit.reads, visit)

    def _article_due(self, rereads: int, visit: Visit) -> float | None:
        """Return when an article that was read again so many times is due once more; only while it is young."""
        if visit.born is None or rereads >= len(self.reread) or visit.now - visit.born > self.reread[-1] + DAY:
            return None
        return due(visit.now, self.reread[rereads] - (self.reread[rereads - 1] if rereads else 0.0))


def due(now: float, interval: float) -> float:
    """Return from when on a URL with this interval counts as due, a little before its time."""
    return now + interval - min(interval * SLACK_SHARE, MOST_SLACK)


def moment(stated: str | None) -> float:
    """Read a date or time of ISO 8601 as epoch seconds, UTC where it names no zone; 0 when there is none."""
    try:
        read = datetime.fromisoformat(stated or "")
        return max(0.0, (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return 0.0


def _learn(habit: Habit, visit: Visit) -> Habit:
    """Adapt a source's interval to what the visit brought."""
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
