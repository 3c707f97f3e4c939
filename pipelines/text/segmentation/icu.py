"""Adapter of icu4py: dictionaries of ICU for Thai, Lao, Khmer and Burmese, clusters for others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipelines.text.scripts import CLUSTERED_BY_LANGUAGE
from pipelines.text.segmentation.clusters import clusters

if TYPE_CHECKING:
    from collections.abc import Callable


_WITHOUT_DICTIONARY = re.compile(f"[{CLUSTERED_BY_LANGUAGE['']}]")


def load() -> Callable[[str], list[str]]:
    """Return the segmenter. ImportError if the library is not installed."""
    from icu4py.breakers import WordBreaker

    # One break iterator serves all four scripts, whatever its locale.
    return lambda run: clusters(run) if _WITHOUT_DICTIONARY.match(run) else list(WordBreaker(run, "th"))
