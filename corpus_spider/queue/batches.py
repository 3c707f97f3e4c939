"""Batches: which sites one job of the queue crawls together.

A job costs 2 to 3 CPU seconds of start and a WARC file, so it has many sites. Sites that share a host are always in one
batch: only one crawl at a time requests a host.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_SITES = 50
"""Maximum sites of a batch, unless more share a host."""
MAX_SECONDS = 1800.0
"""Expected seconds of a batch. A longer one keeps a worker that could end, and other sites, waiting."""
PAGE_SECONDS = 0.05
"""CPU seconds of a page: fetched, extracted and stored."""


@dataclass(frozen=True, slots=True)
class SiteLoad:
    """What a crawl of a site needs. ``pages``: expected number. ``delay``: seconds between two requests to a host."""

    name: str
    hosts: frozenset[str]
    pages: int
    delay: float


@dataclass(frozen=True, slots=True)
class Batch:
    """Sites that one job crawls, and the expected seconds."""

    sites: tuple[str, ...]
    seconds: float


def batches(loads: Iterable[SiteLoad], slots: int = 1) -> list[Batch]:
    """Distribute sites to batches, longest batch first. ``slots``: batches that are crawled at once.

    Groups of sites that share a host are put, longest first, into the first batch with room for them. A batch lasts as
    long as its slowest group waits between requests, or as its pages need CPU time. Few sites are shared by all slots.
    """
    groups = _groups(loads)
    most = min(MAX_SITES, max(1, math.ceil(sum(len(group) for group in groups) / max(1, slots))))
    filled: list[_Filling] = []
    for group in sorted(groups, key=lambda group: (-_waits(group), group[0].name)):
        place = next((filling for filling in filled if filling.has_room(group, most)), None)
        if place is None:
            filled.append(place := _Filling())
        place.add(group)
    made = [Batch(tuple(sorted(load.name for load in filling.loads)), filling.seconds()) for filling in filled]
    return sorted(made, key=lambda batch: (-batch.seconds, batch.sites))


@dataclass(slots=True)
class _Filling:
    """A batch that is being filled."""

    loads: list[SiteLoad] = field(default_factory=list)
    pages: int = 0

    def has_room(self, group: list[SiteLoad], most: int) -> bool:
        if len(self.loads) + len(group) > most:
            return False
        return (self.pages + sum(load.pages for load in group)) * PAGE_SECONDS <= MAX_SECONDS

    def add(self, group: list[SiteLoad]) -> None:
        self.loads += group
        self.pages += sum(load.pages for load in group)

    def seconds(self) -> float:
        return max(self.pages * PAGE_SECONDS, *(_waits(group) for group in _groups(self.loads)))


def _waits(group: Iterable[SiteLoad]) -> float:
    """Return the seconds that a group of sites with shared hosts waits between requests."""
    return sum(load.pages * load.delay for load in group)


def _groups(loads: Iterable[SiteLoad]) -> list[list[SiteLoad]]:
    """Return the sites in groups: two sites that share a host, also through other sites, are in one group."""
    of_host: dict[str, list[SiteLoad]] = defaultdict(list)
    waiting = {load.name: load for load in sorted(loads, key=lambda load: load.name)}
    for load in waiting.values():
        for host in load.hosts:
            of_host[host].append(load)
    groups = []
    while waiting:
        group = [waiting.pop(next(iter(waiting)))]
        for load in group:
            for host in load.hosts:
                # The group grows while it is gone through.
                group.extend(waiting.pop(near.name) for near in of_host.pop(host, ()) if near.name in waiting)
        groups.append(group)
    return groups
