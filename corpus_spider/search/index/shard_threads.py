"""Work on the shards of an index in threads. Arrays, decompression and tantivy leave other threads their time."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
MAX_THREADS = 4
"""Threads for one question. More would take the processors from other readers."""


def threads_for(items: Sequence[object]) -> int:
    """Return how many threads work on some items, at least one."""
    return max(1, min(MAX_THREADS, len(items), len(os.sched_getaffinity(0))))


def in_threads(work: Callable[[_Item], _Result], items: Sequence[_Item]) -> Iterator[_Result]:
    """Yield the results of some work in the order of its items. Each has the time limit of the caller.

    The first error of an item is raised. Items that wait then are left out.

    >>> list(in_threads(len, ["a", "bcd"]))
    [1, 3]
    """
    number = threads_for(items)
    if number < 2:
        yield from map(work, items)
        return
    contexts = [copy_context() for _ in items]
    with ThreadPoolExecutor(number, "shards") as pool:
        yield from pool.map(lambda context, item: context.run(work, item), contexts, items)
