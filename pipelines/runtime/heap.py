"""Give the free memory of a process back to the system.

glibc keeps the memory that pages have used in pieces between what lives on: 11 MiB in a worker, more in a crawl.
"""

from __future__ import annotations

import ctypes
import time
from contextlib import suppress

SECONDS_BETWEEN_TRIMS = 5.0
"""A trim takes .5 to 5 ms."""


class HeapTrimmer:
    """Trims the heap of this process now and then. For one thread."""

    def __init__(self) -> None:
        self._due = time.monotonic() + SECONDS_BETWEEN_TRIMS

    def trim_when_due(self) -> None:
        """Trim the heap if the last time is long ago."""
        if time.monotonic() < self._due:
            return
        # Other C libraries than glibc lack it.
        with suppress(AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
        self._due = time.monotonic() + SECONDS_BETWEEN_TRIMS
