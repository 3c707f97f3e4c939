"""Lemmas and tags in vertical text: which library gives them in each language, and which languages have none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from msgspec import structs

from pipelines.text.annotation.annotated_text import annotated
from pipelines.text.annotation.choice import NO_ANNOTATOR, annotator_of, descriptions, why_none

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from storage.corpus import Corpus
    from storage.documents.model import CorpusDocument
    from storage.documents.selection import Selection


def annotations_of(corpus: Corpus, selection: Selection) -> dict[str, str]:
    """Return the `descriptions` of the annotators of the selected languages. ConfigError if a library is missing."""
    codes = selection.languages or [row.key for row in corpus.status().by_language]
    return descriptions(
        code for code in codes if corpus.documents.count_exceeds(replace(selection, languages=(code,)), 0)
    )


def annotation_notes(annotations: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each language without lemmas and tags."""
    return (why_none(code) for code, description in annotations.items() if description == NO_ANNOTATOR)


def with_annotations(documents: Iterable[CorpusDocument]) -> Iterator[CorpusDocument]:
    """Yield each tokenised document with lemma and tag behind each token."""
    for document in documents:
        yield structs.replace(document, text=annotated(document.text, annotator_of(document.language)))
