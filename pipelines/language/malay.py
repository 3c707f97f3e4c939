"""Decide between Indonesian and Malay by their words.

The two share most words, and news texts of the one quote the other. So each different word is counted once, an own word
(malay_words.toml) twice as much as a leaning one, and the detector's guess as half a word. Each word of the text counts
a little for Indonesian: a Malay text without Malay words is short.

News translated into both languages (NTREX-128), every second sentence: of 100 characters 81 % of the Malay and 97 % of
the Indonesian ones are right, 65 and 97 % with words counted as often as they stood and Indonesian as the default.
"""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

INDONESIAN, MALAY = "id", "ms"
PAIR = frozenset({INDONESIAN, MALAY})
_TABLE = Path(__file__).with_name("malay_words.toml")
_WEIGHTS = {"own": 2.0, "leaning": 1.0}
"""Weight of a word of each table."""
_GUESS_WEIGHT = 0.5
"""Weight of the detector's guess, which is right for seven of ten short texts."""
_INDONESIAN_WEIGHT = 0.06
"""Weight of each different word of a text for Indonesian."""
_SLOPE = 1.2
"""Slope of the logistic curve from the weight of the evidence to the share of right answers."""


def decide(words: Iterable[str], guess: str) -> tuple[str, float]:
    """Return Indonesian or Malay, and the probability (0.5-1) that this is right.

    Only words make sure. An answer without them has .5.

    Args:
        words: words of the text, in lower case.
        guess: the detector's language, one of the two.

    >>> decide("kerajaan berkata ia akan siap esok".split(), "id")[0], decide(["orang", "itu"], "id")[0]
    ('ms', 'id')
    """
    different = set(words)
    by_words = sum(map(_weights().__getitem__, different & _weights().keys()))
    malay = by_words + (_GUESS_WEIGHT if guess == MALAY else -_GUESS_WEIGHT) - _INDONESIAN_WEIGHT * len(different)
    evidence = max(0.0, by_words if malay > 0 else -by_words)
    return MALAY if malay > 0 else INDONESIAN, 1 / (1 + math.exp(-_SLOPE * min(evidence, 20)))


@cache
def _weights() -> dict[str, float]:
    """Return the weight of each word, positive for Malay."""
    tables = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return {
        word: weight if language == MALAY else -weight
        for name, weight in _WEIGHTS.items()
        for language, words in tables[name].items()
        for word in words.split()
    }
