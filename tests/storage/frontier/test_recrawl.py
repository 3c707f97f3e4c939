"""Recrawl from night to night: which URLs, with which validators, and the outcome of an unchanged response."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from storage.database.schema import url
from storage.frontier.recrawl_schedule import DAY, HOUR, Schedule
from storage.frontier.validators import UNTRUE
from storage.frontier.visit_results import MAX_SUBSECTIONS
from storage.records import Failure, Fetched, Kind, Lease, Link, Processed
from tests.storage.corpus_samples import Crawl, capture, dropped, link, made, seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from storage.corpus import Corpus
    from storage.database.transactions import AnyRow
    from storage.records import Pointer

FIRST_NIGHT = datetime(2026, 3, 1, 2, tzinfo=UTC)
HEADERS = (("Content-Type", "text/html"), ("ETag", '"v1"'), ("Last-Modified", "Sat, 28 Feb 2026 10:00:00 GMT"))


def night(number: float) -> datetime:
    return FIRST_NIGHT + number * timedelta(days=1)


def path_of(address: str) -> str:
    return address.rpartition("/")[2]


def row_of(corpus: Corpus, path: str) -> AnyRow:
    statement = sa.select(url).where(url.c.url == f"https://a.example/{path}")
    return corpus.database.read(lambda connection: connection.execute(statement).one())


class Nights(Crawl):
    """A corpus crawled night by night: sources are named once, what is due is woken, leased and answered."""

    def begin(self, number: float, *, sources: bool = False) -> list[Lease]:
        now = night(number).timestamp()
        self.corpus.frontier.wake([self.site], now, sources=sources)
        return self.lease(now=now)

    def answer(self, lease: Lease, number: float, outcome: Processed, **changes: object) -> None:
        fetched = replace(capture(lease.fetch_url), fetched_at=night(number), response_headers=HEADERS, **changes)  # type: ignore[arg-type]
        (fetch_id,) = self.corpus.fetches.record_fetched(self.run_id, [(Fetched(fetched, lease), self.pointer())])
        self.corpus.documents.record_processed([(fetch_id, lease, outcome)])

    def unchanged(self, lease: Lease, number: float, status: int = 304, headers: object = ()) -> Pointer:
        assert lease.original is not None
        changes = {"fetched_at": night(number), "status": status, "response_headers": headers}
        fetched = Fetched(replace(capture(lease.fetch_url), **changes), lease, original=lease.original)  # type: ignore[arg-type]
        pointer = self.pointer()
        self.corpus.fetches.record_fetched(self.run_id, [(fetched, pointer)])
        return pointer

    def run(self, number: float, outcome: Callable[[Lease], Processed], *, sources: bool = False) -> list[str]:
        """Do a whole night; return the paths that were asked for, in order."""
        asked = []
        leases = self.begin(number, sources=sources)
        while leases:
            for lease in leases:
                asked.append(path_of(lease.url))
                self.answer(lease, number, outcome(lease))
            leases = self.lease(now=night(number).timestamp())
        return asked


def paper(articles: int) -> Callable[[Lease], Processed]:
    """A feed that names so many articles, and their texts."""

    def outcome(lease: Lease) -> Processed:
        if lease.kind is Kind.FEED:
            return dropped("feed", *(link(f"article{number}") for number in range(articles)))
        return made(f"text of {lease.url}")

    return outcome


def test_a_night_reads_the_feed_and_what_is_new(corpus: Corpus) -> None:
    """Known articles are not fetched again, and a second crawl right after does nothing."""
    nights = Nights(replace(corpus, schedule=Schedule(reread=())))
    nights.seed("feed", kind=Kind.FEED)
    assert nights.run(0, paper(2)) == ["feed", "article0", "article1"]
    assert nights.run(0.001, paper(2)) == []
    assert nights.run(1, paper(3)) == ["feed", "article2"]
    assert nights.run(1.001, paper(9), sources=True)[0] == "feed"


def test_young_articles_are_read_again_and_then_never(corpus: Corpus) -> None:
    """After one and three days, at the first crawl that comes; then there is nothing due any more."""
    nights = Nights(corpus)
    nights.seed("feed", kind=Kind.FEED)
    assert "article0" in nights.run(0, paper(1))
    asked = [number for number in range(1, 30) if "article0" in nights.run(number, paper(1))]
    assert asked == [1, 3]
    assert row_of(corpus, "article0").due_again is None


def test_an_article_that_is_named_before_it_is_there_is_asked_for_again(corpus: Corpus) -> None:
    """A feed names it, the server does not have it yet; it is asked for like other young articles, and then never."""
    nights = Nights(corpus)
    nights.seed("feed", kind=Kind.FEED)

    def late(lease: Lease) -> Processed:
        return paper(1)(lease) if lease.kind is Kind.FEED else dropped("http_404")

    assert "article0" in nights.run(0, late)
    assert [number for number in range(1, 9) if "article0" in nights.run(number, late)] == [1, 3]
    assert row_of(corpus, "article0").due_again is None


@pytest.mark.parametrize(
    ("reason", "nights_asked"),
    [
        ("firewall", [1, 3]),
        ("http_401", [1, 3]),
        ("http_206", [1, 3]),
        ("http_304", [1, 3]),
        ("body_truncated", [1, 3]),
        ("soft_404", [1, 3]),
        ("script_only", [1, 3]),
        ("paywall", [1, 3]),
        ("blank", [1, 3]),
        ("no_article", []),
        ("language", []),
        ("not_html", []),
        ("same_page", []),
    ],
)
@pytest.mark.parametrize("named_by", ["feed", "start", "section"])
def test_a_new_article_that_was_refused_or_damaged_is_fetched_again(
    corpus: Corpus, named_by: str, reason: str, nights_asked: list[int]
) -> None:
    """Such a page was never fetched again, though its source still named it. A final reason stays final."""
    nights = Nights(corpus)
    nights.seed("feed" if named_by == "feed" else "start", kind=Kind.FEED if named_by == "feed" else Kind.PAGE)
    pages = {named_by: dropped("listing", replace(link("article"), dated="2026-01-05" if named_by == "feed" else None))}
    pages = {"start": dropped("listing", link("section")), "article": dropped(reason)} | pages
    asked = [number for number in range(9) if "article" in nights.run(number, lambda lease: pages[path_of(lease.url)])]
    assert asked == [0, *nights_asked]
    assert row_of(corpus, "article").due_again is None


def test_a_page_that_was_refused_or_damaged_is_asked_for_in_full(corpus: Corpus) -> None:
    """Its server would answer "not modified" to the ETag of a body that was cut on the way."""
    nights = Nights(corpus)
    nights.seed("feed", kind=Kind.FEED)
    pages = {"feed": dropped("feed", link("cut"), link("whole")), "cut": dropped("body_truncated")}
    nights.run(0, lambda lease: pages.get(path_of(lease.url), made("a text")))
    in_full = {path_of(lease.url): lease.original.in_full for lease in nights.begin(1) if lease.original}
    assert (in_full["cut"], in_full["whole"]) == (True, False)


@pytest.mark.parametrize("reason", ["paywall", "http_403"])
def test_pages_that_stay_refused_cost_three_visits_each(corpus: Corpus, reason: str) -> None:
    """A paper behind a wall names 50 pages and 5 more a night, and goes on naming all of them."""
    nights = Nights(corpus)
    nights.seed("feed", kind=Kind.FEED)
    asked = []
    for number in range(10):
        links = [link(f"article{at}") for at in range(50 + 5 * number)]
        names = dropped("feed", *links)
        asked.append(
            nights.run(number, lambda lease, names=names: names if lease.kind is Kind.FEED else dropped(reason))  # type: ignore[misc]
        )
    assert [len(paths) - 1 for paths in asked] == [50, 55, 10, 60, 15, 15, 15, 15, 15, 15]
    visits = Counter(path for paths in asked for path in paths if path != "feed")
    assert max(visits.values()) == 3


@pytest.mark.parametrize("dated", [None, "2026-03-05"])
def test_a_page_that_was_gone_is_asked_for_again_when_a_feed_names_it(corpus: Corpus, dated: str | None) -> None:
    """A link led to it too early: once more for the sitemap, once for the feed, however often they name it.

    With a date it is known to be young, and what is left of the tries of a young article is made.
    """
    nights = Nights(corpus)
    nights.seed("start")
    nights.seed("sitemap", kind=Kind.SITEMAP)
    nights.seed("feed", kind=Kind.FEED)
    first = {"sitemap": 3, "feed": 8}

    def outcome(lease: Lease, number: int) -> Processed:
        path = path_of(lease.url)
        if path == "article":
            return dropped("http_404")
        if path == "deep":
            return made("a text", link("article"))
        named = replace(link("article"), dated=dated)
        return dropped(
            "feed", *([named] if number >= first.get(path, 99) else []), *([link("deep")] * (path == "start"))
        )

    nightly = {
        number: nights.run(number, partial(outcome, number=number), sources=number in first.values())
        for number in range(20)
    }
    asked = [number for number, paths in nightly.items() if "article" in paths]
    assert asked == ([0, 3, 8] if dated is None else [0, 3, 5, 8])
    assert row_of(corpus, "article").due_again is None


@pytest.mark.parametrize(
    ("reason", "again"), [("firewall", True), ("body_corrupt", True), ("http_500", True), ("listing", False)]
)
def test_a_feed_that_names_a_refused_page_has_it_fetched_again(corpus: Corpus, reason: str, again: bool) -> None:
    """An article led to it. What the page is for good stays."""
    nights = Nights(corpus)
    nights.seed("start")
    nights.seed("feed", kind=Kind.FEED)
    pages = {
        "start": dropped("listing", link("story")),
        "story": made("a text", link("article")),
        "article": dropped(reason),
    }
    for number, named in enumerate([(), (link("article"),)]):
        pages["feed"] = dropped("feed", *named)
        asked = nights.run(number, lambda lease: pages[path_of(lease.url)], sources=True)
    assert ("article" in asked) is again


def test_a_redirect_back_along_its_chain_is_refused_and_a_configured_url_is_followed(corpus: Corpus) -> None:
    """The text of an article is missing. Each redirect of a start page is followed again, up to the limit."""
    nights = Nights(corpus)
    nights.seed("start")
    leads = {"article": "one", "one": "two", "two": "article", "moved": "new", "home": "start"}
    pages = {path: dropped("redirect", link(target, redirect=True)) for path, target in leads.items()}
    pages |= {"start": dropped("listing", link("article"), link("moved")), "new": made("a text")}
    assert sorted(nights.run(0, lambda lease: pages[path_of(lease.url)])) == [
        *("article", "moved", "new", "one", "start", "two")
    ]
    back = "https://a.example/article"
    assert [
        (path_of(each.url), each.detail) for each in corpus.fetches.drops() if each.reason == "redirect_refused"
    ] == [("two", f"a loop, back to {back}")]
    pages["start"] = dropped("redirect", link("home", redirect=True))
    assert nights.run(1, lambda lease: pages[path_of(lease.url)], sources=True).count("start") > 1
    refused = [path_of(each.url) for each in corpus.fetches.drops() if each.reason == "redirect_refused"]
    assert "home" not in refused


def test_a_page_that_is_there_is_not_asked_for_again_when_a_feed_names_it(corpus: Corpus) -> None:
    """Nor is one that was dropped for what it is."""
    nights = Nights(replace(corpus, schedule=Schedule(reread=())))
    nights.seed("start")
    nights.seed("feed", kind=Kind.FEED)
    links = [link("text"), link("short")]

    def answer(lease: Lease, number: int) -> Processed:
        outcomes = {"text": made("a text"), "short": dropped("short")}
        listed = links if number or not lease.url.endswith("feed") else []
        return outcomes.get(path_of(lease.url)) or dropped("feed", *listed)

    nights.run(0, lambda lease: answer(lease, 0))
    assert nights.run(1, lambda lease: answer(lease, 1), sources=True) == ["feed", "start"]


@pytest.mark.parametrize(
    ("dated", "again"), [("2026-02-28", True), ("2026-03-01T01:00:00Z", True), ("2020-05-05", False), (None, False)]
)
def test_only_what_is_known_to_be_young_is_read_again(corpus: Corpus, dated: str | None, again: bool) -> None:
    """An archive that a sitemap names is read once: its dates say that it is old, or nothing says that it is not."""
    nights = Nights(corpus)
    nights.seed("sitemap", kind=Kind.SITEMAP)
    named = replace(link("article"), dated=dated)
    nights.run(0, lambda lease: dropped("sitemap", named) if lease.kind is Kind.SITEMAP else made("text"))
    assert (row_of(corpus, "article").due_again is not None) == again


def test_a_page_that_states_its_date_is_young_by_that(corpus: Corpus) -> None:
    """The date that the page itself states counts where no feed or sitemap has named one."""
    nights = Nights(corpus)
    nights.seed("start")
    texts = {"new": made("new text", published="2026-02-28"), "old": made("old text", published="2014-01-01")}
    links = dropped("listing", link("section"), link("new"), link("old"))
    nights.run(0, lambda lease: texts.get(path_of(lease.url), links))
    assert row_of(corpus, "new").due_again == night(0).timestamp() + DAY - 6 * HOUR
    assert row_of(corpus, "old").due_again is None


def test_the_next_night_asks_with_what_the_last_answer_gave(corpus: Corpus) -> None:
    """The lease carries ETag, Last-Modified and digest of the last whole answer; an odd or endless ETag is none."""
    nights = Nights(corpus)
    nights.seed("feed", "odd", kind=Kind.FEED)
    leases = {path_of(lease.url): lease for lease in nights.begin(0)}
    assert leases["feed"].original is None
    nights.answer(leases["feed"], 0, dropped("feed"))
    odd = replace(capture(leases["odd"].fetch_url), response_headers=(("ETag", "x" * 1001), ("Last-Modified", "a\tb")))
    (fetch_id,) = corpus.fetches.record_fetched(nights.run_id, [(Fetched(odd, leases["odd"]), nights.pointer())])
    corpus.documents.record_processed([(fetch_id, leases["odd"], dropped("feed"))])
    again = {path_of(lease.url): lease.original for lease in nights.begin(1, sources=True)}
    assert again["feed"] is not None
    assert again["odd"] is not None
    assert (again["feed"].etag, again["feed"].modified) == ('"v1"', "Sat, 28 Feb 2026 10:00:00 GMT")
    assert (again["odd"].etag, again["odd"].modified) == ("", "")
    assert again["feed"].fetched_at == night(0)


def test_validators_that_were_belied_are_not_asked_with_again(corpus: Corpus) -> None:
    """Other bytes under the same ETag: "not modified" of that server means nothing from then on."""
    nights = Nights(corpus)
    nights.seed("feed", kind=Kind.FEED)
    for number, body in enumerate((b"one", b"two", b"three")):
        (lease,) = nights.begin(number, sources=True)
        nights.answer(lease, number, dropped("feed"), body=body)
    (lease,) = nights.begin(3, sources=True)
    assert lease.original is not None
    assert (lease.original.etag, lease.original.modified, lease.original.in_full) == (UNTRUE, "", True)
    nights.unchanged(lease, 3, status=200, headers=HEADERS)
    (lease,) = nights.begin(4, sources=True)
    assert lease.original is not None
    assert (lease.original.etag, lease.original.in_full) == (UNTRUE, True)


def test_a_source_is_asked_in_full_after_a_failure_and_after_visits_in_vain(corpus: Corpus) -> None:
    """Some servers refuse conditional requests, others deny every change."""
    nights = Nights(corpus)
    nights.seed("feed", kind=Kind.FEED)
    (lease,) = nights.begin(0)
    nights.answer(lease, 0, dropped("feed"))
    in_full = []
    for number in range(1, 10):
        (lease,) = nights.begin(number, sources=True)
        assert lease.original is not None
        in_full.append(lease.original.in_full)
        if number == 6:
            corpus.frontier.fail(nights.run_id, [Failure(lease, "network")])
        else:
            nights.unchanged(lease, number)
    # The first visit failed, too.
    assert in_full == [False, False, False, True, False, False, True, False, True]


def test_a_rendered_page_is_asked_for_as_if_for_the_first_time(corpus: Corpus) -> None:
    """The shell of a page that scripts fill is always the same; that says nothing about what they fill it with."""
    nights = Nights(corpus)
    nights.seed("a", "b")
    for lease in nights.begin(0):
        nights.answer(lease, 0, dropped("listing"), rendered=b"<p>text" if lease.url.endswith("a") else b"")
    assert {path_of(lease.url): bool(lease.original) for lease in nights.begin(9)} == {"a": False, "b": True}


def test_what_has_not_changed_is_over_and_noted_as_such(corpus: Corpus) -> None:
    """No processing, no drop: a revisit of the response, whose validators may be renewed."""
    nights = Nights(corpus)
    nights.seed("feed", kind=Kind.FEED)
    nights.run(0, paper(1))
    (feed, article) = nights.begin(1)
    nights.unchanged(feed, 1, headers=(("ETag", '"v2"'),))
    revisit = nights.unchanged(article, 1, status=200)
    assert corpus.fetches.count_unprocessed() == 0
    rows = list(corpus.fetches(outcomes=["unchanged"]))
    assert [row.reason for row in rows] == ["not_modified", "same_payload"]
    originals = {row.uri: row.pointer for row in corpus.fetches() if row.outcome != "unchanged"}
    assert [row.original for row in rows] == [originals[row.uri] for row in rows]
    assert corpus.warc.revisits(revisit.warc)[revisit.offset] == originals[article.url].record_id
    assert corpus.problems() == []
    assert row_of(corpus, "feed").period == 18 * HOUR
    originals_now = {path_of(lease.url): lease.original for lease in nights.begin(2, sources=True)}
    assert originals_now["feed"] is not None
    assert (originals_now["feed"].etag, originals_now["feed"].fetched_at) == ('"v2"', night(0))


def test_under_other_rules_sources_are_read_in_full(corpus: Corpus) -> None:
    """When the rules for a site's links change, an unchanged source may name links that were not wanted before."""
    nights = Nights(replace(corpus, schedule=Schedule(rules={"a.example": "old"})))
    nights.seed("feed", kind=Kind.FEED)
    nights.run(0, paper(0))
    other = Nights(replace(corpus, schedule=Schedule(rules={"a.example": "new"})))
    (lease,) = other.begin(1)
    assert lease.original is None


def test_a_source_brings_news_whoever_reported_of_it_first(corpus: Corpus) -> None:
    """Two feeds that name the same new article have both changed; later it is no news to either."""
    nights = Nights(replace(corpus, schedule=Schedule(reread=())))
    nights.seed("one", "two", kind=Kind.FEED)
    for number, articles in enumerate((1, 2, 2)):
        nights.run(number, paper(articles))
    for path in ("one", "two"):
        row = row_of(corpus, path)
        assert (row.reads, row.unchanged, row.period) == (3, 1, pytest.approx(12 * 0.8 * 1.5 * HOUR))


def test_sitemaps_of_an_index_are_sources_and_old_ones_are_seldom_asked(corpus: Corpus) -> None:
    """What an index names is read again by its own schedule, which begins by the date the index states."""
    nights = Nights(corpus)
    nights.seed("index", kind=Kind.SITEMAP)
    kind = {"kind": Kind.SITEMAP}
    named = [replace(link("now"), **kind), replace(link("2019"), dated="2019-01-01", **kind)]  # type: ignore[arg-type]
    nights.run(0, lambda lease: dropped("sitemap", *(named if lease.url.endswith("index") else [])))
    asked = [(number, path) for number in range(1, 40) for path in nights.run(number, lambda _: dropped("sitemap"))]
    assert (1, "now") in asked
    assert not [number for number, path in asked if path == "2019"]


def test_section_pages_that_the_start_page_leads_to_are_sources(corpus: Corpus) -> None:
    """A page of links next to the start page is read again, one further down is not."""
    nights = Nights(corpus)
    nights.seed("start")
    leads = {"start": "section", "section": "deeper", "deeper": "deepest"}
    nights.run(0, lambda lease: dropped("listing", link(leads.get(path_of(lease.url), "start"))))
    assert nights.run(1, lambda _: dropped("listing")) == ["start", "section"]


@pytest.mark.parametrize(
    ("first", "second", "outcome", "asked"),
    [
        ("a", "a/", made("text"), ["start", "a"]),
        ("a/", "a", made("text"), ["start", "a/"]),
        ("a/", "a", dropped("http_404"), ["start", "a/", "a"]),
        ("a", "a/", dropped("soft_404"), ["start", "a", "a/"]),
        ("a", "a/", dropped("redirect", link("a/", redirect=True)), ["start", "a", "a/"]),
        ("a.html", "a.html/", made("text"), ["start", "a.html", "a.html/"]),
        ("?a", "?a/", made("text"), ["start", "?a", "?a/"]),
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_a_final_slash_makes_no_other_page(
    corpus: Corpus, first: str, second: str, outcome: Processed, asked: list[str], *, together: bool
) -> None:
    """Of the two URLs the first is fetched, and the other if the first is missing or leads to it."""
    nights, found = Nights(corpus), dict[str, None]()
    nights.seed("start")
    named = [link(first), link(second)]

    def answer(lease: Lease) -> Processed:
        path = lease.url.removeprefix("https://a.example/")
        found[path] = None
        if path == "start":
            return dropped("listing", *(named if together or len(found) > 1 else named[:1]))
        return outcome if path == first else made("other")

    nights.run(0, answer)
    nights.run(1, answer)
    assert [*found] == asked


@pytest.mark.parametrize(
    ("found", "added"),
    [
        (["https://a.example/x", "http://www.a.example/x/", "http://a.example/x"], 1),
        (["http://www.a.example/x/", "https://a.example/x"], 1),
        (["http://a.example/", "https://www.a.example/"], 1),
        (["http://a.example/x.html?a", "https://www.a.example/x.html?a"], 1),
        (["https://a.example/x.html", "https://a.example/x.html/"], 2),
        (["https://a.example/x", "https://b.a.example/x", "https://a.example/x/y"], 3),
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_other_spellings_of_a_url_are_not_added(
    corpus: Corpus, found: list[str], added: int, *, together: bool
) -> None:
    """Scheme, ``www.`` and a final slash make no other page."""
    nights = Nights(corpus)
    nights.seed("start", "other")
    links = [Link(each, each, each.split("/")[2]) for each in found]
    parts = [links, []] if together else [links[:1], links[1:]]
    nights.process(nights.lease(), [dropped("listing", *part) for part in parts])
    count = sa.select(sa.func.count()).select_from(url).where(url.c.depth > 0)
    assert corpus.database.read(lambda connection: connection.execute(count).scalar_one()) == added


def test_a_section_with_few_headlines_is_a_source(corpus: Corpus) -> None:
    """It has too little text for a list, and it was the first to name a page. A page of the menu names none."""
    nights = Nights(corpus)
    nights.seed("start")
    named = {"start": [link("short"), link("contact")], "short": [link("one")], "contact": [link("short")]}
    nights.run(0, lambda lease: dropped("no_article", *named.get(path_of(lease.url), [])))
    assert nights.run(1, lambda _: dropped("no_article")) == ["start", "short"]


@pytest.mark.parametrize(
    ("lists", "again"),
    [
        (["sport/", "sport/football/", "sport/football/cup/"], 3),
        (["sport", "sport/football"], 2),
        (["sport/", "sport/football/", "sport/football/cup/", "sport/football/cup/final/"], 3),
        (["%D8%B1%D8%AF/", "%D8%B1%D8%AF/%D8%A7%D8%A8/"], 2),
        (["sport/", "sport/page/2/"], 1),
        (["sport/", "sport/list?page=b"], 1),
        (["sport/", "tag/football/"], 1),
        (["sport/", "sportive/"], 1),
    ],
)
def test_lists_below_the_path_of_a_section_are_sources(corpus: Corpus, lists: list[str], again: int) -> None:
    """Each list names the next. Further pages, and lists elsewhere, are not read again."""
    nights, found = Nights(corpus), dict[str, None]()
    nights.seed("start")
    leads = dict(zip(("start", *lists), (*lists, "x"), strict=True))

    def answer(lease: Lease) -> Processed:
        path = lease.url.removeprefix("https://a.example/")
        found[path] = None
        return dropped("listing", link(leads[path])) if path in leads else made("text")

    nights.run(0, answer)
    found.clear()
    nights.run(1, answer)
    assert [*found] == ["start", *lists[:again]]


def test_an_index_of_many_lists_has_few_subsections(corpus: Corpus) -> None:
    nights = Nights(corpus)
    nights.seed("start")
    tags = [link(f"tag/{letter}{other}/") for letter in "abcdef" for other in "abcdefgh"]
    leads = {"https://a.example/start": [link("tag/")], "https://a.example/tag/": tags}
    nights.run(0, lambda lease: dropped("listing", *leads.get(lease.url, [])))
    assert len(nights.run(1, lambda _: dropped("listing"))) == 2 + MAX_SUBSECTIONS


BAD_NIGHTS = {
    "gone": (dropped("http_404"), 1, 12.0),
    "error page with status 200": (dropped("soft_404"), 1, 12.0),
    "bot check": (dropped("firewall"), 1, 12.0),
    "login page": (dropped("paywall"), 0, 18.0),
    "no text": (dropped("no_article"), 0, 18.0),
    "redirect to the login page": (dropped("redirect", link("login", redirect=True)), 0, 9.6),
    "an article": (made("Please log in to read on."), 0, 18.0),
    "another language": (dropped("language"), 0, 18.0),
}


@pytest.mark.parametrize("bad", BAD_NIGHTS)
def test_a_section_page_that_fails_for_a_night_is_read_again(corpus: Corpus, bad: str) -> None:
    """It is still a source, its failure is counted, and its new articles are found in the next night."""
    nights = Nights(replace(corpus, schedule=Schedule(reread=())))
    nights.seed("start")
    outcome, failures, hours = BAD_NIGHTS[bad]
    section = [dropped("listing", link("one")), outcome, dropped("listing", link("one"), link("two"))]
    for number, answer in enumerate(section):
        answers = {"start": dropped("listing", link("section")), "section": answer}
        asked = nights.run(number, lambda lease, answers=answers: answers.get(path_of(lease.url), made(lease.url)))  # type: ignore[misc]
        if number == 1:
            row = row_of(corpus, "section")
            assert (row.failures, row.period) == (failures, pytest.approx(hours * HOUR))
    assert {"section", "two"} <= set(asked)


def test_a_section_page_that_is_gone_is_retired_as_any_source(corpus: Corpus) -> None:
    """It is fetched in three nights, then after 60 days, and it is a source again when it is back."""
    nights = Nights(replace(corpus, schedule=Schedule(reread=())))
    nights.seed("start")
    answers = {"start": dropped("listing", link("section")), "section": dropped("listing")}
    nights.run(0, lambda lease: answers[path_of(lease.url)])
    answers["section"] = dropped("http_404")
    asked = [
        night for night in range(1, 70) if "section" in nights.run(night, lambda lease: answers[path_of(lease.url)])
    ]
    assert asked == [1, 2, 3, 63]
    answers["section"] = dropped("listing", link("new"))
    answers["new"] = made("a new article")
    assert nights.run(70, lambda lease: answers[path_of(lease.url)], sources=True) == ["start", "section", "new"]
    assert row_of(corpus, "section").failures == 0


@pytest.mark.parametrize(
    ("reason", "hours"), [("http_500", 1), ("timeout", 1), ("robots", 0), ("certificate", 1), ("private_address", 0)]
)
def test_a_source_that_failed_is_asked_again_later(corpus: Corpus, reason: str, hours: float) -> None:
    """Soon at first, at the next run when only our own rules were in the way; what was failed twice is counted once."""
    nights = Nights(corpus)
    nights.seed("feed", kind=Kind.FEED)
    (lease,) = nights.begin(0)
    before = datetime.now(UTC).timestamp()
    for _ in range(2):
        corpus.frontier.fail(nights.run_id, [Failure(lease, reason)])
    row = row_of(corpus, "feed")
    assert (row.state, row.failures) == ("failed", 1)
    assert row.due_again - before == pytest.approx(0.75 * hours * HOUR, abs=60)


@pytest.mark.parametrize("reason", ["http_404", "http_410", "body_corrupt", "redirect_refused"])
def test_an_answer_that_no_source_should_give_counts_as_its_failure(corpus: Corpus, reason: str) -> None:
    """The interval learned stays, the failures in a row are counted."""
    nights = Nights(corpus)
    nights.seed("feed", kind=Kind.FEED)
    nights.run(0, paper(0))
    nights.run(1, lambda _: dropped(reason))
    row = row_of(corpus, "feed")
    assert (row.state, row.failures, row.period) == ("done", 1, 12 * HOUR)


def test_the_newest_comes_first(corpus: Corpus) -> None:
    """Among what waits at a host, what a feed or sitemap dates later comes before what it dates earlier, or not."""
    nights = Nights(corpus)
    nights.seed("sitemap", kind=Kind.SITEMAP)
    dates = {"undated": None, "old": "2011-02-03", "newest": "2026-03-01T01:00:00Z", "new": "2026-02-27"}
    links = [replace(link(path), dated=dated) for path, dated in dates.items()]
    (lease,) = nights.begin(0)
    nights.answer(lease, 0, dropped("sitemap", *links))
    assert [path_of(lease.url) for lease in nights.lease()] == ["newest", "new", "old", "undated"]


def test_a_source_that_is_named_no_more_is_read_no_more(corpus: Corpus) -> None:
    """Taken out of corpus.toml it rests; what it once led to stays, and named again it is read at once."""
    frontier, nights = corpus.frontier, Nights(corpus)
    frontier.seed([seed("kept", Kind.FEED), seed("gone", Kind.FEED)])
    nights.run(0, paper(0))
    frontier.seed([seed("kept", Kind.FEED)])
    assert nights.run(1, paper(0)) == ["kept"]
    frontier.seed([seed("kept", Kind.FEED), seed("gone", Kind.FEED)])
    assert nights.run(1, paper(0)) == ["gone"]


def test_nor_is_what_a_source_that_is_named_no_more_sent_on_to(corpus: Corpus) -> None:
    """A feed that has moved is read under its new address as long as one of the two is named."""
    nights, moved = Nights(corpus), {"old": dropped("redirect", link("moved", redirect=True))}
    for number, named in enumerate(({"kept", "old"}, {"kept", "moved"}, {"kept", "old"}, {"kept"})):
        corpus.frontier.seed([seed(path, Kind.FEED) for path in named])
        asked = nights.run(number, lambda lease: moved.get(path_of(lease.url), dropped("feed")), sources=True)
        assert set(asked) == named | ({"moved"} if "old" in named else set())


def test_the_pause_a_host_asked_for_is_remembered(corpus: Corpus) -> None:
    """Until its time, the longest one asked for, by the sites that have the host."""
    nights = Nights(corpus)
    nights.seed("feed")
    corpus.frontier.pause("a.example", 500.0)
    corpus.frontier.pause("a.example", 300.0)
    assert corpus.frontier.pauses(["a.example"], 499.0) == {"a.example": 500.0}
    assert corpus.frontier.pauses(["a.example"], 500.0) == corpus.frontier.pauses(["other"], 0.0) == {}


def test_thirty_nights_of_a_paper(corpus: Corpus) -> None:
    """Ten articles a night: each is stored once, read three times, and the feed each night."""
    nights = Nights(corpus)
    nights.seed("feed", kind=Kind.FEED)
    asked: list[str] = []
    for number in range(30):
        first = max(0, 10 * number - 15)

        def outcome(lease: Lease, first: int = first, last: int = 10 * number + 10) -> Processed:
            if lease.kind is Kind.FEED:
                return dropped("feed", *(link(f"article{item}") for item in range(first, last)))
            return made(f"text of {lease.url}")

        asked += nights.run(number + (0.01 if number % 2 else 0.0), outcome)
    assert asked.count("feed") == 30
    assert {asked.count(f"article{item}") for item in range(250)} == {3}
    assert corpus.status().documents == 300
    assert corpus.problems() == []
