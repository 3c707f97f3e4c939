"""Deliver results of other threads to the event loop, many at a time.

``asyncio.wrap_future`` wakes the loop for each result. That costs a system call and two thread switches. A group of a
hundred pages is written at once, and wakes the loop once here.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

T = TypeVar("T")


class Wakeups:
    """Delivers results of thread futures. Await :meth:`result` in the loop; any thread may call the rest."""

    def __init__(self) -> None:
        self._arrived: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waking = False
        """Whether the loop was woken and has not delivered yet."""
        self._gathering = 0
        """The thread that collects its results, 0 for none."""

    async def result(self, future: Future[T]) -> T:
        """Wait for a future of another thread. Cancelling the wait cancels the future, if it has not begun."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._waking = loop, False
        waiter: asyncio.Future[T] = loop.create_future()
        future.add_done_callback(lambda done: self._note(waiter, done))
        try:
            return await waiter
        except asyncio.CancelledError:
            future.cancel()
            raise

    @contextmanager
    def together(self) -> Iterator[None]:
        """Wake the loop once for all results of the calling thread. For one thread only."""
        self._gathering = threading.get_ident()
        try:
            yield
        finally:
            self._gathering = 0
            self._wake()

    def _note(self, waiter: asyncio.Future[Any], future: Future[Any]) -> None:
        self._arrived.append((waiter, future))
        if self._gathering != threading.get_ident():
            self._wake()

    def _wake(self) -> None:
        if self._waking or self._loop is None or not self._arrived:
            return
        self._waking = True
        # A closed loop has no waiters.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._deliver)

    def _deliver(self) -> None:
        # First, so that results from here on wake the loop again.
        self._waking = False
        while self._arrived:
            waiter, future = self._arrived.popleft()
            if waiter.done():
                continue
            if future.cancelled():
                waiter.cancel()
            elif (error := future.exception()) is not None:
                waiter.set_exception(error)
            else:
                waiter.set_result(future.result())
