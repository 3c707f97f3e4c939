"""Adapter of simplemma: lemmas by dictionaries and rules, each word by itself."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def load_simplemma(language: str) -> Callable[[Sequence[str]], Sequence[tuple[str, str]]]:
    """Return the annotator of a language, by its ISO code. The dictionary is read with the first token."""
    from simplemma import lemmatize

    # It remembers the lemmas of 65,536 words. Its casing of sentence starts made no difference in the measurements.
    lemma_of = partial(lemmatize, lang=language)
    return lambda tokens: [(lemma_of(token), "") for token in tokens]
