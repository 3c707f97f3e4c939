"""Syllables of Vietnamese: words are one syllable each, and of letters there are few that can follow one another."""

from __future__ import annotations

import unicodedata

import regex

# A syllable of Vietnamese with the marks taken off: an initial, and a rhyme.
_SYLLABLE = regex.compile(
    r"(?:ngh?|nh|gh|gi|kh|ph|th|tr|ch|qu|[bcdghklmnprstvx])?"
    r"(?:a(?:ch?|i|m|ng?|nh|o|p|t|u|y)?|e(?:ch?|m|ng?|nh|o|p|t|u)?|i(?:a|ch|e[cmptu]|eng?|m|nh?|p|t|u)?"
    r"|o(?:a(?:ch?|i|m|ng?|nh|o|t|y)?|c|e[not]?|i|m|ng?|p|t)?"
    r"|u(?:a(?:ng?|t|y)?|ch?|e(?:ch|nh)?|i|m|ng?|o(?:[cimptu]|ng?)|p|t|u|y(?:a|en|et|nh|t|u)?)?|y(?:e[mtu]|eng?)?)"
)
_PLAIN = str.maketrans("đĐ", "dD")


def is_syllable(word: str) -> bool:
    """Tell whether a word, with the marks taken off, can be a syllable of Vietnamese.

    >>> is_syllable("nghiêng"), is_syllable("thuong"), is_syllable("strong")
    (True, True, False)
    """
    if not word.isascii():
        word = "".join(each for each in unicodedata.normalize("NFD", word) if not unicodedata.combining(each))
    return _SYLLABLE.fullmatch(word.translate(_PLAIN).lower()) is not None
