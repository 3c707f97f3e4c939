"""Batches of the queue: each site once, sites with a shared host together, none longer than needed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_spider.queue.batches import MAX_SECONDS, MAX_SITES, PAGE_SECONDS, Batch, SiteLoad, batches

NAMES = st.integers(0, 200).map(lambda number: f"s{number}")
HOSTS = st.frozensets(st.integers(0, 150).map(lambda number: f"h{number}.example"), min_size=1, max_size=3)
LOADS = st.lists(
    st.builds(SiteLoad, NAMES, HOSTS, st.integers(0, 50_000), st.floats(0, 20)),
    unique_by=lambda load: load.name,
    max_size=150,
)


def load(name: str, *hosts: str, pages: int = 20, delay: float = 1.0) -> SiteLoad:
    return SiteLoad(name, frozenset(hosts or (f"{name}.example",)), pages, delay)


@given(LOADS)
def test_each_site_is_in_one_batch_and_each_host_in_one(loads: list[SiteLoad]) -> None:
    made = batches(loads)
    assert sorted(name for batch in made for name in batch.sites) == sorted(each.name for each in loads)
    of_site = {name: number for number, batch in enumerate(made) for name in batch.sites}
    of_host: dict[str, set[int]] = {}
    for each in loads:
        for host in each.hosts:
            of_host.setdefault(host, set()).add(of_site[each.name])
    assert all(len(numbers) == 1 for numbers in of_host.values())


@given(LOADS)
def test_the_order_of_the_sites_changes_nothing(loads: list[SiteLoad]) -> None:
    assert batches(loads) == batches(reversed(loads))


@pytest.mark.parametrize(
    ("loads", "expected"),
    [
        ([], []),
        ([load("a"), load("b")], [("a", "b")]),
        # Two sites of one host, joined by a third one that has both hosts.
        ([load("a", "x"), load("b", "y"), load("c", "x", "y")], [("a", "b", "c")]),
        # Pages that need half an hour of CPU time fill a batch alone.
        ([load("a", pages=int(MAX_SECONDS / PAGE_SECONDS)), load("b")], [("a",), ("b",)]),
        # A slow host costs waiting, not work: it shares its batch.
        ([load("a", pages=300, delay=20.0), load("b")], [("a", "b")]),
    ],
    ids=["none", "small", "shared hosts", "large", "slow"],
)
def test_sites_come_together_by_host_and_by_work(loads: list[SiteLoad], expected: list[tuple[str, ...]]) -> None:
    assert [batch.sites for batch in batches(loads)] == expected


def test_five_thousand_small_sites_are_a_hundred_batches() -> None:
    """The start of a job costs seconds of CPU time, so a batch has as many sites as its limit allows."""
    made = batches(load(f"s{number}") for number in range(5000))
    assert len(made) == 5000 / MAX_SITES


def test_a_batch_lasts_as_long_as_its_slowest_host() -> None:
    """Sites that share a host wait for each other; others do not."""
    assert batches([load("a", "x", pages=100), load("b", "x", pages=50), load("c", pages=20)]) == [
        Batch(("a", "b", "c"), 150.0)
    ]
