"""Counts with their noun, and the callback that reports progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Takes the name of a step, the number of finished items, and the number of all items or None."""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which gets an s unless the number is 1.

    >>> counted(1, "site"), counted(0, "day")
    ('1 site', '0 days')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def unseen(what: str, done: int, total: int | None) -> None:
    """Discard the report."""
