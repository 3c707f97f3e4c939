"""A run that another run has replaced records nothing as its own: the database knows whose each lease is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from storage.fetches.fetches import NOT_RECORDED
from storage.reasons import LEASE_LOST
from storage.records import Fetched
from tests.storage.corpus_samples import Crawl, capture, made

if TYPE_CHECKING:
    from collections.abc import Callable

    from storage import Corpus
    from storage.records import Lease


def released(before: Crawl, after: Crawl, lease: Lease) -> None:
    before.corpus.frontier.release([before.site])


def leased(before: Crawl, after: Crawl, lease: Lease) -> None:
    released(before, after, lease)
    assert [each.url_id for each in after.lease()] == [lease.url_id]


def fetched(before: Crawl, after: Crawl, lease: Lease) -> None:
    released(before, after, lease)
    after.fetch(*after.lease())


def processed(before: Crawl, after: Crawl, lease: Lease) -> None:
    released(before, after, lease)
    after.process(after.lease(), [made("the text of the other run")])


@pytest.mark.parametrize("meanwhile", [released, leased, fetched, processed])
def test_a_page_that_another_run_has_is_kept_as_an_orphan(
    corpus: Corpus, meanwhile: Callable[[Crawl, Crawl, Lease], None]
) -> None:
    """The rest of the group is recorded. The page stays what the other run made of it."""
    crawl = Crawl(corpus)
    crawl.seed("page")
    (lease,) = crawl.lease()
    meanwhile(crawl, Crawl(corpus), lease)
    before = list(corpus.documents()), [each.outcome for each in corpus.fetches()]
    robots = capture("https://a.example/robots.txt")
    group = [(each, crawl.pointer()) for each in (Fetched(capture(lease.fetch_url), lease), Fetched(robots))]
    ids = corpus.fetches.record_fetched(crawl.run_id, group)
    assert (ids[0], ids[1] > 0) == (NOT_RECORDED, True)
    *earlier, orphan, of_robots = corpus.fetches()
    assert (list(corpus.documents()), [each.outcome for each in earlier]) == before
    assert (orphan.pointer, orphan.outcome, orphan.reason) == (group[0][1], "orphan", LEASE_LOST)
    assert of_robots.uri == robots.url
    assert corpus.fetches.undecided_orphans(10) == []


def test_a_held_lease_is_recorded_once_also_when_the_answer_to_the_commit_was_lost(corpus: Corpus) -> None:
    crawl = Crawl(corpus)
    crawl.seed("page")
    (lease,) = crawl.lease()
    group = [(Fetched(capture(lease.fetch_url), lease), crawl.pointer())]
    ids = corpus.fetches.record_fetched(crawl.run_id, group)
    assert corpus.fetches.record_fetched(crawl.run_id, group) == ids
    assert [each.reason for each in corpus.fetches()] == [None]
