"""Lists of rows with a short table for notebooks. All text is escaped: it comes from the web."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SHOWN_ROWS = 20
"""Rows of a list in a notebook."""
CELL = 120
"""Characters of a cell in a notebook."""


class Rows(list[dict[str, Any]]):
    """Rows as dictionaries with equal keys, as ``pandas.DataFrame`` takes them. ``totals`` says what they are of."""

    def __init__(self, rows: Iterable[dict[str, Any]], totals: Mapping[str, Any]) -> None:
        super().__init__(rows)
        self.totals = dict(totals)

    def __repr__(self) -> str:
        facts = [
            counted(value, name.removesuffix("s")) for name, value in self.totals.items() if isinstance(value, int)
        ]
        return f"<Rows {', '.join([counted(len(self), 'row'), *facts])}>"

    def _repr_html_(self) -> str:
        header = tuple(self[0]) if self else ()
        more = f"<p>{counted(len(self) - SHOWN_ROWS, 'more row')}</p>" if len(self) > SHOWN_ROWS else ""
        shown = html_table(header, [tuple(row.values()) for row in self[:SHOWN_ROWS]])
        return f"<p>{escape(repr(self)[1:-1])}</p>{shown}{more}"


def html_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in HTML. Each cell has the direction of its script."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{lines}</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td style="text-align: right">{value:,}</td>'
    listed = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str("" if value is None else value)
    shown = listed if len(listed) <= CELL else f"{listed[: CELL - 1]}…"
    return f'<td dir="auto">{escape(shown)}</td>'
