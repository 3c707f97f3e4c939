"""Write lemmas and tags into a tokenised text, behind each token, as `storage.exports.formats.vertical` reads them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipelines.text.annotation.annotator import UNKNOWN
from storage.records import ATTRIBUTE, GLUE, SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.text.annotation.annotator import Annotation, Annotator

NOT_KNOWN = "-"
"""Stands for a lemma or tag that is not known, so that each token has the same columns."""
_SEPARATORS = re.compile(f"([ {GLUE}]+)")


def annotated(text: str, annotator: Annotator | None) -> str:
    """Return a tokenised text (`pipelines.text.tokenizer.tokenised`) with lemma and tag behind each token.

    Without an annotator they are not known. Separators of tokens, sentences and lines stay as they are.
    """
    return "\n".join(
        SENTENCE.join(_sentence(sentence, annotator) for sentence in line.split(SENTENCE)) for line in text.split("\n")
    )


def annotated_tokens(line: str, annotator: Annotator) -> Iterator[tuple[str, Annotation]]:
    """Yield the tokens of a tokenised line with their annotations. The annotator gets each sentence by itself."""
    for sentence in line.replace(ATTRIBUTE, "").split(SENTENCE):
        tokens = list(filter(None, _SEPARATORS.split(sentence)[::2]))
        yield from zip(tokens, annotator(tokens), strict=True)


def _sentence(sentence: str, annotator: Annotator | None) -> str:
    parts = _SEPARATORS.split(sentence.replace(ATTRIBUTE, ""))
    tokens = list(filter(None, parts[::2]))
    found = iter(annotator(tokens) if annotator else [UNKNOWN] * len(tokens))
    for at in range(0, len(parts), 2):
        if token := parts[at]:
            lemma, tag = next(found)
            parts[at] = f"{token}{ATTRIBUTE}{lemma or NOT_KNOWN}{ATTRIBUTE}{tag or NOT_KNOWN}"
    return "".join(parts)
