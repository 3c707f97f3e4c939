"""Explanation of an extraction: the numbers that decided it, from the code that decided it.

A page is cut into items: lines, runs of words or tags, or blocks. Each series has one number for each item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from storage.records import Extraction

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_ITEMS = 500_000
"""Items of an explanation. More take hundreds of megabytes, and a page of 10 MiB can have millions."""
MAX_TEXT = 80
"""Characters of the beginning of an item."""


@dataclass(frozen=True, slots=True)
class Series:
    """One number for each item of a page, in page order. ``meaning`` says what they are and in which unit."""

    name: str
    meaning: str
    values: tuple[int | float, ...]

    @classmethod
    def of(cls, name: str, meaning: str, values: Any) -> Series:
        """Make a series of an array of numbers."""
        return cls(name, meaning, tuple(values.tolist()))


@dataclass(frozen=True, slots=True)
class Explanation:
    """The numbers that decided an extraction, and the items that it consists of."""

    extraction: Extraction
    item: str
    """What the page is cut into: lines, runs or blocks. A noun in the singular."""
    series: tuple[Series, ...]
    chosen: tuple[bool, ...]
    """For each item: whether the text comes from it."""
    scope: str = ""
    """Which items they are, if not those of the whole page."""
    parameters: tuple[tuple[str, int | float], ...] = ()
    """Parameters of the extractor by name."""
    marked: tuple[tuple[str, int], ...] = ()
    """Items that the extractor begins with: name and index."""
    texts: tuple[str, ...] = ()
    """How each block begins; empty for lines and runs."""
    title: str = ""
    """Title of the page; "" if it is not known."""

    def values(self, name: str) -> tuple[int | float, ...]:
        """Return the numbers of a series. KeyError if there is none of that name."""
        return {one.name: one.values for one in self.series}[name]

    @property
    def sound(self) -> bool:
        """Whether all series have a number for each item. A compromised worker may send anything."""
        items = len(self.chosen)
        return (
            all(len(one.values) == items for one in self.series)
            and all(0 <= index < items for _, index in self.marked)
            and len(self.texts) in {0, items}
        )


def between(first: int, stop: int, items: int) -> tuple[bool, ...]:
    """Return the marks of items that are chosen from ``first`` up to ``stop``."""
    return (False,) * first + (True,) * (stop - first) + (False,) * (items - stop)


def beginnings(texts: Iterable[str]) -> tuple[str, ...]:
    """Return how some texts begin, each on one line."""
    return tuple(" ".join(text[: 4 * MAX_TEXT].split())[:MAX_TEXT] for text in texts)
