"""Dates of the Hebrew calendar as Israeli newspapers print them, numbers in letters: י"ד בחשוון תשפ"ה.

Arithmetic calendar: Dershowitz and Reingold, Calendrical Calculations, chapter 8. The Hebrew day begins at sunset; the
Gregorian day given is the one that it shares the daylight with.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_EPOCH = -1_373_427
"""What is to be added to the days from the first new moon to make ordinals; 1 Tishri 5785 was 3 October 2024."""
_VALUES = dict(
    zip(
        "אבגדהוזחטיכלמנסעפצקרשת",
        (*range(1, 10), *range(10, 100, 10), 100, 200, 300, 400),
        strict=True,
    )
) | {"ך": 20, "ם": 40, "ן": 50, "ף": 80, "ץ": 90}
# Of the leap year's thirteen months; the common year has one Adar, the seventh here.
_MONTHS = (
    ("תשרי",),
    ("חשוון", "חשון", "מרחשוון", "מרחשון"),
    ("כסלו", "כסליו"),
    ("טבת",),
    ("שבט",),
    ("אדר א'", "אדר א"),
    ("אדר ב'", "אדר ב", "אדר"),
    ("ניסן",),
    ("אייר", "איר"),
    ("סיוון", "סיון"),
    ("תמוז",),
    ("אב", "מנחם אב"),
    ("אלול",),
)
_NUMBERS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_NAMES = "|".join(map(re.escape, sorted(_NUMBERS, key=len, reverse=True)))
_MARK = "(?:\"|''?)"
HEBREW_YEAR = "תש[א-ת]?(?:[\"״׳\u201d]|'')[א-ת]"
"""How a text shows that a year of these days is in it, which has no figures."""
_DATE = re.compile(
    rf"(?<![^\W_])(?<![^\W_][\"'])(?P<day>[יכ]{_MARK}?[א-ט]|ט{_MARK}?[וז]|[א-יכל]{_MARK}?)\s+[בל]?(?P<month>{_NAMES}),?\s+"
    rf"(?:ה{_MARK}?)?(?P<year>תש[א-צםןףץךק]?{_MARK}[א-צםןףץך])(?![^\W_])"
)


class HebrewDate(NamedTuple):
    """A day that a text states, and where."""

    day: date
    start: int
    end: int


def hebrew_dates(folded: str) -> Iterator[HebrewDate]:
    """Yield the days of the Hebrew calendar that a folded text states in full."""
    for match in _DATE.finditer(folded):
        year = 5000 + _value(match["year"])
        leap = _is_leap(year)
        if leap and match["month"] == "אדר":
            continue  # of two months of that name
        found = to_date(year, _NUMBERS[match["month"]], _value(match["day"]))
        if found:
            yield HebrewDate(found, match.start(), match.end())


def to_date(year: int, month: int, day: int) -> date | None:
    """Return the Gregorian day; months count from Tishri, the sixth being Adar I, which common years do not have."""
    lengths = _lengths(year)
    if not (1 <= month <= len(lengths) and 1 <= day <= lengths[month - 1]):
        return None
    try:
        return date.fromordinal(_new_year(year) + sum(lengths[: month - 1]) + day - 1)
    except (ValueError, OverflowError):
        return None


def _value(letters: str) -> int:
    return sum(_VALUES.get(letter, 0) for letter in letters)


def _is_leap(year: int) -> bool:
    return (7 * year + 1) % 19 < 7


def _lengths(year: int) -> list[int]:
    days = _new_year(year + 1) - _new_year(year)
    heshvan, kislev = 29 + (days % 10 == 5), 30 - (days % 10 == 3)
    return [30, heshvan, kislev, 29, 30, 30 * _is_leap(year), 29, 30, 29, 30, 29, 30, 29]


def _new_year(year: int) -> int:
    """Return the ordinal of 1 Tishri, put off where a year would come out too long or too short."""
    before, this, after = (_molad_day(each) for each in (year - 1, year, year + 1))
    return _EPOCH + this + (2 if after - this == 356 else 1 if this - before == 382 else 0)


def _molad_day(year: int) -> int:
    months = (235 * year - 234) // 19
    day = 29 * months + (12_084 + 13_753 * months) // 25_920
    return day + (3 * (day + 1) % 7 < 3)
