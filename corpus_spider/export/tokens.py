"""Tokens of vertical text: words, or syllables and characters where no segmenter is installed."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from corpus_spider.export.request import TOKENISED
from pipelines.text.segmentation import choice
from pipelines.text.segmentation.choice import CHOICES, CLUSTERS, PACKAGES, WORDS, unit_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from storage.corpus import Corpus
    from storage.documents.selection import Selection

LANGUAGE_NAMES = {"vi": "Vietnamese", "zh": "Chinese", "ja": "Japanese"}
"""Languages whose texts are exported without a segmenter too. The others, which need one, are refused without."""


def tokens_of(corpus: Corpus, selection: Selection, format_name: str | None) -> dict[str, str] | None:
    """Return for each selected language that needs a segmenter what its tokens are; None for untokenised formats.

    For example ``{"vi": "syllables", "th": "words (nlpo3 1.4.0)"}``.
    """
    if format_name != TOKENISED:
        return None
    codes = [code for code in CHOICES if not selection.languages or code in selection.languages]
    found = (code for code in codes if corpus.documents.count_exceeds(replace(selection, languages=(code,)), 0))
    return {code: _unit(code) for code in found if unit_of(code) != CLUSTERS}


def _unit(code: str) -> str:
    unit = unit_of(code)
    if unit != WORDS:
        return unit
    name = choice.library_names()[code]
    try:
        return f"{unit} ({name} {version(PACKAGES[name][0])})"
    except PackageNotFoundError:
        return f"{unit} ({name})"


def notes(tokens: Mapping[str, str] | None) -> Iterator[str]:
    """Yield a sentence for each language whose tokens are not words, with the extra to install."""
    for code, unit in (tokens or {}).items():
        if not unit.startswith(WORDS):
            extra = CHOICES[code].extra
            yield (
                f"{code}: the tokens are {unit}, because no segmenter for {LANGUAGE_NAMES[code]} is installed. "
                f"For words: pip install 'corpus-spider[{extra}]', or `make segment` in a checkout."
            )
