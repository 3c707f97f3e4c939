"""Find the publication date of a page: the best of the texts on it that may state a date.

Statements for programs are trusted most (JSON-LD, meta elements, time elements), then the URL, then visible text. No
date is guessed: it is stated in full (see ``pipelines.metadata.dates.parser``), or follows from an age ("3 hours ago").
"""

from __future__ import annotations

import re
from datetime import UTC, date, timedelta
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from pipelines.metadata.dates.ages import age_of
from pipelines.metadata.dates.calendars import EARLIEST, GREGORIAN
from pipelines.metadata.dates.months import fold
from pipelines.metadata.dates.parser import FoundDate, read_date

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
"""Source of a date -> probability that a date there is the date of publication."""
_MAY_BE_TODAY = frozenset({"masthead", "listed", "below", "updated"})
"""Sources that show the day of the visit on some pages, unless the candidate is the article's own."""
_DAY = timedelta(days=1)
_OTHER_CALENDARS = date(2400, 1, 1)
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_PLAIN = 0.9
"""Least confidence of a date whose day and month are unambiguous."""
_FIGURES = re.compile(r"\d\s?[-/.]\s?\d")
_IN_PATH = re.compile(
    r"(?<!\d)(?:((?:19|20)\d\d)([/_.-])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])"
    r"|((?:19|20)\d\d)[/_-]?(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:\d{6}|\d{9})?)(?!\d)"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED_IN_PATH = re.compile(rf"/((?:19|20)\d\d)/({'|'.join(_MONTHS)})/(0?[1-9]|[12]\d|3[01])(?=/)")
# Years of other calendars. Many numbers look like them, so they need a directory of their own.
_ELSEWHERE_IN_PATH = re.compile(r"/((?:13[6-9]|14[0-4]|25[3-9])\d)([/-])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])(?=/)")
# With the year last, in a directory of its own: /05-08-2024/. The language of the page decides the order.
_YEAR_LAST_IN_PATH = re.compile(r"/(\d{1,2})([-_./])(\d{1,2})\2((?:19|20)\d\d)(?=/|$)")
# Moment when a web archive made its copy: /web/20110106023242/http://example.org/.
_COPIED = re.compile(r"(?:^/web)?/\d{14}(?:[a-z]{2}_)?(?=/https?:)|^/web/\d{14}(?:[a-z]{2}_)?(?=/[^/]+\.)")
# A day in a headline, which is the topic: /attack-of-2001-09-11-remembered.
_AMID_WORDS = re.compile(r"(?<=[^\W\d_]-)\d{4}-\d{1,2}-\d{1,2}(?=-[^\W\d_])")


class Candidate(NamedTuple):
    """A text that may state the date of publication, and its source, a key of ``TRUST``."""

    source: str
    text: str
    line: str = ""
    """The visible line, if the text is a part of it."""
    is_own: bool = False
    """True if the text belongs to the article, and not to the day of the visit."""


class Published(NamedTuple):
    """A date of publication in ISO 8601 (in UTC if time and zone are stated), and its source."""

    iso: str
    original: str
    calendar: str
    """Calendar in which it is written, from ``pipelines.metadata.dates.calendars``."""
    source: str
    confidence: float


def find_date(candidates: Iterable[Candidate], now: datetime, language: str = "") -> Published | None:
    """Return the first candidate that states a full date not after ``now``, or None.

    If its figures are ambiguous (05/06/2024), a later unambiguous candidate decides.
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
    may_be_today = candidate.source in _MAY_BE_TODAY and not candidate.is_own
    if found and may_be_today and abs(date.fromisoformat(found.iso[:10]) - now.date()) <= _DAY:
        # Newspapers print the day of the visit at the top of each page.
        return None
    return found


def parse_date(text: str, now: datetime, language: str = "") -> str | None:
    """Return the date that a text states, in ISO 8601, as ``find_date`` reads it."""
    found = read_date(text, now, language)
    return found.iso if found else None


def _is_plain(found: FoundDate) -> bool:
    return found.confidence >= _PLAIN


def _turned(found: FoundDate) -> str:
    """Return the other day that ambiguous figures may mean, or ""."""
    year, month, day = found.iso[:10].split("-")
    ambiguous = not _is_plain(found) and found.calendar == GREGORIAN and day <= "12" and _FIGURES.search(found.original)
    return f"{year}-{day}-{month}" if ambiguous else ""


def dates_in_path(path: str) -> list[str]:
    """Return the dates in the path of a URL (``/2024/05/13/``, ``/20240513``, ``/2024/may/13/``), in ISO 8601."""
    folded = fold(unquote(path))
    groups = (match.groups() for match in _IN_PATH.finditer(folded))
    figures = [f"{g[0] or g[4]}-{int(g[2] or g[5]):02}-{int(g[3] or g[6]):02}" for g in groups]
    return figures or [f"{m[1]}-{_MONTHS.index(m[2]) + 1:02}-{int(m[3]):02}" for m in _NAMED_IN_PATH.finditer(folded)]


def stated_in_path(path: str) -> list[str]:
    """Return the dates in a path that may be its page's: as `dates_in_path`, and as written (``/1403/02/24/``).

    A day between the words of a headline is its topic and is skipped.
    """
    folded = fold(unquote(path))
    elsewhere = ["-".join(match.group(1, 3, 4)) for match in _ELSEWHERE_IN_PATH.finditer(folded)]
    year_last = ["-".join(match.group(1, 3, 4)) for match in _YEAR_LAST_IN_PATH.finditer(folded)]
    return dates_in_path(_AMID_WORDS.sub("", _COPIED.sub("", folded))) or elsewhere or year_last


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
