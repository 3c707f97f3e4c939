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
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.extractors.soup import Soup

FEW_LINES = 20
TAGS_A_LINE = 8
"""A file of fewer lines, or of more tags a line on average, counts as written in one line."""


def count_characters(html: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First step of R2L, phase one of DANA: how many characters beyond ASCII and within it each line has.

    Lines end at ``\\n``, which is not counted. The text must not hold lone surrogates. In UTF-8 a byte from 0xC0 begins
    a character beyond ASCII and bytes below 0x80 are ASCII, so positions of bytes are all that is needed.
    """
    data = np.frombuffer(html.encode(), dtype=np.uint8)
    ends = np.append(np.flatnonzero(data == ord("\n")), data.size)
    beyond = _per_line(np.flatnonzero(data >= 0xC0), ends)
    within = np.diff(ends, prepend=-1) - 1 - _per_line(np.flatnonzero(data >= 0x80), ends)
    return beyond, within


def _per_line(positions: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.diff(np.searchsorted(positions, ends), prepend=0)


def smoothed(beyond: NDArray[np.int64], within: NDArray[np.int64]) -> NDArray[np.int64]:
    """Formula (2) of R2L, diff of DANA: formula (1), NEPL minus EPL, of each line and both its neighbours."""
    padded = np.pad(beyond - within, 1)
    return padded[:-2] + padded[1:-1] + padded[2:]


def main_lines(html: str, p: int) -> range | None:
    """Return the lines that hold the main content, None when no column stands above the axis."""
    beyond, within = count_characters(html)
    columns = smoothed(beyond, within)
    peak = int(columns.argmax())
    if columns[peak] <= 0:
        return None
    filled = np.flatnonzero(beyond)
    below = _walk(peak, filled[filled > peak], p)
    above = -_walk(-peak, -filled[filled < peak][::-1], p)
    return range(above, below + 1)


def _walk(start: int, stops: NDArray[np.int64], p: int) -> int:
    """Return the last of the ascending stops that is reached from ``start`` in steps of at most ``p``."""
    route = np.concatenate(([start], stops))
    reach = int((np.diff(route) > p).argmax()) if (np.diff(route) > p).any() else len(route) - 1
    return int(route[reach])


def main_span(html: str, p: int) -> tuple[int, int] | None:
    """Return where the main content begins and ends, as offsets in characters."""
    found = main_lines(html, p)
    if found is None:
        return None
    lengths = [len(line) + 1 for line in html.split("\n")[: found.stop]]
    return sum(lengths[: found.start]), sum(lengths) - 1


def is_single_line(html: str, tags: int) -> bool:
    """Say whether a file counts as written in one line (section 4.1: "sometimes more than one line")."""
    lines = html.count("\n") + 1
    return lines < FEW_LINES or tags > TAGS_A_LINE * lines


def split_at_tags(html: str) -> str:
    """Preprocessing of section 4.1: begin a line at every tag. No empty line is added."""
    return re.sub(r"(?<=[^\n])<", "\n<", html)


def with_tags_on_lines(soup: Soup) -> Soup:
    """The same preprocessing on a page that has been through Step 0, where a tag is known from a less-than sign."""
    first = 0 if soup.texts[0] else 1
    tags = [
        tag if index < first or text.endswith("\n") else f"\n{tag}"
        for index, (text, tag) in enumerate(zip(soup.texts, soup.tags, strict=False))
    ]
    return replace(soup, tags=tuple(tags))
