"""WARC records without a database row: index them, and turn pages among them into fetches.

They appear after a crash, or when the database was restored from a backup or replaced by another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import fetch, warc_file
from storage.fetches.fetches import POINTER_COLUMNS, pointer_of, write_fetched
from storage.fetches.machines import is_here

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from storage.frontier.recrawl_schedule import Schedule
    from storage.records import Fetched, Pointer


@dataclass(frozen=True, slots=True)
class UndecidedOrphan:
    """An orphan that may be a page: status 200, and neither adopted nor rejected yet."""

    fetch_id: int
    uri: str
    fetched_at: datetime
    pointer: Pointer


def undecided(connection: Connection, machine: str, limit: int, before: int | None) -> list[UndecidedOrphan]:
    """Return up to ``limit`` undecided orphans on a machine, newest first, with fetch ids below ``before``."""
    statement = (
        sa.select(fetch.c.id, fetch.c.uri, fetch.c.fetched_at, *POINTER_COLUMNS)
        .join(warc_file, warc_file.c.id == fetch.c.warc_id)
        .where(fetch.c.outcome == "orphan", fetch.c.reason.is_(None), fetch.c.url_id.is_(None))
        .where(fetch.c.status == 200, warc_file.c.state == "closed", is_here(machine))
        .order_by(fetch.c.id.desc())
        .limit(limit)
    )
    rows = connection.execute(statement if before is None else statement.where(fetch.c.id < before))
    return [UndecidedOrphan(row.id, row.uri, row.fetched_at, pointer_of(row)) for row in rows]


def reject(connection: Connection, reasons: Mapping[int, str]) -> None:
    """Record why these orphans do not become pages, by fetch id."""
    statement = sa.update(fetch).where(fetch.c.id == sa.bindparam("of_fetch")).values(reason=sa.bindparam("why"))
    connection.execute(statement, [{"of_fetch": fetch_id, "why": why} for fetch_id, why in reasons.items()])


def adopt(connection: Connection, run_id: int, group: Sequence[tuple[Fetched, Pointer]], schedule: Schedule) -> None:
    """Turn orphans into fetched pages of a run that await processing."""
    for _, pointer in group:
        file = sa.select(warc_file.c.id).where(warc_file.c.name == pointer.warc).scalar_subquery()
        here = fetch.c.warc_id == file, fetch.c.warc_offset == pointer.offset
        connection.execute(sa.delete(fetch).where(*here, fetch.c.outcome == "orphan"))
    write_fetched(connection, run_id, group, schedule)
