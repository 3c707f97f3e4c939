"""Work on several sites at once, in threads that do not outlive the program."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Item = TypeVar("Item")
Result = TypeVar("Result")

AT_ONCE = 8
"""Maximum number of sites. The delay between the requests to a host limits the speed, not the network."""


def at_once(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Yield the results of the items in their order. Raises the error of an item when its result is due.

    After an error or an interrupt no further item is begun. Nothing waits for requests in progress: their threads are
    daemons, which end with the program.
    """
    results: list[Future[Result]] = [Future() for _ in items]
    waiting: SimpleQueue[tuple[Item, Future[Result]]] = SimpleQueue()
    for pair in zip(items, results, strict=True):
        waiting.put(pair)

    def run() -> None:
        with suppress(Empty):
            while True:
                item, result = waiting.get_nowait()
                try:
                    result.set_result(work(item))
                except BaseException as error:  # noqa: BLE001 (raised in the thread that waits for the result)
                    result.set_exception(error)

    for _ in items[:AT_ONCE]:
        threading.Thread(target=run, name="site", daemon=True).start()
    try:
        for result in results:
            yield result.result()
    finally:
        with suppress(Empty):
            while True:
                waiting.get_nowait()
