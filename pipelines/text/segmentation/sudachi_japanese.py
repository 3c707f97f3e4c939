"""Adapter of SudachiPy: short units (mode A) of Japanese, with its core dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def load() -> Callable[[str], list[str]]:
    """Return the segmenter. ImportError if the library or its dictionary is not installed."""
    import sudachidict_core  # noqa: F401 - the dictionary is loaded by name
    from sudachipy import Dictionary, SplitMode

    tokenizer = Dictionary(dict="core").tokenizer(mode=SplitMode.A)
    return lambda run: [each.surface() for each in tokenizer.tokenize(run)]
