"""Search forms of a word: two words with the same form are found together.

=========== ================================================= ==============================================
form        makes no difference                               example
=========== ================================================= ==============================================
``letters`` case, vowel points, tatweel, forms of one letter  كَتَبَ كتب, أحمد احمد, كتاب کتاب, ١٤٠٣ 1403, hoà hòa
``plain``   also the marks of Latin, Greek, Cyrillic letters  chính chinh, für fur, ё е
=========== ================================================= ==============================================

Marks of Thai, Lao, Khmer, Burmese and Indian scripts are vowels and tones without which no one writes. They stay.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from pipelines.text.folds import fold

_ALIKE = str.maketrans(
    {
        sign: one
        for one, signs in {"ا": "آأإٱ", "ه": "ةۀۂہھەۃ", "ک": "ك", "ی": "يىئ", "و": "ؤ"}.items()
        for sign in signs
    }
)
_FOLDS = ("tatweel", "harakat", "presentation", "digits", "zwnj", "quotes")
_POINTS = ("niqqud",)
_TONES = ("tone",)
_STROKES = str.maketrans("đðħłøŧ", "ddhlot")
_EUROPEAN_MARK = re.compile("[\u0300-\u036f]")
_IN_WORDS = re.compile("[\u200b-\u200d\xad\u2060]")


@lru_cache(maxsize=200_000)
def letters(word: str) -> str:
    """Return a word without case, points and variants of one letter.

    >>> letters("Chính"), letters("كِتابٌ"), letters("Hoà"), letters("١٤٠٣")
    ('chính', 'کتاب', 'hòa', '1403')
    """
    small = word.casefold()
    if small.isascii():
        return small
    small = _IN_WORDS.sub("", fold(fold(fold(small, _FOLDS, ""), _POINTS, "he"), _TONES, "vi"))
    return small.translate(_ALIKE)


@lru_cache(maxsize=200_000)
def plain(word: str) -> str:
    """Return `letters` of a word without the marks of Latin, Greek and Cyrillic letters.

    >>> plain("Chính"), plain("Đảng"), plain("für"), plain("กำลัง")
    ('chinh', 'dang', 'fur', 'กำลัง')
    """
    small = letters(word)
    if small.isascii():
        return small
    return unicodedata.normalize("NFC", _EUROPEAN_MARK.sub("", unicodedata.normalize("NFD", small))).translate(_STROKES)
