"""Counted words of a text over its searched units: how they are written among the units, and how they are read. Pure.

Most units are counted words as they are. Others are parts of one: the syllables of ``chính phủ``, the characters of
``中国``, both parts of ``covid-19``. In Thai and Lao a word may also end within a unit. A group is the shortest run of
units whose edges are edges of words too. Behind its first unit stands `MARK` and what its words are (`WordGroups`).
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.text.tokenizer import COMPOUND, MAX_WORDS_KEPT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from pipelines.text.words import Span

    Numbers = npt.NDArray[np.int64]

MARK = "\x02"
"""Stands behind the first unit of a group, and between what joins its units to one word."""
_LITERAL = "\x03"
"""Begins a group that is not simply its units, and each word of it."""


class CountedWord(NamedTuple):
    """A counted word of a group, and the units that it has letters of, from ``first`` up to ``end``."""

    text: str
    first: int
    end: int


def marks(
    units: Sequence[str], unit_spans: Sequence[Span], words: Sequence[str], word_spans: Sequence[Span]
) -> dict[int, str]:
    """Return what stands behind some units, by their numbers, from the places of all units and words of a text.

    >>> marks(["a", "covid", "19"], [(0, 1), (2, 7), (8, 10)], ["a", "covid-19"], [(0, 1), (2, 10)])
    {1: '\\x02-'}
    """
    found: dict[int, str] = {}
    unit_ends = [end for _, end in unit_spans]
    unit = word = 0
    while unit < len(unit_spans) and word < len(word_spans):
        first = unit
        start, end = word_spans[word]
        if unit_spans[unit][0] == start:
            # Nearly all words begin with a unit and end with one.
            at = bisect_left(unit_ends, end, unit)
            if at < len(unit_ends) and unit_ends[at] == end:
                unit = at + 1
                if unit - first > 1 and (mark := _mark_of_word(words[word], tuple(units[first:unit]))):
                    found[first] = mark
                word += 1
                continue
        unit, behind = _group_end(unit_spans, word_spans, first, word)
        inside = [
            CountedWord(words[number], *_overlapped(unit_spans[first:unit], word_spans[number]))
            for number in range(word, behind)
        ]
        if unit > first:
            found[first] = mark_of(units[first:unit], inside)
        word = behind
    return found


@lru_cache(maxsize=MAX_WORDS_KEPT)
def _mark_of_word(word: str, units: tuple[str, ...]) -> str:
    return mark_of(units, [CountedWord(word, 0, len(units))])


def mark_of(units: Sequence[str], words: Sequence[CountedWord]) -> str:
    """Return what stands behind the first unit of a group, "" for a unit that is the word.

    >>> mark_of(["chính", "phủ"], [CountedWord("chính phủ", 0, 2)])
    '\\x02_'
    """
    if len(words) == 1 and (joints := _joints(words[0].text, units)) is not None:
        return MARK + MARK.join(joints).replace(" ", COMPOUND) if joints else ""
    parts = [str(len(units)), *(f"{first}:{end}:{text}" for text, first, end in words)]
    return MARK + "".join(f"{_LITERAL}{part}" for part in parts).replace(" ", COMPOUND)


def _group_end(units: Sequence[Span], words: Sequence[Span], unit: int, word: int) -> tuple[int, int]:
    """Return the unit and the word behind the shortest group that begins with these."""
    end = min(units[unit][1], words[word][1])
    while True:
        if unit < len(units) and units[unit][0] < end:
            end = max(end, units[unit][1])
            unit += 1
        elif word < len(words) and words[word][0] < end:
            end = max(end, words[word][1])
            word += 1
        else:
            return unit, word


def _overlapped(units: Sequence[Span], word: Span) -> tuple[int, int]:
    """Return the first unit that a word has letters of, and the one behind the last."""
    start, stop = word
    first = next((number for number, (_, end) in enumerate(units) if end > start), len(units))
    return first, next((number for number, (begin, _) in enumerate(units) if begin >= stop), len(units))


def _joints(word: str, units: Sequence[str]) -> list[str] | None:
    """Return what stands between the units of a word; None if the word has something else."""
    if not word.startswith(units[0]):
        return None
    joints = []
    at = len(units[0])
    for unit in units[1:]:
        start = word.find(unit, at)
        if start < 0:
            return None
        joints.append(word[at:start])
        at = start + len(unit)
    return joints if at == len(word) else None


class WordPlaces(NamedTuple):
    """The counted words of a block in their order.

    ``firsts``, ``ends``: units that each has letters of. ``heads``: first unit of its group. ``kinds``: what it is, by
    its place in `WordGroups`; 0 for a unit. None where each unit is a word.
    """

    firsts: Numbers
    ends: Numbers
    heads: Numbers
    kinds: Numbers | None


class WordGroups:
    """The different groups of a shard, by their numbers. Number 0 is a unit that is a word.

    Each word of a group has a kind. ``texts``: by kind, the word; None for one that is made of its units. ``joints``:
    by kind, what stands between them. ``joined_units``: by kind, how many they are, 0 for a word with its text.
    """

    def __init__(self, known: Sequence[str]) -> None:
        """Read the groups as `mark_of` wrote them, without `MARK`, from number 1 on."""
        self.texts: list[str | None] = [None]
        self.joints: list[tuple[str, ...]] = [()]
        firsts, ends, sizes, counts = [0], [1], [1], [1]
        for written in known:
            plain = written.replace(COMPOUND, " ")
            if plain.startswith(_LITERAL):
                size, *words = plain[1:].split(_LITERAL)
                sizes.append(int(size))
                counts.append(len(words))
                for word in words:
                    first, end, text = word.split(":", 2)
                    firsts.append(int(first))
                    ends.append(int(end))
                    self.texts.append(text)
                    self.joints.append(())
            else:
                joints = tuple(plain.split(MARK))
                firsts.append(0)
                ends.append(len(joints) + 1)
                sizes.append(len(joints) + 1)
                counts.append(1)
                self.texts.append(None)
                self.joints.append(joints)
        self._firsts, self._ends = np.array(firsts, np.int64), np.array(ends, np.int64)
        self._sizes, self._counts = np.array(sizes, np.int64), np.array(counts, np.int64)
        self._kinds = np.array([0, *accumulate(counts)][:-1], np.int64)
        self._have_one_word = counts == [1] * len(counts) and ends == sizes
        self.joined_units = np.array([len(each) + 1 if each else 0 for each in self.joints], np.int64)

    def words(self, numbers: npt.NDArray[np.uint32]) -> WordPlaces:
        """Return the counted words of units, each with the number of the group that it begins, else 0."""
        begins = np.ones(len(numbers), bool)
        groups = np.flatnonzero(numbers != 0)
        if not len(groups):
            every = np.arange(len(numbers))
            return WordPlaces(every, every + 1, every, None)
        sizes = self._sizes[numbers[groups]]
        for place in range(1, int(sizes.max())):
            groups, sizes = groups[sizes > place], sizes[sizes > place]
            begins[groups + place] = False
        heads = np.flatnonzero(begins)
        group = numbers[heads]
        if self._have_one_word:
            return WordPlaces(heads, heads + self._sizes[group], heads, self._kinds[group])
        counts = self._counts[group]
        kinds = _ranges(self._kinds[group], counts)
        heads = np.repeat(heads, counts)
        return WordPlaces(heads + self._firsts[kinds], heads + self._ends[kinds], heads, kinds)


def _ranges(starts: Numbers, lengths: Numbers) -> Numbers:
    """Return the numbers of ranges, one range after the other.

    >>> _ranges(np.array([3, 9]), np.array([2, 1])).tolist()
    [3, 4, 9]
    """
    before = np.cumsum(lengths) - lengths
    found: Numbers = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return found
