"""Letters without the marks that may be left out when a word is typed."""

from __future__ import annotations

import re
import unicodedata

_STROKES = str.maketrans({"đ": "d", "ð": "d", "ɖ": "d", "ħ": "h", "ł": "l", "ø": "o", "ŧ": "t", "ı": "i", "ə": "e"})
_STROKES |= {ord("æ"): "ae", ord("آ"): "ا"}
_EUROPEAN_MARK = re.compile("(?<!и)[\u0300-\u036f]|(?<=и)[\u0300-\u0305\u0307-\u036f]")
"""Marks that may be left out. The breve of й makes another letter."""


def without_marks(word: str) -> str:
    """Return a word in small letters without the marks of Latin, Greek and Cyrillic letters, and without the madda.

    >>> without_marks("chính"), without_marks("đảng"), without_marks("für"), without_marks("мой")
    ('chinh', 'dang', 'fur', 'мой')
    """
    if word.isascii():
        return word
    bare = _EUROPEAN_MARK.sub("", unicodedata.normalize("NFD", word.translate(_STROKES)))
    return unicodedata.normalize("NFC", bare).translate(_STROKES)
