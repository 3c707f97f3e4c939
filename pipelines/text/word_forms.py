"""Search forms of a word: two words of a language with the same form are found together.

=========== ========================================================== =======================================
form        makes no difference                                        example
=========== ========================================================== =======================================
``letters`` case, vowel points, tatweel, digits, and the letters that  كَتَبَ كتب, إلى الى, ١٤٠٣ 1403, quý qúy,
            are equal in the language (`pipelines.text.equal_letters`) COVID‑19 COVID-19; in Urdu not ہ and ھ
``plain``   also the marks of Latin, Greek and Cyrillic letters, and   chính chinh, für fur, ё е, آب اب
            the madda
``broad``   also the letters that some other language takes as equal   Urdu ہ ھ, Turkish ı i
=========== ========================================================== =======================================

Marks of Thai, Lao, Khmer, Burmese and Indian scripts are vowels and tones without which no one writes. They stay.
Words of any language that are equal in ``letters`` or ``plain`` are equal in ``broad``: an index is looked up by it.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from pipelines.text import equal_letters
from pipelines.text.folds import fold
from pipelines.text.normalise import nfc
from storage.plain_letters import without_marks

if TYPE_CHECKING:
    from collections.abc import Mapping

_FOLDS = ("tatweel", "harakat", "digits")
_POINTS = ("niqqud",)
_MAX_CHARACTERS = 2**16
"""Characters that a table holds."""
_IN_WORDS = re.compile("[\u200b-\u200d\xad\u2060]")
_EZAFE = re.compile("(?<=ه)ی$")
"""Yeh behind a final heh. Only Persian takes it as ezafe, but the broad form is that of all languages."""
_AROUND = "'"


@lru_cache(maxsize=200_000)
def letters(word: str, language: str = "") -> str:
    """Return a word without case, points and the variants of a letter that its language does not distinguish.

    >>> letters("Chính"), letters("كِتابٌ"), letters("١٤٠٣"), letters("O‘zbek"), letters("بہار", "ur")
    ('chính', 'کتاب', '1403', "o'zbek", 'بهار')
    """
    small = equal_letters.small(word, language).casefold()
    if small.isascii():
        return small.strip(_AROUND)
    return _one_spelling(equal_letters.joined(small, language), language, _table(language))


@lru_cache(maxsize=200_000)
def plain(word: str, language: str = "") -> str:
    """Return `letters` of a word without the marks of Latin, Greek and Cyrillic letters.

    >>> plain("Chính"), plain("Đảng"), plain("für"), plain("กำลัง") == letters("กำลัง"), plain("мой")
    ('chinh', 'dang', 'fur', True, 'мой')
    """
    return _without_marks(letters(word, language))


@lru_cache(maxsize=200_000)
def broad(word: str) -> str:
    """Return the form in which a word is equal to all words that a question may mean by it in some language.

    >>> broad("بھار") == broad("بہار"), broad("ISI") == broad("ısı"), broad("Qúy")
    (True, True, 'quy')
    """
    small = word.casefold()
    if small.isascii():
        return small.strip(_AROUND)
    bare = _one_spelling(equal_letters.joined(small, ""), "", _broad_table())
    return _EZAFE.sub("", _without_marks(bare))


class _Letters(dict[int, str]):
    """Table for str.translate, filled on demand: a letter without points, or the one that is equal to it."""

    def __init__(self, equal: Mapping[int, str], *, with_points: bool) -> None:
        super().__init__()
        self._equal = equal
        self._folds = _FOLDS if with_points else (*_FOLDS, *_POINTS)

    def __missing__(self, code: int) -> str:
        letter = _IN_WORDS.sub("", fold(chr(code), self._folds, "he")).translate(self._equal)
        if len(self) < _MAX_CHARACTERS:
            self[code] = letter
        return letter


@cache
def _table(language: str) -> _Letters:
    # Yiddish distinguishes words by points.
    return _Letters(equal_letters.of_language(language), with_points=language == "yi")


@cache
def _broad_table() -> _Letters:
    return _Letters(equal_letters.broad(), with_points=False)


def _one_spelling(small: str, language: str, table: _Letters) -> str:
    translated = equal_letters.composed(small).translate(table)
    bare = nfc(translated)
    if bare != translated:
        # A letter and a mark have become one letter, which may have an equal.
        bare = nfc(bare.translate(table))
    bare = bare.strip(_AROUND)
    if language == "vi":
        bare = nfc(equal_letters.tones_last(bare))
    return equal_letters.signs_in_order(bare)


def _without_marks(word: str) -> str:
    return word if word.isascii() else without_marks(fold(word, _POINTS, "he"))
