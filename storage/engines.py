"""How connections are made: SQLite in WAL mode, PostgreSQL with time limits, and what each transaction begins with."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import event

from storage.errors import DatabaseError

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg
    from sqlalchemy.engine import URL, Connection, Engine

BUSY_TIMEOUT_MS = 30_000
IDLE_SECONDS = 1.0
"""After how long without work a connection is asked whether it is still there."""

_PRAGMAS = (
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA cache_size=-32000",
)
READER = "SELECT set_config('default_transaction_read_only', 'on', false)"
WRITER = (
    "SELECT set_config('statement_timeout', '300s', false),"
    " set_config('idle_in_transaction_session_timeout', '120s', false),"
    # A program outlives its server, whose crash must undo nothing that it has been told is done.
    " set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'local'), false)"
)
WITHOUT_LIMITS = (
    "SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)"
)
"""For one transaction of a writer."""
SESSION = (
    "SELECT set_config('timezone', 'UTC', false),"
    # A server asks after a client that is silent, by default after two hours: so long would a session that a network
    # has lost keep its locks.
    " set_config('tcp_keepalives_idle', '15', false), set_config('tcp_keepalives_interval', '5', false),"
    " set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '30000', false),"
    # What a server or a role is set to for other programs: dates that the driver cannot read, numbers without their
    # last digits, snapshots older than the locks that transactions wait for, limits that end an export, and rows left
    # out without a word.
    " set_config('datestyle', 'ISO', false), set_config('extra_float_digits', '1', false),"
    " set_config('default_transaction_isolation', 'read committed', false),"
    " set_config('lock_timeout', '60s', false), set_config('statement_timeout', '0', false),"
    " set_config('idle_in_transaction_session_timeout', '0', false), set_config('row_security', 'off', false),"
    # Not every server has these.
    " (SELECT count(set_config(name, '0', false)) FROM pg_settings"
    " WHERE name IN ('idle_session_timeout', 'transaction_timeout'))"
)


_LINEAGE = (
    "SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE"
    " system_identifier || ' ' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END FROM pg_control_system()"
)
"""Which server it is, and its timeline, which is another once a standby has been promoted (PostgreSQL, 26.2.7)."""


@dataclass(slots=True)
class Lineage:
    """The server to which a program has made its first connection; every later one is to be to the same.

    A standby that has taken its place may not have had the last commits. What a program goes on to write by what it
    remembers of them would be missing for good, or stand at the wrong place.
    """

    where: str
    known: str = ""

    def require(self, connection: psycopg.Connection) -> None:
        """Raise DatabaseError when it is another server. One that does not say which it is passes for any."""
        found = self._ask(connection)
        self.known = self.known or found
        if found and found != self.known:
            raise DatabaseError(
                "another server, or a copy, has taken its place, which may not have the last that was committed",
                where=self.where,
                do="Start again; what it lacks is read in again from the WARC files by the next crawl.",
            )

    @staticmethod
    def _ask(connection: psycopg.Connection) -> str:
        import psycopg

        try:
            row = connection.execute(_LINEAGE).fetchone()
        except psycopg.OperationalError:
            raise
        except psycopg.Error:
            return ""
        return str(row[0]) if row else ""


def sqlite_location(path: Path, *, read_only: bool) -> str:
    """Return the URI under which SQLite opens a file.

    In a folder that cannot be written it is read as ``immutable``: SQLite could not put its shared memory beside it.
    """
    location = path.absolute().as_uri() + ("?mode=ro" if read_only else "?mode=rw")
    if read_only and not os.access(path.parent, os.W_OK) and not path.with_name(path.name + "-wal").exists():
        location += "&immutable=1"
    return location


def sqlite_engine(path: Path, *, read_only: bool) -> Engine:
    """Return an engine for a file, whose transactions begin as its execution options say: ``corpus_writes`` takes the
    lock for writing at once, ``corpus_hasty`` commits without waiting for the disk.
    """
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=sqlite_location(path, read_only=read_only), query={"uri": "true"}),
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        # Transactions are begun below, not by the driver, which would not cover reads and schema changes.
        connection.isolation_level = None
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
        connection.execute("PRAGMA query_only=ON" if read_only else "PRAGMA journal_mode=WAL")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get("corpus_writes"):
            # In WAL mode NORMAL leaves out the fsync of a commit; that of the next FULL one covers what came before.
            level = "NORMAL" if options.get("corpus_hasty") else "FULL"
            if connection.info.get("synchronous") != level:
                connection.exec_driver_sql(f"PRAGMA synchronous={level}")
                connection.info["synchronous"] = level
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("corpus_writes") else "BEGIN")

    return engine


def connect_options(url: URL) -> dict[str, Any]:
    """Return what a PostgreSQL connection needs to notice a dead server, as far as the URL does not say otherwise, and
    the encoding of all text, whatever the server, the role or the environment is set to.
    """
    defaults = {"connect_timeout": 10, "application_name": "corpus-spider", "keepalives_idle": 30}
    defaults |= {"keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 60_000}
    return {key: value for key, value in defaults.items() if key not in url.query} | {"client_encoding": "utf8"}


def postgres_engine(url: URL, role: str = "", lineage: Lineage | None = None, *, snapshots: bool = False) -> Engine:
    """Return an engine whose sessions all begin with a statement for their ``role``: not each of their transactions.

    With a ``lineage`` they are all to one server.

    ``snapshots``: each transaction sees one moment, not each of its statements another: counts of several statements
    would not agree.
    """
    level = "REPEATABLE READ" if snapshots else "READ COMMITTED"
    engine = sa.create_engine(url, connect_args=connect_options(url), isolation_level=level)

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        # Each by itself: between two statements of one transaction a server may already be tired of waiting.
        connection.autocommit = True
        for statement in filter(None, (SESSION, role)):
            connection.execute(statement)
        if lineage is not None:
            lineage.require(connection)
        connection.autocommit = False

    @event.listens_for(engine, "checkin")
    def rest(_connection: Any, record: Any) -> None:
        record.info["idle_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def look(connection: Any, record: Any, _proxy: Any) -> None:
        # What was at work a moment ago is not asked whether it lives.
        if time.monotonic() - record.info.get("idle_since", math.inf) > IDLE_SECONDS and not _answers(connection):
            raise sa.exc.InvalidatePoolError

    return engine


def _answers(connection: psycopg.Connection) -> bool:
    import psycopg

    try:
        connection.execute("SELECT 1")
        connection.rollback()
    except psycopg.OperationalError:
        return False
    return True
