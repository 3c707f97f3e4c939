"""Count some n-grams, by their numbers: how frequent they are, in how many documents, in which cells; their units."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from corpus_spider.words.counting import spread_of
from corpus_spider.words.ngrams.ngram_numbers import buckets_of, each_once, no_buckets

if TYPE_CHECKING:
    import numpy.typing as npt

    from corpus_spider.search.index.token_block import TokenBlock
    from corpus_spider.words.ngrams.ngram_numbers import Hashes, NumberedBlock

    Numbers = npt.NDArray[np.int64]

MAX_CELL_COUNTS = 2**23
"""Counts of n-grams by cell that a table has room for."""


class SoughtNgrams:
    """N-grams that are looked for. ``numbers``: in order, each once. ``texts``: the units of those that were found."""

    def __init__(self, numbers: Hashes) -> None:
        self.numbers = np.sort(numbers)
        self.texts: dict[int, str] = {}
        self._has_text = np.zeros(len(numbers), bool)
        self._may_be = no_buckets().astype(bool)
        self._may_be[buckets_of(numbers)] = True

    def found_in(self, numbers: Hashes, buckets: Numbers) -> tuple[Numbers, Numbers]:
        """Return the places of those numbers that are sought, and which each is. ``buckets``: of the numbers."""
        places = np.flatnonzero(self._may_be[buckets])
        which = np.minimum(np.searchsorted(self.numbers, numbers[places]), max(0, len(self.numbers) - 1))
        is_sought = self.numbers[which] == numbers[places]
        return places[is_sought], which[is_sought]

    def read(self, block: TokenBlock, tokens: Numbers, which: Numbers, size: int) -> None:
        """Read the units of n-grams that were not found before. ``tokens``: where they begin."""
        is_new = ~self._has_text[which]
        new, first = np.unique(which[is_new], return_index=True)
        self._has_text[new] = True
        for number, token in zip(self.numbers[new].tolist(), tokens[is_new][first].tolist(), strict=True):
            units = block.tokens[token : token + size].tolist()
            self.texts[number] = " ".join([block.vocabulary[unit] for unit in units])

    @property
    def is_read(self) -> bool:
        """Whether the units of all are known."""
        return len(self.texts) == len(self.numbers)


class _CellCounts:
    """Counts of n-grams by cell: a table if there is room for it, else a list."""

    def __init__(self, sought: int, cells: int) -> None:
        self._cells = max(1, cells)
        has_room = sought * cells <= MAX_CELL_COUNTS
        self._table = np.zeros(sought * cells, np.int32) if has_room else None
        self._listed: list[tuple[Numbers, Numbers]] = []

    def add(self, which: Numbers, cells: Numbers, counts: Numbers) -> None:
        """Add counts of some n-grams in some cells."""
        keys = which * self._cells + cells
        if self._table is None:
            self._listed.append((keys, counts))
        else:
            np.add.at(self._table, keys, counts.astype(np.int32))

    def merged(self, other: _CellCounts) -> _CellCounts:
        """Add the counts of another thread, and return these."""
        if self._table is not None and other._table is not None:
            self._table += other._table
        self._listed += other._listed
        return self

    def counts(self) -> tuple[Numbers, Numbers, Numbers]:
        """Return n-gram, cell and count of each pair, perhaps in several parts."""
        if self._table is not None:
            keys = np.flatnonzero(self._table)
            return keys // self._cells, keys % self._cells, self._table[keys].astype(np.int64)
        empty = np.zeros(0, np.int64)
        keys, counts = map(np.concatenate, zip((empty, empty), *self._listed, strict=True))
        return keys // self._cells, keys % self._cells, counts


class DescribedNgram(NamedTuple):
    """What a row says of an n-gram, beside its frequency."""

    text: str
    documents: int
    dispersion: float


class NgramTally:
    """Counts of the sought n-grams in the texts of one thread."""

    def __init__(self, sought: SoughtNgrams, size: int, cells: int) -> None:
        """``cells``: number of all cells; 0 to count only how frequent the n-grams are."""
        self.frequencies, self._documents = (np.zeros(len(sought.numbers), np.int64) for _ in range(2))
        self._by_cell = _CellCounts(len(sought.numbers), cells)
        self._sought, self._size, self._has_cells = sought, size, cells > 0

    def add(self, found: NumberedBlock, buckets: Numbers, cells: Numbers) -> None:
        """Add a block. ``buckets``: of its n-grams. ``cells``: of its documents."""
        tokens, which = self._sought.found_in(found.numbers, buckets)
        self._sought.read(found.block, tokens, which, self._size)
        np.add.at(self.frequencies, which, 1)
        if self._has_cells:
            number = len(found.block.documents)
            documents = found.block.documents_at(tokens)
            pairs, counts = each_once(which * number + documents)
            np.add.at(self._documents, pairs // number, 1)
            self._by_cell.add(pairs // number, cells[pairs % number], counts)

    def merged(self, other: NgramTally) -> NgramTally:
        """Add the counts of another thread, and return these."""
        self.frequencies += other.frequencies
        self._documents += other._documents
        self._by_cell.merged(other._by_cell)
        return self

    def described(self, sizes: Numbers) -> dict[int, DescribedNgram]:
        """Return what was counted by document and cell, by the numbers of n-grams. ``sizes``: tokens of each cell."""
        spread = spread_of(*self._by_cell.counts(), self.frequencies, sizes)
        texts, numbers = self._sought.texts, self._sought.numbers.tolist()
        columns = zip(numbers, self._documents.tolist(), spread.tolist(), strict=True)
        return {
            number: DescribedNgram(texts[number], documents, dispersion) for number, documents, dispersion in columns
        }
