"""Adapter of LaoNLP: maximal matching with its dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def load() -> Callable[[str], list[str]]:
    """Return the segmenter. ImportError if the library is not installed."""
    from laonlp.tokenize import word_tokenize

    return lambda run: list(word_tokenize(run))
