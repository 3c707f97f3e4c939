"""Counts with their noun, and the callback that reports progress."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Takes the name of a step, the number of finished items, and the number of all items or None."""


def counted(number: int, noun: str) -> str:
    """Return a number, in groups of three digits, with its noun. The noun gets an s unless the number is 1.

    >>> counted(1, "site"), counted(0, "day"), counted(1204, "page")
    ('1 site', '0 days', '1,204 pages')
    """
    return f"{number:,} {plural(number, noun)}"


def plural(number: int, noun: str) -> str:
    """Return the noun for so many: with an s unless the number is 1.

    >>> plural(1, "site"), plural(2, "site"), plural(2, "address")
    ('site', 'sites', 'addresses')
    """
    return noun if number == 1 else f"{noun}{'es' if noun.endswith(('s', 'ch')) else 's'}"


def unseen(what: str, done: int, total: int | None) -> None:
    """Discard the report."""
