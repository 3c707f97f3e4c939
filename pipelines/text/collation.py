"""Adapter of PyICU: the order of words in a dictionary of their language (Unicode collation, CLDR).

Without the library words are in the order of their letters without marks, then of their code points: Vietnamese ``ăn``
stands beside ``an``, but ``đ`` beside ``d``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pipelines.text.word_forms import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    SortKey = tuple[bytes | str, str]


@cache
def sort_key(language: str) -> Callable[[str], SortKey]:
    """Return the function that gives the sort key of a word of a language, "" for words of several languages.

    >>> sorted(["da", "ăn", "an"], key=sort_key("vi"))
    ['an', 'ăn', 'da']
    """
    try:
        import icu
    except ImportError:
        return lambda word: (plain(word, language), word)
    collator = icu.Collator.createInstance(icu.Locale(language))
    return lambda word: (bytes(collator.getSortKey(word)), word)
