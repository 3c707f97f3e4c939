"""Adapter of underthesea: parts of speech of Vietnamese words, by a conditional random field."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.text.tokenizer import COMPOUND

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MODEL = "pos_crf_vlsp2013_20230303"
_BEGIN = "B-"
"""Before each tag: the model labels words as if they could have several parts."""


def load_underthesea_tags() -> Callable[[Sequence[str]], Sequence[tuple[str, str]]]:
    """Return the annotator of Vietnamese. Syllables of a word may be joined by an underscore or a space."""
    from underthesea.models.fast_crf_sequence_tagger import FastCRFSequenceTagger
    from underthesea.pipeline import pos_tag

    folder = Path(pos_tag.__file__).parent / "models" / _MODEL
    if not folder.is_dir():
        raise ImportError(f"this release of underthesea has no model {_MODEL}")
    tagger = FastCRFSequenceTagger()
    tagger.load(str(folder))

    def annotate(tokens: Sequence[str]) -> list[tuple[str, str]]:
        words = [[token.replace(COMPOUND, " ").strip() or token] for token in tokens]
        return [("", label.removeprefix(_BEGIN)) for label in tagger.predict(words)]

    return annotate
