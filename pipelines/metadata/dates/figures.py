"""Read dates that are not in figures: turn them into figures, and years of emperors and republics into years.

- Chinese numerals (二〇二四年十一月五日);
- eras of Japan (令和6年 and R6 are 2024) and years of the Republic of China (民國113年);
- the American order that some systems keep in Chinese, Japanese and Korean (11月 5, 2024);
- days of the month in Persian, Urdu and Arabic words;
- the ways to count months in Mongolian (11 дүгээр сарын) and Uyghur (11-ئاينىڭ 21-كۈنى).

Days of the Hebrew calendar, which Israeli newspapers print in letters, are found as they stand.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pipelines.metadata.dates.calendars import HEBREW, is_hebrew_leap, to_gregorian
from pipelines.metadata.dates.months import any_of, months

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

# Dates that are not in figures.
_HAN = {
    numeral: value
    for value, numerals in enumerate(("〇○零", "一", "二两兩", *"三四五六七八九"))
    for numeral in numerals
}
_HAN_NUMBER = re.compile(r"[〇○零一二三四五六七八九十百]{1,6}(?=\s?[年月日號号])")
HEBREW_YEAR = "תש[א-ת]?(?:[\"״׳\u201d]|'')[א-ת]"
"""A Hebrew year, which has no digits."""
WITHOUT_FIGURES = rf"{_HAN_NUMBER.pattern}|元年|{HEBREW_YEAR}"
"""A part of each date that may have no figures."""
_ERAS = {"令和": 2018, "平成": 1988, "民国": 1911, "民國": 1911}
"""The year before the first of each era."""
_ERA = re.compile(r"(令和|平成|民[国國])\s?(\d{1,3}|元)\s?年")
_BARE_REPUBLIC = re.compile(r"(?<!\d)(8\d|9\d|1[0-4]\d)\s?年(?=\s?\d{1,2}\s?月)")
# A year of three digits before month and day: 115/11/18.
_REPUBLIC_IN_FIGURES = re.compile(
    r"(?<!\d)(?<!\d[-/.])(1[0-4]\d)([-/.])(?=(?:0?[1-9]|1[0-2])\2(?:0?[1-9]|[12]\d|3[01])(?!\d|[-/.]\d))"
)
_EAST_ASIAN = re.compile(r"[年月월]|令和|平成|民[国國]|주체|(?<![^\W_])[rh]\d{1,2}[-./]\d")
_SAME_YEAR = re.compile(r"(\d{4})年\s?\(\1年?\)")
# A year in both ways: 2024(令和6)年, 令和6年(2024年), 주체113(2024)년.
_BOTH = re.compile(r"(\d{4})年?\s?\((?:令和|平成|昭和)\s?(?:\d{1,2}|元)年?\)\s?年?(?=\s?\d)")
_BOTH_ERA_FIRST = re.compile(
    r"(?:令和|平成|昭和|民[国國]|주체)\s?(?:\d{1,3}|元)年?\s?\((\d{4})年?\)\s?([年년.]|(?=\d))"
)
_TAIWAN = ("zh-tw", "zh-hant")
# With points, dashes or slashes: 民國113/11/5, 令和6.11.5, and, in Japan, R6.11.5.
_ERA_IN_FIGURES = re.compile(r"(令和|平成|民[国國])\s?(\d{1,3})\s?([-./])(?=\s?\d{1,2}\s?\3\s?\d)")
_LETTERED = re.compile(r"(?<![^\W_])([rh])(\d{1,2})([-./])(?=\d{1,2}\3\d{1,2}(?!\d))")
_LETTERS = {"r": "令和", "h": "平成"}
# A number with a letter after it is one of yen or people: 5月3日 2000円.
_YEAR_LAST = re.compile(
    r"(?<![\d/.:年년-])(?<![年년]\s)(?:(?P<day>\d{1,2})\s)?(?P<month>\d{1,2})\s?[月월]"
    r"(?(day)|\s?(?P<behind>\d{1,2})[日일]?)\s?,?\s?(?P<year>\d{4})(?![^\W_]|[-/.]\d)"
)
_UYGHUR = re.compile(r"(?<!\d)(\d{4})\s?-?\s?ییلی\s?(\d{1,2})\s?-?\s?(?:یاینیڭ|یای)\s?(\d{1,2})(?!\d)")
_ONES = ("یکم", "دوم", "سوم", "چهارم", "پنجم", "ششم", "هفتم", "هشتم", "نهم")
_TEENS = ("دهم", "یازدهم", "دوازدهم", "سیزدهم", "چهاردهم", "پانزدهم", "شانزدهم", "هفدهم", "هجدهم", "نوزدهم")
_TWENTIES = ("بیستم", *(f"بیست و {one}" for one in _ONES), "سی ام", "سی و یکم")
_FIRSTS = ("اول", "غره")
_ORDINALS = {name.replace(" ", ""): day for day, name in enumerate((*_ONES, *_TEENS, *_TWENTIES), 1)}
_ORDINALS |= dict.fromkeys(_FIRSTS, 1)
_ORDINAL_ENDS = re.compile("(?:م|اول|غره)\\s")
_ARABIC = re.compile("[\u0600-\u06ff]")
_MONGOLIAN = re.compile(r"(?<!\d)0?([1-9]|1[0-2])\s?-?(?:р|дүгээр|дугаар)?\s?сар(?:ын)?(?![^\W\d_])")


def in_figures(folded: str, language: str) -> str:
    """Return a folded text with its spelled dates in figures. ``language`` is that of the page.

    >>> in_figures("平成31年4月30日", "ja"), in_figures("二〇二四年十一月五日", "zh")
    ('2019年4月30日', '2024年11月5日')
    """
    if language == "zh" or language.startswith(_TAIWAN):
        folded = _REPUBLIC_IN_FIGURES.sub(lambda found: f"{1911 + int(found[1])}{found[2]}", folded)
    if _EAST_ASIAN.search(folded):
        return _east_asian(folded, language)
    if "сар" in folded:
        return _MONGOLIAN.sub(r"\1-р сарын", folded)
    if "ییلی" in folded:
        return _UYGHUR.sub(r"\1-\2-\3", folded)
    if _ORDINAL_ENDS.search(folded):
        return _day_in_words().sub(lambda found: f"{_ORDINALS[found[1].replace(' ', '')]} ", folded)
    return folded


def _east_asian(folded: str, language: str) -> str:
    folded = _HAN_NUMBER.sub(lambda found: str(han_number(found[0])), folded)
    folded = _BOTH.sub(r"\1年", folded)
    folded = _BOTH_ERA_FIRST.sub(lambda found: found[1] + (found[2] or "年"), folded)
    folded = _ERA.sub(lambda found: f"{_ERAS[found[1]] + (1 if found[2] == '元' else int(found[2]))}年", folded)
    if language.startswith("ja"):
        folded = _LETTERED.sub(lambda found: f"{_LETTERS[found[1]]}{found[2]}{found[3]}", folded)
    folded = _ERA_IN_FIGURES.sub(lambda found: f"{_ERAS[found[1]] + int(found[2])}{found[3]}", folded)
    if language.startswith(_TAIWAN):
        folded = _BARE_REPUBLIC.sub(lambda found: f"{1911 + int(found[1])}年", folded)
    folded = _YEAR_LAST.sub(
        lambda found: f"{found['year']}年{found['month']}月{found['day'] or found['behind']}日 ", folded
    )
    return _SAME_YEAR.sub(r"\1年", folded)


def han_number(numerals: str) -> int:
    """Return the number that Chinese numerals state, below a thousand or digit by digit.

    >>> han_number("二十三"), han_number("二〇二四"), han_number("一百一十三")
    (23, 2024, 113)
    """
    if "十" not in numerals and "百" not in numerals:
        return int("".join(str(_HAN[each]) for each in numerals))
    hundreds, hundred, below = numerals.rpartition("百")
    tens, ten, ones = below.rpartition("十")
    found = 100 * _HAN.get(hundreds[-1:], 1) if hundred else 0
    return found + (10 * _HAN.get(tens[-1:], 1) if ten else 0) + _HAN.get(ones[:1], 0)


@cache
def _day_in_words() -> re.Pattern[str]:
    """Return the pattern of a day in words before the name of a month. Its words may be written together."""
    arabic = sorted(name for name in months() if _ARABIC.match(name))
    ordinals = sorted((*_ONES, *_TEENS, *_TWENTIES, *_FIRSTS), key=len, reverse=True)
    words = "|".join(ordinals).replace(" ", r"\s?")
    return re.compile(rf"(?<![^\W_])({words})\s+(?={any_of(arabic)}(?:\s?ماه)?(?![^\W_]))")


# Days of the Hebrew calendar, with numbers in letters (י"ד בחשוון תשפ"ה).
_HEBREW_VALUES = dict(
    zip(
        "אבגדהוזחטיכלמנסעפצקרשת",
        (*range(1, 10), *range(10, 100, 10), 100, 200, 300, 400),
        strict=True,
    )
) | {"ך": 20, "ם": 40, "ן": 50, "ף": 80, "ץ": 90}
# Months of a leap year. A common year has one Adar, the seventh.
_HEBREW_MONTHS = (
    ("תשרי",),
    ("חשוון", "חשון", "מרחשוון", "מרחשון"),
    ("כסלו", "כסליו"),
    ("טבת",),
    ("שבט",),
    ("אדר א'", "אדר א"),
    ("אדר ב'", "אדר ב", "אדר"),
    ("ניסן",),
    ("אייר", "איר"),
    ("סיוון", "סיון"),
    ("תמוז",),
    ("אב", "מנחם אב"),
    ("אלול",),
)
_HEBREW_NUMBERS = {name: number for number, names in enumerate(_HEBREW_MONTHS, 1) for name in names}
_HEBREW_NAMES = "|".join(map(re.escape, sorted(_HEBREW_NUMBERS, key=len, reverse=True)))
_HEBREW_MARK = "(?:\"|''?)"
_HEBREW_DATE = re.compile(
    rf"(?<![^\W_])(?<![^\W_][\"'])(?P<day>[יכ]{_HEBREW_MARK}?[א-ט]|ט{_HEBREW_MARK}?[וז]|[א-יכל]{_HEBREW_MARK}?)\s+[בל]?(?P<month>{_HEBREW_NAMES}),?\s+"
    rf"(?:ה{_HEBREW_MARK}?)?(?P<year>תש[א-צםןףץךק]?{_HEBREW_MARK}[א-צםןףץך])(?![^\W_])"
)


class HebrewDate(NamedTuple):
    """A day that a text states in the Hebrew calendar, and its place."""

    day: date
    start: int
    end: int


def hebrew_dates(folded: str) -> Iterator[HebrewDate]:
    """Yield the days of the Hebrew calendar that a folded text states in full."""
    for match in _HEBREW_DATE.finditer(folded):
        year, day = (sum(_HEBREW_VALUES.get(letter, 0) for letter in match[name]) for name in ("year", "day"))
        year += 5000
        if match["month"] == "אדר" and is_hebrew_leap(year):
            continue  # Two months have that name.
        found = to_gregorian(HEBREW, year, _HEBREW_NUMBERS[match["month"]], day)
        if found:
            yield HebrewDate(found, match.start(), match.end())
