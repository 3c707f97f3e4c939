"""WARC files that are missing: their pages wait, and are fetched again after a time.

Absence is not damage: a folder may not be mounted, or a crawl may run on another machine.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import fetch, url, warc_file
from storage.database.transactions import chunks
from storage.fetches.machines import IN_USE, give_up, is_here
from storage.reasons import WARC_MISSING

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from sqlalchemy.engine import Connection

IS_THERE = warc_file.c.missing_since.is_(None)


def expected(connection: Connection, machine: str) -> list[str]:
    """Return the names of the files that should be in the folder of a machine."""
    return list(connection.execute(sa.select(warc_file.c.name).where(IN_USE, is_here(machine))).scalars())


def mark_missing(
    connection: Connection, machine: str, names: Collection[str], now: datetime, *, others_there: bool
) -> None:
    """Record that files are missing since ``now``, unless they were before.

    ``others_there``: all others of the machine are there.
    """
    if others_there:
        back = warc_file.c.missing_since.is_not(None), warc_file.c.name.not_in(names), IN_USE, is_here(machine)
        connection.execute(sa.update(warc_file).where(*back).values(missing_since=None))
    for part in chunks(sorted(names)):
        new = warc_file.c.name.in_(part), IS_THERE
        connection.execute(sa.update(warc_file).where(*new).values(missing_since=now))


def count_waiting(connection: Connection, sites: Collection[str]) -> Counter[str]:
    """Count the pages of these sites that wait for a missing file, by file."""
    statement = sa.select(warc_file.c.name, sa.func.count()).select_from(fetch)
    statement = statement.join(warc_file, warc_file.c.id == fetch.c.warc_id).join(url, url.c.id == fetch.c.url_id)
    statement = statement.where(fetch.c.outcome.is_(None), ~IS_THERE, url.c.site.in_(sites))
    rows = connection.execute(statement.group_by(warc_file.c.name))
    return Counter({row[0]: row[1] for row in rows})


def fetch_again(connection: Connection, sites: Collection[str], before: datetime) -> int:
    """Set the pages that wait for files missing since ``before`` to pending, to be fetched in full. Return how many.

    Imported pages wait on: a crawl did not fetch them.
    """
    statement = sa.select(fetch.c.id, fetch.c.url_id).join(warc_file, warc_file.c.id == fetch.c.warc_id)
    statement = statement.join(url, url.c.id == fetch.c.url_id)
    waiting = fetch.c.outcome.is_(None), warc_file.c.missing_since <= before, fetch.c.run_id.is_not(None)
    rows = connection.execute(statement.where(*waiting, url.c.site.in_(sites))).all()
    return give_up(connection, rows, WARC_MISSING)
