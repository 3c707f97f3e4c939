"""When a page says it was published: the best of the texts on it that may state a date.

What a page states for programs is trusted most (JSON-LD, meta elements, time elements), then its address, then what
readers see. Nothing is guessed: a date is stated in full (see ``pipelines.dating.written``), or an age ("3 hours ago")
tells it from the time of the visit, or there is none.
"""

from __future__ import annotations

import re
from datetime import UTC, date, timedelta
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from pipelines.dating.ages import age_of
from pipelines.dating.calendars import EARLIEST, GREGORIAN
from pipelines.dating.months import fold
from pipelines.dating.written import FoundDate, read_date

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

TRUST = {
    "json-ld": 1.0,
    "meta": 1.0,
    "time": 0.95,
    "url": 0.9,
    "text": 0.85,
    "masthead": 0.6,
    "updated": 0.5,
    "below": 0.5,
    "listed": 0.5,
    "age": 0.5,
}
"""Where a date may stand, and how sure it is that one there is the date of publication."""
_MAY_BE_TODAY = frozenset({"masthead", "listed", "below", "updated"})
"""Where some pages show the day of the visit."""
_DAY = timedelta(days=1)
_OTHER_CALENDARS = date(2400, 1, 1)
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PLAIN = 0.9
"""Confidence of a date whose day and month cannot be taken for one another."""
_FIGURES = re.compile(r"\d\s?[-/.]\s?\d")
_IN_PATH = re.compile(
    r"(?<!\d)(?:((?:19|20)\d\d)([/_.-])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])"
    r"|((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:\d{6}|\d{9})?)(?!\d)"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED_IN_PATH = re.compile(rf"/((?:19|20)\d\d)/({'|'.join(_MONTHS)})/(0?[1-9]|[12]\d|3[01])(?=/)")
# Years of other calendars; too many numbers look like them to do without a directory of their own.
_ELSEWHERE_IN_PATH = re.compile(r"/((?:13[6-9]|14[0-4]|25[3-9])\d)([/-])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])(?=/)")
# When an archive of the web made its copy: /web/20110106023242/http://example.org/.
_COPIED = re.compile(r"(?:^/web)?/\d{14}(?:[a-z]{2}_)?(?=/https?:)|^/web/\d{14}(?:[a-z]{2}_)?(?=/[^/]+\.)")
# The day of what a story tells: /attack-of-2001-09-11-remembered.
_AMID_WORDS = re.compile(r"(?<=[^\W\d_]-)\d{4}-\d{1,2}-\d{1,2}(?=-[^\W\d_])")


class Candidate(NamedTuple):
    """A text that may state the date of publication, and where it stands: a key of ``TRUST``."""

    source: str
    text: str
    line: str = ""
    """What the page shows there, when the text is a part of it."""


class Published(NamedTuple):
    """A date of publication in ISO 8601 (in UTC where time and zone were stated), and what is known of it."""

    iso: str
    original: str
    calendar: str
    """As it was written: a calendar of ``pipelines.dating.calendars``."""
    source: str
    confidence: float


def find_date(candidates: Iterable[Candidate], now: datetime, language: str = "") -> Published | None:
    """Return the first of the candidates that states a date, in full and not after ``now``; None when none does.

    Of figures that are a date either way (05/06/2024) a later candidate that is plain decides.
    """
    read = ((each, found) for each in candidates if (found := _read(each, now, language)))
    first = next(read, None)
    if first is None:
        return None
    turned = _turned(first[1])
    others = (pair for pair in read if _is_plain(pair[1]) and pair[1].iso[:10] == turned)
    candidate, found = next(others, first) if turned else first
    sure = round(found.confidence * TRUST[candidate.source], 2)
    original = " ".join(candidate.line.split()) or found.original
    return Published(found.iso, original, found.calendar, candidate.source, sure)


def _read(candidate: Candidate, now: datetime, language: str) -> FoundDate | None:
    if candidate.source == "age":
        day = (now - (age_of(candidate.text) or timedelta())).astimezone(UTC).date()
        return FoundDate(day.isoformat(), candidate.text, GREGORIAN, _PLAIN)
    found = read_date(candidate.text, now, language)
    return None if found and candidate.source in _MAY_BE_TODAY and _is_today(found.iso, now) else found


def parse_date(text: str, now: datetime, language: str = "") -> str | None:
    """Return the date that a text states as ``find_date`` does, its ISO 8601 form alone."""
    found = read_date(text, now, language)
    return found.iso if found else None


def _is_today(iso: str, now: datetime) -> bool:
    """Return whether a date is that of the visit, which newspapers print on top of every page."""
    return abs(date.fromisoformat(iso[:10]) - now.date()) <= _DAY


def _is_plain(found: FoundDate) -> bool:
    return found.confidence >= _PLAIN


def _turned(found: FoundDate) -> str:
    """Return the other day that the figures of a date may mean; "" where there is none."""
    year, month, day = found.iso[:10].split("-")
    ambiguous = not _is_plain(found) and found.calendar == GREGORIAN and day <= "12" and _FIGURES.search(found.original)
    return f"{year}-{day}-{month}" if ambiguous else ""


def dates_in_path(path: str) -> list[str]:
    """Return the dates that the path of a URL states (``/2024/05/13/``, ``/20240513``, ``/2024/may/13/``), in ISO."""
    folded = fold(unquote(path))
    groups = (match.groups() for match in _IN_PATH.finditer(folded))
    figures = [f"{g[0] or g[4]}-{int(g[2] or g[5]):02}-{int(g[3] or g[6]):02}" for g in groups]
    return figures or [f"{m[1]}-{_MONTHS.index(m[2]) + 1:02}-{int(m[3]):02}" for m in _NAMED_IN_PATH.finditer(folded)]


def stated_in_path(path: str) -> list[str]:
    """Return the texts of a path that may state its page's date: as `dates_in_path`, and ``/1403/02/24/`` as it stands.

    A day amid the words of a headline is what the story tells of.
    """
    folded = fold(unquote(path))
    elsewhere = ["-".join(match.group(1, 3, 4)) for match in _ELSEWHERE_IN_PATH.finditer(folded)]
    return dates_in_path(_AMID_WORDS.sub("", _COPIED.sub("", folded))) or elsewhere


def may_be_of(text: str, dates: list[str]) -> bool:
    """Return whether a text in ISO 8601 states one of some dates, give or take a day for zones. True if there are none.

    >>> may_be_of("2024-05-13T22:00:00Z", ["2024-05-14"]), may_be_of("2024-07-01", ["2024-05-14"])
    (True, False)
    """
    stated = _ISO_DAY.match(text.strip())
    days = [day for one in dates if (day := _day(one)) and EARLIEST <= day < _OTHER_CALENDARS]
    own = _day(stated[0]) if stated else None
    return own is None or not days or any(abs(own - day) <= _DAY for day in days)


def _day(iso: str) -> date | None:
    try:
        return date.fromisoformat(iso)
    except ValueError:
        return None
