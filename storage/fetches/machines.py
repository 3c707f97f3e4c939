"""WARC files of several machines that share a database, each with a WARC folder of its own.

The database knows on which machine a file is. Each machine recovers, adopts, prunes and rewrites its own files only. In
SQLite and with object storage no file has a machine: each machine reaches all files.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import fetch, original, url, warc_file
from storage.database.transactions import chunks
from storage.frontier.new_links import CLEAN_SLATE
from storage.reasons import READ_ELSEWHERE
from storage.records import Kind, UrlState

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow

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


def left_sites(connection: Connection, machine: str) -> list[str]:
    """Return the sites with pages that only this machine can process."""
    statement = sa.select(url.c.site).join(fetch, fetch.c.url_id == url.c.id)
    statement = statement.join(warc_file, warc_file.c.id == fetch.c.warc_id)
    here = fetch.c.outcome.is_(None), warc_file.c.machine == machine, warc_file.c.missing_since.is_(None)
    return list(connection.execute(statement.where(*here).distinct().order_by(url.c.site)).scalars())


def read_sources_again(connection: Connection, machine: str, sites: Collection[str]) -> int:
    """Set sources that wait to be processed on another machine to pending. Return how many.

    A crawl of these sites reads them each time. Their articles wait for the machine that fetched them.
    """
    is_source = sa.or_(url.c.seed, url.c.kind != Kind.PAGE, url.c.period > 0)
    statement = sa.select(fetch.c.id, fetch.c.url_id).join(warc_file, warc_file.c.id == fetch.c.warc_id)
    statement = statement.join(url, url.c.id == fetch.c.url_id).where(fetch.c.outcome.is_(None), ~is_here(machine))
    rows = connection.execute(statement.where(is_source, url.c.site.in_(sites))).all()
    return give_up(connection, rows, READ_ELSEWHERE)


def give_up(connection: Connection, waiting: Sequence[AnyRow], reason: str) -> int:
    """Drop fetches that wait to be processed, and set their URLs to pending. Return how many.

    ``waiting``: rows of the id of a fetch and that of its URL.
    """
    for part in chunks(waiting):
        fetches, urls = ([row[at] for row in part] for at in (0, 1))
        connection.execute(sa.update(fetch).where(fetch.c.id.in_(fetches)).values(outcome="drop", reason=reason))
        connection.execute(sa.delete(original).where(original.c.fetch_id.in_(fetches)))
        here = url.c.id.in_(urls), url.c.state == UrlState.FETCHED
        connection.execute(sa.update(url).where(*here).values(CLEAN_SLATE))
    return len(waiting)
