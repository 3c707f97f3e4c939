"""Count n-grams of searched units in the tokens of an index, below a bound of memory.

An n-gram has a number of 64 bits, made of those of its units. Two n-grams of ten million have the same one with a
probability of three in a million. A first pass counts numbers in buckets: no n-gram is more frequent than its bucket.
The passes after it count what is in buckets that are large enough, `MAX_TOKENS_KEPT` tokens in a pass. For the most
frequent n-grams one such pass is mostly enough; for all of a million documents there are many. A last pass reads the
units of the listed ones, until it has them.

Memory: 32 MB for the buckets, 12 bytes a kept token and as much again to sort them, which is 200 MB at most, and 4
bytes a document. A single bucket is never parted: with more than `MAX_TOKENS_KEPT` tokens in it, it needs more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import xxhash

from corpus_spider.words.counting import MILLION, spread_of
from corpus_spider.words.lists import WordRow, WordTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy.typing as npt

    from corpus_spider.search.index.manifest import CellKey
    from corpus_spider.search.index.token_block import TokenBlock

    Hashes = npt.NDArray[np.uint64]
    Numbers = npt.NDArray[np.int64]

_Number = TypeVar("_Number", np.uint64, np.int64)
MAX_TOKENS_KEPT = 2**23
"""Tokens that are counted in one pass."""
_BUCKET_BITS = 22
"""Buckets are numbers of so many bits."""
_COUNTED_TOGETHER = 2**21
"""Tokens whose buckets are counted at once: adding to all buckets takes as long as some hundred thousand tokens."""
_MIXER = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without pattern: 2**64 divided by the golden ratio."""
_CANDIDATES_A_ROW, _MIN_CANDIDATES = 2, 100
"""Buckets that are looked into first."""


class _Frequent(NamedTuple):
    """N-grams by their numbers in order: frequency, documents, dispersion."""

    numbers: Hashes
    frequencies: Numbers
    documents: Numbers
    dispersion: npt.NDArray[np.float64]


@dataclass(slots=True)
class _BucketSizes:
    """What a first pass finds: tokens of each bucket, tokens of each cell, and the cell of each document."""

    buckets: Numbers
    cells: dict[CellKey, int] = field(default_factory=dict)
    cell_of: list[npt.NDArray[np.uint32]] = field(default_factory=list)


class _BlockReader:
    """Reads texts again and again as numbers of n-grams. It remembers the numbers of units."""

    def __init__(self, read: Callable[[], Iterable[TokenBlock]], size: int) -> None:
        self._read, self.size = read, size
        self._known: dict[int, tuple[Sequence[str], Hashes]] = {}

    def __iter__(self) -> Iterator[tuple[TokenBlock, Numbers, Hashes]]:
        """Yield each block with the tokens that an n-gram within a sentence begins at, and its number."""
        for block in self._read():
            last = max(0, len(block.tokens) - self.size + 1)
            units = self._hashes(block.vocabulary)[block.tokens]
            numbers = units[:last].copy()
            begins = np.zeros(len(block.tokens) + 1, bool)
            begins[block.sentence_starts] = True
            is_broken = np.zeros(last, bool)
            for distance in range(1, self.size):
                numbers *= _MIXER
                numbers ^= units[distance : distance + last]
                is_broken |= begins[distance : distance + last]
            starts = np.flatnonzero(~is_broken)
            yield block, starts, numbers[starts]

    def _hashes(self, vocabulary: Sequence[str]) -> Hashes:
        """Return the numbers of the units of a vocabulary, which is kept: its address stands for it."""
        if id(vocabulary) not in self._known:
            hashes = map(xxhash.xxh3_64_intdigest, map(str.encode, vocabulary))
            self._known[id(vocabulary)] = vocabulary, np.fromiter(hashes, np.uint64, len(vocabulary))
        return self._known[id(vocabulary)][1]


def count_ngrams(
    read: Callable[[], Iterable[TokenBlock]], size: int, most: int, min_frequency: int
) -> WordTable[WordRow]:
    """Return the most frequent n-grams of so many units that lie within a sentence, and the size of the texts.

    ``read``: reads all texts, as often as there are passes.
    """
    reader = _BlockReader(read, size)
    sizes = _measured(reader)
    cell_of = np.concatenate(sizes.cell_of) if sizes.cell_of else np.zeros(0, np.uint32)
    tokens = sum(sizes.cells.values())
    found: list[_Frequent] = []
    for first in _thresholds(sizes.buckets, most, min_frequency):
        at_least = max(first, _last(found, most))
        found = []
        for chosen in _parts(sizes.buckets, at_least):
            at_least = max(at_least, _last(found, most))
            found.append(_counted(reader, chosen, at_least, most, cell_of, list(sizes.cells.values())))
        if sum(len(each.numbers) for each in found) >= most:
            break
    rows = _rows(reader, found, at_least=_last(found, most), tokens=tokens)
    return WordTable(len(cell_of), tokens, rows[:most])


def _last(found: Sequence[_Frequent], most: int) -> int:
    """Return the frequency of the last wanted n-gram of those that are found, 0 if they are fewer."""
    frequencies = np.concatenate([each.frequencies for each in found]) if found else np.zeros(0, np.int64)
    return int(np.partition(frequencies, -most)[-most]) if len(frequencies) >= most else 0


def _thresholds(buckets: Numbers, most: int, min_frequency: int) -> Iterator[int]:
    """Yield frequencies that n-grams are counted from, until there are enough: first one that few buckets have."""
    candidates = max(_MIN_CANDIDATES, _CANDIDATES_A_ROW * most)
    # Most buckets are empty. Among many equal numbers a partition takes a second.
    large = buckets[buckets > min_frequency]
    first = int(np.partition(large, -candidates)[-candidates]) if candidates < len(large) else 0
    if first:
        yield first
    yield min_frequency


def _parts(buckets: Numbers, at_least: int) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield which buckets each pass counts: all with enough tokens, `MAX_TOKENS_KEPT` at once, the largest first."""
    large = np.flatnonzero(buckets >= max(1, at_least))
    large = large[np.argsort(-buckets[large], kind="stable")]
    part = np.cumsum(buckets[large]) // MAX_TOKENS_KEPT
    for number in np.unique(part):
        chosen = np.zeros(len(buckets), bool)
        chosen[large[part == number]] = True
        yield chosen


def _measured(reader: _BlockReader) -> _BucketSizes:
    found = _BucketSizes(np.zeros(2**_BUCKET_BITS, np.int64))
    number_of: dict[CellKey, int] = {}
    waiting: list[Numbers] = []
    for block, _, numbers in reader:
        waiting.append(_buckets(numbers))
        if sum(map(len, waiting)) > _COUNTED_TOGETHER:
            found.buckets += np.bincount(np.concatenate(waiting), minlength=len(found.buckets))
            waiting.clear()
        lengths = np.diff(block.document_starts, append=len(block.tokens)).tolist()
        for cell, length in zip(block.cells, lengths, strict=True):
            found.cells[cell] = found.cells.get(cell, 0) + length
            number_of.setdefault(cell, len(number_of))
        found.cell_of.append(np.fromiter(map(number_of.__getitem__, block.cells), np.uint32, len(block.cells)))
    if waiting:
        found.buckets += np.bincount(np.concatenate(waiting), minlength=len(found.buckets))
    return found


def _counted(
    reader: _BlockReader,
    chosen: npt.NDArray[np.bool_],
    at_least: int,
    most: int,
    cell_of: npt.NDArray[np.uint32],
    sizes: Sequence[int],
) -> _Frequent:
    """Count the n-grams in chosen buckets. Return those that are frequent enough to be among the wanted ones."""
    kept, documents = [np.zeros(0, np.uint64)], [np.zeros(0, np.uint32)]
    before = 0
    for block, starts, numbers in reader:
        is_kept = chosen[_buckets(numbers)]
        kept.append(numbers[is_kept])
        place = np.searchsorted(block.document_starts, starts[is_kept], side="right") - 1
        documents.append((place + before).astype(np.uint32))
        before += len(block.documents)
    every, where = np.concatenate(kept), np.concatenate(documents).astype(np.int64)
    unique, frequencies = _each_once(every)
    if len(unique) > most:
        at_least = max(at_least, int(np.partition(frequencies, -most)[-most]))
    unique, frequencies = unique[frequencies >= at_least], frequencies[frequencies >= at_least]
    rows, is_wanted = _found(unique, every)
    rows, where = rows[is_wanted], where[is_wanted]
    pairs, _ = _each_once(rows * max(1, before) + where)
    spread = spread_of(rows, cell_of[where].astype(np.int64), frequencies, np.array(sizes, np.int64))
    return _Frequent(
        unique, frequencies, np.bincount(pairs // max(1, before), minlength=len(unique)).astype(np.int64), spread
    )


def _each_once(numbers: npt.NDArray[_Number]) -> tuple[npt.NDArray[_Number], Numbers]:
    """Return the different numbers in order, and how often each comes. Faster than the hashing of `numpy.unique`."""
    ordered = np.sort(numbers)
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)])
    return ordered[starts], np.diff(starts, append=len(ordered)).astype(np.int64)


def _found(wanted: Hashes, numbers: Hashes) -> tuple[Numbers, npt.NDArray[np.bool_]]:
    """Return the place of each number among the wanted ones, which are in order, and whether it is one of them."""
    if not len(wanted):
        return np.zeros(len(numbers), np.int64), np.zeros(len(numbers), bool)
    places = np.minimum(np.searchsorted(wanted, numbers), len(wanted) - 1)
    return places, wanted[places] == numbers


def _rows(reader: _BlockReader, found: Sequence[_Frequent], *, at_least: int, tokens: int) -> list[WordRow]:
    """Return the rows of n-grams in their order."""
    listed = {
        number: (frequency, documents, spread)
        for part in found
        for number, frequency, documents, spread in zip(*(column.tolist() for column in part), strict=True)
        if frequency >= at_least
    }
    texts = _texts(reader, np.array(sorted(listed), np.uint64))
    rows = [
        WordRow(texts[number], frequency, round(frequency * MILLION / tokens, 2), documents, round(spread, 3))
        for number, (frequency, documents, spread) in listed.items()
    ]
    return sorted(rows, key=lambda row: (-row.frequency, row.word))


def _texts(reader: _BlockReader, wanted: Hashes) -> dict[int, str]:
    """Read the units of n-grams, until all are found."""
    texts: dict[int, str] = {}
    chosen = np.zeros(2**_BUCKET_BITS, bool)
    chosen[_buckets(wanted)] = True
    for block, starts, numbers in reader if len(wanted) else ():
        is_kept = chosen[_buckets(numbers)]
        places, here = numbers[is_kept], starts[is_kept]
        _, is_wanted = _found(wanted, places)
        unique, first = np.unique(places[is_wanted], return_index=True)
        for number, place in zip(unique.tolist(), here[is_wanted][first].tolist(), strict=True):
            if number not in texts:
                units = block.tokens[place : place + reader.size].tolist()
                texts[number] = " ".join([block.vocabulary[unit] for unit in units])
        if len(texts) == len(wanted):
            break
    return texts


def _buckets(numbers: Hashes) -> Numbers:
    return (numbers * _MIXER >> np.uint64(64 - _BUCKET_BITS)).astype(np.int64)
