"""Rejected values: the group is stored, and only the rows that the database refuses are dropped with a reason."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.database.rejected_rows import NotStorableError, write_apart
from storage.errors import DatabaseError
from storage.fetches.fetches import Orphan
from storage.records import Fetched, Link, Metadata, Processed, Terms, UrlState
from tests.storage.corpus_samples import Crawl, capture, document, dropped, empty, fingerprint, link, made

if TYPE_CHECKING:
    from collections.abc import Sequence

    from storage.corpus import Corpus

LONG = "".join(chr(0x4E00 + number * 7919 % 20000) for number in range(40_000))
"""Text that no index entry can hold, compressed or not."""
AWKWARD = ("\x00", "\ud800", "\udfff\udc00", "\ufffe", "\x1b[2J", "'; DROP TABLE url; --", '{"a": "\\u0000"}', LONG)
texts = st.one_of(st.sampled_from(AWKWARD), st.text(st.characters(exclude_categories=()), max_size=40))
numbers = st.sampled_from((0.0, 1.0, math.nan, math.inf, -math.inf, 1e308))
wholes = st.sampled_from((0, 1, -1, 2**31, 2**63, -(2**63) - 1, 10**30))
FROM_TEXT = ("title", "author", "published", "published_text", "canonical", "licence_url", "tdm_policy")


@st.composite
def pages(draw: st.DrawFn) -> Processed:
    """An outcome as a worker may give it back that hostile bytes have taken over: any value the types allow."""
    stated = Metadata(**{name: draw(st.none() | texts) for name in FROM_TEXT}, tdm=draw(st.none() | wholes))
    stated = replace(stated, directives=tuple(draw(st.lists(texts, max_size=2))))
    plain = document(draw(texts))
    prints = replace(
        fingerprint(draw(texts), draw(st.binary(max_size=9)), tuple(draw(st.lists(wholes, max_size=3)))),
        shingles=draw(wholes),
        exact=draw(st.binary(max_size=20)),
    )
    guess = replace(plain.language, language=draw(texts), confidence=draw(numbers), script=draw(texts))
    made_of = {name: draw(texts) for name in ("extractor", "extractor_reason", "encoding", "kinds")}
    found = replace(plain, metadata=stated, fingerprint=prints, language=guess, replaced=draw(numbers), **made_of)
    found = replace(found, confidence=draw(numbers), captions=tuple(draw(st.lists(texts, max_size=2))))
    links = draw(st.lists(st.builds(Link, texts, texts, texts, dated=st.none() | texts, rank=wholes), max_size=3))
    if draw(st.booleans()):
        return Processed(document=found, links=tuple(links))
    return dropped(draw(texts), *links, detail=draw(texts))


@settings(max_examples=25, deadline=None)
@given(hostile=st.lists(pages(), min_size=1, max_size=3))
def test_no_page_ends_a_run_for_what_is_in_it(corpus: Corpus, hostile: list[Processed]) -> None:
    """Every page of the group has an outcome, those around the hostile ones their documents."""
    empty(corpus)
    crawl = Crawl(corpus)
    crawl.seed(*(str(number) for number in range(len(hostile) + 2)))
    leases = crawl.lease()
    ids = crawl.fetch(*leases)
    outcomes = [made("the first good text"), *hostile, made("the last good text", link("next"))]
    stored = corpus.documents.record_processed(list(zip(ids, leases, outcomes, strict=True)))
    assert corpus.fetches.unprocessed() == []
    assert stored[ids[0]].document
    assert stored[ids[-1]].document
    assert {"the first good text", "the last good text"} <= {each.text for each in corpus.documents()}
    states = corpus.frontier.counts()["a.example"]
    assert states[UrlState.DONE] == len(leases)
    assert corpus.problems() == []


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_no_exchange_ends_a_run_for_what_is_in_it(corpus: Corpus, data: st.DataObject) -> None:
    """With any status, headers, address and terms, the row is there and the page awaits processing."""
    empty(corpus)
    crawl = Crawl(corpus)
    crawl.seed("a", "b")
    group: list[Any] = []
    for lease in crawl.lease():
        names = st.sampled_from(("Content-Type", "ETag", "Last-Modified", "X-Other"))
        changed = replace(
            capture(data.draw(texts)),
            status=data.draw(wholes),
            response_headers=tuple(data.draw(st.lists(st.tuples(names, texts), max_size=3))),
            ip=data.draw(st.none() | texts),
            truncated=data.draw(st.none() | texts),
            terms=data.draw(st.none() | st.builds(Terms, texts, texts, st.none() | wholes, st.none() | texts)),
        )
        group.append((Fetched(changed, lease), crawl.pointer()))
    ids = corpus.fetches.record_fetched(crawl.run_id, group)
    assert [page.fetch_id for page in corpus.fetches.unprocessed()] == ids
    assert corpus.fetches.record_fetched(crawl.run_id, group) == ids


def test_what_a_database_refuses_is_a_drop_that_keeps_the_links(corpus: Corpus) -> None:
    """The page counts as not storable; what it leads to is found all the same."""
    crawl = Crawl(corpus)
    crawl.visit("bad", made("text", link("next"), prints=replace(fingerprint("text"), shingles=10**30)))
    (drop,) = corpus.fetches.drops()
    assert drop.reason == "not_storable"
    assert drop.detail
    assert [lease.url for lease in crawl.lease()] == ["https://a.example/next"]


def test_a_page_that_was_not_storable_becomes_a_document_once_it_is(corpus: Corpus) -> None:
    """Re-extraction gives it another chance."""
    crawl = Crawl(corpus)
    fetch_id = crawl.visit("bad", made("text", prints=replace(fingerprint("text"), bands=(2**70,))))
    (stored,) = corpus.fetches(outcomes=("drop",))
    assert stored.lease
    corpus.documents.record_processed([(fetch_id, stored.lease, made("text"))], again=True)
    assert [each.text for each in corpus.documents()] == ["text"]


def test_an_orphan_with_a_status_no_column_holds_does_not_stop_recovery(corpus: Corpus) -> None:
    """A server may state any number, and a kill may come between the record and its row."""
    crawl = Crawl(corpus)
    orphans = [Orphan("https://a.example/", crawl.pointer(), 10**20, datetime(2026, 1, 2, tzinfo=UTC))]
    assert corpus.fetches.add_orphans(None, orphans) == 1


def test_a_canonical_address_longer_than_an_index_takes_costs_its_page_alone(corpus: Corpus) -> None:
    """SQLite takes any, PostgreSQL some 2700 bytes."""
    crawl = Crawl(corpus)
    crawl.visit("x", made("text", canonical="https://a.example/" + LONG))
    crawl.visit("y", made("other"))
    assert "other" in {each.text for each in corpus.documents()}
    assert [drop.reason for drop in corpus.fetches.drops()] == ([] if corpus.database.is_sqlite else ["not_storable"])


@pytest.mark.parametrize("bad", [set(), {0}, {6}, {2, 3}, set(range(7))])
def test_a_group_is_parted_down_to_what_is_refused(bad: set[int]) -> None:
    """In order, with a replacement for each item that is refused and for no other."""
    written: list[int] = []

    def write(part: Sequence[int]) -> int:
        if bad & set(part):
            raise NotStorableError("bad")
        written.extend(part)
        return len(part)

    parts = write_apart(write, range(7), lambda item, _: [item + 100])
    assert written == [each + 100 if each in bad else each for each in range(7)]
    assert [each for part, _ in parts for each in part] == written


def test_what_is_refused_in_any_form_is_an_error() -> None:
    """When no replacement is accepted the fault is not in the page."""

    def write(part: Sequence[int]) -> None:
        raise NotStorableError("bad")

    with pytest.raises(NotStorableError):
        write_apart(write, [1, 2], lambda item, _: [item, item])


def test_an_error_that_is_no_refusal_is_not_parted(corpus: Corpus) -> None:
    """A table that is missing is the database's fault, not a page's."""
    crawl = Crawl(corpus)
    crawl.seed("x")
    leases = crawl.lease()
    ids = crawl.fetch(*leases)
    rename = "ALTER TABLE document RENAME TO elsewhere"
    corpus.database.write(lambda connection: connection.execute(sa.text(rename)))
    try:
        with pytest.raises(DatabaseError) as caught:
            corpus.documents.record_processed([(ids[0], leases[0], made("text"))])
        assert not isinstance(caught.value, NotStorableError)
    finally:
        back = "ALTER TABLE elsewhere RENAME TO document"
        corpus.database.write(lambda connection: connection.execute(sa.text(back)))
    assert len(corpus.fetches.unprocessed()) == 1
