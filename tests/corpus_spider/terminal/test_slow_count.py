"""Numbers that take long to count: the last one is at hand while a thread counts again."""

from __future__ import annotations

import itertools
import threading

import pytest

from corpus_spider.terminal.slow_count import SlowCount
from storage.errors import DatabaseError
from tests.corpus_spider.running import until


def test_the_last_value_is_shown_while_another_thread_counts_again() -> None:
    """A page never waits for the second count, and only one thread counts."""
    may_end, counted = threading.Event(), list[int]()

    def count() -> int:
        if counted:
            may_end.wait(10)
        counted.append(len(counted))
        return counted[-1]

    value = SlowCount(count, seconds=0)
    assert [value() for _ in range(5)] == [0] * 5
    may_end.set()
    until(lambda: value() > 0, "a new value")


def test_a_failure_keeps_the_value_and_the_first_one_is_reported() -> None:
    """The database may be away for a while."""
    outcomes = itertools.chain([DatabaseError("away"), 1, DatabaseError("away")], itertools.repeat(2))

    def count() -> int:
        outcome = next(outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    value = SlowCount(count, seconds=0)
    with pytest.raises(DatabaseError):
        value()
    assert value() == 1
    until(lambda: value() == 2, "the value after the failure")


def test_a_count_is_taken_aside_and_its_error_is_no_error_of_the_crawl() -> None:
    """The value appears when it is there; until then it is unknown."""
    gate = threading.Event()
    recount = SlowCount(lambda: int(gate.wait(10)), 15.0)
    recount.refresh()
    assert recount.value is None
    gate.set()
    recount.stop()
    assert recount.value == 1

    def refuse() -> int:
        raise DatabaseError("away")

    failing = SlowCount(refuse, 15.0)
    failing.refresh()
    failing.stop()
    assert failing.value is None
