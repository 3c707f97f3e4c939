"""The time of day and the zone in a line that states a date, as newspapers of many languages write them."""

from __future__ import annotations

import re
from datetime import time, timedelta, timezone

from pipelines.dating.months import fold

_CLOCK = re.compile(
    r"(?<![\d/-])(?<!\d[:.,])(?P<hour>\d{1,2})\s?(?:[:\u066b]|h|時|时|시\s?|g|:\s)\s?(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?(?!\d)(?!\s?:)"
)
_DOTTED = re.compile(
    r"(?:(?<=\s)|^)(?:เวลา|klo?|kello|alle|ore|kl\.|um)?\s*(?P<hour>\d{1,2})\.(?P<minute>\d{2})"
    r"(?P<second>(?!))?\s*(?:น|uhr|wib|(?<=kl)\b)"
)
_SPOKEN = (
    r"[ap]\.?\s?m\b|صباحا?|مساء?ا?|ظهرا"
    r"|ق\.?\s?ظ|ب\.?\s?ظ|[صم](?![^\W\d_])|sa\b|ch\b|sáng|chiều|tối"
)
_HALF = re.compile(rf"\s*(?P<half>{_SPOKEN})")
_AFTERNOON = re.compile("p|م|ب|ch|tối")
_OFFSET = re.compile(r"\s*\(?(?:gmt|utc)?\s?(?P<sign>[+\u2212-])(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?(?!\d)")
_NAMED_OFFSET = re.compile(r"\b(?:gmt|utc)\s?(?P<sign>[+\u2212-])\s?(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?(?!\d)")
_ZONES = {
    0: ("z", "utc", "gmt", "ut", "غرينتش", "جرينتش", "گرینویچ", "ت.غ"),
    60: ("cet", "wat"),
    120: ("cest", "eet", "sast"),
    180: ("eest", "msk", "мск", "مكة", "توقيت السعودية", "ksa", "بتوقيت السعودية", "بتوقيت مكة"),
    210: ("به وقت تهران", "وقت تهران"),
    270: ("به وقت کابل",),
    300: ("pkt",),
    420: ("ict", "wib"),
    480: ("sgt", "hkt", "wita", "myt"),
    540: ("jst", "kst"),
    -240: ("edt",),
    -300: ("est",),
    -420: ("pdt",),
    -480: ("pst",),
}
_NAMES = {fold(name): minutes for minutes, names in _ZONES.items() for name in names}
_NAMED = re.compile(
    r"(?<![^\W_])(?:" + "|".join(re.escape(name) for name in sorted(_NAMES, key=len, reverse=True)) + r")(?![^\W\d_])"
)


def read_clock(folded: str) -> tuple[time | None, timezone | None]:
    """Return time of day and zone of a folded text that has its date taken out; None where they are not stated."""
    match = _CLOCK.search(folded) or _DOTTED.search(folded)
    if match is None:
        return None, None
    after = folded[match.end() :]
    half = _HALF.match(after)
    clock = _time(match, half["half"] if half else "")
    return clock, _zone(folded, after[half.end() if half else 0 :])


def _time(match: re.Match[str], half: str) -> time | None:
    hour = int(match["hour"])
    if half and hour <= 12:
        noon = half.startswith("ظ")
        hour = hour % 12 + (12 if _AFTERNOON.match(half) or (noon and hour < 6) or (noon and hour == 12) else 0)
    try:
        return time(hour, int(match["minute"]), min(int(match["second"] or 0), 59))
    except ValueError:
        return None


def _zone(folded: str, after: str) -> timezone | None:
    """Read an offset next to the time, else one after GMT or UTC anywhere, else the name of a zone."""
    offset = _OFFSET.match(after) or _NAMED_OFFSET.search(folded)
    if offset:
        return as_zone(offset["sign"], int(offset["hours"]), int(offset["minutes"] or 0))
    named = _NAMED.match(after.lstrip(" (")) or _NAMED.search(folded)
    return timezone(timedelta(minutes=_NAMES[named[0]])) if named else None


def as_zone(sign: str, hours: int, minutes: int) -> timezone | None:
    """Return the zone of an offset from UTC; None beyond a day."""
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(offset if sign == "+" else -offset) if offset < timedelta(hours=24) else None
