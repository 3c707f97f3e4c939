"""Words of many texts counted with arrays: what improved BTE counts, without making tokens.

Words stand between white space. Of scripts written without spaces (Thai, Chinese, ...) a word is a piece of some
letters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.extractors.papers.bit_ranks import Ranks
from pipelines.markup.lexer import places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.extractors.papers.tag_columns import Page

    Bytes = NDArray[np.uint8]
    Mask = NDArray[np.bool_]
    Places = NDArray[np.signedinteger[Any]]

UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
            (0xF900, 0xFAFF), (0x20000, 0x3FFFF))  # fmt: skip
"""First and last characters of scripts that are written without spaces."""
_SPACES = ((0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
           (0x205F, 0x205F), (0x3000, 0x3000))  # fmt: skip


def _classes() -> NDArray[np.uint8]:
    """Return what each character of the basic plane is: 0 white space or control, 1 of words, 2 unspaced."""
    table = np.ones(0x10000, dtype=np.uint8)
    table[: ord(" ") + 1] = 0
    for ranges, kind in ((_SPACES, 0), (UNSPACED, 2)):
        for first, last in ranges:
            table[first : last + 1] = kind
    return table


_CLASSES = _classes()
_WORD, _UNSPACED, _UNSURE = 1, 2, 3
_TWO_BYTES, _THREE_BYTES, _FOUR_BYTES = 0xC2, 0xE0, 0xF0
"""What white space of two bytes begins with, and all characters of three and of four."""
_SIZES = np.repeat(np.array([2, 3, 4], dtype=np.uint8), (0xE0, 0x10, 0x10))
"""How many bytes a character has, by its first."""


def _pairs() -> NDArray[np.uint8]:
    """Return what characters are by their first two bytes, a little-endian number, where those tell it."""
    table = np.full((256, 256), _WORD, dtype=np.uint8)
    table[0x80:0xC0, _TWO_BYTES] = _CLASSES[0x80:0xC0]
    of_three = _CLASSES.reshape(16, 64, 64)
    kinds = np.where((of_three == of_three[..., :1]).all(axis=2), of_three[..., 0], _UNSURE)
    table[0x80:0xC0, 0xE0:0xF0] = kinds.T
    table[0xA0:0xC0, _FOUR_BYTES] = _UNSPACED  # the ideographs beyond the basic plane
    return table.reshape(-1)


_PAIRS = _pairs()
_AT_ONCE = 1 << 18


def words_between(page: Page, unspaced_word: int) -> Places:
    """Step 1 of improved BTE: count the words before, between and after the tags of a page.

    A piece of up to ``unspaced_word`` letters of a script without spaces is a word.
    """
    data = np.frombuffer(page.source, dtype=np.uint8)
    words = data > ord(" ")
    words[page.ends - 1] = False
    unspaced, sizes = _unspaced(data, words)
    starts, ends = page.bounds()
    words[1:] &= ~words[:-1]
    begun = Ranks(words)
    counts = begun.before(ends)
    counts -= begun.before(starts)
    if unspaced.size:
        firsts = np.flatnonzero(np.concatenate(((True,), unspaced[1:] - unspaced[:-1] != sizes[:-1])))
        pieces = -(-np.diff(firsts, append=unspaced.size) // unspaced_word)
        total = np.concatenate(((0,), np.cumsum(pieces)))
        runs = unspaced[firsts]
        counts += total[runs.searchsorted(ends)] - total[runs.searchsorted(starts)]
    return counts


def _unspaced(data: Bytes, words: Mask) -> tuple[Places, Bytes]:
    """Take white space beyond ASCII and unspaced letters out of the bytes of words; return these and their sizes."""
    leads = places((data >= _THREE_BYTES) | (data == _TWO_BYTES))
    found = [_others(data, words, leads[first : first + _AT_ONCE]) for first in range(0, leads.size or 1, _AT_ONCE)]
    unspaced, sizes = zip(*found, strict=True)
    return np.concatenate(unspaced), np.concatenate(sizes)


def _others(data: Bytes, words: Mask, leads: Places) -> tuple[Places, Bytes]:
    kinds = _PAIRS[np.ndarray((max(data.size - 1, 0),), dtype="<u2", buffer=data, strides=(1,))[leads]]
    other = np.flatnonzero(kinds != _WORD)
    leads, kinds = leads[other], kinds[other]
    unsure = np.flatnonzero(kinds == _UNSURE)
    first, middle, last = (data[leads[unsure] + offset].astype(np.uint16) for offset in range(3))
    kinds[unsure] = _CLASSES[first << 12 | (middle & 0x3F) << 6 | last & 0x3F]
    sizes = _SIZES[data[leads]]
    sizes[kinds == _WORD] = 0
    for offset in range(4):
        words[leads[sizes > offset] + offset] = False
    spaceless = kinds == _UNSPACED
    return leads[spaceless], sizes[spaceless]
