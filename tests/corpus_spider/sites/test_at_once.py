"""Work on several sites at once."""

from __future__ import annotations

from threading import Barrier, Event

import pytest

from corpus_spider.sites.at_once import AT_ONCE, at_once
from tests.corpus_spider.running import PATIENCE


def test_results_come_in_the_order_of_the_items() -> None:
    """Also when the first item is the last to finish."""
    others = Event()

    def work(item: int) -> int:
        if item == 0:
            assert others.wait(PATIENCE)
        elif item == 2:
            others.set()
        return item * 10

    assert list(at_once(work, range(3))) == [0, 10, 20]


def test_items_are_worked_on_at_the_same_time() -> None:
    """As many as there are threads meet at a barrier."""
    barrier = Barrier(AT_ONCE)
    assert len(list(at_once(lambda _: barrier.wait(PATIENCE), range(AT_ONCE)))) == AT_ONCE


def test_an_error_is_raised_and_nothing_further_is_begun() -> None:
    """The item of the error is the first, and most others wait for a thread."""
    begun: list[int] = []
    gate = Event()

    def work(item: int) -> None:
        begun.append(item)
        if item == 0:
            raise ValueError(item)
        assert gate.wait(PATIENCE)

    with pytest.raises(ValueError, match="0"):
        list(at_once(work, range(10 * AT_ONCE)))
    gate.set()
    assert len(begun) <= 2 * AT_ONCE


def test_no_items_give_no_results() -> None:
    """No thread is started."""
    assert list(at_once(str, [])) == []
