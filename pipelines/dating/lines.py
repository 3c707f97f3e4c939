"""Whether a line of a text says when it was published, and by whom, and nothing else.

The day is known from elsewhere, so that a line of a chronicle, or one about some other day, is none.
"""

from __future__ import annotations

import re
from datetime import date

from pipelines.dating.labels import OTHER, label_before, without_labels
from pipelines.dating.written import without_dates

MAX_CHARS = 120
"""Characters of such a line, at most."""
_DIGITS = re.compile(r"\d(?:\D*\d){2}")
_FEW, _MANY = 12, 50
"""Letters that may be left when dates, labels and names are taken out ("by", a day of the week, a place), and those of
two dates besides."""
_APART = re.compile(r"\s[|/–—-]\s|[·•|]")
_FIGURES = re.compile(r"\d\s?[-/.]\s?\d")
_COUNT = re.compile(r"\D{0,20}\d{1,4}\D{0,20}")
"""A number of minutes to read, of readers or of comments."""
_LANGUAGES = ("vi", "en-us")
"""Of those that put the day before the month, and the other way round."""


def is_dateline(line: str, published: str, author: str | None) -> bool:
    """Return whether a line tells the day of publication, which is known, and else but who wrote the text.

    >>> is_dateline("By Ann Lee · 5 Nov 2024 · 3 min read", "2024-11-05T08:00:00Z", "Ann Lee")
    True
    >>> is_dateline("Prices of gold on 5 Nov 2024", "2024-11-05", "Ann Lee")
    False
    """
    if len(line) > MAX_CHARS or not _DIGITS.search(line):
        return False
    rest = line.casefold()
    for name in (author or "").casefold().split(","):
        rest = rest.replace(name.strip() or "\n", " ")
    if sum(map(str.isalpha, rest)) > _MANY or label_before(line) == OTHER:
        return False
    rest, day = without_labels(rest), date.fromisoformat(published[:10])
    return any(_is_all(rest, day, language) for language in _LANGUAGES[: 1 + (_FIGURES.search(rest) is not None)])


def _is_all(rest: str, day: date, language: str) -> bool:
    """Return whether a text states a day, give or take one for its zone, and next to nothing else."""
    left, days = without_dates(rest, language)
    if not any(abs((each - day).days) <= 1 for each in days):
        return False
    parts = (part for part in _APART.split(left) if not _COUNT.fullmatch(part.strip()))
    letters: int = sum(character.isalpha() for part in parts for character in part)
    return letters <= _FEW
