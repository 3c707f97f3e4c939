"""How many of something, in words."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which takes an s where it is not one.

    >>> counted(1, "site"), counted(0, "day")
    ('1 site', '0 days')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
