"""Work on shards in threads: results in order, errors, and the time limit of the caller."""

from __future__ import annotations

import threading

import pytest

from corpus_spider.search.index.shard_threads import in_threads
from storage import time_limit
from storage.errors import TooSlowError


@pytest.mark.parametrize("processors", [1, 3])
def test_results_come_in_the_order_of_the_items(processors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the thread of the caller if there is one processor, else from others."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(processors)))
    found = list(in_threads(lambda item: (item, threading.current_thread().name), list(range(20))))
    assert [item for item, _ in found] == list(range(20))
    assert {name.startswith("shards") for _, name in found} == {processors > 1}
    assert list(in_threads(len, [])) == []


def test_the_time_limit_of_a_request_holds_in_its_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of one item is that of the whole work."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    with pytest.raises(TooSlowError), time_limit.time_limit(0.0):
        list(in_threads(lambda _: time_limit.check(), [1, 2, 3]))
    assert list(in_threads(lambda _: time_limit.check(), [1, 2])) == [None, None]
