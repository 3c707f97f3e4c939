"""Stop words of a language for word lists: those of the package stopwordsiso, and our own short list."""

from __future__ import annotations

from functools import cache

import regex

from pipelines.quality.signals import stop_words
from pipelines.text.word_forms import letters

_FULL_LETTER = regex.compile(r"[\p{Lu}\p{Ll}\p{Lt}\p{Lo}]")


@cache
def stop_words_of(language: str) -> frozenset[str]:
    """Return the stop words of a language in lower case; empty if no list is known.

    >>> "của" in stop_words_of("vi"), stop_words_of("xx")
    (True, frozenset())
    """
    own = frozenset(stop_words().get(language, ()))
    try:
        import stopwordsiso
    except ImportError:
        return own
    return own | {word.casefold() for word in stopwordsiso.stopwords(language)}


@cache
def stop_forms_of(language: str) -> frozenset[str]:
    """Return the forms of the stop words of a language that all their spellings share."""
    return frozenset(letters(word, language) for word in stop_words_of(language))


def is_wordlike(word: str) -> bool:
    """Return whether a word has a letter. Numbers and marks of repetition have none.

    >>> is_wordlike("2026"), is_wordlike("ๆ"), is_wordlike("g7")
    (False, False, True)
    """
    return _FULL_LETTER.search(word) is not None
