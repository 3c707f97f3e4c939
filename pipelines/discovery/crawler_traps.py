"""Crawler-trap detection: groups of URLs that yield no new text (calendars, facets, session ids, soft 404s).

Only the results of fetches count, not the content of pages. URLs that vary in the same way (`place_of`) form a place.

- A place is a trap if `DRY_PAGES` pages of it in a row had no new text. The last `IDLE_PAGES` of them must not name a
  URL of another place that may have one. A list of articles is no trap, a list of lists of lists is.
- A host is a trap if `HOST_DRY` pages in a row had no new text, also if they named new pages.
- The unvisited hosts of a domain are a trap if the first pages of `DRY_PAGES` hosts in a row had no new text. Besides,
  the last `IDLE_PAGES` must name nothing at their own host, or `HOST_DRY` pages of hosts without a text must have been
  read. A domain can have any number of hosts.

Sources: Heritrix, whose rules for traps know URLs only; Olston and Pandey, "Recrawl scheduling based on information
longevity" (WWW 2008), for whom the value of a page is its new information.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipelines.discovery.url_shapes import NUMBER_SLOT, shape_of
from pipelines.urls.url import parse, registered_domain
from storage.reasons import TEXTLESS
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Container

    from storage.records import Document, Fingerprint, Lease, Link, Processed

DRY_PAGES = 50
"""Pages in a row without a new text, after which a place must lead to others."""
IDLE_PAGES = 20
"""Pages in a row that named no promising URL."""
HOST_DRY = 2000
"""Pages of a host in a row without a new text."""
MAX_PLACES = 2000
"""Places in memory. The least recent is dropped."""
MAX_NAMED_URLS = 200_000
"""Links, and hosts, in memory. The oldest is dropped."""
_RECENT_TEXTS = 100
"""Texts of a place with which a text is compared."""
_KEYS = 6
"""LSH bands that are compared. A near-duplicate (similarity .9) shares one of them in 99 of 100 cases."""


def place_of(url: str) -> tuple[str, str]:
    """Return the host of a canonical URL and its place: the first folder, and the form of the rest.

    Equal parts in a row count as one. Of several parameters only their presence counts.
    """
    address = parse(url)
    if address is None:
        return "", ""
    path, _, query = NUMBER_SLOT.sub("#", shape_of(address).text).partition("?")
    classes = path.split("/")[1:]
    folder = address.path.split("/")[1] if len(classes) > 1 and classes[0] == "{w}" else ""
    parts = [part for part, before in zip(classes, ["", *classes], strict=False) if part != before]
    names = query if "&" not in query else "&"
    return address.host, f"/{folder}/{'/'.join(parts)}?{names.partition('=')[0]}"


def family_of(host: str) -> str:
    """Return the family of a host, all hosts of its domain, as ``*.example.org``. Empty for IP addresses."""
    name, colon, port = host.partition(":")
    labels = name.split(".")
    if host.startswith("[") or labels[-1].isdigit():
        return ""
    domain = registered_domain(name) or ".".join(labels[-2:])
    return f"*.{domain}{colon}{port}" if "." in domain else ""


@dataclass(slots=True)
class _PlaceResults:
    """Recent results of a place."""

    dry: int = 0
    """Pages since the last new text."""
    idle: int = 0
    """Pages since the last one with a new text or a promising URL."""
    shut: bool = False
    texts: deque[tuple[object, ...]] = field(default_factory=deque)
    keys: Counter[object] = field(default_factory=Counter)

    def is_new(self, made: Fingerprint) -> bool:
        """Compare a text with the recent ones, and remember it."""
        keys = (made.exact, *made.bands[:_KEYS])
        known = any(self.keys[key] for key in keys)
        self.texts.append(keys)
        self.keys.update(keys)
        if len(self.texts) > _RECENT_TEXTS:
            self.keys.subtract(self.texts.popleft())
            self.keys = +self.keys
        return not known


@dataclass(frozen=True, slots=True)
class Trap:
    """A place that yields no new text.

    ``place`` is "" for a whole host. For ``*.example.org`` the trap is the hosts that are not ``known`` (hashes).
    """

    host: str
    place: str
    pages: int
    known: Container[int] = field(default=(), compare=False)

    def holds(self, url: str) -> bool:
        """Return whether a canonical URL is in the trap."""
        host, place = place_of(url)
        if self.host.startswith("*"):
            return family_of(host) == self.host and hash(host) not in self.known
        return host == self.host and self.place in {"", place}


class CrawlerTraps:
    """Tracks the results of the places of a run's sites, in limited memory. Each run starts without knowledge."""

    def __init__(self) -> None:
        self._places: OrderedDict[tuple[str, str], _PlaceResults] = OrderedDict()
        self._named: OrderedDict[int, None] = OrderedDict()
        self._shut_hosts: set[str] = set()
        self._shut_families: set[str] = set()
        self._hosts: OrderedDict[int, None] = OrderedDict()
        """Hosts with a page that was read."""
        self._giving: OrderedDict[int, None] = OrderedDict()
        """Hosts with a new text."""

    def is_list(self, url: str) -> bool:
        """Return whether pages like this one were read in this run, and none of them had a text."""
        place = self._places.get(place_of(url))
        return place is not None and place.dry > 0 and not place.texts

    def wanted(self, links: tuple[Link, ...]) -> tuple[Link, ...]:
        """Return the links that lead into no trap. Feeds, sitemaps and redirects are always kept."""
        if not self._shut_families and not self._shut_hosts.intersection(link.host for link in links):
            return links
        return tuple(link for link in links if link.redirect or link.kind is not Kind.PAGE or not self._is_trap(link))

    def note(self, lease: Lease, processed: Processed) -> Trap | None:
        """Record the result of a page. Return its place if that is a trap from now on."""
        drop, made = processed.drop, processed.document
        # Links that no other list has named, or no other article. Related articles name each other long before the
        # further pages of a list do.
        is_list = made is None
        fresh = [link for link in processed.links if self._remember(self._named, hash((link.url, is_list)))]
        first = self._remember(self._hosts, hash(lease.host))
        if lease.kind is not Kind.PAGE or lease.depth == 0 or (drop and drop.reason not in TEXTLESS):
            return None
        trap = self._note_host(lease.host, made, fresh, first=first)
        if trap is not None:
            return trap
        key = place_of(lease.url)
        place, host = self._place(key), self._place((key[0], ""))
        if made is not None and place.is_new(made.fingerprint):
            place.dry = place.idle = host.dry = 0
            return None
        place.dry, host.dry = place.dry + 1, host.dry + 1
        place.idle = 0 if any(self._promises(link) for link in fresh) else place.idle + 1
        if host.dry >= HOST_DRY and not host.shut:
            return self._close(host, Trap(key[0], "", host.dry))
        if place.dry >= DRY_PAGES and place.idle >= IDLE_PAGES and not place.shut:
            return self._close(place, Trap(*key, place.dry))
        return None

    def _note_host(self, name: str, made: Document | None, fresh: list[Link], *, first: bool) -> Trap | None:
        """Record the result of a host without a text. Return its family if that is a trap from now on."""
        family = family_of(name)
        if not family or family in self._shut_families or hash(name) in self._giving:
            return None
        pages, hosts = self._place((family, "")), self._place((family, "?"))
        if made is not None and pages.is_new(made.fingerprint):
            self._remember(self._giving, hash(name))
            pages.dry = hosts.dry = hosts.idle = 0
            return None
        pages.dry += 1
        if first:
            hosts.dry += 1
            promising = any(link.host == name and self._promises(link) for link in fresh)
            hosts.idle = 0 if promising else hosts.idle + 1
        if hosts.dry < DRY_PAGES or (hosts.idle < IDLE_PAGES and pages.dry < HOST_DRY):
            return None
        self._shut_families.add(family)
        return Trap(family, "", pages.dry, self._hosts)

    def _close(self, place: _PlaceResults, trap: Trap) -> Trap:
        place.shut = True
        self._shut_hosts.add(trap.host)
        return trap

    def _place(self, key: tuple[str, str]) -> _PlaceResults:
        place = self._places.setdefault(key, _PlaceResults())
        self._places.move_to_end(key)
        if len(self._places) > MAX_PLACES:
            self._places.popitem(last=False)
        return place

    def _is_trap(self, link: Link) -> bool:
        if hash(link.host) not in self._hosts and family_of(link.host) in self._shut_families:
            return True
        key = place_of(link.url)
        return any(known in self._places and self._places[known].shut for known in (key, (key[0], "")))

    def _promises(self, link: Link) -> bool:
        known = self._places.get(place_of(link.url))
        return known is None or known.dry < DRY_PAGES

    @staticmethod
    def _remember(known: OrderedDict[int, None], one: int) -> bool:
        """Add a hash. Return whether it was unknown, or already dropped."""
        if one in known:
            return False
        known[one] = None
        if len(known) > MAX_NAMED_URLS:
            known.popitem(last=False)
        return True
