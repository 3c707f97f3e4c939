"""Adapter of icu4py: dictionaries of ICU for Thai, Lao, Khmer and Burmese."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def load() -> Callable[[str], list[str]]:
    """Return the segmenter. ImportError if the library is not installed."""
    from icu4py.breakers import WordBreaker

    # One break iterator serves all four scripts, whatever its locale.
    return lambda run: list(WordBreaker(run, "th"))
