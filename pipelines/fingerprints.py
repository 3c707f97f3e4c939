"""Fingerprints of a text: one for exact copies, and a MinHash sketch with LSH bands for near ones.

Shingles are 12 characters of the canonical text (letters, digits and marks only), which puts scripts with and without
spaces on one scale and needs no word segmenter. MinHash is Broder 1997 ("On the resemblance and containment of
documents"), banding Indyk and Motwani 1998: 20 bands of 6 rows find a pair of Jaccard similarity .8 with probability
.998 and one of .5 with .27. The sketch keeps the low byte of each minimum (b-bit minwise hashing, Li and Koenig 2010),
enough to verify what the bands propose.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import xxhash

from pipelines.normalise import canonical_text
from storage.records import Fingerprint

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEME = "v1;char12;mh32;b20r6;xxh3;norm1"
"""Names everything the numbers depend on, seeds included: only fingerprints of one scheme can be compared."""
WIDTH = 12
BANDS = 20
ROWS = 6
HASHES = BANDS * ROWS
LEAST_SHINGLES = 50
MOST_CHARACTERS = 1_000_000
_CHUNK = 512
"""Shingles that are permuted at once: with all their permutations they stay in a processor's cache."""
_COINCIDENCE = 1 / 256


def fingerprint(text: str) -> Fingerprint:
    """Fingerprint a text.

    ``exact`` is of the whole canonical text. The sketch reads its first million characters, more than any newspaper
    prints in one piece, so that a longer text takes no more than some 50 MB besides itself. A text of fewer than 50
    distinct shingles gets neither sketch nor bands: a few changed letters would be half of it.
    """
    canonical = canonical_text(text)
    exact = xxhash.xxh3_128_digest(canonical.encode("utf-8"))
    shingles = _shingles(canonical[:MOST_CHARACTERS])
    if len(shingles) < LEAST_SHINGLES:
        return Fingerprint(SCHEME, exact, len(shingles))
    minima = _minima(shingles)
    sketch = minima.astype(np.uint8).tobytes()
    return Fingerprint(SCHEME, exact, len(shingles), sketch, _bands(minima))


def estimate(sketch_a: bytes, sketch_b: bytes) -> float:
    """Estimate the Jaccard similarity of two texts from their sketches, 0-1; 0 when either has none.

    Bytes agree by coincidence once in 256, which is taken off. The standard error at .8 is .037.
    """
    if not sketch_a or len(sketch_a) != len(sketch_b):
        return 0.0
    same = np.frombuffer(sketch_a, dtype=np.uint8) == np.frombuffer(sketch_b, dtype=np.uint8)
    return max(0.0, (float(same.mean()) - _COINCIDENCE) / (1 - _COINCIDENCE))


def _shingles(canonical: str) -> NDArray[np.uint32]:
    """Return the distinct 32-bit hashes of all shingles, sorted; a text shorter than one shingle has none."""
    points = np.frombuffer(canonical.encode("utf-32-le"), dtype="<u4").astype(np.uint64)
    count = len(points) - WIDTH + 1
    if count < 1:
        return np.empty(0, dtype=np.uint32)
    hashes = np.zeros(count, dtype=np.uint64)
    for offset, multiplier in enumerate(_constants("shingle", WIDTH, np.uint64)):
        hashes += points[offset : offset + count] * multiplier
    hashes ^= hashes >> np.uint64(33)
    hashes *= np.uint64(0xFF51AFD7ED558CCD)
    # Not np.unique, which puts the values into a hash table before it sorts them and takes eight times as long.
    found = np.sort((hashes >> np.uint64(32)).astype(np.uint32))
    first = np.ones(count, dtype=np.bool_)
    np.not_equal(found[1:], found[:-1], out=first[1:])
    return found[first]


def _minima(shingles: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the minimum of each of the 120 permutations, some hundreds of shingles at a time."""
    multipliers, masks = _constants("multiplier", HASHES, np.uint32), _constants("mask", HASHES, np.uint32)
    minima = np.full(HASHES, np.iinfo(np.uint32).max, dtype=np.uint32)
    room = np.empty((2, min(_CHUNK, len(shingles)), HASHES), dtype=np.uint32)
    for start in range(0, len(shingles), _CHUNK):
        part = shingles[start : start + _CHUNK, None]
        mixed, shifted = room[:, : len(part)]
        np.bitwise_xor(part, masks, out=mixed)
        mixed *= multipliers
        mixed ^= np.right_shift(mixed, np.uint32(15), out=shifted)
        mixed *= np.uint32(0x2C1B3C6D)
        np.minimum(minima, mixed.min(axis=0), out=minima)
    return minima


def _bands(minima: NDArray[np.uint32]) -> tuple[int, ...]:
    """Return a signed 64-bit key for each band, the way databases store integers."""
    rows = minima.astype("<u4").reshape(BANDS, ROWS)
    keys = [xxhash.xxh3_64_intdigest(f"{SCHEME}|{band}|".encode() + row.tobytes()) for band, row in enumerate(rows)]
    return tuple(key - 2**64 if key >= 2**63 else key for key in keys)


@lru_cache(maxsize=8)
def _constants(purpose: str, count: int, dtype: type[np.uint32 | np.uint64]) -> NDArray[np.uint32 | np.uint64]:
    """Return odd constants that the scheme fixes for ever: xxh3 of the scheme, the purpose and the index."""
    mask = np.iinfo(dtype).max
    return np.array(
        [xxhash.xxh3_64_intdigest(f"{SCHEME}|{purpose}|{index}".encode()) & mask | 1 for index in range(count)],
        dtype=dtype,
    )
