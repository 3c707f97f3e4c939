"""Vote on the language of a short text in Latin or Cyrillic script: CLD2, langdetect and stop words.

Below some 200 letters CLD2 has little evidence, and calls much Spanish, Italian and Portuguese English. The other
voters fail elsewhere: langdetect (Nakatani, 2010) knows 55 languages only, and three words contain few stop words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from pipelines.language.words import stop_words

if TYPE_CHECKING:
    from collections.abc import Callable

_SHORT = 250
"""Characters. A shorter text is put to the vote."""
_WORD = regex.compile(r"[\p{Latin}\p{Cyrillic}][\p{L}\p{M}]*")
# Added to the share of stop words for each vote. CLD2's vote counts twice if it is sure.
_VOTE = 0.1
_ELECTED = 0.6
"""Confidence in a language that the vote chose against CLD2."""
_WORD_OF_A_LIST = 2e-5
"""Subtracted from the share of stop words for each word of the list: long lists have a word in every text."""


def is_due(text: str) -> bool:
    """Return whether a text is short, and its first letters are Latin or Cyrillic."""
    return len(text) < _SHORT and _WORD.search(text) is not None


def elect(text: str, guess: tuple[str, float], sure: str, other: Callable[[str], str]) -> tuple[str, float]:
    """Return the language with the most votes, and a confidence.

    Args:
        text: clean text.
        guess: the language that CLD2 thinks likeliest, and its confidence.
        sure: the language that CLD2 is sure of, or ``un``.
        other: returns langdetect's guess. It is not always called.
    """
    code, confidence = guess if guess[0] != "un" else (sure, _ELECTED)
    code = {"nb": "no"}.get(code, code)
    if sure != "un" and code not in stop_words():
        return code, confidence
    words = _WORD.findall(text.lower())
    if not words:
        return guess
    second = other(text)
    shares = {
        language: sum(word in known for word in words) / len(words) - _WORD_OF_A_LIST * len(known)
        for language, known in stop_words().items()
    }
    third = max(shares, key=lambda language: shares[language])
    votes = {language: shares.get(language, 0.0) for language in (code, second, third)}
    votes[code] += _VOTE if sure == "un" else 2 * _VOTE
    votes[second] += _VOTE
    elected = max(votes, key=lambda language: votes[language])
    return (elected, confidence) if elected == code else (elected, _ELECTED)
