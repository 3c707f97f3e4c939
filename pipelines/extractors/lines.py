"""Where the main content lies among the lines of an HTML file: what R2L and DANA have in common.

R2L: Mohammadzadeh, Schweiggert and Nakhaeizadeh, "Using UTF-8 to Extract Main Content of Right to Left Language Web
Pages", ICSOFT 2011, section 4.1. DANA: Mohammadzadeh, Gottron, Schweiggert and Nakhaeizadeh, "A Fast and Accurate
Approach for Main Content Extraction based on Character Encoding", TIR 2011. Both count, line by line, characters beyond
ASCII (S1, NEPL) against ASCII (S2, EPL), find the line where the balance of it and its neighbours is highest, and walk
from there up and down for as long as the next line with S1 is at most P lines away.

What the papers leave open: a character is a character, not a byte; S1 is all that is not ASCII; neighbours missing at
the first and last line count nothing; the first of equal peaks is taken; without a column above the axis there is no
content; the line of the peak itself needs no S1.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.extractors.lexer import readable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.extractors.lexer import CodePoints
    from pipelines.extractors.soup import Soup

FEW_LINES = 20
TAGS_A_LINE = 8
"""A file of fewer lines, or of more tags a line on average, counts as written in one line."""


class Lines(NamedTuple):
    """The lines of a file: where each begins, and how many characters beyond ASCII and within it each has."""

    starts: NDArray[np.int64]
    beyond: NDArray[np.int64]
    within: NDArray[np.int64]


def count_characters(data: CodePoints, breaks: NDArray[np.int64] | None = None) -> Lines:
    """First step of R2L, phase one of DANA: count characters beyond ASCII and within it by line.

    Lines end at ``\n``, which is not counted, and before the offsets ``breaks``, but no line is empty for a break's
    sake. ``data`` are the characters of the file as numbers.
    """
    ends = np.flatnonzero(data == ord("\n"))
    begins = np.zeros(data.size + 1, dtype=bool)
    begins[0] = begins[ends + 1] = True
    if breaks is not None:
        begins[breaks] = True
    starts = np.flatnonzero(begins)
    bounds = np.append(starts[1:], data.size)
    beyond = np.diff(np.searchsorted(np.flatnonzero(data >= 0x80), bounds), prepend=0)
    line_ends = np.diff(np.searchsorted(ends, bounds), prepend=0)
    return Lines(starts, beyond, bounds - starts - line_ends - beyond)


def smoothed(beyond: NDArray[np.int64], within: NDArray[np.int64]) -> NDArray[np.int64]:
    """Formula (2) of R2L, diff of DANA: formula (1), NEPL minus EPL, of each line and both its neighbours."""
    padded = np.pad(beyond - within, 1)
    return padded[:-2] + padded[1:-1] + padded[2:]


def main_lines(lines: Lines, p: int) -> range | None:
    """Return the lines that hold the main content, None when no column stands above the axis."""
    columns = smoothed(lines.beyond, lines.within)
    peak = int(columns.argmax())
    if columns[peak] <= 0:
        return None
    filled = np.flatnonzero(lines.beyond)
    below = _walk(peak, filled[filled > peak], p)
    above = -_walk(-peak, -filled[filled < peak][::-1], p)
    return range(above, below + 1)


def _walk(start: int, stops: NDArray[np.int64], p: int) -> int:
    """Return the last of the ascending stops that is reached from ``start`` in steps of at most ``p``."""
    route = np.concatenate(([start], stops))
    reach = int((np.diff(route) > p).argmax()) if (np.diff(route) > p).any() else len(route) - 1
    return int(route[reach])


def main_span(data: CodePoints, p: int, breaks: NDArray[np.int64] | None = None) -> tuple[int, int] | None:
    """Return where the main content begins and ends, as offsets in characters; a line end after it is no part of it."""
    lines = count_characters(data, breaks)
    found = main_lines(lines, p)
    if found is None:
        return None
    end = int(lines.starts[found.stop]) if found.stop < len(lines.starts) else data.size + 1
    ended = found.stop == len(lines.starts) or data[end - 1] == ord("\n")
    return int(lines.starts[found.start]), end - bool(ended)


def raw_part(html: str, p: int) -> str:
    """Return the main content of a file that is taken as it is, divided at tags if it is written in one line."""
    html, data = readable(html)
    breaks = np.flatnonzero(data == ord("<"))
    if not is_single_line(html, len(breaks)):
        return html[slice(*(main_span(data, p) or (0, 0)))]
    return split_at_tags(html[slice(*(main_span(data, p, breaks) or (0, 0)))])


def is_single_line(html: str, tags: int) -> bool:
    """Say whether a file counts as written in one line (section 4.1: "sometimes more than one line")."""
    lines = html.count("\n") + 1
    return lines < FEW_LINES or tags > TAGS_A_LINE * lines


def split_at_tags(html: str) -> str:
    """Preprocessing of section 4.1: begin a line at every tag. No empty line is added."""
    return re.sub(r"(?<=[^\n])<", "\n<", html)


def tag_starts(soup: Soup) -> NDArray[np.int64]:
    """The same preprocessing on a page that has been through Step 0, where a tag is known from a less-than sign.

    Returned are the offsets of all tags in ``soup.html``, for lines to begin at.
    """
    tags = np.fromiter(map(len, soup.tags), dtype=np.int64, count=len(soup.tags))
    texts = np.fromiter(map(len, soup.texts), dtype=np.int64, count=len(soup.texts))
    return np.cumsum(texts[:-1] + tags) - tags
