"""Find the lines of an extracted text in the page that it was extracted from. Pure.

The rule:

1. Page and lines are compared by letters, digits and marks only (`canonical_text`), without spaces. So a line is found
   across elements, and where spaces, punctuation, forms of letters or digits differ.
2. A line that the page has once is an anchor. Of anchors that cross each other the longest series in page order stays
   (patience diff, Bram Cohen).
3. Every other line is searched between the anchors around it, next to the line before it. Before the first anchor it is
   searched backwards: a page repeats headline and standfirst in teasers above the article.
4. A line that is not there as a whole is searched by halves, and these by halves, down to a few words.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from pipelines.text.normalise import canonical_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_WORD = re.compile(r"\S+")
_PLAIN = re.compile(r"[^a-z0-9]+")
MIN_FREE_CHARS = 20
"""Characters from which a line may begin and end within a word of the page. Shorter ones would match parts of words."""
SHORTEST_PART = 12
"""Characters of the shortest part of a line that is searched by itself."""
BUDGET = 1_000_000_000
"""Characters that are searched at most, about a second. Lines after that are not found."""
_NOWHERE: list[int] = []
_TRIES = 50
"""Places of a short line that are tried."""


@dataclass(frozen=True, slots=True)
class WordPlace:
    """Words of the page, from ``first`` to before ``end``, that a line was found in. ``line`` counts from 0."""

    line: int
    first: int
    end: int


@dataclass
class PageWords:
    """Words of a page in their order, in the form in which they are compared. A word is a run without white space."""

    folded: list[str] = field(default_factory=list)
    _known: dict[str, str] = field(default_factory=dict)

    def add(self, text: str) -> list[re.Match[str]]:
        """Add the words of a text node, and return their places in it."""
        found = list(_WORD.finditer(text))
        self.folded += [self.fold(each.group()) for each in found]
        return found

    def fold(self, word: str) -> str:
        """Return a word in the form in which it is compared; empty for punctuation."""
        if word.isascii():
            return _PLAIN.sub("", word.lower())
        if (known := self._known.get(word)) is None:
            known = self._known[word] = canonical_text(word)
        return known

    def fold_line(self, line: str) -> list[str]:
        """Return the words of a line in the form in which they are compared."""
        return [folded for word in _WORD.findall(line) if (folded := self.fold(word))]


def find_lines(lines: Iterable[str], words: PageWords) -> list[WordPlace]:
    """Return where the lines are in a page, in the order of the lines. A line may have several places, or none."""
    return _AlignmentSearch(words, [words.fold_line(line) for line in lines]).places()


class _AlignmentSearch:
    def __init__(self, words: PageWords, lines: Sequence[list[str]]) -> None:
        self._lines, self._folded = lines, words.folded
        self._page = "".join(words.folded)
        self._starts = list(accumulate(map(len, words.folded), initial=0))
        self._left = BUDGET

    def places(self) -> list[WordPlace]:
        found: list[WordPlace] = []
        wholes = ["".join(line) for line in self._lines]
        single = ((line, self._only(line)) for line in range(len(wholes)))
        anchors = _in_order([(line, start) for line, start in single if start is not None])
        bounds = [*anchors, (len(wholes), len(self._page))]
        line, low = 0, 0
        for number, (anchor, start) in enumerate(bounds):
            between = range(line, anchor)
            found += self._backwards(between, start) if number == 0 and anchors else self._forwards(between, low, start)
            if anchor < len(wholes):
                low = start + len(wholes[anchor])
                found.append(self._place(anchor, start, low))
                line = anchor + 1
        return sorted(found, key=lambda place: (place.line, place.first))

    def _only(self, line: int) -> int | None:
        """Return the place of a line that the page has once."""
        words = self._lines[line]
        if not words:
            return None
        whole = "".join(words)
        # By the rarest of its words: to search a long page for each of its lines takes seconds.
        rarest = min(words, key=lambda word: len(self._places_of.get(word, _NOWHERE)))
        places = self._places_of.get(rarest, _NOWHERE)
        if 0 < len(places) <= _TRIES:
            before = len("".join(words[: words.index(rarest)]))
            starts = (place - before for place in places)
            found = [at for at in starts if at >= 0 and self._page.startswith(whole, at) and self._fits(at, len(whole))]
            if found:
                return found[0] if len(found) == 1 else None
        start = self._next(whole, 0, len(self._page))
        if start is None or self._next(whole, start + 1, len(self._page)) is not None:
            return None
        return start

    def _forwards(self, lines: range, low: int, high: int) -> list[WordPlace]:
        found = []
        for line in lines:
            for start, end in self._parts(self._lines[line], low, high):
                found.append(self._place(line, start, end))
                low = end
        return found

    def _backwards(self, lines: range, high: int) -> list[WordPlace]:
        found = []
        for line in reversed(lines):
            start = self._last("".join(self._lines[line]), high)
            if start is not None:
                found.append(self._place(line, start, start + len("".join(self._lines[line]))))
                high = start
                continue
            parts = self._parts(self._lines[line], 0, high)
            found += [self._place(line, *part) for part in parts]
            high = parts[0][0] if parts else high
        return found

    def _parts(self, words: Sequence[str], low: int, high: int) -> list[tuple[int, int]]:
        """Return the places of a line, or else of its halves."""
        whole = "".join(words)
        start = self._next(whole, low, high)
        if start is not None:
            return [(start, start + len(whole))]
        if len(whole) < 2 * SHORTEST_PART or len(words) < 2:
            return []
        half = len(words) // 2
        first = self._parts(words[:half], low, high)
        return first + self._parts(words[half:], first[-1][1] if first else low, high)

    def _next(self, whole: str, low: int, high: int) -> int | None:
        if not whole or low >= high or self._left <= 0:
            return None
        for _ in range(_TRIES):
            start = self._page.find(whole, low, high)
            self._left -= (start if start >= 0 else high) - low
            if start < 0:
                return None
            if self._fits(start, len(whole)):
                return start
            low = start + 1
        return None

    def _last(self, whole: str, high: int) -> int | None:
        end = high
        for _ in range(_TRIES):
            start = self._page.rfind(whole, 0, end) if whole and self._left > 0 else -1
            self._left -= end - max(start, 0)
            if start < 0:
                return None
            if self._fits(start, len(whole)):
                return start
            end = start + len(whole) - 1
        return None

    def _fits(self, start: int, length: int) -> bool:
        return length >= MIN_FREE_CHARS or (start in self._edges and start + length in self._edges)

    @cached_property
    def _places_of(self) -> dict[str, list[int]]:
        """Places of each word of the page, in characters."""
        places: dict[str, list[int]] = {}
        for word, start in zip(self._folded, self._starts, strict=False):
            places.setdefault(word, []).append(start)
        return places

    @cached_property
    def _edges(self) -> frozenset[int]:
        return frozenset(self._starts)

    def _place(self, line: int, start: int, end: int) -> WordPlace:
        """Return the words that have the characters of a place. A word without letters belongs to no place."""
        first = bisect_left(self._starts, start + 1) - 1
        return WordPlace(line, first, bisect_left(self._starts, end))


def _in_order(anchors: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest series of anchors (line, place) that are in page order.

    >>> _in_order([(0, 50), (1, 10), (2, 20), (3, 60)])
    [(1, 10), (2, 20), (3, 60)]
    """
    ends: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for number, (_, start) in enumerate(anchors):
        at = bisect_left(ends, start)
        before.append(piles[at - 1] if at else -1)
        if at == len(ends):
            ends.append(start)
            piles.append(number)
        else:
            ends[at], piles[at] = start, number
    series = []
    number = piles[-1] if piles else -1
    while number >= 0:
        series.append(anchors[number])
        number = before[number]
    return series[::-1]
