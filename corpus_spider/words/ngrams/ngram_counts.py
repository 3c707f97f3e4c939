"""Count n-grams of searched units in the tokens of an index, below a bound of memory.

A sample of the texts gives candidates. A first pass over all texts counts these, and puts the numbers of all n-grams
(`ngram_numbers`) into buckets: no n-gram is more frequent than its bucket. Mostly that shows that no other one is
frequent enough. Else a second and a third pass put those in large buckets into other buckets. More passes then count
what is left, `MAX_NUMBERS_KEPT` tokens in each, and where the n-grams of the rows stand. For the most frequent n-grams
of a million documents that makes one to five passes, for all of them many.

Shards are read in threads. Memory: 100 MB for each thread, for its buckets and its counts by cell; 200 MB for the
numbers that a pass keeps, with the room to sort them. A single bucket is never parted: with more than
`MAX_NUMBERS_KEPT` tokens in it, it needs more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from corpus_spider.words.counting import MILLION
from corpus_spider.words.lists import WordRow, WordTable
from corpus_spider.words.ngrams.ngram_passes import MAX_NUMBERS_KEPT, CountedNgrams, NgramPasses
from corpus_spider.words.ngrams.ngram_tally import MAX_CELL_COUNTS, SoughtNgrams

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from corpus_spider.search.index.token_store import SelectedTokens
    from corpus_spider.words.ngrams.ngram_numbers import Hashes

_CANDIDATES_A_ROW, _MIN_CANDIDATES, _MAX_CANDIDATES = 2, 100, 800
"""Candidates: at least so many, and so many as can be counted by cell, if there are not too many."""
_MANY_A_ROW = 2
"""N-grams a row, from which on those of the rows are chosen by their units before it is counted where they stand."""


def count_ngrams(parts: Sequence[SelectedTokens], size: int, most: int, min_frequency: int) -> WordTable[WordRow]:
    """Return the most frequent n-grams of so many units that lie within a sentence, and the size of the texts.

    ``parts``: the texts, which are read as often as there are passes.
    """
    passes = NgramPasses(parts, size)
    in_table = min(_MAX_CANDIDATES, MAX_CELL_COUNTS // max(1, passes.cells))
    candidates = SoughtNgrams(passes.sample(max(_MIN_CANDIDATES, _CANDIDATES_A_ROW * most, in_table)))
    is_described = len(candidates.numbers) * passes.cells <= MAX_CELL_COUNTS
    first = passes.first(candidates, by_cell=is_described)
    counted = CountedNgrams(candidates.numbers, first.tally.frequencies)

    def at_least() -> int:
        return max(min_frequency, _last(counted.frequencies, most))

    for more in passes.rest(first.buckets, candidates, at_least):
        counted = counted.joined(more)
    counted = counted.only(counted.frequencies >= at_least())
    described = first.tally.described(first.sizes) if is_described else {}
    if len(counted.numbers) > _MANY_A_ROW * most:
        counted = _first_by_text(counted, passes, candidates, most)
    is_missing = [number not in described for number in counted.numbers.tolist()]
    for numbers in _chunks(counted.only(np.array(is_missing, bool)), passes.cells):
        described |= passes.tally(SoughtNgrams(numbers), is_of_rest=is_described).described(first.sizes)
    tokens = int(first.sizes.sum())
    rows = []
    for number, frequency in zip(counted.numbers.tolist(), counted.frequencies.tolist(), strict=True):
        text, documents, spread = described[number]
        rows.append(WordRow(text, frequency, round(frequency * MILLION / tokens, 2), documents, round(spread, 3)))
    return WordTable(first.documents, tokens, sorted(rows, key=lambda row: (-row.frequency, row.word))[:most])


def _last(frequencies: npt.NDArray[np.int64], most: int) -> int:
    """Return the frequency of the last wanted n-gram of those that are found, 0 if they are fewer."""
    return int(np.partition(frequencies, -most)[-most]) if len(frequencies) >= most else 0


def _first_by_text(counted: CountedNgrams, passes: NgramPasses, candidates: SoughtNgrams, most: int) -> CountedNgrams:
    """Return the wanted n-grams: of equally frequent ones those that come first by their units."""
    others = SoughtNgrams(np.setdiff1d(counted.numbers, candidates.numbers))
    passes.read_texts(others)
    texts = map((candidates.texts | others.texts).__getitem__, counted.numbers.tolist())
    order = sorted(zip((-counted.frequencies).tolist(), texts, range(len(counted.numbers)), strict=True))
    return counted.only(np.array([place for _, _, place in order[:most]], np.int64))


def _chunks(counted: CountedNgrams, cells: int) -> Iterator[Hashes]:
    """Yield as many n-grams as one pass can count by cell: in a table, or in a list of their places."""
    numbers, frequencies = counted
    in_table = max(1, MAX_CELL_COUNTS // max(1, cells))
    while len(numbers):
        in_list = int(np.searchsorted(np.cumsum(frequencies), MAX_NUMBERS_KEPT, side="right"))
        size = max(in_table, in_list)
        yield numbers[:size]
        numbers, frequencies = numbers[size:], frequencies[size:]
