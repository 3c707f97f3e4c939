"""How many marks stand before places of a text, looked up: a bit for each mark, counted by words of 64.

The marks themselves are never listed, and looking up costs the same however many there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD = 64
_BELOW = np.array([(1 << count) - 1 for count in range(_WORD)], dtype=np.uint64)
"""Words whose lowest bits are set, so many of them."""


class Ranks:
    """The marks of a text, given as a mask with an entry for each byte."""

    def __init__(self, mask: NDArray[np.bool_]) -> None:
        self._words = np.zeros(mask.size // _WORD + 1, dtype="<u8")
        bits = np.packbits(mask, bitorder="little")
        self._words.view(np.uint8)[: bits.size] = bits
        self._sums = np.zeros(self._words.size + 1, dtype=np.int32)
        self._sums[1:] = np.bitwise_count(self._words)
        np.cumsum(self._sums, out=self._sums)

    def before(self, places: NDArray[np.signedinteger[Any]]) -> NDArray[np.int32]:
        """Return how many marks stand before each of some places; the last may be the end of the text."""
        word = places >> 6
        counts: NDArray[np.int32] = self._sums[word]
        counts += np.bitwise_count(self._words[word] & _BELOW[places & 63])
        return counts
