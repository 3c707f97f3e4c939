"""Places that give nothing new are found, and lists that lead to articles are not taken for them."""

from __future__ import annotations

import pytest

from pipelines.discovery.barren import DRY, HOST_DRY, IDLE, Barren, Shut, place_of
from pipelines.fingerprints import fingerprint
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


def read(barren: Barren, path: str, *links: str, made: Document | None = None, drop: Drop = LISTING) -> Shut | None:
    found = tuple(link(each) for each in links)
    return barren.note(lease(path), Processed(made, None if made else drop, found))


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
    barren = Barren()
    shut = [
        read(barren, f"/events/{number}", f"/events/{number + 1000}", f"/events/{number + 5000}")
        for number in range(3 * DRY)
    ]
    found = [each for each in shut if each]
    assert len(found) == 1
    assert shut.index(found[0]) < DRY + IDLE + 1
    assert found[0].holds(f"{SITE}/events/77")
    assert not found[0].holds(f"{SITE}/news/77")
    assert not found[0].holds("http://b.example/events/77")
    wanted = barren.wanted((link("/events/9"), link("/news/9"), link("/events/8", redirect=True)))
    assert [each.url for each in wanted] == [f"{SITE}/news/9", f"{SITE}/events/8"]


def test_lists_are_not_shut_while_they_name_articles_that_are_new() -> None:
    """A hundred pages of a list, each with other articles; and its articles bring texts."""
    barren = Barren()
    for number in range(5 * DRY):
        assert read(barren, f"/list/{number}", f"/news/story-{number}00.html", f"/list/{number + 1}") is None
        assert read(barren, f"/news/story-{number}00.html", made=story(number)) is None


def test_lists_that_name_each_other_are_shut() -> None:
    """Months name days and days name months; neither has ever had a text."""
    barren = Barren()
    shut = [
        read(barren, f"/{kind}/{number}", *(f"/{other}/{number * 40 + day}" for day in range(40)))
        for number in range(4 * DRY)
        for kind, other in (("month", "day"), ("day", "month"))
    ]
    assert {each.place for each in shut if each} == {place_of(f"{SITE}/month/1")[1], place_of(f"{SITE}/day/1")[1]}


@pytest.mark.parametrize("texts", [1, 7])
def test_the_same_texts_over_and_over_are_nothing_new(texts: int) -> None:
    """Under new addresses, as with session identifiers."""
    barren = Barren()
    shut = [read(barren, f"/s/{number}abcdef00/x", made=story(number % texts)) for number in range(2 * DRY)]
    assert any(shut)


def test_nearly_the_same_text_is_nothing_new() -> None:
    """But for one word in each."""
    barren = Barren()
    words = [f"word{number}" for number in range(300)]
    shut = [
        read(barren, f"/n/{number}", made=document(" ".join([*words[:150], f"other{number}", *words[150:]])))
        for number in range(2 * DRY)
    ]
    assert any(shut)


@pytest.mark.parametrize("reason", ["firewall", "http_503", "worker_timeout", "robots", "truncated_time", "redirect"])
def test_what_says_nothing_of_a_place_is_not_held_against_it(reason: str) -> None:
    """A night on which a site refuses us closes nothing."""
    barren = Barren()
    assert not any(read(barren, f"/news/{number}", drop=Drop(reason)) for number in range(4 * DRY))


def test_sources_are_no_pages_of_a_place() -> None:
    """Start pages, feeds and sitemaps are read for what they name."""
    barren, nothing = Barren(), Processed(drop=LISTING)
    for number in range(4 * DRY):
        assert barren.note(lease(f"/start/{number}", depth=0), nothing) is None
    assert len(barren.wanted((link("/start/1"),))) == 1


def test_a_host_whose_every_folder_is_new_and_empty_is_shut_as_a_whole() -> None:
    """Each page promises places that nobody has seen."""
    barren = Barren()
    letters = [chr(97 + number // 26 % 26) + chr(97 + number % 26) for number in range(676)]
    paths = [f"/{one}{other}/x" for one in letters for other in letters[:5]]
    shut = [read(barren, path, f"{path}{path}") for path in paths[: HOST_DRY + 1]]
    assert [each.place for each in shut if each] == [""]
    assert barren.wanted((link("/never/seen"),)) == ()
