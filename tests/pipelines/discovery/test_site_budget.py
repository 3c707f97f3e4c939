"""Site budget: which URLs of a site wait, by its counters alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipelines.discovery.site_budget import MAX_BACKLOG, MAX_NEWS, MIN_PROBES, SiteBudget
from pipelines.text.minhash import fingerprint
from storage.records import Document, Drop, Kind, LanguageGuess, Lease, Link, Metadata, Processed
from storage.runs.allowance import FIRST_NIGHT, MIN_EXTRA, Allowance

if TYPE_CHECKING:
    from collections.abc import Iterable

GUESS = LanguageGuess("en", 1.0, "Latn", 1.0)
TEXT = Processed(Document("text", GUESS, Metadata(), "x", "1", "", "utf-8", "bom", 0.0, fingerprint("text")))
LIST = Processed(drop=Drop("listing"))
LATER = Allowance(100, 50.0)
"""Allowance of a site with a past: 150 texts."""


def page(number: int, **more: object) -> Lease:
    lease = Lease(number, f"http://a.example/{number}", f"http://a.example/{number}", "s", "a.example", depth=2)
    return replace(lease, **more)  # type: ignore[arg-type]


def no_list(_: str) -> bool:
    return False


def moved(new_links: int) -> Processed:
    """Return the outcome of a redirect."""
    target = Link("http://a.example/t", "http://a.example/t", "a.example", redirect=True)
    return Processed(drop=Drop("redirect"), links=(target,), new_links=new_links)


def taken(budget: SiteBudget, leases: Iterable[Lease], outcome: Processed = TEXT) -> int:
    """Take and store pages until one must wait; return how many."""
    count = 0
    for lease in leases:
        if not budget.take(lease, no_list):
            break
        budget.processed(lease, outcome)
        count += 1
    return count


@pytest.mark.parametrize(
    ("allowance", "named", "texts"),
    [
        (Allowance(), 0, FIRST_NIGHT),
        # What a site claims in its first night has no effect.
        (Allowance(), 400, FIRST_NIGHT),
        (Allowance(), 100_000, FIRST_NIGHT),
        (LATER, 0, 150),
        # News is let in while its number is plausible.
        (LATER, 30, 150),
        (LATER, 300, 400),
        (LATER, 450, MAX_NEWS),
        (LATER, MAX_NEWS, MAX_NEWS),
        (LATER, MAX_NEWS + 1, 150),
        (Allowance(100, 900.0), 1800, 1800),
        (Allowance(100, 900.0), 1801, 1000),
        (Allowance(MIN_EXTRA, 0.0), 0, MIN_EXTRA),
    ],
)
def test_a_site_may_have_as_many_texts_as_its_past_and_its_news_allow(
    allowance: Allowance, named: int, texts: int
) -> None:
    budget = SiteBudget({"s": allowance}, {})
    budget.processed(page(0, depth=0), replace(LIST, new_links=named))
    assert taken(budget, (page(number) for number in range(1, 5000))) == texts


def test_pages_without_a_text_are_not_counted() -> None:
    budget = SiteBudget({"s": LATER}, {})
    assert taken(budget, (page(number) for number in range(1000)), LIST) == 1000
    assert taken(budget, (page(number) for number in range(1000, 2000))) == 150


def test_a_redirect_counts_as_the_text_that_it_leads_to() -> None:
    """Its target passes, although no other text may be read."""
    budget = SiteBudget({"s": LATER}, {})
    assert taken(budget, (page(number) for number in range(1000)), moved(1)) == 150
    targets = [page(1000 + number, hops=1) for number in range(151)]
    assert [budget.take(target, no_list) for target in targets] == [True] * 150 + [False]


def test_a_redirect_to_a_known_page_is_not_counted() -> None:
    budget = SiteBudget({"s": LATER}, {})
    assert taken(budget, (page(number) for number in range(1000)), moved(0)) == 1000


def test_a_target_without_a_text_gives_its_place_back() -> None:
    budget = SiteBudget({"s": LATER}, {})
    taken(budget, [page(0)], moved(1))
    taken(budget, [page(1, hops=1)], LIST)
    assert taken(budget, (page(number) for number in range(2, 1000))) == 150


def test_redirects_of_a_feed_name_their_pages_once() -> None:
    """Some feeds name each article by a redirect. As many articles come in as without."""
    budget = SiteBudget({"s": LATER}, {})
    budget.processed(page(0, kind=Kind.FEED, depth=1), replace(LIST, new_links=300))
    for number in range(1, 301):
        taken(budget, [page(number, depth=1)], moved(1))
        taken(budget, [page(number + 1000, depth=1, hops=1)])
    assert taken(budget, (page(number) for number in range(2000, 3000))) == 100


@pytest.mark.parametrize(
    ("usual", "named", "texts"),
    [(0.0, 70, 95), (0.0, 300, 105), (40.0, 300, 105), (150.0, 300, 325), (150.0, 400, 325), (400.0, 600, 625)],
)
def test_less_news_is_plausible_while_the_pages_lead_to_new_ones(usual: float, named: int, texts: int) -> None:
    """A tarpit that names hundreds of pages in its feed each night. Twice the usual number is plausible always."""
    budget = SiteBudget({"s": Allowance(MIN_EXTRA, usual)}, {"s": 1000})
    budget.processed(page(0, depth=0), replace(LIST, new_links=named))
    assert taken(budget, (page(number) for number in range(1, 2000)), replace(TEXT, new_links=3)) == texts


def test_pages_on_their_way_are_counted() -> None:
    """A fast site does not outrun the count. A page that fails is taken back."""
    budget = SiteBudget({"s": LATER}, {})
    leases = [page(number) for number in range(200)]
    assert [budget.take(lease, no_list) for lease in leases[:149]] == [True] * 149
    budget.ended(leases[0])
    assert [budget.take(lease, no_list) for lease in leases[149:]] == [True] * 2 + [False] * 49


@pytest.mark.parametrize(
    "exempt", [{"depth": 0}, {"released": True}, {"site": "t"}], ids=["source", "released", "site without allowance"]
)
def test_configured_and_released_pages_do_not_wait(exempt: dict[str, object]) -> None:
    budget = SiteBudget({"s": LATER}, {})
    taken(budget, (page(number) for number in range(1000)))
    assert budget.holds(page(2000), no_list)
    assert not budget.holds(page(2001, **exempt), no_list)
    assert budget.take(page(2001, **exempt), no_list)


@pytest.mark.parametrize(
    ("new_links", "suspended", "allowance", "ends"),
    [
        (0, 3000, LATER, True),
        (0.8, 3000, LATER, True),
        (1, 3000, LATER, False),
        (20, 100, LATER, False),
        # A long backlog is a decision of the owner. A first night shows nothing.
        (0, 2 * MAX_BACKLOG, LATER, False),
        (0, 3000, Allowance(), False),
    ],
)
def test_a_site_ends_when_its_pages_lead_to_fewer_new_ones(
    new_links: float, suspended: int, allowance: Allowance, *, ends: bool
) -> None:
    """Then its suspended URLs are let in, once, and it is not held back."""
    budget = SiteBudget({"s": allowance}, {"s": suspended})
    for number in range(MIN_PROBES):
        lease = page(number, named=False)
        assert budget.take(lease, no_list)
        assert not budget.lets_in("s")
        share = int((number + 1) * new_links) - int(number * new_links)
        budget.processed(lease, replace(TEXT, new_links=share))
    assert budget.lets_in("s") is ends
    assert not budget.lets_in("s")
    more = taken(budget, (page(number) for number in range(1000, 3000)))
    assert more == (2000 if ends else allowance.texts - MIN_PROBES)


def test_a_backlog_that_was_too_long_is_not_let_in_when_it_shrinks() -> None:
    """Its lists were held back, so its texts seem to lead nowhere."""
    budget = SiteBudget({"s": LATER}, {"s": 3000}, {"s": MAX_BACKLOG + 1})
    assert taken(budget, (page(number, named=False) for number in range(1000))) == LATER.extra
    assert not budget.lets_in("s")


def test_named_pages_do_not_show_that_a_site_ends() -> None:
    """A paper's own news must not let in the tarpit in one of its folders."""
    budget = SiteBudget({"s": LATER}, {"s": 1000})
    taken(budget, (page(number) for number in range(100)))
    assert not budget.lets_in("s")


def test_lists_show_where_a_site_ends_until_the_backlog_is_long() -> None:
    budget = SiteBudget({"s": LATER}, {})
    taken(budget, (page(number) for number in range(200)))
    assert budget.holds(page(300), no_list)
    assert not budget.holds(page(301), lambda _: True)
    budget.processed(page(301), replace(LIST, new_links=MAX_BACKLOG + 1000))
    assert budget.holds(page(302), lambda _: True)


def test_sitemaps_wait_when_they_name_more_and_more() -> None:
    """Not those that are configured, and not while the number of new pages is plausible."""
    budget = SiteBudget({"s": LATER}, {"s": MAX_BACKLOG + 1})
    sitemap = page(1, kind=Kind.SITEMAP, depth=1)
    assert not budget.holds(sitemap, no_list)
    budget.processed(sitemap, Processed(drop=Drop("sitemap"), new_links=MAX_NEWS + 1))
    assert budget.holds(replace(sitemap, url_id=2), no_list)
    assert not budget.holds(replace(sitemap, depth=0), no_list)
