"""Passes over all texts that count n-grams by their numbers. Each reads the shards in threads."""

from __future__ import annotations

from collections import deque
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from corpus_spider.search.index.shard_threads import in_threads, threads_for
from corpus_spider.words.ngrams.ngram_numbers import BUCKETINGS, NONE, buckets_of, each_once, no_buckets, numbered
from corpus_spider.words.ngrams.ngram_tally import NgramTally, SoughtNgrams

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from corpus_spider.search.index.manifest import CellKey
    from corpus_spider.search.index.token_store import SelectedTokens
    from corpus_spider.words.ngrams.ngram_numbers import Hashes, NumberedBlock

    Numbers = npt.NDArray[np.int64]
    Filters = Sequence[npt.NDArray[np.bool_]]

_Result = TypeVar("_Result")
MAX_NUMBERS_KEPT = 2**23
"""Tokens whose numbers one pass keeps."""
_SAMPLED_BLOCKS, _SAMPLED_TOKENS = 2**10, 2**10
"""Blocks that a sample is from, and first tokens of each of them."""


class CountedNgrams(NamedTuple):
    """N-grams by their numbers, and their frequencies."""

    numbers: Hashes
    frequencies: Numbers

    def only(self, kept: npt.NDArray[np.bool_] | Numbers) -> CountedNgrams:
        """Return some of them, by a mask or by their places."""
        return CountedNgrams(self.numbers[kept], self.frequencies[kept])

    def joined(self, more: CountedNgrams) -> CountedNgrams:
        """Return these and some more."""
        numbers, frequencies = zip(self, more, strict=True)
        return CountedNgrams(np.concatenate(numbers), np.concatenate(frequencies))


class FirstPass(NamedTuple):
    """What the first pass counts: candidates, tokens of each cell, documents, and the n-grams of each bucket.

    ``buckets``: without the candidates.
    """

    tally: NgramTally
    sizes: Numbers
    documents: int
    buckets: Numbers


class NgramPasses:
    """Reads the same texts again and again, as numbers of n-grams. ``cells``: number of cells that they have."""

    def __init__(self, parts: Sequence[SelectedTokens], size: int) -> None:
        self._parts, self._size = parts, size
        numbers: dict[CellKey, int] = {}
        self._cells_of = [
            np.array([numbers.setdefault(cell, len(numbers)) for cell in part.cells], np.int64) for part in parts
        ]
        self.cells = len(numbers)
        self._blocks_of_rest: list[set[int]] = [set() for _ in parts]

    def sample(self, most: int) -> Hashes:
        """Return the numbers of so many n-grams that are frequent in a small part of the texts."""
        every = max(1, sum(part.blocks for part in self._parts) // _SAMPLED_BLOCKS)

        def sampled(part: SelectedTokens) -> list[Hashes]:
            return [
                _real(each.numbers[:_SAMPLED_TOKENS])
                for each in numbered(part.some(range(0, part.blocks, every)), self._size)
            ]

        found = [numbers for part in in_threads(sampled, self._parts) for numbers in part]
        unique, counts = each_once(np.concatenate([np.zeros(0, np.uint64), *found]))
        return unique[np.argpartition(counts, -most)[-most:]] if len(unique) > most else unique

    def first(self, candidates: SoughtNgrams, *, by_cell: bool) -> FirstPass:
        """Read all texts once."""

        def counted(waiting: deque[int]) -> FirstPass:
            tally, buckets = NgramTally(candidates, self._size, self.cells if by_cell else 0), no_buckets()
            sizes, documents, none = np.zeros(self.cells, np.int64), 0, 0
            for _, found, cells in self._read(waiting):
                here = buckets_of(found.numbers)
                np.add.at(buckets, here, np.uint32(1))
                tally.add(found, here, cells)
                np.add.at(sizes, cells, np.diff(found.block.document_starts, append=len(found.block.tokens)))
                documents += len(found.block.documents)
                none += int(np.count_nonzero(found.numbers == NONE))
            buckets[int(buckets_of(np.array([NONE]))[0])] -= none
            return FirstPass(tally, sizes, documents, buckets.astype(np.int64))

        every = self._in_threads(counted)
        tally, buckets = reduce(NgramTally.merged, (each.tally for each in every)), _sum(each.buckets for each in every)
        np.subtract.at(buckets, buckets_of(candidates.numbers), tally.frequencies)
        return FirstPass(tally, _sum(each.sizes for each in every), sum(each.documents for each in every), buckets)

    def rest(self, buckets: Numbers, without: SoughtNgrams, at_least: Callable[[], int]) -> Iterator[CountedNgrams]:
        """Yield n-grams that are frequent enough, those in the largest buckets first, as much as a pass can keep.

        ``buckets``: tokens of each, without those n-grams that are left out. ``at_least``: returns the frequency that
        is enough, which may rise.
        """
        filters = [buckets >= max(1, at_least())]
        left = int(buckets[filters[0]].sum())
        while left > MAX_NUMBERS_KEPT and len(filters) < BUCKETINGS:
            buckets, before = self._buckets(filters, without), left
            filters.append(buckets >= max(1, at_least()))
            left = int(buckets[filters[-1]].sum())
            if left > before // 2:
                break
        large = np.flatnonzero(filters.pop())
        large = large[np.argsort(-buckets[large], kind="stable")]
        part = np.cumsum(buckets[large]) // MAX_NUMBERS_KEPT
        for number in np.unique(part).tolist():
            here = large[(part == number) & (buckets[large] >= at_least())]
            if not len(here):
                break
            chosen = np.zeros(len(buckets), bool)
            chosen[here] = True
            kept = self._kept([*filters, chosen], without)
            counted = CountedNgrams(*each_once(np.concatenate([np.zeros(0, np.uint64), *(each[2] for each in kept)])))
            counted = counted.only(counted.frequencies >= at_least())
            sought = SoughtNgrams(counted.numbers)
            for shard, block, numbers in kept:
                if len(sought.found_in(numbers, buckets_of(numbers))[0]):
                    self._blocks_of_rest[shard].add(block)
            yield counted

    def tally(self, sought: SoughtNgrams, *, is_of_rest: bool) -> NgramTally:
        """Count n-grams by document and by cell, and read their units. ``is_of_rest``: `rest` yielded them."""

        def counted(waiting: deque[int]) -> NgramTally:
            tally = NgramTally(sought, self._size, self.cells)
            for _, found, cells in self._read(waiting, self._blocks_of_rest if is_of_rest else None):
                tally.add(found, buckets_of(found.numbers), cells)
            return tally

        return reduce(NgramTally.merged, self._in_threads(counted))

    def read_texts(self, sought: SoughtNgrams) -> None:
        """Read the units of n-grams that `rest` yielded, until those of all are known."""

        def read(waiting: deque[int]) -> None:
            tally = NgramTally(sought, self._size, 0)
            for _, found, cells in self._read(waiting, self._blocks_of_rest):
                tally.add(found, buckets_of(found.numbers), cells)
                if sought.is_read:
                    break

        self._in_threads(read)

    def _buckets(self, filters: Filters, without: SoughtNgrams) -> Numbers:
        """Put the n-grams that pass filters into buckets in the next way."""

        def counted(waiting: deque[int]) -> Numbers:
            buckets = no_buckets()
            for _, found, _ in self._read(waiting):
                numbers = _passing(found.numbers, filters, without)
                np.add.at(buckets, buckets_of(numbers, len(filters)), np.uint32(1))
            return buckets.astype(np.int64)

        return _sum(self._in_threads(counted))

    def _kept(self, filters: Filters, without: SoughtNgrams) -> list[tuple[int, int, Hashes]]:
        """Return the numbers of the n-grams that pass filters, each as often as it stands there, by shard and block."""

        def kept(waiting: deque[int]) -> list[tuple[int, int, Hashes]]:
            every = (
                (shard, found, _passing(found.numbers, filters, without)) for shard, found, _ in self._read(waiting)
            )
            return [(shard, found.block.place, numbers) for shard, found, numbers in every if len(numbers)]

        return [each for part in self._in_threads(kept) for each in part]

    def _in_threads(self, work: Callable[[deque[int]], _Result]) -> list[_Result]:
        """Do some work in each thread. The threads take the numbers of parts from the same waiting ones."""
        waiting = deque(range(len(self._parts)))
        return list(in_threads(work, [waiting] * threads_for(self._parts)))

    def _read(
        self, waiting: deque[int], places: Sequence[Collection[int]] | None = None
    ) -> Iterator[tuple[int, NumberedBlock, Numbers]]:
        """Read the blocks of waiting shards, with the number of the shard and the cells of the documents.

        ``places``: of the wanted blocks of each shard, None for all.
        """
        while True:
            try:
                shard = waiting.popleft()
            except IndexError:
                return
            blocks = self._parts[shard].some(places[shard] if places else None)
            for found in numbered(blocks, self._size):
                yield shard, found, self._cells_of[shard][found.block.cell_numbers]


def _passing(numbers: Hashes, filters: Filters, without: SoughtNgrams) -> Hashes:
    """Return the numbers whose buckets pass each filter, one for each way to make them, without some n-grams."""
    for way, is_large in enumerate(filters):
        numbers = numbers[is_large[buckets_of(numbers, way)]]
    numbers = _real(numbers)
    places, _ = without.found_in(numbers, buckets_of(numbers))
    return np.delete(numbers, places)


def _real(numbers: Hashes) -> Hashes:
    """Return numbers without `NONE`."""
    kept: Hashes = numbers[numbers != NONE]
    return kept


def _sum(arrays: Iterable[Numbers]) -> Numbers:
    return reduce(np.add, arrays)
