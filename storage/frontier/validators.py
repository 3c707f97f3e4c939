"""Validators and last full response of each URL, for conditional requests and revisit records."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.database.schema import document, fetch, original, url
from storage.database.transactions import among_given, chunks, insert_many, upsert
from storage.reasons import MAY_PASS
from storage.records import Original

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.records import Capture, Fetched, Lease

MAX_VALIDATOR = 1000
IN_FULL_EACH = 4
"""Visits in a row without news after which a source is fetched in full. A server that always answers "not modified"
would hide its news.
"""
UNTRUE = "-"
"""Replaces the ETag of a URL whose server sent other bytes with the same ETag and date. The URL is then fetched in
full.
"""
_DOUBTFUL = sa.or_(
    # Some servers refuse conditional requests and answer plain ones.
    url.c.failures > 0,
    url.c.attempts > 0,
    sa.and_(url.c.unchanged > 0, url.c.unchanged % IN_FULL_EACH == 0),
    original.c.etag == UNTRUE,
    # "Not modified" since a damaged or refused page says nothing about the whole one.
    sa.and_(fetch.c.outcome == "drop", fetch.c.reason.in_(MAY_PASS)),
)


def validator(value: str | None) -> str:
    """Return an ETag or Last-Modified that can be sent back unchanged; empty if it is malformed or too long."""
    text = (value or "").strip()
    return text if len(text) <= MAX_VALIDATOR and text.isascii() and text.isprintable() else ""


def remember(connection: Connection, group: Sequence[tuple[int, Fetched]], rules: Mapping[str, str]) -> None:
    """Store full responses for later comparison, by fetch id. Of revisits only the validators.

    A revisit is skipped if its original is gone: removed on request, or replaced by a crawl of other sites.
    """
    rows: dict[int, dict[str, Any]] = {}
    renewed: list[dict[str, Any]] = []
    for fetch_id, each in group:
        if each.lease and (each.original or _is_whole(each)):
            row = _row(each.capture, each.lease.original, same=each.original is not None)
            row |= {"rules": rules.get(each.lease.site, "")}
            if each.original:
                new = {f"new_{name}": value for name, value in row.items()}
                renewed.append(new | {"of_url": each.lease.url_id, "of_fetch": each.original.fetch_id})
            else:
                rows[each.lease.url_id] = row | {"url_id": each.lease.url_id, "fetch_id": fetch_id}
    if renewed:
        connection.execute(_RENEWED, renewed)
    insert = upsert(connection, original)
    values = {name: insert.excluded[name] for name in ("fetch_id", "etag", "modified", "rules")}
    insert_many(connection, insert.on_conflict_do_update(index_elements=["url_id"], set_=values), [*rows.values()])


_RENEWED = (
    sa.update(original)
    .where(original.c.url_id == sa.bindparam("of_url"), original.c.fetch_id == sa.bindparam("of_fetch"))
    .values({name: sa.bindparam(f"new_{name}") for name in ("etag", "modified", "rules")})
)


def _is_whole(fetched: Fetched) -> bool:
    if fetched.capture.rendered:
        # The bytes of a rendered page do not show what its scripts fill in.
        return False
    settled = fetched.reason is not None or fetched.retry_at is not None
    return fetched.capture.status == 200 and fetched.capture.truncated is None and not settled


def _row(capture: Capture, before: Original | None, *, same: bool) -> dict[str, Any]:
    """Return the validators of a response that is the ``same`` as before or not.

    A 304 may leave out unchanged validators (RFC 9110, 15.4.5).
    """
    etag, modified = validator(capture.header("ETag")), validator(capture.header("Last-Modified"))
    if before is not None and before.etag == UNTRUE:
        return {"etag": UNTRUE, "modified": ""}
    if before is not None and same and not (etag or modified):
        etag, modified = before.etag, before.modified
    stated = {"etag": etag, "modified": modified}
    return {"etag": UNTRUE, "modified": ""} if not same and _is_belied(stated, capture, before) else stated


def _is_belied(stated: Mapping[str, str], capture: Capture, before: Original | None) -> bool:
    """Return whether a response has the validators of the last one but other bytes."""
    if before is None or not any(stated.values()) or stated != {"etag": before.etag, "modified": before.modified}:
        return False
    # Imported here: commands that only read counts need no WARC files.
    from storage.warc.headers import sha1

    return sha1(capture.body) != before.payload_digest


def with_originals(connection: Connection, leases: Sequence[Lease], rules: Mapping[str, str]) -> list[Lease]:
    """Add the last full response to each lease whose URL was fetched under the current rules."""
    statement = _originals(connection.dialect.name == "sqlite")
    known: dict[int, tuple[str, Original]] = {}
    for part in chunks([lease.url_id for lease in leases]):
        for url_id, under, *values in connection.execute(statement, {"ids": part}):
            known[url_id] = (under, Original(*values))
    found = [(lease, known.get(lease.url_id, (None, None))) for lease in leases]
    return [
        replace(lease, original=original) if original and under == rules.get(lease.site, "") else lease
        for lease, (under, original) in found
    ]


@cache
def _originals(sqlite: bool) -> sa.Select[Any]:
    columns = (fetch.c.id, fetch.c.uri, fetch.c.fetched_at, fetch.c.record_id, fetch.c.payload_digest)
    free = sa.exists().where(
        document.c.url_id == original.c.url_id, document.c.superseded.is_(False), document.c.reserved.is_(False)
    )
    statement = sa.select(original.c.url_id, original.c.rules, *columns, original.c.etag, original.c.modified, free)
    statement = statement.add_columns(_DOUBTFUL).join(fetch, fetch.c.id == original.c.fetch_id)
    statement = statement.join(url, url.c.id == original.c.url_id)
    return statement.where(among_given(sqlite, original.c.url_id, "ids"))
