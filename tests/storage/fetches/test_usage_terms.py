"""Terms of use that sites state: stored with fetch and document, filtered and counted, on both databases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from storage.documents.selection import Selection
from storage.records import Fetched, Terms
from tests.storage.corpus_samples import Crawl, capture, dropped, made

if TYPE_CHECKING:
    from storage.corpus import Corpus
    from storage.records import Processed

ALLOWED = Terms("allowed", "ab" * 32)
RESERVED = replace(ALLOWED, tdm=1, tdm_policy="https://a.example/policy")


def fetched(crawl: Crawl, path: str, terms: Terms | None) -> int:
    """Fetch a page under these terms; return the fetch id."""
    crawl.seed(path)
    (lease,) = crawl.lease()
    page = replace(capture(lease.fetch_url), terms=terms)
    return crawl.corpus.fetches.record_fetched(crawl.run_id, [(Fetched(page, lease), crawl.pointer())])[0]


def test_the_terms_of_a_fetch_are_there_when_its_page_is_taken_up_again(corpus: Corpus) -> None:
    """After a crash, and for re-extraction; equal terms are one row."""
    crawl = Crawl(corpus)
    for path, terms in (("x", ALLOWED), ("y", RESERVED), ("z", None), ("w", RESERVED)):
        fetched(crawl, path, terms)
    expected = [ALLOWED, RESERVED, None, RESERVED]
    assert [page.terms for page in corpus.fetches.unprocessed()] == expected
    assert [row.terms for row in corpus.fetches()] == expected


def test_a_document_says_what_its_page_and_host_said(corpus: Corpus) -> None:
    crawl = Crawl(corpus)
    fetch_id = fetched(crawl, "x", RESERVED)
    (page,) = corpus.fetches.unprocessed()
    rights = {
        "tdm": 1,
        "tdm_policy": "https://a.example/p\x00",
        "tdm_source": "file",
        "licence_url": "https://l.example/",
    }
    corpus.documents.record_processed([(fetch_id, page.lease, made("text", directives=("noai", "noindex"), **rights))])
    document = corpus.documents.find("https://a.example/x")
    assert document is not None
    assert (document.robots, document.robots_sha256) == ("allowed", "ab" * 32)
    assert (document.tdm, document.tdm_policy, document.tdm_source) == (1, "https://a.example/p\ufffd", "file")
    assert (document.directives, document.licence_url) == (("noai", "noindex"), "https://l.example/")


def test_reserved_documents_are_counted_and_left_out_when_that_is_asked_for(corpus: Corpus) -> None:
    crawl = Crawl(corpus)
    crawl.visit("plain", made("one"))
    crawl.visit("tdm", made("two", tdm=1))
    crawl.visit("free", made("three", tdm=0, licence_url="https://l.example/"))
    crawl.visit("noai", made("four", directives=("noai",)))
    crawl.visit("noarchive", made("five", directives=("max-snippet:1", "noarchive")))
    crawl.visit("pictures", made("six", directives=("noimageai",)))
    status = corpus.status()
    assert (status.documents, status.reserved, status.licensed) == (6, 3, 1)
    left = {document.url.rpartition("/")[2] for document in corpus.documents(Selection(without_reserved=True))}
    assert left == {"plain", "free", "pictures"}
    assert len(list(corpus.documents())) == 6


def test_mixed_documents_are_left_out_when_that_is_asked_for(corpus: Corpus) -> None:
    """From a tenth on; a text stays where the terms were not fetched."""
    crawl = Crawl(corpus)
    for path, share in {"unknown": None, "whole": 0.0, "nearly": 0.09, "mixed": 0.1, "half": 0.5}.items():
        outcome = made(path)
        assert outcome.document is not None
        crawl.visit(path, replace(outcome, document=replace(outcome.document, foreign_share=share)))
    left = {document.text for document in corpus.documents(Selection(without_mixed=True))}
    assert left == {"unknown", "whole", "nearly"}
    assert len(list(corpus.documents())) == 5


def test_a_page_that_is_reserved_later_is_reserved_though_its_text_has_not_changed(corpus: Corpus) -> None:
    """And the other way round; no version is made of it."""
    crawl = Crawl(corpus)
    for tdm in (None, 1, 0):
        crawl.visit("x", made("text", tdm=tdm))
        document = corpus.documents.find("https://a.example/x")
        assert document is not None
        assert (document.version, document.tdm) == (1, tdm)
        assert corpus.status().reserved == (tdm == 1)


def test_a_headline_or_author_that_is_put_right_is_noted_though_the_text_has_not_changed(corpus: Corpus) -> None:
    """What is said no more, as on a page that lost its byline, stays; so does the day, which later pages blur."""
    crawl = Crawl(corpus)
    crawl.visit("x", made("text", title="A bridge", author="Ann Author", published="2026-02-28T10:00:00+07:00"))
    for stated, expected in (
        ({"title": "Correction: a bridge"}, ("Correction: a bridge", "Ann Author")),
        ({"author": "Bo Author", "published": "2026-03-01"}, ("Correction: a bridge", "Bo Author")),
    ):
        crawl.visit("x", made("text", **stated))
        document = corpus.documents.find("https://a.example/x")
        assert document is not None
        assert (document.version, document.title, document.author) == (1, *expected)
        assert document.date == "2026-02-28T10:00:00+07:00"


def test_what_a_page_said_before_its_text_changed_is_not_noted_of_the_later_text(corpus: Corpus) -> None:
    """This happens when texts are extracted again and the original of the later text is missing."""
    crawl = Crawl(corpus)
    outcomes = [made("text", title="One"), made("text", title="Two", tdm=1), made("later", title="Three")]
    for outcome in outcomes:
        crawl.visit("x", outcome)
    before = [
        (each.fetch_id, each.lease, outcome) for each, outcome in zip(corpus.fetches(), outcomes[:2], strict=False)
    ]
    corpus.documents.record_processed([(at, lease, outcome) for at, lease, outcome in before if lease], again=True)
    first, later = corpus.documents(Selection(versions="all"))
    assert {(each.version, each.title, each.tdm) for each in (first, later)} == {(1, "Two", 1), (2, "Three", None)}


@pytest.mark.parametrize(
    ("outcome", "free"), [(made("x", tdm=0), True), (made("x", tdm=1), False), (dropped("no_article"), False)]
)
def test_a_lease_states_whether_the_last_response_gave_a_free_text(
    corpus: Corpus, outcome: Processed, free: bool
) -> None:
    """By that, bytes whose use came to be reserved are told from those whose use always was."""
    crawl = Crawl(corpus)
    crawl.visit("x", outcome)
    crawl.seed("x")
    (lease,) = crawl.lease()
    assert lease.original is not None
    assert lease.original.free == free


@pytest.mark.parametrize(
    ("stated", "said", "expected"),
    [
        ({}, 1, (1, "file", True)),
        ({"tdm": 1, "tdm_source": "file"}, 0, (0, "file", False)),
        ({"tdm": 1, "tdm_source": "file"}, None, (1, "file", True)),
        ({"tdm": 0, "tdm_source": "meta"}, 1, (0, "meta", False)),
        ({"tdm": 1, "tdm_source": "header"}, 0, (1, "header", True)),
        ({"directives": ("noai",)}, 0, (0, "file", True)),
    ],
)
def test_what_a_host_reserves_later_holds_for_pages_that_have_not_changed(
    corpus: Corpus, stated: dict[str, Any], said: int | None, expected: tuple[int, str, bool]
) -> None:
    """An answer 304 has no page to read; what the page or its answer said themselves stays."""
    crawl = Crawl(corpus)
    crawl.visit("x", made("text", **stated))
    crawl.seed("x")
    (lease,) = crawl.lease()
    assert lease.original is not None
    terms = replace(ALLOWED, tdm=said, tdm_policy="https://a.example/p" if said else None)
    page = replace(capture(lease.fetch_url), status=304, terms=terms)
    corpus.fetches.record_fetched(crawl.run_id, [(Fetched(page, lease, original=lease.original), crawl.pointer())])
    document = corpus.documents.find("https://a.example/x")
    assert document is not None
    assert (document.tdm, document.tdm_source, bool(corpus.status().reserved)) == expected
    assert [row.terms for row in corpus.fetches(outcomes=["unchanged"])] == [terms]


def test_re_extraction_under_another_policy_takes_documents_out_and_puts_them_back(corpus: Corpus) -> None:
    crawl = Crawl(corpus)
    fetch_id = crawl.visit("x", made("text", tdm=1))
    (row,) = corpus.fetches()
    assert row.lease is not None
    corpus.documents.record_processed([(fetch_id, row.lease, dropped("reserved", detail="tdm"))], again=True)
    assert (corpus.status().documents, corpus.status().reserved) == (0, 0)
    assert [(drop.reason, drop.detail) for drop in corpus.fetches.drops()] == [("reserved", "tdm")]
    corpus.documents.record_processed([(fetch_id, row.lease, made("text", tdm=1))], again=True)
    assert (corpus.status().documents, corpus.status().reserved) == (1, 1)
