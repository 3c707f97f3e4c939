"""The last whole answer of each URL: what to ask with whether it has changed, and what a revisit record refers to."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.database import among_given, chunks, insert_many, upsert
from storage.records import Original
from storage.schema import document, fetch, original, url
from storage.warc.headers import sha1

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.records import Capture, Fetched, Lease

MAX_VALIDATOR = 1000
IN_FULL_EACH = 4
"""After so many visits in a row that brought nothing new, and so many again, a source is asked for whole: a server that
says "not modified" whatever has changed would hide its news for good.
"""
UNTRUE = "-"
"""Stands in the place of an ETag where a server has sent other bytes under the same ETag and date: it is not believed
any more, and the URL is asked for in full.
"""
_DOUBTFUL = sa.or_(
    # Some servers refuse what asks for a change, and give the same page to who does not.
    url.c.failures > 0,
    url.c.attempts > 0,
    sa.and_(url.c.unchanged > 0, url.c.unchanged % IN_FULL_EACH == 0),
    original.c.etag == UNTRUE,
)


def validator(value: str | None) -> str:
    """Return an ETag or Last-Modified that can be sent back as it came; nothing for one that is odd or too long."""
    text = (value or "").strip()
    return text if len(text) <= MAX_VALIDATOR and text.isascii() and text.isprintable() else ""


def remember(connection: Connection, group: Sequence[tuple[int, Fetched]], rules: Mapping[str, str]) -> None:
    """Keep whole answers as what later ones are compared with, by fetch id; of revisits the validators alone, unless
    what they refer to has been taken away since it was asked about, by a removal or a crawl of other sites.
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
        # The bytes of a page that scripts fill say nothing about what they fill it with.
        return False
    settled = fetched.reason is not None or fetched.retry_at is not None
    return fetched.capture.status == 200 and fetched.capture.truncated is None and not settled


def _row(capture: Capture, before: Original | None, *, same: bool) -> dict[str, Any]:
    """Return the validators of an answer, the ``same`` as before or another; a 304 may leave out those that stay (RFC
    9110, 15.4.5).
    """
    etag, modified = validator(capture.header("ETag")), validator(capture.header("Last-Modified"))
    if before is not None and before.etag == UNTRUE:
        return {"etag": UNTRUE, "modified": ""}
    if before is not None and same and not (etag or modified):
        etag, modified = before.etag, before.modified
    stated = {"etag": etag, "modified": modified}
    return {"etag": UNTRUE, "modified": ""} if not same and _is_belied(stated, capture, before) else stated


def _is_belied(stated: Mapping[str, str], capture: Capture, before: Original | None) -> bool:
    """Say whether an answer has the validators of the last one, and other bytes."""
    if before is None or not any(stated.values()) or stated != {"etag": before.etag, "modified": before.modified}:
        return False
    return sha1(capture.body) != before.payload_digest


def with_originals(connection: Connection, leases: Sequence[Lease], rules: Mapping[str, str]) -> list[Lease]:
    """Add to each lease its URL's last whole answer, when it was read under the rules of today."""
    statement = _originals(connection.dialect.name == "sqlite")
    known: dict[int, tuple[str, Original]] = {}
    for part in chunks([lease.url_id for lease in leases]):
        for url_id, under, *values in connection.execute(statement, {"ids": part}):
            known[url_id] = (under, Original(*values))
    return [_with(lease, known.get(lease.url_id), rules.get(lease.site, "")) for lease in leases]


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


def _with(lease: Lease, known: tuple[str, Original] | None, rules: str) -> Lease:
    return replace(lease, original=known[1]) if known and known[0] == rules else lease
