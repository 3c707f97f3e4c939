"""Where the main content lies among the lines of an HTML file: what R2L and DANA have in common.

R2L: Mohammadzadeh, Schweiggert and Nakhaeizadeh, "Using UTF-8 to Extract Main Content of Right to Left Language Web
Pages", ICSOFT 2011, section 4.1. DANA: Mohammadzadeh, Gottron, Schweiggert and Nakhaeizadeh, "A Fast and Accurate
Approach for Main Content Extraction based on Character Encoding", TIR 2011. Both count, line by line, characters beyond
ASCII (S1, NEPL) against ASCII (S2, EPL), find the line where the balance of it and its neighbours is highest, and walk
from there up and down for as long as the next line with S1 is at most P lines away.

The papers take the file as it is: no Step 0, no tree; code lies below the axis (R2L, figure 2, regions A). So does
this; only the lines found are ever parsed. They are counted with arrays, never made.

What the papers leave open: a character is a character, not a byte; S1 is all that is not ASCII; neighbours missing at
the first and last line count nothing; the first of equal peaks is taken; without a column above the axis there is no
content; the line of the peak itself needs no S1.

Ours, in ``main_fragment``: lines are those of the body, since titles and descriptions in the head are no content, long
as they may be; numeric references are read as the characters they name where they outnumber the characters beyond
ASCII, as such pages are ASCII throughout; and scripts, styles and comments are cut out before the lines are counted.
The papers leave them in; but the walk counts their lines, which part paragraphs that no reader sees parted, and
comments hold letters too. Where characters beyond ASCII are few (``PLENTY``), a column has to stand above the axis with
code left in, or nothing is cut: most pages in Latin script are told by that. ``raw_part`` has none of this.

The page is read as UTF-8. Its first bytes of characters beyond ASCII have their two highest bits set, all bytes of such
characters the highest: eight bytes at a time are counted by the bits of a word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipelines.extractors.lexer import places, sanitise
from pipelines.extractors.soup import with_characters
from pipelines.extractors.source import encoded, without_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = NDArray[np.signedinteger[Any]]
    Bytes = NDArray[np.uint8]
    Words = NDArray[np.uint64]
    Mask = NDArray[np.bool_]

FEW_LINES = 20
TAGS_A_LINE = 8
"""A file of fewer lines, or of more tags a line on average, counts as written in one line."""

_LINE_END, _LESS_THAN, _REFERENCE, _LEAD = ord("\n"), ord("<"), ord("&"), 0xC0
_AT_ONCE = 1 << 18
_TAG_NAME = re.compile(rb"</?[a-zA-Z]")
PLENTY = 32
"""Where fewer than one byte of so many begin a character beyond ASCII, a column has to stand above the axis at once."""
_SIZES = np.array([2] * 0xE0 + [3] * 0x10 + [4] * 0x10)
"""How many bytes a character has, by its first."""
_WORD = 8
"""Bytes that are counted at a time."""
_HIGHEST, _ONE = np.uint64(0x8080808080808080), np.uint64(1)
_BELOW = np.array([(1 << 8 * count) - 1 for count in range(_WORD)], dtype=np.uint64)
"""Words whose first bytes are kept, so many of them."""


class Lines(NamedTuple):
    """The lines of a file: where each starts, which hold characters beyond ASCII, and formula (1), NEPL minus EPL."""

    starts: Counts
    filled: Mask
    balance: Counts


def count_characters(raw: bytes, *, at_tags: bool = False) -> Lines:
    """First step of R2L, phase one of DANA: count characters beyond ASCII and within it by line of a file in UTF-8.

    Lines end at ``\n``, which is not counted, and with ``at_tags`` or in a file written in one line also before every
    less-than sign, but no line is empty for a tag's sake.
    """
    data = np.frombuffer(raw, dtype=np.uint8)
    begins = np.empty(data.size + 1, dtype=bool)
    begins[0] = True
    np.equal(data, _LINE_END, out=begins[1:])
    parted = at_tags or is_single_line(data, int(np.count_nonzero(begins)))
    if parted:
        begins[:-1] |= data == _LESS_THAN
    starts = places(begins)
    weights = _Weights(raw)
    filled, balance = np.empty(starts.size, dtype=bool), np.empty(starts.size, dtype=np.int32)
    for first in range(0, starts.size, _AT_ONCE):
        part, last = slice(first, first + _AT_ONCE), first + _AT_ONCE
        bounds = np.append(starts[part], starts[last] if last < starts.size else data.size)
        before = weights.before(bounds)
        weight = before[1:] - before[:-1]
        np.not_equal(weight, 0, out=filled[part])
        balance[part] = weight - bounds[1:] + bounds[:-1]
        inner = starts[first + 1 : last + 1]
        balance[first : first + inner.size] += (data[inner - 1] == _LINE_END) if parted else np.int32(1)
    return Lines(starts, filled, balance)


class _Weights:
    """Running sums over a text: a character beyond ASCII weighs one more than it has bytes, one of ASCII nothing."""

    def __init__(self, raw: bytes) -> None:
        self._words = np.frombuffer(raw + bytes(_WORD - len(raw) % _WORD), dtype="<u8")
        self._sums = np.zeros(self._words.size + 1, dtype=np.int32)
        np.cumsum(_weight(self._words), dtype=np.int32, out=self._sums[1:])

    def before(self, bounds: Counts) -> Counts:
        """Return what stands before some places, all of them between characters."""
        word = bounds >> 3
        weight: Counts = self._sums[word] + _weight(self._words[word] & _BELOW[bounds & 7])
        return weight


def _weight(words: Words) -> Bytes:
    high = words & _HIGHEST
    weight: Bytes = np.bitwise_count(high)
    weight += np.bitwise_count(high & (words << _ONE))
    return weight


def smoothed(lines: Lines) -> Counts:
    """Formula (2) of R2L, diff of DANA: formula (1) of each line and both its neighbours."""
    columns = lines.balance.copy()
    columns[1:] += lines.balance[:-1]
    columns[:-1] += lines.balance[1:]
    return columns


def main_lines(lines: Lines, p: int) -> range | None:
    """Return the lines that hold the main content, None when no column stands above the axis."""
    columns = smoothed(lines)
    peak = int(columns.argmax())
    if columns[peak] <= 0:
        return None
    filled = places(lines.filled)
    here = int(filled.searchsorted(peak))
    below = _walk(peak, filled[here:], p)
    above = -_walk(-peak, -filled[:here][::-1], p)
    return range(above, below + 1)


def _walk(start: int, stops: Counts, p: int) -> int:
    """Return the last of the ascending stops that is reached from ``start`` in steps of at most ``p``."""
    if not stops.size or stops[0] - start > p:
        return start
    far = stops[1:] - stops[:-1] > p
    reached = int(far.argmax()) if far.size else 0
    return int(stops[reached if far.size and far[reached] else -1])


def main_span(raw: bytes, p: int, *, at_tags: bool = False) -> tuple[int, int] | None:
    """Return where the main content begins and ends, in bytes; a line end after it is no part of it."""
    lines = count_characters(raw, at_tags=at_tags)
    found = main_lines(lines, p)
    if found is None:
        return None
    end = int(lines.starts[found.stop]) if found.stop < lines.starts.size else len(raw) + 1
    ended = found.stop == lines.starts.size or raw[end - 1] == _LINE_END
    return int(lines.starts[found.start]), end - bool(ended)


def raw_part(html: str, p: int) -> str:
    """Return the main content of a file that is taken as it is, divided at tags if it is written in one line."""
    raw = sanitise(html).encode()
    part = raw[slice(*(main_span(raw, p) or (0, 0)))].decode()
    return split_at_tags(part) if part and is_single_line(np.frombuffer(raw, np.uint8), raw.count(b"\n") + 1) else part


def main_fragment(html: str, p: int, *, at_tags: bool = False) -> str:
    """Return the main content of the body as HTML, from where the tag it begins in begins; "" when there is none.

    A file in one line is divided at its tags, with ``at_tags`` any file.
    """
    if html.isascii() and "&#" not in html:
        return ""
    raw = encoded(html)
    data = np.frombuffer(raw, dtype=np.uint8)
    leads = data >= _LEAD
    count = int(np.count_nonzero(leads))
    if _in_references(data, count):
        raw = with_characters(raw.decode()).encode()
    elif count * PLENTY < data.size and not (may_rise(data, places(leads)) and main_span(raw, p, at_tags=at_tags)):
        return ""
    raw = without_code(raw)
    span = main_span(raw, p, at_tags=at_tags)
    if span is None:
        return ""
    start, end = span
    opened = raw.rfind(b"<", 0, start)
    in_tag = opened >= 0 and raw.find(b">", opened, start) < 0 and _TAG_NAME.match(raw, opened)
    return raw[opened if in_tag else start : end].decode()


def _in_references(data: Bytes, beyond: int) -> bool:
    """Say whether numeric references outnumber the characters beyond ASCII; each has five characters or more."""
    if beyond * 5 > data.size or np.count_nonzero(data == _REFERENCE) <= beyond:
        return False
    begin = places(data[:-1] == _REFERENCE)
    return int(np.count_nonzero(data[begin + 1] == ord("#"))) > beyond


def may_rise(data: Bytes, leads: Counts) -> bool:
    """Say whether a line may have more characters beyond ASCII than within; ``leads`` are the places of the former.

    Three of them, with no more than two between, are in such a line, or it is short: the first of them, then, stands
    at its start or one character further on.
    """
    if not leads.size or leads[0] < 2:
        return bool(leads.size)
    first, second = data[leads - 1], data[leads - 2]
    if ((first == _LINE_END) | (first == _LESS_THAN) | (second == _LINE_END)).any():
        return True
    between = leads[1:] - leads[:-1] - _SIZES[data[leads[:-1]]]
    return bool((between[1:] + between[:-1] <= 2).any())


def is_single_line(data: Bytes, lines: int) -> bool:
    """Say whether a file of so many lines counts as written in one (section 4.1: "sometimes more than one line")."""
    return lines < FEW_LINES or bool(np.count_nonzero(data == _LESS_THAN) > TAGS_A_LINE * lines)


def split_at_tags(html: str) -> str:
    """Preprocessing of section 4.1: begin a line at every tag. No empty line is added."""
    return re.sub(r"(?<=[^\n])<", "\n<", html)
