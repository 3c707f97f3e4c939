"""Numbers for the names of tags, and a reader of all names of a page at once."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.markup.lexer import BLOCKS, REMOVED, name_set

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Places = NDArray[np.signedinteger[Any]]
    Codes = NDArray[np.int16]
    Words = NDArray[np.uint64]
    Bytes = NDArray[np.uint8]
    Mask = NDArray[np.bool_]

_INLINE = name_set("a abbr b big cite code del em font i ins label mark q s small span strike strong sub sup time tt u")
NAMES = ("", *sorted(BLOCKS | REMOVED | _INLINE | {"html"}))
"""Names with a code. The code of a tag is twice the index of its name, and one more for end tags."""
AHEAD = b" " * 10
"""Padding. A slash and the first eight letters of a name are read behind each less-than sign, the last one too."""
_NUMBERS = {name.encode(): number for number, name in enumerate(NAMES) if name}
_LONGEST = max(map(len, NAMES)) + 1
_NAME = re.compile(rb"[^\s/<>]*")
_SHORT_NAME = re.compile(rb"[^\0-\x20/>]{0,8}")
_ENDS = b"\r\n\t >/"
"""Bytes that end most names."""
_ALL_LETTERS, _ONE = np.uint64(0x4040404040404040), np.uint64(1)
"""The bit that each letter has set and that no byte at the end of a name has set."""
_FEW_BITS = 13
_SHIFT = np.uint64(64 - _FEW_BITS)


def code_of(name: str) -> int:
    """Return the code of a start tag; 0 for names without a code."""
    return 2 * _NUMBERS.get(name.encode(), 0)


def codes_of(names: Iterable[str], *, ends: bool = False) -> Mask:
    """Return a table of all codes that says which are those of some start tags, and with ``ends`` of end tags."""
    table = np.zeros(2 * len(NAMES) + 1, dtype=bool)
    for name in names:
        table[code_of(name) : code_of(name) + 1 + ends] = True
    return table


def _short_names() -> tuple[np.uint64, Words, Codes]:
    """Return names of up to seven letters with what ends them as little-endian integers, with their codes.

    Each is where the highest bits of its product with a factor say; the factor, which comes first, is the one of some
    that puts fewest in each other's place.
    """
    short = {
        int.from_bytes(name + bytes((end,)), "little"): 2 * number
        for name, number in _NUMBERS.items()
        if len(name) < 8 and name.isalpha()
        for end in _ENDS
    }
    numbers = np.array(sorted(short, reverse=True), dtype=np.uint64)  # where two share a place, the shorter has it
    factors = np.arange(0x9E3779B97F4A7C15, 0x9E3779B97F4A7C15 + 200, 2, dtype=np.uint64)
    places = (numbers * factors[:, None]) >> _SHIFT
    best = int(np.argmax([np.unique(row).size for row in places]))
    keys, codes = np.zeros(1 << _FEW_BITS, dtype=np.uint64), np.zeros(1 << _FEW_BITS, dtype=np.int16)
    keys[places[best]], codes[places[best]] = numbers, [short[number] for number in numbers.tolist()]
    return factors[best], keys, codes


_FACTOR, _KEYS, _KEY_CODES = _short_names()


def name_codes(raw: bytes, data: Bytes, starts: Places) -> Codes:
    """Return the codes of names by their first eight bytes: the letters, and what ends them; others one by one."""
    words = np.ndarray((data.size - 7,), dtype="<u8", buffer=data, strides=(1,))[starts]
    letters = words & _ALL_LETTERS
    ends = letters ^ _ALL_LETTERS
    keys = words | letters >> _ONE  # in lower case
    keys &= ends ^ (ends - _ONE)  # through the first byte that is no letter
    place = (keys * _FACTOR) >> _SHIFT
    codes: Codes = _KEY_CODES[place]
    odd = np.flatnonzero(_KEYS[place] != keys)
    for index, start in zip(odd.tolist(), starts[odd].tolist(), strict=True):
        codes[index] = _code_in(raw[start : start + _LONGEST])
    return codes


@lru_cache(maxsize=1 << 12)
def _code_in(text: bytes) -> int:
    """Return the code of the name that a text begins with, which may be cut off where no name is as long."""
    short = _SHORT_NAME.match(text)
    name = short[0].lower() if short else b""
    return 2 * _NUMBERS.get(name if len(name) < 8 else name_at(text, 0), 0)


def name_at(raw: bytes, start: int) -> bytes:
    """Return the name that begins at a place, in lower case."""
    name = _NAME.match(raw, start)
    return name[0].lower() if name else b""
