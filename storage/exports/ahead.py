"""Work of libraries that leave Python's lock, such as compression, in a thread beside what makes its input."""

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
    """Give the results of ``work`` in the order of the items, each done while the next item is made.

    Each result comes when the following item has been made, however fast the work is: how much of a file is written
    when an item is made is the same every time. When the block is left nothing of it runs any more.
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
