"""Frequencies of words in a selection, summed over the cells (language, site, month) of the index."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from corpus_spider.search.manifest import Cell, CellKey

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of a selection. The arrays have an item a word, in the order of the ids.

    ``dispersion``: deviation of proportions of Gries (2008, normalised as by Lijffijt and Gries 2012) over the parts of
    the selection, one a site and month. 0: spread like the text itself; near 1: in one small part only.
    """

    documents: int
    tokens: int
    words: npt.NDArray[np.int64]
    frequencies: npt.NDArray[np.int64]
    appearances: npt.NDArray[np.int64]
    dispersion: npt.NDArray[np.float64]

    def frequency_of(self, words: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the frequencies of words by their ids, 0 for words that are not here."""
        places = np.searchsorted(self.words, words)
        places[places == len(self.words)] = 0
        if not len(self.words):
            return np.zeros(len(words), np.int64)
        return np.where(self.words[places] == words, self.frequencies[places], 0)


def totals(cells: Sequence[Cell]) -> Totals:
    """Sum the counts of cells."""
    if not cells:
        none = np.empty(0, np.int64)
        return Totals(0, 0, none, none, none, np.empty(0, np.float64))
    ids = np.concatenate([cell.words for cell in cells])
    words, place = np.unique(ids, return_inverse=True)
    parts, of_cell = _parts([cell.key for cell in cells])
    lengths = [len(cell.words) for cell in cells]
    part = np.repeat(of_cell, lengths)
    counted = np.concatenate([cell.frequencies for cell in cells])
    frequencies = _sums(place, counted, len(words))
    appearances = _sums(place, np.concatenate([cell.appearances for cell in cells]), len(words))
    sizes = _sums(of_cell, np.array([cell.tokens for cell in cells]), parts)
    return Totals(
        sum(cell.documents for cell in cells),
        sum(cell.tokens for cell in cells),
        words.astype(np.int64),
        frequencies.astype(np.int64),
        appearances.astype(np.int64),
        _dispersion(place, part, counted, frequencies, sizes),
    )


def _sums(
    place: npt.NDArray[np.int64], values: npt.NDArray[np.uint32 | np.int64], length: int
) -> npt.NDArray[np.float64]:
    """Add the values of each place. Sums are exact up to 2^53."""
    return np.bincount(place, values, length).astype(np.float64)


def _parts(keys: Sequence[CellKey]) -> tuple[int, npt.NDArray[np.int64]]:
    """Return the number of parts, and the part of each cell. Shards split a part into several cells."""
    numbers: dict[CellKey, int] = defaultdict(lambda: len(numbers))
    of_cell = np.array([numbers[key] for key in keys], np.int64)
    return len(numbers), of_cell


def _dispersion(
    place: npt.NDArray[np.int64],
    part: npt.NDArray[np.int64],
    counted: npt.NDArray[np.uint32],
    frequencies: npt.NDArray[np.float64],
    sizes: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return DP of each word: half the sum of |share of the word in a part - share of the text in it|, normalised."""
    shares = sizes / sizes.sum() if sizes.sum() else sizes
    # Cells of one part and word add up first.
    pairs, where = np.unique(place.astype(np.int64) * len(sizes) + part, return_inverse=True)
    together = _sums(where, counted, len(pairs))
    word, in_part = np.divmod(pairs, len(sizes))
    expected = shares[in_part]
    # Of the parts without the word each adds its share: all shares less those of the parts that have it.
    difference = np.abs(together / frequencies[word] - expected) - expected
    deviation = (np.bincount(word, difference, len(frequencies)) + 1) / 2
    smallest = shares[shares > 0].min(initial=1)
    return np.clip(deviation / (1 - smallest), 0, 1) if smallest < 1 else np.zeros(len(frequencies))
