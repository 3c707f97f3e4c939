"""The frontier: every URL ever found, the state it is in, and which come next.

A URL is in exactly one `UrlState`. Within a host the order is: priority, then depth, then first
found first served. Times to try again are epoch seconds and are given by the caller, so that nothing here depends on a
clock. One run at a time works on a site (see storage.locks); leases carry the run's id and are given back with
`Frontier.release` after a crash.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.database import among, chunks, insert_many, upsert
from storage.records import Failure, Kind, Lease, Link, Seed, UrlState
from storage.schema import MAX_URL, host, url

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.database import AnyRow, Database

MAX_HOPS = 5
"""Redirects followed from one URL to the next."""

SEED_PRIORITY = {Kind.FEED: 30, Kind.SITEMAP: 20}
START_PAGE_PRIORITY = 10
FEED_ITEM_PRIORITY = 5

LEASE_COLUMNS = (
    url.c.id.label("lease_id"),
    url.c.url,
    url.c.fetch_url,
    url.c.site,
    url.c.host,
    url.c.kind.label("url_kind"),
    url.c.depth,
    url.c.hops,
    url.c.attempts,
)
# Written out, not bound, so that both databases see which of the two partial indexes answers a query.
_PENDING = url.c.state == sa.literal_column("'pending'")
SETTLED = url.c.state != sa.literal_column("'pending'")


_ORDER = (url.c.priority.desc(), url.c.depth, url.c.id)


def _of_host() -> sa.ColumnElement[bool]:
    return sa.and_(url.c.site == host.c.site, url.c.host == host.c.name)


def lease_of(row: AnyRow) -> Lease:
    """Build the lease of a row that has `LEASE_COLUMNS`."""
    return Lease(
        url_id=row.lease_id,
        url=row.url,
        fetch_url=row.fetch_url,
        site=row.site,
        host=row.host,
        kind=Kind(row.url_kind),
        depth=row.depth,
        hops=row.hops,
        attempts=row.attempts,
    )


def is_key(text: str) -> bool:
    """Say whether ``text`` may be a key of the frontier: ASCII, no longer than `MAX_URL`."""
    return 0 < len(text) <= MAX_URL and text.isascii() and "\x00" not in text


def link_priority(kind: Kind, parent: Kind) -> int:
    """Rank a link: feeds and sitemaps first, then what a feed names as new, then the rest."""
    return SEED_PRIORITY.get(kind, FEED_ITEM_PRIORITY if parent is Kind.FEED else 0)


@dataclass(frozen=True, slots=True)
class Found:
    """A link and the page it was found in."""

    link: Link
    parent: Lease

    @property
    def hops(self) -> int:
        return self.parent.hops + 1 if self.link.redirect else 0

    @property
    def kind(self) -> Kind:
        """What to expect: the target of a redirect is expected to be what its source was."""
        return self.parent.kind if self.link.redirect and self.link.kind is Kind.PAGE else self.link.kind

    @property
    def is_self(self) -> bool:
        """True for a redirect to another spelling of the URL itself (http to https): same key, other address."""
        return self.link.redirect and self.link.url == self.parent.url


def follows(found: Found) -> bool:
    """Decide whether a link enters the frontier at all."""
    usable = is_key(found.link.url) and found.hops <= MAX_HOPS
    return usable and not (found.is_self and found.link.fetch_url == found.parent.fetch_url)


@dataclass(frozen=True, slots=True)
class Frontier:
    """What to fetch, leases and retries. Reached as ``corpus.frontier``; safe to call from any thread."""

    database: Database

    def seed(self, seeds: Iterable[Seed], *, renew: bool = True) -> None:
        """Put start pages, feeds and sitemaps into the frontier; idempotent.

        ``renew``: those that are done or failed become pending again with a clean slate (attempts and redirects 0), so
        that a nightly run reads them anew. URLs that are pending, leased or fetched keep their state.
        """
        rows = [_seed_row(seed) for seed in {seed.url: seed for seed in seeds if is_key(seed.url)}.values()]
        self.database.write(lambda connection: _write_seeds(connection, rows, renew=renew))

    def lease(
        self, run_id: int, quotas: Mapping[str, int], now: float, *, sites: Collection[str] | None = None
    ) -> list[Lease]:
        """Take up to ``quotas[host]`` due URLs of each host for a run.

        ``sites`` confines it to the sites the run holds, where several sites share a host. A lease lasts until it is
        fetched, failed or released: there is no time-out, because the locks tell when a run is dead.
        """
        token = secrets.randbits(62)
        return self.database.write(lambda connection: _lease(connection, (run_id, token), quotas, (now, sites)))

    def hosts(self, sites: Collection[str], now: float) -> list[str]:
        """Return the hosts of these sites that have a URL due at ``now``, in alphabetical order."""
        # The order is that of the index, so that the first entry that is due ends the search.
        due = sa.select(url.c.id).where(_of_host(), _PENDING, url.c.next_try <= now).order_by(*_ORDER).limit(1)
        statement = sa.select(host.c.name).where(host.c.site.in_(sites), due.scalar_subquery().is_not(None))
        return sorted(set(self.database.read(lambda connection: connection.execute(statement).scalars().all())))

    def next_due(self, sites: Collection[str]) -> float | None:
        """Return when (epoch seconds) the next pending URL of these sites is due, None when none is pending."""
        if self.hosts(sites, 0.0):
            return 0.0
        # Only those to be tried again are left, which are few.
        earliest = sa.select(sa.func.min(url.c.next_try)).where(_of_host(), _PENDING)
        statement = sa.select(earliest.scalar_subquery()).select_from(host).where(host.c.site.in_(sites))
        times = self.database.read(lambda connection: connection.execute(statement).scalars().all())
        return min((time for time in times if time is not None), default=None)

    def fail(self, run_id: int, failures: Sequence[Failure]) -> None:
        """Give back leases that brought no exchange: to pending with a ``retry_at``, to failed without."""
        changes = [_failure_change(failure, run_id) for failure in failures]
        self.database.write(lambda connection: _give_back(connection, changes))

    def release(self, sites: Collection[str]) -> int:
        """Turn all leases of these sites back to pending; return how many. For a clean stop and for recovery."""
        statement = (
            sa.update(url)
            .where(url.c.site.in_(sites), SETTLED, url.c.state == UrlState.LEASED)
            .values(state=UrlState.PENDING, leased_by=None, lease_token=None)
        )
        return self.database.write(lambda connection: connection.execute(statement).rowcount)

    def counts(self, sites: Collection[str] | None = None) -> dict[str, dict[UrlState, int]]:
        """Count URLs by site and state. Walks an index entry per URL: for summaries, not for loops."""
        return self.database.read(lambda connection: count_states(connection, sites))

    def add(self, found: Sequence[Found]) -> int:
        """Put found links into the frontier in a transaction of their own; return how many were new."""
        return self.database.write(lambda connection: add_links(connection, found))


def add_links(connection: Connection, found: Sequence[Found]) -> int:
    """Put found links into the frontier, those it knows already excepted; return how many were new.

    A redirect to another spelling of its own URL queues that URL again under the new address. A redirect that a seed
    made is followed at every run, not only the first time: a moved feed must be read each night.
    """
    wanted = {each.link.url: each for each in found if follows(each) and not each.is_self}
    known = known_urls(connection, wanted)
    rows = [_link_row(each) for key, each in wanted.items() if key not in known]
    if rows:
        insert_many(connection, upsert(connection, url).on_conflict_do_nothing(index_elements=["url"]), rows)
        _insert_hosts(connection, rows)
    _requeue(connection, [each for each in found if each.link.redirect and follows(each)])
    return len(rows)


def count_states(connection: Connection, sites: Collection[str] | None = None) -> dict[str, dict[UrlState, int]]:
    """Count URLs by site and state, from the two partial indexes."""
    table: dict[str, dict[UrlState, int]] = defaultdict(dict)
    for part in (_PENDING, SETTLED):
        statement = sa.select(url.c.site, url.c.state, sa.func.count()).where(part).group_by(url.c.site, url.c.state)
        if sites is not None:
            statement = statement.where(url.c.site.in_(sites))
        for site, state, count in connection.execute(statement):
            table[site][UrlState(state)] = count
    return dict(table)


def known_urls(connection: Connection, keys: Iterable[str]) -> set[str]:
    """Return those of the canonical URLs that the frontier has."""
    found: set[str] = set()
    for part in chunks(sorted(keys)):
        found.update(connection.execute(sa.select(url.c.url).where(among(connection, url.c.url, part))).scalars())
    return found


def _insert_hosts(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    pairs = sorted({(row["site"], row["host"]) for row in rows})
    statement = upsert(connection, host).on_conflict_do_nothing()
    connection.execute(statement, [{"site": site, "name": name} for site, name in pairs])


def _base_row(key: str, fetch_url: str, site: str, host_name: str) -> dict[str, Any]:
    return {
        "url": key,
        "fetch_url": fetch_url,
        "site": site,
        "host": host_name,
        "state": UrlState.PENDING,
        "attempts": 0,
        "next_try": 0.0,
        "found_at": datetime.now(UTC),
    }


def _seed_row(seed: Seed) -> dict[str, Any]:
    priority = SEED_PRIORITY.get(seed.kind, START_PAGE_PRIORITY)
    base = _base_row(seed.url, seed.fetch_url, seed.site, seed.host)
    return base | {"kind": seed.kind, "seed": True, "priority": priority, "depth": 0, "hops": 0, "found_from": None}


def _link_row(found: Found) -> dict[str, Any]:
    link, parent = found.link, found.parent
    return _base_row(link.url, link.fetch_url, parent.site, link.host) | {
        "kind": found.kind,
        "seed": False,
        "priority": link_priority(found.kind, parent.kind),
        "depth": parent.depth if link.redirect else parent.depth + 1,
        "hops": found.hops,
        "found_from": parent.url_id,
    }


def _write_seeds(connection: Connection, rows: Sequence[dict[str, Any]], *, renew: bool) -> None:
    if not rows:
        return
    insert = upsert(connection, url)
    described = {name: insert.excluded[name] for name in ("fetch_url", "kind", "priority", "seed")}
    statement = insert.on_conflict_do_update(
        index_elements=["url"],
        set_=described,
        where=sa.and_(url.c.state != UrlState.LEASED, url.c.state != UrlState.FETCHED),
    )
    insert_many(connection, statement, rows)
    _insert_hosts(connection, rows)
    if renew:
        for part in chunks([row["url"] for row in rows]):
            finished = url.c.state.in_([UrlState.DONE, UrlState.FAILED])
            connection.execute(sa.update(url).where(url.c.url.in_(part), finished).values(_CLEAN_SLATE | {"hops": 0}))


_CLEAN_SLATE: dict[str, Any] = {"state": UrlState.PENDING, "attempts": 0, "next_try": 0.0, "reason": None}


def _requeue(connection: Connection, redirects: Sequence[Found]) -> None:
    seeds = _seeds_among(connection, [each.parent.url_id for each in redirects])
    for each in redirects:
        again = _CLEAN_SLATE | {"fetch_url": each.link.fetch_url, "hops": each.hops}
        if each.is_self:
            connection.execute(sa.update(url).where(url.c.id == each.parent.url_id).values(again))
        elif each.parent.url_id in seeds:
            finished = url.c.state.in_([UrlState.DONE, UrlState.FAILED])
            statement = sa.update(url).where(url.c.url == each.link.url)
            connection.execute(statement.where(finished).values(again))
            connection.execute(statement.values(seed=True, priority=seeds[each.parent.url_id]))


def _seeds_among(connection: Connection, url_ids: Sequence[int]) -> dict[int, int]:
    seeds: dict[int, int] = {}
    for part in chunks(sorted(set(url_ids))):
        statement = sa.select(url.c.id, url.c.priority).where(url.c.id.in_(part), url.c.seed)
        seeds.update((row.id, row.priority) for row in connection.execute(statement))
    return seeds


def _lease(
    connection: Connection,
    holder: tuple[int, int],
    quotas: Mapping[str, int],
    due: tuple[float, Collection[str] | None],
) -> list[Lease]:
    (run_id, token), (now, sites) = holder, due
    places = _places(connection, quotas, sites)
    taken = _already_leased(connection, {place.site for place in places}, token)
    if not taken:
        taken = [row for place in places for row in _due(connection, place, quotas[place.name], now)]
        for part in chunks([row.lease_id for row in taken]):
            statement = sa.update(url).where(url.c.id.in_(part))
            connection.execute(statement.values(state=UrlState.LEASED, leased_by=run_id, lease_token=token))
    return [lease_of(row) for row in taken]


def _places(connection: Connection, hosts: Iterable[str], sites: Collection[str] | None) -> Sequence[AnyRow]:
    statement = sa.select(host.c.site, host.c.name).where(host.c.name.in_(list(hosts)))
    if sites is not None:
        statement = statement.where(host.c.site.in_(sites))
    return connection.execute(statement.order_by(host.c.site, host.c.name)).all()


def _already_leased(connection: Connection, sites: Collection[str], token: int) -> Sequence[AnyRow]:
    """Find what a first attempt has leased when only the answer to its commit was lost."""
    ours = url.c.site.in_(sites), SETTLED, url.c.state == UrlState.LEASED, url.c.lease_token == token
    return connection.execute(sa.select(*LEASE_COLUMNS).where(*ours)).all()


def _due(connection: Connection, place: AnyRow, quota: int, now: float) -> Sequence[AnyRow]:
    statement = (
        sa.select(*LEASE_COLUMNS)
        .where(url.c.site == place.site, url.c.host == place.name, _PENDING, url.c.next_try <= now)
        .order_by(*_ORDER)
        .limit(max(quota, 0))
    )
    return connection.execute(statement).all()


def _failure_change(failure: Failure, run_id: int) -> dict[str, Any]:
    state = UrlState.FAILED if failure.retry_at is None else UrlState.PENDING
    return {
        "of_url": failure.lease.url_id,
        "of_run": run_id,
        "new_state": state,
        "new_try": failure.retry_at or 0.0,
        "why": failure.reason,
    }


def _give_back(connection: Connection, changes: Sequence[dict[str, Any]]) -> None:
    if not changes:
        return
    held = url.c.id == sa.bindparam("of_url"), url.c.state == UrlState.LEASED, url.c.leased_by == sa.bindparam("of_run")
    statement = sa.update(url).where(*held)
    statement = statement.values(
        state=sa.bindparam("new_state"),
        next_try=sa.bindparam("new_try"),
        reason=sa.bindparam("why"),
        attempts=url.c.attempts + 1,
        leased_by=None,
        lease_token=None,
    )
    connection.execute(statement, list(changes))
