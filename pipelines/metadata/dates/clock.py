"""Read the time of day and the zone beside a date, in the words of many languages."""

from __future__ import annotations

import re
import tomllib
from datetime import date, time, timedelta, timezone
from pathlib import Path

from pipelines.metadata.dates.months import fold

# The time of day and the zone.
_CLOCK = re.compile(
    r"(?<![\d/-])(?<!\d[:.,])(?P<hour>\d{1,2})\s?(?:[:\u066b]|h|時|时|시\s?|giờ|g|:\s)\s?(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?(?!\d)(?!\s?:)(?:\s?(?:[分분]|phút))?"
)
_DOTTED = re.compile(
    r"(?:(?<=\s)|^)(?:เวลา|klo?|kello|alle|ore|kl\.|um)?\s*(?P<hour>\d{1,2})\.(?P<minute>\d{2})"
    r"(?P<second>(?!))?\s*(?:น|uhr|(?=(?:wi(?:b|ta?)|gmt|utc|ces?t)\b)|(?<=kl)\b)"
)
_CLOCK_FIGURES = re.compile(r"(?<!\d)\d{1,2}[:.]\d{2}(?![\d.])")
_TABLE = tomllib.loads(Path(__file__).with_name("times_of_day.toml").read_text(encoding="utf-8"))
_BEHIND, _BEFORE = (
    "|".join(f"(?P<{part}>{fold(''.join(words[place].splitlines()))})" for part, words in _TABLE["day_parts"].items())
    for place in ("behind", "before")
)
_PART_BEHIND, _PART_BEFORE = re.compile(rf"\s*(?:{_BEHIND})"), re.compile(rf"(?:{_BEFORE})\s*$")
_GREENWICH = "gmt|utc|غرینتش|جرینتش|گرینویچ"
_OFFSET = re.compile(
    rf"\s*[(\[]?(?:{_GREENWICH})?\]?\s?(?P<sign>[+\u2212-])(?P<hours>\d{{1,2}})(?::?(?P<minutes>\d{{2}}))?(?!\d)"
)
_NAMED_OFFSET = re.compile(
    rf"\b(?:{_GREENWICH})\]?\s?(?P<sign>[+\u2212-])\s?(?P<hours>\d{{1,2}})(?::?(?P<minutes>\d{{2}}))?(?!\d)"
)
_ZONE_SINCE = (
    dict.fromkeys(("به وقت تهران", "بهوقت تهران", "وقت تهران"), date(2022, 9, 22))
    | dict.fromkeys(("msk", "мск"), date(2014, 10, 26))
    | {"tsi": date(2016, 11, 6)}
)
"""First day of the present offset, for zones that had summer time or another offset before."""
_AFTER_HOURS = re.compile(r"^(?:uhr|น)\b[ .,(\[]*")
_ZONE_MINUTES = {
    fold(name): int(minutes)
    for minutes, names in _TABLE["zones"].items()
    for name in "".join(names.splitlines()).split("|")
}
_ZONE_NAMES = "|".join(re.escape(name) for name in sorted(_ZONE_MINUTES, key=len, reverse=True))
_NAMED_ZONE = re.compile(rf"(?<![^\W_])(?:{_ZONE_NAMES})(?![^\W\d_])")
_MAX_CHARS_BEFORE_ZONE = 25
"""Characters between minutes and their zone: a part of the day, brackets."""
# A necessary condition for a zone: its name close after a number, the name of one that counts anywhere, or a sign of an
# offset behind minutes. Or the text is in figures for programs, and ends in a zone or counts seconds since 1970.
_MAY_HAVE_ZONE = re.compile(
    rf"\d\D{{0,{_MAX_CHARS_BEFORE_ZONE}}}?(?:{_ZONE_NAMES})(?![^\W\d_])"
    rf"|(?:{_GREENWICH}|{'|'.join(name for name in _ZONE_NAMES.split('|') if not name.isascii())})"
    rf"|\d{{2}}\D{{0,{_MAX_CHARS_BEFORE_ZONE}}}?[+\u2212]\d|[:\u066b.hg時时시ờ]\s?\d{{2,9}}\D{{0,{_MAX_CHARS_BEFORE_ZONE}}}?-\d"
    r"|\d{10}"
)


def read_clock(folded: str, day: date) -> tuple[time | None, timezone | None]:
    """Return time of day and zone of a folded text from which its date, ``day``, is removed. None if not stated."""
    match = _CLOCK.search(folded) or _DOTTED.search(folded)
    if match is None:
        return None, None
    after = folded[match.end() :]
    half = _PART_BEHIND.match(after)
    part = half or _PART_BEFORE.search(folded[: match.start()])
    return _time(match, (part and part.lastgroup) or ""), _zone(folded, after[half.end() if half else 0 :], day)


def may_state_zone(text: str) -> bool:
    """Return False if `read_clock` finds no zone in a text, wherever its date is.

    >>> may_state_zone("5 May 2024, 10:30"), may_state_zone("5 May 2024, 10:30 (GMT+7)")
    (False, True)
    """
    return _MAY_HAVE_ZONE.search(fold(text)) is not None


def without_clock(folded: str) -> str:
    """Return a folded text without its time of day, the part of the day and the zone beside it."""
    match = _CLOCK.search(folded) or _DOTTED.search(folded) or _CLOCK_FIGURES.search(folded)
    if match is None:
        return folded
    before, after = folded[: match.start()].rstrip(" -"), folded[match.end() :]
    before = _PART_BEFORE.sub("", before)
    after = _PART_BEHIND.sub("", after, count=1) if _PART_BEHIND.match(after) else after
    return f"{before} {_NAMED_ZONE.sub('', _OFFSET.sub('', _AFTER_HOURS.sub('', after.lstrip(' .,([')), count=1))}"


def _time(match: re.Match[str], part: str) -> time | None:
    """Return the time of day. Nights go past midnight, and one o'clock at noon is 13:00."""
    hour = int(match["hour"])
    if part and hour <= 12:
        late = {"evening": True, "noon": hour < 6 or hour == 12, "night": 6 <= hour < 12}.get(part, False)
        hour = hour % 12 + 12 * late
    try:
        return time(hour, int(match["minute"]), min(int(match["second"] or 0), 59))
    except ValueError:
        return None


def _zone(folded: str, after: str, day: date) -> timezone | None:
    """Return the zone: an offset next to the time, else one after GMT or UTC anywhere, else the name of a zone.

    Short names are words in other languages (French est, Polish z), so they count only after the time.
    """
    offset = _OFFSET.match(after) or _NAMED_OFFSET.search(folded)
    if offset:
        return as_zone(offset["sign"], int(offset["hours"]), int(offset["minutes"] or 0))
    behind = _NAMED_ZONE.match(_AFTER_HOURS.sub("", after.lstrip(" .,([")))
    plain = (name for name in _NAMED_ZONE.finditer(folded) if not name[0].isascii() or name[0] in {"gmt", "utc"})
    named = behind or next(plain, None)
    if named is None or day < _ZONE_SINCE.get(named[0], day):
        return None
    return timezone(timedelta(minutes=_ZONE_MINUTES[named[0]]))


def as_zone(sign: str, hours: int, minutes: int) -> timezone | None:
    """Return the zone of an offset from UTC, or None if it is a day or more."""
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(offset if sign == "+" else -offset) if offset < timedelta(hours=24) else None
