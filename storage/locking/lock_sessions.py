"""PostgreSQL sessions that hold advisory locks: find the holder of a lock, and end our own lost sessions.

After a network failure, the server keeps the locks until it gives the session up.
"""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.transactions import CORPUS_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    import psycopg

    from storage.database.transactions import Database

Identity = tuple[int, "datetime"]
"""Process id and start time of a session. Unique."""

# Shown in messages about held locks. PostgreSQL keeps 63 characters.
_INTRODUCE = "SELECT set_config('application_name', %s, false)"
_IDENTITY = "SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()"
_END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = %s AND backend_start = %s"
_HOLDERS = """
SELECT DISTINCT pid, application_name, host(client_addr), backend_start AT TIME ZONE 'UTC'
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND datname = current_database()
AND database = datid AND (classid::bigint << 32 | objid::bigint) = ANY(%s::bigint[])
ORDER BY pid
"""
_HELD = """
SELECT classid::bigint << 32 | objid::bigint FROM pg_locks JOIN pg_database ON pg_database.oid = database
WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND datname = current_database()
AND (classid::bigint << 32 | objid::bigint) = ANY(%s::bigint[])
"""
_NUMBER = "SELECT pg_backend_pid()"
_ATTEMPTS, _PAUSE = 100, 0.05
_LOOKS = 3


def introduce(session: psycopg.Connection) -> Identity | None:
    """Set the application name of this session; return its identity, None if the server hides it."""
    session.execute(_INTRODUCE, (f"corpus-spider, process {os.getpid()} on {socket.gethostname()}",))
    row = session.execute(_IDENTITY).fetchone()
    return (int(row[0]), row[1]) if row and row[1] else None


def schema_of(session: psycopg.Connection) -> str:
    """Return the schema that contains the corpus tables for this session; "" if there is none."""
    row = session.execute(CORPUS_SCHEMA).fetchone()
    return str(row[0]) if row else ""


def end(session: psycopg.Connection, lost: Identity) -> None:
    """End a lost session of ours, and wait some seconds until the server has released its locks."""
    for _ in range(_ATTEMPTS):
        if not session.execute(_END, lost).fetchall():
            return
        time.sleep(_PAUSE)


def is_shared(session: psycopg.Connection, database: Database) -> bool:
    """Return whether a pooler shares the server's session between programs, so that locks do not hold.

    Signs: another connection gets this session, or this connection gets several in a row.
    """
    own, others = set[int](), set[int]()
    for _ in range(_LOOKS):
        own.update(row[0] for row in session.execute(_NUMBER).fetchall())
        others.update(database.read(lambda connection: connection.execute(sa.text(_NUMBER)).scalars().all()))
    return len(own) > 1 or not own.isdisjoint(others)


def holders(session: psycopg.Connection, keys: Sequence[int]) -> str:
    """Describe the sessions that hold some of these locks; "" if they are free by now."""
    rows = session.execute(_HOLDERS, (list(keys),)).fetchall()
    return "; ".join(_described(*row) for row in rows)


def held(session: psycopg.Connection, keys: Iterable[int]) -> set[int]:
    """Return the keys of locks that a session holds."""
    return {row[0] for row in session.execute(_HELD, (list(keys),))}


def _described(number: int, name: str | None, address: str | None, begun: datetime | None) -> str:
    where = f" at {address}" if address else ""
    since = f" since {begun:%Y-%m-%d %H:%M} UTC" if begun else ""
    return f"{name or 'another program'}{where}{since} (session {number} of the database)"
