"""Where the main content lies among the lines of an HTML file: what R2L and DANA have in common.

R2L: Mohammadzadeh, Schweiggert and Nakhaeizadeh, "Using UTF-8 to Extract Main Content of Right to Left Language Web
Pages", ICSOFT 2011, section 4.1. DANA: Mohammadzadeh, Gottron, Schweiggert and Nakhaeizadeh, "A Fast and Accurate
Approach for Main Content Extraction based on Character Encoding", TIR 2011. Both count, line by line, characters beyond
ASCII (S1, NEPL) against ASCII (S2, EPL), find the line where the balance of it and its neighbours is highest, and walk
from there up and down for as long as the next line with S1 is at most P lines away.

The papers take the file as it is: no Step 0, no tree. So does this; only the lines found are ever parsed. They are
counted with arrays, never made.

What the papers leave open: a character is a character, not a byte; S1 is all that is not ASCII; neighbours missing at
the first and last line count nothing; the first of equal peaks is taken; without a column above the axis there is no
content; the line of the peak itself needs no S1.

Ours, in ``main_fragment``: lines are those of the body, since titles and descriptions in the head are no content, long
as they may be; numeric references are read as the characters they name where they outnumber the characters beyond
ASCII, as such pages are ASCII throughout; and lines that begin inside a tag, comment, script or style are given from
where that begins, so that a parser knows it for what it is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipelines.extractors.flat import body_start, markup_start
from pipelines.extractors.lexer import code_points, places, readable
from pipelines.extractors.soup import with_characters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.extractors.lexer import CodePoints

    Counts = NDArray[np.signedinteger[Any]]

FEW_LINES = 20
TAGS_A_LINE = 8
"""A file of fewer lines, or of more tags a line on average, counts as written in one line."""

_LINE_END, _LESS_THAN, _ASCII = ord("\n"), ord("<"), 0x80
_NO_PLACE = np.zeros(1, dtype=np.int32)


class Lines(NamedTuple):
    """The n lines of a file by running counts: of characters beyond ASCII (NEPL) and within it (EPL) before each line.

    ``starts`` has n entries, ``beyond`` and ``within`` one more, the counts of the whole file.
    """

    starts: Counts
    beyond: Counts
    within: Counts


def count_characters(data: CodePoints, *, at_tags: bool = False) -> Lines:
    """First step of R2L, phase one of DANA: count characters beyond ASCII and within it by line.

    Lines end at ``\n``, which is not counted, and with ``at_tags`` or in a file written in one line also before every
    less-than sign, but no line is empty for a tag's sake. ``data`` are the characters of the file as numbers.
    """
    starts = np.concatenate((_NO_PLACE, places(data == _LINE_END) + 1))
    if at_tags or is_single_line(data, starts.size):
        begins = np.empty(data.size + 1, dtype=bool)
        np.equal(data, _LESS_THAN, out=begins[:-1])
        begins[-1] = False
        begins[starts] = True
        starts = places(begins)
        ended = np.cumsum(data[starts[1:] - 1] == _LINE_END, dtype=starts.dtype)
    else:
        ended = np.arange(1, starts.size, dtype=starts.dtype)
    bounds = np.append(starts[1:], starts.dtype.type(data.size))
    counted = np.searchsorted(places(data >= _ASCII), bounds).astype(starts.dtype, copy=False)
    beyond = np.concatenate((starts[:1], counted))
    bounds -= counted
    bounds[:-1] -= ended
    if ended.size:
        bounds[-1] -= ended[-1]
    return Lines(starts, beyond, np.concatenate((starts[:1], bounds)))


def smoothed(lines: Lines) -> Counts:
    """Formula (2) of R2L, diff of DANA: formula (1), NEPL minus EPL, of each line and both its neighbours."""
    balance = lines.beyond - lines.within
    padded = np.concatenate((balance[:1], balance, balance[-1:]))
    return padded[3:] - padded[:-3]


def main_lines(lines: Lines, p: int) -> range | None:
    """Return the lines that hold the main content, None when no column stands above the axis."""
    columns = smoothed(lines)
    peak = int(columns.argmax())
    if columns[peak] <= 0:
        return None
    filled = np.flatnonzero(lines.beyond[1:] != lines.beyond[:-1])
    here = int(filled.searchsorted(peak))
    below = _walk(peak, filled[here:], p)
    above = -_walk(-peak, -filled[:here][::-1], p)
    return range(above, below + 1)


def _walk(start: int, stops: NDArray[np.int64], p: int) -> int:
    """Return the last of the ascending stops that is reached from ``start`` in steps of at most ``p``."""
    if not stops.size or stops[0] - start > p:
        return start
    far = stops[1:] - stops[:-1] > p
    reached = int(far.argmax()) if far.size else 0
    return int(stops[reached if far.size and far[reached] else -1])


def main_span(data: CodePoints, p: int, *, at_tags: bool = False) -> tuple[int, int] | None:
    """Return where the main content begins and ends, as offsets in characters; a line end after it is no part of it."""
    if data.size == 0 or data.max() < _ASCII:
        return None
    lines = count_characters(data, at_tags=at_tags)
    found = main_lines(lines, p)
    if found is None:
        return None
    end = int(lines.starts[found.stop]) if found.stop < len(lines.starts) else data.size + 1
    ended = found.stop == len(lines.starts) or data[end - 1] == _LINE_END
    return int(lines.starts[found.start]), end - bool(ended)


def raw_part(html: str, p: int) -> str:
    """Return the main content of a file that is taken as it is, divided at tags if it is written in one line."""
    html, data = readable(html)
    part = html[slice(*(main_span(data, p) or (0, 0)))]
    return split_at_tags(part) if part and is_single_line(data, int(np.count_nonzero(data == _LINE_END)) + 1) else part


def main_fragment(html: str, p: int, *, at_tags: bool = False) -> str:
    """Return the main content of the body as HTML, from where the markup it begins in begins; "" when there is none.

    A file in one line is divided at its tags, with ``at_tags`` any file.
    """
    if html.isascii() and "&#" not in html:
        return ""
    html, data = readable(html)
    first = body_start(html)
    data = data[first:]
    if _in_references(data):
        html, first = with_characters(html[first:]), 0
        data = code_points(html)
    span = main_span(data, p, at_tags=at_tags)
    return html[markup_start(html, first + span[0], first) : first + span[1]] if span else ""


def _in_references(data: CodePoints) -> bool:
    """Say whether numeric references outnumber the characters beyond ASCII; each has five characters or more."""
    beyond = np.count_nonzero(data >= _ASCII)
    if beyond * 5 > data.size or np.count_nonzero(data == ord("&")) <= beyond:
        return False
    return bool(np.count_nonzero((data[:-1] == ord("&")) & (data[1:] == ord("#"))) > beyond)


def is_single_line(data: CodePoints, lines: int) -> bool:
    """Say whether a file of so many lines counts as written in one (section 4.1: "sometimes more than one line")."""
    return lines < FEW_LINES or bool(np.count_nonzero(data == _LESS_THAN) > TAGS_A_LINE * lines)


def split_at_tags(html: str) -> str:
    """Preprocessing of section 4.1: begin a line at every tag. No empty line is added."""
    return re.sub(r"(?<=[^\n])<", "\n<", html)
