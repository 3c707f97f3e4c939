"""Tokens of some documents as numbers: what the places of a question are found in. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pipelines.text.annotation.annotator import LEMMA

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from corpus_spider.search.index.counted_words import WordGroups, WordPlaces
    from corpus_spider.search.index.manifest import CellKey
    from corpus_spider.search.question.term import Term


@dataclass(frozen=True, slots=True)
class UnitReadings:
    """Readings of the units of a vocabulary: what an annotator said of each in some text. All in one row, by unit.

    ``firsts``: the first reading of each unit (int64). ``values``: for each attribute its values, "" for an unknown
    one, lemmas in small letters, and for each reading the place of its value among them.
    """

    firsts: npt.NDArray[np.int64]
    values: Mapping[str, tuple[Sequence[str], npt.NDArray[np.uint32]]]

    def numbers(self, term: Term) -> npt.NDArray[np.int64]:
        """Return the readings whose value a term means. An unknown value is not meant by any."""
        known, values = self.values[term.attribute]
        is_meant = np.zeros(len(known), bool)
        # Lemmas have small letters, as words have. To look one up is much faster than to compare all.
        if term.attribute == LEMMA and (forms := term.plain_forms()):
            found = [known.index(form) for form in forms if form in known]
        else:
            numbers = {value: number for number, value in enumerate(known) if value}
            found = [numbers[value] for value in term.expressed(numbers)]
        is_meant[found] = True
        return np.flatnonzero(is_meant[values])

    def units(self, readings: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the units that have some readings, each once."""
        return np.unique(np.searchsorted(self.firsts, readings, "right") - 1)


@dataclass(frozen=True, slots=True)
class TokenBlock:
    """Searched units of some documents in one language, one after the other.

    A document is its title and its text, a line a title or a paragraph. Tokens are counted through the whole block.

    ``vocabulary``: the units, in small letters. ``tokens``: for each token the place of its unit in ``vocabulary``
    (uint32). ``documents``: public ids. ``document_starts``, ``line_starts``, ``sentence_starts``: the first token of
    each, ascending (int64); an empty document or line has the start of the next. A new document is a new line, and a
    new line is a new sentence. ``document_lines``: the first line of each document, as its place in ``line_starts``
    (int64). ``cells``: what documents of the shard are counted by; empty where nothing is. ``cell_numbers``: the place
    of that of each document in it. ``place``: of the block among those of its shard.

    ``readings``: those of the units; None without annotations. ``reading_numbers``: for each token which reading of its
    unit it has (uint32); None where all have the first. ``numbers``: of each document in its shard; without one outside
    of an index. ``groups``: of the shard, with their counted words; None if they were not read. ``group_numbers``: for
    each token the group that it begins, else 0 (uint32).
    """

    language: str
    vocabulary: Sequence[str]
    documents: Sequence[str]
    tokens: npt.NDArray[np.uint32]
    document_starts: npt.NDArray[np.int64]
    line_starts: npt.NDArray[np.int64]
    sentence_starts: npt.NDArray[np.int64]
    document_lines: npt.NDArray[np.int64]
    cells: Sequence[CellKey] = ()
    readings: UnitReadings | None = None
    reading_numbers: npt.NDArray[np.uint32] | None = None
    numbers: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    cell_numbers: npt.NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    place: int = 0
    groups: WordGroups | None = None
    group_numbers: npt.NDArray[np.uint32] | None = None

    def counted_words(self) -> WordPlaces:
        """Return the counted words. ValueError: the block was read without them."""
        if self.groups is None or self.group_numbers is None:
            raise ValueError("the block was read without its counted words")
        return self.groups.words(self.group_numbers)

    def documents_at(self, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the number of the document of each token, which is given by its place."""
        return np.searchsorted(self.document_starts, tokens, "right") - 1

    def readings_of_tokens(self, readings: UnitReadings) -> npt.NDArray[np.int64]:
        """Return the reading of each token."""
        first = readings.firsts[self.tokens]
        return first if self.reading_numbers is None else first + self.reading_numbers
