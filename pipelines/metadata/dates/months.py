"""Month names in the languages of newspapers (``months.toml``), folded so that spellings of one name agree.

Gregorian month names differ between Arab countries (Levant, Egypt and the Gulf, Maghreb, Morocco), and Solar Hijri ones
between Iran, Dari and Pashto. Each language has its own abbreviations.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pipelines.text.scripts import is_spaced

_TABLE = Path(__file__).with_name("months.toml")
_MARKS = re.compile("[\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0640\u0621\u0674]")
_LETTERS = str.maketrans(
    dict.fromkeys("\u0623\u0625\u0622\u0671", "\u0627")
    | dict.fromkeys("\u0649\u064a\u06d0\u06cd\u06ce\u0626\u06d2", "\u06cc")
    | dict.fromkeys("\u0629\u06c0\u06d5\u06c1\u06be\u06c2\u06c3", "\u0647")
    | dict.fromkeys("\u0624\u06c6", "\u0648")
    | {
        "\u0131": "i",
        "\u05f4": '"',
        "\u201d": '"',
        "\u201c": '"',
        "\u0643": "\u06a9",
        "\u06b5": "\u0644",
        "\u0695": "\u0631",
        "\u02bc": "'",
        "\u2019": "'",
        "\u2010": "-",
        "\u05f3": "'",
    }
    # Chillus of Malayalam, which old fonts write in two letters.
    | dict(zip("\u0d7a\u0d7b\u0d7c\u0d7d\u0d7e", (f"{letter}\u0d4d" for letter in "ണനരലള"), strict=True))
)
_ACCENTED = re.compile("[\u0386-\u03ce\u1f00-\u1fff]|i\u0307")
_ACCENTS, _DOT = re.compile("(?<=[\u0370-\u03ff])[\u0300\u0301\u0308]+"), re.compile("i\u0307")
_ARABIC = re.compile("[\u0600-\u06ff]")


_Calendars = dict[str, dict[str, list[str]]]
_NAMED_AS = {"nb": "da", "nn": "da", "no": "da", "bs": "sr", "fil": "tl", "kmr": "ku"}
"""Language -> language that has its names in months.toml."""


class Month(NamedTuple):
    """A month of a calendar: ``gregorian``, ``solar`` (Hijri), ``lunar``, ``ethiopian`` or ``bikram-sambat``."""

    calendar: str
    number: int
    thai: bool = False
    """True for Thai names. Their years of two digits are Buddhist."""


def fold(text: str) -> str:
    """Write digits in ASCII, letters in lower case and, in Arabic script, in one form, and drop invisible marks.

    >>> fold("\u0663\u0660 \u0622\u0628\u0627\u0646\u200c\u0645\u0627\u0647 \u0661\u0664\u0660\u0665")
    '30 \u0627\u0628\u0627\u0646\u0645\u0627\u0647 1405'
    """
    if text.isascii():
        return text.lower()
    seen = []
    for character in unicodedata.normalize("NFKC", text.casefold()):
        if character.isdecimal():
            seen.append(str(unicodedata.decimal(character)))
        elif (category := unicodedata.category(character)) != "Cf":
            seen.append(" " if category == "Zs" else character)
    folded = _MARKS.sub("", "".join(seen)).translate(_LETTERS)
    if _ACCENTED.search(folded) is None:
        return folded
    # Capitals have no accents in Greek, and bring a dot in Turkish (\u0130).
    return unicodedata.normalize("NFC", _DOT.sub("i", _ACCENTS.sub("", unicodedata.normalize("NFD", folded))))


def is_letter(character: str) -> bool:
    """Return whether a character is a letter, or a mark on one, as in Thai and Hindi."""
    return unicodedata.category(character)[0] in "LM"


def is_unspaced(character: str) -> bool:
    """Return whether a character is of a script that writes words without spaces between them."""
    return not is_spaced(character)


@cache
def months() -> dict[str, Month]:
    """Return, by folded name, the months that are read on every page."""
    found: dict[str, Month] = {}
    for named in _by_language(_stated()[0]).values():
        found = named | found
    return found


@cache
def _own() -> dict[str, dict[str, Month]]:
    """Return, by language, the months with these names on its pages, including those read only there."""
    everywhere, own = (_by_language(calendars) for calendars in _stated())
    return {language: own.get(language, {}) | everywhere.get(language, {}) for language in own | everywhere}


@cache
def _stated() -> tuple[_Calendars, _Calendars]:
    stated = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return stated, stated.pop("own")


def _by_language(calendars: _Calendars) -> dict[str, dict[str, Month]]:
    found: dict[str, dict[str, Month]] = {}
    for calendar, languages in calendars.items():
        for language, names in languages.items():
            named = found.setdefault(language, {})
            for number, spellings in enumerate(names, 1):
                for name in filter(None, spellings.split("|")):
                    month = Month(calendar, number, language == "th")
                    named.setdefault(fold(name), month)
                    if " " in name and _ARABIC.match(name):
                        # A zero-width non-joiner may replace the space. `fold` drops it.
                        named.setdefault(fold(name).replace(" ", ""), month)
    return found


@cache
def _disputed() -> frozenset[str]:
    """Return the names that mean different months in different languages."""
    meant: dict[str, set[tuple[str, int]]] = {}
    for named in _own().values():
        for name, month in named.items():
            meant.setdefault(name, set()).add(month[:2])
    return frozenset(name for name, found in meant.items() if len(found) > 1)


@cache
def _names() -> frozenset[str]:
    return frozenset(name for named in _own().values() for name in named)


def is_name(word: str) -> bool:
    """Return whether a folded word is the name of a month in some language."""
    return word in _names()


@cache
def any_name() -> str:
    """Return an expression for any name, longest first. Names of scripts with spaces must be whole words."""
    names = sorted(_names())
    unspaced = [_letters(name) for name in names if not is_spaced(name)]
    spaced = [_letters(name) for name in names if is_spaced(name)]
    return f"(?:{_any_of(unspaced)}|(?<![^\\W\\d_])[\u05d1\u05dc]?{_any_of(spaced)})"


def any_of(names: list[str]) -> str:
    """Return an expression for any of some folded names, longest first."""
    return _any_of([_letters(name) for name in names])


def _letters(name: str) -> list[str]:
    # "tháng 11" is not "tháng 1" and a day. "11-р" is not a day and "1-р".
    before, behind = ["(?<!\\d)"] * name[0].isdigit(), ["(?!\\d)"] * name[-1].isdigit()
    return [*before, *map(re.escape, name), *behind]


def _any_of(words: list[list[str]]) -> str:
    """Return an expression that branches letter by letter, because ``re`` tries a flat list at every position."""
    following: dict[str, list[list[str]]] = {}
    for word in words:
        if word:
            following.setdefault(word[0], []).append(word[1:])
    branches = [first + _any_of(rest) for first, rest in following.items()]
    is_whole = [] in words
    if len(branches) == 1 and not is_whole:
        # A group for each letter doubles the time to compile the expression.
        return branches[0]
    return f"(?:{'|'.join(branches)})" + "?" * is_whole if branches else ""


def month_of(name: str, language: str = "") -> Month | None:
    """Return the month of a text that matched ``any_name``, or None if only other languages have the name.

    ``language`` is that of the page (BCP 47, "" unknown).
    """
    own = _own().get(_base(language), {})
    return own.get(name) or months().get(name) or own.get(name[1:]) or months().get(name[1:])


def is_disputed(name: str, language: str = "") -> bool:
    """Return whether a name means two months and none in the page's language: listopad is October or November."""
    return name in _disputed() and name not in _own().get(_base(language), {})


def _base(language: str) -> str:
    base = language.partition("-")[0]
    return _NAMED_AS.get(base, base)
