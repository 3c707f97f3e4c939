"""Order of the documents that are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.documents import reader
from storage.documents.selection import Selection
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    import pytest

    from storage import Corpus


def test_documents_come_by_id_or_as_they_were_stored(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same documents in both orders; a selection holds for both."""
    monkeypatch.setattr(reader, "_PAGE_OF_DOCUMENTS", 1)
    crawl = Crawl(corpus)
    names = [f"page{number}" for number in range(20)]
    for name in names:
        crawl.visit(name, made(f"the words of {name}"))
    every = Selection(include_duplicates=True, versions="all")
    stored = list(corpus.documents.as_stored(every))
    assert [document.text for document in stored] == [f"the words of {name}" for name in names]
    by_id = list(corpus.documents(every))
    assert by_id == sorted(stored, key=lambda document: document.id)
    assert by_id != stored
    assert list(corpus.documents.as_stored(Selection(languages=("xx",)))) == []
