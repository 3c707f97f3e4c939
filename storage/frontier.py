"""The frontier: every URL ever found, the state it is in, and which come next.

A URL is in exactly one `UrlState`. Within a host the order is: priority, then the newest date stated, then depth, then
first found first served. Times are epoch seconds. One run at a time works on a site (see storage.locks); leases carry
the run's id and are given back with `Frontier.release` after a crash.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.database import among, chunks, insert_many, upsert
from storage.found import (
    CLEAN_SLATE,
    FINISHED,
    SEED_PRIORITY,
    START_PAGE_PRIORITY,
    Found,
    add_links,
    base_row,
    insert_hosts,
    is_key,
)
from storage.nights import note_failures
from storage.originals import with_originals
from storage.records import Failure, Kind, Lease, Seed, UrlState
from storage.schedule import Schedule
from storage.schema import IS_SOURCE, host, url
from storage.tombstones import allowed_leases, refused
from storage.visits import Ended, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.database import AnyRow, Database

CLOCK_ERROR = 86_400.0
"""Seconds that a time lies ahead from which it is not believed."""

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
BARREN = "barren"
"""Why pages are asked for later: those like them gave nothing new."""
SETTLED = url.c.state != sa.literal_column("'pending'")


_ORDER = (url.c.priority.desc(), url.c.dated.desc(), url.c.depth, url.c.id)


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


@dataclass(frozen=True, slots=True)
class Frontier:
    """What to fetch, leases and retries. Reached as ``corpus.frontier``; safe to call from any thread.

    Seeds, wakings, leases and releases do not wait for the disk of a SQLite corpus: the next start does again what a
    power cut undoes.
    """

    database: Database
    schedule: Schedule = field(default_factory=Schedule)

    def seed(self, seeds: Iterable[Seed]) -> None:
        """Put start pages, feeds and sitemaps into the frontier, all of their sites' at once; idempotent.

        Pages that are known already become sources. Sources that were named once and are not any more are not read
        again.
        """
        rows = [_seed_row(seed) for seed in {seed.url: seed for seed in seeds if is_key(seed.url)}.values()]
        self.database.write(lambda connection: _write_seeds(connection, rows), durable=False)

    def wake(self, sites: Collection[str], now: float, *, sources: bool = False) -> int:
        """Turn what is due again pending, with a clean slate (attempts and redirects 0); return how many URLs.

        ``sources``: every feed, sitemap, start and section page of these sites, due or not.
        """
        return self.database.write(lambda connection: _wake(connection, sites, now, sources=sources), durable=False)

    def pause(self, host_name: str, until: float) -> None:
        """Remember that a host asked to be left alone until then (epoch seconds)."""
        statement = sa.update(host).where(host.c.name == host_name, host.c.paused_until < until)
        self.database.write(lambda connection: connection.execute(statement.values(paused_until=until)))

    def pauses(self, sites: Collection[str], now: float) -> dict[str, float]:
        """Return until when (epoch seconds) hosts of these sites are to be left alone, those of the future only."""
        statement = sa.select(host.c.name, sa.func.max(host.c.paused_until)).group_by(host.c.name)
        # No host may ask for a day: a pause beyond it is of a clock that was wrong.
        asked = host.c.paused_until > now, host.c.paused_until < now + CLOCK_ERROR
        statement = statement.where(host.c.site.in_(sites), *asked)
        rows = self.database.read(lambda connection: connection.execute(statement).all())
        return {row[0]: row[1] for row in rows}

    def lease(
        self, run_id: int, quotas: Mapping[str, int], now: float, *, sites: Collection[str] | None = None
    ) -> list[Lease]:
        """Take up to ``quotas[host]`` due URLs of each host for a run.

        ``sites`` confines it to the sites the run holds, where several sites share a host. A lease lasts until it is
        fetched, failed or released: there is no time-out, because the locks tell when a run is dead.
        """
        token = secrets.randbits(62)

        def work(connection: Connection) -> list[Lease]:
            leases = _lease(connection, (run_id, token), quotas, (now, sites))
            return with_originals(connection, leases, self.schedule.rules)

        return self.database.write(work, durable=False)

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

    def pending_pages(self, place: tuple[str, str], chosen: Callable[[str], bool]) -> list[int]:
        """Return the ids of those of the pending pages of a site and host that ``chosen`` (of canonical URLs) picks,
        but for what the configuration names.

        It reads them all, perhaps a million: not for the thread that writes.
        """
        pages = url.c.site == place[0], url.c.host == place[1], url.c.kind == Kind.PAGE, url.c.seed.is_(False)
        statement = sa.select(url.c.id, url.c.url).where(*pages, _PENDING).execution_options(yield_per=1000)
        return self.database.read(
            lambda connection: [row.id for row in connection.execute(statement) if chosen(row.url)]
        )

    def put_off(self, url_ids: Sequence[int], until: float) -> int:
        """Ask for pending pages no earlier than ``until`` (epoch seconds); return how many that changes."""

        def work(connection: Connection) -> int:
            later = sa.update(url).where(_PENDING, url.c.next_try < until).values(next_try=until, reason=BARREN)
            return sum(connection.execute(later.where(url.c.id.in_(part))).rowcount for part in chunks(url_ids))

        return self.database.write(work)

    def fail(self, run_id: int, failures: Sequence[Failure]) -> None:
        """Give back leases that brought no exchange: to pending with a ``retry_at``, to failed without."""
        now = time.time()

        def work(connection: Connection) -> None:
            held = _held(connection, run_id, failures)
            _give_back(connection, [_failure_change(failure) for failure in held])
            over = [failure for failure in held if failure.retry_at is None]
            ended = [Ended(failure.lease.url_id, now, "failed", failure.reason) for failure in over]
            settle(connection, self.schedule, ended, UrlState.FAILED)
            note_failures(connection, run_id, held)

        self.database.write(work)

    def release(self, sites: Collection[str]) -> int:
        """Turn all leases of these sites back to pending; return how many. For a clean stop and for recovery."""
        statement = (
            sa.update(url)
            .where(url.c.site.in_(sites), SETTLED, url.c.state == UrlState.LEASED)
            .values(state=UrlState.PENDING, leased_by=None, lease_token=None)
        )
        return self.database.write(lambda connection: connection.execute(statement).rowcount, durable=False)

    def count_pending(self, sites: Collection[str]) -> int:
        """Count the URLs of these sites that wait to be asked for; it takes a while when there are millions."""
        statement = sa.select(sa.func.count()).select_from(url).where(_PENDING, url.c.site.in_(sites))
        return self.database.read(lambda connection: connection.execute(statement).scalar_one())

    def counts(self, sites: Collection[str] | None = None) -> dict[str, dict[UrlState, int]]:
        """Count URLs by site and state. Walks an index entry per URL: for summaries, not for loops."""
        return self.database.read(lambda connection: count_states(connection, sites))

    def add(self, found: Sequence[Found]) -> int:
        """Put found links into the frontier in a transaction of their own; return how many were new."""
        return self.database.write(lambda connection: add_links(connection, found))


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


_DESCRIBED = ("fetch_url", "kind", "priority", "seed")
"""What the configuration says of a URL."""


def _seed_row(seed: Seed) -> dict[str, Any]:
    priority = SEED_PRIORITY.get(seed.kind, START_PAGE_PRIORITY)
    base = base_row(seed.url, seed.fetch_url, seed.site, seed.host)
    return base | {
        "kind": seed.kind,
        "seed": True,
        "priority": priority,
        "depth": 0,
        "hops": 0,
        "found_from": None,
        "found_at": datetime.now(UTC),
    }


def _write_seeds(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    away = refused(connection, (row["url"] for row in rows))
    rows = [row for row in rows if row["url"] not in away]
    if not rows:
        return
    insert = upsert(connection, url)
    described = {name: insert.excluded[name] for name in _DESCRIBED}
    statement = insert.on_conflict_do_update(
        index_elements=["url"],
        set_=described,
        where=sa.and_(url.c.state != UrlState.LEASED, url.c.state != UrlState.FETCHED),
    )
    other = _described_otherwise(connection, rows)
    insert_many(connection, statement, other)
    insert_hosts(connection, rows)
    for part in chunks([row["url"] for row in rows]):
        unscheduled = url.c.url.in_(part), url.c.state.in_(FINISHED), url.c.due_again.is_(None)
        connection.execute(sa.update(url).where(*unscheduled).values(CLEAN_SLATE | {"hops": 0}))
    _retire_seeds(connection, rows)


def _described_otherwise(connection: Connection, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the seeds that are there as they should be: each night nearly all of them."""
    columns = [url.c[name] for name in ("url", *_DESCRIBED)]
    there = {
        tuple(row)
        for part in chunks([row["url"] for row in rows])
        for row in connection.execute(sa.select(*columns).where(among(connection, url.c.url, part)))
    }
    return [row for row in rows if tuple(row[column.name] for column in columns) not in there]


def _retire_seeds(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Read no more what the configuration named once and does not name any more."""
    named = {row["url"] for row in rows}
    seeds = url.c.site.in_({row["site"] for row in rows}), IS_SOURCE, url.c.seed, url.c.found_from.is_(None)
    once = sa.select(url.c.id, url.c.url, url.c.due_again).where(*seeds)
    gone = [row.id for row in connection.execute(once) if row.due_again is not None and row.url not in named]
    for part in chunks(gone):
        connection.execute(sa.update(url).where(url.c.id.in_(part)).values(seed=False, due_again=None))


def _wake(connection: Connection, sites: Collection[str], now: float, *, sources: bool) -> int:
    again = sa.update(url).where(url.c.due_again.is_not(None)).values(CLEAN_SLATE | {"hops": 0})
    woken = connection.execute(again.where(url.c.site.in_(sites), url.c.due_again <= now)).rowcount
    # Looked up apart, because of the two indexes SQLite would take that of the articles to be read again.
    wanted = sa.select(url.c.id).where(url.c.site.in_(sites), IS_SOURCE)
    if not sources:
        # What was read in the future was read by a clock that was wrong, and would not be due for as long.
        wanted = wanted.where(url.c.read_at > now + CLOCK_ERROR)
    return woken + connection.execute(again.where(url.c.id.in_(wanted))).rowcount


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
    return allowed_leases(connection, [lease_of(row) for row in taken])


def _places(connection: Connection, hosts: Iterable[str], sites: Collection[str] | None) -> Sequence[AnyRow]:
    statement = sa.select(host.c.site, host.c.name).where(host.c.name.in_(list(hosts)))
    if sites is not None:
        statement = statement.where(host.c.site.in_(sites))
    return connection.execute(statement.order_by(host.c.site, host.c.name)).all()


def _already_leased(connection: Connection, sites: Collection[str], token: int) -> Sequence[AnyRow]:
    """Find what a first attempt has leased when only the answer to its commit was lost."""
    ours = url.c.site.in_(sites), SETTLED, url.c.state == UrlState.LEASED, url.c.lease_token == token
    return connection.execute(sa.select(*LEASE_COLUMNS).where(*ours)).all()


_DUE = (
    sa.select(*LEASE_COLUMNS)
    .where(url.c.site == sa.bindparam("of_site"), url.c.host == sa.bindparam("of_host"))
    .where(_PENDING, url.c.next_try <= sa.bindparam("now"))
    .order_by(*_ORDER)
    .limit(sa.bindparam("quota", type_=sa.Integer))
)
"""Made once: to make it takes longer than to run it, and it is run for every host of a lease."""


def _due(connection: Connection, place: AnyRow, quota: int, now: float) -> Sequence[AnyRow]:
    asked = {"of_site": place.site, "of_host": place.name, "now": now, "quota": max(quota, 0)}
    return connection.execute(_DUE, asked).all()


def _held(connection: Connection, run_id: int, failures: Sequence[Failure]) -> list[Failure]:
    """Leave out what was given back already, when only the answer to a commit was lost."""
    held: set[int] = set()
    for part in chunks([failure.lease.url_id for failure in failures]):
        ours = url.c.id.in_(part), url.c.state == UrlState.LEASED, url.c.leased_by == run_id
        held.update(connection.execute(sa.select(url.c.id).where(*ours)).scalars())
    return [failure for failure in failures if failure.lease.url_id in held]


def _failure_change(failure: Failure) -> dict[str, Any]:
    state = UrlState.FAILED if failure.retry_at is None else UrlState.PENDING
    return {
        "of_url": failure.lease.url_id,
        "new_state": state,
        "new_try": failure.retry_at or 0.0,
        "why": failure.reason,
    }


def _give_back(connection: Connection, changes: Sequence[dict[str, Any]]) -> None:
    if not changes:
        return
    statement = sa.update(url).where(url.c.id == sa.bindparam("of_url"))
    statement = statement.values(
        state=sa.bindparam("new_state"),
        next_try=sa.bindparam("new_try"),
        reason=sa.bindparam("why"),
        attempts=url.c.attempts + 1,
        leased_by=None,
        lease_token=None,
    )
    connection.execute(statement, list(changes))
