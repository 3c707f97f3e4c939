"""Fingerprints of a text: a digest for exact copies, and a MinHash sketch with LSH bands for near-duplicates.

- Shingles are 12 characters of the canonical text (letters, digits and marks only). Scripts with and without spaces are
  on one scale, and no word segmenter is needed.
- MinHash: Broder 1997, "On the resemblance and containment of documents".
- Banding: Indyk and Motwani 1998. 20 bands of 6 rows find a pair of Jaccard similarity .8 with probability .998, and
  one of .5 with .27. The sketch verifies the pairs that the bands propose.
- Numbers: a digest of each number with the letters before it. Reports that differ only in their figures (prices,
  weather) have similar shingles and other numbers.
- Sketch: two bits of a value (b-bit minwise hashing, Li and König 2010) for four values of each of 120 permutations.
  These are the minimum and the maximum, and both after one more multiplication. The standard error of the similarity is
  .022 at .8. A byte of each minimum takes the same room and has .037.

``benchmarks/duplicates.py`` measures the results.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import regex
import xxhash

from pipelines.text.normalise import canonical_text
from storage.documents.sketches import DIGEST, MAX_NUMBERS, SketchFormat
from storage.records import Fingerprint

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEME = "v4;char12;mh32;b20r6;k32;s480x2;xxh3;norm4;num16"
"""Name of everything that the numbers depend on, seeds included. Only fingerprints of one scheme can be compared."""
WIDTH = 12
"""Characters of a shingle."""
BANDS = 20
ROWS = 6
HASHES = BANDS * ROWS
LEAST_SHINGLES = 50
"""Distinct shingles. A few changed letters would be half of a shorter text, so it gets no sketch."""
MOST_CHARACTERS = 1_000_000
"""Characters of the canonical text in the sketch. More than a newspaper prints in one piece; limits memory to 50 MB."""
LETTERS_BEFORE = 6
"""Letters before a number that say what it counts."""
_MOST_NUMBERS = 2_000
_NUMBER = regex.compile(r"\d{1,18}")
"""The module `re` takes three times as long to find digits."""
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_ROW, _BLOCK = 4096, 65_536
"""Shingles of a row that are permuted together, and those of several permutations: they fit into a processor's cache.
"""
_BUFFER = 64
"""Elements. NumPy copies a row that it repeats into a larger buffer, which takes as long as the permutation."""
_TURN = np.uint32(0x9E3779B1)


def fingerprint(text: str) -> Fingerprint:
    """Fingerprint a text.

    ``exact`` is the digest of the whole canonical text. The sketch reads its first million characters. A text with
    fewer than 50 distinct shingles has neither sketch nor bands.
    """
    canonical = canonical_text(text)
    exact = xxhash.xxh3_128_digest(canonical.encode("utf-8"))
    shingles = _shingles(canonical[:MOST_CHARACTERS])
    if len(shingles) < LEAST_SHINGLES:
        return Fingerprint(SCHEME, exact, len(shingles))
    extremes = _extremes(shingles)
    return Fingerprint(SCHEME, exact, len(shingles), pack_pairs(extremes.ravel()), _bands(extremes[0]), _numbers(text))


def pack_pairs(values: NDArray[np.uint32]) -> bytes:
    """Pack the two low bits of each value, four values a byte. The number of values is a multiple of four."""
    four = (values & 3).astype(np.uint8).reshape(-1, 4)
    return (four[:, 0] | four[:, 1] << 2 | four[:, 2] << 4 | four[:, 3] << 6).astype(np.uint8).tobytes()


def estimate(sketch_a: bytes, sketch_b: bytes) -> float:
    """Estimate the Jaccard similarity of two texts from their sketches, 0-1, or 0 if one has none.

    The standard error at .8 is .022. Benchmarks use this; a corpus compares many sketches together.
    """
    if not sketch_a or len(sketch_a) != len(sketch_b):
        return 0.0
    return max(0.0, float(SketchFormat.of(SCHEME).similarities(sketch_a, [sketch_b])[0]))


def _shingles(canonical: str) -> NDArray[np.uint32]:
    """Return the distinct 32-bit hashes of all shingles, sorted. A text shorter than one shingle has none."""
    points = np.frombuffer(canonical.encode("utf-32-le"), dtype="<u4").astype(np.uint64)
    count = len(points) - WIDTH + 1
    if count < 1:
        return np.empty(0, dtype=np.uint32)
    hashes = np.zeros(count, dtype=np.uint64)
    for offset, multiplier in enumerate(_constants("shingle", WIDTH, np.uint64)):
        hashes += points[offset : offset + count] * multiplier
    hashes ^= hashes >> np.uint64(33)
    hashes *= np.uint64(0xFF51AFD7ED558CCD)
    # np.unique fills a hash table before it sorts, and takes eight times as long.
    found = np.sort((hashes >> np.uint64(32)).astype(np.uint32))
    first = np.ones(count, dtype=np.bool_)
    np.not_equal(found[1:], found[:-1], out=first[1:])
    return found[first]


def _numbers(text: str) -> bytes:
    """Return the digests of the numbers of a text, each with the letters before it, sorted.

    Several numbers after the same letters, as in a date, differ by their place.
    """
    found = set()
    seen: Counter[str] = Counter()
    for number in islice(_NUMBER.finditer(text), _MOST_NUMBERS):
        if not (figures := number.group()).isdecimal():  # digits of a newer Unicode than Python's
            continue
        before = text[max(0, number.start() - 4 * LETTERS_BEFORE) : number.start()]
        letters = _NOT_LETTERS.sub("", before)[-LETTERS_BEFORE:].casefold()
        seen[letters] += 1
        named = f"{letters}|{seen[letters]}|{int(figures)}"
        found.add(xxhash.xxh3_64_intdigest(named.encode("utf-8", "surrogatepass")) & 0xFFFF)
    return b"".join(digest.to_bytes(DIGEST, "big") for digest in sorted(found)[:MAX_NUMBERS])


def _extremes(shingles: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the minimum and maximum of each of the 120 permutations, and of its product with an odd number.

    The array has four rows. The product with an odd number is another permutation.
    """
    rows = np.array([_row_extremes(shingles[start : start + _ROW]) for start in range(0, len(shingles), _ROW)])
    extremes: NDArray[np.uint32] = rows.min(axis=0)
    extremes[1::2] = rows[:, 1::2].max(axis=0)
    return extremes


def _row_extremes(row: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the extremes of the permutations of one row of shingles."""
    multipliers, masks = (_constants(name, HASHES, np.uint32)[:, None] for name in ("multiplier", "mask"))
    extremes = np.empty((4, HASHES), dtype=np.uint32)
    step = _BLOCK // len(row)
    mixed_room, shifted_room = np.empty((2, step, len(row)), dtype=np.uint32)
    with np.errstate():  # restores the buffer
        np.setbufsize(_BUFFER)
        for first in range(0, HASHES, step):
            some = slice(first, first + step)
            mixed, shifted = mixed_room[: HASHES - first], shifted_room[: HASHES - first]
            np.bitwise_xor(row, masks[some], out=mixed)
            mixed *= multipliers[some]
            np.right_shift(mixed, np.uint32(15), out=shifted)
            mixed ^= shifted
            mixed *= np.uint32(0x2C1B3C6D)
            np.minimum.reduce(mixed, axis=1, out=extremes[0, some])
            np.maximum.reduce(mixed, axis=1, out=extremes[1, some])
            mixed *= _TURN
            np.minimum.reduce(mixed, axis=1, out=extremes[2, some])
            np.maximum.reduce(mixed, axis=1, out=extremes[3, some])
    return extremes


def _bands(minima: NDArray[np.uint32]) -> tuple[int, ...]:
    """Return a signed 32-bit key for each band.

    Of the 20 million keys of a million documents, one in two hundred collides by chance. A collision costs one look-up.
    """
    rows = minima.astype("<u4").reshape(BANDS, ROWS)
    keys = [xxhash.xxh3_64_intdigest(f"{SCHEME}|{band}|".encode() + row.tobytes()) for band, row in enumerate(rows)]
    return tuple((key & 0xFFFFFFFF) - 2**31 for key in keys)


@lru_cache(maxsize=8)
def _constants(purpose: str, count: int, dtype: type[np.uint32 | np.uint64]) -> NDArray[np.uint32 | np.uint64]:
    """Return the odd constants of the scheme: xxh3 of the scheme, the purpose and the index."""
    mask = np.iinfo(dtype).max
    return np.array(
        [xxhash.xxh3_64_intdigest(f"{SCHEME}|{purpose}|{index}".encode()) & mask | 1 for index in range(count)],
        dtype=dtype,
    )
