"""Names of tags as numbers, and where names stand in the bytes of a page their numbers, all at once."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.extractors.lexer import BLOCKS, REMOVED, name_set

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
"""Names that are told apart; the code of a tag is twice the place of its name, and one more for end tags."""
AHEAD = b" " * 10
"""A slash and the first eight letters of a name are looked for behind every less-than sign, the last one too."""
_NUMBERS = {name.encode(): number for number, name in enumerate(NAMES) if name}
_NAME = re.compile(rb"[^\s/<>]*")
_GREATER, _SLASH = b">/"
_ONES = np.uint64(0x0101010101010101)
_SPACES, _GREATERS, _SLASHES, _HIGHEST = _ONES * np.array([0x21, _GREATER, _SLASH, 0x80], dtype=np.uint64)
_ONE, _SEVEN = np.uint64(1), np.uint64(7)
_LOWER = _ONES * np.uint64(0x20)


def code_of(name: str) -> int:
    """Return the code of a start tag; 0 for names that are not told apart."""
    return 2 * _NUMBERS.get(name.encode(), 0)


def codes_of(names: Iterable[str], *, ends: bool = False) -> Mask:
    """Return a table of all codes that says which are those of some start tags, and with ``ends`` of end tags."""
    table = np.zeros(2 * len(NAMES) + 1, dtype=bool)
    for name in names:
        table[code_of(name) : code_of(name) + 1 + ends] = True
    return table


def _short_names() -> tuple[np.uint64, Words, Codes]:
    """Return names of up to seven letters as little-endian integers, each where its remainder is, with their codes.

    The divisor comes first: the least by which all leave different remainders.
    """
    short = {int.from_bytes(name, "little"): 2 * number for name, number in _NUMBERS.items() if len(name) < 8}
    divisor = next(divisor for divisor in count(len(short)) if len({key % divisor for key in short}) == len(short))
    keys, codes = np.full(divisor, -1).astype(np.uint64), np.zeros(divisor, dtype=np.int16)
    for key, code in short.items():
        keys[key % divisor], codes[key % divisor] = key, code
    return np.uint64(divisor), keys, codes


_DIVISOR, _KEYS, _KEY_CODES = _short_names()


def name_codes(raw: bytes, data: Bytes, starts: Places) -> Codes:
    """Return the codes of names by their first eight bytes, of which those before the first that ends a name count."""
    names = np.ndarray((data.size - 7,), dtype="<u8", buffer=data, strides=(1,))[starts]
    ends = ((names - _SPACES) & ~names | _zeros(names ^ _GREATERS) | _zeros(names ^ _SLASHES)) & _HIGHEST
    unit = (ends & (~ends + _ONE)) >> _SEVEN  # 1 in the first byte that ends the name; 0 if none does
    keys = (names | _LOWER) & (unit - _ONE)
    place = keys % _DIVISOR
    codes = np.where(_KEYS[place] == keys, _KEY_CODES[place], np.int16(0))
    for index in np.flatnonzero(unit == 0).tolist():
        codes[index] = 2 * _NUMBERS.get(name_at(raw, int(starts[index])), 0)
    return codes


def _zeros(words: Words) -> Words:
    """Return words in which the highest bit of the first byte is set that is 0; more may be in those after it."""
    return (words - _ONES) & ~words


def name_at(raw: bytes, start: int) -> bytes:
    """Return the name that begins at a place, in lower case."""
    name = _NAME.match(raw, start)
    return name[0].lower() if name else b""
