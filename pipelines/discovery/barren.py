"""Places of a site that give nothing new: calendars, filters in every order, session identifiers, pages that are not
there and do not say so.

What a page is about is not looked at, only what comes of asking. Addresses that vary alike (`place_of`) are one place.
A place is barren when `DRY` pages of it in a row had no text that is new there, and the last `IDLE` of them named no
address, either, of a place that may still have one: a list of articles is none, a list of lists of lists is. A host is
when `HOST_DRY` pages in a row had no new text, whatever they named. And so are the hosts of a domain that were not
asked yet, a domain having as many as it likes: when the first pages of `DRY` hosts in a row had no new text, and either
the last `IDLE` named nothing at their own host or `HOST_DRY` pages of hosts that have given none were read. After
Heritrix, whose rules for traps know addresses only, and Olston and Pandey, "Recrawl scheduling based on information
longevity" (WWW 2008), for whom a page is worth what it brings that is new.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipelines.discovery.shapes import shape_of
from pipelines.hosts import registered_domain
from pipelines.urls import parse
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Container

    from storage.records import Document, Fingerprint, Lease, Link, Processed

DRY = 50
"""Pages in a row without a new text from which a place has to show that it leads somewhere."""
IDLE = 20
HOST_DRY = 2000
MAX_PLACES = 2000
"""Places that are remembered, the last that were asked for."""
MAX_NAMED = 200_000
"""Links that are remembered as named before, and hosts."""
_RECENT = 100
"""Texts of a place with which a text is compared."""
_KEYS = 6
"""LSH bands of a text that are compared: a near copy (similarity .9) shares one of them in 99 of 100 cases."""
_NUMBER = re.compile(r"\{(?:n|y|d|id)\}")
TEXTLESS = frozenset(("http_404", "http_410", "soft_404", "listing", "no_article", "language", "not_html", "empty"))
"""Drops that tell of the page; what tells of the moment, of a refusal or of us says nothing of its place."""


def place_of(url: str) -> tuple[str, str]:
    """Return the host of a canonical URL, and its place there: the first folder, and how the rest is built.

    Parts alike in a row are one part, and of several parameters only that there are.
    """
    address = parse(url)
    if address is None:
        return "", ""
    path, _, query = _NUMBER.sub("#", shape_of(address).text).partition("?")
    classes = path.split("/")[1:]
    folder = address.path.split("/")[1] if len(classes) > 1 and classes[0] == "{w}" else ""
    parts = [part for part, before in zip(classes, ["", *classes], strict=False) if part != before]
    names = query if "&" not in query else "&"
    return address.host, f"/{folder}/{'/'.join(parts)}?{names.partition('=')[0]}"


def family_of(host: str) -> str:
    """Return all hosts of the domain of a host, as ``*.example.org``; empty where a host is its own domain's only one,
    as an address is.
    """
    name, colon, port = host.partition(":")
    labels = name.split(".")
    if host.startswith("[") or labels[-1].isdigit():
        return ""
    domain = registered_domain(name) or ".".join(labels[-2:])
    return f"*.{domain}{colon}{port}" if "." in domain else ""


@dataclass(slots=True)
class _Place:
    """What has come of a place lately."""

    dry: int = 0
    """Pages since the last new text."""
    idle: int = 0
    """Pages since the last that had one or named an address worth asking for."""
    shut: bool = False
    texts: deque[tuple[object, ...]] = field(default_factory=deque)
    keys: Counter[object] = field(default_factory=Counter)

    def is_new(self, made: Fingerprint) -> bool:
        """Compare a text with the last ones, and remember it."""
        keys = (made.exact, *made.bands[:_KEYS])
        known = any(self.keys[key] for key in keys)
        self.texts.append(keys)
        self.keys.update(keys)
        if len(self.texts) > _RECENT:
            self.keys.subtract(self.texts.popleft())
            self.keys = +self.keys
        return not known


@dataclass(frozen=True, slots=True)
class Shut:
    """A place that was found barren: its host, and itself; "" for the whole host. Of ``*.example.org`` it is the hosts
    that are not ``known`` (hashes).
    """

    host: str
    place: str
    pages: int
    known: Container[int] = field(default=(), compare=False)

    def holds(self, url: str) -> bool:
        """Return whether a canonical URL lies in it."""
        host, place = place_of(url)
        if self.host.startswith("*"):
            return family_of(host) == self.host and hash(host) not in self.known
        return host == self.host and self.place in {"", place}


class Barren:
    """Follows what comes of the places of a run's sites. In memory, and bounded: a new run looks anew."""

    def __init__(self) -> None:
        self._places: OrderedDict[tuple[str, str], _Place] = OrderedDict()
        self._named: OrderedDict[int, None] = OrderedDict()
        self._shut_hosts: set[str] = set()
        self._shut_families: set[str] = set()
        self._hosts: OrderedDict[int, None] = OrderedDict()
        """Hosts that a page was read of."""
        self._giving: OrderedDict[int, None] = OrderedDict()
        """Those of which a text was new."""

    def wanted(self, links: tuple[Link, ...]) -> tuple[Link, ...]:
        """Return the links without those into barren places; feeds, sitemaps and redirects are always wanted."""
        if not self._shut_families and not self._shut_hosts.intersection(link.host for link in links):
            return links
        return tuple(link for link in links if link.redirect or link.kind is not Kind.PAGE or not self._is_shut(link))

    def note(self, lease: Lease, processed: Processed) -> Shut | None:
        """Take in what came of a page that was read; return its place if that is barren from now on."""
        drop, made = processed.drop, processed.document
        fresh = self._fresh(processed.links)
        first = self._remember(self._hosts, hash(lease.host))
        if lease.kind is not Kind.PAGE or lease.depth == 0 or (drop and drop.reason not in TEXTLESS):
            return None
        shut = self._note_host(lease.host, made, fresh, first=first)
        if shut is not None:
            return shut
        key = place_of(lease.url)
        place, host = self._place(key), self._place((key[0], ""))
        if made is not None and place.is_new(made.fingerprint):
            place.dry = place.idle = host.dry = 0
            return None
        place.dry, host.dry = place.dry + 1, host.dry + 1
        place.idle = 0 if any(self._promises(link) for link in fresh) else place.idle + 1
        if host.dry >= HOST_DRY and not host.shut:
            return self._shut(host, Shut(key[0], "", host.dry))
        if place.dry >= DRY and place.idle >= IDLE and not place.shut:
            return self._shut(place, Shut(*key, place.dry))
        return None

    def _note_host(self, name: str, made: Document | None, fresh: list[Link], *, first: bool) -> Shut | None:
        """Take in what came of a host that has given nothing yet; return its family if no more of it is to be asked."""
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
        if hosts.dry < DRY or (hosts.idle < IDLE and pages.dry < HOST_DRY):
            return None
        self._shut_families.add(family)
        return Shut(family, "", pages.dry, self._hosts)

    def _shut(self, place: _Place, shut: Shut) -> Shut:
        place.shut = True
        self._shut_hosts.add(shut.host)
        return shut

    def _place(self, key: tuple[str, str]) -> _Place:
        place = self._places.setdefault(key, _Place())
        self._places.move_to_end(key)
        if len(self._places) > MAX_PLACES:
            self._places.popitem(last=False)
        return place

    def _is_shut(self, link: Link) -> bool:
        if hash(link.host) not in self._hosts and family_of(link.host) in self._shut_families:
            return True
        key = place_of(link.url)
        return any(known in self._places and self._places[known].shut for known in (key, (key[0], "")))

    def _promises(self, link: Link) -> bool:
        known = self._places.get(place_of(link.url))
        return known is None or known.dry < DRY

    def _fresh(self, links: tuple[Link, ...]) -> list[Link]:
        """Return the links that were not named before, and remember them."""
        return [link for link in links if self._remember(self._named, hash(link.url))]

    @staticmethod
    def _remember(known: OrderedDict[int, None], one: int) -> bool:
        """Add a hash; say whether it was not known, or not any more."""
        if one in known:
            return False
        known[one] = None
        if len(known) > MAX_NAMED:
            known.popitem(last=False)
        return True
