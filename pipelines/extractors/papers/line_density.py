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

The page is read as UTF-8. The first bytes of characters beyond ASCII have their two highest bits set, all bytes of such
characters the highest. Which have is kept as bits, and counted by words of 64.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipelines.extractors.papers.body_bytes import encoded, without_code
from pipelines.markup.lexer import places, sanitise
from pipelines.markup.soup import with_characters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Counts = NDArray[np.signedinteger[Any]]
    Bytes = NDArray[np.uint8]
    Words = NDArray[np.uint64]
    Mask = NDArray[np.bool_]

FEW_LINES = 20
TAGS_A_LINE = 8
"""A file of fewer lines, or of more tags a line on average, counts as written in one line."""

_LINE_END, _LESS_THAN, _REFERENCE, _HIGH, _LEAD = ord("\n"), ord("<"), ord("&"), 0x80, 0xC0
_AT_ONCE = 1 << 18
_TAG_NAME = re.compile(rb"</?[a-zA-Z]")
_IN_LINE = re.compile(rb"[^<\n]*")
_NO_CHARACTER, _NO_LEAD = bytes(range(_HIGH, _LEAD)), bytes(range(_LEAD))
"""Bytes that begin no character, and those that begin none beyond ASCII."""
PLENTY = 32
"""Where fewer than one byte of so many begin a character beyond ASCII, a column has to stand above the axis at once."""
_NEAR = 10
"""Bytes from the first of three characters to the third, with two of ASCII between, at most."""
_BEGINS = np.zeros(1 << 16, dtype=bool)
"""Whether a line begins behind either of two bytes, as a little-endian number, or a tag with the second."""
_BEGINS[_LINE_END::256] = _BEGINS[_LINE_END << 8 : (_LINE_END + 1) << 8] = True
_BEGINS[_LESS_THAN << 8 : (_LESS_THAN + 1) << 8] = True
_WORD = 64
"""Bits that are counted at a time."""
_THROUGH = np.array([(2 << last) - 1 for last in range(_WORD)], dtype=np.uint64)
"""Words of which all bits to the first, the second ... are set."""


class Lines(NamedTuple):
    """The lines of a file: where each ends, which hold characters beyond ASCII, and formula (1), NEPL minus EPL.

    Line ends count as the last characters of lines; behind the file stands one.
    """

    lasts: Counts
    filled: Counts
    balance: Counts


def count_characters(raw: bytes, *, at_tags: bool = False) -> Lines:
    """First step of R2L, phase one of DANA: count characters beyond ASCII and within it by line of a file in UTF-8.

    Lines end at ``\\n``, which is not counted, and with ``at_tags`` or in a file written in one line also before every
    less-than sign, but no line is empty for a tag's sake.
    """
    data = np.frombuffer(raw, dtype=np.uint8)
    ends = np.ones(data.size + 1, dtype=bool)
    np.equal(data, _LINE_END, out=ends[:-1])
    tags = data == _LESS_THAN
    parted = at_tags or is_single_line(int(np.count_nonzero(ends)), int(np.count_nonzero(tags)))
    if parted:
        closes = ends.copy()
        closes[:-2] |= tags[1:]
        lasts = places(closes)
    else:
        lasts = places(ends)
    weight = _weight(data, lasts)
    balance = weight.copy()
    balance[1:] -= weight[:-1]
    filled = places(balance != 0)
    balance -= lasts
    balance[1:] += lasts[:-1]
    balance[0] -= 1
    balance += ends[lasts] if parted else np.int32(1)
    return Lines(lasts, filled, balance)


def _weight(data: Bytes, lasts: Counts) -> Counts:
    """Weigh a text through each of some places: a character beyond ASCII weighs one more than it has bytes.

    One of ASCII weighs nothing. The last place is behind the text.
    """
    size = data.size // _WORD + 1
    masks = np.zeros((2, size * _WORD), dtype=bool)
    for mask, least in zip(masks, (_HIGH, _LEAD), strict=True):
        np.greater_equal(data, least, out=mask[: data.size])
    words = np.packbits(masks, bitorder="little").view("<u8").reshape(2, size)
    sums = np.zeros(size + 1, dtype=np.int32)
    high, lead = np.bitwise_count(words)
    np.add(high, lead, out=sums[1:])
    np.cumsum(sums, out=sums)
    weights = np.empty(lasts.size, dtype=np.int32)
    for first in range(0, lasts.size, _AT_ONCE):
        part = lasts[first : first + _AT_ONCE]
        word = part >> 6
        through = words.take(word, axis=1)
        through &= _THROUGH[part & 63]
        high, lead = np.bitwise_count(through)
        np.add(sums[word], high + lead, out=weights[first : first + _AT_ONCE])
    return weights


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
    here = int(lines.filled.searchsorted(peak))
    below = _walk(peak, lines.filled[here:], p)
    above = -_walk(-peak, -lines.filled[:here][::-1], p)
    return range(above, below + 1)


def _walk(start: int, stops: Counts, p: int) -> int:
    """Return the last of the ascending stops that is reached from ``start`` in steps of at most ``p``."""
    if not stops.size or stops[0] - start > p:
        return start
    far = stops[1:] - stops[:-1] > p
    reached = int(far.argmax()) if far.size else 0
    return int(stops[reached if far.size and far[reached] else -1])


def main_span(raw: bytes, p: int, *, at_tags: bool = False) -> tuple[int, int] | None:
    """Return where the main content begins and ends; a line end after it is no part of it."""
    lines = count_characters(raw, at_tags=at_tags)
    found = main_lines(lines, p)
    if found is None:
        return None
    last = int(lines.lasts[found.stop - 1])
    ended = last == len(raw) or raw[last] == _LINE_END
    return int(lines.lasts[found.start - 1]) + 1 if found.start else 0, last + (not ended)


def raw_part(html: str, p: int) -> str:
    """Return the main content of a file that is taken as it is, divided at tags if it is written in one line."""
    raw = sanitise(html).encode()
    part = raw[slice(*(main_span(raw, p) or (0, 0)))].decode()
    return split_at_tags(part) if part and is_single_line(raw.count(b"\n") + 1, raw.count(b"<")) else part


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
    elif count * PLENTY < len(raw) and not (may_rise(raw, places(leads)) and main_span(raw, p, at_tags=at_tags)):
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


def may_rise(raw: bytes, leads: Counts) -> bool:
    """Say whether a line may have more characters beyond ASCII than within; ``leads`` are the places of the former.

    Three of them, with no more than two between, are in such a line, or it is short: the first of them, then, stands
    at its start or one character further on. Where such are, they are counted, from tag to tag: lines are made of that.
    """
    if not leads.size or leads[0] < 2:
        return bool(leads.size)
    before = np.ndarray((len(raw) - 1,), dtype="<u2", buffer=raw, strides=(1,))[leads - 2]
    near = _BEGINS[before]
    near[:-2] |= leads[2:] - leads[:-2] <= _NEAR
    done = 0
    for place in leads[near].tolist():
        if place < done:
            continue
        start = max(raw.rfind(b"<", done, place), raw.rfind(b"\n", done, place) + 1, done)
        rest = _IN_LINE.match(raw, place)
        done = rest.end() if rest else place
        piece = raw[start:done]
        if 2 * len(piece.translate(None, _NO_LEAD)) > len(piece.translate(None, _NO_CHARACTER)):
            return True
    return False


def is_single_line(lines: int, tags: int) -> bool:
    """Say whether a file of so many lines and tags counts as written in one ("sometimes more than one line", 4.1)."""
    return lines < FEW_LINES or tags > TAGS_A_LINE * lines


def split_at_tags(html: str) -> str:
    """Preprocessing of section 4.1: begin a line at every tag. No empty line is added."""
    return re.sub(r"(?<=[^\n])<", "\n<", html)
