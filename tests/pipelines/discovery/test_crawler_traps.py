"""Crawler traps are detected, and lists that lead to articles are not."""

from __future__ import annotations

import pytest

from pipelines.discovery.crawler_traps import DRY_PAGES, HOST_DRY, IDLE_PAGES, CrawlerTraps, Trap, place_of
from pipelines.text.minhash import fingerprint
from storage.records import Document, Drop, Kind, LanguageGuess, Lease, Link, Metadata, Processed

SITE = "http://a.example"
LISTING = Drop("listing")


def link(path: str, kind: Kind = Kind.PAGE, *, redirect: bool = False) -> Link:
    return Link(SITE + path, SITE + path, "a.example", kind, redirect)


def lease(path: str, depth: int = 2) -> Lease:
    return Lease(1, SITE + path, SITE + path, "a", "a.example", depth=depth)


def document(text: str) -> Document:
    return Document(
        text, LanguageGuess("en", 1.0, "Latn", 1.0), Metadata(), "x", "1", "", "utf-8", "bom", 0.0, fingerprint(text)
    )


def story(number: int) -> Document:
    return document(" ".join(f"word{number * step % 9973}" for step in range(1, 200)))


def read(
    traps: CrawlerTraps, path: str, *links: str, made: Document | None = None, drop: Drop = LISTING
) -> Trap | None:
    found = tuple(link(each) for each in links)
    return traps.note(lease(path), Processed(made, None if made else drop, found))


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("/calendar/2026/11", "/calendar/2027/1", True),
        ("/calendar/2026/11", "/calendar/2026/11/20", True),
        ("/session/3f9ac2d81b7e/a", "/session/99bb01c22d3e/b", True),
        ("/deeper/alpha/beta/", "/deeper/beta/beta/alpha/", True),
        ("/list?f1=1&f2=1", "/list?f3=1&f9=1&f1=1", True),
        ("/list?page=2", "/list?page=300", True),
        ("/list?page=2", "/list?day=2", False),
        ("/list", "/list?page=2", False),
        ("/sport/x.html", "/news/x.html", False),
        ("/sport/football-cup-won-by-hosts-4711.html", "/sport/page/4711", False),
    ],
)
def test_addresses_that_vary_alike_are_one_place(one: str, other: str, *, alike: bool) -> None:
    assert (place_of(SITE + one) == place_of(SITE + other)) is alike


def test_a_place_without_texts_that_leads_only_to_itself_is_shut_and_no_more_of_it_is_wanted() -> None:
    """Once, after a bounded number of pages; what waits of it is known by its address."""
    traps = CrawlerTraps()
    shut = [
        read(traps, f"/events/{number}", f"/events/{number + 1000}", f"/events/{number + 5000}")
        for number in range(3 * DRY_PAGES)
    ]
    found = [each for each in shut if each]
    assert len(found) == 1
    assert shut.index(found[0]) < DRY_PAGES + IDLE_PAGES + 1
    assert found[0].holds(f"{SITE}/events/77")
    assert not found[0].holds(f"{SITE}/news/77")
    assert not found[0].holds("http://b.example/events/77")
    wanted = traps.wanted((link("/events/9"), link("/news/9"), link("/events/8", redirect=True)))
    assert [each.url for each in wanted] == [f"{SITE}/news/9", f"{SITE}/events/8"]


def test_lists_are_not_shut_while_they_name_articles_that_are_new() -> None:
    """A hundred pages of a list, each with other articles; and its articles bring texts."""
    traps = CrawlerTraps()
    for number in range(5 * DRY_PAGES):
        assert read(traps, f"/list/{number}", f"/news/story-{number}00.html", f"/list/{number + 1}") is None
        assert read(traps, f"/news/story-{number}00.html", made=story(number)) is None


def test_lists_are_not_shut_because_related_articles_name_each_other() -> None:
    """Each article names five others at random, so soon all of an archive are named. Its lists are read to the end."""
    traps = CrawlerTraps()
    for number in range(2 * DRY_PAGES):
        assert (
            read(
                traps, f"/story/{number}", *(f"/story/{number * 100 + more}" for more in range(100)), made=story(number)
            )
            is None
        )
    assert [read(traps, f"/list?page={n}", f"/list?page={n + 1}", f"/story/{n + 9}") for n in range(9 * DRY_PAGES)] == [
        None
    ] * 9 * DRY_PAGES


def test_lists_that_name_each_other_are_shut() -> None:
    """Months name days and days name months; neither has ever had a text."""
    traps = CrawlerTraps()
    shut = [
        read(traps, f"/{kind}/{number}", *(f"/{other}/{number * 40 + day}" for day in range(40)))
        for number in range(4 * DRY_PAGES)
        for kind, other in (("month", "day"), ("day", "month"))
    ]
    assert {each.place for each in shut if each} == {place_of(f"{SITE}/month/1")[1], place_of(f"{SITE}/day/1")[1]}


@pytest.mark.parametrize("texts", [1, 7])
def test_the_same_texts_over_and_over_are_nothing_new(texts: int) -> None:
    """Under new addresses, as with session identifiers."""
    traps = CrawlerTraps()
    shut = [read(traps, f"/s/{number}abcdef00/x", made=story(number % texts)) for number in range(2 * DRY_PAGES)]
    assert any(shut)


def test_nearly_the_same_text_is_nothing_new() -> None:
    """The texts differ in one word."""
    traps = CrawlerTraps()
    words = [f"word{number}" for number in range(300)]
    shut = [
        read(traps, f"/n/{number}", made=document(" ".join([*words[:150], f"other{number}", *words[150:]])))
        for number in range(2 * DRY_PAGES)
    ]
    assert any(shut)


@pytest.mark.parametrize("reason", ["firewall", "http_503", "worker_timeout", "robots", "truncated_time", "redirect"])
def test_what_says_nothing_of_a_place_is_not_held_against_it(reason: str) -> None:
    """A night on which a site refuses us closes nothing."""
    traps = CrawlerTraps()
    assert not any(read(traps, f"/news/{number}", drop=Drop(reason)) for number in range(4 * DRY_PAGES))


def test_sources_are_no_pages_of_a_place() -> None:
    """Start pages, feeds and sitemaps are read for what they name."""
    traps, nothing = CrawlerTraps(), Processed(drop=LISTING)
    for number in range(4 * DRY_PAGES):
        assert traps.note(lease(f"/start/{number}", depth=0), nothing) is None
    assert len(traps.wanted((link("/start/1"),))) == 1


def test_a_host_whose_every_folder_is_new_and_empty_is_shut_as_a_whole() -> None:
    """Each page links to pages that are not known yet."""
    traps = CrawlerTraps()
    letters = [chr(97 + number // 26 % 26) + chr(97 + number % 26) for number in range(676)]
    paths = [f"/{one}{other}/x" for one in letters for other in letters[:5]]
    shut = [read(traps, path, f"{path}{path}") for path in paths[: HOST_DRY + 1]]
    assert [each.place for each in shut if each] == [""]
    assert traps.wanted((link("/never/seen"),)) == ()


def host_read(
    traps: CrawlerTraps, name: str, *links: str, path: str = "/", made: Document | None = None
) -> Trap | None:
    """Read a page of a host, which names pages of others."""
    found = tuple(Link(f"http://{each}/", f"http://{each}/", each) for each in links)
    url = f"http://{name}{path}"
    return traps.note(Lease(1, url, url, "a", name, depth=2), Processed(made, None if made else LISTING, found))


@pytest.mark.parametrize("made", [None, story(1)])
def test_hosts_without_end_that_give_nothing_new_are_shut_but_for_those_that_are_known(made: Document | None) -> None:
    """A domain may answer to any name, each with a robots.txt of its own; its other hosts, and other domains, go on."""
    traps = CrawlerTraps()
    assert host_read(traps, "www.a.example:81", path="/1", made=story(7)) is None
    shut = []
    for number in range(2 * DRY_PAGES):
        shut.append(host_read(traps, f"h{number}.a.example:81", f"h{number}x.a.example:81", made=made))
        host_read(traps, "www.a.example:81", path=f"/news/{number}", made=story(100 + number))
    found = [each for each in shut if each]
    assert [(each.host, each.place) for each in found] == [("*.a.example:81", "")]
    assert shut.index(found[0]) <= DRY_PAGES
    held = [f"http://{name}.example:81/" for name in ("new.a", "www.a", "h1.a", "a", "new.b")]
    assert [found[0].holds(url) for url in held] == [True, False, False, True, False]
    names = ["new.a.example:81", "www.a.example:81", "new.a.example", "new.b.example:81"]
    links = tuple(Link(f"http://{name}/x/y", f"http://{name}/x/y", name) for name in names)
    assert [each.host for each in traps.wanted(links)] == names[1:]


def test_hosts_whose_first_pages_lead_to_articles_of_their_own_are_not_shut() -> None:
    """As of a paper with a host for each town; nor are hosts of one domain that each give a text."""
    traps = CrawlerTraps()
    for number in range(3 * DRY_PAGES):
        name = f"town{number}.a.example"
        url = f"http://{name}/news/{number}.html"
        found = (Link(url, url, name),)
        assert (
            traps.note(
                Lease(1, f"http://{name}/", f"http://{name}/", "a", name, depth=2), Processed(None, LISTING, found)
            )
            is None
        )
    for number in range(3 * DRY_PAGES):
        assert host_read(traps, f"blog{number}.b.example", made=story(number)) is None


def test_hosts_that_lead_on_at_themselves_and_never_to_a_text_are_shut_in_the_end() -> None:
    """Each promises a page that has nothing, either."""
    traps = CrawlerTraps()
    shut = []
    for number in range(HOST_DRY):
        name = f"h{number}.a.example"
        shut += [host_read(traps, name, name), host_read(traps, name, path="/x")]
    assert [each.host for each in shut if each] == ["*.a.example"]
