"""Copy a whole corpus into another database, SQLite or PostgreSQL, row by row, and verify the copy."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.database.engines import sqlite_location
from storage.database.schema import metadata
from storage.database.sqlite_copy import copy_pages
from storage.database.transactions import gather_statistics, is_contention, masked, sqlite_path, translate, unhurried
from storage.disk import disk_errors
from storage.errors import ConfigError, DamageError
from storage.reporting import unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from storage.database.transactions import Database
    from storage.reporting import Progress

BATCH = 500
_OF_THE_WRITER = tuple(f"SQLITE_{name}" for name in ("FULL", "IOERR_WRITE", "IOERR_FSYNC", "IOERR_DIR_FSYNC"))


@dataclass(slots=True)
class TransferredRows:
    """Rows by table, and digests of the copied rows."""

    rows: dict[str, int] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.rows.values())


def transfer(
    source: Database,
    target: Database,
    on_progress: Progress = unseen,
    before_commit: Callable[[], None] = lambda: None,
) -> TransferredRows:
    """Copy every row of a corpus into an empty one, in one transaction, from a snapshot of the source.

    The copy is read back and compared. On an error the target stays empty. A target that has the same rows, because
    the program was killed after the commit, is compared and left as it is. Raises ConfigError if the target has other
    rows, DamageError if the copy differs, and every error of ``before_commit``. ``on_progress`` gets the step, the
    number of finished rows and, if known, that of all rows.
    """
    sent = TransferredRows()
    with source.snapshot() as reading, target.explained(), target.writer.begin() as writing:
        unhurried(writing)
        _be_alone(writing, target)
        if any(_counts(writing).values()):
            return _compared(reading, writing, target.url, on_progress)
        if writing.dialect.name == "sqlite":
            # Check references at the end. For PostgreSQL, `_copy` adds forward references at the end.
            writing.exec_driver_sql("PRAGMA defer_foreign_keys=ON")
        for table in metadata.sorted_tables:
            _copy(
                _explained(source, _noted(reading, table, sent)),
                writing,
                table,
                lambda: on_progress("rows copied", sent.total, None),
            )
        _continue_numbering(writing)
        gather_statistics(writing)
        arrived = _read(writing, sent.total, on_progress)
        if arrived != sent:
            wrong = [name for name in sent.digests if sent.digests[name] != arrived.digests[name]]
            raise DamageError(
                f"the copy differs from the source: {', '.join(wrong)}", where=masked(target.url), do="Try again."
            )
        before_commit()
    return sent


def _counts(connection: Connection) -> dict[str, int]:
    """Return the number of rows by table."""
    count = sa.select(sa.func.count())
    return {table.name: connection.execute(count.select_from(table)).scalar_one() for table in metadata.sorted_tables}


def _read(connection: Connection, total: int, on_progress: Progress) -> TransferredRows:
    found = TransferredRows()
    for table in metadata.sorted_tables:
        for number, _ in enumerate(_noted(connection, table, found), 1):
            if number % BATCH == 0:
                on_progress("rows compared", found.total, total)
    return found


def _compared(reading: Connection, writing: Connection, where: sa.URL, on_progress: Progress) -> TransferredRows:
    """Return the rows of a target that equals the source. Raises ConfigError if it does not."""
    before, there = _counts(reading), _counts(writing)
    differing = [name for name in before if before[name] != there[name]]
    if not differing:
        total = sum(before.values())
        sent, arrived = _read(reading, total, on_progress), _read(writing, total, on_progress)
        differing = [name for name in sent.digests if sent.digests[name] != arrived.digests[name]]
        if not differing:
            return sent
    what = f"there is a corpus already, and it differs from this one (table {differing[0]})"
    raise ConfigError(what, where=masked(where), do="Name an empty database.")


def copy_file(source: Database, path: Path, on_progress: Progress) -> None:
    """Copy a snapshot of a SQLite corpus into a new file, while others may write.

    ``on_progress`` gets the finished and all pages. The error of a failed write names the copy, others the source.
    """
    location = sqlite_location(sqlite_path(source.url), read_only=True)
    with disk_errors(path):
        path.touch(0o600, exist_ok=False)
        with (
            source.explained(),
            closing(sqlite3.connect(location, uri=True)) as reading,
            closing(sqlite3.connect(path)) as writing,
        ):
            try:
                copy_pages(reading, writing, on_progress)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname.startswith(_OF_THE_WRITER):
                    raise translate(error, sa.URL.create("sqlite", database=str(path))) from error
                raise


def _be_alone(connection: Connection, target: Database) -> None:
    """Lock the tables of an empty corpus before filling it. A SQLite writer is alone anyway.

    Raises ConfigError if another program is writing, perhaps another copy. Later writers wait and see the copied rows.
    """
    if connection.dialect.name == "sqlite":
        return
    names = ", ".join(connection.dialect.identifier_preparer.format_table(table) for table in metadata.sorted_tables)
    try:
        # Long enough for autovacuum to release a table.
        connection.exec_driver_sql("SET LOCAL lock_timeout = '3s'")
        connection.exec_driver_sql(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE")
    except sa.exc.OperationalError as error:
        if not is_contention(error):
            raise
        what = "another program is writing to this database"
        raise ConfigError(
            what, where=masked(target.url), do="Name an empty database that no other program uses."
        ) from error


def _copy(
    rows: Iterator[dict[str, Any]], writing: Connection, table: sa.Table, on_progress: Callable[[], None]
) -> None:
    ahead: list[dict[str, Any]] = []
    ordered = _without_references_ahead(rows, table, ahead)
    while batch := list(islice(ordered, BATCH)):
        writing.execute(sa.insert(table), batch)
        on_progress()
    for row in ahead:
        writing.execute(sa.update(table).where(table.c.id == row.pop("id")).values(row))


def _without_references_ahead(
    rows: Iterator[dict[str, Any]], table: sa.Table, ahead: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield rows without references to later rows of the same table; collect those in ``ahead`` with their ids.

    A missing page refers to the page that named it again, which may be newer.
    """
    own = [key.parent.name for key in table.foreign_keys if key.column.table is table]
    for row in rows:
        later = {name: row[name] for name in own if row[name] is not None and row[name] > row["id"]}
        if later:
            ahead.append({"id": row["id"]} | later)
        yield row | dict.fromkeys(later)


def _explained(source: Database, rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield rows. Read errors name the source, not the target."""
    with source.explained():
        yield from rows


def _noted(connection: Connection, table: sa.Table, notes: TransferredRows) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table by key; add their number and digest to ``notes``."""
    digest = hashlib.sha256()
    notes.rows[table.name] = 0
    statement = sa.select(table).order_by(*table.primary_key.columns)
    names = [column.name for column in table.columns]
    by_key: list[bytes] = []
    numbered = all(isinstance(column.type, sa.Integer) for column in table.primary_key.columns)
    for row in connection.execute(statement.execution_options(yield_per=BATCH)):
        values = [bytes(value) if isinstance(value, memoryview) else value for value in row]
        content = hashlib.sha256(repr(values).encode("utf-8", "surrogatepass")).digest()
        # The databases sort texts differently.
        digest.update(content) if numbered else by_key.append(content)
        notes.rows[table.name] += 1
        yield dict(zip(names, values, strict=True))
    for content in sorted(by_key):
        digest.update(content)
    notes.digests[table.name] = digest.hexdigest()


def _continue_numbering(connection: Connection) -> None:
    """Let PostgreSQL number new rows after the copied ones."""
    if connection.dialect.name != "postgresql":
        return
    for table in metadata.sorted_tables:
        column = table.autoincrement_column
        if column is None:
            continue
        highest = sa.select(sa.func.max(column)).scalar_subquery()
        sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
        has = sa.select(sequence).where(highest.is_not(None))
        if connection.execute(has).scalar():
            connection.execute(sa.select(sa.func.setval(sequence, highest)))
