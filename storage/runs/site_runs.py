"""Per-site counters of a run, computed from its rows, so a killed run is counted too.

A row of zeros exists from the start of the run. The counters cover the run's own fetches, whichever run processed them.
They are computed at its end, and again at the end of later runs while pages of it await processing.
"""

from __future__ import annotations

import json
import math
import operator
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy as sa

from storage.database.schema import (
    document,
    duplicate_set,
    fetch,
    fingerprint,
    run,
    run_failure,
    run_site,
    url,
)
from storage.database.transactions import chunks, upsert
from storage.reasons import NO_ARTICLE, NO_TEXT, SHORT, counter_of, is_dropped
from storage.records import SITE_COUNTERS, SiteCounters, UrlState
from storage.runs.allowance import FIRST_NIGHT, Allowance

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow
    from storage.records import Failure


class SiteRun(SiteCounters, frozen=True, gc=False, kw_only=True):
    """Counters of a run at one site, with the run. ``finished`` and ``exit_code`` are None if it was killed.

    A struct, because 10,000 sites have a million of them in a hundred nights: a dataclass takes six times as long to
    make.
    """

    run_id: int
    started: datetime
    finished: datetime | None = None
    exit_code: int | None = None

    @property
    def documents(self) -> int:
        """All stored texts."""
        return self.articles + self.versions

    @property
    def dropped(self) -> int:
        """Whole pages without a document. Failed attempts are not among them."""
        return sum(number for reason, number in self.reasons.items() if is_dropped(reason))


@dataclass(frozen=True, slots=True)
class UnfinishedRun:
    """A run without an end: it goes on, or was killed. ``sites``: those at which no later run has begun."""

    id: int
    started: datetime
    process: int
    host: str
    sites: tuple[str, ...]


def column_of(outcome: str | None, reason: str) -> str | None:
    """Name the counter of a response with this outcome; None: it is counted by reason only."""
    if outcome is None:
        return "awaiting"
    return "unchanged" if outcome == "unchanged" else counter_of(reason)


def begin(connection: Connection, run_id: int, sites: Collection[str]) -> None:
    """Store zero counters for a new run, and compute those of killed runs. The caller holds the sites' locks.

    The counters of the run itself are left alone: when the answer to the commit is lost, this runs twice.
    """
    recount(connection, sites, before=run_id)
    after_fetch, after_url = (
        connection.execute(sa.select(sa.func.max(table.c.id))).scalar() or 0 for table in (fetch, url)
    )
    marks = {"run_id": run_id, "after_fetch": after_fetch, "after_url": after_url, "pending_count": True}
    if sites:
        next_ones = _next_allowances(connection, run_id, sites)
        rows = [
            marks | {"site": name, "allowance": allowance.extra, "usual": allowance.usual}
            for name in sorted(sites)
            for allowance in (next_ones.get(name, Allowance()),)
        ]
        insert = upsert(connection, run_site).on_conflict_do_nothing(index_elements=["run_id", "site"])
        connection.execute(insert, rows)


_ALLOWANCE = (run_site.c.site, run_site.c.allowance, run_site.c.usual)


def _allowance_of(row: AnyRow) -> Allowance:
    return Allowance(FIRST_NIGHT if row.allowance is None else row.allowance, row.usual)


def _next_allowances(connection: Connection, run_id: int, sites: Collection[str]) -> dict[str, Allowance]:
    """Return the allowance of a run at each site that had an earlier run, from its last one."""
    last = sa.select(run_site.c.site, sa.func.max(run_site.c.run_id).label("run_id")).where(run_site.c.run_id < run_id)
    columns = (*_ALLOWANCE, run_site.c.fetched, run_site.c.articles, run_site.c.suspended)
    made: dict[str, Allowance] = {}
    for part in chunks(sorted(sites)):
        of_part = last.where(run_site.c.site.in_(part)).group_by(run_site.c.site).subquery()
        same = sa.and_(run_site.c.site == of_part.c.site, run_site.c.run_id == of_part.c.run_id)
        for row in connection.execute(sa.select(*columns).join(of_part, same)):
            before = _allowance_of(row)
            # A run without a response shows nothing about the site.
            made[row.site] = before.after(row.articles, held=row.suspended > 0) if row.fetched else before
    return made


def allowances(connection: Connection, run_id: int) -> dict[str, Allowance]:
    """Return the allowance of a run at each of its sites."""
    rows = connection.execute(sa.select(*_ALLOWANCE).where(run_site.c.run_id == run_id))
    return {row.site: _allowance_of(row) for row in rows}


def largest_backlogs(connection: Connection, sites: Collection[str]) -> dict[str, int]:
    """Return the most URLs that were suspended at the end of a run, since the last run that left none, by site."""
    other = run_site.alias("other")
    without = sa.select(sa.func.max(other.c.run_id)).where(
        other.c.site == run_site.c.site, other.c.suspended == 0, other.c.pending_count.is_(False)
    )
    since = sa.func.coalesce(without.correlate(run_site).scalar_subquery(), 0)
    largest = sa.select(run_site.c.site, sa.func.max(run_site.c.suspended)).group_by(run_site.c.site)
    return {
        row[0]: row[1]
        for part in chunks(sorted(sites))
        for row in connection.execute(largest.where(run_site.c.site.in_(part), run_site.c.run_id > since))
    }


def note_failures(connection: Connection, run_id: int, failures: Sequence[Failure]) -> None:
    """Count attempts without an exchange."""
    tries = Counter((failure.lease.site, failure.reason) for failure in failures)
    rows = [
        {"run_id": run_id, "site": site, "reason": reason, "tries": count}
        for (site, reason), count in sorted(tries.items())
    ]
    if rows:
        insert = upsert(connection, run_failure)
        more = {"tries": run_failure.c.tries + insert.excluded.tries}
        keys = ["run_id", "site", "reason"]
        connection.execute(insert.on_conflict_do_update(index_elements=keys, set_=more), rows)


def recount(connection: Connection, sites: Collection[str], before: int | None = None) -> None:
    """Compute the counters of runs at these sites that are not final. The caller holds the sites' locks.

    ``before``: only of runs with a smaller id.
    """
    statement = sa.select(run_site.c.run_id, run_site.c.site, run_site.c.after_fetch, run_site.c.after_url)
    pending = statement.where(run_site.c.site.in_(sites), run_site.c.pending_count).order_by(run_site.c.run_id)
    rows = connection.execute(pending if before is None else pending.where(run_site.c.run_id < before)).all()
    newest = newest_runs(connection, {row.site for row in rows})
    for run_id in dict.fromkeys(row.run_id for row in rows):
        _count_run(connection, [row for row in rows if row.run_id == run_id], newest)


def newest_runs(connection: Connection, sites: Collection[str]) -> dict[str, int]:
    """Return the id of the newest run of each site."""
    last = sa.select(run_site.c.site, sa.func.max(run_site.c.run_id)).group_by(run_site.c.site)
    return {row[0]: row[1] for row in connection.execute(last.where(run_site.c.site.in_(sites)))}


def now(connection: Connection, run_id: int) -> list[SiteRun]:
    """Return the counters of a run at its sites, counted from its rows if they are not final."""
    known = site_runs(connection, _sites_of(connection, run_id), math.inf, run_id)
    marks = sa.select(run_site.c.site, run_site.c.after_fetch, run_site.c.after_url)
    rows = connection.execute(marks.where(run_site.c.run_id == run_id, run_site.c.pending_count)).all()
    tallies = {row.site: _SiteTally() for row in rows}
    if rows:
        newest = newest_runs(connection, tallies)
        _tally(connection, run_id, rows[0], tallies, {site: tallies[site] for site in newest if newest[site] == run_id})
    return [
        msgspec.structs.replace(one, **tallies[one.site].counted()) if one.site in tallies else one for one in known
    ]


def _sites_of(connection: Connection, run_id: int) -> list[str]:
    statement = sa.select(run_site.c.site).where(run_site.c.run_id == run_id)
    return list(connection.execute(statement).scalars())


def _tally(
    connection: Connection,
    run_id: int,
    marks: AnyRow,
    tallies: Mapping[str, _SiteTally],
    newest: Mapping[str, _SiteTally],
) -> None:
    """Count the rows of a run. ``newest``: those of sites at which it is the newest run."""
    _add_answers(connection, run_id, marks.after_fetch, tallies)
    _add_documents(connection, run_id, marks.after_fetch, tallies)
    _add_failures(connection, run_id, tallies)
    # URLs found since then, and those that are suspended now, belong to the newest run alone.
    _add_found(connection, marks.after_url, newest)
    _add_suspended(connection, newest)


def _count_run(connection: Connection, rows: Sequence[AnyRow], newest: Mapping[str, int]) -> None:
    run_id = rows[0].run_id
    tallies = {row.site: _SiteTally() for row in rows}
    _tally(connection, run_id, rows[0], tallies, {site: tallies[site] for site in tallies if newest[site] == run_id})
    _write(connection, run_id, {site: tally.row() for site, tally in tallies.items()})


def _write(connection: Connection, run_id: int, counted: Mapping[str, Mapping[str, Any]]) -> None:
    """Store the counters by site. A statement for each set of columns: one for each of 10,000 sites takes 6 s."""
    ours = run_site.c.run_id == run_id, run_site.c.site == sa.bindparam("of_site")
    for names in {tuple(values) for values in counted.values()}:
        statement = sa.update(run_site).where(*ours).values({name: sa.bindparam(f"new_{name}") for name in names})
        rows = [
            {"of_site": site} | {f"new_{name}": value for name, value in values.items()}
            for site, values in counted.items()
            if tuple(values) == names
        ]
        connection.execute(statement, rows)


@dataclass(slots=True)
class _SiteTally:
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    first: datetime | None = None
    last: datetime | None = None
    is_newest: bool = False

    def counted(self) -> dict[str, Any]:
        """Return the values for a `SiteRun`."""
        row = self.row()
        return {name: row[name] for name in SITE_COUNTERS if name in row} | {
            "seconds": row["seconds"],
            "reasons": dict(self.reasons),
        }

    def row(self) -> dict[str, Any]:
        """Return the values of its row. Those of the newest run keep their old value in an older run."""
        names = [name for name, note in SITE_COUNTERS.items() if self.is_newest or not note.of_newest]
        values: dict[str, Any] = {name: self.counts[name] for name in names}
        values["seconds"] = (self.last - self.first).total_seconds() if self.first and self.last else 0.0
        values["pending_count"] = self.counts["awaiting"] > 0
        return values | {"reasons": json.dumps(self.reasons, sort_keys=True)}


# Pages without any text are counted apart from pages with too little.
_REASON = sa.case(
    (sa.and_(fetch.c.reason == NO_ARTICLE, fetch.c.detail == "0 characters"), NO_TEXT),
    (fetch.c.reason == NO_ARTICLE, SHORT),
    else_=sa.func.coalesce(fetch.c.reason, ""),
)


def _add_answers(connection: Connection, run_id: int, after: int, tallies: Mapping[str, _SiteTally]) -> None:
    reason = _REASON.label("why")
    statement = (
        sa.select(
            url.c.site,
            fetch.c.outcome,
            reason,
            sa.func.count().label("number"),
            sa.cast(sa.func.sum(fetch.c.warc_length), sa.BigInteger).label("bytes"),
            sa.func.min(fetch.c.fetched_at, type_=fetch.c.fetched_at.type).label("first"),
            sa.func.max(fetch.c.fetched_at, type_=fetch.c.fetched_at.type).label("last"),
        )
        .join(url, url.c.id == fetch.c.url_id)
        .where(fetch.c.id > after, fetch.c.run_id == run_id, url.c.site.in_(tallies))
        .group_by(url.c.site, fetch.c.outcome, reason)
    )
    for row in connection.execute(statement):
        tally = tallies[row.site]
        tally.counts["fetched"] += row.number
        tally.counts["bytes"] += row.bytes
        tally.first = min(tally.first or row.first, row.first)
        tally.last = max(tally.last or row.last, row.last)
        if column := column_of(row.outcome, row.why):
            tally.counts[column] += row.number
        if row.why:
            tally.reasons[row.why] += row.number


def _add_documents(connection: Connection, run_id: int, after: int, tallies: Mapping[str, _SiteTally]) -> None:
    counted = {
        "articles": document.c.version == 1,
        "versions": document.c.version > 1,
        "undated": document.c.published.is_(None),
        "duplicates": duplicate_set.c.representative_id != document.c.id,
    }
    sums = [sa.func.sum(sa.case((condition, 1), else_=0)).label(name) for name, condition in counted.items()]
    statement = (
        sa.select(document.c.site, *sums)
        .select_from(fetch)
        .join(document, document.c.fetch_id == fetch.c.id)
        .join(fingerprint, fingerprint.c.id == document.c.fingerprint_id)
        .join(duplicate_set, duplicate_set.c.id == fingerprint.c.set_id)
        .where(fetch.c.id > after, fetch.c.run_id == run_id, document.c.site.in_(tallies))
        .group_by(document.c.site)
    )
    for row in connection.execute(statement):
        tallies[row.site].counts.update({name: int(getattr(row, name)) for name in counted})


def _add_failures(connection: Connection, run_id: int, tallies: Mapping[str, _SiteTally]) -> None:
    statement = sa.select(run_failure).where(run_failure.c.run_id == run_id, run_failure.c.site.in_(tallies))
    for row in connection.execute(statement):
        tally = tallies[row.site]
        tally.counts[counter_of(row.reason) or "failed"] += row.tries
        tally.reasons[row.reason] += row.tries


def _add_found(connection: Connection, after: int, tallies: Mapping[str, _SiteTally]) -> None:
    statement = sa.select(url.c.site, sa.func.count()).where(url.c.id > after, url.c.site.in_(tallies))
    for tally in tallies.values():
        tally.is_newest = True
    for site, count in connection.execute(statement.group_by(url.c.site)):
        tallies[site].counts["found"] = count


def _add_suspended(connection: Connection, tallies: Mapping[str, _SiteTally]) -> None:
    # A literal, so that both databases recognise the partial index.
    suspended = url.c.state != sa.literal_column("'pending'"), url.c.state == UrlState.SUSPENDED
    statement = sa.select(url.c.site, sa.func.count()).where(url.c.site.in_(tallies), *suspended)
    for site, count in connection.execute(statement.group_by(url.c.site)):
        tallies[site].counts["suspended"] = count


_COLUMNS = (
    run_site.c.run_id,
    run_site.c.site,
    *(run_site.c[name] for name in SITE_COUNTERS),
    run_site.c.seconds,
    run_site.c.reasons,
)
_OF_RUN = ("started", "finished", "exit_code")
_in_order = operator.attrgetter("run_id", "site")


@lru_cache(maxsize=10_000)
def _reasons_of(stored: str | None) -> Mapping[str, int]:
    # Many runs have the same reasons: none, or one of a few pages.
    return MappingProxyType(json.loads(stored or "{}"))


def site_runs(connection: Connection, sites: Collection[str], days: float, run_id: int | None = None) -> list[SiteRun]:
    """Return the counters of runs at these sites, oldest first, up to ``days`` before the last run.

    ``run_id``: of this run only.
    """
    if run_id is None:
        last = connection.execute(sa.select(run.c.started).order_by(run.c.id.desc()).limit(1)).scalar()
        of_time = run.c.started >= last - timedelta(days=days) if last and math.isfinite(days) else sa.true()
    else:
        of_time = run.c.id == run_id
    # The times of a run are read once: its rows at 10,000 sites share them.
    of_time_span = sa.select(run.c.id, *(run.c[name] for name in _OF_RUN)).where(of_time)
    times = {row[0]: row[1:] for row in connection.execute(of_time_span)}
    if not times:
        return []
    statement = sa.select(*_COLUMNS).where(run_site.c.run_id.between(min(times), max(times)))
    found: list[SiteRun] = []
    for part in chunks(sorted(sites)):
        for row in connection.execute(statement.where(run_site.c.site.in_(part))):
            if row[0] in times:
                started, finished, code = times[row[0]]
                counters: tuple[Any, ...] = (*row[1:-1], _reasons_of(row[-1]))
                found.append(SiteRun(*counters, run_id=row[0], started=started, finished=finished, exit_code=code))
    return sorted(found, key=_in_order)


def without_answers(connection: Connection, days: float) -> list[int]:
    """Return the ids of runs with failed attempts and without any response, up to ``days`` before the last run."""
    last = connection.execute(sa.select(run.c.started).order_by(run.c.id.desc()).limit(1)).scalar()
    if last is None:
        return []
    first = sa.select(sa.func.min(run.c.id)).where(run.c.started >= last - timedelta(days=days)).scalar_subquery()
    without = sa.func.max(run_site.c.fetched) == 0, sa.func.max(run_site.c.failed) > 0
    statement = sa.select(run_site.c.run_id).where(run_site.c.run_id >= first).group_by(run_site.c.run_id)
    return list(connection.execute(statement.having(sa.and_(*without))).scalars())


def unfinished(connection: Connection) -> list[UnfinishedRun]:
    """Return the runs without an end, oldest first. A run whose sites were all taken up by later ones is left out."""
    later = run_site.alias("later")
    is_taken_up = sa.exists().where(later.c.site == run_site.c.site, later.c.run_id > run_site.c.run_id)
    statement = (
        sa.select(run.c.id, run.c.started, run.c.pid, run.c.host, run_site.c.site)
        .join(run_site, run_site.c.run_id == run.c.id)
        .where(run.c.finished.is_(None), ~is_taken_up)
        .order_by(run.c.id, run_site.c.site)
    )
    rows = connection.execute(statement).all()
    found: dict[tuple[int, datetime, int, str], list[str]] = {}
    for *of_run, site in rows:
        found.setdefault(tuple(of_run), []).append(site)
    return [UnfinishedRun(*of_run, tuple(sites)) for of_run, sites in found.items()]


def newest_run(connection: Connection, sites: Collection[str]) -> int | None:
    """Return the id of the newest run at any of these sites."""
    newest = sa.select(sa.func.max(run_site.c.run_id))
    parts = [newest.where(run_site.c.site.in_(part)) for part in chunks(sorted(sites))]
    found = [number for part in parts for number in connection.execute(part).scalars() if number is not None]
    return max(found, default=None)


def pages_per_minute(connection: Connection, sites: Collection[str], now: datetime) -> dict[str, float]:
    """Return the responses a minute of the unfinished run that each of these sites is in."""
    newest = sa.select(sa.func.max(run_site.c.run_id)).where(run_site.c.site.in_(sites)).group_by(run_site.c.site)
    at_work = (
        sa.select(run_site.c.site, run_site.c.run_id, run_site.c.after_fetch, run.c.started)
        .join(run, run.c.id == run_site.c.run_id)
        .where(run_site.c.site.in_(sites), run_site.c.run_id.in_(newest), run.c.finished.is_(None))
        .order_by(run_site.c.run_id)
    )
    rates = {}
    for row in connection.execute(at_work).all():
        # From the first fetch after the start: the primary key finds it.
        pages = fetch.c.id > row.after_fetch, fetch.c.run_id == row.run_id, fetch.c.url_id.is_not(None)
        count = connection.execute(sa.select(sa.func.count()).select_from(fetch).where(*pages)).scalar_one()
        rates[row.site] = round(60 * count / max((now - row.started).total_seconds(), 1.0), 1)
    return rates
