"""What the texts of blocks are made of: letters, digits, sentences, in any script, counted for all blocks at once."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, fields
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.page_type import WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Sequence

Array = np.ndarray[Any, np.dtype[Any]]

SPACE, LETTER, UPPER, DIGIT, END, COMMA, QUOTE, OTHER, UNSPACED, _FULL_STOP = range(10)
_CLASSES = 10
_FULL_STOPS = "。！？｡।॥።"
_ENDS = f".!?…؟۔።៖{_FULL_STOPS}"
_COMMAS = ",،、，;؛；፣"
_QUOTES = "\"'»”’)]」』）】“«"
_SPACES = " \t\n\r\f\v\x1e\u00a0\u3000"
_NO_SENTENCE_ENDS = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))
_SENTENCE = 60
"""Letters that make a sentence where the script does not mark its end: Thai, Lao, Burmese, Khmer."""
_MAX_TEXT = 1 << 16
_BATCH = 1 << 18
_HAN, _SYMBOL = 0x4E00, 0x2603


@dataclass(frozen=True, slots=True)
class Texts:
    """Measures of n texts, each an array of n."""

    classes: Array
    """Characters by class, n rows."""
    chars: Array
    """Characters that are no white space, 1 at least."""
    weight: Array
    """Length in letters of an alphabet: a Chinese character says more than a Latin one."""
    sentences: Array
    ends_sentence: Array
    ends_colon: Array


@cache
def _tables() -> tuple[Array, Array]:
    """Return class and weight of every character of the basic plane."""
    kinds = np.full(0x10000, OTHER, np.uint8)
    for code in range(0x10000):
        category = unicodedata.category(chr(code))
        if category[0] in "LM":
            kinds[code] = UPPER if category in {"Lu", "Lt"} else LETTER
        elif category[0] == "N":
            kinds[code] = DIGIT
    for letters, kind in (
        (_ENDS, END),
        (_FULL_STOPS, _FULL_STOP),
        (_COMMAS, COMMA),
        (_QUOTES, QUOTE),
        (_SPACES, SPACE),
    ):
        kinds[[ord(letter) for letter in letters]] = kind
    for first, last in _NO_SENTENCE_ENDS:
        part = kinds[first : last + 1]
        part[part == LETTER] = UNSPACED
    weights = np.isin(kinds, (LETTER, UPPER, UNSPACED)).astype(np.float64)
    weights[kinds == DIGIT] = 0.5
    for letters, weight in WEIGHTS:
        for first_letter, last_letter in re.findall("(.)-(.)", letters):
            weights[ord(first_letter) : min(ord(last_letter), 0xFFFF) + 1] *= weight
    return kinds, weights


def count(texts: Sequence[str]) -> Texts:
    """Measure texts, one at least, none of them blank; of each its first ``_MAX_TEXT`` characters.

    They are measured some at a time, so that memory does not grow with the page.
    """
    texts = [text[:_MAX_TEXT] if len(text) > _MAX_TEXT else text for text in texts]
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    if ends[-1] <= _BATCH:
        return _count(texts)
    bounds = [0, *(np.flatnonzero(np.diff(ends // _BATCH)) + 1).tolist(), len(texts)]
    parts = [_count(texts[first:last]) for first, last in pairwise(bounds)]
    return Texts(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Texts)))


def _count(texts: Sequence[str]) -> Texts:
    kinds, weights = _tables()
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "replace"), np.uint32)
    if codes.max() > 0xFFFF:
        codes = np.where(codes > 0xFFFF, np.where((codes >> 16) // 2 == 1, _HAN, _SYMBOL), codes)
    owner = np.repeat(np.arange(len(texts)), lengths)
    last = np.cumsum(lengths) - 1
    kind = _without_inner_points(kinds[codes], last)
    classes = np.bincount(owner * _CLASSES + kind, minlength=len(texts) * _CLASSES).reshape(-1, _CLASSES)
    visible = np.maximum.reduceat(np.where(kind != SPACE, np.arange(len(kind)), 0), last - lengths + 1)
    closing, before = kind[visible], kind[np.maximum(visible - 1, 0)]
    return Texts(
        classes=classes,
        chars=np.maximum(1, lengths - classes[:, SPACE]),
        weight=np.bincount(owner, weights[codes], minlength=len(texts)),
        sentences=classes[:, END] + classes[:, UNSPACED] / _SENTENCE,
        ends_sentence=(closing == END) | ((closing == QUOTE) & (before == END)),
        ends_colon=(codes[visible] == ord(":")) | (codes[visible] == ord("：")),
    )


def _without_inner_points(kind: Array, last: Array) -> Array:
    """Take points inside of words and numbers for what they are: an end of a sentence has a space or a quote behind."""
    following = np.append(kind[1:], SPACE)
    following[last] = SPACE
    kind[(kind == END) & (following != SPACE) & (following != QUOTE) & (following != END)] = OTHER
    kind[kind == _FULL_STOP] = END
    return kind
