"""Ages that pages show instead of a date ("3 hours ago"), as lengths of time before the visit.

Seconds to months, just now, today and yesterday are read. The day of an age in weeks or months is only near, and has
little confidence. The words (ages.toml) are those of newspapers in many languages.
"""

from __future__ import annotations

import re
import tomllib
from datetime import timedelta
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipelines.metadata.dates.clock import without_clock
from pipelines.metadata.dates.figures import han_number
from pipelines.metadata.dates.labels import PUBLISHED_OR_UPDATED
from pipelines.metadata.dates.months import fold, is_letter, is_unspaced
from pipelines.text.punctuation import COMMAS

if TYPE_CHECKING:
    from collections.abc import Iterator

_TABLE = Path(__file__).with_name("ages.toml")
MAX_CHARS = 60
"""Characters. A longer text is no age."""
_LONGEST = {"week": timedelta(weeks=8), "month": timedelta(days=365)}
_LONGEST_IN_DAYS = timedelta(days=31)
"""Longest age in weeks, in months and in smaller units. A longer one is that of something else."""
_SMALL_UNIT_CONFIDENCE, _LARGE_UNIT_CONFIDENCES = 0.9, {"week": 0.5, "month": 0.3}
"""Probability that an age leads to the right day: in smaller units, in weeks and in months."""
_LABELS, _DIGIT = re.compile(PUBLISHED_OR_UPDATED), re.compile(r"\d")
_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400, "month": 2_629_746}
"""Seconds of the units in ages.toml."""
_LABEL = r"(?:[^\W\d_]+\s?:\s?|[|•·-]\s*)?"
_MAX_CHARS_BEFORE, _MAX_CHARS_BEHIND = 20, 25
"""Characters before a label ("تم النشر"), and between a label and its age ("منتشر شده در")."""
_WHOLE_HOUR = re.compile(r"(?<!\d)\d{1,2}\s?(?:h|hs|uhr|giờ|час(?:а|ов)?|годин[иі]?|시|點|点|時)(?![^\W_])")
"""A time of day without minutes: hier à 10h."""
_HALF_HOUR = timedelta(minutes=30)
_HAN_BEFORE_UNIT = re.compile(r"(?<![^\W\d_])[一二两兩三四五六七八九十]{1,3}(?=\s?[个個秒分小時时天日周週星礼禮])")
_MARKS = f" .:：|•·–—-()[]@{COMMAS}"
"""Signs around an age and the time of day beside it."""
# A second number does not change the day: 2 hours 35 min ago.
_REST = r"(?:(?:\s?,|\s?و)?\s(?:(?:and|und|et|y|e|og|och)\s)?\d{1,2}\s?[^\W\d_]{1,12}\.?)?"


class Age(NamedTuple):
    """An age, and the probability (0-1) that it leads to the right day."""

    length: timedelta
    sure: float


def age_of(text: str) -> timedelta | None:
    """Return the length of the age that a text consists of, or None; see `read_age`."""
    age = read_age(text)
    return age.length if age else None


def read_age(text: str) -> Age | None:
    """Return the age that a text consists of, or None if it has other content.

    A label may precede or follow it ("Published 3 hours ago"). A time of day may be beside "today" and "yesterday".

    >>> read_age("3 giờ trước").length, read_age("منذ ساعتين").length, read_age("3 May")
    (datetime.timedelta(seconds=10800), datetime.timedelta(seconds=7200), None)
    >>> read_age("3 weeks ago")
    Age(length=datetime.timedelta(days=21), sure=0.5)
    """
    return _read_age(text) if len(text) <= MAX_CHARS else None


@lru_cache(maxsize=256)
def _read_age(text: str) -> Age | None:
    """Read a short text as an age. Elements in one another have one text."""
    folded = " ".join(fold(text).split())
    age = _age(folded)
    if age is not None:
        return age
    labelled = (_age(part, labelled=True) for part in _labelled(folded))
    return next((age for age in labelled if age is not None), None)


def _labelled(folded: str) -> Iterator[str]:
    """Yield the parts of a text that may be the age beside its label: all after it, and all before it.

    A few words may be between the two: "Posted on", "منتشر شده در", "เผยแพร่เมื่อ".
    """
    label = _LABELS.search(folded)
    if label is None:
        return
    end = label.end()
    if label.start() <= _MAX_CHARS_BEFORE and not _DIGIT.search(folded[: label.start()]):
        for start in range(end, min(end + _MAX_CHARS_BEHIND, len(folded))):
            if _DIGIT.search(folded[end:start]):
                break
            if not (is_letter(folded[start - 1]) and is_letter(folded[start])) or is_unspaced(folded[start]):
                yield folded[start:].lstrip(_MARKS)
    before = folded[: label.start()].rstrip(_MARKS)
    yield before
    yield before.rpartition(" ")[0].rstrip(_MARKS)


def _age(folded: str, *, labelled: bool = False) -> Age | None:
    """Return the age that a folded text without a label consists of. Today needs a label or a time of day."""
    folded = _HAN_BEFORE_UNIT.sub(lambda found: str(han_number(found[0])), _about().sub("", folded))
    folded = _number_words().sub(lambda word: (word.lastgroup or "")[1:], folded)
    if _just_now().fullmatch(folded.rstrip(_MARKS)):
        return Age(timedelta(), _SMALL_UNIT_CONFIDENCE)
    if _half_hour().fullmatch(folded.rstrip(_MARKS)):
        return Age(_HALF_HOUR, _SMALL_UNIT_CONFIDENCE)
    for days, pattern in enumerate(_days()):
        if (day := pattern.search(folded)) and (days or labelled or _DIGIT.search(folded)):
            beside = f"{folded[: day.start()]} {folded[day.end() :]}"
            if not _beside_clock().sub("", _WHOLE_HOUR.sub("", without_clock(beside))).strip(_MARKS):
                return Age(timedelta(days=days), _SMALL_UNIT_CONFIDENCE)
    for unit, seconds in _UNITS.items():
        if found := _pattern(unit).fullmatch(folded):
            number = next((int(value) for name, value in found.groupdict().items() if value and name[0] == "n"), 0)
            age = timedelta(seconds=seconds * (number or (2 if found["two"] else 1)))
            return (
                Age(age, _LARGE_UNIT_CONFIDENCES.get(unit, _SMALL_UNIT_CONFIDENCE))
                if age <= _LONGEST.get(unit, _LONGEST_IN_DAYS)
                else None
            )
    return None


def is_of_visit(text: str) -> bool:
    """Return whether a text with a full date calls it today: newspapers show the day of the visit so.

    >>> is_of_visit("Today, 22 November 2026"), is_of_visit("22 November 2026")
    (True, False)
    """
    return _today().match(fold(text).lstrip()) is not None


@cache
def _today() -> re.Pattern[str]:
    return re.compile(rf"(?:{_words()['today']})(?![^\W\d_])")


@cache
def _words() -> dict[str, str]:
    """Return, by the name of a table, an expression for any of its words."""
    tables = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return {name: "|".join(map(fold, chain.from_iterable(words.values()))) for name, words in tables.items()}


@cache
def _about() -> re.Pattern[str]:
    """Return the pattern of words before an age that do not change it."""
    return re.compile(rf"^(?:{_words()['about']})\s(?=\S)")


@cache
def _just_now() -> re.Pattern[str]:
    return re.compile(rf"{_LABEL}(?:{_words()['now']})")


@cache
def _half_hour() -> re.Pattern[str]:
    return re.compile(rf"{_LABEL}(?:{_words()['half_hour']})")


@cache
def _days() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of the words for today, yesterday and the day before."""
    names = ("today", "yesterday", "before_yesterday")
    return tuple(re.compile(rf"(?<![^\W\d_])(?:{_words()[name]})(?![^\W\d_])") for name in names)


@cache
def _beside_clock() -> re.Pattern[str]:
    """Return the pattern of words beside the time of day."""
    return re.compile(rf"(?<![^\W\d_])(?:{_words()['at']})(?![^\W\d_])")


@cache
def _number_words() -> re.Pattern[str]:
    words = _words()
    numbers = (rf"(?<![^\W_])(?P<n{number}>{words[str(number)]})(?![^\W_]|\s\d)" for number in range(2, 11))
    return re.compile("|".join(numbers))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    words = _words()
    unit, ago, since = words[name], words["ago"], words["since"]
    one, two, alone = words[f"one_{name}"], words[f"two_{name}s"], words[f"{name}_ago"]
    # Khmer, Burmese and Thai write no space after "one".
    single = rf"(?:(?:{words['one']})\s|មួយ|တစ်)"
    return re.compile(
        rf"{_LABEL}(?:(?:د|for)\s|ከ\s?)?(?:(?:(?P<n1>\d{{1,3}})|{single})\s?(?:{unit}){_REST}\s?(?:{ago})"
        rf"|(?:{since})\s(?:(?P<n2>\d{{1,3}})|{single})\s?(?:{unit}){_REST}(?:\s?(?:{ago}))?"
        rf"|(?:{unit})\s(?P<n4>\d{{1,3}})\s?(?:කට\s)?(?:{ago})"
        rf"|(?:{since})\s(?:(?P<two>{two})(?:\s\(2\))?|{one})|(?:{one})\s(?:{ago})|(?P<n3>\d{{1,3}})\s?(?:{alone}))"
    )
