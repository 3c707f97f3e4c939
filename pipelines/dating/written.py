"""Dates as newspapers write them, in any of their languages, scripts and calendars, to ISO 8601.

Only a date that is stated in full is believed: no missing day becomes the first of a month, no missing month January.
Where day and month cannot be told apart (05/06/2024) the language of the page decides, and where that is unknown, or
English, which is written both ways, nothing is said. A date from before the web, or from after the day the page was
fetched, is a mistake.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pipelines.dating.calendars import (
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
from pipelines.dating.clock import as_zone, read_clock
from pipelines.dating.hebrew import hebrew_dates
from pipelines.dating.months import Month, any_name, fold, is_disputed, month_of
from pipelines.dating.spelled import in_figures

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timezone

MAX_CHARS = 200
_EVER = datetime(9000, 1, 1, tzinfo=UTC)
_NEAR = 3
"""Days by which the same date in two calendars may differ (months that begin by sighting the moon)."""
_YEAR, _OF_SPAN = 366, 0.4
"""Days further apart are those of a life or a project; how sure it is then that the first is that of the page."""
_DISPUTED = 0.5
"""How sure it is at most that the name of two months means the first, or the last day of several (5–7 May 2024) the
day of publication.
"""
KURDISH_AHEAD = 1321
"""Years that the Kurdish calendar, with the months of the Solar Hijri, counts more."""
_MONTH_FIRST = frozenset({"", "en", "en-us", "fil", "tl", "fil-ph", "tl-ph", "es-us", "en-ph", "en-ca"})
# Where months of these names are Nepal's; a Hindi almanac counts other ones, by the moon.
_COUNTING_BIKRAM = frozenset({"", "und", "ne", "mai", "bho", "new"})
_ETHIOPIAN_ERA = "ዓ"
"""Begins the words "year of mercy", which stand behind years of no other calendar."""
_AMHARIC = "am"
"""Whose figures may be of either calendar, seven or eight years apart, where no era stands behind them."""
_EITHER_WAY = frozenset({"en", "en-us"})
_YEAR_FIRST = frozenset({"ja", "ko", "zh", "hu", "lt", "mn", "eu", "ne"})
_YEAR_ALWAYS_FIRST = frozenset({"ja", "ko"})
"""Where a year that comes last is none of the language's own ways, and day and month stand in either order."""

_LINK = (
    r"[\s,،٫؍၊、/|·.–-]*(?:(?:of|de|del|di|den|d|ng|ga(?:\s+watan)?"
    r"|ta'|ngày|ngay|من|مې|د|ی|کی)(?![^\W\d_])[\s.]*|d'|(?:ខែ|ເດືອນ|เดือน)\s*)?"
)
# What may stand there in two ways is named in one: a point behind it is a sign between, or it would take for ever.
_YEARS = (
    r"[\s,،٫၊፣、/|·.–-]*(?:(?:of|de|del|năm|nam|พ\.?ศ|ค\.?ศ|พุทธศักราช|คริสต์ศักราช|г|سنه|عام|سال|سن|لعام|لسنه|د|کال|של"
    r"|שנת|ឆ្នាំ|ປີ|ปี|ພ\.?ສ|ຄ\.?ສ|ခု(?:နှစ်)?|ماه|ام|թ|-?ж|р|оны|g(?=\.)|gada|m|\(?e?\)?ko"
    r"|წლის|წ(?=\.)|թվական(?:ի|ին)?|-?c[iuüı]\s+il|-?yil|йил|-?жыл(?:ғы|дың|дын)?|соли|рік|року|لمریز|ه\.?\s?ش|[زیمل](?![^\W\d_])|साल|ቀን|ییل|y?a(?=\s\d))[\s.,،၊፣]*)*"
)
_AFTER_DAY = (
    r"(?:st|nd|rd|th|er|re|ro|ste|[ºª°]|:?e(?!\w)|-?nj[iy](?!\w)|η(?!\w)|-?(?:е?го|ого|е|ое|ე|ші|шы|[ıiuü]?nc[ıiuü])(?!\w)|\s?ام(?!\w)|م|مه|می|ہ|日|일|\s?ရက်(?:နေ့)?|(?<=\d)ی|ס?ט(?:ן|ער?)|'?y?ê"
    r"|শে|[লর]া|ঠা|ই)?"
)
_DAY = r"(?<!\d)(?<!\d:)(?P<day>\d{1,2})"
# A number behind these is that of an issue: "Số 12, tháng 5/2024".
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
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:t?(\d{2})(\d{2})(\d{2})?(?:\.\d+)?(?:(z)|([+-])(\d{2}):?(\d{2}))?)?")
_EPOCH = re.compile(r"(?:/date\()?(\d{10})(?:\d{3})?(?:\.\d{1,6})?(?:[+-]\d{4})?(?:\)/)?")
# How .NET writes a moment in American English, on pages of any language: 5/6/2024 2:30:00 PM.
_AMERICAN = re.compile(r"[1-9]\d?/[1-9]\d?/\d{4} [1-9]\d?:\d\d:\d\d [ap]m")


class FoundDate(NamedTuple):
    """A date in ISO 8601, with its time in UTC where time and zone were stated, and how it was found."""

    iso: str
    original: str
    calendar: str
    confidence: float
    """0 to 1: how sure it is that this date was meant."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A date that a text states: Gregorian day, the calendar it was written in, where in the text, how sure."""

    day: date
    calendar: str
    start: int
    end: int
    sure: float


def read_date(text: str, now: datetime, language: str = "") -> FoundDate | None:
    """Read the first date of a text: ISO 8601, RFC 822, epoch seconds, figures, or written out in some 80 languages.

    ``language`` is that of the page (BCP 47, "" unknown); it matters for 05/06/2024 alone. Returns None where no date
    is stated in full, or only one before 1990 or after ``now``.
    """
    original = " ".join(text.split())[:MAX_CHARS]
    folded = fold(original)
    whole = _whole(folded)
    if whole:
        return _result(whole[0], original, now, whole[1:])
    folded = in_figures(folded, language.lower())
    stated = _first(list(_stated(folded, now, language.lower())))
    if stated is None:
        return None
    before, within, after = folded[: stated.start], folded[stated.start : stated.end], folded[stated.end :]
    rest = f"{before}  {_clock_within(within)}  {after.removeprefix('-')}"
    return _result(stated, original, now, read_clock(rest, stated.day))


def without_dates(text: str, language: str = "") -> tuple[str, list[date]]:
    """Return a text, folded, with spaces for the dates that it states in full, and their days, of whatever year."""
    folded = in_figures(fold(" ".join(text.split()))[:MAX_CHARS], language.lower())
    left, stated = list(folded), list(_stated(folded, _EVER, language.lower()))
    for each in stated:
        left[each.start : each.end] = " " * (each.end - each.start)
    return "".join(left), [each.day for each in stated]


def _result(
    stated: Stated, original: str, now: datetime, moment: tuple[time | None, timezone | None]
) -> FoundDate | None:
    if not _possible(stated.day, now):
        return None
    clock, zone = moment
    iso = stated.day.isoformat()
    if zone is not None and clock not in {None, time()}:
        exact = datetime.combine(stated.day, clock or time(), zone).astimezone(UTC)
        if exact > now.astimezone(UTC) + TOLERANCE:
            return None
        iso = exact.strftime("%Y-%m-%dT%H:%M:%SZ")
    return FoundDate(iso, original, stated.calendar, stated.sure)


def _clock_within(date_text: str) -> str:
    """Return the time that stands between day and year, as C's ``ctime`` writes it."""
    clock = _WITHIN.search(date_text)
    return clock[0] if clock else ""


def _possible(day: date, now: datetime) -> bool:
    return EARLIEST <= day <= (now.astimezone(UTC) + TOLERANCE).date()


def _whole(folded: str) -> tuple[Stated, time | None, timezone | None] | None:
    """Read a text that is nothing but figures: a compact ISO date, or seconds or milliseconds since 1970."""
    compact = _COMPACT.fullmatch(folded)
    if compact:
        year, month, day = int(compact[1]), int(compact[2]), int(compact[3])
        for calendar in calendars_of(year):
            if gregorian := to_gregorian(calendar, year, month, day):
                return Stated(gregorian, calendar, 0, 0, 0.9), _compact_time(compact), _compact_zone(compact)
    epoch = _EPOCH.fullmatch(folded)
    if epoch is None:
        return None
    moment = datetime.fromtimestamp(int(epoch[1]), UTC)
    return Stated(moment.date(), GREGORIAN, 0, 0, 0.9), moment.time(), UTC


def _compact_time(compact: re.Match[str]) -> time | None:
    try:
        return time(int(compact[4]), int(compact[5]), int(compact[6] or 0)) if compact[4] else None
    except ValueError:
        return None


def _compact_zone(compact: re.Match[str]) -> timezone | None:
    if compact[7]:
        return UTC
    return as_zone(compact[8], int(compact[9]), int(compact[10])) if compact[8] else None


def _first(found: list[Stated]) -> Stated | None:
    """Choose the first date of a text, exact where the same day also stands there in the Gregorian calendar."""
    if not found:
        return None
    first = min(found, key=lambda stated: (stated.start, -stated.end))
    if first.calendar in {LUNAR, HEBREW}:
        same = [each for each in found if each.calendar == GREGORIAN and abs((each.day - first.day).days) <= _NEAR]
        return min(same, key=lambda stated: stated.start, default=first)
    span = max(abs((each.day - first.day).days) for each in found)
    return replace(first, sure=min(first.sure, _OF_SPAN)) if span > _YEAR else first


def _stated(folded: str, now: datetime, language: str) -> Iterator[Stated]:
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
            yield Stated(day, HEBREW, start, end, 0.9)


@cache
def _with_names() -> tuple[re.Pattern[str], ...]:
    """Return patterns of day, month and year in four orders; a second name of the month may stand beside the first."""
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
            + rf"(?:[\s,،၊፣/]+|-(?=\d))(?:{_CTIME}\s)?"
            + _YEARS
            + r"(?P<year>\d{4})(?!\d)"
        ),
        re.compile(
            r"(?<!\d)(?P<year>\d{4})\.?"
            + _YEARS
            + _LINK
            + month
            + other
            + r"[\s.,،(/-]*(?:د\s(?:میاشتی\s?\(?)?|මස\s?)?"
            + day
        ),
        # A year behind the month is its own: "© 2026 21 November 2025".
        re.compile(r"(?<!\d)(?P<year>\d{4})\.?" + _YEARS + _DAY + r"[\s.-]*" + month + r"(?![^\d]{0,8}\d{4})"),
    )


def _named(match: re.Match[str], now: datetime, language: str) -> Stated | None:
    month, digits = month_of(match["name"], language), match["year"]
    if month is None or _ISSUE.search(match.string, max(0, match.start() - 9), match.start()):
        return None
    most = _DISPUTED if is_disputed(match["name"], language) or _is_last_of_days(match) else 1.0
    if month.calendar == BIKRAM and language.partition("-")[0] not in _COUNTING_BIKRAM:
        return None
    if _may_be_ethiopian(month, match, now, language):
        return None
    for calendar, year, sure in _years(month.calendar, int(digits), thai=month.thai, short=len(digits) == 2):
        day = to_gregorian(calendar, year, month.number, int(match["day"]))
        if day and _possible(day, now):
            return Stated(day, calendar, match.start(), match.end(), min(sure, most))
    return None


def _may_be_ethiopian(month: Month, match: re.Match[str], now: datetime, language: str) -> bool:
    """Return whether a date in Tigrinya may be one of Ethiopia, seven or eight years on: Eritrea names its months so."""
    if language.partition("-")[0] != "ti" or month.calendar != "gregorian" or match["name"].isascii():
        return False
    day = to_gregorian(ETHIOPIAN, int(match["year"]), (month.number - 9) % 12 + 1, int(match["day"]))
    return len(match["year"]) == 2 or (day is not None and _possible(day, now))


def _is_last_of_days(match: re.Match[str]) -> bool:
    before = _DAYS_FROM.search(match.string, max(0, match.start() - 12), match.start())
    return before is not None and 0 < int(before["from"]) < int(match["day"])


def _years(kind: str, year: int, *, thai: bool, short: bool) -> Iterator[tuple[str, int, float]]:
    """Yield calendar and year that a year next to a month's name may mean, and how sure that is."""
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
) -> Iterator[Stated]:
    for calendar in (ETHIOPIAN,) if _ETHIOPIAN_ERA in match.string else calendars_of(ymd[0], language):
        day = to_gregorian(calendar, *ymd)
        if day and _possible(day, now):
            yield Stated(day, calendar, match.start(), match.end(), min(sure, 0.7) if calendar == LUNAR else sure)
            return


def _numeric(match: re.Match[str], now: datetime, language: str) -> Iterator[Stated]:
    """Read three figures: the year is the one of four digits; day before month unless only the other way is a date."""
    first, second, third = (int(match[name]) for name in ("first", "second", "third"))
    if len(match["first"]) == 4:
        yield from _in_order(match, (first, second, third), now, 0.95, language)
    elif len(match["third"]) == 4:
        american = _AMERICAN.match(match.string, match.start())
        sure = _order(first, second, match["mark"], "en" if american else language)
        if sure:
            yield from _in_order(match, (third, second, first), now, sure)
        if first <= 12 < second:
            yield from _in_order(match, (third, first, second), now, 0.9)
    elif len(match["first"]) <= 2 == len(match["third"]) and language:
        yield from _short(match, (first, second, third), now, language)


def _order(first: int, second: int, mark: str, language: str) -> float:
    """Say how sure it is that the day comes before the month; with points or dashes it does but in America."""
    base = language.partition("-")[0]
    if base == _AMHARIC:
        return _DISPUTED
    if first > 12 or first == second:
        return 0.95
    if base in _YEAR_ALWAYS_FIRST:
        return _DISPUTED
    if mark == "/":
        return 0.0 if language in _MONTH_FIRST else 0.85
    return 0.0 if language in _EITHER_WAY else 0.9 if mark == "." and language else 0.8


def _short(match: re.Match[str], figures: tuple[int, int, int], now: datetime, language: str) -> Iterator[Stated]:
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
