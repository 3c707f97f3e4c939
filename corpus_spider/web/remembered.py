"""Remember numbers that take long to count.

`RememberedResult` keeps one for some seconds, `LastMade` as long as its key stays.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

from storage.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)
T = TypeVar("T")
K = TypeVar("K")


class RememberedResult(Generic[T]):
    """The result of ``compute``, counted again in the background once it is older than ``seconds``.

    The first caller waits for it. Errors reach the first caller; a later failure keeps the value that there is.
    """

    def __init__(self, compute: Callable[[], T], seconds: float) -> None:
        self._compute, self._seconds = compute, seconds
        self._known: tuple[T, float] | None = None
        self._first, self._again = threading.Lock(), threading.Lock()

    def __call__(self) -> T:
        """Return the value."""
        with self._first:
            if self._known is None:
                self._known = self._compute(), time.monotonic()
                return self._known[0]
            value, at = self._known
        if time.monotonic() - at > self._seconds and self._again.acquire(blocking=False):
            threading.Thread(target=self._renew, name="remembered", daemon=True).start()
        return value

    def _renew(self) -> None:
        try:
            self._known = self._compute(), time.monotonic()
        except CorpusError as error:
            logger.warning("the numbers of the overview were not counted again: %s", error)
        finally:
            self._again.release()


class LastMade(Generic[K, T]):
    """The value of the last key. Callers with another key wait until its value is made."""

    def __init__(self) -> None:
        self._known: tuple[K, T] | None = None
        self._turn = threading.Lock()

    def __call__(self, key: K, make: Callable[[], T]) -> T:
        """Return the value of a key. Errors of ``make`` reach the caller."""
        with self._turn:
            if self._known is None or self._known[0] != key:
                self._known = key, make()
            return self._known[1]
