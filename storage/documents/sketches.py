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

_SKETCH = re.compile(r";s\d+x(2|8);")
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

    @classmethod
    def of(cls, scheme: str) -> SketchFormat:
        """Read the format from the name of a scheme."""
        bits, keys = _SKETCH.search(scheme), _KEYS.search(scheme)
        return cls(int(bits.group(1)) if bits else 8, int(keys.group(1)) // 8 if keys else 8)

    def similarities(self, sketch: bytes, others: Sequence[bytes]) -> NDArray[np.float64]:
        """Estimate the Jaccard similarity of one text to others from sketches of equal length.

        Values of b bits agree by chance once in 2^b, hence the correction.
        """
        # Imported here: commands that only read counts need no numpy.
        import numpy as np

        table = np.frombuffer(b"".join(others), dtype=np.uint8).reshape(len(others), len(sketch))
        differs = table ^ np.frombuffer(sketch, dtype=np.uint8)
        if self.bits == 8:
            match = (differs == 0).mean(axis=1)
        else:
            unlike = np.bitwise_count((differs | (differs >> 1)) & 0x55)
            match = 1 - unlike.sum(axis=1, dtype=np.int64) / (4 * len(sketch))
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


def _count(digests: set[bytes]) -> int:
    """Estimate how many numbers a text has from its smallest digests."""
    if len(digests) < MAX_NUMBERS:
        return len(digests)
    return round(len(digests) * (1 << 8 * DIGEST) / (int.from_bytes(max(digests), "big") + 1))


def _digests(numbers: bytes) -> set[bytes]:
    return {numbers[at : at + DIGEST] for at in range(0, len(numbers), DIGEST)}
