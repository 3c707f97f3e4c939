"""Documents that belong to one: the versions of its page, and its cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.storage.corpus_samples import Crawl, fingerprint, made

if TYPE_CHECKING:
    from storage.corpus import Corpus

LIKE = bytes(range(120))
LESS_LIKE = bytes(range(110)) + b"\xff" * 10


@pytest.fixture
def crawl(corpus: Corpus) -> Crawl:
    """A page with two versions, an exact copy, a near copy with an earlier version of its own, and another text."""
    crawl = Crawl(corpus)
    crawl.visit("a", made("first", prints=fingerprint("one", bytes(120), (1,)), title="A"))
    crawl.visit("a", made("the second", prints=fingerprint("two", LIKE, (7,)), title="A"))
    crawl.visit("b", made("the second", prints=fingerprint("two", LIKE, (7,)), title="B"))
    crawl.visit("c", made("earlier", prints=fingerprint("three", LESS_LIKE, (7,)), title="C"))
    crawl.visit("c", made("the third", prints=fingerprint("four", LESS_LIKE, (7,)), title="C"))
    crawl.visit("d", made("another", prints=fingerprint("five", b"\x01" * 120, (9,)), title="D"))
    return crawl


def test_versions_of_a_page_are_listed_oldest_first(corpus: Corpus, crawl: Crawl) -> None:
    """From any of them; an unknown id has none."""
    newest = corpus.documents.find("https://a.example/a")
    assert newest is not None
    versions = corpus.documents.versions(newest.id)
    assert [(each.version, each.title, each.chars, each.superseded) for each in versions] == [
        (1, "A", 5, True),
        (2, "A", 10, False),
    ]
    assert versions[-1].id == newest.id
    assert versions[-1].fetched_at == newest.fetched_at
    assert corpus.documents.versions(versions[0].id) == versions
    assert corpus.documents.versions("0" * 32) == []


def test_a_cluster_is_listed_by_similarity_without_the_document(corpus: Corpus, crawl: Crawl) -> None:
    """The exact copy has 1, the near one an estimate; earlier versions and other texts are left out."""
    newest = corpus.documents.find("https://a.example/a")
    assert newest is not None
    found = corpus.documents.near(newest.id)
    assert [(each.title, each.version) for each in found] == [("B", 1), ("C", 2)]
    assert found[0].similarity == 1
    assert found[1].similarity == pytest.approx(110 / 120, abs=0.01)
    assert [each.title for each in corpus.documents.near(newest.id, 1)] == ["B"]
    alone = corpus.documents.find("https://a.example/d")
    assert alone is not None
    assert corpus.documents.near(alone.id) == []
    assert corpus.documents.near("0" * 32) == []
