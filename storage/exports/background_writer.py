"""Run work that releases Python's lock, such as compression, in a thread beside the code that makes its input."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def one_ahead(work: Callable[[T], R], items: Iterable[T]) -> Iterator[Iterator[R]]:
    """Give the results of ``work`` in the order of the items. Each is computed while the next item is made.

    A result comes when the next item has been made, also if the work is fast. So the amount written is the same every
    time an item is made. When the block ends, no work runs any more.
    """

    def results() -> Iterator[R]:
        under_way: Future[R] | None = None
        for item in items:
            started = thread.submit(work, item)
            if under_way is not None:
                yield under_way.result()
            under_way = started
        if under_way is not None:
            yield under_way.result()

    with ThreadPoolExecutor(1) as thread:
        yield results()
