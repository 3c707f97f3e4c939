"""The fetch table: one row per WARC response record, written in the *fetched* transaction, with its outcome.

Outcomes:

- none yet: the page awaits processing.
- ``document``, ``drop``: the page was processed.
- ``retry``, ``failed``: the response was no page.
- ``unchanged``: a revisit record, the response equals an earlier one.
- ``record``: archived only (robots.txt).
- ``orphan``: a record found in a WARC file after a crash.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.blocklist.tombstones import refused
from storage.database.schema import fetch, terms, url, warc_file
from storage.database.transactions import among, among_given, chunks, insert_rows, upsert
from storage.errors import DamageError
from storage.fetches.machines import is_here
from storage.fetches.missing_files import IS_THERE
from storage.fetches.usage_terms import TERMS_COLUMNS, terms_of
from storage.fetches.usage_terms import ids as terms_ids
from storage.fetches.usage_terms import renew as renew_terms
from storage.frontier.leases import LEASE_COLUMNS, PENDING, SETTLED, lease_of
from storage.frontier.validators import remember
from storage.frontier.visit_results import VisitEnd, settle
from storage.reasons import LEASE_LOST, REMOVED
from storage.records import Fetched, Kind, Lease, Pointer, Terms, UnprocessedPage, UrlState

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow, Database
    from storage.frontier.recrawl_schedule import Schedule

PAGE_OF_ROWS = 500
UNCHANGED, NOT_MODIFIED, SAME_PAYLOAD = "unchanged", "not_modified", "same_payload"
_MIME_LENGTH = 100

POINTER_COLUMNS = (
    warc_file.c.name.label("warc"),
    fetch.c.warc_offset,
    fetch.c.warc_length,
    fetch.c.record_id,
    fetch.c.payload_digest,
)

_original, _original_file = fetch.alias("original_fetch"), warc_file.alias("original_file")
_ORIGINAL_COLUMNS = (
    _original_file.c.name.label("of_warc"),
    _original.c.warc_offset.label("of_offset"),
    _original.c.warc_length.label("of_length"),
    _original.c.record_id.label("of_record"),
    _original.c.payload_digest.label("of_digest"),
)

# Wrapped in an expression, so that the database walks by id. A search by outcome would sort for every page of rows.
OUTCOME = sa.func.coalesce(fetch.c.outcome, "")


@dataclass(frozen=True, slots=True)
class StoredFetch:
    """A stored fetch. ``lease``: the URL it was fetched for; None for robots.txt and orphans."""

    fetch_id: int
    uri: str
    kind: Kind
    fetched_at: datetime
    status: int
    mime: str | None
    truncated: str | None
    pointer: Pointer
    lease: Lease | None
    outcome: str | None
    reason: str | None
    detail: str | None
    language: str | None
    original: Pointer | None = None
    """For a revisit: pointer to the record with the payload."""
    terms: Terms | None = None
    recovered: bool = False
    """Whether an import found its record by a search after damage, or the end of the record."""


@dataclass(frozen=True, slots=True)
class Orphan:
    """A complete response record that a dead run wrote and did not index. ``page`` is its canonical URL."""

    uri: str
    pointer: Pointer
    status: int
    fetched_at: datetime
    page: str = ""


def pointer_of(row: AnyRow) -> Pointer:
    """Build the pointer of a row that has `POINTER_COLUMNS`.

    Raises DamageError if offset or length is not a number: SQLite stores values of any type.
    """
    if not isinstance(row.warc_offset, int) or not isinstance(row.warc_length, int):
        what = f"record {row.record_id} is at {row.warc_offset!r:.50}, {row.warc_length!r:.50} bytes: no numbers"
        raise DamageError(what, where=str(row.warc), do="Restore the database from a backup.")
    return Pointer(row.warc, row.warc_offset, row.warc_length, row.record_id, row.payload_digest)


def outcome_of(fetched: Fetched) -> str | None:
    """Return the outcome of an exchange at fetch time; None if its page awaits processing."""
    if fetched.lease is None:
        return "record"
    if fetched.original is not None:
        return UNCHANGED
    if fetched.retry_at is not None:
        return "retry"
    return None if fetched.reason is None else "failed"


def reason_of(fetched: Fetched) -> str | None:
    """Return the reason for an exchange without a page. For an unchanged page: a 304 response or an equal payload."""
    if fetched.original is None:
        return fetched.reason
    return NOT_MODIFIED if fetched.capture.status == 304 else SAME_PAYLOAD


_STATE_AFTER = {
    None: UrlState.FETCHED,
    "retry": UrlState.PENDING,
    "failed": UrlState.FAILED,
    UNCHANGED: UrlState.DONE,
}


NOT_RECORDED = -1
"""In place of the fetch id of a record whose URL another crawl has (`LEASE_LOST`)."""


def write_fetched(
    connection: Connection,
    run_id: int | None,
    group: Sequence[tuple[Fetched, Pointer]],
    schedule: Schedule,
    *,
    only_leased: bool = False,
) -> list[int]:
    """Write fetch rows and URL states; return the fetch ids in order. Existing rows stay as they are.

    ``only_leased``: an exchange of a URL that the run has not leased any more becomes an orphan (`LEASE_LOST`).
    """
    warcs = warc_ids(connection, run_id, {pointer.warc for _, pointer in group})
    known_terms = terms_ids(connection, {fetched.capture.terms for fetched, _ in group})
    rows = [
        _fetch_row(run_id, warcs[pointer.warc], fetched, pointer)
        | {"terms_id": known_terms[fetched.capture.terms] if fetched.capture.terms else None}
        for fetched, pointer in group
    ]
    known = _known(connection, [(row["warc_id"], row["warc_offset"]) for row in rows])
    new = [at for at, row in enumerate(rows) if (row["warc_id"], row["warc_offset"]) not in known]
    if only_leased and (lost := _not_leased(connection, run_id, [(at, group[at][0].lease) for at in new])):
        write_orphans(connection, run_id, [_orphan_of(*group[at]) for at in sorted(lost)], LEASE_LOST)
        known |= {(rows[at]["warc_id"], rows[at]["warc_offset"]): NOT_RECORDED for at in lost}
        new = [at for at in new if at not in lost]
    ids = dict(zip(new, insert_rows(connection, fetch, [rows[at] for at in new]), strict=True))
    changes = [_url_change(group[at][0]) for at in new if group[at][0].lease]
    if changes:
        connection.execute(_URL_FETCHED, changes)
    _settle(connection, [group[at][0] for at in new], schedule)
    renew_terms(connection, [group[at][0] for at in new if outcome_of(group[at][0]) == UNCHANGED])
    remember(connection, [(ids[at], group[at][0]) for at in new], schedule.rules)
    return [ids[at] if at in ids else known[row["warc_id"], row["warc_offset"]] for at, row in enumerate(rows)]


def _not_leased(connection: Connection, run_id: int | None, leases: Sequence[tuple[int, Lease | None]]) -> set[int]:
    """Return the places of those leases that the run does not hold any more. The others stay held until the commit."""
    numbers = [lease.url_id for _, lease in leases if lease]
    held: set[int] = set()
    for part in chunks(numbers):
        ours = among(connection, url.c.id, part), url.c.leased_by == run_id
        held.update(connection.execute(sa.select(url.c.id).where(*ours).with_for_update()).scalars())
    return {at for at, lease in leases if lease and lease.url_id not in held}


def _orphan_of(fetched: Fetched, pointer: Pointer) -> Orphan:
    capture, lease = fetched.capture, fetched.lease
    return Orphan(capture.url, pointer, capture.status, capture.fetched_at, lease.url if lease else "")


def replacements(item: tuple[Fetched, Pointer]) -> list[tuple[Fetched, Pointer]]:
    """Return a replacement for an exchange that the database refuses: the same without headers. The WARC has them."""
    fetched, pointer = item
    bare = replace(fetched.capture, response_headers=(), ip=None, terms=None)
    return [(replace(fetched, capture=bare), pointer)]


def _settle(connection: Connection, group: Sequence[Fetched], schedule: Schedule) -> None:
    """Set the next due time of URLs that need no processing."""
    for outcome, state in (("failed", UrlState.FAILED), (UNCHANGED, UrlState.DONE)):
        over = [(each, each.lease) for each in group if each.lease and outcome_of(each) == outcome]
        ended = [
            VisitEnd(lease.url_id, each.capture.fetched_at.timestamp(), outcome, reason_of(each))
            for each, lease in over
        ]
        settle(connection, schedule, ended, state)


_URL_FETCHED = (
    sa.update(url)
    .where(url.c.id == sa.bindparam("of_url"))
    .values(
        state=sa.bindparam("new_state"),
        next_try=sa.bindparam("new_try"),
        reason=sa.bindparam("why"),
        attempts=url.c.attempts + 1,
        leased_by=None,
        lease_token=None,
    )
)


def _url_change(fetched: Fetched) -> dict[str, Any]:
    assert fetched.lease is not None
    return {
        "of_url": fetched.lease.url_id,
        "new_state": _STATE_AFTER[outcome_of(fetched)],
        "new_try": fetched.retry_at or 0.0,
        "why": fetched.reason,
    }


def _fetch_row(run_id: int | None, warc_id: int, fetched: Fetched, pointer: Pointer) -> dict[str, Any]:
    capture = fetched.capture
    mime = (capture.header("content-type") or "").partition(";")[0].strip().lower()[:_MIME_LENGTH]
    return _pointer_row(warc_id, pointer) | {
        "url_id": fetched.lease.url_id if fetched.lease else None,
        "run_id": run_id,
        "uri": capture.url,
        "kind": fetched.lease.kind if fetched.lease else capture.kind,
        "fetched_at": capture.fetched_at,
        "status": capture.status,
        "mime": mime or None,
        "ip": capture.ip,
        "truncated": capture.truncated,
        "recovered": capture.recovered,
        "outcome": outcome_of(fetched),
        "reason": reason_of(fetched),
        "original_id": fetched.original.fetch_id if fetched.original else None,
    }


def _pointer_row(warc_id: int, pointer: Pointer) -> dict[str, Any]:
    return {
        "warc_id": warc_id,
        "warc_offset": pointer.offset,
        "warc_length": pointer.length,
        "record_id": pointer.record_id,
        "payload_digest": pointer.payload_digest,
        "crashes": 0,
    }


def write_orphans(
    connection: Connection, run_id: int | None, orphans: Sequence[Orphan], reason: str | None = None
) -> int:
    """Index records that have no row, and mark those of removed pages for redaction. Return how many were new.

    ``reason``: why the others stay orphans. None: a crawl decides.
    """
    away = refused(connection, {address for each in orphans for address in (each.uri, each.page) if address})
    warcs = warc_ids(connection, run_id, {each.pointer.warc for each in orphans})
    places = [(warcs[each.pointer.warc], each.pointer.offset) for each in orphans]
    known = _known(connection, places)
    rows = [
        _pointer_row(place[0], each.pointer)
        | {
            "run_id": run_id,
            "uri": each.uri,
            "kind": Kind.PAGE,
            "fetched_at": each.fetched_at,
            "status": each.status,
            "outcome": "orphan",
            "reason": reason if away.isdisjoint((each.uri, each.page)) else REMOVED,
        }
        for place, each in zip(places, orphans, strict=True)
        if place not in known
    ]
    if rows:
        connection.execute(sa.insert(fetch), rows)
    return len(rows)


def _known(connection: Connection, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Return the ids of existing fetch rows by (WARC id, offset)."""
    known: dict[tuple[int, int], int] = {}
    for warc_id in {place[0] for place in places}:
        for part in chunks([offset for of, offset in places if of == warc_id]):
            there = sa.select(fetch.c.warc_offset, fetch.c.id)
            there = there.where(fetch.c.warc_id == warc_id, fetch.c.warc_offset.in_(part))
            known.update(((warc_id, row.warc_offset), row.id) for row in connection.execute(there))
    return known


def warc_ids(connection: Connection, run_id: int | None, names: Collection[str], machine: str = "") -> dict[str, int]:
    """Return the ids of WARC files by name. Register new names as open, on a machine."""
    rows = [{"name": name, "run_id": run_id, "state": "open", "machine": machine or None} for name in sorted(names)]
    if rows:
        connection.execute(upsert(connection, warc_file).on_conflict_do_nothing(index_elements=["name"]), rows)
    there = sa.select(warc_file.c.name, warc_file.c.id).where(warc_file.c.name.in_(names))
    return {row.name: row.id for row in connection.execute(there)}


def add_crash(connection: Connection, fetch_id: int) -> int:
    """Count one more worker that crashed on this page. Return the number of crashes so far."""
    statement = sa.update(fetch).where(fetch.c.id == fetch_id).values(crashes=fetch.c.crashes + 1)
    return int(connection.execute(statement.returning(fetch.c.crashes)).scalar_one())


def unprocessed(
    connection: Connection, machine: str, sites: Collection[str] | None, limit: int, after: int = 0
) -> list[UnprocessedPage]:
    """Return pages that await processing, oldest first, with fetch ids above ``after``. Their WARC file is here."""
    statement = (
        sa.select(fetch.c.id, fetch.c.fetched_at, fetch.c.crashes, *POINTER_COLUMNS, *LEASE_COLUMNS, *TERMS_COLUMNS)
        .add_columns(fetch.c.run_id.is_(None).label("imported"))
        .join(url, url.c.id == fetch.c.url_id)
        .join(warc_file, warc_file.c.id == fetch.c.warc_id)
        .outerjoin(terms, terms.c.id == fetch.c.terms_id)
        .where(fetch.c.outcome.is_(None), IS_THERE, is_here(machine), fetch.c.id > after)
        .order_by(fetch.c.id)
        .limit(limit)
    )
    rows = connection.execute(statement if sites is None else statement.where(url.c.site.in_(sites)))
    return [
        UnprocessedPage(
            row.id, lease_of(row), row.fetched_at, pointer_of(row), row.crashes, terms_of(row), row.imported
        )
        for row in rows
    ]


def count_unprocessed(connection: Connection, machine: str, sites: Collection[str] | None) -> int:
    """Count the pages that await processing and whose WARC file is here."""
    statement = sa.select(sa.func.count()).select_from(fetch).join(url, url.c.id == fetch.c.url_id)
    statement = statement.join(warc_file, warc_file.c.id == fetch.c.warc_id)
    statement = statement.where(fetch.c.outcome.is_(None), IS_THERE, is_here(machine))
    if sites is not None:
        statement = statement.where(url.c.site.in_(sites))
    return connection.execute(statement).scalar_one()


def stored_fetches(
    database: Database, *, outcomes: Collection[str] | None, sites: Collection[str] | None
) -> Iterator[StoredFetch]:
    """Stream fetches by id."""
    statement = (
        sa.select(fetch, *POINTER_COLUMNS[:1], *LEASE_COLUMNS, *_ORIGINAL_COLUMNS, *TERMS_COLUMNS)
        .outerjoin(url, url.c.id == fetch.c.url_id)
        .outerjoin(terms, terms.c.id == fetch.c.terms_id)
        .outerjoin(warc_file, warc_file.c.id == fetch.c.warc_id)
        .outerjoin(_original, _original.c.id == fetch.c.original_id)
        .outerjoin(_original_file, _original_file.c.id == _original.c.warc_id)
    )
    if outcomes is not None:
        statement = statement.where(OUTCOME.in_(outcomes))
    return map(_stored_fetch, stream_rows(database, statement, sites))


def of_sites(sites: Collection[str]) -> sa.ColumnElement[bool]:
    """Return the condition that a fetch is of a URL of these sites. Two partial indexes find the URLs of a site."""
    pending, settled = (sa.select(url.c.id).where(url.c.site.in_(sites), each) for each in (PENDING, SETTLED))
    return fetch.c.url_id.in_(pending.union_all(settled))


def stream_rows(
    database: Database, statement: sa.Select[*tuple[Any, ...]], sites: Collection[str] | None
) -> Iterator[AnyRow]:
    """Stream the rows of a query on fetches, by id. Each page of rows is its own transaction.

    ``sites``: only the fetches of their URLs. Their ids are read first, at eight bytes each: a walk by id would read
    the fetches of all other sites too.
    """
    return _walk(database, statement) if sites is None else _read_by_ids(database, statement, sites)


def _walk(database: Database, statement: sa.Select[*tuple[Any, ...]]) -> Iterator[AnyRow]:
    following = statement.where(fetch.c.id > sa.bindparam("after")).order_by(fetch.c.id).limit(PAGE_OF_ROWS)

    def page(connection: Connection, after: int) -> Sequence[AnyRow]:
        return connection.execute(following, {"after": after}).all()

    after = 0
    while rows := database.read(partial(page, after=after)):
        yield from rows
        after = rows[-1].id


def _read_by_ids(
    database: Database, statement: sa.Select[*tuple[Any, ...]], sites: Collection[str]
) -> Iterator[AnyRow]:
    wanted = statement.with_only_columns(fetch.c.id).where(of_sites(sites)).order_by(fetch.c.id)
    wanted = wanted.execution_options(yield_per=PAGE_OF_ROWS)
    named = statement.where(among_given(database.is_sqlite, fetch.c.id, "ids")).order_by(fetch.c.id)

    def page(connection: Connection, ids: Sequence[int]) -> Sequence[AnyRow]:
        return connection.execute(named, {"ids": ids}).all()

    every = database.read(lambda connection: array("q", connection.execute(wanted).scalars()))
    for start in range(0, len(every), PAGE_OF_ROWS):
        yield from database.read(partial(page, ids=every[start : start + PAGE_OF_ROWS].tolist()))


def _stored_fetch(row: AnyRow) -> StoredFetch:
    original = [getattr(row, column.name) for column in _ORIGINAL_COLUMNS]
    return StoredFetch(
        fetch_id=row.id,
        uri=row.uri,
        kind=Kind(row.kind),
        fetched_at=row.fetched_at,
        status=row.status,
        mime=row.mime,
        truncated=row.truncated,
        pointer=pointer_of(row),
        lease=None if row.url is None else lease_of(row),
        outcome=row.outcome,
        reason=row.reason,
        detail=row.detail,
        language=row.language,
        original=None if row.original_id is None else Pointer(*original),
        terms=terms_of(row),
        recovered=row.recovered,
    )
