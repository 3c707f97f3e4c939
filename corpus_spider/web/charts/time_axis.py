"""Time axes of charts: every day or month between the first and the last one. A gap must be visible as a gap."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import TYPE_CHECKING

from storage.documents.model import UNDATED

if TYPE_CHECKING:
    from collections.abc import Mapping

DAYS = 60
"""Days of the chart by day."""
MAX_MONTHS = 240
"""Months of the chart by month. A longer time is shown by year."""


def per_day(counted: Mapping[str, int], last: date, days: int = DAYS) -> list[tuple[str, int]]:
    """Return the number of each of the last days, 0 where there is none.

    >>> per_day({"2026-11-25": 3}, date(2026, 11, 26), 3)
    [('2026-11-24', 0), ('2026-11-25', 3), ('2026-11-26', 0)]
    """
    every = (last - timedelta(days=back) for back in reversed(range(days)))
    return [(day.isoformat(), counted.get(day.isoformat(), 0)) for day in every]


def per_month(counted: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the number of each month from the first to the last one, 0 where there is none; of years if they are many.

    Documents without a date, which are counted as `UNDATED`, are on no axis.

    >>> per_month({"2025-11": 3, "2026-02": 1})
    [('2025-11', 3), ('2025-12', 0), ('2026-01', 0), ('2026-02', 1)]
    >>> per_month({"1990-05": 2, "2026-02": 1})[:2]
    [('1990', 2), ('1991', 0)]
    """
    counted = {month: number for month, number in counted.items() if month != UNDATED}
    if not counted:
        return []
    first, last = (int(month[:4]) * 12 + int(month[5:]) - 1 for month in (min(counted), max(counted)))
    if last - first < MAX_MONTHS:
        every = (f"{at // 12}-{at % 12 + 1:02}" for at in range(first, last + 1))
        return [(month, counted.get(month, 0)) for month in every]
    of_years = Counter[str]()
    for month, number in counted.items():
        of_years[month[:4]] += number
    return [(str(year), of_years[str(year)]) for year in range(first // 12, last // 12 + 1)]


def bounds(label: str) -> dict[str, str]:
    """Return the filters of a month or year of `per_month`.

    >>> bounds("2026-03"), bounds("2026")
    ({'since': '2026-03', 'until': '2026-03'}, {'since': '2026-01', 'until': '2026-12'})
    """
    return {"since": label, "until": label} if "-" in label else {"since": f"{label}-01", "until": f"{label}-12"}
