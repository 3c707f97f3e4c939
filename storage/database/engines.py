"""Create engines: SQLite in WAL mode, PostgreSQL with time limits, and the start of each transaction."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import event

from storage import time_limit
from storage.errors import DatabaseError

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg
    from sqlalchemy.engine import URL, Connection, Engine

BUSY_TIMEOUT_MS = 30_000
IDLE_SECONDS = 1.0
"""Seconds. A connection that was idle for longer is checked before use."""

_PRAGMAS = (
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA cache_size=-32000",
)
READER = "SELECT set_config('default_transaction_read_only', 'on', false)"
LIMITED = "SELECT set_config('statement_timeout', '{}', false)"
"""For readers whose statements are interrupted after so many milliseconds."""
WRITER = (
    "SELECT set_config('statement_timeout', '300s', false),"
    " set_config('idle_in_transaction_session_timeout', '120s', false),"
    # The program outlives a crash of its server, which must not undo acknowledged commits.
    " set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'local'), false)"
)
WITHOUT_LIMITS = (
    "SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)"
)
"""For one transaction of a writer."""
SESSION = (
    "SELECT set_config('timezone', 'UTC', false),"
    # By default a server checks a silent client after two hours. A lost session would keep its locks for so long.
    " set_config('tcp_keepalives_idle', '15', false), set_config('tcp_keepalives_interval', '5', false),"
    " set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '30000', false),"
    # Override settings made for other programs: unreadable date formats, rounded floats, snapshots older than the
    # awaited locks, limits that end an export, and row security that hides rows.
    " set_config('datestyle', 'ISO', false), set_config('extra_float_digits', '1', false),"
    " set_config('default_transaction_isolation', 'read committed', false),"
    " set_config('lock_timeout', '60s', false), set_config('statement_timeout', '0', false),"
    " set_config('idle_in_transaction_session_timeout', '0', false), set_config('row_security', 'off', false),"
    # Not every server has these settings.
    " (SELECT count(set_config(name, '0', false)) FROM pg_settings"
    " WHERE name IN ('idle_session_timeout', 'transaction_timeout'))"
)


_LINEAGE = (
    "SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE"
    " system_identifier || ' ' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END FROM pg_control_system()"
)
"""System identifier and timeline of a server. A promoted standby has a new timeline (PostgreSQL, 26.2.7)."""


@dataclass(slots=True)
class Lineage:
    """The server of a program's first connection. All later connections must reach the same server.

    A standby that took over may lack the last commits. Writes based on them would be lost or wrong.
    """

    where: str
    known: str = ""

    def require(self, connection: psycopg.Connection) -> None:
        """Raise DatabaseError for another server. A server that hides its identity is accepted."""
        found = self._ask(connection)
        self.known = self.known or found
        if found and found != self.known:
            raise DatabaseError(
                "another server or a copy has taken its place, and may lack the last commits",
                where=self.where,
                do="Start again. The next crawl reads missing pages in again from the WARC files.",
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
    """Return the URI with which SQLite opens a file.

    In a read-only folder it is ``immutable``, because SQLite cannot create its shared memory beside it.
    """
    location = path.absolute().as_uri() + ("?mode=ro" if read_only else "?mode=rw")
    if read_only and not os.access(path.parent, os.W_OK) and not path.with_name(path.name + "-wal").exists():
        location += "&immutable=1"
    return location


class _Deadline:
    """When the statements of a SQLite connection end: ``seconds`` after the transaction began, or with the request."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.at = seconds, math.inf

    def begin(self) -> None:
        self.at = min(time.monotonic() + self.seconds, time_limit.ends_at())

    def is_over(self) -> bool:
        return time.monotonic() > self.at


def sqlite_engine(path: Path, *, read_only: bool, seconds: float | None) -> Engine:
    """Return an engine for a file. Execution options choose the start of a transaction:

    ``corpus_writes`` takes the write lock at once. ``corpus_hasty`` commits without waiting for the disk. A transaction
    that takes longer than ``seconds`` is interrupted.
    """
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=sqlite_location(path, read_only=read_only), query={"uri": "true"}),
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def configure(connection: Any, record: Any) -> None:
        # The driver's own BEGIN would not cover reads and schema changes.
        connection.isolation_level = None
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
        connection.execute("PRAGMA query_only=ON" if read_only else "PRAGMA journal_mode=WAL")
        if seconds is not None:
            record.info["deadline"] = _Deadline(seconds)
            connection.set_progress_handler(record.info["deadline"].is_over, time_limit.STEPS)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if "deadline" in connection.info:
            connection.info["deadline"].begin()
        if options.get("corpus_writes"):
            # NORMAL in WAL mode skips the fsync of a commit. The fsync of the next FULL commit covers it.
            level = "NORMAL" if options.get("corpus_hasty") else "FULL"
            if connection.info.get("synchronous") != level:
                connection.exec_driver_sql(f"PRAGMA synchronous={level}")
                connection.info["synchronous"] = level
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("corpus_writes") else "BEGIN")

    return engine


def connect_options(url: URL) -> dict[str, Any]:
    """Return options of a PostgreSQL connection: UTF-8, and keepalives unless the URL has them.

    A connection is lost after half a minute without an answer of the machine, as on the side of the server (`SESSION`).
    """
    defaults = {"connect_timeout": 10, "application_name": "corpus-spider", "keepalives_idle": 15}
    defaults |= {"keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000}
    return {key: value for key, value in defaults.items() if key not in url.query} | {"client_encoding": "utf8"}


def postgres_engine(url: URL, *role: str, lineage: Lineage | None = None, snapshots: bool = False) -> Engine:
    """Return an engine whose sessions begin with the statements of their ``role``, once per session.

    ``lineage``: all sessions must reach one server. ``snapshots``: each transaction has one consistent view, because
    counts from several statements must agree.
    """
    level = "REPEATABLE READ" if snapshots else "READ COMMITTED"
    engine = sa.create_engine(url, connect_args=connect_options(url), isolation_level=level)

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        # One transaction each: the server may time out between two statements of a transaction.
        connection.autocommit = True
        for statement in (SESSION, *role):
            connection.execute(statement)
        if lineage is not None:
            lineage.require(connection)
        connection.autocommit = False

    @event.listens_for(engine, "checkin")
    def rest(_connection: Any, record: Any) -> None:
        record.info["idle_since"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def look(connection: Any, record: Any, _proxy: Any) -> None:
        # A recently used connection is not checked.
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
