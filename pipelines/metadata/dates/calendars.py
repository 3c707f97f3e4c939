"""Convert dates of the calendars that newspapers use to Gregorian dates, and find the calendar of a year.

The number of a year shows its calendar: 2569 is Buddhist (Thai Solar: Gregorian months, 543 years ahead), 1405 is Solar
Hijri and 1448 Islamic. Web pages are not older than 1990, and were not published in the future.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

GREGORIAN, BUDDHIST, SOLAR, LUNAR = "gregorian", "buddhist", "solar-hijri", "islamic"
ETHIOPIAN, HEBREW, BIKRAM = "ethiopian", "hebrew", "bikram-sambat"
EARLIEST = date(1990, 1, 1)
"""No web page is older."""
TOLERANCE = timedelta(days=2)
"""Allowed distance into the future: the zone of a page, and one day for Islamic dates."""
_BUDDHIST_AHEAD = 543
_SOLAR_EPOCH = 226_894
"""Ordinal of the day before 1 Farvardin 1 in ``_solar``, so that 1 Farvardin 1403 is 20 March 2024."""

_ETHIOPIAN_EPOCH = 2_795
"""Ordinal of the day before 1 Meskerem 1, so that 1 Meskerem 2017 is 11 September 2024."""

_BIKRAM_FIRST, _BIKRAM_START = 2046, date(1989, 4, 13)
"""First year of the table below, and its first day."""
# Last digits of the lengths of the twelve months, year by year. They depend on the sun's entry into its signs, not on a
# rule. Nepal's calendar committee publishes them.
_BIKRAM_LENGTHS = (
    "121210009901111211090900112111090900121210009900121210009091111211090900112111090900121210009900121210009091"
    "112111090900112120090900121210009901021210009091112111090900112210090900121210009901111211909091112111090900"
    "112210090900121210009901111211900991112111090900112210090900121210009901111211900900112111090900121210090900"
    "121210009901111211090900112111090900121210009900121210009091111211090900112111090900121210009900121210009091"
    "112111090900112111090900112110009000121201009000021210009000112111090000012201009000021210009000021210009000"
)
_HEBREW_EPOCH = -1_373_427
"""Ordinal of the day before the first new moon, so that 1 Tishri 5785 is 3 October 2024."""


def to_gregorian(calendar: str, year: int, month: int, day: int) -> date | None:
    """Return the Gregorian date, or None if the calendar has no such day.

    Islamic dates are those of Umm al-Qura, the civil calendar of Saudi Arabia. Where months begin by sighting the moon,
    a date may differ by a day. Hebrew months count from Tishri: the sixth is Adar I, which common years do not have.
    """
    try:
        if calendar == BUDDHIST:
            return date(year - _BUDDHIST_AHEAD, month, day)
        if calendar == SOLAR:
            return _solar(year, month, day)
        if calendar == ETHIOPIAN:
            return _ethiopian(year, month, day)
        if calendar == BIKRAM:
            return _bikram(year, month, day)
        if calendar == HEBREW:
            return _hebrew(year, month, day)
        if calendar == LUNAR:
            from hijridate import Hijri

            return Hijri(year, month, day).to_gregorian()
        return date(year, month, day)
    except (ValueError, OverflowError):
        return None


def calendars_of(year: int, language: str = "") -> Iterator[str]:
    """Yield the calendars that a recent year may belong to, on a page in this language (BCP 47, "" unknown)."""
    if 1300 <= year <= 1500:
        yield from (SOLAR, LUNAR)
    elif 2400 <= year <= 2700:
        yield BUDDHIST
    elif language.partition("-")[0] == "ne" and year >= _BIKRAM_FIRST:
        yield BIKRAM
    else:
        yield GREGORIAN


def _solar(year: int, month: int, day: int) -> date:
    """Convert a date of the Solar Hijri calendar by the 33-year cycle, exact for the years 1178 to 1633.

    Leap years: 1, 5, 9, 13, 17, 22, 26 and 30 of each cycle. Raises ValueError if there is no such day.
    """
    leap = year % 33 in {1, 5, 9, 13, 17, 22, 26, 30}
    length = 31 if month < 7 else 30 if month < 12 or leap else 29
    if not (1 <= month <= 12 and 1 <= day <= length):
        raise ValueError(f"{year}-{month}-{day}")
    before = 31 * min(month - 1, 6) + 30 * max(month - 7, 0)
    leaps = sum((year - 1 - place) // 33 + 1 for place in (1, 5, 9, 13, 17, 22, 26, 30))
    return date.fromordinal(_SOLAR_EPOCH + 365 * (year - 1) + leaps + before + day)


def _ethiopian(year: int, month: int, day: int) -> date:
    """Convert a date of the Ethiopian calendar: twelve months of 30 days and one of 5, or 6 before a leap year.

    Raises ValueError if there is no such day.
    """
    length = 30 if month < 13 else 6 if year % 4 == 3 else 5
    if not (1 <= month <= 13 and 1 <= day <= length):
        raise ValueError(f"{year}-{month}-{day}")
    return date.fromordinal(_ETHIOPIAN_EPOCH + 365 * (year - 1) + year // 4 + 30 * (month - 1) + day)


def _bikram(year: int, month: int, day: int) -> date:
    """Convert a date of Nepal's Bikram Sambat. Raises ValueError if there is no such day, or no table of its year."""
    first = 12 * (year - _BIKRAM_FIRST)
    lengths = [29 if digit == "9" else 30 + int(digit) for digit in _BIKRAM_LENGTHS[: first + 12]]
    if not (0 <= first == len(lengths) - 12 and 1 <= month <= 12 and 1 <= day <= lengths[first + month - 1]):
        raise ValueError(f"{year}-{month}-{day}")
    return _BIKRAM_START + timedelta(days=sum(lengths[: first + month - 1]) + day - 1)


def _hebrew(year: int, month: int, day: int) -> date:
    """Convert a date of the Hebrew calendar to the Gregorian day with which it shares the daylight.

    Arithmetic: Dershowitz and Reingold, Calendrical Calculations, chapter 8. Raises ValueError if there is no such day.
    """
    start = _hebrew_new_year(year)
    days = _hebrew_new_year(year + 1) - start
    heshvan, kislev, adar = 29 + (days % 10 == 5), 30 - (days % 10 == 3), 30 * is_hebrew_leap(year)
    lengths = [30, heshvan, kislev, 29, 30, adar, 29, 30, 29, 30, 29, 30, 29]
    if not (1 <= month <= len(lengths) and 1 <= day <= lengths[month - 1]):
        raise ValueError(f"{year}-{month}-{day}")
    return date.fromordinal(start + sum(lengths[: month - 1]) + day - 1)


def is_hebrew_leap(year: int) -> bool:
    """Return whether a Hebrew year has thirteen months, among them two named Adar."""
    return (7 * year + 1) % 19 < 7


def _hebrew_new_year(year: int) -> int:
    """Return the ordinal of 1 Tishri, postponed if a year would be too long or too short."""
    before, this, after = (_molad_day(each) for each in (year - 1, year, year + 1))
    return _HEBREW_EPOCH + this + (2 if after - this == 356 else 1 if this - before == 382 else 0)


def _molad_day(year: int) -> int:
    months = (235 * year - 234) // 19
    day = 29 * months + (12_084 + 13_753 * months) // 25_920
    return day + (3 * (day + 1) % 7 < 3)
