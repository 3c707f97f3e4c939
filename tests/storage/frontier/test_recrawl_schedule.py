"""Recrawl schedule: pure rules, as a table and as properties of any history."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.frontier.recrawl_schedule import (
    DAY,
    HOUR,
    LONGEST,
    MINUTE,
    SHORTEST,
    End,
    Habit,
    Schedule,
    Visit,
    due,
    moment,
)
from storage.records import Kind

NOW = 1_800_000_000.0
SCHEDULE = Schedule()


def source(end: End, now: float = NOW, kind: Kind = Kind.FEED, dated: float = 0.0) -> Visit:
    return Visit(now, end, True, kind, dated)


def page(end: End = End.READ, born: float | None = NOW - HOUR, now: float = NOW) -> Visit:
    return Visit(now, end, False, Kind.PAGE, 0.0, born)


@pytest.mark.parametrize(
    ("habit", "visit", "hours"),
    [
        (Habit(), source(End.NEWS), 12),
        (Habit(), source(End.NOTHING), 12),
        (Habit(), source(End.NEWS, kind=Kind.PAGE), 12),
        (Habit(), source(End.NEWS, kind=Kind.SITEMAP), 24),
        (Habit(), source(End.NEWS, kind=Kind.SITEMAP, dated=NOW - 100 * DAY), 240),
        (Habit(), source(End.NEWS, kind=Kind.SITEMAP, dated=NOW - 9000 * DAY), 90 * 24),
        (Habit(10 * HOUR, reads=1), source(End.NEWS), 8),
        (Habit(10 * HOUR, reads=1), source(End.NOTHING), 15),
        (Habit(90 * MINUTE, reads=9), source(End.NEWS), 1.5),
        (Habit(80 * DAY, reads=9, news_at=NOW - 100 * DAY), source(End.NOTHING), 90 * 24),
        (Habit(DAY, reads=9, news_at=NOW - 181 * DAY), source(End.NOTHING), 90 * 24),
        (Habit(DAY, reads=9, news_at=NOW - 181 * DAY), source(End.NEWS), 19.2),
        (Habit(80 * DAY, reads=9, news_at=NOW), source(End.MOVED), 14 * 24),
    ],
)
def test_the_interval_of_a_source_follows_how_often_it_brings_news(habit: Habit, visit: Visit, hours: float) -> None:
    """A fifth less after news, half as long again without, from 90 minutes to 90 days; dead ones every 90 days."""
    after, again = SCHEDULE.after(habit, visit)
    assert after.period == pytest.approx(hours * HOUR)
    assert again == due(NOW, after.period)


@pytest.mark.parametrize("end", [End.NEWS, End.NOTHING])
def test_a_night_with_a_wrong_clock_makes_no_source_a_dead_one(end: End) -> None:
    """Ten years ahead nothing has been new for long: it was asked every 90 days from then on."""
    ahead, _ = SCHEDULE.after(Habit(DAY, reads=9, news_at=NOW, read_at=NOW), source(End.NOTHING, NOW + 3650 * DAY))
    assert ahead.period == LONGEST
    after, again = SCHEDULE.after(ahead, source(end))
    assert (after.period, after.news_at, again) == (12 * HOUR, NOW, due(NOW, 12 * HOUR))


@pytest.mark.parametrize(
    ("failures", "end", "wait"),
    [
        (0, End.FAILED, HOUR),
        (1, End.FAILED, 6 * HOUR),
        (4, End.FAILED, 2 * DAY),
        (5, End.FAILED, 3 * DAY),
        (20, End.FAILED, 3 * DAY),
        (29, End.FAILED, 30 * DAY),
        (1, End.GONE, 6 * HOUR),
        (2, End.GONE, 60 * DAY),
        (40, End.GONE, 60 * DAY),
    ],
)
def test_a_failing_source_is_asked_ever_more_seldom(failures: int, end: End, wait: float) -> None:
    """Up to 3 days; 30 after 30 failures; 60 when it is gone for the third time. A success resets the interval."""
    habit = Habit(DAY, failures=failures, reads=5)
    after, again = SCHEDULE.after(habit, source(end))
    assert (again, after.period) == (due(NOW, wait), DAY)
    assert SCHEDULE.after(after, source(End.NEWS))[0].failures == 0


def test_what_we_refused_ourselves_may_be_asked_in_the_next_run() -> None:
    """A source that our rules, or robots.txt, kept us from costs no request; the rules may be others by then."""
    assert SCHEDULE.after(Habit(failures=50), source(End.REFUSED))[1] == NOW


@pytest.mark.parametrize(
    ("rereads", "visit", "wait"),
    [
        (0, page(), DAY),
        (1, page(), 2 * DAY),
        (2, page(), None),
        (0, page(born=None), None),
        (0, page(born=NOW - 30 * DAY), None),
        (1, page(born=NOW - 30 * DAY), None),
        (0, page(born=NOW + 30 * DAY), DAY),
        (0, page(End.FAILED), 2 * DAY),
        (0, page(End.GONE), None),
        (0, page(End.REFUSED), None),
    ],
)
def test_articles_are_read_again_while_young(rereads: int, visit: Visit, wait: float | None) -> None:
    """After 1 and 3 days, counted from the first reading, and never when the article was old by then."""
    assert SCHEDULE.after(Habit(reads=rereads), visit)[1] == (None if wait is None else due(NOW, wait))


def test_a_page_that_fails_is_asked_three_times_more() -> None:
    """Two days apart; then it has failed for good."""
    habit, again = Habit(), []
    for _ in range(5):
        habit, at = SCHEDULE.after(habit, page(End.FAILED))
        again.append(at is not None)
    assert again == [True, True, True, False, False]


def test_articles_are_not_read_again_when_that_is_switched_off() -> None:
    """An empty list of ages means never."""
    assert Schedule(()).after(Habit(), page())[1] is None


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("1970-01-02", DAY),
        ("1970-01-02T00:00:00+07:00", DAY - 7 * HOUR),
        ("1970-01-02T00:00:00Z", DAY),
        ("yesterday", 0.0),
        ("", 0.0),
        (None, 0.0),
        ("0001-01-01T00:00:00+14:00", 0.0),
    ],
)
def test_stated_dates_are_read_as_seconds(stated: str | None, expected: float) -> None:
    """A day is its midnight UTC; what is no date counts as none."""
    assert moment(stated) == expected


nights = st.lists(
    st.tuples(st.sampled_from([End.NEWS, End.NOTHING, End.MOVED, End.FAILED, End.GONE]), st.floats(-1800, 1800)),
    min_size=1,
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(nights)
def test_a_source_is_due_again_after_any_history(history: list[tuple[End, float]]) -> None:
    """After any history the interval is within its bounds and the next visit is later, in 90 days at most."""
    habit, now = Habit(), NOW
    for end, late in history:
        habit, again = SCHEDULE.after(habit, source(end, now))
        assert again is not None
        assert habit.period == 0 or SHORTEST <= habit.period <= LONGEST
        assert now < again <= now + LONGEST
        now = again + abs(late)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1800, 1800), min_size=5, max_size=5), st.floats(16, 24))
def test_a_source_of_a_day_is_due_every_night(late: list[float], hours: float) -> None:
    """A crawl by cron does not begin to the second: half an hour sooner or later, an interval of a day is due."""
    starts = [NOW + night * DAY + seconds for night, seconds in enumerate(late)]
    assert all(due(start, hours * HOUR) <= following for start, following in pairwise(starts))


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 5), st.floats(0, 7200))
def test_a_source_is_never_due_right_after_it_was_read(steps: int, after: float) -> None:
    """The shortest wait is over an hour, so a second crawl at once does nothing."""
    habit = Habit()
    for _ in range(steps * 10):
        habit, again = SCHEDULE.after(habit, source(End.NEWS))
    assert again is not None
    assert again - NOW >= 67 * MINUTE


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 40 * DAY), min_size=1, max_size=20), st.lists(st.floats(60, 30 * DAY), max_size=5))
def test_an_article_is_read_again_as_often_as_listed_at_most(delays: list[float], ages: list[float]) -> None:
    """Whenever the crawls run."""
    schedule, habit, visit, count = Schedule(tuple(sorted(ages))), Habit(), page(), 0
    for delay in delays:
        habit, again = schedule.after(habit, visit)
        if again is None:
            break
        count += 1
        visit = replace(visit, now=again + delay)
    assert count <= len(ages)
