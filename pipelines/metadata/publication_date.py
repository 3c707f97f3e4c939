"""Find the publication date of a page: the best of the texts on it that may state a date.

Statements for programs are trusted most (JSON-LD, meta elements, time elements), then the URL, then visible text. No
date is guessed: it is stated in full (see ``pipelines.metadata.dates.parser``), or follows from an age ("3 hours ago").
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from pipelines.metadata.dates.ages import Age, read_age
from pipelines.metadata.dates.calendars import EARLIEST, GREGORIAN
from pipelines.metadata.dates.months import fold
from pipelines.metadata.dates.parser import FoundDate, read_date
from pipelines.metadata.dates.zones import SITE, STATED
from storage.records import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipelines.metadata.dates.zones import SiteZone

TRUST = {
    RULES: 1.0,
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
_FOR_PROGRAMS = frozenset({"json-ld", "meta", "time", "url"})
_SHOWN = frozenset({"text", "masthead"})
_SLOW_CLOCK, _REQUEST = timedelta(minutes=15), timedelta(minutes=2)
"""How far a page may be ahead of the visit, and the time around the visit in which a page states its own request."""
_QUARTER, _ZONES = 15, 28 * 60
"""Minutes: the least distance of two zones, and the greatest one of a zone and its reverse."""
_EAST, _WEST = timedelta(hours=14), timedelta(hours=12)
"""The first and the last zone of the earth, from UTC."""
_DOUBTED = 0.5
"""Confidence of a date whose moment cannot be right."""
_DAY = timedelta(days=1)
_OTHER_CALENDARS = date(2400, 1, 1)
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
PLAIN = 0.9
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


class DateCandidate(NamedTuple):
    """A text that may state the date of publication, and its source, a key of ``TRUST``."""

    source: str
    text: str
    line: str = ""
    """The visible line, if the text is a part of it."""
    is_own: bool = False
    """True if the text belongs to the article, and not to the day of the visit."""


_Pair = tuple[DateCandidate, FoundDate]


class PublicationDate(NamedTuple):
    """A date of publication in ISO 8601 (in UTC if time and zone are stated), and its source."""

    iso: str
    original: str
    calendar: str
    """Calendar in which it is written, from ``pipelines.metadata.dates.calendars``."""
    source: str
    confidence: float
    local: str = ""
    """The same moment in the zone of the page, with its offset from UTC, if both are known."""
    zone_source: str | None = None
    """Where the zone is from (``pipelines.metadata.dates.zones``); None if the date does not depend on one."""


def find_date(
    candidates: Iterable[DateCandidate], now: datetime, language: str = "", zone: SiteZone | None = None
) -> PublicationDate | None:
    """Return the first candidate that states a full date not after ``now``, or None.

    If its figures are ambiguous (05/06/2024), a later unambiguous candidate decides. ``zone``, that of the site, is for
    times without one, for ages, and for the day of a time that is stated in UTC.
    """
    read: Iterator[_Pair] = ((each, found) for each in candidates if (found := _read(each, now, language, zone)))
    first = next(read, None)
    if first is None:
        return None
    if first[0].source in _FOR_PROGRAMS:
        first, read = _checked(first, read, now)
    turned = _turned(first[1])
    others = (pair for pair in read if _is_plain(pair[1]) and pair[1].iso[:10] == turned)
    candidate, found = next(others, first) if turned else first
    sure = round(found.confidence * TRUST[candidate.source], 2)
    original = " ".join(candidate.line.split()) or found.original
    source = STATED if found.local else None
    if zone and candidate.source == "age":
        source = zone.source
    elif zone and found.clock and (exact := _exact(found, zone, now)):
        found, source = exact, zone.source
    elif zone and (moved := at_newspaper(found.local, zone)) and not _shows_only(found.local[:10], moved[:10], read):
        found, source = found._replace(local=moved), zone.source
    return PublicationDate(found.iso, original, found.calendar, candidate.source, sure, found.local, source)


def at_newspaper(local: str, zone: SiteZone) -> str:
    """Return a moment (ISO 8601 with an offset) in the zone of its newspaper, or "" if it is there already.

    UTC is a form for programs. Any other offset is the newspaper's own statement. Only its configuration corrects it.

    >>> from pipelines.metadata.dates.zones import site_zone
    >>> at_newspaper("2026-11-19T17:30:00Z", site_zone("", "bao.example.vn", "vi"))
    '2026-11-20T00:30:00+07:00'
    """
    if not local.endswith("Z") and (zone.source != SITE or "T" not in local):
        return ""
    moved = datetime.fromisoformat(local).astimezone(zone.zone).isoformat().replace("+00:00", "Z")
    return "" if moved == local else moved


def _shows_only(stated: str, moved: str, following: Iterable[_Pair]) -> bool:
    """Return whether readers see the stated day, and never the day in the zone of the newspaper.

    Some templates write the local time as UTC.
    """
    if stated == moved:
        return False
    days = (found.iso[:10] for candidate, found in following if candidate.source in _SHOWN)
    return next((day for day in days if day in {stated, moved}), moved) == stated


def _exact(found: FoundDate, zone: SiteZone, now: datetime) -> FoundDate | None:
    """Return a date with its time in the zone of the site, or None if that is after the visit: it is another zone."""
    written = datetime.combine(date.fromisoformat(found.iso[:10]), found.clock or time(), zone.zone)
    moment = written.astimezone(UTC)
    if moment > now.astimezone(UTC) + _SLOW_CLOCK:
        return None
    local = written.isoformat().replace("+00:00", "Z")
    return found._replace(iso=moment.strftime("%Y-%m-%dT%H:%M:%SZ"), local=local)


def _checked(first: _Pair, read: Iterator[_Pair], now: datetime) -> tuple[_Pair, Iterator[_Pair]]:
    """Return the date that programs are given, or a date shown on the page that contradicts it; and what follows.

    Templates state the local time as UTC, the zone with a reversed sign, or the moment of the request. Readers see the
    right date. A moment after the visit keeps its day, if the page shows no other.
    """
    others = []
    for pair in read:
        others.append(pair)
        if pair[0].source not in _FOR_PROGRAMS | _SHOWN:
            break
    following = chain(others, read)
    moment, day = _moment(first[1]), date.fromisoformat(first[1].iso[:10])
    for candidate, found in others if moment else ():
        shown = _moment(found) if candidate.source in _SHOWN else None
        if shown and moment and _is_zone_apart(moment, shown):
            return (candidate, found), following
        if shown and moment and (moment - shown).total_seconds() // 60 == 0 and first[1].local.endswith("Z"):
            # The same moment to the minute, with the local day.
            local = moment.astimezone(datetime.fromisoformat(found.local).tzinfo)
            first = (first[0], first[1]._replace(local=local.isoformat().replace("+00:00", "Z")))
    ahead = moment - now.astimezone(UTC) if moment else timedelta()
    is_late = ahead > _SLOW_CLOCK or day > (now + _EAST).astimezone(UTC).date()
    is_request = moment is not None and abs(ahead) <= _REQUEST
    if not (is_late or is_request):
        return first, following
    # A date of the day of the visit, in the last zone of the earth, is no other date.
    latest = (now - _WEST).astimezone(UTC).date() if moment and ahead < _DAY else now.astimezone(UTC).date() + _DAY
    days = [(pair, date.fromisoformat(pair[1].iso[:10])) for pair in others]
    believed = (pair for pair, shown in days if shown < min(latest, day) and pair[0].source in _FOR_PROGRAMS | _SHOWN)
    if earlier := next(believed, None):
        return earlier, following
    if is_request and any(abs(shown - day) <= _DAY for _, shown in days):
        return first, following
    day_only = (first[1].local or first[1].iso)[:10]
    return (first[0], first[1]._replace(iso=day_only, local="", confidence=_DOUBTED)), following


def _moment(found: FoundDate) -> datetime | None:
    """Return the exact moment of a date, or None if its time or zone is not stated."""
    return datetime.fromisoformat(found.iso) if "T" in found.iso else None


def _is_zone_apart(stated: datetime, shown: datetime) -> bool:
    """Return whether two moments differ by a mistake about the zone: by quarters of an hour. Seconds are not shown."""
    apart = (stated - shown).total_seconds() // 60
    return apart != 0 and apart % _QUARTER == 0 and abs(apart) <= _ZONES


def _read(candidate: DateCandidate, now: datetime, language: str, zone: SiteZone | None) -> FoundDate | None:
    if candidate.source == "age":
        # A day of the site: "yesterday" at two in the morning is another day in UTC.
        here = zone.zone if zone else UTC
        age = read_age(candidate.text) or Age(timedelta(), PLAIN)
        return FoundDate((now - age.length).astimezone(here).date().isoformat(), candidate.text, GREGORIAN, age.sure)
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
    return found.confidence >= PLAIN


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
