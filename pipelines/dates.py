"""When a page says it was published: dates as newspapers write them, to ISO 8601.

Only a date that is stated in full is believed: no missing day becomes the first, and where day and month cannot be told
apart (05/06/2024) nothing is said. A date from before the web, or from after the day it was fetched, is a mistake.

Years of other calendars give themselves away by their number: 2567 is Buddhist (543 ahead, Gregorian months), 1403 is
Iranian (converted by the 33-year cycle, exact for the years 1178 to 1633); an Islamic year of our time would, read as
Iranian, lie in the future, and is not believed.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, date, datetime, time, timedelta, timezone
from email.utils import parsedate_tz
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable

_EARLIEST = date(1990, 1, 1)
_TOLERANCE = timedelta(days=2)
_MAX_CHARS = 100

_TIME = (
    r"(?:\s*(?:[T,|-]|at\b|\s)\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?\s*(?P<half>[ap]\.?m\b)?"
    r"\s*\(?(?P<zone>(?:UTC|GMT)?[+-]\d{1,2}(?::?\d{2})?|Z\b|UTC|GMT)?)?"
)
_NAMES = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_MONTHS = {name: number for number, name in enumerate(_NAMES.split("|"), 1)}
_MONTH = rf"(?P<name>{_NAMES})[a-z]{{0,6}}\.?"
_FORMATS = tuple(
    re.compile(pattern + _TIME, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?!\d)",
        r"(?<!\d)(?P<year>\d{4})\s?[年년]\s?(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日일]",
        r"(?<!\d)(?P<day>\d{1,2})(?P<swap>[-/.])(?P<month>\d{1,2})(?P=swap)(?P<year>\d{4})(?!\d)",
        rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+(?:of\s+)?{_MONTH}[\s,-]+(?P<year>\d{{4}})(?!\d)",
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})(?!\d)",
    )
)
_COMPACT = re.compile(
    r"(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?)?", re.IGNORECASE
)
_EPOCH = re.compile(r"(\d{10})(?:\d{3})?")
_MAIL = re.compile(
    r"\b\d{1,2}[\s-]+[a-z]{3,9}[\s-]+\d{4}\s+\d{1,2}:\d{2}(?::\d{2})?\s+(?:[+-]\d{4}|[a-z]{1,5})\b", re.IGNORECASE
)
_ZONE = re.compile(r"([+-])(\d{1,2}):?(\d{2})?$")
_IN_PATH = re.compile(
    r"(?<!\d)(?:((?:19|20)\d\d)([/_.-])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])"
    r"|((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:\d{6}|\d{9})?)(?!\d)"
)


class FoundDate(NamedTuple):
    """A date in ISO 8601, with its time in UTC where time and zone were stated, and the text it was read from."""

    iso: str
    original: str


def find_date(candidates: Iterable[str], now: datetime) -> FoundDate | None:
    """Return the first of the candidates that states a date, in full and not after ``now``; None when none does."""
    for candidate in candidates:
        original = " ".join(candidate.split())[:_MAX_CHARS]
        iso = parse_date(original, now)
        if iso is not None:
            return FoundDate(iso, original)
    return None


def parse_date(text: str, now: datetime) -> str | None:
    """Read one date (ISO 8601, RFC 822, epoch seconds, or written out in figures or English) in digits of any script.

    Returns ``YYYY-MM-DD``, or ``YYYY-MM-DDTHH:MM:SSZ`` when a time other than midnight and its zone are stated.
    """
    figures = _ascii_digits(text.strip()[:_MAX_CHARS])
    stated = _whole(figures) or _mail(figures) or _within(figures)
    if stated is None:
        return None
    day, clock, zone = stated
    if not _EARLIEST <= day <= (now.astimezone(UTC) + _TOLERANCE).date():
        return None
    if zone is None or clock in {None, time()}:
        return day.isoformat()
    moment = datetime.combine(day, clock or time(), zone).astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment <= now.astimezone(UTC) + _TOLERANCE else None


def dates_in_path(path: str) -> list[str]:
    """Return the dates that the path of a URL states (``/2024/05/13/``, ``/20240513``, ``-2024-5-13``) as ISO dates."""
    groups = (match.groups() for match in _IN_PATH.finditer(_ascii_digits(unquote(path))))
    return [f"{g[0] or g[4]}-{int(g[2] or g[5]):02}-{int(g[3] or g[6]):02}" for g in groups]


_Stated = tuple[date, time | None, timezone | None]


def _whole(text: str) -> _Stated | None:
    """Read a text that is nothing but figures: a compact ISO date, or seconds or milliseconds since 1970."""
    compact = _COMPACT.fullmatch(text)
    if compact is not None and (stated := _date(int(compact[1]), int(compact[2]), int(compact[3]))):
        return stated, _time(compact[4], compact[5], compact[6], None), _zone(compact[7])
    epoch = _EPOCH.fullmatch(text)
    if epoch is None:
        return None
    moment = datetime.fromtimestamp(int(epoch[1]), UTC)
    return moment.date(), moment.time(), UTC


def _mail(text: str) -> _Stated | None:
    """Read a date of RFC 822 with its zone. The standard library fills gaps, so a whole one is asked for first."""
    if not _MAIL.search(text):
        return None
    try:
        parts = parsedate_tz(text)
    except (ValueError, IndexError, TypeError):
        return None
    stated = _date(*parts[:3]) if parts else None
    if parts is None or stated is None:
        return None
    offset = parts[9]
    zone = timezone(timedelta(seconds=offset)) if offset is not None and abs(offset) < 86_400 else None
    return stated, _time(str(parts[3]), str(parts[4]), str(parts[5]), None), zone


def _within(text: str) -> _Stated | None:
    for pattern in _FORMATS:
        match = pattern.search(text)
        found = match.groupdict() if match else None
        stated = _date_of(found) if found else None
        if found and stated:
            return stated, _time(found["hour"], found["minute"], found["second"], found["half"]), _zone(found["zone"])
    return None


def _date_of(found: dict[str, str | None]) -> date | None:
    day, year = int(found["day"] or 0), int(found["year"] or 0)
    name = found.get("name")
    month = _MONTHS[name.lower()] if name else int(found["month"] or 0)
    # 05/06/2024 is June in most countries and May in one; with points or dashes the day comes first everywhere.
    ambiguous = found.get("swap") == "/" and day != month and max(day, month) <= 12
    return None if ambiguous else _date(year, month, day)


def _date(year: int, month: int, day: int) -> date | None:
    """Return the Gregorian date of a year, month and day in the calendar that the year's number tells."""
    try:
        if 2400 <= year <= 2600:
            return date(year - 543, month, day)
        return _iranian(year, month, day) if 1300 <= year <= 1500 else date(year, month, day)
    except ValueError:
        return None


def _iranian(year: int, month: int, day: int) -> date:
    """Convert a date of the Solar Hijri calendar. Leap years: 1, 5, 9, 13, 17, 22, 26 and 30 of each cycle of 33.

    Raises:
        ValueError: there is no such day.
    """
    leap = year % 33 in {1, 5, 9, 13, 17, 22, 26, 30}
    length = 31 if month < 7 else 30 if month < 12 or leap else 29
    if not (1 <= month <= 12 and 1 <= day <= length):
        raise ValueError(f"{year}-{month}-{day}")
    before = 31 * min(month - 1, 6) + 30 * max(month - 7, 0)
    leaps = sum((year - 1 - place) // 33 + 1 for place in (1, 5, 9, 13, 17, 22, 26, 30))
    return date.fromordinal(_IRANIAN_EPOCH + 365 * (year - 1) + leaps + before + day)


_IRANIAN_EPOCH = 226_894
"""Ordinal of the day before 1 Farvardin 1 by this rule, so that 1 Farvardin 1403 is 20 March 2024."""


def _time(hour: str | None, minute: str | None, second: str | None, half: str | None) -> time | None:
    if hour is None or minute is None:
        return None
    hours = int(hour)
    if half:
        hours = hours % 12 + (12 if half.lower().startswith("p") else 0)
    try:
        return time(hours, int(minute), min(int(second or 0), 59))
    except ValueError:
        return None


def _zone(text: str | None) -> timezone | None:
    if not text:
        return None
    match = _ZONE.search(text)
    if match is None:
        return UTC
    offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    return timezone(-offset if match[1] == "-" else offset) if offset < timedelta(hours=24) else None


def _ascii_digits(text: str) -> str:
    """Write the decimal digits of every script in ASCII, and leave out the marks that steer the direction of text."""
    if text.isascii():
        return text
    kept = (character for character in text if unicodedata.category(character) != "Cf")
    return "".join(str(unicodedata.decimal(character)) if character.isdecimal() else character for character in kept)
