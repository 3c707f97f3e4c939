"""The frontier: every URL ever found, its state, and the order of fetching.

A URL is in exactly one `UrlState`. The order within a host: first tries before retries, then priority,
newest stated date, depth, first found. Times are
epoch seconds. One run at a time works on a site (see storage.locking.locks). Leases carry the run's id;
`Frontier.release` returns them after a crash.
"""

from __future__ import annotations

import itertools
import math
import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.blocklist.tombstones import refused
from storage.database.schema import IS_SOURCE, fetch, host, original, url
from storage.database.transactions import among, chunks, insert_many, upsert
from storage.frontier import robots_cache, rule_changes
from storage.frontier.imported_pages import CapturedPage, take_in
from storage.frontier.leases import (
    MAX_WAIT_SECONDS,
    NO_CHANCES,
    OF_HOST,
    ORDER,
    PENDING,
    RELEASED,
    SETTLED,
    UNTIL_NEXT_NIGHT,
    Chances,
    LeaseScope,
    count_states,
    due_by_now,
    take,
    taken_before,
)
from storage.frontier.new_links import (
    CLEAN_SLATE,
    FINISHED,
    SEED_PRIORITY,
    START_PAGE_PRIORITY,
    FoundLink,
    add_links,
    base_row,
    insert_hosts,
    is_key,
)
from storage.frontier.recrawl_schedule import LONGEST, Schedule
from storage.frontier.sources import read_sources
from storage.frontier.validators import with_originals
from storage.frontier.visit_results import VisitEnd, settle
from storage.reasons import BARREN
from storage.records import Failure, Kind, Lease, Seed, UrlState
from storage.runs.site_runs import note_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow, Database
    from storage.frontier.robots_cache import RobotsCopy
    from storage.frontier.rule_changes import RuleChange
    from storage.frontier.sources import SourceState
    from storage.records import LeaseRuling

CLOCK_ERROR = 86_400.0
"""Seconds. A time that lies further ahead came from a wrong clock and is ignored."""


@dataclass(frozen=True, slots=True)
class Frontier:
    """URLs to fetch, leases and retries. Reached as ``corpus.frontier``. Safe to call from any thread.

    In SQLite, `seed`, `wake`, `lease` and `release` do not wait for the disk: the next start repeats what a power cut
    undoes.
    """

    database: Database
    schedule: Schedule = field(default_factory=Schedule)

    def seed(self, seeds: Iterable[Seed]) -> None:
        """Add start pages, feeds and sitemaps, all of their sites at once. Idempotent.

        Known pages become sources. Sources that are no longer configured, or are now pages of a list, are not read
        again.
        """
        # A URL that is a source of one site and listed by another is a source.
        ordered = sorted(seeds, key=lambda seed: not seed.listed)
        named = {seed.url: seed for seed in ordered if is_key(seed.url)}
        self.database.write(lambda connection: _write_seeds(connection, named), durable=False)

    def wake(self, sites: Collection[str], now: float, *, sources: bool = False) -> int:
        """Set URLs that are due again to pending, with attempts and redirects 0. Return how many.

        ``sources``: include every feed, sitemap, start and section page of these sites, due or not.
        """
        given = {"of_sites": sites, "now": now}

        def work(connection: Connection) -> int:
            woken = connection.execute(_AGAIN_IN_TIME, given).rowcount
            return woken + connection.execute(_SOURCES_AGAIN if sources else _MISREAD_AGAIN, given).rowcount

        return self.database.write(work, durable=False)

    def compare_rules(
        self,
        sites: Collection[str],
        is_in_scope: Callable[[Lease, bool], bool],
        rendered: Collection[str] = (),
    ) -> dict[str, RuleChange]:
        """Return the URLs of each site that changed link rules take out and let in. Nothing is changed.

        ``is_in_scope``: decides by the rules of today. Its second argument says whether the URL was read before. All
        queued URLs are read, perhaps a million. ``rendered``: those of the sites whose pages a browser renders.
        """
        return self.database.read(lambda connection: rule_changes.compare(connection, sites, is_in_scope, rendered))

    def followed_rules(self) -> dict[str, str]:
        """Return for each site the digest of the link rules that its queue follows. Empty: unknown."""
        return self.database.read(rule_changes.followed)

    def follow_rules(self, changes: Mapping[str, RuleChange], digests: Mapping[str, str]) -> None:
        """Set URLs to ``out_of_scope``, and back to pending, as `compare_rules` returned them. Idempotent.

        ``digests``: those of the link rules that the queues of these sites follow from then on.
        """

        def work(connection: Connection) -> None:
            rule_changes.follow(connection, changes, self.schedule.rules)
            rule_changes.note_followed(connection, digests)

        self.database.write(work)

    def forget_pending(self, sites: Collection[str]) -> int:
        """Delete the pending pages of these sites that were found in a page and never fetched. Return how many."""
        never = PENDING, url.c.seed.is_(False), url.c.depth > 0, url.c.kind == Kind.PAGE, url.c.reads == 0
        child = url.alias("child")
        uses = fetch.c.url_id == url.c.id, original.c.url_id == url.c.id, child.c.found_from == url.c.id
        statement = sa.delete(url).where(url.c.site.in_(sites), *never, *(~sa.exists().where(use) for use in uses))
        return self.database.write(lambda connection: connection.execute(statement).rowcount)

    def release_suspended(self, sites: Collection[str], since: float = 0.0) -> int:
        """Set the suspended URLs of these sites to pending, and let them pass from now on. Return how many.

        ``since``: leave those that a source dates earlier (epoch seconds).
        """
        suspended = url.c.site.in_(sites), SETTLED, url.c.state == UrlState.SUSPENDED
        wanted = sa.or_(url.c.dated == 0, url.c.dated >= since)
        statement = sa.update(url).where(*suspended, wanted).values(CLEAN_SLATE | {"reason": RELEASED})
        return self.database.write(lambda connection: connection.execute(statement).rowcount)

    def try_suspended(self, limits: Mapping[str, int], *, sources: bool = True) -> int:
        """Set suspended URLs to pending, up to a number for each site, best first. Return how many.

        They may be suspended again when their turn comes. ``sources``: sitemaps too.
        """

        def work(connection: Connection) -> int:
            return sum(connection.execute(_tried(site, limit, sources)).rowcount for site, limit in limits.items())

        return self.database.write(work)

    def suspended(self, sites: Collection[str]) -> dict[str, int]:
        """Count the suspended URLs of these sites, without sites that have none."""
        statement = sa.select(url.c.site, sa.func.count()).group_by(url.c.site)
        statement = statement.where(url.c.site.in_(sites), SETTLED, url.c.state == UrlState.SUSPENDED)
        return {row[0]: row[1] for row in self.database.read(lambda c: c.execute(statement).all())}

    def pause(self, host_name: str, until: float) -> None:
        """Pause a host until this time (epoch seconds), as it requested."""
        statement = sa.update(host).where(host.c.name == host_name, host.c.paused_until < until)
        self.database.write(lambda connection: connection.execute(statement.values(paused_until=until)))

    def pauses(self, sites: Collection[str], now: float) -> dict[str, float]:
        """Return the hosts of these sites that are paused, with the end of the pause (epoch seconds)."""
        statement = sa.select(host.c.name, sa.func.max(host.c.paused_until)).group_by(host.c.name)
        # Pauses are shorter than a day: a longer one came from a wrong clock.
        asked = host.c.paused_until > now, host.c.paused_until < now + CLOCK_ERROR
        statement = statement.where(host.c.site.in_(sites), *asked)
        rows = self.database.read(lambda connection: connection.execute(statement).all())
        return {row[0]: row[1] for row in rows}

    def lease(
        self,
        run_id: int,
        quotas: Mapping[str, int],
        now: float,
        *,
        sites: Collection[str] | None = None,
        chances: Chances = NO_CHANCES,
        judge: Callable[[Lease, bool], LeaseRuling] | None = None,
    ) -> list[Lease]:
        """Lease up to ``quotas[host]`` due URLs of each host to a run.

        ``sites`` limits it to the run's sites, because several sites may share a host. A lease lasts until its URL is
        fetched, failed or released. It has no timeout: the site locks show when a run is dead. ``chances``: hosts that
        get their last URLs. ``judge``: decides whether a URL is leased, set to
        ``out_of_scope`` or postponed. Its second argument says whether the URL was read before.
        """
        scope = None if judge is None else LeaseScope(judge, self.schedule.rules, now + UNTIL_NEXT_NIGHT)
        token, tries = secrets.randbits(62), itertools.count()

        def work(connection: Connection) -> list[Lease]:
            leases = taken_before(connection, quotas.keys(), token) if next(tries) else []
            leases = leases or take(connection, (run_id, token), quotas, (now, sites), chances, scope)
            return with_originals(connection, leases, self.schedule.rules)

        return self.database.write(work, durable=False)

    def hosts(self, sites: Collection[str], now: float) -> list[str]:
        """Return the hosts of these sites with a URL due at ``now``, in alphabetical order."""
        return self._hosts_due(sites, now, now + MAX_WAIT_SECONDS)

    def _hosts_due(self, sites: Collection[str], now: float, never: float) -> list[str]:
        asked = {"sites": sites, "now": now, "never": never}
        rows = self.database.read(lambda connection: connection.execute(_DUE_HOSTS, asked).all())
        return sorted({row.name for row in rows})

    def due_sites(self, sites: Collection[str], now: float) -> set[str]:
        """Return the sites that a crawl at ``now`` would request: a URL is due or due again, or none is known yet."""
        asked = {"sites": sites, "now": now, "never": now + MAX_WAIT_SECONDS}
        again = sa.select(url.c.site).where(_OF_SITES, url.c.due_again <= sa.bindparam("now")).distinct()
        known = self.site_hosts(sites).keys()

        def work(connection: Connection) -> set[str]:
            due = {row.site for row in connection.execute(_DUE_HOSTS, asked)}
            return due.union(connection.execute(again, {"of_sites": sites, "now": now}).scalars())

        return self.database.read(work) | set(sites) - known

    def site_hosts(self, sites: Collection[str]) -> dict[str, set[str]]:
        """Return the hosts of the known URLs of each site."""
        statement = sa.select(host.c.site, host.c.name).where(host.c.site.in_(sites))
        hosts: dict[str, set[str]] = {}
        for site, name in self.database.read(lambda connection: connection.execute(statement).all()):
            hosts.setdefault(site, set()).add(name)
        return hosts

    def count_due(self, sites: Collection[str], hosts: Collection[str], now: float) -> dict[tuple[str, str], int]:
        """Count the URLs of these sites that are due at ``now``, by site and host, at these hosts only."""
        statement = sa.select(url.c.site, url.c.host, sa.func.count()).group_by(url.c.site, url.c.host)
        statement = statement.where(url.c.site.in_(sites), url.c.host.in_(hosts), PENDING, due_by_now(url.c.next_try))
        asked = {"now": now, "never": now + MAX_WAIT_SECONDS}
        rows = self.database.read(lambda connection: connection.execute(statement, asked).all())
        return {(row[0], row[1]): row[2] for row in rows}

    def next_due(self, sites: Collection[str]) -> float | None:
        """Return the time (epoch seconds) when the next pending URL of these sites is due; None if none is pending."""
        if self._hosts_due(sites, 0.0, math.inf):
            return 0.0
        # Only retries are left, which are few.
        earliest = sa.select(sa.func.min(url.c.next_try)).where(OF_HOST, PENDING)
        statement = sa.select(earliest.scalar_subquery()).select_from(host).where(host.c.site.in_(sites))
        times = self.database.read(lambda connection: connection.execute(statement).scalars().all())
        return min((time for time in times if time is not None), default=None)

    def due_again(self, sites: Collection[str], now: float) -> tuple[int, float | None]:
        """Count the URLs of these sites that a crawl at ``now`` would fetch again. Also return the earliest such time.

        Pending URLs are not counted.
        """
        times = sa.select(sa.func.min(url.c.due_again)).where(_OF_SITES)
        number = sa.select(sa.func.count()).where(_OF_SITES, url.c.due_again <= sa.bindparam("now"))
        statement = sa.select(number.scalar_subquery(), times.scalar_subquery())
        given = {"of_sites": sites, "now": now}
        return self.database.read(lambda connection: tuple(connection.execute(statement, given).one()))

    def pending_pages(self, place: tuple[str, str], chosen: Callable[[str], bool]) -> list[int]:
        """Return the ids of pending pages of a site and host that ``chosen`` accepts by canonical URL.

        The host ``*.example.org`` means all hosts of a domain. Configured URLs and their redirect targets are left out.
        It reads all pending pages, perhaps a million: do not call it in the writer thread.
        """
        site, host = place
        here = url.c.host.endswith(host[1:], autoescape=True) if host.startswith("*.") else url.c.host == host
        pages = url.c.site == site, here, url.c.kind == Kind.PAGE, url.c.seed.is_(False), url.c.depth > 0
        statement = sa.select(url.c.id, url.c.url).where(*pages, PENDING).execution_options(yield_per=1000)
        return self.database.read(
            lambda connection: [row.id for row in connection.execute(statement) if chosen(row.url)]
        )

    def put_off(self, url_ids: Sequence[int], until: float) -> int:
        """Postpone pending pages to ``until`` (epoch seconds). Return how many changed."""

        def work(connection: Connection) -> int:
            later = sa.update(url).where(PENDING, url.c.next_try < until).values(next_try=until, reason=BARREN)
            return sum(connection.execute(later.where(url.c.id.in_(part))).rowcount for part in chunks(url_ids))

        return self.database.write(work)

    def fail(self, run_id: int, failures: Sequence[Failure]) -> None:
        """Return leases without an exchange: to pending if they have a ``retry_at``, else to failed."""
        now = time.time()

        def work(connection: Connection) -> None:
            held = _held(connection, run_id, failures)
            _give_back(connection, [_failure_change(failure) for failure in held])
            over = [failure for failure in held if failure.retry_at is None]
            ended = [VisitEnd(failure.lease.url_id, now, "failed", failure.reason) for failure in over]
            settle(connection, self.schedule, ended, UrlState.FAILED)
            note_failures(connection, run_id, held)

        self.database.write(work)

    def release(self, sites: Collection[str]) -> int:
        """Set all leased URLs of these sites back to pending; return how many. For a clean stop and for recovery."""
        statement = (
            sa.update(url)
            .where(url.c.site.in_(sites), SETTLED, url.c.state == UrlState.LEASED)
            .values(state=UrlState.PENDING, leased_by=None, lease_token=None)
        )
        return self.database.write(lambda connection: connection.execute(statement).rowcount, durable=False)

    def sources(self, urls: Collection[str]) -> dict[str, SourceState]:
        """Return the state of each known source, by canonical URL."""
        return self.database.read(lambda connection: read_sources(connection, urls))

    def keep_robots(self, copy: RobotsCopy) -> None:
        """Store the robots.txt of an origin, in place of the one stored before."""
        self.database.write(lambda connection: robots_cache.keep(connection, copy))

    def robots(self, origin: str) -> RobotsCopy | None:
        """Return the last readable robots.txt of an origin; None if there has been none."""
        return self.database.read(lambda connection: robots_cache.find(connection, origin))

    def count_pending(self, sites: Collection[str]) -> int:
        """Count the pending URLs of these sites. Slow for millions of URLs."""
        statement = sa.select(sa.func.count()).select_from(url).where(PENDING, url.c.site.in_(sites))
        return self.database.read(lambda connection: connection.execute(statement).scalar_one())

    def counts(self, sites: Collection[str] | None = None) -> dict[str, dict[UrlState, int]]:
        """Count URLs by site and state. Reads an index entry per URL: for summaries, not for loops."""
        return self.database.read(lambda connection: count_states(connection, sites))

    def add(self, found: Sequence[FoundLink]) -> int:
        """Add found links in one transaction; return how many were new."""
        return self.database.write(lambda connection: add_links(connection, found).total())

    def take_in(self, seen: Sequence[CapturedPage], sites: Collection[str]) -> dict[str, Lease]:
        """Add imported pages. Return the leases of pages to record, by URL (see `storage.frontier.imported_pages`)."""
        return self.database.write(lambda connection: take_in(connection, seen, sites), durable=False)


_DESCRIBED = ("url", "fetch_url", "kind", "priority", "seed")
"""Columns of a URL that the configuration decides."""
_KNOWN = sa.select(url.c.id, *(url.c[name] for name in _DESCRIBED), url.c.state, url.c.due_again, url.c.found_from)
_SEEDS = _KNOWN.where(url.c.site.in_(sa.bindparam("sites", expanding=True)), IS_SOURCE, url.c.seed)


def _described(seed: Seed) -> tuple[Any, ...]:
    priority = 0 if seed.listed else SEED_PRIORITY.get(seed.kind, START_PAGE_PRIORITY)
    return seed.url, seed.fetch_url, seed.kind, priority, not seed.listed


def _write_seeds(connection: Connection, named: Mapping[str, Seed]) -> None:
    away = refused(connection, named)
    seeds = {key: seed for key, seed in named.items() if key not in away}
    if not seeds:
        return
    before = connection.execute(_SEEDS, {"sites": sorted({seed.site for seed in seeds.values()})}).all()
    known = {row.url: row for row in before if row.url in seeds}
    for part in chunks(sorted(seeds.keys() - known.keys())):
        known.update((row.url, row) for row in connection.execute(_KNOWN.where(among(connection, url.c.url, part))))
    # Most nights nearly all seeds are stored as configured.
    stored = {key: tuple(row)[1 : len(_DESCRIBED) + 1] for key, row in known.items()}
    _describe(connection, [seed for seed in seeds.values() if stored.get(seed.url) != _described(seed)])
    sources = [row for row in known.values() if not seeds[row.url].listed]
    asleep = [
        row.id
        for row in sources
        if row.state in (*FINISHED, UrlState.OUT_OF_SCOPE, UrlState.SUSPENDED) and row.due_again is None
    ]
    _change_all(connection, asleep, CLEAN_SLATE | {"hops": 0})
    listed = [row.id for row in known.values() if row.seed and seeds[row.url].listed]
    _change_all(connection, listed, {"seed": False, "period": 0.0, "due_again": None})
    # URLs that are no longer configured are not read again.
    gone = [row.id for row in _not_led_to(before, seeds) if row.due_again is not None]
    _change_all(connection, gone, {"seed": False, "due_again": None})


def _not_led_to(before: Sequence[AnyRow], named: Collection[str]) -> list[AnyRow]:
    """Return the seeds that are neither configured nor the redirect target of a configured seed."""
    kept, left = set[int](), list(before)
    while new := {row.id for row in left if row.url in named or row.found_from in kept}:
        kept |= new
        left = [row for row in left if row.id not in kept]
    return left


def _describe(connection: Connection, seeds: Sequence[Seed]) -> None:
    rows = [
        base_row(seed.url, seed.fetch_url, seed.site, seed.host)
        | dict(zip(_DESCRIBED, _described(seed), strict=True))
        | {"depth": 0, "hops": 0, "found_from": None, "found_at": datetime.now(UTC)}
        for seed in seeds
    ]
    insert = upsert(connection, url)
    statement = insert.on_conflict_do_update(
        index_elements=["url"],
        set_={name: insert.excluded[name] for name in _DESCRIBED},
        where=sa.and_(url.c.state != UrlState.LEASED, url.c.state != UrlState.FETCHED),
    )
    insert_many(connection, statement, rows)
    insert_hosts(connection, rows)


def _tried(site: str, limit: int, sources: bool) -> sa.Update:
    of_site = url.c.site == site, SETTLED, url.c.state == UrlState.SUSPENDED
    best = sa.select(url.c.id).where(*of_site, *(() if sources else (url.c.kind == Kind.PAGE,)))
    best = best.order_by(url.c.priority.desc(), url.c.id).limit(limit)
    return sa.update(url).where(url.c.id.in_(best)).values(CLEAN_SLATE)


def _change_all(connection: Connection, url_ids: Sequence[int], values: Mapping[str, Any]) -> None:
    for part in chunks(url_ids):
        connection.execute(sa.update(url).where(url.c.id.in_(part)).values(values))


_DUE_HOSTS = sa.select(host.c.site, host.c.name).where(
    host.c.site.in_(sa.bindparam("sites", expanding=True)),
    # In the order of the index, so that the first due entry ends the search.
    sa.select(url.c.id)
    .where(OF_HOST, PENDING, due_by_now(url.c.next_try))
    .order_by(*ORDER)
    .limit(1)
    .scalar_subquery()
    .is_not(None),
)
_AGAIN = sa.update(url).where(url.c.due_again.is_not(None)).values(CLEAN_SLATE | {"hops": 0})
_OF_SITES = url.c.site.in_(sa.bindparam("of_sites", expanding=True))
_AGAIN_IN_TIME = _AGAIN.where(_OF_SITES, url.c.due_again <= sa.bindparam("now"))
# By a subquery: otherwise SQLite chooses the index of articles that are due again.
_SOURCES_AGAIN = _AGAIN.where(url.c.id.in_(sa.select(url.c.id).where(_OF_SITES, IS_SOURCE)))
# Times of a wrong clock: last read in the future, or due later than the longest interval.
_MISREAD_AGAIN = _AGAIN.where(
    _OF_SITES,
    url.c.due_again > sa.bindparam("now") + CLOCK_ERROR,
    sa.or_(
        url.c.read_at > sa.bindparam("now") + CLOCK_ERROR,
        url.c.due_again > sa.bindparam("now") + LONGEST + CLOCK_ERROR,
    ),
)


def _held(connection: Connection, run_id: int, failures: Sequence[Failure]) -> list[Failure]:
    """Leave out leases that were returned already, when only the answer to a commit was lost."""
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
        "more": int(not failure.of_host),
    }


def _give_back(connection: Connection, changes: Sequence[dict[str, Any]]) -> None:
    if not changes:
        return
    statement = sa.update(url).where(url.c.id == sa.bindparam("of_url"))
    statement = statement.values(
        state=sa.bindparam("new_state"),
        next_try=sa.bindparam("new_try"),
        reason=sa.bindparam("why"),
        attempts=url.c.attempts + sa.bindparam("more"),
        leased_by=None,
        lease_token=None,
    )
    connection.execute(statement, list(changes))
