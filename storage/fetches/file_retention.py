"""Retention of WARC files: their age, whether their pages are all processed, and their removal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import fetch, original, warc_file
from storage.database.transactions import chunks
from storage.fetches.machines import is_here
from storage.warc.writer import made_at

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class AgedFile:
    """A closed WARC file.

    ``newest``: fetch time of its last record; for imported pages, the creation time of the file. None if no row points
    into it.
    """

    name: str
    size: int
    newest: datetime | None
    settled: bool
    """Whether all its pages are processed."""


def aged_files(connection: Connection, machine: str) -> list[AgedFile]:
    """Return the closed WARC files of a machine that still exist, by name."""
    last = sa.select(fetch.c.fetched_at).where(fetch.c.warc_id == warc_file.c.id)
    newest = last.order_by(fetch.c.warc_offset.desc()).limit(1).correlate(warc_file).scalar_subquery()
    statement = sa.select(warc_file.c.id, warc_file.c.name, warc_file.c.bytes, newest.label("newest"))
    closed = warc_file.c.state == "closed", is_here(machine)
    rows = connection.execute(statement.where(*closed).order_by(warc_file.c.name)).all()
    awaiting = sa.select(fetch.c.warc_id).where(fetch.c.outcome.is_(None)).distinct()
    waiting = set(connection.execute(awaiting).scalars())
    return [
        AgedFile(
            row.name,
            row.bytes or 0,
            row.newest and max(row.newest, made_at(row.name) or row.newest),
            settled=row.id not in waiting,
        )
        for row in rows
    ]


def mark_removed(connection: Connection, name: str, why: str) -> None:
    """Mark a WARC file as removed. Its pages are then fetched in full, without conditional requests."""
    values = {"state": REMOVED, "removed_at": datetime.now(UTC), "removed_because": why}
    connection.execute(sa.update(warc_file).where(warc_file.c.name == name).values(values))
    of_file = fetch.c.warc_id == sa.select(warc_file.c.id).where(warc_file.c.name == name).scalar_subquery()
    rows = connection.execute(sa.select(fetch.c.url_id, fetch.c.id).where(of_file, fetch.c.url_id.is_not(None))).all()
    for part in chunks(rows):
        urls, ids = zip(*part, strict=True)
        connection.execute(sa.delete(original).where(original.c.url_id.in_(urls), original.c.fetch_id.in_(ids)))


def give_up(connection: Connection, machine: str) -> tuple[list[int], int]:
    """Record that the files of a machine are lost. Return their ids, and how many pages will be fetched again.

    These are the pages that were not processed. The next crawl of their site finds them: it holds the lock.
    """
    of_machine = warc_file.c.machine == machine, warc_file.c.state != REMOVED
    ids = list(connection.execute(sa.select(warc_file.c.id).where(*of_machine)).scalars())
    pages = 0
    for part in chunks(ids):
        values = {"state": REMOVED, "removed_at": datetime.now(UTC), "removed_because": f"machine {machine} is gone"}
        lost = sa.update(warc_file).where(warc_file.c.id.in_(part))
        # Missing for long enough.
        connection.execute(lost.values(values | {"machine": None, "missing_since": datetime.fromtimestamp(0, UTC)}))
        fetches = sa.select(fetch.c.id).where(fetch.c.warc_id.in_(part))
        connection.execute(sa.delete(original).where(original.c.fetch_id.in_(fetches)))
        again = fetches.where(fetch.c.outcome.is_(None), fetch.c.run_id.is_not(None))
        pages += connection.execute(sa.select(sa.func.count()).select_from(again.subquery())).scalar_one()
    return ids, pages
