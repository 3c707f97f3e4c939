"""Records that the archive has and the database had not, as rows: found again after a crash, in a database that was
restored from a copy, or in one that has taken the place of another. Pages among them become fetches like others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.fetches import POINTER_COLUMNS, pointer_of, write_fetched
from storage.schema import fetch, warc_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from storage.records import Fetched, Pointer
    from storage.schedule import Schedule


@dataclass(frozen=True, slots=True)
class UndecidedOrphan:
    """An orphan that may be a page: an answer with status 200 of which nobody has decided yet what becomes of it."""

    fetch_id: int
    uri: str
    fetched_at: datetime
    pointer: Pointer


def undecided(connection: Connection, limit: int, before: int | None = None) -> list[UndecidedOrphan]:
    """Return up to ``limit`` of them, the last found first, those with a fetch id below ``before`` only."""
    statement = (
        sa.select(fetch.c.id, fetch.c.uri, fetch.c.fetched_at, *POINTER_COLUMNS)
        .join(warc_file, warc_file.c.id == fetch.c.warc_id)
        .where(fetch.c.outcome == "orphan", fetch.c.reason.is_(None), fetch.c.url_id.is_(None))
        .where(fetch.c.status == 200, warc_file.c.state == "closed")
        .order_by(fetch.c.id.desc())
        .limit(limit)
    )
    rows = connection.execute(statement if before is None else statement.where(fetch.c.id < before))
    return [UndecidedOrphan(row.id, row.uri, row.fetched_at, pointer_of(row)) for row in rows]


def reject(connection: Connection, reasons: Mapping[int, str]) -> None:
    """Note why orphans stay what they are, by fetch id."""
    statement = sa.update(fetch).where(fetch.c.id == sa.bindparam("of_fetch")).values(reason=sa.bindparam("why"))
    connection.execute(statement, [{"of_fetch": fetch_id, "why": why} for fetch_id, why in reasons.items()])


def adopt(connection: Connection, run_id: int, group: Sequence[tuple[Fetched, Pointer]], schedule: Schedule) -> None:
    """Have orphans be pages that a run has fetched and that await processing."""
    for _, pointer in group:
        file = sa.select(warc_file.c.id).where(warc_file.c.name == pointer.warc).scalar_subquery()
        here = fetch.c.warc_id == file, fetch.c.warc_offset == pointer.offset
        connection.execute(sa.delete(fetch).where(*here, fetch.c.outcome == "orphan"))
    write_fetched(connection, run_id, group, schedule)
