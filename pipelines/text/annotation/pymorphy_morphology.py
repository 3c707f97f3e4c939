"""Adapter of pymorphy3: lemmas and parts of speech of Russian, each word by itself, by the OpenCorpora dictionary."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MAX_WORDS_KEPT = 2**16
_UNKNOWN_TAG = "UNKN"
"""Tag of a word that the library does not know."""


def load_pymorphy() -> Callable[[Sequence[str]], Sequence[tuple[str, str]]]:
    """Return the annotator of Russian. A word gets its commonest reading."""
    import pymorphy3_dicts_ru  # noqa: F401 - the dictionary is loaded by name
    from pymorphy3 import MorphAnalyzer

    analyzer = MorphAnalyzer(lang="ru")

    @lru_cache(_MAX_WORDS_KEPT)
    def annotation(word: str) -> tuple[str, str]:
        if not all(unicodedata.name(sign, "") for sign in word if sign.isalpha()):
            # The library looks for Latin letters by their names, and Tangut letters have none.
            return word, _UNKNOWN_TAG
        reading = analyzer.parse(word)[0]
        # The first grammeme is the part of speech, or PNCT, NUMB, LATN, ROMN, UNKN.
        return reading.normal_form, str(reading.tag).partition(" ")[0].partition(",")[0]

    return lambda tokens: list(map(annotation, tokens))
