"""A random sample of hits, the same for the same seed.

Each hit has a random number, made of the seed, the id of its document and its place among the hits of the document.
The sample has the hits with the smallest numbers, so each hit has the same chance. It does not depend on the order in
which the blocks are read. In a larger index most of its hits are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import xxhash

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from corpus_spider.search.hits.matching import Places
    from corpus_spider.search.index.token_block import TokenBlock

_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIERS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
"""Constants of SplitMix64 (Steele, Lea and Flood 2014)."""


class SampledHit(NamedTuple):
    """A hit of a sample: the public id of its document, and its number among the hits there, from 0."""

    document: str
    number: int


class HitSample:
    """Takes at most ``size`` hits by chance from all that pass it."""

    def __init__(self, size: int, seed: int) -> None:
        self.size, self.seed = size, seed
        self._numbers = np.zeros(0, np.uint64)
        self._hits: list[SampledHit] = []

    def passing(self, found: Iterable[tuple[TokenBlock, Places]]) -> Iterator[tuple[TokenBlock, Places]]:
        """Yield what is given, and take from it."""
        for block, places in found:
            self._add(block, places)
            yield block, places

    @property
    def hits(self) -> list[SampledHit]:
        """The sample, in an order by chance: each beginning of it is a sample too."""
        return [self._hits[at] for at in np.argsort(self._numbers, kind="stable").tolist()]

    def _add(self, block: TokenBlock, places: Places) -> None:
        documents = block.documents_at(places.starts)
        here, first, counts = np.unique(documents, return_index=True, return_counts=True)
        digests = (xxhash.xxh3_64_intdigest(block.documents[at].encode(), self.seed) for at in here.tolist())
        within = np.arange(len(documents)) - np.repeat(first, counts)
        numbers = random_numbers(np.repeat(np.fromiter(digests, np.uint64, len(here)), counts), within)
        smallest = self._smallest(numbers)
        if len(self._hits) == self.size:
            smallest = smallest[numbers[smallest] < self._numbers.max(initial=0)]
        self._hits += [
            SampledHit(block.documents[document], number)
            for document, number in zip(documents[smallest].tolist(), within[smallest].tolist(), strict=True)
        ]
        self._numbers = np.concatenate([self._numbers, numbers[smallest]])
        kept = self._smallest(self._numbers)
        self._hits, self._numbers = [self._hits[at] for at in kept.tolist()], self._numbers[kept]

    def _smallest(self, numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Return where the smallest numbers are, as many as the sample has at most."""
        if len(numbers) <= self.size:
            return np.arange(len(numbers))
        return np.argpartition(numbers, self.size - 1)[: self.size]


def random_numbers(seeds: npt.NDArray[np.uint64], places: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Return the numbers at some places, from 0, of the sequences of SplitMix64 with these seeds.

    >>> random_numbers(np.array([1234567, 1234567], np.uint64), np.array([0, 1])).tolist()
    [6457827717110365317, 3203168211198807973]
    """
    mixed: npt.NDArray[np.uint64] = seeds + (places.astype(np.uint64) + np.uint64(1)) * _INCREMENT
    for shift, multiplier in zip(_SHIFTS, _MULTIPLIERS, strict=False):
        mixed = (mixed ^ (mixed >> shift)) * multiplier
    return mixed ^ (mixed >> _SHIFTS[-1])
