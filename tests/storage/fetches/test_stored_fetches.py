"""The fetches of some sites are those of a walk through all, in its order."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from storage.fetches import fetches
from storage.records import Failure, Fetched, Lease
from tests.storage.corpus_samples import Crawl, capture, dropped, link, made
from tests.storage.statements import executed, plan

if TYPE_CHECKING:
    from storage import Corpus

SITES = ("a.example", "b.example", "c.example")
NAMED = ((), SITES[:1], SITES[1:], SITES, ("d.example", SITES[2]))


@pytest.fixture
def nights(corpus: Corpus) -> Corpus:
    """Two nights at three sites in turns: documents, versions, drops, unread pages, waiting URLs and robots.txt."""
    for night in range(2):
        crawls = [Crawl(corpus, site) for site in SITES]
        for number in range(3):
            for crawl in crawls:
                crawl.visit(f"{number}", made(f"text {night} {crawl.site}", link(f"of-{number}", site=crawl.site)))
                crawl.visit(f"list-{number}", dropped("listing", link(f"more-{number}", site=crawl.site)))
        for crawl in crawls:
            corpus.fetches.record_fetched(
                crawl.run_id, [(Fetched(capture(f"https://{crawl.site}/robots.txt")), crawl.pointer())]
            )
            corpus.frontier.release([crawl.site])
            retried, failed, unread, *_ = crawl.lease(now=100.0)
            again = Fetched(capture(retried.fetch_url, 503), retried, retry_at=9.0, reason="status")
            corpus.fetches.record_fetched(crawl.run_id, [(again, crawl.pointer())])
            corpus.frontier.fail(crawl.run_id, [Failure(failed, "dns")])
            crawl.fetch(unread)
    return corpus


def site_of(lease: Lease | None) -> str:
    return "" if lease is None else lease.site


def test_the_fetches_of_sites_come_in_the_order_of_all(nights: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """With any outcomes and number of sites, and in pages of rows of any size."""
    drops = list(nights.fetches.drops())
    for outcomes in (None, ("document", "drop"), ("retry",)):
        every = list(nights.fetches(outcomes=outcomes))
        assert every == sorted(every, key=lambda each: each.fetch_id)
        assert {site_of(each.lease) for each in every} >= set(SITES)
        for sites, rows in product(NAMED, (4, 500)):
            monkeypatch.setattr(fetches, "PAGE_OF_ROWS", rows)
            found = list(nights.fetches(outcomes=outcomes, sites=sites))
            assert found == [each for each in every if site_of(each.lease) in sites]
            assert list(nights.fetches.drops(sites=sites)) == [each for each in drops if each.site in sites]


def test_the_fetches_of_a_site_are_found_by_its_urls(nights: Corpus) -> None:
    """No query walks through the URLs or fetches of other sites."""
    with executed(nights, "http_fetch") as seen:
        assert list(nights.fetches(sites=SITES[:1]))
        assert nights.fetches.dropped_pages(sites=SITES[:1])
    assert len(seen) == 3
    for statement, values in seen:
        steps = plan(nights, statement, values)
        assert not any(
            walk in steps for walk in ("SCAN http_fetch", "SCAN url", "Seq Scan on http_fetch", "Seq Scan on url")
        )
