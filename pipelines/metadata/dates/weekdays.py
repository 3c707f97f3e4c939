"""Names of the days of the week beside a date. They decide whether 07/12/2023 is in July or in December.

The words (weekdays.toml) are those of newspapers in many languages.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from pipelines.metadata.dates.months import fold
from pipelines.text.punctuation import COMMAS

_TABLE = Path(__file__).with_name("weekdays.toml")
_MAX_NAME = 20
"""Characters before and after a date among which the name of its day is searched."""


def weekdays_beside(folded: str, start: int, end: int, *, english: bool = False) -> frozenset[int]:
    """Return the days of the week that may be named directly beside a date, at ``start`` to ``end`` of a folded text.

    Monday is 0. A short name may mean other days in other languages. ``english`` accepts only English names.

    >>> weekdays_beside("wed, 07/12/2023 - 10:00", 5, 15)
    frozenset({2})
    """
    before, after = _names()
    found = before.search(folded[max(0, start - _MAX_NAME) : start]) or after.match(folded[end : end + _MAX_NAME])
    return _days(english=english).get(found["name"], frozenset()) if found else frozenset()


def is_weekday(folded: str) -> bool:
    """Return whether a folded word is the name of a day of the week in some language."""
    return folded in _days()


@cache
def _days(*, english: bool = False) -> dict[str, frozenset[int]]:
    """Return the days of each folded name, of all languages or of English."""
    days: dict[str, frozenset[int]] = {}
    table: dict[str, list[str]] = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    for names in [table["english"]] if english else table.values():
        for day, alike in enumerate(names):
            for name in map(fold, alike.split("|")):
                days[name] = days.get(name, frozenset()) | {day}
    return days


@cache
def _names() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a name at the end of the text before a date, and at the start of that after it."""
    names = "|".join(map(re.escape, sorted(_days(), key=len, reverse=True)))
    name = rf"(?<![^\W\d_])(?P<name>{names})(?![^\W\d_])"
    return re.compile(name + rf"[\s.{COMMAS}/(|-]*(?:(?:ngày|ngay|le|den|el|dia|ที่|día)[\s.]*)?$"), re.compile(
        rf"[\s{COMMAS}(|-]*" + name
    )
