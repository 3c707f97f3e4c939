"""A value that takes long to compute: the last one is at hand while a thread computes the next."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Generic, TypeVar

from storage.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)
T = TypeVar("T")
PAUSE_RATIO = 50
"""Minimum pause in durations of the last computation, so that it takes at most a fiftieth of the time."""
STOP_SECONDS = 2.0
"""Maximum wait for a computation at the end."""


class SlowCount(Generic[T]):
    """The result of ``compute``, computed again in a background thread once it is older than ``seconds``.

    ``value`` is None until the first result. A failure keeps the value that there is.
    """

    def __init__(self, compute: Callable[[], T], seconds: float) -> None:
        self.value: T | None = None
        self._compute, self._seconds = compute, seconds
        self._due = 0.0
        self._thread: threading.Thread | None = None
        self._turn, self._first = threading.Lock(), threading.Lock()

    def __call__(self) -> T:
        """Return the value. The first caller computes it, and gets the errors of that."""
        with self._first:
            if self.value is None:
                self._renew()
        self.refresh()
        assert self.value is not None
        return self.value

    def refresh(self) -> None:
        """Start a new computation if it is due and none is in progress."""
        if time.monotonic() < self._due or not self._turn.acquire(blocking=False):
            return
        thread = threading.Thread(target=self._renew_aside, name="slow count", daemon=True)
        try:
            thread.start()
            self._thread = thread
        except RuntimeError:
            # If the system has no thread left, the work continues with the value that there is.
            self._turn.release()

    def stop(self) -> None:
        """Wait a moment for a computation in progress."""
        if self._thread:
            self._thread.join(STOP_SECONDS)

    def _renew_aside(self) -> None:
        try:
            with suppress(CorpusError):
                self._renew()
        finally:
            self._turn.release()

    def _renew(self) -> None:
        started = time.monotonic()
        try:
            self.value = self._compute()
        except CorpusError as error:
            logger.debug("cannot count: %s", error)
            raise
        finally:
            ended = time.monotonic()
            self._due = ended + max(self._seconds, PAUSE_RATIO * (ended - started))
