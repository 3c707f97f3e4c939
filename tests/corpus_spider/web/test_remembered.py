"""Numbers that take long to count: counted once, then again in the background."""

from __future__ import annotations

import itertools
import threading

import pytest

from corpus_spider.web.remembered import LastMade, RememberedResult
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

    value = RememberedResult(count, seconds=0)
    assert [value() for _ in range(5)] == [0] * 5
    may_end.set()
    until(lambda: value() > 0, "a new value")


def test_a_failure_keeps_the_value_and_the_first_one_is_told() -> None:
    """The database may be away for a while."""
    outcomes = itertools.chain([DatabaseError("away"), 1, DatabaseError("away")], itertools.repeat(2))

    def count() -> int:
        outcome = next(outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    value = RememberedResult(count, seconds=0)
    with pytest.raises(DatabaseError):
        value()
    assert value() == 1
    until(lambda: value() == 2, "the value after the failure")


def test_a_value_is_made_once_for_a_key() -> None:
    """Of the newest key alone; an error leaves nothing."""
    made = list[str]()

    def make(value: str) -> str:
        made.append(value)
        if value == "error":
            raise DatabaseError("away")
        return value

    last = LastMade[int, str]()
    with pytest.raises(DatabaseError):
        last(1, lambda: make("error"))
    values = [last(key, lambda key=key: make(f"of {key}")) for key in (1, 1, 2, 2, 1)]
    assert values == ["of 1", "of 1", "of 2", "of 2", "of 1"]
    assert made == ["error", "of 1", "of 2", "of 1"]
