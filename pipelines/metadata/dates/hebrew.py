"""Find days of the Hebrew calendar, with numbers in letters (י"ד בחשוון תשפ"ה)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pipelines.metadata.dates.calendars import (
    HEBREW,
    is_hebrew_leap,
    to_gregorian,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date
_HEBREW_VALUES = dict(
    zip(
        "אבגדהוזחטיכלמנסעפצקרשת",
        (*range(1, 10), *range(10, 100, 10), 100, 200, 300, 400),
        strict=True,
    )
) | {"ך": 20, "ם": 40, "ן": 50, "ף": 80, "ץ": 90}
# Months of a leap year. A common year has one Adar, the seventh.
_HEBREW_MONTHS = (
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
_HEBREW_NUMBERS = {name: number for number, names in enumerate(_HEBREW_MONTHS, 1) for name in names}
_HEBREW_NAMES = "|".join(map(re.escape, sorted(_HEBREW_NUMBERS, key=len, reverse=True)))
_HEBREW_MARK = "(?:\"|''?)"
HEBREW_YEAR = "תש[א-ת]?(?:[\"״׳\u201d]|'')[א-ת]"
"""A Hebrew year, which has no digits."""
_HEBREW_DATE = re.compile(
    rf"(?<![^\W_])(?<![^\W_][\"'])(?P<day>[יכ]{_HEBREW_MARK}?[א-ט]|ט{_HEBREW_MARK}?[וז]|[א-יכל]{_HEBREW_MARK}?)\s+[בל]?(?P<month>{_HEBREW_NAMES}),?\s+"
    rf"(?:ה{_HEBREW_MARK}?)?(?P<year>תש[א-צםןףץךק]?{_HEBREW_MARK}[א-צםןףץך])(?![^\W_])"
)


class HebrewDate(NamedTuple):
    """A day that a text states in the Hebrew calendar, and its place."""

    day: date
    start: int
    end: int


def hebrew_dates(folded: str) -> Iterator[HebrewDate]:
    """Yield the days of the Hebrew calendar that a folded text states in full."""
    for match in _HEBREW_DATE.finditer(folded):
        year, day = (sum(_HEBREW_VALUES.get(letter, 0) for letter in match[name]) for name in ("year", "day"))
        year += 5000
        if match["month"] == "אדר" and is_hebrew_leap(year):
            continue  # Two months have that name.
        found = to_gregorian(HEBREW, year, _HEBREW_NUMBERS[match["month"]], day)
        if found:
            yield HebrewDate(found, match.start(), match.end())
