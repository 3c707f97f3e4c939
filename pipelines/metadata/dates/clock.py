"""Read the time of day and the zone in a line with a date, as newspapers of many languages write them."""

from __future__ import annotations

import re
from datetime import date, time, timedelta, timezone

from pipelines.metadata.dates.months import fold

_CLOCK = re.compile(
    r"(?<![\d/-])(?<!\d[:.,])(?P<hour>\d{1,2})\s?(?:[:\u066b]|h|時|时|시\s?|giờ|g|:\s)\s?(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?(?!\d)(?!\s?:)(?:\s?(?:[分분]|phút))?"
)
_DOTTED = re.compile(
    r"(?:(?<=\s)|^)(?:เวลา|klo?|kello|alle|ore|kl\.|um)?\s*(?P<hour>\d{1,2})\.(?P<minute>\d{2})"
    r"(?P<second>(?!))?\s*(?:น|uhr|(?=(?:wi(?:b|ta?)|gmt|utc|ces?t)\b)|(?<=kl)\b)"
)
_FIGURES = re.compile(r"(?<!\d)\d{1,2}[:.]\d{2}(?![\d.])")
# Parts of the day, as words after a time of the twelve-hour clock, and before it.
_PARTS = {
    "morning": (
        (
            r"""a\.?\s?m\b|صباحا?|ص\b|صبح|بامداد|قبل\s?از\s?ظهر|ق\.?\s?ظ|غ\.\s?م|پ\.\s?ن|ب\.\s?ن|چ\.\s?ب|לפנה"צ|בבוקר"""
            r"|π\.?\s?μ|sa\b|sáng|öö\b|pg\b|pagi|p\.d\.|ap\.|dop\.|bn\b|gh\b|priešpiet|priekšp|дп\b|претпл|ү\.ө|тң\b"
            r"|පෙ\.?\s?ව|ກ່ອນທ່ຽງ|ጥዋት|ከጠዋቱ|ቅ\.ቀ|पूर्वाह्न|পূর্বাহ্ন|পূৰ্বাহ্ন|முற்பகல்|காலை|ព្រឹក|დილის"
        ),
        r"上午|凌晨|早上|午前|오전|सुबह|সকাল|ভোর|পূৰ্বাহ্ন|காலை|පෙ\.ව\.?|နံနက်|ព្រឹក|öö",
    ),
    "noon": (r"ظهرا?|دوپہر|trưa|tgh\b|tengah hari", "中午|दोपहर|দুপুর|மதியம்|နေ့လယ်"),
    "evening": (
        (
            r"""p\.?\s?m\b|مساء?ا?|م\b|عصر|شام|بعد\s?از\s?ظهر|ب\.?\s?ظ|غ\.\s?و|د\.\s?ن|چ\.\s?ک|אחה"צ|בערב"""
            r"|μ\.?\s?μ|ch\b|chiều|ös\b|ptg\b|petang|m\.d\.|ip\.|odp\.|pop\.|pn\b|gd\b|popiet|pēcp|пп\b|попл|ү\.х|тк\b"
            r"|ප\.?\s?ව|ຫຼັງທ່ຽງ|ከሰዓት|ድ\.ቀ|अपराह्न|অপরাহ্ন|অপৰাহ্ন|பிற்பகல்|மாலை|ល្ងាច|រសៀល|საღამოს"
        ),
        r"下午|傍晚|午後|오후|शाम|বিকাল|বিকেল|সন্ধ্যা|অপৰাহ্ন|பிற்பகல்|மாலை|ප\.ව\.?|ညနေ|ល្ងាច|រសៀល|ös",
    ),
    "night": ("شب|رات|tối|đêm|malam", "晚上|रात|রাত|இரவு|ည"),
}
_BEHIND, _BEFORE = ("|".join(f"(?P<{part}>{fold(words[place])})" for part, words in _PARTS.items()) for place in (0, 1))
_HALF, _HALF_BEFORE = re.compile(rf"\s*(?:{_BEHIND})"), re.compile(rf"(?:{_BEFORE})\s*$")
_GREENWICH = "gmt|utc|غرینتش|جرینتش|گرینویچ"
_OFFSET = re.compile(
    rf"\s*[(\[]?(?:{_GREENWICH})?\]?\s?(?P<sign>[+\u2212-])(?P<hours>\d{{1,2}})(?::?(?P<minutes>\d{{2}}))?(?!\d)"
)
_NAMED_OFFSET = re.compile(
    rf"\b(?:{_GREENWICH})\]?\s?(?P<sign>[+\u2212-])\s?(?P<hours>\d{{1,2}})(?::?(?P<minutes>\d{{2}}))?(?!\d)"
)
_ZONES = {
    0: ("z", "utc", "gmt", "ut", "غرينتش", "جرينتش", "گرینویچ", "ت.غ", "ت غ"),
    60: ("cet", "mez", "wat", "بتوقيت الجزائر"),
    120: ("cest", "mesz", "eet", "sast"),
    180: (
        "eest",
        "msk",
        "мск",
        "مكة",
        "توقيت السعودية",
        "ksa",
        "بتوقيت السعودية",
        "بتوقيت مكة",
        "بتوقيت الرياض",
        "بتوقيت بغداد",
        "بتوقيت الكويت",
        "بتوقيت الدوحة",
        "بتوقيت صنعاء",
        "tsi",
    ),
    210: ("به وقت تهران", "به\u200cوقت تهران", "وقت تهران"),
    240: ("بتوقيت أبوظبي", "بتوقيت الإمارات", "بتوقيت دبي", "بتوقيت مسقط"),
    270: ("به وقت کابل", "به\u200cوقت کابل"),
    300: ("pkt",),
    345: ("npt",),
    390: ("mmt",),
    420: ("ict", "wib", "giờ việt nam", "giờ hà nội", "giờ vn"),
    480: ("sgt", "hkt", "wita", "myt", "pht", "北京时间", "北京時間", "香港時間", "台北時間", "台灣時間"),
    540: ("jst", "kst", "wit", "日本時間", "한국시간"),
    600: ("aest",),
    660: ("aedt",),
    720: ("nzst",),
    780: ("nzdt",),
    -240: ("edt",),
    -300: ("est", "cdt"),
    -360: ("mdt",),
    -420: ("pdt", "mst"),
    -480: ("pst",),
}
_SINCE = (
    dict.fromkeys(("به وقت تهران", "بهوقت تهران", "وقت تهران"), date(2022, 9, 22))
    | dict.fromkeys(("msk", "мск"), date(2014, 10, 26))
    | {"tsi": date(2016, 11, 6)}
)
"""First day of the present offset, for zones that had summer time or another offset before."""
_HOURS = re.compile(r"^(?:uhr|น)\b[ .,(\[]*")
_NAMES = {fold(name): minutes for minutes, names in _ZONES.items() for name in names}
_NAMED = re.compile(
    r"(?<![^\W_])(?:" + "|".join(re.escape(name) for name in sorted(_NAMES, key=len, reverse=True)) + r")(?![^\W\d_])"
)


def read_clock(folded: str, day: date) -> tuple[time | None, timezone | None]:
    """Return time of day and zone of a folded text from which its date, ``day``, is removed. None if not stated."""
    match = _CLOCK.search(folded) or _DOTTED.search(folded)
    if match is None:
        return None, None
    after = folded[match.end() :]
    half = _HALF.match(after)
    part = half or _HALF_BEFORE.search(folded[: match.start()])
    return _time(match, (part and part.lastgroup) or ""), _zone(folded, after[half.end() if half else 0 :], day)


def without_clock(folded: str) -> str:
    """Return a folded text without its time of day, the part of the day and the zone beside it."""
    match = _CLOCK.search(folded) or _DOTTED.search(folded) or _FIGURES.search(folded)
    if match is None:
        return folded
    before, after = folded[: match.start()].rstrip(" -"), folded[match.end() :]
    before, after = _HALF_BEFORE.sub("", before), _HALF.sub("", after, count=1) if _HALF.match(after) else after
    return f"{before} {_NAMED.sub('', _OFFSET.sub('', _HOURS.sub('', after.lstrip(' .,([')), count=1))}"


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
    behind = _NAMED.match(_HOURS.sub("", after.lstrip(" .,([")))
    plain = (name for name in _NAMED.finditer(folded) if not name[0].isascii() or name[0] in {"gmt", "utc"})
    named = behind or next(plain, None)
    if named is None or day < _SINCE.get(named[0], day):
        return None
    return timezone(timedelta(minutes=_NAMES[named[0]]))


def as_zone(sign: str, hours: int, minutes: int) -> timezone | None:
    """Return the zone of an offset from UTC, or None if it is a day or more."""
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(offset if sign == "+" else -offset) if offset < timedelta(hours=24) else None
