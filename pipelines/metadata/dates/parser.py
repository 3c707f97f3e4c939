"""Parse dates as newspapers write them, in all their languages, scripts and calendars, to ISO 8601.

Only full dates are accepted: a missing day does not become the first of a month, nor a missing month January. If day
and month are ambiguous (05/06/2024), the language of the page decides. If that is unknown, or English, which has both
orders, there is no result. Dates from before the web or after the day of the fetch are mistakes.

A line is read in three steps. Dates that are not in figures, or count years from an emperor or a republic, become
figures (``figures``). Then full dates are found: names of months, figures, and days of the Hebrew calendar as Israeli
newspapers print them. The time of day and the zone are in the rest of the line (``clock``).
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pipelines.metadata.dates.calendars import (
    BIKRAM,
    BUDDHIST,
    EARLIEST,
    ETHIOPIAN,
    GREGORIAN,
    HEBREW,
    LUNAR,
    SOLAR,
    TOLERANCE,
    calendars_of,
    to_gregorian,
)
from pipelines.metadata.dates.clock import as_zone, read_clock
from pipelines.metadata.dates.figures import hebrew_dates, in_figures
from pipelines.metadata.dates.months import Month, any_name, fold, is_disputed, month_of
from pipelines.metadata.dates.weekdays import weekdays_beside
from pipelines.text.punctuation import COMMAS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_CHARS = 200
_EVER = datetime(9000, 1, 1, tzinfo=UTC)
_MAX_CALENDAR_DAYS = 3
"""Days between two statements of the same date in two calendars (months that begin by sighting the moon)."""
_YEAR, _OF_SPAN = 366, 0.4
"""Days: dates further apart are those of a life or a project. Then the confidence of the first date."""
_DISPUTED_CONFIDENCE = 0.5
"""Highest confidence of an ambiguous date: a name of two months, or the last day of several (5–7 May 2024)."""
KURDISH_AHEAD = 1321
"""Years by which the Kurdish calendar, with the months of the Solar Hijri, is ahead."""
_MONTH_FIRST = frozenset({"", "en", "en-us", "fil", "tl", "fil-ph", "tl-ph", "es-us", "en-ph", "en-ca"})
# Languages in which these month names are Nepal's. A Hindi almanac counts other months, by the moon.
_COUNTING_BIKRAM = frozenset({"", "und", "ne", "mai", "bho", "new"})
_ETHIOPIAN_ERA = "ዓ"
"""First letter of "year of mercy", which follows only Ethiopian years."""
_AMHARIC = "am"
"""Language whose figures may be of either calendar, seven or eight years apart, if no era follows."""
_EITHER_WAY = frozenset({"en", "en-us"})
_YEAR_FIRST = frozenset({"ja", "ko", "zh", "hu", "lt", "mn", "eu", "ne"})
_YEAR_ALWAYS_FIRST = frozenset({"ja", "ko"})
"""Languages that never put the year last. If it is last, day and month may be in either order."""

_LINK = (
    rf"[\s{COMMAS}٫؍/|·.–-]*"
    r"(?:(?:of|de|del|di|den|d|ng|ga(?:\s+watan)?"
    r"|ta'|ngày|ngay|من|مې|د|ی|کی)(?![^\W\d_])[\s.]*|d'|(?:ខែ|ເດືອນ|เดือน)\s*)?"
)
# A sign that may match in two ways is listed once, as a separator. Otherwise the search would be exponential.
_YEARS = (
    rf"[\s{COMMAS}٫/|·.–-]*"
    r"(?:(?:of|de|del|năm|nam|พ\.?ศ|ค\.?ศ|พุทธศักราช|คริสต์ศักราช|г|سنه|عام|سال|سن|لعام|لسنه|د|کال|של"
    r"|שנת|ឆ្នាំ|ປີ|ปี|ພ\.?ສ|ຄ\.?ສ|ခု(?:နှစ်)?|ماه|ام|թ|-?ж|р|оны|g(?=\.)|gada|m|\(?e?\)?ko"
    r"|წლის|წ(?=\.)|թվական(?:ի|ին)?|-?c[iuüı]\s+il|-?yil|йил|-?жыл(?:ғы|дың|дын)?|соли|рік|року|لمریز|ه\.?\s?ش|[زیمل](?![^\W\d_])|साल|ቀን|ییل|y?a(?=\s\d))"
    rf"[\s.{COMMAS}]*)*"
)
_AFTER_DAY = (
    r"(?:st|nd|rd|th|er|re|ro|ste|[ºª°]|:?e(?!\w)|-?nj[iy](?!\w)|η(?!\w)|-?(?:е?го|ого|е|ое|ე|ші|шы|[ıiuü]?nc[ıiuü])(?!\w)|\s?ام(?!\w)|م|مه|می|ہ|日|일|\s?ရက်(?:နေ့)?|(?<=\d)ی|ס?ט(?:ן|ער?)|'?y?ê"
    r"|শে|[লর]া|ঠা|ই)?"
)
_DAY = r"(?<!\d)(?<!\d:)(?P<day>\d{1,2})"
# A number after these words is that of an issue: "Số 12, tháng 5/2024".
_ISSUE = re.compile(rf"(?:\b(?:số|no|nr|vol)\.?|№|issue|{fold('عدد|شماره|شمارہ')}|ฉบับที่|номер)\s?$")
_DAYS_FROM = re.compile(
    r"(?<![\d:.h/-])(?P<from>\d{1,2})\.?\s?(?:[-–—]|to|bis|au|al?|e|tot|till?|til|по|до|do|إلى|الی|تا|đến|ถึง)\s?$"
)
_CTIME = r"\d{1,2}:\d{2}(?::\d{2})?(?:\s(?:[a-z]{1,4}|[+-]\d{4}))?"
_WITHIN = re.compile(_CTIME)
_NUMERIC = re.compile(
    r"(?<![\d/$€£¥₩₫₹₪])(?<!\d[:.,-])(?<![a-z]-)(?P<first>\d{1,4})\s?(?P<mark>[-/.٫।\\])\s?(?P<second>\d{1,2})\s?(?P=mark)\s?(?P<third>\d{1,4})"
    r"(?!\d|/\w|\.\d|-\d(?!\d?:\d\d))"
)
_IDEOGRAPHIC = re.compile(
    r"(?<!\d)(?P<year>\d{4})\s?[年년]\s?(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})(?:\s?[日일号號]|(?!\d))"
)
_ISO = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"(?P<time>[t ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?\s?(?:z|[+-]\d\d:?\d\d)?)?"
)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:t?(\d{2})(\d{2})(\d{2})?(?:\.\d+)?(?:(z)|([+-])(\d{2}):?(\d{2}))?)?")
_WEEK = re.compile(r"(\d{4})-?w(\d{2})-?([1-7])(?:t.*)?")
_ORDINAL = re.compile(r"((?:19|20)\d{2})-(\d{3})(?:t.*)?")
_EPOCH = re.compile(r"(?:/date\()?(\d{10})(?:\d{3})?(?:\.\d{1,6})?(?:[+-]\d{4})?(?:\)/)?")
# The era directly after a year of figures: 1445هـ is Islamic, 1403 ه.ش is Solar Hijri.
_SOLAR_ERA = re.compile(r"[\s()]*(?:ه\s?[.-]?\s?ش|هجری\s?[-(]?\s?(?:شمسی|خورشیدی)|خورشیدی|شمسی|ش)(?![^\W\d_])")
_LUNAR_ERA = re.compile(r"[\s()]*(?:ه(?:\s?[.-]?\s?ق)?|هجری[اه]?(?:\s?[-(]?\s?قمری)?|قمری|ق|a\.?h|h)(?![^\W\d_])")
# .NET's format for a moment in American English, on pages of any language: 5/6/2024 2:30:00 PM.
_AMERICAN = re.compile(r"[1-9]\d?/[1-9]\d?/\d{4} [1-9]\d?:\d\d:\d\d [ap]m")
# A time of the twelve-hour clock in a zone of North America, on a page that may be English: 08/05/2024 2:05 PM EDT.
_NORTH_AMERICAN_TIME = re.compile(
    r"\s?(?:,|at|-|\|)?\s?\d{1,2}(?::\d\d){0,2}\s?[ap]\.?m\.?\s?\(?(?:[ecmp][ds]?t|ak[ds]?t|hst)\b"
)
# Figures with points before a word are an amount: 5.08.24 million. Before a time of day they are a date.
_OF_AMOUNT = re.compile(r"\s?[^\W\d_]{3,}(?!\W*\d)")


class FoundDate(NamedTuple):
    """A date in ISO 8601, with its time in UTC if time and zone were stated, and how it was found."""

    iso: str
    original: str
    calendar: str
    confidence: float
    """Probability, 0-1, that this date was meant."""
    local: str = ""
    """The same moment as written, with its offset from UTC, if time and zone were stated."""
    clock: time | None = None
    """The time of day, if it was stated without a zone. Midnight is no time: templates write it for a day."""


@dataclass(frozen=True, slots=True)
class StatedDate:
    """A date in a text: Gregorian day, calendar in which it is written, place in the text, confidence."""

    day: date
    calendar: str
    start: int
    end: int
    sure: float


def read_date(text: str, now: datetime, language: str = "") -> FoundDate | None:
    """Read the first date of a text: ISO 8601, RFC 822, epoch seconds, figures, or words of some 80 languages.

    ``language`` is that of the page (BCP 47, "" unknown). It decides ambiguous dates (05/06/2024). Returns None if no
    date is stated in full, or only one before 1990 or after ``now``.
    """
    original = " ".join(text.split())[:MAX_CHARS]
    folded = fold(original)
    whole = _whole(folded)
    if whole:
        return _result(whole[0], original, now, whole[1:])
    if iso := _ISO.fullmatch(folded):
        # What programs are given. No other form has to be searched in it, which takes ten times as long.
        day = next(
            _in_order(iso, (int(iso["year"]), int(iso["month"]), int(iso["day"])), now, 0.95, language.lower()), None
        )
        return _result(day, original, now, read_clock(f" {iso['time'] or ''}", day.day)) if day else None
    folded = in_figures(folded, language.lower())
    stated = _first(list(_stated(folded, now, language.lower())))
    if stated is None:
        return None
    before, within, after = folded[: stated.start], folded[stated.start : stated.end], folded[stated.end :]
    # C's ``ctime`` puts the time between day and year.
    clock = _WITHIN.search(within)
    rest = f"{before}  {clock[0] if clock else ''}  {after.removeprefix('-')}"
    return _result(stated, original, now, read_clock(rest, stated.day))


def without_dates(text: str, language: str = "") -> tuple[str, list[date]]:
    """Return a text, folded, with spaces for its full dates, and the days of these dates in any year."""
    folded = in_figures(fold(" ".join(text.split()))[:MAX_CHARS], language.lower())
    left, stated = list(folded), list(_stated(folded, _EVER, language.lower()))
    for each in stated:
        left[each.start : each.end] = " " * (each.end - each.start)
    return "".join(left), [each.day for each in stated]


def _result(
    stated: StatedDate, original: str, now: datetime, moment: tuple[time | None, timezone | None]
) -> FoundDate | None:
    if not _possible(stated.day, now):
        return None
    clock, zone = moment
    iso, local = stated.day.isoformat(), ""
    if zone is not None and clock not in {None, time()}:
        exact = datetime.combine(stated.day, clock or time(), zone).replace(microsecond=0)
        if exact.astimezone(UTC) > now.astimezone(UTC) + TOLERANCE:
            return None
        local = exact.isoformat().replace("+00:00", "Z")
        iso = exact.astimezone(UTC).isoformat().replace("+00:00", "Z")
    unzoned = clock.replace(microsecond=0) if zone is None and clock not in {None, time()} and clock else None
    return FoundDate(iso, original, stated.calendar, stated.sure, local, unzoned)


def _possible(day: date, now: datetime) -> bool:
    return EARLIEST <= day <= (now.astimezone(UTC) + TOLERANCE).date()


def _whole(folded: str) -> tuple[StatedDate, time | None, timezone | None] | None:
    """Read a text of figures only: a compact ISO date, or seconds or milliseconds since 1970."""
    compact = _COMPACT.fullmatch(folded)
    if compact:
        year, month, day = int(compact[1]), int(compact[2]), int(compact[3])
        for calendar in calendars_of(year):
            if gregorian := to_gregorian(calendar, year, month, day):
                clock, zone = None, None
                if compact[4]:
                    with suppress(ValueError):
                        clock = time(int(compact[4]), int(compact[5]), int(compact[6] or 0))
                if compact[7]:
                    zone = UTC
                elif compact[8]:
                    zone = as_zone(compact[8], int(compact[9]), int(compact[10]))
                return StatedDate(gregorian, calendar, 0, 0, 0.9), clock, zone
    if counted := _week_or_ordinal(folded):
        return StatedDate(counted, GREGORIAN, 0, 0, 0.9 if "w" in folded else 0.7), None, None
    epoch = _EPOCH.fullmatch(folded)
    if epoch is None:
        return None
    moment = datetime.fromtimestamp(int(epoch[1]), UTC)
    return StatedDate(moment.date(), GREGORIAN, 0, 0, 0.9), moment.time(), UTC


def _week_or_ordinal(folded: str) -> date | None:
    """Return the day of an ISO 8601 week date (2024-W19-7) or ordinal date (2024-129), or None."""
    week, ordinal = _WEEK.fullmatch(folded), _ORDINAL.fullmatch(folded)
    with suppress(ValueError):
        if week:
            return date.fromisocalendar(*map(int, week.groups()))
        if ordinal and (day := date(int(ordinal[1]), 1, 1) + timedelta(days=int(ordinal[2]) - 1)).year == int(
            ordinal[1]
        ):
            return day
    return None


def _first(found: list[StatedDate]) -> StatedDate | None:
    """Return the first date of a text, or the same day in the Gregorian calendar, if that is also stated."""
    if not found:
        return None
    first = min(found, key=lambda stated: (stated.start, -stated.end))
    if first.calendar in {LUNAR, HEBREW}:
        same = [
            each
            for each in found
            if each.calendar == GREGORIAN and abs((each.day - first.day).days) <= _MAX_CALENDAR_DAYS
        ]
        return min(same, key=lambda stated: stated.start, default=first)
    span = max(abs((each.day - first.day).days) for each in found)
    return replace(first, sure=min(first.sure, _OF_SPAN)) if span > _YEAR else first


def _stated(folded: str, now: datetime, language: str) -> Iterator[StatedDate]:
    for pattern in _with_names():
        for match in pattern.finditer(folded):
            if stated := _named(match, now, language):
                yield stated
    for match in _IDEOGRAPHIC.finditer(folded):
        yield from _in_order(match, (int(match["year"]), int(match["month"]), int(match["day"])), now, 0.95)
    for match in _NUMERIC.finditer(folded):
        yield from _numeric(match, now, language)
    for day, start, end in hebrew_dates(folded):
        if _possible(day, now):
            yield StatedDate(day, HEBREW, start, end, 0.9)


@cache
def _with_names() -> tuple[re.Pattern[str], ...]:
    """Return patterns of day, month and year in four orders. A second name of the month may follow the first."""
    names = any_name()
    month = rf"(?P<name>{names})(?:\s?ماه|ی)?[.\u0970]?"
    other = rf"(?:\s*[/(\s-]\s*{names}\s?\)?)?"
    end = r"(?!\d|[:.]\d)"
    day = r"(?P<day>\d{1,2})\)?(?:\s?مه(?![^\W\d_])|" + _AFTER_DAY + ")" + end
    return (
        re.compile(_DAY + _AFTER_DAY + _LINK + month + other + _YEARS + r"'?(?P<year>\d{4}|\d{2})" + end),
        re.compile(
            month
            + r"(?:[\s.,(]*|-)"
            + day
            + rf"(?:[\s{COMMAS}/]+|-(?=\d))(?:{_CTIME}\s)?"
            + _YEARS
            + r"(?P<year>\d{4})(?!\d)"
        ),
        re.compile(
            r"(?<!\d)(?P<year>\d{4})\.?"
            + _YEARS
            + _LINK
            + month
            + other
            + rf"[\s.{COMMAS}(/-]*(?:د\s(?:میاشتی\s?\(?)?|මස\s?)?"
            + day
        ),
        # A year after the month belongs to it: "© 2026 21 November 2025".
        re.compile(r"(?<!\d)(?P<year>\d{4})\.?" + _YEARS + _DAY + r"[\s.-]*" + month + r"(?![^\d]{0,8}\d{4})"),
    )


def _named(match: re.Match[str], now: datetime, language: str) -> StatedDate | None:
    month, digits = month_of(match["name"], language), match["year"]
    if month is None or _ISSUE.search(match.string, max(0, match.start() - 9), match.start()):
        return None
    before = _DAYS_FROM.search(match.string, max(0, match.start() - 12), match.start())
    last_of_days = before is not None and 0 < int(before["from"]) < int(match["day"])
    most = _DISPUTED_CONFIDENCE if last_of_days or is_disputed(match["name"], language) else 1.0
    if month.calendar == BIKRAM and language.partition("-")[0] not in _COUNTING_BIKRAM:
        return None
    if _may_be_ethiopian(month, match, now, language):
        return None
    for calendar, year, sure in _years(month.calendar, int(digits), thai=month.thai, short=len(digits) == 2):
        day = to_gregorian(calendar, year, month.number, int(match["day"]))
        if day and _possible(day, now):
            return StatedDate(day, calendar, match.start(), match.end(), min(sure, most))
    return None


def _may_be_ethiopian(month: Month, match: re.Match[str], now: datetime, language: str) -> bool:
    """Return whether a date in Tigrinya may be Ethiopian, seven or eight years later. Eritrea has these names too."""
    if language.partition("-")[0] != "ti" or month.calendar != "gregorian" or match["name"].isascii():
        return False
    day = to_gregorian(ETHIOPIAN, int(match["year"]), (month.number - 9) % 12 + 1, int(match["day"]))
    return len(match["year"]) == 2 or (day is not None and _possible(day, now))


def _years(kind: str, year: int, *, thai: bool, short: bool) -> Iterator[tuple[str, int, float]]:
    """Yield the calendars and years that a year beside a month's name may mean, with the confidence."""
    if short:
        yield from _short_years(kind, year, thai=thai)
    elif kind == "solar" and 1300 <= year <= 1500:
        yield SOLAR, year, 0.95
    elif kind == "solar" and 2650 <= year <= 2800:
        yield SOLAR, year - KURDISH_AHEAD, 0.95
    elif kind == ETHIOPIAN and year >= EARLIEST.year - 8:
        yield ETHIOPIAN, year, 0.9
    elif kind == BIKRAM and year >= EARLIEST.year + 56:
        yield BIKRAM, year, 0.9
    elif kind == "lunar" and 1400 <= year <= 1500:
        yield LUNAR, year, 0.7
    elif kind == "gregorian" and year >= EARLIEST.year:
        yield (BUDDHIST if year > 2400 else GREGORIAN), year, 0.95


def _short_years(kind: str, year: int, *, thai: bool) -> Iterator[tuple[str, int, float]]:
    if thai:
        yield BUDDHIST, 2500 + year, 0.8
    if kind == "gregorian":
        yield GREGORIAN, 2000 + year, 0.6
    elif kind == "solar":
        yield from ((SOLAR, century + year, 0.6) for century in (1400, 1300))


def _in_order(
    match: re.Match[str], ymd: tuple[int, int, int], now: datetime, sure: float, language: str = ""
) -> Iterator[StatedDate]:
    calendars: Iterable[str] = calendars_of(ymd[0], language)
    if _ETHIOPIAN_ERA in match.string:
        calendars = (ETHIOPIAN,)
    elif set(calendars := tuple(calendars)) == {SOLAR, LUNAR}:
        # The last group of figures before an era is the year, or the day of a date that begins with the year.
        solar, lunar = (era.match(match.string, match.end()) for era in (_SOLAR_ERA, _LUNAR_ERA))
        calendars = (SOLAR,) if solar else (LUNAR,) if lunar or language.partition("-")[0] == "ar" else calendars
    for calendar in calendars:
        day = to_gregorian(calendar, *ymd)
        if day and _possible(day, now):
            yield StatedDate(day, calendar, match.start(), match.end(), min(sure, 0.7) if calendar == LUNAR else sure)
            return


def _numeric(match: re.Match[str], now: datetime, language: str) -> Iterator[StatedDate]:
    """Read three figures. Four digits are the year. The day precedes the month unless only the reverse is a date."""
    first, second, third = (int(match[name]) for name in ("first", "second", "third"))
    if len(match["first"]) == 4:
        yield from _in_order(match, (first, second, third), now, 0.95, language)
    elif len(match["third"]) == 4:
        if by_weekday := _by_weekday(match, first, second, third, language):
            yield from _in_order(match, by_weekday, now, 0.95, language)
            return
        if language in _MONTH_FIRST and first <= 12 and _NORTH_AMERICAN_TIME.match(match.string, match.end()):
            yield from _in_order(match, (third, first, second), now, 0.9, language)
            return
        american = _AMERICAN.match(match.string, match.start())
        sure = _order(first, second, match["mark"], "en" if american else language)
        if sure:
            yield from _in_order(match, (third, second, first), now, sure, language)
        if first <= 12 < second:
            yield from _in_order(match, (third, first, second), now, 0.9, language)
    elif match["mark"] == "." and _OF_AMOUNT.match(match.string, match.end()):
        return
    elif len(match["first"]) <= 2 == len(match["third"]) and language:
        yield from _short(match, (first, second, third), now, language)


def _by_weekday(match: re.Match[str], first: int, second: int, year: int, language: str) -> tuple[int, int, int] | None:
    """Return year, month and day of ambiguous figures if only one order falls on the day of the week beside them.

    Where the language has one order, only an English name counts: it is of a system that writes the American order.
    """
    weekdays = weekdays_beside(match.string, match.start(), match.end(), english=language not in _MONTH_FIRST)
    orders = ((year, second, first), (year, first, second)) if weekdays and first != second else ()
    days = [(order, to_gregorian(calendar, *order)) for calendar in calendars_of(year) for order in orders]
    fitting = [order for order, day in days if day and day.weekday() in weekdays]
    return fitting[0] if len(fitting) == 1 else None


def _order(first: int, second: int, mark: str, language: str) -> float:
    """Return the confidence that the day comes before the month. With points or dashes it does, except in America."""
    base = language.partition("-")[0]
    if base == _AMHARIC:
        return _DISPUTED_CONFIDENCE
    if first > 12 or first == second:
        return 0.95
    if base in _YEAR_ALWAYS_FIRST:
        return _DISPUTED_CONFIDENCE
    if mark == "/":
        return 0.0 if language in _MONTH_FIRST else 0.85
    return 0.0 if language in _EITHER_WAY else 0.9 if mark == "." and language else 0.8


def _short(match: re.Match[str], figures: tuple[int, int, int], now: datetime, language: str) -> Iterator[StatedDate]:
    first, second, third = figures
    base = language.partition("-")[0]
    if base in _YEAR_FIRST or base == "fa":
        years = (1400 + first, 1300 + first) if base == "fa" else (2000 + first,)
        found = [stated for year in years for stated in _in_order(match, (year, second, third), now, 0.6)]
        yield from found[:1]
    elif language not in _MONTH_FIRST or first > 12:
        years = (2500 + third, 2000 + third) if base == "th" else (2000 + third,)
        found = [stated for year in years for stated in _in_order(match, (year, second, first), now, 0.6)]
        yield from found[:1]
