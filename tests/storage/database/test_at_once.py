"""What programs do to one corpus in PostgreSQL at the same moment. SQLite has one of them write at a time, and shows
one moment to who reads.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg
import pytest
import sqlalchemy as sa

from storage import failpoints
from storage.corpus import Corpus
from storage.database import copy as transfer
from storage.errors import ConfigError
from storage.records import Fetched, Lease
from storage.removal.affected_pages import RemovalRequest, RequestKind
from tests.corpus_spider.running import PATIENCE, until
from tests.storage.corpus_samples import Crawl, capture, made, seed

if TYPE_CHECKING:
    from collections.abc import Callable

WAITING = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def until_over_or_waiting(url: str, work: threading.Thread) -> None:
    """Wait until what a thread does to a database is done, or waits for somebody's lock."""
    with psycopg.connect(url, autocommit=True) as asking:
        until(lambda: not work.is_alive() or asking.execute(WAITING).fetchone() != (0,))


def before_commit(monkeypatch: pytest.MonkeyPatch, url: str, meanwhile: Callable[[], object]) -> list[threading.Thread]:
    """Have another program do something when texts are written and not committed; return its thread once begun."""
    begun = list[threading.Thread]()

    def reach(name: str) -> None:
        if name == "before_processed_commit" and not begun:
            begun.append(threading.Thread(target=meanwhile))
            begun[0].start()
            until_over_or_waiting(url, begun[0])

    monkeypatch.setattr(failpoints, "reach", reach)
    return begun


def test_a_text_that_comes_in_while_its_removal_is_declared_goes_with_the_others(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be in the corpus, and in every export, of a domain that was removed and is never looked at again."""
    with Corpus.open(postgresql_url, create=True) as corpus, Corpus.open(postgresql_url) as other:
        crawl = Crawl(corpus)
        crawl.visit("one", made("the first text"))
        asked = RemovalRequest(RequestKind.DOMAIN, "a.example", "asked")
        removing = before_commit(monkeypatch, postgresql_url, lambda: other.removals.declare(asked))
        crawl.visit("two", made("the second text"))
        removing[0].join(PATIENCE)
        other.removals.withdraw()
        assert list(corpus.documents()) == []
        assert len(corpus.removals.documents()) == 2


def test_duplicate_sets_are_right_when_a_text_goes_while_its_like_comes(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A removal and a crawl of another site count the members of one set, neither seeing what the other does."""
    with Corpus.open(postgresql_url, create=True) as corpus, Corpus.open(postgresql_url) as other:
        crawl, elsewhere = Crawl(corpus), Crawl(corpus, site="b.example")
        for path in ("one", "two"):
            crawl.visit(path, made("the same text"))
        other.removals.declare(RemovalRequest(RequestKind.URL, seed("one").url, "asked"))
        removing = before_commit(monkeypatch, postgresql_url, other.removals.withdraw)
        elsewhere.visit("three", made("the same text"))
        removing[0].join(PATIENCE)
        assert [document.duplicates for document in corpus.documents()] == [2]
        assert [each for each in corpus.problems() if "set" in each] == []


def test_who_counts_sees_one_moment(corpus: Corpus) -> None:
    """Of texts that come in between two counts there would be fewer than of the sets that they make: minus one of them
    repeated another.
    """
    crawl = Crawl(corpus)
    crawl.visit("one", made("the first text"))
    coming = ["two"]

    def meanwhile(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if coming and "FROM document" in statement:
            crawl.visit(coming.pop(), made("the second text"))

    sa.event.listen(corpus.database.engine, "after_cursor_execute", meanwhile)
    status = corpus.status()
    assert (status.documents, status.duplicates, coming) == (1, 0, [])
    assert corpus.status().documents == 2


def test_of_two_copies_into_one_empty_database_one_is_reported_so(
    corpus: Corpus, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have found it empty: the second would wait for the first, and end with an error about a value."""
    Crawl(corpus).visit("one", made("the first text"))
    done = transfer._continue_numbering
    refused = list[str]()

    def second(connection: sa.Connection) -> None:
        with pytest.raises(ConfigError) as caught, Corpus.open(postgresql_url) as other:
            transfer.transfer(corpus.database, other.database)
        refused.append(caught.value.what)
        done(connection)

    monkeypatch.setattr(transfer, "_continue_numbering", second)
    with Corpus.open(postgresql_url, create=True) as copy:
        transfer.transfer(corpus.database, copy.database)
        assert refused == ["another program is writing to this database"]
        assert copy.status() == corpus.status()


def test_a_url_is_leased_to_one_of_two_runs(postgresql_url: str) -> None:
    """One that has lost its locks, and does not know yet, looks for what is due when the other is about to take it."""
    with Corpus.open(postgresql_url, create=True) as corpus, Corpus.open(postgresql_url) as other:
        crawl, rival = Crawl(corpus), Crawl(other)
        crawl.seed("one", "two")
        taken = list[Lease]()

        def meanwhile(_connection: object, _cursor: object, statement: str, *_: object) -> None:
            if not taken and "lease_id" in statement:
                taken.extend(rival.lease())

        sa.event.listen(corpus.database.writer, "after_cursor_execute", meanwhile)
        assert (len(crawl.lease()), len(taken)) == (0, 2)


def test_an_original_that_goes_while_its_page_is_asked_for_is_asked_about_no_more(corpus: Corpus) -> None:
    """A crawl of other sites removes by rule what is old: from then on the page is asked for in full."""
    crawl = Crawl(corpus)
    crawl.visit("one", made("the first text"))
    crawl.seed("one")
    (lease,) = crawl.lease()
    assert lease.original is not None
    corpus.warc.remove(crawl.pointer().warc, "older than 90 days")
    unchanged = Fetched(capture(lease.fetch_url, 304), lease, original=lease.original)
    corpus.fetches.record_fetched(crawl.run_id, [(unchanged, replace(crawl.pointer(), warc="next.warc.gz"))])
    crawl.seed("one")
    assert [lease.original for lease in crawl.lease()] == [None]
