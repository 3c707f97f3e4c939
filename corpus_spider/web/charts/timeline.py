"""Chart of numbers over time with an axis, as places of its columns and texts. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, MARGIN = 640, 96
"""Width of the columns if they fit, and room for the last text of the axis. In units of the drawing."""
NARROWEST, WIDEST = 4, 40
"""Width of a column with its gap."""
TOP, SPAN, BOTTOM = 18, 100, 24
"""Room for the numbers above the columns, for the columns, and for the axis."""
DIGIT = 8
"""Width of a digit."""
_STEPS = (1, 2, 3, 6, 12, 24, 60, 120)
"""Months or years from one text of the axis to the next."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its month or year, its number, the address of its documents, its place, and the text of the axis."""

    label: str
    number: int
    link: str
    x: float
    y: float
    height: float
    tick: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """Columns of one width, and the size of the drawing."""

    columns: tuple[Column, ...]
    width: int
    column: int
    largest: int
    height: int = TOP + SPAN + BOTTOM
    base: int = TOP + SPAN

    @property
    def has_numbers(self) -> bool:
        """Whether each column has its number above it."""
        return self.column >= DIGIT * len(f"{self.largest:,}") + DIGIT // 2

    @property
    def axis(self) -> tuple[float, float]:
        """The two ends of the axis, below the columns."""
        places = [each.x for each in self.columns] or [0.0]
        return min(places), max(places) + self.column

    def rows(self) -> list[tuple[str, int, str]]:
        """Return label, number and address of each column."""
        return [(each.label, each.number, each.link) for each in self.columns]


def timeline(rows: Sequence[tuple[str, int, str]], *, right_to_left: bool = False) -> Timeline:
    """Return the chart of the rows of `corpus_spider.web.charts.time_axis.per_month`, each with an address.

    >>> chart = timeline([("2026-11", 2, ""), ("2026-12", 0, ""), ("2027-01", 4, "")])
    >>> [(each.tick, each.x, each.height) for each in chart.columns]
    [('', 0, 50.0), ('', 40, 0.0), ('2027-01', 80, 100.0)]
    """
    column = min(WIDEST, max(NARROWEST, WIDTH // max(1, len(rows))))
    width = column * len(rows) + MARGIN
    largest = max((number for _, number, _ in rows), default=0)
    step = next((each for each in _STEPS if each * column >= MARGIN), _STEPS[-1])
    named = [at for at, (label, _, _) in enumerate(rows) if _since(label) % step == 0]
    if not named or named[0] * column >= MARGIN:
        named.insert(0, 0)
    columns = []
    for at, (label, number, link) in enumerate(rows):
        height = round(SPAN * number / largest, 1) if largest else 0.0
        x = width - column * (at + 1) if right_to_left else column * at
        columns.append(Column(label, number, link, x, TOP + SPAN - height, height, label if at in named else ""))
    return Timeline(tuple(columns), width, column, largest)


def _since(label: str) -> int:
    """Return the number of a month or year, counted from the year 0."""
    year, _, month = label.partition("-")
    return int(year) * 12 + int(month) - 1 if month else int(year)
