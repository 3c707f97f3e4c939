"""Links into the frontier: which enter, with what rank, and where redirects lead."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.database import among, chunks, insert_many, upsert
from storage.records import Kind, UrlState
from storage.schedule import moment
from storage.schema import MAX_URL, fetch, host, url
from storage.tombstones import refused
from storage.visits import GONE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

    from storage.records import Lease, Link

MAX_HOPS = 5
"""Redirects followed from one URL to the next."""

SEED_PRIORITY = {Kind.FEED: 30, Kind.SITEMAP: 20}
START_PAGE_PRIORITY = 10
FEED_ITEM_PRIORITY = 5
FRONT_PAGE_LINK_PRIORITY = 3
ARCHIVE_SECONDS = 31 * 86_400.0
"""Age from which a sitemap that an index names is one of the archive."""

CLEAN_SLATE: dict[str, Any] = {
    "state": UrlState.PENDING,
    "attempts": 0,
    "next_try": 0.0,
    "reason": None,
    "due_again": None,
}
FINISHED = (UrlState.DONE, UrlState.FAILED)


def is_key(text: str) -> bool:
    """Say whether ``text`` may be a key of the frontier: ASCII, no longer than `MAX_URL`."""
    return 0 < len(text) <= MAX_URL and text.isascii() and "\x00" not in text


def link_priority(kind: Kind, parent: Lease) -> int:
    """Rank a link: feeds and sitemaps first, then what a feed names as new, what a start page shows, then the rest."""
    front = FRONT_PAGE_LINK_PRIORITY if parent.kind is Kind.PAGE and parent.depth == 0 else 0
    return SEED_PRIORITY.get(kind, FEED_ITEM_PRIORITY if parent.kind is Kind.FEED else front)


@dataclass(frozen=True, slots=True)
class Found:
    """A link and the page it was found in."""

    link: Link
    parent: Lease
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    """When the page was fetched, so that what a visit to it found is not newer than the visit."""

    @property
    def hops(self) -> int:
        return self.parent.hops + 1 if self.link.redirect else 0

    @property
    def kind(self) -> Kind:
        """What to expect: the target of a redirect is expected to be what its source was."""
        return self.parent.kind if self.link.redirect and self.link.kind is Kind.PAGE else self.link.kind

    @property
    def priority(self) -> int:
        """Rank it among what waits at its host.

        Sitemaps that an index has of the archive come in their turn, by date: there may be hundreds, and a run that
        ends early would have read nothing else. So do those that are ranked lower, and those of an index in an index,
        of which there may be as many again for each.
        """
        is_listed = self.link.kind is self.parent.kind is Kind.SITEMAP and not self.link.redirect
        is_old = 0 < moment(self.link.dated) < self.at.timestamp() - ARCHIVE_SECONDS
        if is_listed and (is_old or self.link.rank < 0 or self.parent.depth > 0):
            return 0
        return self.link.rank + link_priority(self.kind, self.parent)

    @property
    def is_self(self) -> bool:
        """True for a redirect to another spelling of the URL itself (http to https): same key, other address."""
        return self.link.redirect and self.link.url == self.parent.url


def follows(found: Found) -> bool:
    """Decide whether a link enters the frontier at all."""
    usable = is_key(found.link.url) and found.hops <= MAX_HOPS
    return usable and not (found.is_self and found.link.fetch_url == found.parent.fetch_url)


def add_links(connection: Connection, found: Sequence[Found]) -> int:
    """Put found links into the frontier, those it knows already excepted; return how many were new.

    A redirect to another spelling of its own URL queues that URL again under the new address. A redirect that a seed
    made is followed each time, not only the first: a moved feed must be read each night. What was removed on request
    stays away.

    A page that was not there (404, 410) when another had led to it is asked for once more when a sitemap names it for
    the first time, and once more when a feed does, however often they name it; after that as its age would have it.
    """
    away = refused(connection, (each.link.url for each in found))
    found = [each for each in found if each.link.url not in away]
    wanted = {each.link.url: each for each in found if follows(each) and not each.is_self}
    known = known_urls(connection, {*wanted, *(each.link.twin for each in wanted.values() if each.link.twin)})
    pages = known | {key for key, each in wanted.items() if each.link.twin is None}
    rows = [_link_row(each) for key, each in wanted.items() if key not in known and each.link.twin not in pages]
    if rows:
        insert_many(connection, upsert(connection, url).on_conflict_do_nothing(index_elements=["url"]), rows)
        insert_hosts(connection, rows)
    _requeue(connection, [each for each in found if each.link.redirect and follows(each)])
    _ask_again(connection, [each for key, each in wanted.items() if key in known])
    return len(rows)


def known_urls(connection: Connection, keys: Iterable[str]) -> set[str]:
    """Return those of the canonical URLs that the frontier has."""
    found: set[str] = set()
    for part in chunks(sorted(keys)):
        found.update(connection.execute(sa.select(url.c.url).where(among(connection, url.c.url, part))).scalars())
    return found


def insert_hosts(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Note the hosts of rows of the frontier."""
    if not rows:
        return
    pairs = sorted({(row["site"], row["host"]) for row in rows})
    statement = upsert(connection, host).on_conflict_do_nothing()
    connection.execute(statement, [{"site": site, "name": name} for site, name in pairs])


def base_row(key: str, fetch_url: str, site: str, host_name: str) -> dict[str, Any]:
    """Return what a row of the frontier begins with."""
    begun = {"state": UrlState.PENDING, "attempts": 0, "next_try": 0.0}
    return begun | {"url": key, "fetch_url": fetch_url, "site": site, "host": host_name}


def _link_row(found: Found) -> dict[str, Any]:
    link, parent = found.link, found.parent
    return base_row(link.url, link.fetch_url, parent.site, link.host) | {
        "kind": found.kind,
        "seed": False,
        "priority": found.priority,
        "depth": parent.depth if link.redirect else parent.depth + 1,
        "hops": found.hops,
        "found_from": parent.url_id,
        "found_at": found.at,
        "dated": moment(link.dated),
    }


def _requeue(connection: Connection, redirects: Sequence[Found]) -> None:
    seeds = _seeds_among(connection, [each.parent.url_id for each in redirects])
    for each in redirects:
        again = CLEAN_SLATE | {"fetch_url": each.link.fetch_url, "hops": each.hops}
        if each.is_self:
            connection.execute(sa.update(url).where(url.c.id == each.parent.url_id).values(again))
        elif each.parent.url_id in seeds:
            statement = sa.update(url).where(url.c.url == each.link.url)
            connection.execute(statement.where(url.c.state.in_(FINISHED)).values(again))
            connection.execute(statement.values(seed=True, priority=seeds[each.parent.url_id]))


_WORSE_NAMED = {Kind.FEED: (Kind.PAGE, Kind.SITEMAP), Kind.SITEMAP: (Kind.PAGE,)}
"""A page that was gone is asked for again when a better kind of source names it than the one it was found in: by the
kind that names it now, the kinds that are worse.
"""


def _ask_again(connection: Connection, named: Sequence[Found]) -> None:
    """Have pages that were gone be asked for again where a better kind of source names them than before."""
    for kind, worse in _WORSE_NAMED.items():
        by_key = {each.link.url: each for each in named if each.parent.kind is kind and not each.link.redirect}
        for part in chunks(sorted(by_key)):
            of_part = _gone(worse).where(among(connection, url.c.url, part))
            for row in connection.execute(of_part).all():
                each = by_key[row.url]
                better = {"priority": max(row.priority, each.priority), "dated": moment(each.link.dated)}
                again = CLEAN_SLATE | better | {"found_from": each.parent.url_id, "found_at": each.at, "hops": 0}
                connection.execute(sa.update(url).where(url.c.id == row.id).values(again))


def _gone(found_in: Iterable[Kind]) -> sa.Select[Any]:
    """Return the query for pages that were not there and are not asked for any more, found in some kinds of sources."""
    source, other = url.alias("source"), fetch.alias("other")
    newest = sa.select(sa.func.max(other.c.id)).where(other.c.url_id == url.c.id).correlate(url).scalar_subquery()
    over = url.c.kind == Kind.PAGE, url.c.state.in_(FINISHED), url.c.due_again.is_(None)
    statement = sa.select(url.c.id, url.c.url, url.c.priority).join(source, source.c.id == url.c.found_from)
    statement = statement.join(fetch, fetch.c.id == newest)
    return statement.where(*over, source.c.kind.in_(found_in), fetch.c.reason.in_(GONE))


def _seeds_among(connection: Connection, url_ids: Sequence[int]) -> dict[int, int]:
    seeds: dict[int, int] = {}
    for part in chunks(sorted(set(url_ids))):
        statement = sa.select(url.c.id, url.c.priority).where(url.c.id.in_(part), url.c.seed)
        seeds.update((row.id, row.priority) for row in connection.execute(statement))
    return seeds
