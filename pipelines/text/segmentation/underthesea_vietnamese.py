"""Adapter of underthesea: compounds of Vietnamese by a conditional random field."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def load() -> Callable[[str], list[str]]:
    """Return the segmenter. A compound has a space between its syllables. ImportError without the library."""
    from underthesea.pipeline.word_tokenize import word_tokenize

    # Normalised tokens would have other letters than the text.
    return lambda line: placed(line, word_tokenize(line, use_token_normalize=False))


def placed(line: str, words: Iterable[str]) -> list[str]:
    """Return the stretches of a line that words stand for, each with the white space before it.

    ValueError if the words have other characters than the line.

    >>> placed("Chính  phủ họp. ", ["Chính phủ", "họp", "."])
    ['Chính  phủ', ' họp', '.', ' ']
    """
    parts = []
    at = 0
    for word in words:
        end = at
        for character in "".join(word.split()):
            while line[end : end + 1].isspace():
                end += 1
            if line[end : end + 1] != character:
                raise ValueError(word)
            end += 1
        parts.append(line[at:end])
        at = end
    return [*parts, line[at:]] if at < len(line) else parts
