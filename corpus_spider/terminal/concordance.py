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
    while cell_len(text) > cells:
        text = text[max(1, len(text) - cells) if cell_len(text) > 2 * cells else 1 :]
    return text


def _first(text: str, cells: int) -> str:
    while cell_len(text) > cells:
        text = text[:-1]
    return text
