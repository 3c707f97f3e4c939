"""Database access: engines for SQLite and PostgreSQL, transactions with retry, and translated errors.

Driver errors leave this module as subclasses of `CorpusError` and never contain a password.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from storage import time_limit
from storage.database.engines import (
    LIMITED,
    READER,
    SESSION,
    WITHOUT_LIMITS,
    WRITER,
    Lineage,
    connect_options,
    postgres_engine,
    sqlite_engine,
)
from storage.database.postgres_hints import advice
from storage.database.rejected_rows import CONTENT_ERRORS, NotStorableError, is_refusal
from storage.errors import ConfigError, CorpusError, DamageError, DatabaseError, DiskError
from storage.retry import READER_SECONDS, Patience, configured_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import psycopg
    from sqlalchemy.engine import URL, Connection, Engine, Row

    AnyRow = Row[*tuple[Any, ...]]
    DriverError = DBAPIError | PoolTimeoutError | psycopg.Error | sqlite3.Error
    ContentError = sa.exc.StatementError | ValueError | OverflowError
    Errors = tuple[type[DriverError], ...]

T = TypeVar("T")

CHUNK = 500
"""Values in one IN list. Saves round trips and stays below every database's limit."""

_MOST_PARAMETERS = 30_000
"""Values of a condition as parameters. SQLite has 32,766 in all; more values, which are numbers, are one parameter."""
POSTGRES_PORT = 5432
CORPUS_SCHEMA = """
SELECT nspname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE pg_class.oid = to_regclass('run')
"""
_GIVEN = "given_"

_DISK_STATES = {"53100", "58030"}
_CONTENTION_STATES = {"40001", "40P01", "55P03", "57014"}
_CANCELLED = "57014"
_LOST_STATES = {"53300", "57P01", "57P02", "57P03", "57P05", "25P03", "25P04"}


def parse_url(where: str | os.PathLike[str]) -> URL:
    """Parse a database URL or the path of a SQLite file. `ConfigError` if it is neither SQLite nor PostgreSQL."""
    text = os.fspath(where)
    path = text.removeprefix("sqlite:///")
    if path != text or "://" not in text:
        # Taken literally: characters with a meaning in URLs (%, ?) are part of a file name.
        return sa.URL.create("sqlite", database=path)
    try:
        url = sa.make_url(re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", text))
    except (ArgumentError, ValueError):
        raise ConfigError(
            "this database URL cannot be read",
            where=re.sub(r"(//[^/@]*?:).*@", r"\1***@", text),
            do="Write postgresql://user:password@host:5432/name, or the path of a SQLite file.",
        ) from None
    if url.host and "%" in url.host:
        # A socket folder in libpq's notation (34.1.1.2), which SQLAlchemy would take for a host name.
        socket = {"host": unquote(url.host), "port": str(url.port or POSTGRES_PORT)}
        url = url._replace(host=None, port=None).update_query_dict(socket)
    if url.get_backend_name() not in {"sqlite", "postgresql"}:
        raise ConfigError(
            f"databases of type {url.get_backend_name()!r} are not supported", do="Use SQLite or PostgreSQL."
        )
    return url


def masked(url: URL) -> str:
    """Return the URL for messages, with ``***`` for passwords. `parse_url` accepts that of a SQLite file."""
    if url.get_backend_name() == "sqlite":
        return f"sqlite:///{url.database}"
    secret = {key: "***" for key in url.query if "pass" in key.lower()}
    return url.update_query_dict(secret).render_as_string(hide_password=True).replace("+psycopg", "")


def translate(error: DriverError | ContentError, url: URL) -> CorpusError:
    """Translate a driver error: disk (exit 3), damage (exit 6), else database (exit 4).

    Errors caused by a value become NotStorableError.
    """
    cause = getattr(error, "orig", None) or error
    message = (str(cause).strip().splitlines() or [type(cause).__name__])[0]
    if url.password:
        message = message.replace(str(url.password), "***")
    name = getattr(cause, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        # SQLite reports a full disk of temporary files in the same way, which may be another disk.
        place = ", also for temporary files (TMPDIR)," if name == "SQLITE_FULL" else ","
        do = f"Free some space{place} correct the permissions or raise the limits (ulimit -f, -n), then start again."
        return DiskError(message, where=masked(url), do=do)
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or message.startswith("Could not decode to UTF-8"):
        return DamageError(
            message, where=masked(url), do="Restore the file from a backup. The WARC files are not affected."
        )
    state = getattr(cause, "sqlstate", None) or ""
    if state in _DISK_STATES:
        return DiskError(message, where=masked(url), do="Free some space on the database server, then start again.")
    if is_refusal(error):
        return NotStorableError(message, where=masked(url), do="Leave this row out. The others can be stored.")
    return DatabaseError(message, where=masked(url), do=advice(message, state))


def is_contention(error: DBAPIError | psycopg.Error | sqlite3.Error) -> bool:
    """Return whether another transaction was in the way: a held lock, a deadlock, a cancelled statement."""
    cause = getattr(error, "orig", None) or error
    name = getattr(cause, "sqlite_errorname", None) or ""
    return name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or getattr(cause, "sqlstate", None) in _CONTENTION_STATES


def _is_interrupted(error: DriverError) -> bool:
    """Return whether a statement reached the time limit of its reader."""
    cause = getattr(error, "orig", None) or error
    sqlstate, name = getattr(cause, "sqlstate", None), getattr(cause, "sqlite_errorname", None)
    return sqlstate == _CANCELLED or name == "SQLITE_INTERRUPT"


def is_lost(error: DBAPIError | psycopg.Error | sqlite3.Error) -> bool:
    """Return whether the connection was lost or is unavailable for now."""
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.Error):
        # A file does not come back by itself, and bytes that are not text stay so.
        return False
    state = getattr(cause, "sqlstate", None)
    if state is None:
        invalidated = getattr(error, "connection_invalidated", False)
        return invalidated or type(cause).__name__ in {"OperationalError", "ConnectionTimeout"}
    return state in _LOST_STATES or state.startswith("08")


@dataclass(frozen=True, slots=True)
class Database:
    """An engine with two entries: `write`, one transaction that is retried after a lost connection, and `read`."""

    url: URL
    engine: Engine
    writer: Engine
    hasty: Engine
    patience: Patience
    turn: AbstractContextManager[object] = field(default_factory=nullcontext)
    """Held during a write transaction, so that SQLite has one writer at a time.

    SQLite makes others wait with growing pauses. Releases before 3.51.3 may lose data that is written while another
    connection checkpoints (``storage.database.sqlite_limits``).
    """

    is_limited: bool = False
    """Its statements are cancelled after some seconds, and not tried again."""

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    def write(self, work: Callable[[Connection], T], *, durable: bool = True) -> T:
        """Run ``work`` in one write transaction and commit.

        After a lost connection it runs again, even if the commit may have succeeded. So ``work`` must recognise by its
        own keys that it has been done.

        Without ``durable`` a SQLite commit does not wait for the disk. A power cut may undo it, but only together with
        all later commits, and it ends the program too. PostgreSQL may crash while the program goes on, so it always
        waits.
        """
        try:
            return self._transact(self.writer if durable else self.hasty, work, self.turn)
        except CONTENT_ERRORS as error:
            raise translate(error, self.url) from error

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one read transaction with a consistent view. Retried after a lost connection."""
        return self._transact(self.engine, work, nullcontext())

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Open a snapshot for the duration of the block, for streams. Never retried."""
        with self.explained(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def watched(self) -> Iterator[Callable[[], bool]]:
        """Yield a function that says whether another connection committed since the block began. SQLite only."""
        with self.explained(), self.engine.connect() as connection:
            before = _data_version(connection)
            yield lambda: _data_version(connection) != before

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Translate driver errors that leave the block. TooSlowError if the time of the request is over."""
        time_limit.check()
        try:
            yield
        except self._driver_errors() as error:
            raise self._translated(error) from error

    def _translated(self, error: DriverError) -> CorpusError:
        if self.is_limited and _is_interrupted(error):
            return time_limit.too_slow(masked(self.url))
        return translate(error, self.url)

    def _driver_errors(self) -> Errors:
        if self.is_sqlite:
            return (DBAPIError, PoolTimeoutError, sqlite3.Error)
        import psycopg

        return (DBAPIError, PoolTimeoutError, psycopg.Error)

    def connection_options(self) -> dict[str, Any]:
        """Return the options of a PostgreSQL connection outside the pool."""
        _, given = self.engine.dialect.create_connect_args(self.url)
        return {**given, **connect_options(self.url)}

    def schema(self) -> str:
        """Return the PostgreSQL schema with the tables of the corpus."""
        return str(self.read(lambda connection: connection.execute(sa.text(CORPUS_SCHEMA)).scalar_one()))

    def session(self, begin: Callable[[psycopg.Connection], T], **options: Any) -> T:
        """Open a PostgreSQL connection outside the pool, in autocommit, for locks that last as long as it does.

        ``begin`` keeps it. If the server is away, wait for it. If the connection is lost before ``begin`` returns, open
        another. ``options``: in place of `connection_options`.
        """
        import psycopg

        options = options or self.connection_options()

        def attempt() -> T:
            session = psycopg.connect(**options, autocommit=True)
            try:
                session.execute(SESSION)
            except psycopg.Error:
                session.close()
                raise
            return begin(session)

        return self._persist(attempt)

    def close(self) -> None:
        self.engine.dispose()
        self.writer.dispose()

    def _transact(self, engine: Engine, work: Callable[[Connection], T], turn: AbstractContextManager[object]) -> T:
        def attempt() -> T:
            with turn, engine.begin() as connection:
                return work(connection)

        return self._persist(attempt)

    def _persist(self, attempt: Callable[[], T]) -> T:
        """Retry until it succeeds, fails for good, or patience ends. Errors are translated.

        TooSlowError if the time of the request is over.
        """
        time_limit.check()
        waits, errors = self.patience.pauses(), self._driver_errors()
        while True:
            try:
                result = attempt()
            except errors as error:
                if not self._may_try_again(error, waits):
                    raise self._translated(error) from error
            else:
                self.patience.succeeded()
                return result

    def _may_try_again(self, error: DriverError, waits: Iterator[float]) -> bool:
        """Wait before the next attempt; False if there is no further attempt."""
        if isinstance(error, PoolTimeoutError):
            return False
        lost = is_lost(error)
        if self.is_limited and _is_interrupted(error):
            return False
        if not lost and not is_contention(error):
            return False
        if lost:
            self.patience.lost(masked(self.url), translate(error, self.url).what)
        wait = next(waits, None)
        if wait is None and lost:
            self.patience.give_up()
        return wait is not None and self.patience.sleep(wait)


def _data_version(connection: Connection) -> int:
    version: int = connection.exec_driver_sql("PRAGMA data_version").scalar_one()
    # The value never changes within a transaction.
    connection.rollback()
    return version


def connect(url: URL, *, read_only: bool = False, seconds: float | None = None) -> Database:
    """Create the engine for a URL without opening it. The database itself enforces ``read_only``.

    ``seconds``: longest time of a reader's transaction (SQLite) or statement (PostgreSQL).
    """
    if url.get_backend_name() == "sqlite":
        engine = sqlite_engine(sqlite_path(url), read_only=read_only, seconds=seconds)
        writer: Engine = engine.execution_options(corpus_writes=True)
    elif read_only:
        limit = () if seconds is None else (LIMITED.format(round(seconds * 1000)),)
        writer = engine = postgres_engine(url, READER, *limit, snapshots=True)
    else:
        lineage = Lineage(masked(url))
        engine = postgres_engine(url, lineage=lineage, snapshots=True)
        writer = postgres_engine(url, WRITER, lineage=lineage)
    hasty = writer.execution_options(corpus_hasty=True)
    patience = Patience(READER_SECONDS if read_only else configured_seconds())
    turn = threading.Lock() if url.get_backend_name() == "sqlite" else nullcontext()
    return Database(url, engine, writer, hasty, patience, turn, seconds is not None)


def sqlite_path(url: URL) -> Path:
    """Return the file of a SQLite URL. `ConfigError` for a database in memory, which would not outlive the run."""
    if not url.database or url.database == ":memory:" or url.database.startswith("file:"):
        raise ConfigError("a corpus needs a file", where=masked(url), do="Give the path of a file, such as corpus.db.")
    return Path(url.database)


def upsert(connection: Connection, table: sa.Table) -> Any:
    """Return the INSERT of the dialect, which supports ON CONFLICT."""
    # Imported here: a dialect takes a tenth of a second to import, and a corpus needs only one.
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)


def serialise(connection: Connection, key: int) -> None:
    """Wait for other processes in a transaction with the same ``key``. A SQLite writer is always alone."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))


def unhurried(connection: Connection) -> None:
    """Remove time limits from this transaction. Moving or changing a whole corpus may take hours."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(WITHOUT_LIMITS)


def gather_statistics(connection: Connection) -> None:
    """Let PostgreSQL count the rows of all tables, after many were added.

    Its autovacuum counts later, and never before a commit. Until then it plans for empty tables, and a join of two
    large tables becomes quadratic. SQLite plans without statistics.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("ANALYZE")


def chunks(values: Iterable[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """Cut ``values`` into lists of at most ``size``."""
    items = list(values)
    for start in range(0, len(items), size):
        yield items[start : start + size]


def among(connection: Connection, column: sa.Column[Any], values: Sequence[Any]) -> sa.ColumnElement[bool]:
    """Return the condition that a column has one of many values."""
    if connection.dialect.name == "sqlite":
        if len(values) <= _MOST_PARAMETERS:
            return column.in_(values)
        listed = sa.func.json_each(json.dumps(list(values))).table_valued("value")
        return column.in_(sa.select(listed.c.value))
    # One array: the driver takes longer to write a thousand parameters than the server to answer.
    return column == sa.any_(sa.bindparam(None, values, _array_of(column.type)))


def among_given(sqlite: bool, column: sa.Column[Any], name: str) -> sa.ColumnElement[bool]:
    """Return the condition that a column has one of a parameter's values, for cached statements."""
    if sqlite:
        return column.in_(sa.bindparam(name, expanding=True))
    return column == sa.any_(sa.bindparam(name, type_=_array_of(column.type)))


def _array_of(kind: sa.types.TypeEngine[Any]) -> sa.types.TypeEngine[Any]:
    """Return PostgreSQL's type of a flat array."""
    from sqlalchemy.dialects import postgresql

    return postgresql.ARRAY(kind, dimensions=1)


def insert_many(connection: Connection, insert: Any, rows: Sequence[dict[str, Any]]) -> None:
    """Run an INSERT (of `upsert`, with or without a conflict clause) for many rows. Ids are not returned."""
    if not rows:
        return
    if connection.dialect.name == "sqlite" or len(rows) == 1:
        connection.execute(insert, rows)
        return
    # Arrays only for columns that vary: for the others the driver writes one value.
    names, first = tuple(rows[0]), rows[0]
    varying = tuple(name for name in names if name == names[0] or any(row[name] != first[name] for row in rows))
    values = {_GIVEN + name: [row[name] for row in rows] if name in varying else first[name] for name in names}
    connection.execute(insert.from_select(names, _given_rows(insert.table, names, varying)), values)


@cache
def _given_rows(table: sa.Table, names: tuple[str, ...], varying: tuple[str, ...]) -> sa.Select[Any]:
    """Return the query for rows from parameters: arrays for the varying columns, one value for the others."""
    types = {name: table.c[name].type for name in names}
    arrays = {name: _array_of(types[name]) for name in varying}
    given = [sa.bindparam(_GIVEN + name, type_=kind) for name, kind in arrays.items()]
    values = sa.func.unnest(*given).table_valued(*arrays).render_derived()
    same = {name: sa.bindparam(_GIVEN + name, type_=kind) for name, kind in types.items() if name not in arrays}
    return sa.select(*(values.c[name] if name in arrays else same[name] for name in names))


def insert_numbers(connection: Connection, table: sa.Table, rows: Sequence[tuple[int, ...]]) -> None:
    """Insert rows of integers, in the order of the columns.

    SQLite gets many rows per statement. One at a time through SQLAlchemy takes nearly three times as long and releases
    the interpreter lock for each row.
    """
    if connection.dialect.name != "sqlite":
        insert_many(
            connection, upsert(connection, table), [dict(zip(table.c.keys(), row, strict=True)) for row in rows]
        )
        return
    one = str(sa.insert(table).compile(dialect=connection.dialect))
    place = one[one.rindex("(") :]
    for part in chunks(rows):
        connection.exec_driver_sql(", ".join((one, *repeat(place, len(part) - 1))), tuple(chain.from_iterable(part)))


def insert_rows(connection: Connection, table: sa.Table, rows: Sequence[dict[str, Any]]) -> list[int]:
    """Insert rows into a table with an ``id``; return the ids in the order of the rows."""
    if not rows:
        return []
    statement = sa.insert(table).returning(table.c.id, sort_by_parameter_order=True)
    return list(connection.execute(statement, rows).scalars())
