"""Frontier: order of leases, retries, and targets of links and redirects."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.database.schema import url
from storage.frontier.leases import Chances
from storage.frontier.new_links import CLEAN_SLATE, MAX_HOPS, FoundLink, follows, link_priority
from storage.records import Failure, Fetched, Kind, Lease, LeaseRuling, Link, Seed, Turn, UrlState
from tests.storage.corpus_samples import NOON, Crawl, capture, dropped, link, made, seed
from tests.storage.statements import executed, plan

if TYPE_CHECKING:
    from storage.corpus import Corpus

PARENT = Lease(1, "https://a.example/x", "https://a.example/x", "a.example", "a.example")


def paths(leases: list[Lease]) -> list[str]:
    return [lease.url.rpartition("/")[2] for lease in leases]


def states(corpus: Corpus) -> dict[str, str]:
    with corpus.database.snapshot() as connection:
        return {row.url.rpartition("/")[2]: row.state for row in connection.execute(sa.select(url))}


def test_feeds_come_first_then_sitemaps_then_start_pages_then_links_by_depth(corpus: Corpus) -> None:
    """The order within a host is priority, depth, first found."""
    crawl = Crawl(corpus)
    crawl.visit("start", made("start", link("deep1"), link("deep2")))
    crawl.seed("sitemap", kind=Kind.SITEMAP)
    crawl.seed("rss", kind=Kind.FEED)
    crawl.seed("page")
    assert paths(crawl.lease(3)) == ["rss", "sitemap", "page"]
    assert paths(crawl.lease()) == ["deep1", "deep2"]
    assert crawl.lease() == []


def test_quotas_are_by_host(corpus: Corpus) -> None:
    """Each host gives no more than its quota, hosts without one give nothing."""
    corpus.frontier.seed(
        [Seed(f"https://{host}/{n}", f"https://{host}/{n}", "a", host, Kind.PAGE) for host in "pqr" for n in range(3)]
    )
    run_id = corpus.runs.start("{}")
    leases = corpus.frontier.lease(run_id, {"p": 2, "q": 5, "z": 1}, 1.0)
    assert sorted(lease.host for lease in leases) == ["p", "p", "q", "q", "q"]
    assert corpus.frontier.hosts(["a"], 1.0) == ["p", "r"]
    assert corpus.frontier.hosts(["b"], 1.0) == corpus.frontier.hosts([], 1.0) == []


def test_a_host_that_two_sites_share_is_leased_for_one(corpus: Corpus) -> None:
    """A run takes no URL of a site it does not hold, even on the same host."""
    for site in ("one", "two"):
        corpus.frontier.seed([Seed(f"https://h/{site}", f"https://h/{site}", site, "h", Kind.PAGE)])
    run_id = corpus.runs.start("{}")
    assert [lease.site for lease in corpus.frontier.lease(run_id, {"h": 9}, 1.0, sites=["two"])] == ["two"]
    assert [lease.site for lease in corpus.frontier.lease(run_id, {"h": 9}, 1.0)] == ["one"]


def test_a_failure_comes_back_when_it_is_due(corpus: Corpus) -> None:
    """A lease without an exchange goes back to pending until its time, or fails for good; attempts are counted."""
    crawl = Crawl(corpus)
    crawl.seed("later", "never")
    later, never = crawl.lease()
    failures = [Failure(later, "timeout", retry_at=100.0), Failure(never, "unreachable")]
    corpus.frontier.fail(crawl.run_id, failures)
    corpus.frontier.fail(crawl.run_id, failures)
    assert states(corpus) == {"later": "pending", "never": "failed"}
    assert corpus.frontier.hosts([crawl.site], 99.0) == crawl.lease(now=99.0) == []
    assert corpus.frontier.next_due([crawl.site]) == 100.0
    assert corpus.frontier.next_due(["other"]) is None
    assert crawl.lease(now=100.0) == [replace(later, attempts=1)]
    assert [(row.key, row.count) for row in corpus.status().failed] == [("unreachable", 1)]


def test_leases_are_released_by_site(corpus: Corpus) -> None:
    """After a crash the leases of the dead run are pending again, those of other sites stay."""
    one, other = Crawl(corpus), Crawl(corpus, site="b.example")
    for crawl in (one, other):
        crawl.seed("x", "y")
        crawl.lease()
    assert corpus.frontier.release(["a.example"]) == 2
    assert corpus.frontier.release(["a.example"]) == 0
    counts = corpus.frontier.counts()
    assert counts == {"a.example": {UrlState.PENDING: 2}, "b.example": {UrlState.LEASED: 2}}
    assert corpus.frontier.counts(["b.example"]) == {"b.example": {UrlState.LEASED: 2}}


@pytest.mark.parametrize("now", [True, False])
def test_sources_are_read_again_when_due_or_asked_for(
    corpus: Corpus, now: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Done and failed sources come back with a clean slate; URLs in the middle of something are left alone."""
    monkeypatch.setattr("storage.frontier.frontier.time.time", NOON.timestamp)
    crawl = Crawl(corpus)
    crawl.seed("done", "failed", "leased", "fetched")
    leases = {path: lease for lease in crawl.lease() for path in paths([lease])}
    crawl.process([leases["done"]], [made("text")])
    corpus.frontier.fail(crawl.run_id, [Failure(leases["failed"], "unreachable")])
    crawl.fetch(leases["fetched"])
    seeds = [seed(path) for path in ("done", "failed", "leased", "fetched", "new", "new")]
    corpus.frontier.seed(seeds)
    corpus.frontier.wake([crawl.site], NOON.timestamp(), sources=now)
    renewed = {"done": "pending", "failed": "pending"} if now else {"done": "done", "failed": "failed"}
    assert states(corpus) == renewed | {"leased": "leased", "fetched": "fetched", "new": "pending"}
    assert {lease.attempts for lease in crawl.lease()} == {0}


def test_a_found_page_that_becomes_a_feed_in_the_configuration_is_one(corpus: Corpus) -> None:
    """Naming a known URL as a seed gives it the seed's kind and place in the order."""
    crawl = Crawl(corpus)
    crawl.visit("start", made("start", link("a"), link("rss")))
    crawl.seed("rss", kind=Kind.FEED)
    first, second = crawl.lease()
    assert (paths([first]), first.kind, paths([second])) == (["rss"], Kind.FEED, ["a"])


def test_links_are_taken_once(corpus: Corpus) -> None:
    """A URL found again, anywhere and any number of times, is still one URL in one state."""
    crawl = Crawl(corpus)
    crawl.seed("a", "b")
    outcomes = [made("a", link("x"), link("x"), link("a")), made("b", link("x"), link("a"))]
    crawl.process(crawl.lease(), outcomes)
    assert states(corpus) == {"a": "done", "b": "done", "x": "pending"}
    (lease,) = crawl.lease()
    assert (lease.depth, lease.hops, lease.attempts, lease.site) == (1, 0, 0, crawl.site)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (link("y"), True),
        (link("y", redirect=True), True),
        (link("x", redirect=True), False),
        (link("x", redirect=True, fetch_url="http://a.example/x"), True),
        (Link("https://a.example/" + "y" * 1982, "https://a.example/", "a.example"), True),
        (Link("https://a.example/" + "y" * 1983, "https://a.example/", "a.example"), False),
        (Link("https://a.example/é", "https://a.example/", "a.example"), False),
        (Link("", "https://a.example/", "a.example"), False),
    ],
)
def test_which_links_enter(found: Link, expected: bool) -> None:
    """Keys are ASCII of bounded length, and a redirect to the very same address leads nowhere."""
    assert follows(FoundLink(found, PARENT)) is expected


def test_redirects_are_followed_to_a_limit(corpus: Corpus) -> None:
    """Hops count, depth does not; the last redirect is noted on its drop and its target never enters."""
    crawl = Crawl(corpus)
    crawl.seed("0")
    for hop in range(MAX_HOPS + 1):
        (lease,) = crawl.lease()
        assert (paths([lease]), lease.hops, lease.depth) == ([str(hop)], hop, 0)
        crawl.process([lease], [dropped("redirect", link(str(hop + 1), redirect=True))])
    assert crawl.lease() == []
    assert str(MAX_HOPS + 1) not in states(corpus)
    assert [drop.detail for drop in corpus.fetches.drops()] == [""] * MAX_HOPS + ["not followed: more than 5 redirects"]


def test_a_redirect_to_another_spelling_of_itself_is_fetched_again(corpus: Corpus) -> None:
    """When only the address to ask for differs, the same URL is queued under the new one, a limited number of times."""
    crawl = Crawl(corpus)
    crawl.seed("x")
    asked = []
    while leases := crawl.lease():
        asked.append(leases[0].fetch_url)
        other = "http://a.example/x" if asked[-1].startswith("https") else "https://a.example/x"
        crawl.process(leases, [dropped("redirect", link("x", redirect=True, fetch_url=other))])
    assert asked[:2] == ["https://a.example/x", "http://a.example/x"]
    assert len(asked) == MAX_HOPS + 1
    assert states(corpus) == {"x": "done"}


def test_a_moved_feed_is_read_at_every_run(corpus: Corpus) -> None:
    """The target of a seed's redirect is renewed with it, as a feed; the target of any other redirect is not."""
    for _ in range(2):
        crawl = Crawl(corpus)
        crawl.seed("old", kind=Kind.FEED)
        (old,) = crawl.lease()
        crawl.process([old], [dropped("redirect", link("new", redirect=True))])
        (new,) = crawl.lease()
        assert (paths([new]), new.kind, new.hops) == (["new"], Kind.FEED, 1)
        crawl.process([new], [dropped("feed", link("item"))])
        crawl.process((items := crawl.lease()), [dropped("redirect", link("aside", redirect=True)) for _ in items])
        crawl.process((items := crawl.lease()), [made("text") for _ in items])
    assert set(states(corpus).values()) == {"done"}


def test_feeds_that_redirect_in_a_circle_stop(corpus: Corpus) -> None:
    """Two seeds that send to each other are left after the limit of hops."""
    crawl = Crawl(corpus)
    crawl.seed("a", "b", kind=Kind.FEED)
    fetched = 0
    while leases := crawl.lease():
        fetched += len(leases)
        assert fetched < 50
        targets = {"a": "b", "b": "a"}
        outcomes = [dropped("redirect", link(targets[path], redirect=True)) for path in paths(leases)]
        crawl.process(leases, outcomes)
    assert set(states(corpus).values()) == {"done"}


@pytest.mark.parametrize(
    ("kind", "parent", "depth", "expected"),
    [
        (Kind.PAGE, Kind.PAGE, 1, 0),
        (Kind.PAGE, Kind.PAGE, 0, 3),
        (Kind.PAGE, Kind.SITEMAP, 0, 0),
        (Kind.PAGE, Kind.FEED, 0, 5),
        (Kind.FEED, Kind.PAGE, 0, 30),
        (Kind.SITEMAP, Kind.SITEMAP, 0, 20),
    ],
)
def test_what_a_feed_names_comes_before_the_archive(kind: Kind, parent: Kind, depth: int, expected: int) -> None:
    """News first: feeds, sitemaps, items of feeds, what start pages show, then the rest."""
    assert link_priority(kind, replace(PARENT, kind=parent, depth=depth)) == expected


def test_sitemaps_of_the_archive_come_in_their_turn(corpus: Corpus) -> None:
    """The undated and those of this month are read at once, others in turns with pages."""
    crawl = Crawl(corpus)
    crawl.seed("index", kind=Kind.SITEMAP)
    stated = {"undated": None, "2019": "2019-12-31", "2011": "2011-12-31", "now": f"{NOON:%Y-%m-%d}"}
    crawl.process(crawl.lease(1), [dropped("sitemap", *_dated(stated, Kind.SITEMAP))])
    pages = {"new": f"{NOON:%Y-%m}-01", "old": "2015-06-01"}
    crawl.process(crawl.lease(1), [dropped("sitemap", *_dated(pages, Kind.PAGE))])
    assert paths(crawl.lease(1)) == ["undated"]
    assert paths(crawl.lease(2, turn=Turn.ARCHIVE)) == ["2019", "new"]
    assert paths(crawl.lease(turn=Turn.ARCHIVE)) == ["2011", "old"]
    assert paths(crawl.lease(turn=Turn.ARCHIVE)) == []


def test_retries_come_after_first_tries_of_their_host_and_in_their_turn(corpus: Corpus) -> None:
    """A failed attempt, and a failed visit before, make a retry. A failure of the host or the line does not."""
    crawl = Crawl(corpus)
    crawl.seed("feed", kind=Kind.FEED)
    crawl.seed("asked", "timeout", "offline", "fresh")
    feed, asked, timeout, offline = crawl.lease(4)
    busy = Fetched(replace(capture(asked.fetch_url), status=429), asked, "http_429", retry_at=5.0)
    corpus.fetches.record_fetched(crawl.run_id, [(busy, crawl.pointer())])
    failures = [Failure(timeout, "timeout", 5.0), Failure(offline, "dns", 5.0, of_host=True), Failure(feed, "network")]
    corpus.frontier.fail(crawl.run_id, failures)
    corpus.frontier.wake([crawl.site], 1.0, sources=True)
    assert paths(crawl.lease(1, now=9.0)) == ["offline"]
    assert paths(crawl.lease(1, now=9.0, turn=Turn.RETRY)) == ["feed"]

    def lease(*quiet: str) -> list[str]:
        return paths(corpus.frontier.lease(crawl.run_id, {crawl.site: 9}, 9.0, chances=Chances(quiet=quiet)))

    # A page that is read may lead to more first tries, and a retry may end the night.
    assert [lease(crawl.site), lease(), lease(crawl.site)] == [["fresh"], [], ["asked", "timeout"]]


@pytest.mark.parametrize(("depth", "rank", "expected"), [(0, 0, 20), (0, -1, -2), (1, 0, -2)])
def test_an_index_puts_only_so_many_sitemaps_before_pages(depth: int, rank: int, expected: int) -> None:
    """Those it ranks lower and those of an index in an index come in their turn: nine thousand without a date, one for
    each day, were all read before the first article.
    """
    parent = replace(PARENT, kind=Kind.SITEMAP, depth=depth)
    assert FoundLink(replace(link("map"), kind=Kind.SITEMAP, rank=rank), parent).priority == expected


def _dated(stated: dict[str, str | None], kind: Kind) -> list[Link]:
    return [replace(link(path), dated=date, kind=kind) for path, date in stated.items()]


def crowded(corpus: Corpus) -> Crawl:
    """Return a crawl that has found some hundred links."""
    crawl = Crawl(corpus)
    crawl.visit("start", made("start", *(link(str(number)) for number in range(300))))
    return crawl


def test_leasing_and_looking_for_hosts_use_the_index_of_what_is_due(corpus: Corpus) -> None:
    """Neither walks the table nor sorts, however many URLs are known."""
    crawl = crowded(corpus)
    with executed(corpus, "state = 'pending'") as seen:
        crawl.lease(10)
        crawl.lease(10, turn=Turn.RETRY)
        crawl.lease(10, turn=Turn.ARCHIVE)
        corpus.frontier.hosts([crawl.site], 1.0)
    assert len(seen) == 6
    for statement, values in seen:
        steps = plan(corpus, statement, values)
        assert "ix_url_due" in steps
        assert not any(walk in steps for walk in ("SCAN url", "TEMP B-TREE FOR ORDER BY", "Seq Scan on url", "Sort"))


def test_a_lease_takes_as_many_statements_for_twenty_hosts_as_for_one(corpus: Corpus) -> None:
    """And each host gives its own quota, its best first."""
    run_id = corpus.runs.start("{}")
    statements: list[int] = []
    for hosts in (1, 20):
        quotas = {f"{number}.of{hosts}.example": 1 + number % 3 for number in range(hosts)}
        corpus.frontier.seed([seed(path, site=name) for name in quotas for path in "abcd"])
        with executed(corpus, "") as seen:
            leases = corpus.frontier.lease(run_id, quotas, 1.0, sites=quotas)
        statements.append(len(seen))
        best = {name: [lease.url[-1] for lease in leases if lease.host == name] for name in quotas}
        assert best == {name: list("abcd")[:quota] for name, quota in quotas.items()}
    assert statements[0] == statements[1]


@pytest.mark.parametrize("sources", [True, False])
def test_waking_looks_at_nothing_but_what_is_scheduled(corpus: Corpus, sources: bool) -> None:
    """Of a million known articles none is walked over at the start of a night."""
    crawl = crowded(corpus)
    with executed(corpus, "UPDATE url") as seen:
        corpus.frontier.wake([crawl.site], 1.0, sources=sources)
    indexes = ["ix_url_due_again", "ix_url_source" if sources else "ix_url_due_again"]
    for index, (statement, values) in zip(indexes, seen, strict=True):
        steps = plan(corpus, statement, values)
        assert index in steps
        assert not any(walk in steps for walk in ("SCAN url", "Seq Scan on url"))


def test_naming_sources_again_looks_at_no_article(corpus: Corpus) -> None:
    """The query for sources that are no longer configured reads no article that will be recrawled either."""
    crawl = crowded(corpus)
    with executed(corpus, "AND url.seed") as seen:
        crawl.seed("start")
    ((statement, values),) = seen
    assert "ix_url_source" in plan(corpus, statement, values)


def test_naming_sources_again_as_they_are_writes_nothing(corpus: Corpus) -> None:
    """Each night names them all again."""
    crowded(corpus)
    with executed(corpus, "") as seen:
        corpus.frontier.seed([seed("start")])
    assert not [statement for statement, _ in seen if statement.startswith(("INSERT", "UPDATE"))]


@settings(max_examples=15, deadline=None)
@given(steps=st.lists(st.sampled_from(["lease", "fetch", "retry", "fail", "process", "release", "seed"]), max_size=25))
def test_every_url_is_in_exactly_one_state_and_none_is_lost(corpus: Corpus, steps: list[str]) -> None:
    """After any steps of a run in any order, all found URLs are there and can be finished."""
    crawl = Crawl(corpus)
    crawl.seed("s", "t")
    held: list[Lease] = []
    for step in [*steps, "release"]:
        act(crawl, step, held)
    while (leases := crawl.lease(now=1e9)) or corpus.fetches.count_unprocessed():
        crawl.fetch(*leases)
        waiting = corpus.fetches.unprocessed()
        corpus.documents.record_processed([(each.fetch_id, each.lease, dropped("end")) for each in waiting])
    assert set(states(corpus).values()) <= {"done", "failed"}
    assert {"s", "t"} <= set(states(corpus))


def act(crawl: Crawl, step: str, held: list[Lease]) -> None:
    """Do one step of a crawl; those that need a lease do nothing without one."""
    corpus = crawl.corpus
    if step == "lease":
        held += crawl.lease(1)
    elif step == "process":
        for waiting in corpus.fetches.unprocessed(limit=1):
            outcome = made("text", link(f"{waiting.fetch_id}"))
            corpus.documents.record_processed([(waiting.fetch_id, waiting.lease, outcome)])
    elif step == "release":
        corpus.frontier.release([crawl.site])
        held.clear()
    elif step == "seed":
        crawl.seed("s", "t")
    elif held:
        lease = held.pop()
        if step == "fetch":
            crawl.fetch(lease)
        elif step == "retry":
            exchange = Fetched(capture(), lease, "status 503", retry_at=5.0)
            corpus.fetches.record_fetched(crawl.run_id, [(exchange, crawl.pointer())])
        else:
            corpus.frontier.fail(crawl.run_id, [Failure(lease, "unreachable")])


def test_pages_that_are_put_off_wait_and_what_the_configuration_names_does_not(corpus: Corpus) -> None:
    """Chosen by address, of one host, those that are pending; feeds are no pages."""
    crawl = Crawl(corpus)
    crawl.visit("start", made("start", link("list2"), link("list3"), link("news")))
    crawl.seed("list1")
    address = "https://a.example/list4"
    corpus.frontier.seed([Seed(address, address, "a.example", "a.example", Kind.PAGE, listed=True)])
    chosen = corpus.frontier.pending_pages(("a.example", "a.example"), lambda key: "list" in key)
    assert corpus.frontier.put_off(chosen, 5000.0) == 2
    assert corpus.frontier.put_off(chosen, 4000.0) == 0
    assert corpus.frontier.pending_pages(("a.example", "b.example"), lambda key: True) == []
    assert corpus.frontier.pending_pages(("a.example", "*.example"), lambda key: "list" in key) == chosen
    assert corpus.frontier.pending_pages(("a.example", "*.a.example"), lambda key: True) == []
    assert set(paths(crawl.lease(9))) == {"list1", "list4", "news"}
    assert set(paths(corpus.frontier.lease(crawl.run_id, {"a.example": 9}, 5001.0))) == {"list2", "list3"}


def test_queued_urls_out_of_scope_give_way_to_those_behind_them(corpus: Corpus) -> None:
    """3,000 queued pages that no longer match are set aside when leased; the ones behind them are leased."""
    crawl = Crawl(corpus)
    crawl.seed("list")
    names = [*(f"sport{number}" for number in range(3000)), "news1", "news2"]
    crawl.process(crawl.lease(), [dropped("listing", *map(link, names))])
    judged = Counter[bool]()

    def only_news(lease: Lease, known: bool) -> LeaseRuling:
        judged[known] += 1
        return LeaseRuling.FETCH if "/news" in lease.url else LeaseRuling.OUT_OF_SCOPE

    leases = corpus.frontier.lease(crawl.run_id, {"a.example": 2}, 1.0, judge=only_news)
    assert paths(leases) == ["news1", "news2"]
    assert corpus.frontier.counts()["a.example"] == {UrlState.OUT_OF_SCOPE: 3000, UrlState.LEASED: 2, UrlState.DONE: 1}
    assert not judged[True]


def test_changed_rules_take_queued_urls_out_and_let_others_in(corpus: Corpus) -> None:
    """Each rule in turn, with the counts. Only URLs of the named sites move. Nothing happens under the same rules."""
    crawl, other = Crawl(corpus), Crawl(corpus, "b.example")
    crawl.seed("list")
    crawl.process(crawl.lease(), [dropped("listing", *map(link, ("sport1", "sport2", "news1")))])
    other.visit("start", dropped("listing", link("sport9", site="b.example")))

    def follow(word: str) -> tuple[int, int]:
        changes = corpus.frontier.compare_rules(["a.example"], lambda lease, _: not lease.depth or word in lease.url)
        corpus.frontier.follow_rules(changes, {})
        corpus.frontier.follow_rules(changes, {})
        return len(changes["a.example"].taken_out), len(changes["a.example"].let_in)

    assert [follow(word) for word in ("news", "news", "sport", "")] == [(2, 0), (0, 0), (1, 2), (0, 1)]
    assert set(paths(crawl.lease(9))) == {"sport1", "sport2", "news1"}
    assert states(corpus)["sport9"] == "pending"


def test_pages_that_scripts_fill_come_back_when_a_browser_renders_their_site(corpus: Corpus) -> None:
    """Once, when the rules change. Pages with another reason stay, and so do sites that are not rendered."""
    for name in ("a.example", "b.example"):
        crawl = Crawl(corpus, name)
        crawl.visit("empty", dropped("script_only"))
        crawl.visit("missing", dropped("no_article"))
        crawl.visit("text", made("a text"))
    sites = ["a.example", "b.example"]
    changes = corpus.frontier.compare_rules(sites, lambda *_: True, ["a.example", "c.example"])
    assert {site: (len(each.taken_out), len(each.let_in)) for site, each in changes.items()} == {
        "a.example": (0, 1),
        "b.example": (0, 0),
    }
    corpus.frontier.follow_rules(changes, {})
    corpus.frontier.follow_rules(changes, {})
    counts = corpus.frontier.counts()
    assert (counts["a.example"][UrlState.PENDING], counts["a.example"][UrlState.DONE]) == (1, 2)
    assert counts["b.example"] == {UrlState.DONE: 3}


def test_a_configured_url_is_never_out_of_scope(corpus: Corpus) -> None:
    crawl = Crawl(corpus)
    crawl.seed("list")
    crawl.process(crawl.lease(), [dropped("listing", link("page"))])
    assert corpus.frontier.lease(crawl.run_id, {"a.example": 2}, 1.0, judge=lambda *_: LeaseRuling.OUT_OF_SCOPE) == []
    assert states(corpus)["page"] == "out_of_scope"
    crawl.seed("page")
    assert states(corpus)["page"] == "pending"


def test_postponed_pages_wait_for_the_next_night(corpus: Corpus) -> None:
    crawl = Crawl(corpus)
    crawl.seed("list")
    crawl.process(crawl.lease(), [dropped("listing", link("page"))])
    assert corpus.frontier.lease(crawl.run_id, {"a.example": 2}, 1.0, judge=lambda *_: LeaseRuling.LATER) == []
    assert crawl.lease(now=10 * 3600.0) == []
    assert paths(crawl.lease(now=12 * 3600.0 + 1)) == ["page"]


def test_pending_pages_that_were_never_fetched_are_forgotten(corpus: Corpus) -> None:
    """Sources, pages that are due again and the pages of other sites stay."""
    crawl, other = Crawl(corpus), Crawl(corpus, "b.example")
    crawl.seed("list")
    crawl.process(crawl.lease(), [dropped("listing", link("read"))])
    crawl.process(crawl.lease(), [made("read", link("new"), replace(link("map"), kind=Kind.SITEMAP))])
    other.visit("start", dropped("listing", link("other", site="b.example")))
    crawl.seed("list", "waiting")
    again = sa.update(url).where(url.c.url.endswith("/read")).values(CLEAN_SLATE)
    corpus.database.write(lambda connection: connection.execute(again))
    assert set(states(corpus)) == {"list", "read", "new", "map", "start", "other", "waiting"}
    assert corpus.frontier.forget_pending(["a.example"]) == 1
    assert set(states(corpus)) == {"list", "read", "map", "start", "other", "waiting"}


@pytest.mark.parametrize("list_first", [True, False])
def test_a_source_counts_of_the_pages_that_name_a_url_in_one_group(corpus: Corpus, *, list_first: bool) -> None:
    """The writer stores pages in groups. Whichever came first, the URL counts as named by a source."""
    crawl = Crawl(corpus)
    crawl.seed("list", "article")
    by_path = {lease.url.rpartition("/")[2]: lease for lease in crawl.lease()}
    deep = replace(by_path["article"], depth=3, named=False)
    group = [(by_path["list"], dropped("listing", link("new"))), (deep, made("text", link("new")))]
    pages = group if list_first else group[::-1]
    crawl.process([lease for lease, _ in pages], [outcome for _, outcome in pages])
    [found] = crawl.lease()
    assert found.url.endswith("/new")
    assert found.named
