"""Frequencies of words in a selection, summed over the cells (language, site, month) of the index."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from corpus_spider.search.index.manifest import Cell, CellKey

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts of a selection. The arrays have an item a word, in the order of the ids."""

    documents: int
    tokens: int
    words: npt.NDArray[np.int64]
    frequencies: npt.NDArray[np.int64]
    appearances: npt.NDArray[np.int64]

    def frequency_of(self, words: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the frequencies of words by their ids, 0 for words that are not here."""
        places = np.searchsorted(self.words, words)
        places[places == len(self.words)] = 0
        if not len(self.words):
            return np.zeros(len(words), np.int64)
        return np.where(self.words[places] == words, self.frequencies[places], 0)


def totals(cells: Sequence[Cell]) -> Totals:
    """Sum the counts of cells."""
    # Ids are small numbers without large gaps, and a cell has each once: adding by place needs no sorting.
    room = 1 + max((int(cell.words[-1]) for cell in cells if len(cell.words)), default=-1)
    frequencies, appearances = np.zeros(room, np.int64), np.zeros(room, np.int64)
    for cell in cells:
        frequencies[cell.words] += cell.frequencies
        appearances[cell.words] += cell.appearances
    words = np.flatnonzero(frequencies)
    return Totals(
        sum(cell.documents for cell in cells),
        sum(cell.tokens for cell in cells),
        words.astype(np.int64),
        frequencies[words],
        appearances[words],
    )


def dispersion(cells: Sequence[Cell], words: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the dispersion of words, by their ids, over the parts of a selection, one a site and month.

    Deviation of proportions of Gries (2008, normalised as by Lijffijt and Gries 2012): half the sum of |share of the
    word in a part - share of the text in it|. 0: spread like the text itself; near 1: in one small part only.
    """
    numbers: dict[CellKey, int] = defaultdict(lambda: len(numbers))
    of_cell = [numbers[cell.key] for cell in cells]
    sizes = np.zeros(len(numbers))
    counted = np.zeros((len(numbers), len(words)))
    for part, cell in zip(of_cell, cells, strict=True):
        sizes[part] += cell.tokens
        if len(cell.words):
            places = np.minimum(np.searchsorted(cell.words, words), len(cell.words) - 1)
            counted[part] += np.where(cell.words[places] == words, cell.frequencies[places], 0)
    shares = sizes / sizes.sum() if sizes.sum() else sizes
    smallest = shares[shares > 0].min(initial=1)
    if smallest >= 1:
        return np.zeros(len(words))
    deviation = np.abs(counted / counted.sum(axis=0) - shares[:, None]).sum(axis=0) / 2
    return np.asarray(np.clip(deviation / (1 - smallest), 0, 1), np.float64)


def spread_of(
    words: npt.NDArray[np.int64],
    parts: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    frequencies: npt.NDArray[np.int64],
    sizes: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    """Return the `dispersion` of words from their counts by part, each a word, a part, both numbers from 0 on, a count.

    Counts of the same word and part are added. ``frequencies``: by word. ``sizes``: tokens by part. Only parts that
    have a word are looked at: those without it deviate by their share.
    """
    shares = sizes / max(1, sizes.sum())
    smallest = shares[shares > 0].min(initial=1)
    if smallest >= 1:
        return np.zeros(len(frequencies))
    pairs, at = np.unique(words * len(sizes) + parts, return_inverse=True)
    counted = np.bincount(at, counts, len(pairs))
    word, share = pairs // len(sizes), shares[pairs % len(sizes)]
    here = np.bincount(word, np.abs(counted / frequencies[word] - share) - share, len(frequencies))
    return np.asarray(np.clip((here + 1) / 2 / (1 - smallest), 0, 1), np.float64)
