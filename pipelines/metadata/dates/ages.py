"""Ages that pages show instead of a date ("3 hours ago"), as lengths of time before the visit.

Minutes, hours, days and yesterday are read. Weeks and months are too coarse for a day. The words (ages.toml) are those
of newspapers in many languages.
"""

from __future__ import annotations

import re
import tomllib
from datetime import timedelta
from functools import cache
from itertools import chain
from pathlib import Path

from pipelines.metadata.dates.labels import PUBLISHED_OR_UPDATED
from pipelines.metadata.dates.months import fold

_TABLE = Path(__file__).with_name("ages.toml")
MAX_CHARS = 60
"""Characters. A longer text is no age."""
_MOST = timedelta(days=31)
_UNITS = {"minute": 60, "hour": 3600, "day": 86400}
"""Seconds of the units in ages.toml."""
_LABEL = r"(?:[^\W\d_]+\s?:\s?|[|•·-]\s*)?"
_CLOCK = r"(?:\s*[,،|-]?\s*(?:at |lúc |às |à |um |в |saat )?\d{1,2}[:.h]\d{2}(?:\s?(?:[ap]\.?m\.?|น\.?))?)?"
# A second number does not change the day: 2 hours 35 min ago.
_REST = r"(?:(?:\s?,|\s?و)?\s(?:(?:and|und|et|y|e|og|och)\s)?\d{1,2}\s?[^\W\d_]{1,12}\.?)?"


def age_of(text: str) -> timedelta | None:
    """Return the age that a text consists of, or None if it has other content.

    >>> age_of("3 giờ trước"), age_of("منذ ساعتين"), age_of("3 May")
    (datetime.timedelta(seconds=10800), datetime.timedelta(seconds=7200), None)
    """
    if len(text) > MAX_CHARS:
        return None
    folded = _label().sub("", " ".join(fold(text).split()))
    folded = _number_words().sub(lambda word: (word.lastgroup or "")[1:], folded)
    if _pattern_of_yesterday().fullmatch(folded):
        return timedelta(days=1)
    for unit, seconds in _UNITS.items():
        if found := _pattern(unit).fullmatch(folded):
            number = next((int(value) for name, value in found.groupdict().items() if value and name[0] == "n"), 0)
            age = timedelta(seconds=seconds * (number or (2 if found["two"] else 1)))
            return age if age <= _MOST else None
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
def _label() -> re.Pattern[str]:
    """Return the pattern of words before an age that do not change it."""
    return re.compile(rf"(?:{PUBLISHED_OR_UPDATED}[^\W\d_]{{0,8}}(?:\s?:)?\s)?(?:(?:{_words()['about']})\s)?(?=\S)")


@cache
def _number_words() -> re.Pattern[str]:
    words = _words()
    numbers = (rf"(?<![^\W_])(?P<n{number}>{words[str(number)]})(?![^\W_])" for number in range(2, 11))
    return re.compile("|".join(numbers))


@cache
def _pattern_of_yesterday() -> re.Pattern[str]:
    return re.compile(rf"{_LABEL}(?:{_words()['yesterday']}){_CLOCK}")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    words = _words()
    unit, ago, since = words[name], words["ago"], words["since"]
    one, two, alone = words[f"one_{name}"], words[f"two_{name}s"], words[f"{name}_ago"]
    # Khmer and Burmese write no space after "one".
    single = rf"(?:(?:{words['one']})\s|មួយ|တစ်)"
    return re.compile(
        rf"{_LABEL}(?:(?:د|for)\s|ከ\s?)?(?:(?:(?P<n1>\d{{1,3}})|{single})\s?(?:{unit}){_REST}\s?(?:{ago})"
        rf"|(?:{since})\s(?:(?P<n2>\d{{1,3}})|{single})\s?(?:{unit}){_REST}(?:\s?(?:{ago}))?"
        rf"|(?:{unit})\s(?P<n4>\d{{1,3}})\s?(?:කට\s)?(?:{ago})"
        rf"|(?:{since})\s(?:(?P<two>{two})(?:\s\(2\))?|{one})|(?:{one})\s(?:{ago})|(?P<n3>\d{{1,3}})\s?(?:{alone}))"
    )
