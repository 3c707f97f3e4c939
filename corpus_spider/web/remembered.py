"""Remember a value as long as its key stays."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
K = TypeVar("K")


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
