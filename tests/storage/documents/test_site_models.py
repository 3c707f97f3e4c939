"""Site models: all versions are kept, the newest is used, and documents lead to their originals."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from storage.documents.site_models import LearnedModel
from tests.storage.corpus_samples import NOON, Crawl, dropped, made

if TYPE_CHECKING:
    from storage.corpus import Corpus

MODEL = LearnedModel("a.example", NOON, "1", 7, 20, bytes(range(256)))


def test_a_model_comes_back_as_it_was(corpus: Corpus) -> None:
    """By its id, which its content gives it, and as the newest of its site."""
    corpus.models.add([MODEL])
    assert corpus.models.find(MODEL.id) == MODEL
    assert corpus.models.newest(["a.example", "b.example"]) == {"a.example": MODEL}
    assert corpus.models.find("0123456789ab") is None
    assert len(MODEL.id) == 12


def test_the_newest_is_in_force_and_the_others_stay(corpus: Corpus) -> None:
    """In any order of storage; a site without documents has a count of 0."""
    newer = replace(MODEL, created=NOON + timedelta(hours=1), template=b"")
    other = replace(MODEL, site="b.example")
    corpus.models.add([newer])
    corpus.models.add([MODEL, other])
    assert corpus.models.newest(["a.example", "b.example"]) == {"a.example": newer, "b.example": other}
    assert corpus.models.find(MODEL.id) == MODEL
    assert corpus.documents.count_by_site(["a.example"]) == {"a.example": 0}


def test_storing_a_model_again_changes_nothing(corpus: Corpus) -> None:
    corpus.models.add([MODEL, replace(MODEL)])
    corpus.models.add([MODEL])
    assert corpus.models.newest(["a.example"]) == {"a.example": MODEL}


def test_ids_tell_contents_apart() -> None:
    changed = [
        replace(MODEL, template=b""),
        replace(MODEL, site="b"),
        replace(MODEL, pages=8),
        replace(MODEL, scheme="2"),
    ]
    assert len({MODEL.id, *(each.id for each in changed)}) == 5


def test_the_newest_pages_of_a_site_are_one_a_url_and_documents_only(corpus: Corpus) -> None:
    """Newest first: a page that was read again stands for its URL once, a drop does not count."""
    crawl = Crawl(corpus)
    for path in ("x", "y", "z"):
        crawl.visit(path, made(f"text of {path}"))
    crawl.visit("w", dropped("listing"))
    crawl.visit("x", made("another text of x"))
    fetches = {fetch.fetch_id: fetch for fetch in corpus.fetches()}
    found = corpus.models.newest_pages("a.example", 10)
    newest = {fetch.uri: fetch.pointer for fetch in fetches.values() if fetch.outcome == "document"}
    assert sorted(found, key=str) == sorted(newest.values(), key=str)
    assert found[0] == newest["https://a.example/x"]
    assert corpus.models.newest_pages("a.example", 2) == found[:2]
    assert corpus.models.newest_pages("b.example", 2) == []
    assert corpus.documents.count_by_site(["a.example", "b.example"]) == {"a.example": 4, "b.example": 0}


def test_a_fetch_names_the_model_of_its_document(corpus: Corpus) -> None:
    crawl = Crawl(corpus)
    processed = made("text")
    assert processed.document is not None
    corpus.models.add([MODEL])
    version = f"{'0' * 12}-{MODEL.id}"
    crawl.visit("x", replace(processed, document=replace(processed.document, site_model=version)))
    crawl.visit("y", dropped("listing"))
    used = {fetch.uri: corpus.models.used_by(fetch.fetch_id) for fetch in corpus.fetches()}
    assert used == {"https://a.example/x": version, "https://a.example/y": None}
    assert corpus.problems() == []


def test_a_document_whose_model_is_gone_is_a_problem(corpus: Corpus) -> None:
    processed = made("text")
    assert processed.document is not None
    with_model = replace(processed.document, site_model=f"{'0' * 12}-{MODEL.id}")
    Crawl(corpus).visit("x", replace(processed, document=with_model))
    assert [problem.partition(":")[0] for problem in corpus.problems()] == ["a document whose site model is missing"]
