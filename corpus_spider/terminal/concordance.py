"""Lay out lines of a concordance for a terminal: the keywords stand below each other."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Sequence


def aligned(lines: Sequence[tuple[str, str, str]], width: int | None = None) -> list[str]:
    """Return (left, keyword, right) as rows of ``width`` cells, by default of the terminal.

    A terminal with bidirectional text mirrors rows of a right-to-left script as a whole, so the columns stay aligned.
    """
    width = width or shutil.get_terminal_size().columns
    widest = max((cell_len(keyword) for _, keyword, _ in lines), default=0)
    side = max(10, (width - min(widest, width // 3) - 2) // 2)
    return [_row(*line, side) for line in lines]


def _row(left: str, keyword: str, right: str, side: int) -> str:
    before, behind = _last(left, side), _first(right, side)
    return f"{' ' * (side - cell_len(before))}{before}{keyword}{behind}"


def _last(text: str, cells: int) -> str:
    """Return the end of a text that fits. It begins with a whole word, where words have spaces.

    >>> _last("the old harbour was", 14), _last("ประกาศนโยบาย", 4)
    ('harbour was', 'ยบาย')
    """
    kept = text
    while cell_len(kept) > cells:
        kept = kept[max(1, len(kept) - cells) if cell_len(kept) > 2 * cells else 1 :]
    cut = len(text) - len(kept)
    if cut and not text[cut - 1].isspace() and " " in kept.strip():
        kept = kept[kept.index(" ") :]
    return kept.lstrip() if cut else kept


def _first(text: str, cells: int) -> str:
    """Return the start of a text that fits. It ends with a whole word, where words have spaces.

    >>> _first("was closed for years", 12)
    'was closed'
    """
    kept = text
    while cell_len(kept) > cells:
        kept = kept[:-1]
    if len(kept) < len(text) and not text[len(kept)].isspace() and " " in kept.strip():
        kept = kept[: kept.rindex(" ")]
    return kept
