"""Give the free memory of a process back to the system.

glibc keeps the memory that pages have used in pieces between what lives on: 11 MiB in a worker, more in a crawl.
"""

from __future__ import annotations

import ctypes
import time
from contextlib import suppress

SECONDS_BETWEEN_TRIMS = 5.0
"""A trim takes .5 to 5 ms."""
_ARENAS_AT_MOST = -8
"""The parameter ``M_ARENA_MAX`` of mallopt(3)."""


def share_heap() -> None:
    """Have all threads of this process take memory from one heap. Each has a heap of its own otherwise.

    Python lets one thread run at a time, so they seldom wait for each other.
    """
    # Other C libraries than glibc lack it, and `malloc_trim`.
    with suppress(AttributeError):
        ctypes.CDLL(None).mallopt(_ARENAS_AT_MOST, 1)


def trim() -> None:
    """Give the free memory of this process back now."""
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


class HeapTrimmer:
    """Trims the heap of this process now and then. For one thread."""

    def __init__(self) -> None:
        self._due = time.monotonic() + SECONDS_BETWEEN_TRIMS

    def trim_when_due(self) -> None:
        """Trim the heap if the last time is long ago."""
        if time.monotonic() < self._due:
            return
        trim()
        self._due = time.monotonic() + SECONDS_BETWEEN_TRIMS
