"""Lists of rows with a short table for notebooks. All text is escaped: it comes from the web."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from corpus_spider.search.hits.concordance_rules import CONTEXT_FIELDS
from pipelines.text.scripts import is_from_the_right
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SHOWN_ROWS = 20
"""Rows of a list in a notebook."""
MAX_CELL_CHARS = 120
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


class Concordance(Rows):
    """Lines with a keyword and its contexts. A notebook shows each keyword in the middle, with a link to its page.

    The columns of a table have one direction, so lines from right to left have a table of their own, as on the page.
    """

    def _repr_html_(self) -> str:
        found: dict[str, list[str]] = {}
        for row in self[:SHOWN_ROWS]:
            found.setdefault(_direction(row), []).append(_keyword_line(row))
        tables = (f'<table dir="{way}" style="width: 100%">{"".join(lines)}</table>' for way, lines in found.items())
        more = f"<p>{counted(len(self) - SHOWN_ROWS, 'more row')}</p>" if len(self) > SHOWN_ROWS else ""
        return f"<p>{escape(repr(self)[1:-1])}</p>{''.join(tables)}{more}"


def _direction(row: Mapping[str, Any]) -> str:
    """Return the direction of most letters of a line: a foreign keyword does not turn it."""
    letters = [sign for name in CONTEXT_FIELDS for sign in str(row[name]) if sign.isalpha()]
    return "rtl" if 2 * sum(map(is_from_the_right, letters)) > len(letters) else "ltr"


def _keyword_line(row: Mapping[str, Any]) -> str:
    place = " ".join(escape(str(row[name])) for name in ("site", "day") if row.get(name))
    url = str(row.get("url") or "")
    named = f'<a href="{escape(url)}" title="{escape(str(row.get("title") or ""))}">{place or "page"}</a>'
    cells = (
        ("text-align: end; width: 40%", escape(_last(str(row["left"])))),
        ("text-align: center; white-space: nowrap", f"<b>{escape(str(row['keyword']))}</b>"),
        ("text-align: start; width: 40%", escape(_cut(str(row["right"])))),
        ("text-align: start; white-space: nowrap", named if url.startswith(("http://", "https://")) else place),
    )
    shown = "".join(f'<td style="{style}">{cell}</td>' for style, cell in cells)
    return f"<tr>{shown}</tr>"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CELL_CHARS else f"{text[: MAX_CELL_CHARS - 1]}…"


def _last(text: str) -> str:
    return text if len(text) <= MAX_CELL_CHARS else f"…{text[1 - MAX_CELL_CHARS :]}"


def html_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in HTML. Each cell has the direction of its script."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    lines = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{lines}</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td style="text-align: right">{value:,}</td>'
    listed = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str("" if value is None else value)
    return f'<td dir="auto">{escape(_cut(listed))}</td>'
