"""Lay out lines of a concordance for a terminal: the keywords stand below each other."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import regex
from rich.cells import cell_len

from corpus_spider.terminal.console import bold
from corpus_spider.terminal.escapes import safe
from corpus_spider.terminal.headings import heading
from corpus_spider.terminal.layout import GAP, is_right_to_left, padded, pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from corpus_spider.search.hits.line_reader import ConcordancePlace

SHORT_ID = 8
"""Digits of an id. One of a billion pairs of documents shares them, and `show` lists both of such a pair."""
MIN_FULL_COLUMNS = 100
"""Columns from which day and site are shown too."""
_CUT = "…"
_LEFT_ISOLATE, _POP = "\u2066", "\u2069"


def drawn(places: Sequence[ConcordancePlace], width: int) -> list[str]:
    """Return headings and rows of ``width`` cells: context, keyword, context, and the document at the end.

    The document stands behind the text, so that the direction of a row is that of its text. A terminal with
    bidirectional text mirrors rows of a right-to-left script as a whole, so the columns stay aligned.
    """
    names = ("id", "day", "site") if width >= MIN_FULL_COLUMNS else ("id",)
    cells = [[place.id[:SHORT_ID], place.day, safe(place.site)][: len(names)] for place in places]
    header = [heading(name) for name in names]
    sizes = [max(cell_len(row[at]) for row in (header, *cells)) for at in range(len(names))]
    lines = [(safe(each.line.left), safe(each.line.keyword), safe(each.line.right)) for each in places]
    room = max(20, width - sum(sizes) - len(GAP) * len(names))
    widest = max((cell_len(keyword) for _, keyword, _ in lines), default=0)
    side = max(10, (room - min(widest, room // 3)) // 2)
    size = max(room, 2 * side + widest)
    rows = [_columns(padded(" " * side + heading("keyword"), size), header, sizes)]
    for line, row in zip(lines, cells, strict=True):
        text, blank = _row(*line, side, size)
        end = GAP + _columns("", row, sizes).lstrip()
        isolate = is_right_to_left("".join(line))
        rows.append(f"{text}{blank}{_LEFT_ISOLATE}{end}{_POP}" if isolate else f"{text}{blank}{end}".rstrip())
    return rows


def _columns(first: str, cells: Iterable[str], sizes: Iterable[int]) -> str:
    return GAP.join([first, *(padded(cell, size) for cell, size in zip(cells, sizes, strict=True))]).rstrip()


def _row(left: str, keyword: str, right: str, side: int, size: int) -> tuple[str, str]:
    """Return a row with its keyword in bold, and the blanks behind it."""
    before, behind = last_words(left, side), first_words(right, side)
    indent = side - cell_len(before)
    blank = size - side - cell_len(keyword) - cell_len(behind)
    return f"{' ' * indent}{before}{bold(keyword)}{behind}", " " * max(0, blank)


def last_words(text: str, cells: int) -> str:
    """Return the last words of a text that fit, behind "…" if words are missing.

    >>> last_words("the old harbour was", 14), last_words("the old harbour was", 30)
    ('…harbour was', 'the old harbour was')
    """
    if cell_len(text) <= cells:
        return text
    kept = _fitting(list(pieces(text))[::-1], cells) or _fitting(regex.findall(r"\X", text)[::-1], cells)
    return _CUT + "".join(kept[::-1])


def first_words(text: str, cells: int) -> str:
    """Return the first words of a text that fit, before "…" if words are missing.

    >>> first_words(" was closed for years", 12)
    ' was…'
    """
    if cell_len(text) <= cells:
        return text
    kept = _fitting(list(pieces(text)), cells)
    if not "".join(kept).strip():
        kept = _fitting(regex.findall(r"\X", text), cells)
    return "".join(kept).rstrip() + _CUT


def _fitting(parts: Sequence[str], cells: int) -> list[str]:
    """Return the first parts that fit into the cells, with one cell left."""
    ends = accumulate(cell_len(part) for part in parts)
    return [part for part, end in zip(parts, ends, strict=True) if end < cells]
