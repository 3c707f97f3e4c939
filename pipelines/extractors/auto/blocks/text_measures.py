"""Measure texts in any script: characters by class, weight, sentences. All texts of a page are measured at once."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, fields
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.text.punctuation import CLOSING, COMMAS, REVERSED_QUOTES, SEMICOLONS
from pipelines.text.scripts import SPACED_ENDS, STRONG_ENDS, UNMARKED_RANGES, is_spaced, weights

if TYPE_CHECKING:
    from collections.abc import Sequence


Array = np.ndarray[Any, np.dtype[Any]]


# Measures of texts.
SPACE, LETTER, UPPER, DIGIT, END, COMMA, QUOTE, OTHER, UNMARKED, _FULL_STOP = range(10)
_CLASSES = 10
_SPACES = " \t\n\r\f\v\x1e\u00a0\u3000"
_SENTENCE = 60
"""Letters of a sentence in scripts that do not mark the end of each: Thai, Lao, Burmese, Khmer."""
_ENDING = np.zeros(256, bool)
_ENDING[[END, _FULL_STOP]] = True
_MAX_TEXT = 1 << 16
_BATCH = 1 << 18
_BEYOND = re.compile("[\U00010000-\U0010ffff]")
_HAN, _LETTER_OF_ALPHABET, _SYMBOL = "\u4e00", "\u0561", "\u2603"
"""Stand-ins for the characters outside the BMP."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Measures of n texts, each an array of n."""

    lengths: Array
    """Characters, white space included."""
    classes: Array
    """Characters by class, n rows."""
    chars: Array
    """Characters without white space, at least 1."""
    weight: Array
    """Length in letters of an alphabet. A Chinese character counts more than a Latin one."""
    sentences: Array
    ends_sentence: Array


@cache
def _tables() -> tuple[Array, Array]:
    """Return the sort of each BMP character, and one row per sort: a 1 in the place of its class, then its weight.

    Sorts are the classes, and further ones for characters that weigh more than others of their class.
    """
    kinds = np.full(0x10000, OTHER, np.uint8)
    for code in range(0x10000):
        category = unicodedata.category(chr(code))
        if category[0] in "LM":
            kinds[code] = UPPER if category in {"Lu", "Lt"} else LETTER
        elif category[0] == "N":
            kinds[code] = DIGIT
    for letters, kind in (
        (SPACED_ENDS, END),
        (STRONG_ENDS, _FULL_STOP),
        (COMMAS + SEMICOLONS, COMMA),
        (CLOSING + REVERSED_QUOTES, QUOTE),
        (_SPACES, SPACE),
    ):
        kinds[[ord(letter) for letter in letters]] = kind
    for first, last in UNMARKED_RANGES:
        part = kinds[first : last + 1]
        part[part == LETTER] = UNMARKED
    letter_weights = np.isin(kinds, (LETTER, UPPER, UNMARKED)).astype(np.float64)
    letter_weights[kinds == DIGIT] = 0.5
    for weight, ranges in weights().items():
        for first, last in ranges:
            letter_weights[first : last + 1] *= weight
    usual = np.zeros(_CLASSES)
    usual[[LETTER, UPPER, UNMARKED, DIGIT]] = 1, 1, 1, 0.5
    sorts, classes, weighs = kinds.copy(), list(range(_CLASSES)), usual.tolist()
    classes[_FULL_STOP] = END
    for kind, weight in np.unique(np.column_stack((kinds, letter_weights)), axis=0).tolist():
        if weight != usual[int(kind)]:
            sorts[(kinds == kind) & (letter_weights == weight)] = len(classes)
            classes.append(int(kind))
            weighs.append(weight)
    return sorts, np.column_stack((np.eye(_CLASSES)[classes], weighs))


def numbered(keys: Array) -> Array:
    """Return the number of each key among the distinct ones, by size. `unique` of NumPy takes four times as long.

    >>> numbered(np.array([7, 3, 7])).tolist()
    [1, 0, 1]
    """
    order = keys.argsort(kind="stable")
    ordered = keys[order]
    numbers = np.zeros(len(keys), np.int64)
    numbers[order[1:]] = np.add.accumulate(ordered[1:] != ordered[:-1])
    return numbers


def measure_texts(texts: Sequence[str]) -> Texts:
    """Measure one or more texts. No text is blank.

    All measures but the length are of the first ``_MAX_TEXT`` characters. Texts are measured in batches, which bounds
    the memory.
    """
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    if lengths.sum() <= min(_BATCH, _MAX_TEXT):
        return _measure_batch(texts, lengths)
    texts = [text[:_MAX_TEXT] for text in texts]
    ends = np.add.accumulate(np.minimum(lengths, _MAX_TEXT))
    bounds = [0, *(np.flatnonzero(np.diff(ends // _BATCH)) + 1).tolist(), len(texts)]
    parts = [_measure_batch(texts[first:last], lengths[first:last]) for first, last in pairwise(bounds)]
    return Texts(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Texts)))


def _measure_batch(texts: Sequence[str], lengths: Array) -> Texts:
    sorts, rows = _tables()
    # A space after each text separates it from the next.
    read = np.minimum(lengths, _MAX_TEXT)
    sort = _without_inner_points(sorts.take(_codes(" ".join([*texts, ""])), mode="clip"))
    owner = np.arange(0, len(texts) * len(rows), len(rows)).repeat(read + 1)
    owner += sort
    counted = np.bincount(owner, minlength=len(texts) * len(rows)).reshape(len(texts), -1) @ rows
    counted[:, SPACE] -= 1
    shown = read - counted[:, SPACE]
    visible = (sort != SPACE).nonzero()[0]
    last = visible[np.maximum(np.add.accumulate(shown, dtype=np.intp) - 1, 0)] if len(visible) else np.zeros_like(read)
    closing, before = sort[last], sort[np.maximum(last - 1, 0)]
    return Texts(
        lengths=lengths,
        classes=counted[:, :_CLASSES],
        chars=np.maximum(1, shown),
        weight=counted[:, _CLASSES],
        sentences=counted[:, END] + counted[:, UNMARKED] / _SENTENCE,
        ends_sentence=_ENDING[closing] | ((closing == QUOTE) & _ENDING[before]),
    )


def _codes(text: str) -> Array:
    """Return the characters as BMP code points."""
    encoded = text.encode("utf-16-le", "replace")
    if len(encoded) != 2 * len(text):
        encoded = _BEYOND.sub(_stand_in, text).encode("utf-16-le", "replace")
    return np.frombuffer(encoded, np.uint16)


def _stand_in(found: re.Match[str]) -> str:
    """Return a character of the BMP for one beyond: of its class and weight."""
    if not found[0].isalpha():
        return _SYMBOL
    return _LETTER_OF_ALPHABET if is_spaced(found[0]) else _HAN


def _without_inner_points(sort: Array) -> Array:
    """Reclassify points inside words and numbers: the end of a sentence has a space or a quote after it.

    The last character is a space.
    """
    ends = (sort == END).nonzero()[0]
    following = sort[ends + 1]
    sort[ends[(following != SPACE) & (following != QUOTE) & (following != END)]] = OTHER
    return sort
