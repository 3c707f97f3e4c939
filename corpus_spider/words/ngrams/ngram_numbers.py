"""Numbers of n-grams: each sequence of units within a sentence has one of 64 bits, made of those of its units.

Two n-grams of ten million have the same one with a probability of three in a million. The numbers of units are made by
arithmetic on all bytes of a vocabulary at once, which other threads need not wait for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    from corpus_spider.search.index.token_block import TokenBlock

    Hashes = npt.NDArray[np.uint64]
    Numbers = npt.NDArray[np.int64]

_Number = TypeVar("_Number", np.uint64, np.int64)
BUCKET_BITS = 22
"""Buckets are numbers of so many bits."""
BUCKETINGS = 64 // BUCKET_BITS + 1
"""Ways to put numbers into buckets: by their first bits, by the next ones, and so on."""
NONE = np.uint64(0)
"""Number of no n-gram."""
_MIXER = np.uint64(0x9E3779B97F4A7C15)
"""An odd number without pattern: 2**64 divided by the golden ratio."""
_POWER = np.uint64(0xD6E8FEB86659FD93)
"""An odd number without pattern: the weight of a byte is its power by the place of the byte."""
_HALF = np.uint64(32)
_UNITS_TOGETHER = 2**16


class NumberedBlock(NamedTuple):
    """A block, and the number of the n-gram that each token begins, without the last tokens; `NONE` for no n-gram."""

    block: TokenBlock
    numbers: Hashes


def numbered(blocks: Iterable[TokenBlock], size: int) -> Iterator[NumberedBlock]:
    """Yield the n-grams of so many units in each block of a shard."""
    vocabulary: Sequence[str] | None = None
    for block in blocks:
        if block.vocabulary is not vocabulary:
            vocabulary, units = block.vocabulary, unit_numbers(block.vocabulary)
        last = max(0, len(block.tokens) - size + 1)
        each = units[block.tokens.astype(np.int64)]
        numbers = each[:last] * _MIXER
        for distance in range(1, size):
            numbers ^= each[distance : distance + last]
            if distance < size - 1:
                numbers *= _MIXER
        for distance in range(1, size):
            before = block.sentence_starts - distance
            numbers[before[(before >= 0) & (before < last)]] = NONE
        yield NumberedBlock(block, numbers)


def unit_numbers(vocabulary: Sequence[str]) -> Hashes:
    """Return the number of each unit. Units without spaces.

    >>> unit_numbers(["a", "b"]).tolist() == unit_numbers(["c", "a", "b"])[1:].tolist()
    True
    """
    units = list(vocabulary)
    parts = [_numbers_of(units[start : start + _UNITS_TOGETHER]) for start in range(0, len(units), _UNITS_TOGETHER)]
    return np.concatenate(parts) if parts else np.zeros(0, np.uint64)


def _numbers_of(units: Sequence[str]) -> Hashes:
    """Sum the bytes of each unit, and the space behind it, by weights of their places. Then mix the bits."""
    letters = np.frombuffer(f"{' '.join(units)} ".encode(), np.uint8)
    ends = np.flatnonzero(letters == ord(" ")) + 1
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
    lengths = ends - starts
    weights = np.cumprod(np.full(int(lengths.max()), _POWER))
    places = np.arange(len(letters)) - np.repeat(starts, lengths)
    sums: Hashes = np.add.reduceat(letters * weights[places], starts)
    for _ in range(2):
        sums ^= sums >> _HALF
        sums *= _MIXER
    return sums ^ sums >> _HALF


def buckets_of(numbers: Hashes, way: int = 0) -> Numbers:
    """Return the bucket of each number, by one of so many ways as `BUCKETINGS`."""
    shifted = numbers >> np.uint64(max(0, 64 - (way + 1) * BUCKET_BITS))
    if way:
        shifted &= np.uint64(2**BUCKET_BITS - 1)
    return shifted.view(np.int64)


def no_buckets() -> npt.NDArray[np.uint32]:
    """Return a count of zero for each bucket."""
    return np.zeros(2**BUCKET_BITS, np.uint32)


def each_once(numbers: npt.NDArray[_Number]) -> tuple[npt.NDArray[_Number], Numbers]:
    """Return the different numbers in order, and how often each comes. Faster than the hashing of `numpy.unique`."""
    ordered = np.sort(numbers)
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(ordered)])
    return ordered[starts], np.diff(starts, append=len(ordered)).astype(np.int64)
