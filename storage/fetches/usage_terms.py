"""Terms of use of fetched pages, from the files of their hosts. Many fetches share a row."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.database.schema import document, terms
from storage.database.transactions import chunks, upsert
from storage.records import Metadata, Terms
from storage.reservations import is_reserved

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow
    from storage.records import Fetched

TERMS_COLUMNS = (
    terms.c.robots,
    terms.c.robots_sha256,
    terms.c.tdm.label("file_tdm"),
    terms.c.tdm_policy.label("file_policy"),
)


def digest(one: Terms) -> str:
    """Return the key that equal terms share."""
    parts = (one.robots, one.robots_sha256, one.tdm, one.tdm_policy)
    return sha256("\n".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()


def ids(connection: Connection, wanted: Iterable[Terms | None]) -> dict[Terms, int]:
    """Return the row ids of these terms. New ones are added."""
    keys = {digest(each): each for each in wanted if each is not None}
    rows = [_row(key, each) for key, each in sorted(keys.items())]
    if rows:
        connection.execute(upsert(connection, terms).on_conflict_do_nothing(index_elements=["key"]), rows)
    return {
        keys[row.key]: row.id
        for part in chunks(sorted(keys))
        for row in connection.execute(sa.select(terms.c.key, terms.c.id).where(terms.c.key.in_(part)))
    }


def _row(key: str, one: Terms) -> dict[str, Any]:
    return {
        "key": key,
        "robots": one.robots,
        "robots_sha256": one.robots_sha256,
        "tdm": one.tdm,
        "tdm_policy": one.tdm_policy,
    }


def terms_of(row: AnyRow) -> Terms | None:
    """Build the terms of a row that has `TERMS_COLUMNS` of an outer join."""
    return None if row.robots is None else Terms(row.robots, row.robots_sha256, row.file_tdm, row.file_policy)


def renew(connection: Connection, unchanged: Sequence[Fetched]) -> None:
    """Update the reservations of unchanged pages from their host's files, unless page or response state their own.

    A host without a statement revokes nothing: its file may only be unreachable.
    """
    said = {
        each.lease.url_id: each.capture.terms
        for each in unchanged
        if each.lease and each.capture.terms and each.capture.terms.tdm is not None
    }
    for part in chunks(sorted(said)):
        for row in connection.execute(_NEWEST, {"urls": part}).all():
            now = said[row.url_id]
            if (row.tdm, row.tdm_policy) != (now.tdm, now.tdm_policy):
                reserved = is_reserved(Metadata(directives=row.directives or (), tdm=now.tdm))
                values = {"tdm": now.tdm, "tdm_policy": now.tdm_policy, "tdm_source": "file", "reserved": reserved}
                connection.execute(sa.update(document).where(document.c.id == row.id).values(values))


_later = document.alias("later")
_NEWEST = (
    sa.select(document.c.id, document.c.url_id, document.c.tdm, document.c.tdm_policy, document.c.directives)
    .where(document.c.url_id.in_(sa.bindparam("urls", expanding=True)))
    .where(sa.or_(document.c.tdm_source.is_(None), document.c.tdm_source == "file"))
    .where(~sa.exists().where(_later.c.url_id == document.c.url_id, _later.c.version > document.c.version))
)
