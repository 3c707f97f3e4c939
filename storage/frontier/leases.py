"""Choose the next URLs of the frontier and lease them, with a few statements for all hosts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.blocklist.tombstones import allowed_leases
from storage.database.schema import FIRST_TRY, host, url
from storage.database.transactions import among_given, chunks
from storage.reasons import DEAD_LINK
from storage.records import Kind, Lease, LeaseRuling, Turn, UrlState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow

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
    url.c.reads,
    url.c.priority,
    url.c.period,
    url.c.reason.label("url_reason"),
)
# Literals, not parameters, so that both databases recognise the partial index of a query.
PENDING = url.c.state == sa.literal_column("'pending'")
SETTLED = url.c.state != sa.literal_column("'pending'")
IS_FIRST_TRY: sa.ColumnElement[int] = sa.literal_column(FIRST_TRY, sa.Integer)
ORDER = (IS_FIRST_TRY.desc(), url.c.priority.desc(), url.c.dated.desc(), url.c.depth, url.c.id)
MAX_WAIT_SECONDS = 14 * 86_400.0
"""Seconds. Pending URLs wait at most a week; a later time came from a wrong clock."""
ARCHIVE_SITEMAP_PRIORITY = -2
"""Priority of the sitemaps of a site's archive: below that of every page. They are leased in turns with pages."""
UNNAMED_PRIORITY = -3
"""Highest priority of pages that no source names, and of pages that were suspended: they come last."""
RELEASED = "released"
"""Reason of pending URLs that were suspended and that a person has released."""
UNTIL_NEXT_NIGHT = 12 * 3600.0
"""Seconds."""
SWEEP_URLS, SWEEPS = 1000, 10
"""URLs of a host that are looked at together when one is out of scope, and how often in one transaction."""
_PRIORITY_OF_SUSPENDED = sa.case(
    (sa.and_(url.c.kind == Kind.PAGE, url.c.priority > UNNAMED_PRIORITY), UNNAMED_PRIORITY), else_=url.c.priority
)
OF_HOST = sa.and_(url.c.site == host.c.site, url.c.host == host.c.name)
"""Join of a URL with its row in the host table."""


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
        named=row.priority > UNNAMED_PRIORITY,
        is_section=row.period > 0,
        released=row.url_reason == RELEASED,
    )


@dataclass(frozen=True, slots=True)
class LeaseScope:
    """The rules that queued URLs must satisfy when their turn comes.

    ``judge`` decides about a URL; its second argument says whether the URL was read before. ``rules`` is a digest of
    the rules of each site. It is stored with URLs that are out of scope, as their reason. ``later`` is the time (epoch
    seconds) until which others wait.
    """

    judge: Callable[[Lease, bool], LeaseRuling]
    rules: Mapping[str, str]
    later: float

    def has(self, row: AnyRow) -> bool:
        """Return whether the URL of a row may be fetched now."""
        return self._ruling(row) is LeaseRuling.FETCH

    def _ruling(self, row: AnyRow) -> LeaseRuling:
        return self.judge(lease_of(row), row.reads > 0)

    def put_out(self, connection: Connection, rows: Sequence[AnyRow]) -> None:
        """Set pending URLs to out of scope, or postpone them."""
        by_ruling: dict[tuple[str, LeaseRuling], set[int]] = {}
        for row in rows:
            by_ruling.setdefault((row.site, self._ruling(row)), set()).add(row.lease_id)
        for (site, ruling), ids in by_ruling.items():
            values: dict[str, object] = {"next_try": self.later, "reason": DEAD_LINK}
            if ruling is LeaseRuling.OUT_OF_SCOPE:
                values = {"state": UrlState.OUT_OF_SCOPE, "reason": self.rules.get(site, "")}
            elif ruling is LeaseRuling.SUSPEND:
                values = {"state": UrlState.SUSPENDED, "reason": None, "priority": _PRIORITY_OF_SUSPENDED}
            for part in chunks(sorted(ids)):
                pending = url.c.id.in_(part), url.c.state == UrlState.PENDING
                connection.execute(sa.update(url).where(*pending).values(values))


@dataclass(frozen=True, slots=True)
class Chances:
    """Hosts whose last URLs get a chance.

    ``turns``: hosts whose first lease is a sitemap of the archive, or a retry, if one is due. Without turns the pages
    would come before all of these, or these before all pages. ``quiet``: hosts that get retries when no first try of
    them is due; None: hosts get both at once. Other hosts have pages that may still lead to first tries.
    """

    turns: Mapping[Turn, Collection[str]] = field(default_factory=dict)
    quiet: Collection[str] | None = None

    def allowed(self, rows: Sequence[AnyRow]) -> list[AnyRow]:
        """Leave out retries beside first tries of their host, and those of hosts that are not quiet."""
        if self.quiet is None:
            return list(rows)
        first = {row.host for row in rows if row.is_first_try}
        return [row for row in rows if row.is_first_try or (row.host in self.quiet and row.host not in first)]


NO_CHANCES = Chances()


def due_by_now(next_try: sa.ColumnElement[float]) -> sa.ColumnElement[bool]:
    """Return the condition that a pending URL is due at ``now``. Times after ``never`` came from a wrong clock."""
    return sa.or_(next_try <= sa.bindparam("now"), next_try > sa.bindparam("never"))


def take(
    connection: Connection,
    holder: tuple[int, int],
    quotas: Mapping[str, int],
    due: tuple[float, Collection[str] | None],
    chances: Chances = NO_CHANCES,
    scope: LeaseScope | None = None,
) -> list[Lease]:
    """Lease up to ``quotas[host]`` URLs of each host, best first.

    ``holder``: run id and token of this attempt. ``due``: time (epoch seconds) and sites, None for all sites.
    ``scope``: URLs that it rejects are set to out of scope or postponed, and others are leased in their place.
    """
    rows = _best(connection, quotas, due, chances)
    if scope is not None:
        rounds = 0
        while (strays := [row for row in rows if not scope.has(row)]) and rounds < SWEEPS:
            rounds += 1
            ahead = _next(connection, {row.host: SWEEP_URLS for row in strays}, due)
            scope.put_out(connection, [*strays, *(row for row in ahead if not scope.has(row))])
            rows = _best(connection, quotas, due, chances)
        rows = [row for row in rows if scope.has(row)]
    statement = _leased(connection.dialect.name == "sqlite")
    ours: set[int] = set()
    for part in chunks([row.lease_id for row in rows]):
        given = {"ids": part, "run": holder[0], "token": holder[1]}
        ours.update(connection.execute(statement, given).scalars())
    return allowed_leases(connection, [lease_of(row) for row in rows if row.lease_id in ours])


def taken_before(connection: Connection, hosts: Collection[str], token: int) -> list[Lease]:
    """Return the leases of an earlier attempt whose commit succeeded but whose answer was lost."""
    sites = sa.select(host.c.site).where(host.c.name.in_(hosts))
    ours = url.c.site.in_(sites), SETTLED, url.c.state == UrlState.LEASED, url.c.lease_token == token
    rows = connection.execute(sa.select(*LEASE_COLUMNS).where(*ours)).all()
    return allowed_leases(connection, [lease_of(row) for row in rows])


def _best(
    connection: Connection,
    quotas: Mapping[str, int],
    due: tuple[float, Collection[str] | None],
    chances: Chances,
) -> list[AnyRow]:
    """Return the URLs to lease: the best of each host, after those whose turn it is."""
    chosen: list[AnyRow] = []
    rest = dict(quotas)
    for turn, hosts in chances.turns.items():
        rows = _next(connection, {name: 1 for name in hosts if rest.get(name, 0) > 0}, due, turn)
        chosen += rows
        given = Counter(row.host for row in rows)
        rest = {name: quota - given[name] for name, quota in rest.items()}
    taken = {row.lease_id for row in chosen}
    others = chances.allowed(_next(connection, rest, due))
    return [*chosen, *(row for row in others if row.lease_id not in taken)]


def _next(
    connection: Connection,
    quotas: Mapping[str, int],
    due: tuple[float, Collection[str] | None],
    turn: Turn | None = None,
) -> list[AnyRow]:
    """Return the due URLs of each host in order, up to its quota; with ``turn`` only those that have this turn."""
    now, sites = due
    wanted = {name: quota for name, quota in quotas.items() if quota > 0}
    statement = _next_of(connection.dialect.name == "sqlite", sites is not None, turn)
    rows: list[AnyRow] = []
    for names in chunks(sorted(wanted)):
        asked = {"names": names, "sites": [*(sites or ())], "now": now, "never": now + MAX_WAIT_SECONDS}
        asked["most"] = max(wanted[name] for name in names)
        rows += _within(wanted, connection.execute(statement, asked).all())
    return rows


def _within(quotas: Mapping[str, int], rows: Sequence[AnyRow]) -> list[AnyRow]:
    """Cut the rows of each site and host to the host's quota."""
    kept: dict[tuple[str, str], list[AnyRow]] = {}
    for row in sorted(rows, key=_in_order):
        of_host = kept.setdefault((row.site, row.host), [])
        if len(of_host) < quotas[row.host]:
            of_host.append(row)
    return [row for of_host in kept.values() for row in of_host]


def _in_order(row: AnyRow) -> tuple[Any, ...]:
    return row.site, row.host, -row.is_first_try, -row.priority, -row.dated, row.depth, row.lease_id


@cache
def _next_of(sqlite: bool, confined: bool, turn: Turn | None) -> sa.Select[Any]:
    """Return the query for the first ``most`` URLs of each host. Cached: building it takes longer than running it.

    Both databases read the start of each host's part of the index, but need different queries. SQLite has no LATERAL.
    PostgreSQL would compare every URL with the list.
    """
    due = url.alias("due")
    pending = due.c.state == sa.literal_column("'pending'"), due_by_now(due.c.next_try)
    best = sa.select(due.c.id).where(due.c.site == host.c.site, due.c.host == host.c.name, *pending)
    if turn is not None:
        best = best.where(sa.text(f"{FIRST_TRY} = {int(turn is not Turn.RETRY)}"))
    if turn is Turn.ARCHIVE:
        best = best.where(due.c.priority <= ARCHIVE_SITEMAP_PRIORITY)
    # SQLite sorts by an expression that has one value.
    first_tries_first = () if turn else (IS_FIRST_TRY.desc(),)
    best = best.order_by(*first_tries_first, due.c.priority.desc(), due.c.dated.desc(), due.c.depth, due.c.id)
    best = best.limit(sa.bindparam("most", type_=sa.Integer)).correlate(host)
    first = best.lateral("first")
    lateral = host.join(first, sa.true()).join(url, url.c.id == first.c.id)
    joined = host.join(url, url.c.id.in_(best)) if sqlite else lateral
    statement = sa.select(*LEASE_COLUMNS, url.c.dated, IS_FIRST_TRY.label("is_first_try")).select_from(joined)
    statement = statement.where(among_given(sqlite, host.c.name, "names"))
    return statement.where(among_given(sqlite, host.c.site, "sites")) if confined else statement


@cache
def _leased(sqlite: bool) -> sa.Update:
    """Return the statement that leases URLs by id.

    It skips URLs that another run has leased meanwhile: a run that took over the sites after this one lost its locks.
    """
    ours = {"state": UrlState.LEASED, "leased_by": sa.bindparam("run"), "lease_token": sa.bindparam("token")}
    # A parameter, not a literal: the database must search by id, not by the index of due URLs.
    free = among_given(sqlite, url.c.id, "ids"), url.c.state == UrlState.PENDING
    return sa.update(url).where(*free).values(ours).returning(url.c.id)


def count_states(connection: Connection, sites: Collection[str] | None = None) -> dict[str, dict[UrlState, int]]:
    """Count URLs by site and state, from the two partial indexes."""
    table: dict[str, dict[UrlState, int]] = defaultdict(dict)
    for part in (PENDING, SETTLED):
        statement = sa.select(url.c.site, url.c.state, sa.func.count()).where(part).group_by(url.c.site, url.c.state)
        if sites is not None:
            statement = statement.where(url.c.site.in_(sites))
        for site, state, count in connection.execute(statement):
            table[site][UrlState(state)] = count
    return dict(table)
