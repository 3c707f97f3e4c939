"""Plural of nouns with a number."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which gets an s unless the number is 1.

    >>> counted(1, "site"), counted(0, "day")
    ('1 site', '0 days')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
