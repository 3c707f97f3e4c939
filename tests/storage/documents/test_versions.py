"""Versions of a page and pages with many addresses: one document represents the page, and none duplicates itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.database.schema import document, duplicate_set, url
from storage.documents.decider import Target
from storage.documents.known_pages import MAX_COMPARED_PEERS, known_of
from storage.documents.selection import Selection
from tests.storage.corpus_samples import NOON, Crawl, dropped, empty, fingerprint, link, made, with_parts

if TYPE_CHECKING:
    from storage.corpus import Corpus
    from storage.records import Fingerprint, Processed

A, B, C = (f"https://a.example/{path}" for path in "abc")


def exported(corpus: Corpus, versions: str = "last", *, duplicates: bool = False) -> list[tuple[str, int, str]]:
    found = corpus.documents(Selection(versions=versions, include_duplicates=duplicates))
    return sorted((each.url.rpartition("/")[2], each.version, each.text) for each in found)


def near(text: str) -> Fingerprint:
    """The fingerprint of a text that is nearly like every other of these."""
    return fingerprint(text, bytes(range(120)), (7,))


def far(text: str, value: int) -> Fingerprint:
    return fingerprint(text, bytes([value]) * 120, (value,))


def test_exports_choose_among_versions(corpus: Corpus) -> None:
    """The last by default, the first, or all; each keeps its own id."""
    crawl = Crawl(corpus)
    for text in ("one", "two", "three"):
        crawl.visit("a", made(text))
    crawl.visit("b", made("other"))
    assert exported(corpus) == [("a", 3, "three"), ("b", 1, "other")]
    assert exported(corpus, "first") == [("a", 1, "one"), ("b", 1, "other")]
    assert exported(corpus, "all") == [("a", 1, "one"), ("a", 2, "two"), ("a", 3, "three"), ("b", 1, "other")]
    assert len({each.id for each in corpus.documents(Selection(versions="all"))}) == 4
    status = corpus.status()
    assert (status.documents, status.duplicates, status.superseded) == (2, 0, 2)


def test_a_changed_page_with_the_same_letters_makes_no_version(corpus: Corpus) -> None:
    """What counts is the fingerprint of the letters; the fetch says that the text has not changed."""
    crawl = Crawl(corpus)
    crawl.visit("a", made("Tin mới", prints=fingerprint("tinmoi")))
    crawl.visit("a", made("Tin mới!", prints=fingerprint("tinmoi")))
    assert exported(corpus, "all") == [("a", 1, "Tin mới")]
    assert [drop.reason for drop in corpus.fetches.drops()] == ["unchanged_text"]


def test_a_new_version_is_no_duplicate_of_its_elder(corpus: Corpus) -> None:
    """Nearly the same text again at the same URL: one document that stands alone, and an elder that repeats none."""
    crawl = Crawl(corpus)
    crawl.visit("a", made("a long text", prints=near("one")))
    crawl.visit("a", made("a text", prints=near("two")))
    versions = {each.version: each for each in corpus.documents(Selection(versions="all"))}
    assert {number: (each.duplicates, each.duplicate_of) for number, each in versions.items()} == {
        1: (1, None),
        2: (1, None),
    }
    assert exported(corpus) == [("a", 2, "a text")]
    assert corpus.status().duplicates == 0
    assert corpus.problems() == []


def test_a_copy_of_a_text_that_was_changed_since_stands_for_it(corpus: Corpus) -> None:
    """The longest current text represents a set; an elder version of another page does not, however long it is."""
    crawl = Crawl(corpus)
    crawl.visit("a", made("the long original", prints=near("one")))
    crawl.visit("b", made("its copy", prints=near("two")))
    assert exported(corpus) == [("a", 1, "the long original")]
    crawl.visit("a", made("now something else", prints=far("three", 9)))
    assert exported(corpus) == [("a", 2, "now something else"), ("b", 1, "its copy")]
    assert exported(corpus, "first") == [("a", 1, "the long original")]
    assert exported(corpus, "all", duplicates=True) == [
        ("a", 1, "the long original"),
        ("a", 2, "now something else"),
        ("b", 1, "its copy"),
    ]
    assert corpus.status().duplicates == 0


def test_re_extraction_compares_with_the_version_before_not_the_newest(corpus: Corpus) -> None:
    """The page was read twice and then changed. Extracted again, its second reading is still not a version."""
    crawl = Crawl(corpus)
    ids = [crawl.visit("a", made(text)) for text in ("one", "one", "two")]
    fetches = {row.fetch_id: row.lease for row in corpus.fetches()}
    again = [(fetch_id, fetches[fetch_id], made(text)) for fetch_id, text in zip(ids, ("1", "1", "2"), strict=True)]
    corpus.documents.record_processed([(fetch_id, lease, page) for fetch_id, lease, page in again if lease], again=True)
    assert exported(corpus, "all") == [("a", 1, "1"), ("a", 2, "2")]


def test_a_version_that_re_extraction_loses_gives_place_to_its_elder(corpus: Corpus) -> None:
    """The text before it is the last one then, and behind it again when it comes back."""
    crawl = Crawl(corpus)
    crawl.visit("a", made("one"))
    newest = crawl.visit("a", made("two"))
    (lease,) = (row.lease for row in corpus.fetches() if row.fetch_id == newest)
    assert lease is not None
    for page, expected in ((dropped("no_article"), ("a", 1, "one")), (made("two"), ("a", 2, "two"))):
        corpus.documents.record_processed([(newest, lease, page)], again=True)
        assert exported(corpus) == [expected]
        assert corpus.problems() == []


def variant(text: str, canonical: str | None = A, prints: Fingerprint | None = None) -> Processed:
    return made(text, canonical=canonical, prints=prints or near(text))


def test_another_address_of_a_known_page_gives_no_second_document(corpus: Corpus) -> None:
    """Its canonical link names a page of the site that is there: the drop says which, its bytes are kept."""
    crawl = Crawl(corpus)
    crawl.visit("a", variant("the page"))
    crawl.visit("b", variant("the page for print"))
    assert exported(corpus, duplicates=True) == [("a", 1, "the page")]
    (drop,) = corpus.fetches.drops()
    assert (drop.reason, drop.detail, drop.url) == ("same_page", A, B)


@pytest.mark.parametrize("group", [True, False])
def test_the_page_itself_takes_over_from_its_other_addresses(corpus: Corpus, group: bool) -> None:
    """First come the mobile and the print form, then the page: it stands, they stand back, in one group or several."""
    crawl = Crawl(corpus)
    pages = {"b": variant("mobile"), "c": variant("print"), "a": variant("the page itself")}
    if group:
        crawl.seed(*pages)
        leases = {lease.url[-1]: lease for lease in crawl.lease()}
        crawl.process([leases[path] for path in pages], list(pages.values()))
    else:
        for path, page in pages.items():
            crawl.visit(path, page)
    assert exported(corpus, duplicates=True) == [("a", 1, "the page itself")]
    assert [(drop.url, drop.reason, drop.detail) for drop in corpus.fetches.drops()] == [(C, "same_page", B)]
    assert corpus.status().documents == 1
    assert corpus.problems() == []


@pytest.mark.parametrize(
    "outcomes",
    [
        [variant("page one", prints=far("1", 1)), variant("page two of it", prints=far("2", 2))],
        [variant("one"), variant("two", canonical=None, prints=far("2", 2))],
        [variant("one"), variant("two", canonical=B, prints=far("2", 2))],
    ],
    ids=["another text", "no canonical link", "itself"],
)
def test_a_canonical_link_to_another_text_is_not_believed(corpus: Corpus, outcomes: list[Processed]) -> None:
    """A site that names one address for all its pages, or for every part of one, loses none of them."""
    crawl = Crawl(corpus)
    for path, page in zip("ab", outcomes, strict=True):
        crawl.visit(path, page)
    assert len(exported(corpus, duplicates=True)) == 2
    assert corpus.problems() == []


def test_a_canonical_link_to_another_site_is_not_believed(corpus: Corpus) -> None:
    """A page of one site of the corpus is never dropped for one of another."""
    one, other = Crawl(corpus), Crawl(corpus, site="b.example")
    one.visit("a", variant("the text"))
    other.visit("a", variant("the text again"))
    assert len(exported(corpus, duplicates=True)) == 2


def test_an_address_that_a_whole_site_names_is_compared_with_few_of_its_pages(corpus: Corpus) -> None:
    """Each of them stays, the page that has the address is still known, and what is looked at does not grow."""
    crawl = Crawl(corpus)
    crawl.visit("a", variant("the page"))
    paths = [f"other-{number}" for number in range(MAX_COMPARED_PEERS + 30)]
    crawl.seed(*paths)
    leases = crawl.lease()
    crawl.process(leases, [variant(lease.url, prints=far(lease.url, at)) for at, lease in enumerate(leases)])
    assert len(exported(corpus, duplicates=True)) == 1 + len(paths)
    crawl.visit("b", variant("the page for print"))
    (drop,) = corpus.fetches.drops()
    assert (drop.reason, drop.detail, drop.url) == ("same_page", A, B)
    target = Target(0, 0, B, "a.example", NOON, None, None)
    asked = {0: (leases[0], variant("another form"))}
    known = corpus.database.read(lambda connection: known_of(connection, [target], asked))
    assert len(known.peers[A]) == MAX_COMPARED_PEERS + 1
    assert corpus.problems() == []


def test_a_page_changed_at_another_address_is_still_the_same_page(corpus: Corpus) -> None:
    """Read again, the print form of a page that has taken over makes no version of its own."""
    crawl = Crawl(corpus)
    for path, text in (("b", "print"), ("a", "the page itself"), ("b", "print, changed")):
        crawl.visit(path, variant(text))
    assert exported(corpus, duplicates=True) == [("a", 1, "the page itself")]


visits = st.lists(
    st.tuples(st.sampled_from("abcd"), st.integers(0, 3), st.sampled_from([None, "a", "b"])), min_size=1, max_size=12
)


@settings(max_examples=25, deadline=None)
@given(visits)
def test_the_corpus_is_consistent_after_any_visits(corpus: Corpus, steps: list[tuple[str, int, str | None]]) -> None:
    """Counts, sets and representatives are right, one version of a page is current, exports are parts of each other."""
    empty(corpus)
    crawl = Crawl(corpus)
    for path, number, canonical in steps:
        prints = near(f"text {number}") if number < 2 else far(f"text {number}", number)
        crawl.visit(path, variant(f"text {number}", canonical and f"https://a.example/{canonical}", prints))
    assert corpus.problems() == []
    every = exported(corpus, "all", duplicates=True)
    for versions in ("first", "last", "all"):
        assert set(exported(corpus, versions)) <= set(exported(corpus, versions, duplicates=True)) <= set(every)
    last = exported(corpus, duplicates=True)
    assert len({path for path, _, _ in last}) == len(last) == corpus.status().documents
    assert len(exported(corpus)) == corpus.status().documents - corpus.status().duplicates
    with corpus.database.snapshot() as connection:
        sets = sa.select(sa.func.sum(duplicate_set.c.size))
        current = sa.select(sa.func.count()).where(document.c.superseded.is_(False))
        assert connection.execute(sets).scalar_one() == connection.execute(current).scalar_one() == len(last)


def test_a_mobile_address_is_not_asked_for_where_the_page_is_known(corpus: Corpus) -> None:
    """Known before, or found on the same page; where only the mobile address is known, it is followed."""
    crawl = Crawl(corpus)
    crawl.seed("start")
    known = link("page")
    mobile = replace(link("page", site="m.a.example"), twin=known.url)
    alone = replace(link("other", site="m.a.example"), twin="https://a.example/other")
    crawl.process(crawl.lease(), [dropped("listing", mobile, known, alone)])
    with corpus.database.snapshot() as connection:
        urls = set(connection.execute(sa.select(url.c.url)).scalars())
    assert urls == {"https://a.example/start", known.url, alone.url}


def test_the_languages_of_the_lines_come_back(corpus: Corpus) -> None:
    """Repeated ones are stored once, and come back one a line; a document without them says so."""
    crawl = Crawl(corpus)
    languages = ("vi 0.98 Latn 1.00",) * 12 + ("en 0.97 Latn 1.00", "vi 0.98 Latn 1.00")
    crawl.visit("a", with_parts(made("text " * 60), languages=languages, foreign_share=0.125))
    crawl.visit("b", made("other " * 60))
    mixed, unknown = sorted(corpus.documents(), key=lambda document: document.url)
    assert (mixed.languages, mixed.foreign_share, mixed.mixed) == (languages, 0.125, 1)
    assert (unknown.languages, unknown.foreign_share, unknown.mixed) == ((), None, None)


STORY = "\n".join(f"Paragraph {number} of the report on the harbour says what was decided." for number in range(15))
TEASER = "\n".join(STORY.splitlines()[:2]) + "\nSubscribe to read on."


def test_a_teaser_does_not_replace_the_full_text(corpus: Corpus) -> None:
    """It is stored as a shortened version; the full one stays current, also when either of them is seen again."""
    crawl = Crawl(corpus)
    for text in (STORY, TEASER, TEASER, STORY, TEASER):
        crawl.visit("a", made(text))
        assert exported(corpus) == [("a", 1, STORY)]
        assert corpus.problems() == []
    assert exported(corpus, "all") == [("a", 1, STORY), ("a", 2, TEASER)]
    reasons = [row.reason for row in corpus.fetches()]
    assert reasons == [None, "shortened", *["unchanged_text"] * 3]
    crawl.visit("a", made(TEASER.replace("harbour", "port")))
    crawl.visit("a", made(STORY + "\nThe mayor has answered since."))
    assert [version for _, version, _ in exported(corpus)] == [4]
    assert corpus.status().superseded == 3
    assert corpus.problems() == []


def test_a_teaser_takes_the_place_of_a_full_text_that_was_removed(corpus: Corpus) -> None:
    """It is current then; the text that came after the two stays current when the first is removed."""
    crawl = Crawl(corpus)
    full = {path: crawl.visit(path, made(f"{path} {STORY}")) for path in "ab"}
    for path in "ab":
        crawl.visit(path, made(f"{path} {TEASER}"))
    crawl.visit("b", made(f"b {STORY} and {STORY}"))
    leases = {row.fetch_id: row.lease for row in corpus.fetches()}
    gone = [(number, leases[number], dropped("no_article")) for number in full.values()]
    corpus.documents.record_processed([(number, lease, page) for number, lease, page in gone if lease], again=True)
    assert [(path, version) for path, version, _ in exported(corpus)] == [("a", 2), ("b", 3)]
    assert corpus.problems() == []


def test_re_extraction_keeps_a_shortened_version_shortened(corpus: Corpus) -> None:
    """Both texts are made again; the full one is still the one that is exported."""
    crawl = Crawl(corpus)
    ids = [crawl.visit("a", made(text)) for text in (STORY, TEASER)]
    leases = {row.fetch_id: row.lease for row in corpus.fetches()}
    again = [(number, leases[number], made(f"{text}!")) for number, text in zip(ids, (STORY, TEASER), strict=True)]
    corpus.documents.record_processed([(number, lease, page) for number, lease, page in again if lease], again=True)
    assert exported(corpus) == [("a", 1, f"{STORY}!")]
    assert [row.reason for row in corpus.fetches()] == [None, "shortened"]
    assert corpus.problems() == []


def test_the_full_text_of_a_shortened_page_has_the_terms_of_today(corpus: Corpus) -> None:
    """A page that reserves its use when it shows a teaser reserves that of the full text, too."""
    crawl = Crawl(corpus)
    crawl.visit("a", made(STORY))
    crawl.visit("a", made(TEASER, tdm=1, tdm_source="meta"))
    assert exported(corpus) == [("a", 1, STORY)]
    assert not list(corpus.documents(Selection(without_reserved=True)))
