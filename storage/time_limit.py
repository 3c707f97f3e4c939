"""A time limit for all that one request does: each reader of the corpus and of its index looks at it.

A limit of each statement alone bounds no view that reads a thousand pages of documents. The limit belongs to a context
(`contextvars`), so threads that work for the request have it too, and other requests do not.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from storage.errors import TooSlowError

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS = 20_000
"""Steps of SQLite's machine between two looks at the clock: some milliseconds."""
_ENDS_AT: ContextVar[float] = ContextVar("ends_at", default=math.inf)
"""When the work of the context must be done, by the monotonic clock."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Limit the work of the block. A limit within another one takes its place."""
    before = _ENDS_AT.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _ENDS_AT.reset(before)


def ends_at() -> float:
    """Return the end of the time by the monotonic clock; infinite without a limit."""
    return _ENDS_AT.get()


def is_over() -> bool:
    """Return whether the time is over."""
    return time.monotonic() > _ENDS_AT.get()


def check() -> None:
    """Raise TooSlowError if the time is over."""
    if is_over():
        raise too_slow()


def too_slow(where: str = "") -> TooSlowError:
    """Return the error of what took longer than its limit."""
    do = "Ask for less: a longer word, a site, a language or fewer days."
    return TooSlowError("this took longer than the limit", where=where, do=do)
