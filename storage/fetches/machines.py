"""WARC files of several machines that share a database, each with a WARC folder of its own.

The database knows on which machine a file is. Each machine recovers, adopts, prunes and rewrites its own files only. In
SQLite and with object storage no file has a machine: each machine reaches all files.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import fetch, url, warc_file
from storage.database.transactions import chunks

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.engine import Connection

IN_USE = warc_file.c.state.in_(("open", "closed"))
"""Condition: the file should exist."""


def is_here(machine: str) -> sa.ColumnElement[bool]:
    """Return the condition that a WARC file is one of this machine. ``machine``: "" if it reaches all files."""
    return sa.or_(warc_file.c.machine.is_(None), warc_file.c.machine == machine) if machine else sa.true()


def elsewhere(connection: Connection, machine: str) -> dict[str, str]:
    """Return the machine of each file that is in the folder of another machine."""
    statement = sa.select(warc_file.c.name, warc_file.c.machine).where(~is_here(machine), IN_USE)
    return {row.name: row.machine for row in connection.execute(statement)}


def take_over(connection: Connection, machine: str, names: Collection[str]) -> None:
    """Record that these files, which are in the folder of this machine, are here: it or its folder may be renamed."""
    others = sa.select(warc_file.c.name).where(warc_file.c.machine.is_distinct_from(machine))
    taken = set(connection.execute(others).scalars()).intersection(names)
    for part in chunks(sorted(taken)):
        connection.execute(sa.update(warc_file).where(warc_file.c.name.in_(part)).values(machine=machine))


def count_waiting(connection: Connection, machine: str, sites: Collection[str]) -> Counter[str]:
    """Count the pages of these sites that wait to be processed on another machine, by machine."""
    statement = sa.select(warc_file.c.machine, sa.func.count()).select_from(fetch)
    statement = statement.join(warc_file, warc_file.c.id == fetch.c.warc_id).join(url, url.c.id == fetch.c.url_id)
    statement = statement.where(fetch.c.outcome.is_(None), ~is_here(machine), url.c.site.in_(sites))
    return Counter({row[0]: row[1] for row in connection.execute(statement.group_by(warc_file.c.machine))})
