"""History of single URLs, on SQLite and on PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.records import Failure, UrlState
from tests.storage.corpus_samples import Crawl, dropped, link, made

if TYPE_CHECKING:
    from storage import Corpus

X, Y, Z = (f"https://a.example/{path}" for path in "xyz")


def test_a_page_is_known_with_its_visits_and_by_whom_it_was_named(corpus: Corpus) -> None:
    """The newest visit first, with what came of it and where its original lies."""
    crawl = Crawl(corpus)
    crawl.visit("x", made("text"))
    crawl.visit("x", dropped("listing", link("y"), detail="90% of the text is links"))
    page = corpus.fetches.page([Z, X])
    assert page is not None
    assert (page.url, page.site, page.state) == (X, "a.example", UrlState.DONE)
    assert [(one.outcome, one.reason, one.detail, one.version) for one in page.visits] == [
        ("drop", "listing", "90% of the text is links", None),
        ("document", "", "", 1),
    ]
    assert (page.found_from, page.reason) == ("", "")
    assert [(one.warc, one.offset) for one in page.visits] == [(f"run{crawl.run_id}.warc.gz", at) for at in (100, 0)]
    named = corpus.fetches.page([Y])
    assert named is not None
    assert (named.state, named.found_from, named.visits) == (UrlState.PENDING, X, ())
    assert corpus.fetches.page([Z]) is None
    assert corpus.fetches.page([]) is None


def test_a_page_is_known_by_the_address_it_states(corpus: Corpus) -> None:
    """A text that was found elsewhere is found under the address that its page gives as its own."""
    Crawl(corpus).visit("x", made("text", canonical=Z))
    page = corpus.fetches.page([Z])
    assert page is not None
    assert page.url == X


def test_what_gave_no_document_is_listed_newest_first_by_reason_and_site(corpus: Corpus) -> None:
    """As many as are asked for, and as many in all as the status counts."""
    one, other = Crawl(corpus), Crawl(corpus, site="b.example")
    one.visit("x", dropped("listing", detail="why"))
    other.visit("y", dropped("listing"))
    one.visit("z", dropped("no_article"))
    one.visit("text", made("text"))
    one.seed("closed")
    (lease,) = one.lease()
    corpus.frontier.fail(one.run_id, [Failure(lease, "robots")])
    listed = corpus.fetches.dropped_pages()
    assert [(page.url[-9:], page.reason) for page in listed] == [
        ("example/z", "no_article"),
        ("example/y", "listing"),
        ("example/x", "listing"),
    ]
    assert [page.url for page in corpus.fetches.dropped_pages(reasons=["listing"], sites=["a.example"])] == [X]
    assert [page.detail for page in corpus.fetches.dropped_pages(reasons=["listing"], limit=2)] == ["", "why"]
    assert corpus.fetches.dropped_pages(limit=1) == listed[:1]
    failed = corpus.fetches.failed_urls()
    assert [(page.url, page.reason, page.fetched_at) for page in failed] == [
        ("https://a.example/closed", "robots", None)
    ]
    assert corpus.fetches.failed_urls(reasons=["dns"]) == corpus.fetches.failed_urls(sites=["b.example"]) == []
    status = corpus.status()
    assert (sum(row.count for row in status.dropped), sum(row.count for row in status.failed)) == (3, 1)
