"""Sketches and band keys of fingerprints: storage format, and estimated similarity.

A sketch keeps a few low bits of each of many minhashes (b-bit minwise hashing, Li and König 2010). The name of the
scheme states the format, in parts such as ``s480x2`` (480 of 2 bits, four a byte) and ``k32`` (band keys of 32 bits).
The defaults are 8 and 64 bits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_SKETCH = re.compile(r";s(\d+)x(2|8);")
_BANDS = re.compile(r";b(\d+)r\d+;")
_KEYS = re.compile(r";k(32|64);")
DIGEST = 2
"""Bytes of the digest of a number."""
MAX_NUMBERS = 64
"""Numbers of a text that are kept at most."""
NUMBERS_SHARED = 0.5
"""Share of the numbers of a text that its near-duplicate has too."""
SHINGLES_PER_NUMBER = 40
"""Shingles for each number of a text, from where on its words decide. News has 60 to 100, a list of prices 13."""
DENSE_NUMBERS_CHANGED = 0.1
"""Share of the numbers of a text of mostly numbers that may differ. Its next issue keeps half: sizes, limits, units."""


@dataclass(frozen=True, slots=True)
class SketchFormat:
    """Storage format of a scheme: bits of a minhash, bytes of a key."""

    bits: int = 8
    key_bytes: int = 8
    sketch_bytes: int = 0
    """Length of a sketch; 0 if the name does not state it."""
    bands: int = 0

    @classmethod
    def of(cls, scheme: str) -> SketchFormat:
        """Read the format from the name of a scheme."""
        sketch, keys, bands = _SKETCH.search(scheme), _KEYS.search(scheme), _BANDS.search(scheme)
        values, bits = (int(sketch.group(1)), int(sketch.group(2))) if sketch else (0, 8)
        return cls(
            bits,
            int(keys.group(1)) // 8 if keys else 8,
            values * bits // 8,
            int(bands.group(1)) if bands else 0,
        )

    def similarities(self, sketch: bytes, others: Sequence[bytes]) -> NDArray[np.float64]:
        """Estimate the Jaccard similarity of one text to others from sketches of equal length.

        Values of b bits agree by chance once in 2^b, hence the correction.
        """
        # Imported here: commands that only read counts need no numpy.
        import numpy as np

        table = np.frombuffer(b"".join(others), dtype=np.uint8).reshape(len(others), len(sketch))
        return self.estimates(table, np.frombuffer(sketch, dtype=np.uint8))

    def estimates(self, ones: NDArray[np.uint8], others: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Estimate the similarity of each row of sketches to the same row of others, or to a single other."""
        import numpy as np

        differs = ones ^ others
        if self.bits == 8:
            match = (differs == 0).mean(axis=1)
        else:
            unlike = np.bitwise_count((differs | (differs >> 1)) & 0x55)
            match = 1 - unlike.sum(axis=1, dtype=np.int64) / (4 * differs.shape[1])
        chance = 1 / (1 << self.bits)
        return np.asarray((match - chance) / (1 - chance), dtype=np.float64)

    def pack_keys(self, keys: Sequence[int]) -> bytes:
        """Write band keys as little-endian signed integers."""
        return b"".join(key.to_bytes(self.key_bytes, "little", signed=True) for key in keys)

    def unpack_keys(self, packed: bytes) -> tuple[int, ...]:
        """Undo `pack_keys`."""
        size = self.key_bytes
        return tuple(
            int.from_bytes(packed[at : at + size], "little", signed=True) for at in range(0, len(packed), size)
        )


def numbers_agree(one: bytes, other: bytes, shingles: int) -> bool:
    """Return whether two texts may be one by their numbers: enough of the smaller set are in both.

    Enough is `NUMBERS_SHARED`. In texts of mostly numbers, no more than one or `DENSE_NUMBERS_CHANGED` may differ.
    A text without numbers agrees with every other.

    Args:
        one: sorted digests of `DIGEST` bytes, a sample of the smallest ones if there are many. Only the range that both
            samples cover is compared.
        other: the same of the other text.
        shingles: number of shingles of the shorter text.
    """
    ours, theirs = _digests(one), _digests(other)
    if not ours or not theirs:
        return True
    is_dense = SHINGLES_PER_NUMBER * min(_count(ours), _count(theirs)) >= shingles
    if len(one) == len(other) == MAX_NUMBERS * DIGEST:
        last = min(max(ours), max(theirs))
        ours, theirs = ({each for each in some if each <= last} for some in (ours, theirs))
    smaller, shared = min(len(ours), len(theirs)), len(ours & theirs)
    most_changed = max(1.0, DENSE_NUMBERS_CHANGED * smaller) if is_dense else smaller
    return shared >= NUMBERS_SHARED * smaller and smaller - shared <= most_changed


def pairs_agree(
    ones: NDArray[np.uint16], others: NDArray[np.uint16], counts: NDArray[np.int64], shingles: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return `numbers_agree` for many pairs of texts.

    Args:
        ones: a row of `MAX_NUMBERS` digests for each pair, sorted. What follows the last digest is not read.
        others: the same of the other texts.
        counts: two rows: the number of digests in each row of ``ones``, and of ``others``.
        shingles: number of shingles of the shorter text of each pair.
    """
    import numpy as np

    places = np.arange(MAX_NUMBERS)
    known = [places < count[:, None] for count in counts]
    digests = ones.astype(np.int64), others.astype(np.int64)
    highest = [np.where(each, some, 0).max(axis=1) for each, some in zip(known, digests, strict=True)]
    is_full = counts == MAX_NUMBERS
    estimated = [
        np.where(full, np.rint(count * (1 << 8 * DIGEST) / (last + 1)), count)
        for full, count, last in zip(is_full, counts, highest, strict=True)
    ]
    is_dense = SHINGLES_PER_NUMBER * np.minimum(*estimated) >= shingles
    last = np.where(is_full.all(axis=0), np.minimum(*highest), 1 << 8 * DIGEST)[:, None]
    sizes = [(each & (some <= last)).sum(axis=1) for each, some in zip(known, digests, strict=True)]
    # Places behind the digests get numbers that are no digests, and that no other place has.
    padded = [
        np.where(each, some, (1 << 8 * DIGEST) + places + shift)
        for each, some, shift in zip(known, digests, (0, MAX_NUMBERS), strict=True)
    ]
    merged = np.sort(np.concatenate(padded, axis=1), axis=1)
    shared = (merged[:, 1:] == merged[:, :-1]).sum(axis=1)
    smaller = np.minimum(*sizes)
    most_changed = np.where(is_dense, np.maximum(1.0, DENSE_NUMBERS_CHANGED * smaller), smaller)
    agree = (shared >= NUMBERS_SHARED * smaller) & (smaller - shared <= most_changed)
    return np.asarray(agree | (counts == 0).any(axis=0))


def _count(digests: set[bytes]) -> int:
    """Estimate how many numbers a text has from its smallest digests."""
    if len(digests) < MAX_NUMBERS:
        return len(digests)
    return round(len(digests) * (1 << 8 * DIGEST) / (int.from_bytes(max(digests), "big") + 1))


def _digests(numbers: bytes) -> set[bytes]:
    return {numbers[at : at + DIGEST] for at in range(0, len(numbers), DIGEST)}
