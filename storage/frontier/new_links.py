"""Add new links to the frontier: filter, priority, redirects."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import product
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.blocklist.tombstones import refused
from storage.database.schema import MAX_URL, fetch, host, url
from storage.database.transactions import among, chunks, insert_many, upsert
from storage.frontier.leases import ARCHIVE_SITEMAP_PRIORITY, UNNAMED_PRIORITY
from storage.frontier.recrawl_schedule import moment
from storage.frontier.visit_results import SECTION_DEPTH
from storage.reasons import HTTP, MAY_PASS
from storage.records import Kind, UrlState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.records import Lease, Link

MAX_HOPS = 5
"""Longest chain of redirects that is followed."""

SEED_PRIORITY = {Kind.FEED: 30, Kind.SITEMAP: 20}
START_PAGE_PRIORITY = 10
FEED_ITEM_PRIORITY = 5
FRONT_PAGE_LINK_PRIORITY = 3
ARCHIVE_SECONDS = 31 * 86_400.0
"""Seconds. An older sitemap in a sitemap index belongs to the site's archive."""

CLEAN_SLATE: dict[str, Any] = {
    "state": UrlState.PENDING,
    "attempts": 0,
    "next_try": 0.0,
    "reason": None,
    "due_again": None,
}
FINISHED = (UrlState.DONE, UrlState.FAILED)


def is_key(text: str) -> bool:
    """Return whether ``text`` is a valid key of the frontier: ASCII, at most `MAX_URL` characters."""
    return 0 < len(text) <= MAX_URL and text.isascii() and "\x00" not in text


def link_priority(kind: Kind, parent: Lease) -> int:
    """Return the priority of a link: feeds and sitemaps, then feed items, then links of start pages, then the rest."""
    front = FRONT_PAGE_LINK_PRIORITY if parent.kind is Kind.PAGE and parent.depth == 0 else 0
    return SEED_PRIORITY.get(kind, FEED_ITEM_PRIORITY if parent.kind is Kind.FEED else front)


@dataclass(frozen=True, slots=True)
class FoundLink:
    """A link and the page that contains it."""

    link: Link
    parent: Lease
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    """Fetch time of the page. Later than this, the link counts as news of the next visit."""
    in_text: bool = False
    """Whether the page gave a text of its own, so it is no list."""

    @property
    def named(self) -> bool:
        """Whether a source names the link: a configured page, a feed, a sitemap or a section page.

        The target of a redirect is named if its source is.
        """
        parent = self.parent
        if self.link.redirect:
            return parent.named
        is_section = parent.is_section or (parent.depth <= SECTION_DEPTH and not self.in_text)
        return parent.kind is not Kind.PAGE or parent.depth == 0 or is_section

    @property
    def hops(self) -> int:
        return self.parent.hops + 1 if self.link.redirect else 0

    @property
    def kind(self) -> Kind:
        """Expected kind. The target of a redirect has the kind of its source."""
        return self.parent.kind if self.link.redirect and self.link.kind is Kind.PAGE else self.link.kind

    @property
    def priority(self) -> int:
        """Priority among the URLs of its host.

        Old sitemaps of an index come last and take turns with pages. There may be thousands, and a run that ends early
        would read nothing else. The same holds for sitemaps with a negative rank and for those of nested indexes.
        """
        is_listed = self.link.kind is self.parent.kind is Kind.SITEMAP and not self.link.redirect
        is_old = 0 < moment(self.link.dated) < self.at.timestamp() - ARCHIVE_SECONDS
        if is_listed and (is_old or self.link.rank < 0 or self.parent.depth > 0):
            return ARCHIVE_SITEMAP_PRIORITY
        if not self.named:
            return UNNAMED_PRIORITY + min(self.link.rank, 0)
        return self.link.rank + link_priority(self.kind, self.parent)

    @property
    def is_self(self) -> bool:
        """True for a redirect to another spelling of the same URL (http to https): same key, other address."""
        return self.link.redirect and self.link.url == self.parent.url


def follows(found: FoundLink) -> bool:
    """Return whether a link may enter the frontier."""
    usable = is_key(found.link.url) and found.hops <= MAX_HOPS
    return usable and not (found.is_self and found.link.fetch_url == found.parent.fetch_url)


def add_links(connection: Connection, found: Sequence[FoundLink]) -> Counter[int]:
    """Add new links to the frontier. Return how many were new by the id of the page that contains them.

    Pages that were removed on request stay out. A waiting page counts as new when it is news of a source (`_name`).

    Of URLs that differ in the scheme, ``www.`` or a final slash only the first is added, unless it fails.

    A redirect to another spelling of its own URL queues that URL again with the new address. A redirect from a seed is
    followed on each visit: a moved feed must be read every night.

    A page without an article that another response may cure (404, a refusal, damage) is fetched again when a sitemap
    names it for the first time, and when a feed does. Repeated naming has no effect.
    """
    away = refused(connection, (each.link.url for each in found))
    found = [each for each in found if each.link.url not in away]
    # Of the pages that name a URL in one group, a source counts, whichever came first.
    found.sort(key=lambda each: each.named)
    wanted = {each.link.url: each for each in found if follows(each) and not each.is_self}
    known = known_urls(connection, {*wanted, *(each.link.twin for each in wanted.values() if each.link.twin)})
    pages = known | {key for key, each in wanted.items() if each.link.twin is None}
    fresh = {key: each for key, each in wanted.items() if key not in known and each.link.twin not in pages}
    spellings = {key: () if each.link.redirect else _other_spellings(key) for key, each in fresh.items()}
    taken = _alive_urls(connection, {other for others in spellings.values() for other in others})
    rows = []
    for key, each in fresh.items():
        if taken.isdisjoint(spellings[key]):
            taken.add(key)
            rows.append(_link_row(each))
    if rows:
        insert_many(connection, upsert(connection, url).on_conflict_do_nothing(index_elements=["url"]), rows)
        insert_hosts(connection, rows)
    _requeue(connection, [each for each in found if each.link.redirect and follows(each)])
    _ask_again(connection, [each for key, each in wanted.items() if key in known])
    named = {key: each for key, each in wanted.items() if key in known and each.named}
    new = Counter(row["found_from"] for row in rows)
    new.update(_name(connection, {key: each for key, each in named.items() if each.parent.kind is not Kind.SITEMAP}))
    return new


def known_urls(connection: Connection, keys: Iterable[str]) -> set[str]:
    """Return the canonical URLs that the frontier contains."""
    found: set[str] = set()
    for part in chunks(sorted(keys)):
        found.update(connection.execute(sa.select(url.c.url).where(among(connection, url.c.url, part))).scalars())
    return found


def _other_spellings(key: str) -> tuple[str, ...]:
    """Return the URLs that nearly always are the same page: by scheme, ``www.`` and a final slash.

    Files, URLs with a query and the root of a host have no other slash.
    """
    scheme, _, rest = key.partition("://")
    host, _, path = rest.partition("/")
    schemes = (scheme, "https" if scheme == "http" else "http")
    hosts = (host, host.removeprefix("www.") if host.startswith("www.") else f"www.{host}")
    paths = [path]
    if path and "?" not in path and "." not in path.rstrip("/").rpartition("/")[2]:
        paths.append(path.removesuffix("/") if path.endswith("/") else f"{path}/")
    return tuple(f"{one}://{name}/{end}" for one, name, end in product(schemes, hosts, paths))[1:]


def _alive_urls(connection: Connection, keys: Iterable[str]) -> set[str]:
    """Return the canonical URLs that the frontier contains, without those that failed or gave no page."""
    by_host: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        by_host[key.split("/", 3)[2]].append(key)
    # Mostly one of two names of a host has no URL at all.
    known = connection.execute(sa.select(host.c.name).where(among(connection, host.c.name, sorted(by_host)))).scalars()
    reason = sa.select(fetch.c.reason).where(fetch.c.url_id == url.c.id).order_by(fetch.c.id.desc()).limit(1)
    last = sa.func.coalesce(reason.scalar_subquery(), "")
    is_gone = sa.or_(url.c.state == UrlState.FAILED, last.in_(MAY_PASS), last.startswith(HTTP, autoescape=True))
    found: set[str] = set()
    for part in chunks(sorted(key for name in set(known) for key in by_host[name])):
        statement = sa.select(url.c.url).where(among(connection, url.c.url, part), ~is_gone)
        found.update(connection.execute(statement).scalars())
    return found


def insert_hosts(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Add the hosts of frontier rows."""
    if not rows:
        return
    pairs = sorted({(row["site"], row["host"]) for row in rows})
    statement = upsert(connection, host).on_conflict_do_nothing()
    connection.execute(statement, [{"site": site, "name": name} for site, name in pairs])


def base_row(key: str, fetch_url: str, site: str, host_name: str) -> dict[str, Any]:
    """Return the columns that every new frontier row has."""
    begun = {"state": UrlState.PENDING, "attempts": 0, "next_try": 0.0}
    return begun | {"url": key, "fetch_url": fetch_url, "site": site, "host": host_name}


def _link_row(found: FoundLink) -> dict[str, Any]:
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


def _requeue(connection: Connection, redirects: Sequence[FoundLink]) -> None:
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
"""Kinds of sources that count less than a kind. A lost page is fetched again if a better kind names it."""


def _ask_again(connection: Connection, named: Sequence[FoundLink]) -> None:
    """Queue pages that another response may cure again if a better kind of source names them now."""
    for kind, worse in _WORSE_NAMED.items():
        by_key = {each.link.url: each for each in named if each.parent.kind is kind and not each.link.redirect}
        for part in chunks(sorted(by_key)):
            of_part = _curable(worse).where(among(connection, url.c.url, part))
            for row in connection.execute(of_part).all():
                each = by_key[row.url]
                better = {"priority": max(row.priority, each.priority), "dated": moment(each.link.dated)}
                again = CLEAN_SLATE | better | {"found_from": each.parent.url_id, "found_at": each.at, "hops": 0}
                connection.execute(sa.update(url).where(url.c.id == row.id).values(again))


def _name(connection: Connection, named: Mapping[str, FoundLink]) -> list[int]:
    """Raise the priority of waiting pages, suspended or not, that an article named first and a source names now.

    Only news is raised: pages that were unknown at the last visit of the source. Return the id of the source for each.
    """
    waiting = url.c.state.in_((UrlState.PENDING, UrlState.SUSPENDED)), url.c.reads == 0
    columns = (url.c.id, url.c.url, url.c.found_at)
    unnamed = sa.select(*columns).where(url.c.priority <= UNNAMED_PRIORITY, url.c.kind == Kind.PAGE, *waiting)
    rows = [
        row
        for part in chunks(sorted(named))
        for row in connection.execute(unnamed.where(among(connection, url.c.url, part)))
    ]
    sources = {row.id: named[row.url].parent.url_id for row in rows}
    visited = sa.select(url.c.id, url.c.read_at)
    last_visit: dict[int, float] = {}
    for ids in chunks(sorted({*sources.values()})):
        last_visit.update((row.id, row.read_at) for row in connection.execute(visited.where(url.c.id.in_(ids))))
    news = [row.id for row in rows if row.found_at.timestamp() > last_visit[sources[row.id]]]
    for ids in chunks(news):
        connection.execute(sa.update(url).where(url.c.id.in_(ids)).values(CLEAN_SLATE | {"priority": 0}))
    return [sources[url_id] for url_id in news]


def _curable(found_in: Iterable[Kind]) -> sa.Select[Any]:
    """Return the query for pages that another response may cure, not due again, and found in these kinds of sources."""
    source, other = url.alias("source"), fetch.alias("other")
    newest = sa.select(sa.func.max(other.c.id)).where(other.c.url_id == url.c.id).correlate(url).scalar_subquery()
    over = url.c.kind == Kind.PAGE, url.c.state.in_(FINISHED), url.c.due_again.is_(None)
    statement = sa.select(url.c.id, url.c.url, url.c.priority).join(source, source.c.id == url.c.found_from)
    statement = statement.join(fetch, fetch.c.id == newest)
    may_pass = sa.or_(fetch.c.reason.in_(MAY_PASS), fetch.c.reason.startswith(HTTP, autoescape=True))
    return statement.where(*over, source.c.kind.in_(found_in), may_pass)


def _seeds_among(connection: Connection, url_ids: Sequence[int]) -> dict[int, int]:
    seeds: dict[int, int] = {}
    for part in chunks(sorted(set(url_ids))):
        statement = sa.select(url.c.id, url.c.priority).where(url.c.id.in_(part), url.c.seed)
        seeds.update((row.id, row.priority) for row in connection.execute(statement))
    return seeds
