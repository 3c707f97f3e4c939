"""Better metadata from a later visit with the same text, and from originals read again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from storage.removal.affected_pages import RemovalRequest, RequestKind
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    from storage.corpus import Corpus

URL = "https://a.example/a"
Stated = dict[str, Any]


def dated(day: str, source: str, confidence: float) -> Stated:
    return {"published": day, "published_source": source, "published_confidence": confidence}


META, TEXT = dated("2026-03-01", "meta", 0.95), dated("2026-02-27", "text", 0.81)
RULED = dated("2026-02-25", "rules", 0.85)
AGE, LATER_AGE = dated("2026-02-26", "age", 0.45), dated("2026-02-28", "age", 0.45)


def state(corpus: Corpus) -> tuple[str | None, str | None, str | None]:
    found = corpus.documents.find(URL)
    assert found is not None
    return found.title, found.author, found.date


def past(corpus: Corpus) -> list[tuple[str, str | None, str]]:
    found = corpus.documents.find(URL)
    assert found is not None
    return [(one.field, one.old, one.reason) for one in corpus.documents.history(found.id)]


@pytest.mark.parametrize(
    ("first", "second", "expected", "history"),
    [
        ({}, META, "2026-03-01", [("date", None, "missing")]),
        ({}, AGE, "2026-02-26", [("date", None, "missing")]),
        (TEXT, META, "2026-03-01", [("date", "2026-02-27", "surer")]),
        (AGE, TEXT, "2026-02-27", [("date", "2026-02-26", "surer")]),
        (AGE, LATER_AGE, "2026-02-26", []),
        (META, TEXT, "2026-03-01", []),
        (META, {}, "2026-03-01", []),
        (META, RULED, "2026-02-25", [("date", "2026-03-01", "surer")]),
        (RULED, META, "2026-02-25", []),
    ],
)
def test_only_a_surer_date_replaces_a_date(
    corpus: Corpus, first: Stated, second: Stated, expected: str, history: list[tuple[str, str | None, str]]
) -> None:
    """A missing one is healed by any, and a later age heals nothing. The day for selections follows."""
    crawl = Crawl(corpus)
    crawl.visit("a", made("text", **first))
    crawl.visit("a", made("text", **second))
    assert (state(corpus)[2], past(corpus)) == (expected, history)
    assert [drop.detail for drop in corpus.fetches.drops()] == (["healed: date"] if history else [""])
    assert corpus.problems() == []


@pytest.mark.parametrize(
    ("field", "first", "second", "healed"),
    [
        ("title", "title-element", "heading", True),
        ("title", "heading", "heading", True),
        ("title", "heading", "title-element", False),
        ("title", None, "meta", True),
        ("author", "byline", "json-ld", True),
        ("author", "json-ld", "json-ld", True),
        ("author", "json-ld", "signature", False),
        ("author", "marked", None, False),
        ("title", "heading", "rules", True),
        ("title", "rules", "heading", False),
        ("author", "rules", "json-ld", False),
    ],
)
def test_a_title_or_author_of_a_less_trusted_place_replaces_none(
    corpus: Corpus, field: str, first: str | None, second: str | None, *, healed: bool
) -> None:
    """A page that once shows its heading, and once only its title element, keeps the heading."""
    crawl = Crawl(corpus)
    crawl.visit("a", made("text", **{field: "One", f"{field}_source": first}))
    crawl.visit("a", made("text", **{field: "Two", f"{field}_source": second}))
    found = corpus.documents.find(URL)
    assert found is not None
    assert getattr(found, field) == ("Two" if healed else "One")
    assert getattr(found, f"{field}_source") == (second if healed else first)


def test_an_original_read_again_gives_the_source_of_its_title(corpus: Corpus) -> None:
    """A text that was stored before places were recorded gets them, and no value changes."""
    crawl = Crawl(corpus)
    number = crawl.visit("a", made("text", title="One"))
    leases = {row.fetch_id: row.lease for row in corpus.fetches() if row.lease}
    again = [(number, leases[number], made("text", title="One", title_source="heading"))]
    assert corpus.documents.reread(again) == {}
    found = corpus.documents.find(URL)
    assert found is not None
    assert (found.title, found.title_source, past(corpus)) == ("One", "heading", [])


def test_earlier_titles_and_authors_are_kept_and_removed_with_the_document(corpus: Corpus) -> None:
    """Each replaced value is there with its reason. A removal deletes them: names are personal data."""
    crawl = Crawl(corpus)
    crawl.visit("a", made("text", title="Old"))
    crawl.visit("a", made("text", title="New", author="An Binh", authors=("An Binh",)))
    assert state(corpus) == ("New", "An Binh", None)
    assert past(corpus) == [("author", None, "missing"), ("title", "Old", "restated")]
    corpus.removals.declare(RemovalRequest(RequestKind.URL, URL, "asked"))
    corpus.removals.withdraw()
    with corpus.database.writer.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM metadata_change").scalar() == 0


def test_a_healed_author_who_was_removed_removes_the_page(corpus: Corpus) -> None:
    """The first visit had no author. The second names the author, and `remove` has to empty both originals."""
    crawl = Crawl(corpus)
    corpus.removals.declare(RemovalRequest(RequestKind.AUTHOR, "An Binh", "asked"))
    crawl.visit("a", made("text"))
    crawl.visit("a", made("text", author="An Binh", authors=("An Binh",)))
    assert corpus.documents.find(URL) is None
    assert sum(map(len, corpus.removals.unscrubbed().values())) == 2


def test_an_original_read_again_heals_and_does_not_undo_a_later_visit(corpus: Corpus) -> None:
    """Its own text stays. Another reading of the first visit does not replace the date of the second."""
    crawl = Crawl(corpus)
    first = crawl.visit("a", made("text", **AGE))
    second = crawl.visit("a", made("text", **META))
    leases = {row.fetch_id: row.lease for row in corpus.fetches() if row.lease}
    again = [(first, leases[first], made("other text", title="T", **TEXT)), (second, leases[second], made("x", **META))]
    assert corpus.documents.reread(again) == {first: ("title",)}
    assert corpus.documents.reread(again) == {}
    assert state(corpus) == ("T", None, "2026-03-01")
    corpus.documents.record_processed([(first, leases[first], made("text", **TEXT))], again=True)
    assert state(corpus)[2] == "2026-03-01"
    assert [each.text for each in corpus.documents()] == ["text"]


def test_a_removed_author_is_not_kept_in_the_history_of_other_documents(corpus: Corpus) -> None:
    """The page was first read with a wrong author. It stays, and the removal of that author deletes the name."""
    crawl = Crawl(corpus)
    crawl.visit("a", made("text", author="An Binh", authors=("An Binh",)))
    crawl.visit("a", made("text", author="Lan Pham", authors=("Lan Pham",)))
    crawl.visit("a", made("text", author="Bo Ek", authors=("Bo Ek",)))
    corpus.removals.declare(RemovalRequest(RequestKind.AUTHOR, "AN BINH", "asked"))
    corpus.removals.withdraw()
    assert state(corpus)[1] == "Bo Ek"
    assert past(corpus) == [("author", "Lan Pham", "restated")]
