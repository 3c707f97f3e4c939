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
ASCII, as such pages are ASCII throughout; and where a column stands above the axis, scripts, styles and
comments are cut out before the lines are counted for good. The papers leave them in; but the walk counts their lines,
which part paragraphs that no reader sees parted, and comments hold letters too. ``raw_part`` has none of this.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipelines.extractors.lexer import body_start, code_points, places, readable, without_code
from pipelines.extractors.soup import with_characters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.extractors.lexer import CodePoints

    Counts = NDArray[np.signedinteger[Any]]
    Mask = NDArray[np.bool_]

FEW_LINES = 20
TAGS_A_LINE = 8
"""A file of fewer lines, or of more tags a line on average, counts as written in one line."""

_LINE_END, _LESS_THAN, _REFERENCE, _ASCII = ord("\n"), ord("<"), ord("&"), 0x80
_AT_ONCE = 1 << 18
_TAG_NAME = re.compile("</?[a-zA-Z]")


class Lines(NamedTuple):
    """The lines of a file: where each starts, which hold characters beyond ASCII, and formula (1), NEPL minus EPL."""

    starts: Counts
    filled: Mask
    balance: Counts


def count_characters(data: CodePoints, beyond: Counts, *, at_tags: bool = False) -> Lines:
    """First step of R2L, phase one of DANA: count characters beyond ASCII and within it by line.

    Lines end at ``\n``, which is not counted, and with ``at_tags`` or in a file written in one line also before every
    less-than sign, but no line is empty for a tag's sake. ``data`` are the characters of the file as numbers,
    ``beyond`` the places of those beyond ASCII.
    """
    ends = places(data == _LINE_END)
    starts = np.zeros(ends.size + 1, dtype=ends.dtype)
    np.add(ends, 1, out=starts[1:])
    if at_tags or is_single_line(data, starts.size):
        begins = np.empty(data.size + 1, dtype=bool)
        np.equal(data, _LESS_THAN, out=begins[:-1])
        begins[-1] = False
        begins[starts] = True
        starts = places(begins)
    filled, balance = np.empty(starts.size, dtype=bool), np.empty(starts.size, dtype=np.int32)
    for first in range(0, starts.size, _AT_ONCE):
        part, last = slice(first, first + _AT_ONCE), first + _AT_ONCE
        bounds = np.concatenate((starts[part], starts[last : last + 1] if last < starts.size else (data.size,)))
        before = beyond.searchsorted(bounds)
        letters = before[1:] - before[:-1]
        np.not_equal(letters, 0, out=filled[part])
        balance[part] = 2 * letters - bounds[1:] + bounds[:-1]
        inner = starts[first + 1 : last + 1]
        balance[first : first + inner.size] += data[inner - 1] == _LINE_END
    return Lines(starts, filled, balance)


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


def main_span(data: CodePoints, beyond: Counts, p: int, *, at_tags: bool = False) -> tuple[int, int] | None:
    """Return where the main content begins and ends, as offsets in characters; a line end after it is no part of it."""
    lines = count_characters(data, beyond, at_tags=at_tags)
    found = main_lines(lines, p)
    if found is None:
        return None
    end = int(lines.starts[found.stop]) if found.stop < len(lines.starts) else data.size + 1
    ended = found.stop == len(lines.starts) or data[end - 1] == _LINE_END
    return int(lines.starts[found.start]), end - bool(ended)


def _may_rise(data: CodePoints, beyond: Counts) -> bool:
    """Say whether a line may have more characters beyond ASCII than within: not if these are few and far between.

    In such a line two of them stand next to each other or next but one, or it is a single one.
    """
    if not beyond.size or beyond[0] < 2:
        return bool(beyond.size)
    before = data[beyond - 1]
    return bool(((before >= _ASCII) | (before == _LINE_END) | (data[beyond - 2] >= _ASCII)).any())


def raw_part(html: str, p: int) -> str:
    """Return the main content of a file that is taken as it is, divided at tags if it is written in one line."""
    html, data = readable(html)
    part = html[slice(*(main_span(data, places(data >= _ASCII), p) or (0, 0)))]
    return split_at_tags(part) if part and is_single_line(data, int(np.count_nonzero(data == _LINE_END)) + 1) else part


def main_fragment(html: str, p: int, *, at_tags: bool = False) -> str:
    """Return the main content of the body as HTML, from where the tag it begins in begins; "" when there is none.

    A file in one line is divided at its tags, with ``at_tags`` any file.
    """
    if html.isascii() and "&#" not in html:
        return ""
    html, data = readable(html)
    beyond = places(data >= _ASCII)
    if _in_references(data, beyond.size):
        html = with_characters(html)
        data = code_points(html)
        beyond = places(data >= _ASCII)
    if not _may_rise(data, beyond):
        return ""
    first = body_start(html)
    beyond = beyond[beyond.searchsorted(first) :] - beyond.dtype.type(first)
    if main_span(data[first:], beyond, p, at_tags=at_tags) is None:
        return ""
    html = without_code(html, first)
    data = code_points(html)
    span = main_span(data, places(data >= _ASCII), p, at_tags=at_tags)
    if span is None:
        return ""
    start, end = span
    opened = html.rfind("<", 0, start)
    in_tag = opened >= 0 and html.find(">", opened, start) < 0 and _TAG_NAME.match(html, opened)
    return html[opened if in_tag else start : end]


def _in_references(data: CodePoints, beyond: int) -> bool:
    """Say whether numeric references outnumber the characters beyond ASCII; each has five characters or more."""
    if beyond * 5 > data.size:
        return False
    begin = places(data[:-1] == _REFERENCE)
    return begin.size > beyond and int(np.count_nonzero(data[begin + 1] == ord("#"))) > beyond


def is_single_line(data: CodePoints, lines: int) -> bool:
    """Say whether a file of so many lines counts as written in one (section 4.1: "sometimes more than one line")."""
    return lines < FEW_LINES or bool(np.count_nonzero(data == _LESS_THAN) > TAGS_A_LINE * lines)


def split_at_tags(html: str) -> str:
    """Preprocessing of section 4.1: begin a line at every tag. No empty line is added."""
    return re.sub(r"(?<=[^\n])<", "\n<", html)
