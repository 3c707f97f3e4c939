"""Words and tags of a page in columns: what improved BTE counts, with arrays instead of tokens.

A tag begins at ``<`` before a letter, or a slash and a letter. It ends at the next ``>`` where that is the only one
before the next tag; where there are more, or none, its quotation marks decide (HTML standard, 13.2.5). Words stand
between white space and tags. Of scripts written without spaces (Thai, Chinese, ...) a word is a piece of some letters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipelines.extractors.lexer import REMOVED, code_points, places, tag_end

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pipelines.extractors.lexer import CodePoints

    Places = NDArray[np.signedinteger[Any]]

UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
            (0xF900, 0xFAFF), (0x20000, 0x3FFFF))  # fmt: skip
"""First and last characters of scripts that are written without spaces."""
_SPACES = ((0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
           (0x205F, 0x205F), (0x3000, 0x3000))  # fmt: skip
_LETTERS = np.zeros(256, dtype=bool)
_LETTERS[list(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] = True
_NAME = re.compile(r"[^\s/<>]*")
_FOLD = 0x202020
_REMOVED_KEYS = np.array(sorted({int.from_bytes(name[:3].encode().ljust(3), "big") for name in REMOVED}))


class Texts(NamedTuple):
    """The n texts between n - 1 tags of a page: where they start and end, and how many words each has."""

    starts: Places
    ends: Places
    words: Places


def texts_of(source: str, unspaced_word: int) -> Texts:
    """Return the texts of a page whose code and comments are gone; tags without content part words, but no texts."""
    data = code_points(source)
    if not data.size:
        return Texts(*(np.zeros(1, dtype=np.int64) for _ in range(3)))
    starts, ends = tags_of(source, data)
    kept = ~_removed(source, data, starts)
    before = _words_before(data, starts, ends, unspaced_word)
    words = before(np.append(starts, data.size)) - before(np.concatenate(([0], ends)))
    firsts = np.concatenate(([0], np.flatnonzero(kept) + 1))
    return Texts(np.concatenate(([0], ends[kept])), np.append(starts[kept], data.size), np.add.reduceat(words, firsts))


def tags_of(source: str, data: CodePoints) -> tuple[Places, Places]:
    """Return where all tags of a page start and end."""
    starts = places(data == ord("<"))
    starts = starts[: starts.searchsorted(data.size - 1)]
    first = data[starts + 1]
    slash = first == ord("/")
    second = data[np.minimum(starts + 2, data.size - 1)]
    letter = np.where(slash, second, first)
    starts = starts[_LETTERS[np.minimum(letter, 255)]]
    closing = places(data == ord(">"))
    section = closing.searchsorted(starts).astype(starts.dtype, copy=False)
    ends = np.append(closing, data.size - 1).astype(starts.dtype, copy=False)[section] + 1
    odd = np.flatnonzero(np.diff(section, append=closing.size) != 1)
    if not odd.size:
        return starts, ends
    kept = np.ones(starts.size, dtype=bool)
    position = 0
    for index, start in zip(odd.tolist(), starts[odd].tolist(), strict=True):
        if start < position:
            continue
        ends[index] = position = tag_end(source, start)
        kept[index + 1 : starts.searchsorted(starts.dtype.type(position))] = False
    return starts[kept], ends[kept]


def _removed(source: str, data: CodePoints, starts: Places) -> NDArray[np.bool_]:
    """Say of each tag whether Step 0 removes it: those without content, and end tags of what has been dropped."""
    last = data.size - 1
    names = starts + 1 + (data[np.minimum(starts + 1, last)] == ord("/"))
    keys = np.zeros(starts.size, dtype=np.int64)
    for place in range(3):
        keys = (keys << 8) | np.minimum(data[np.minimum(names + place, last)], 255)
    keys |= _FOLD
    found = _REMOVED_KEYS[np.minimum(_REMOVED_KEYS.searchsorted(keys), _REMOVED_KEYS.size - 1)] == keys
    likely = np.flatnonzero(found)
    found[likely] = [_name(source, start) in REMOVED for start in names[likely].tolist()]
    return np.asarray(found, dtype=bool)


def _name(source: str, start: int) -> str:
    """Return the name that begins at a place, in lower case."""
    match = _NAME.match(source, start)
    return match[0].lower() if match else ""


def _classes() -> NDArray[np.uint8]:
    """Return what each character of the basic plane is: 0 white space or control, 1 of words, 2 unspaced."""
    table = np.ones(0x10000, dtype=np.uint8)
    table[: ord(" ") + 1] = 0
    for ranges, kind in ((_SPACES, 0), (UNSPACED, 2)):
        for first, last in ranges:
            table[first : last + 1] = kind
    return table


_CLASSES = _classes()


def _words_before(data: CodePoints, starts: Places, ends: Places, unspaced_word: int) -> Callable[[Places], Places]:
    """Return a function that tells how many words begin before each of some places, outside of tags."""
    kinds = (data > ord(" ")).view(np.uint8)
    beyond = places(data >= 0x80)
    if beyond.size:
        kinds[beyond] = _kinds(data[beyond])
    kinds[starts] = kinds[ends - 1] = 0
    if not beyond.size or kinds.max() < 2:
        firsts = places(np.diff(kinds.view(np.int8), prepend=np.int8(0)) > 0)
        return firsts.searchsorted
    runs = np.concatenate(([0], places(kinds[1:] != kinds[:-1]) + 1))
    lengths = np.diff(runs, append=data.size)
    words = np.where(kinds[runs] == 2, -(-lengths // unspaced_word), kinds[runs])
    total = np.concatenate(([0], np.cumsum(words, dtype=runs.dtype)))
    return lambda bounds: total[runs.searchsorted(bounds)]


def _kinds(characters: CodePoints) -> NDArray[np.uint8]:
    if characters.itemsize <= 2:
        return _CLASSES[characters]
    kinds = _CLASSES[np.minimum(characters, 0xFFFF)]
    kinds[(characters >= UNSPACED[-1][0]) & (characters <= UNSPACED[-1][1])] = 2
    return kinds
