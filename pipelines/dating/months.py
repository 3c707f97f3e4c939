"""Names of months in the languages of newspapers (``months.toml``), folded so that spellings of one name agree.

The names of the Gregorian months differ between Arab countries (Levant, Egypt and the Gulf, Maghreb, Morocco), those of
the Solar Hijri year between Iran, Dari and Pashto; each language has its own abbreviations.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

_TABLE = Path(__file__).with_name("months.toml")
_MARKS = re.compile("[\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0640\u0621\u0674]")
_LETTERS = str.maketrans(
    dict.fromkeys("\u0623\u0625\u0622\u0671", "\u0627")
    | dict.fromkeys("\u0649\u064a\u06d0\u06cd\u06ce\u0626\u06d2", "\u06cc")
    | dict.fromkeys("\u0629\u06c0\u06d5\u06c1\u06be\u06c2\u06c3", "\u0647")
    | dict.fromkeys("\u0624\u06c6", "\u0648")
    | {"\u0643": "\u06a9", "\u06b5": "\u0644", "\u0695": "\u0631", "\u02bc": "'", "\u2019": "'", "\u05f3": "'"}
)
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


class Month(NamedTuple):
    """A month of a calendar: ``gregorian``, ``solar`` (Solar Hijri) or ``lunar`` (Islamic)."""

    calendar: str
    number: int
    thai: bool = False
    """True for Thai names, by which years of two digits are Buddhist."""


def fold(text: str) -> str:
    """Write decimal digits in ASCII, letters in one case and, in Arabic script, one form; drop marks nobody sees.

    >>> fold("\u0663\u0660 \u0622\u0628\u0627\u0646\u200c\u0645\u0627\u0647 \u0661\u0664\u0660\u0665")
    '30 \u0627\u0628\u0627\u0646\u0645\u0627\u0647 1405'
    """
    if text.isascii():
        return text.lower()
    seen = "".join(_shown(character) for character in unicodedata.normalize("NFKC", text.casefold()))
    return _MARKS.sub("", seen).translate(_LETTERS)


def _shown(character: str) -> str:
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    category = unicodedata.category(character)
    return "" if category == "Cf" else " " if category == "Zs" else character


@cache
def months() -> dict[str, Month]:
    """Return every month by its folded names."""
    found: dict[str, Month] = {}
    for calendar, languages in tomllib.loads(_TABLE.read_text(encoding="utf-8")).items():
        for language, names in languages.items():
            for number, spellings in enumerate(names, 1):
                for name in spellings.split("|"):
                    found.setdefault(fold(name), Month(calendar, number, language == "th"))
    return found


@cache
def any_name() -> str:
    """Return a regular expression for any name, the longest first; names of spaced scripts are whole words."""
    names = sorted(months(), key=lambda name: (-len(name), name))
    unspaced = [name for name in names if _UNSPACED.search(name)]
    spaced = [name for name in names if not _UNSPACED.search(name)]
    return f"(?:{_either(unspaced)}|(?<![^\\W\\d_])\u05d1?(?:{_either(spaced)}))"


def _either(names: list[str]) -> str:
    # "tháng 11" is not "tháng 1" followed by a day.
    return "|".join(re.escape(name) + (r"(?!\d)" if name[-1].isdigit() else "") for name in names)


def month_of(name: str) -> Month:
    """Return the month of a text that matched ``any_name``."""
    return months().get(name) or months()[name.removeprefix("\u05d1")]
