"""Find the publication date of a page: the best of the texts on it that may state a date.

Statements for programs are trusted most (JSON-LD, meta elements, time elements), then the URL, then visible text. The
table `SOURCES` has how far each is trusted, who reads it, and whether it may show the day of the visit.

No date is guessed: it is stated in full (see ``pipelines.metadata.dates.parser``), or follows from an age ("3 hours
ago").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from pipelines.metadata.dates.ages import Age, read_age
from pipelines.metadata.dates.calendars import GREGORIAN
from pipelines.metadata.dates.parser import FoundDate, read_date
from pipelines.metadata.dates.zones import SITE, STATED
from storage.records import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pipelines.metadata.dates.zones import SiteZone

_SLOW_CLOCK, _REQUEST = timedelta(minutes=15), timedelta(minutes=2)
"""How far a page may be ahead of the visit, and the time around the visit in which a page states its own request."""
_QUARTER, _ZONES = 15, 28 * 60
"""Minutes: the least distance of two zones, and the greatest one of a zone and its reverse."""
_EAST, _WEST = timedelta(hours=14), timedelta(hours=12)
"""The first and the last zone of the earth, from UTC."""
_DOUBTED_CONFIDENCE = 0.5
"""Confidence of a date whose moment cannot be right."""
ONE_DAY = timedelta(days=1)
PLAIN_CONFIDENCE = 0.9
"""Least confidence of a date whose day and month are unambiguous."""
_FIGURES = re.compile(r"\d\s?[-/.]\s?\d")


@dataclass(frozen=True, slots=True)
class DateSource:
    """A source of dates of publication, under the name that documents have."""

    name: str
    trust: float
    """Probability that a date there is the date of publication."""
    is_visible: bool = True
    """Whether readers see it in a line of the page. Other sources are for programs."""
    is_at_headline: bool = False
    """Whether readers see it near the headline. Then it may correct a source for programs."""
    may_be_today: bool = False
    """Whether it shows the day of the visit on some pages, unless the text is the article's own."""


_ALL = (
    DateSource(RULES, 1.0),
    DateSource("json-ld", 1.0, is_visible=False),
    DateSource("meta", 1.0, is_visible=False),
    DateSource("time", 0.95, is_visible=False),
    DateSource("url", 0.9, is_visible=False),
    DateSource("text", 0.85, is_at_headline=True),
    DateSource("masthead", 0.6, is_at_headline=True, may_be_today=True),
    DateSource("updated", 0.5, may_be_today=True),
    DateSource("below", 0.5, may_be_today=True),
    DateSource("listed", 0.5, may_be_today=True),
    DateSource("age", 0.5),
)
SOURCES = {source.name: source for source in _ALL}
"""Every source by its name."""


class DateCandidate(NamedTuple):
    """A text that may state the date of publication, and the name of its source."""

    source: str
    text: str
    line: str = ""
    """The visible line, if the text is a part of it."""
    is_own: bool = False
    """True if the text belongs to the article, and not to the day of the visit."""

    @property
    def described(self) -> DateSource:
        """The source, as the table has it."""
        return SOURCES[self.source]


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
    candidates: Iterable[DateCandidate],
    now: datetime,
    language: str = "",
    zone: SiteZone | None = None,
    may_show_moment: Callable[[], bool] = lambda: True,
) -> PublicationDate | None:
    """Return the first candidate that states a full date not after ``now``, or None.

    If its figures are ambiguous (05/06/2024), a later unambiguous candidate decides. ``zone``, that of the site, is for
    times without one, for ages, and for the day of a time that is stated in UTC. ``may_show_moment`` is asked before
    the shown dates are read for their moments.
    """
    pairs = ((each, _read(each, now, language, zone)) for each in candidates)
    read: Iterator[_Pair] = ((each, stated) for each, stated in pairs if stated)
    first = next(read, None)
    if first is None:
        return None
    if not first[0].described.is_visible:
        first, read = _checked(first, read, now, may_show_moment)
    turned = _turned(first[1])
    others = (pair for pair in read if _is_plain(pair[1]) and pair[1].iso[:10] == turned)
    candidate, found = next(others, first) if turned else first
    sure = round(found.confidence * candidate.described.trust, 2)
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
    days = (found.iso[:10] for candidate, found in following if candidate.described.is_at_headline)
    return next((day for day in days if day in {stated, moved}), moved) == stated


def _exact(found: FoundDate, zone: SiteZone, now: datetime) -> FoundDate | None:
    """Return a date with its time in the zone of the site, or None if that is after the visit: it is another zone."""
    written = datetime.combine(date.fromisoformat(found.iso[:10]), found.clock or time(), zone.zone)
    moment = written.astimezone(UTC)
    if moment > now.astimezone(UTC) + _SLOW_CLOCK:
        return None
    local = written.isoformat().replace("+00:00", "Z")
    return found._replace(iso=moment.isoformat().replace("+00:00", "Z"), local=local)


def _checked(
    first: _Pair, read: Iterator[_Pair], now: datetime, may_show_moment: Callable[[], bool]
) -> tuple[_Pair, Iterator[_Pair]]:
    """Return the date that programs are given, or a date shown on the page that contradicts it; and what follows.

    Templates state the local time as UTC, the zone with a reversed sign, or the moment of the request. Readers see the
    right date. A moment after the visit keeps its day, if the page shows no other.
    """
    moment, day = _moment(first[1]), date.fromisoformat(first[1].iso[:10])
    ahead = moment - now.astimezone(UTC) if moment else timedelta()
    is_late = ahead > _SLOW_CLOCK or day > (now + _EAST).astimezone(UTC).date()
    is_request = moment is not None and abs(ahead) <= _REQUEST
    if not (is_late or is_request or (moment and may_show_moment())):
        # Only a moment can contradict a moment, and nothing a day. To read the shown dates takes 1 ms a page.
        return first, read
    others = []
    for pair in read:
        others.append(pair)
        if not _may_contradict(pair[0]):
            break
    following = chain(others, read)
    for candidate, found in others if moment else ():
        shown = _moment(found) if candidate.described.is_at_headline else None
        if shown and moment and _is_zone_apart(moment, shown):
            return (candidate, found), following
        if shown and moment and (moment - shown).total_seconds() // 60 == 0 and first[1].local.endswith("Z"):
            # The same moment to the minute, with the local day.
            local = moment.astimezone(datetime.fromisoformat(found.local).tzinfo)
            first = (first[0], first[1]._replace(local=local.isoformat().replace("+00:00", "Z")))
    if not (is_late or is_request):
        return first, following
    # A date of the day of the visit, in the last zone of the earth, is no other date.
    latest = (
        (now - _WEST).astimezone(UTC).date() if moment and ahead < ONE_DAY else now.astimezone(UTC).date() + ONE_DAY
    )
    days = [(pair, date.fromisoformat(pair[1].iso[:10])) for pair in others]
    believed = (pair for pair, shown in days if shown < min(latest, day) and _may_contradict(pair[0]))
    if earlier := next(believed, None):
        return earlier, following
    if is_request and any(abs(shown - day) <= ONE_DAY for _, shown in days):
        return first, following
    day_only = (first[1].local or first[1].iso)[:10]
    return (first[0], first[1]._replace(iso=day_only, local="", confidence=_DOUBTED_CONFIDENCE)), following


def _may_contradict(candidate: DateCandidate) -> bool:
    """Return whether a candidate may correct another one: it is for programs, or beside the headline."""
    return not candidate.described.is_visible or candidate.described.is_at_headline


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
        age = read_age(candidate.text) or Age(timedelta(), PLAIN_CONFIDENCE)
        return FoundDate((now - age.length).astimezone(here).date().isoformat(), candidate.text, GREGORIAN, age.sure)
    found = read_date(candidate.text, now, language)
    may_be_today = candidate.described.may_be_today and not candidate.is_own
    if found and may_be_today and abs(date.fromisoformat(found.iso[:10]) - now.date()) <= ONE_DAY:
        # Newspapers print the day of the visit at the top of each page.
        return None
    return found


def parse_date(text: str, now: datetime, language: str = "") -> str | None:
    """Return the date that a text states, in ISO 8601, as ``find_date`` reads it."""
    found = read_date(text, now, language)
    return found.iso if found else None


def _is_plain(found: FoundDate) -> bool:
    return found.confidence >= PLAIN_CONFIDENCE


def _turned(found: FoundDate) -> str:
    """Return the other day that ambiguous figures may mean, or ""."""
    year, month, day = found.iso[:10].split("-")
    ambiguous = not _is_plain(found) and found.calendar == GREGORIAN and day <= "12" and _FIGURES.search(found.original)
    return f"{year}-{day}-{month}" if ambiguous else ""
