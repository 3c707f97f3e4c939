"""A vote on the language of a short text in Latin or Cyrillic script: CLD2, langdetect and stop words.

Under some 200 letters CLD2 calls much of Spanish, Italian or Portuguese English, for want of evidence. The other voters
are wrong elsewhere: langdetect (Nakatani, 2010) knows 55 languages only, stop words say little of three words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from pipelines.language.stop_words import stop_words

if TYPE_CHECKING:
    from collections.abc import Callable

_SHORT = 250
"""Characters below which a text is put to the vote."""
_WORD = regex.compile(r"[\p{Latin}\p{Cyrillic}][\p{L}\p{M}]*")
# What a vote adds to the share of the words that are stop words of the language; CLD2's counts twice where it is sure.
_VOTE = 0.1
_ELECTED = 0.6
"""Confidence in a language that the vote has put in the place of the likeliest."""
# Long lists have a word of every text.
_WORD_OF_A_LIST = 2e-5


def is_due(text: str) -> bool:
    """Return whether a text is short, and its first letters are Latin or Cyrillic."""
    return len(text) < _SHORT and _WORD.search(text) is not None


def elect(text: str, guess: tuple[str, float], sure: str, other: Callable[[str], str]) -> tuple[str, float]:
    """Return the language for which the most votes speak, and a confidence.

    Args:
        text: clean text.
        guess: what CLD2 thinks likeliest, and its confidence.
        sure: what CLD2 is sure of, ``un`` for nothing.
        other: tells what langdetect thinks; not always asked.
    """
    code, confidence = guess if guess[0] != "un" else (sure, _ELECTED)
    code = {"nb": "no"}.get(code, code)
    if sure != "un" and code not in stop_words():
        return code, confidence
    words = _WORD.findall(text.lower())
    if not words:
        return guess
    second = other(text)
    shares = {language: _share(words, known) for language, known in stop_words().items()}
    third = max(shares, key=lambda language: shares[language])
    votes = {language: shares.get(language, 0.0) for language in (code, second, third)}
    votes[code] += _VOTE if sure == "un" else 2 * _VOTE
    votes[second] += _VOTE
    elected = max(votes, key=lambda language: votes[language])
    return (elected, confidence) if elected == code else (elected, _ELECTED)


def _share(words: list[str], known: frozenset[str]) -> float:
    return sum(word in known for word in words) / len(words) - _WORD_OF_A_LIST * len(known)
