"""Make a corpus many times as large, by copies of its rows that the database makes."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import (
    band,
    document,
    document_text,
    duplicate_set,
    fetch,
    fingerprint,
    metadata,
    near_duplicate,
    original,
    run,
    run_site,
    url,
    warc_file,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy.engine import Connection
    from sqlalchemy.sql.elements import ColumnElement

    from storage.corpus import Corpus

NUMBERED = (run, warc_file, url, fetch, duplicate_set, fingerprint, document)
"""Tables with ids of their own. The ids of a copy follow those of the copy before."""
COPIED = (url, fetch, original, duplicate_set, fingerprint, band, near_duplicate, document, document_text, run_site)
REFERENCES = {
    fetch.c.original_id: fetch,
    original.c.fetch_id: fetch,
    duplicate_set.c.representative_id: document,
    band.c.fingerprint_id: fingerprint,
    run_site.c.after_fetch: fetch,
    run_site.c.after_url: url,
}
"""Ids of rows in columns without a foreign key."""
BAND_KEY_BITS = 44
"""More than a band's key has: the copies share no band."""
MARK = "№ {:04} "
"""First characters of a copy's texts."""


def multiply(corpus: Corpus, folder: Path, copies: int) -> None:
    """Make a corpus ``copies`` times as large. It has one run.

    A copy has its own pages, documents, fingerprints, WARC files and run, one a day up to today. Its texts begin with
    its number. Its WARC files are hard links: the rows of the copy point to the pages of the first corpus.
    """
    with corpus.database.writer.begin() as connection:
        if connection.dialect.name == "postgresql":
            # The rows of a copy refer to one another; the checks of each reference would take half of the time.
            connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
        widths = {table: connection.execute(sa.select(sa.func.max(table.c.id))).scalar() or 0 for table in NUMBERED}
        for number in range(1, copies):
            _copy_files(connection, folder, number, widths)
        _spread_runs(connection, copies)
    for number in range(1, copies):
        with corpus.database.writer.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
            for table in COPIED:
                connection.execute(_copied(table, number, widths))
    with corpus.database.writer.begin() as connection:
        _continue_numbering(connection)
    corpus.gather_statistics()


def _copy_files(connection: Connection, folder: Path, number: int, widths: dict[sa.Table, int]) -> None:
    """Copy the rows of runs and WARC files, and link the files."""
    for row in connection.execute(sa.select(run).where(run.c.id <= widths[run])).mappings().all():
        changed = {"id": row["id"] + number * widths[run], "token": f"{row['token']}-{number}"}
        connection.execute(sa.insert(run).values({**row, **changed}))
    for row in connection.execute(sa.select(warc_file).where(warc_file.c.id <= widths[warc_file])).mappings().all():
        name = f"copy{number:04}-{row['name']}"
        os.link(folder / row["name"], folder / name)
        changed = {
            "id": row["id"] + number * widths[warc_file],
            "name": name,
            "run_id": row["run_id"] + number * widths[run],
        }
        connection.execute(sa.insert(warc_file).values({**row, **changed}))


def _spread_runs(connection: Connection, copies: int) -> None:
    """Start one run a day, the last one an hour ago."""
    last = datetime.now(UTC) - timedelta(hours=1)
    for place, (each,) in enumerate(connection.execute(sa.select(run.c.id).order_by(run.c.id)).all()):
        started = last - timedelta(days=copies - 1 - place)
        times = {"started": started, "finished": started + timedelta(minutes=50)}
        connection.execute(sa.update(run).where(run.c.id == each).values(times))


def _copied(table: sa.Table, number: int, widths: dict[sa.Table, int]) -> sa.Insert:
    """Return the statement that inserts a copy of a table's first rows."""
    columns = [_value(column, number, widths) for column in table.columns]
    return sa.insert(table).from_select(
        [column.name for column in table.columns], sa.select(*columns).where(_is_first(table, widths))
    )


def _is_first(table: sa.Table, widths: dict[sa.Table, int]) -> ColumnElement[bool]:
    """Return the condition of the rows that the first corpus had."""
    for column in table.primary_key.columns:
        if (of := _numbered_by(column)) is not None:
            return column <= widths[of]
    raise AssertionError(table.name)


def _numbered_by(column: sa.Column[object]) -> sa.Table | None:
    """Return the table whose ids a column holds."""
    if column.name == "id":
        return column.table if column.table in NUMBERED else None
    targets = [key.column.table for key in column.foreign_keys if key.column.table in NUMBERED]
    return targets[0] if targets else REFERENCES.get(column)


def _value(column: sa.Column[object], number: int, widths: dict[sa.Table, int]) -> ColumnElement[object]:
    """Return the value of a column in a copy."""
    if (of := _numbered_by(column)) is not None:
        return column + number * widths[of]
    return CHANGED[column](number).label(column.name) if column in CHANGED else column


def _in_folder(column: sa.Column[object]) -> Callable[[int], ColumnElement[object]]:
    """Return the change of an address: the page is in a folder of the copy."""
    return lambda number: sa.func.replace(column, "/news/", f"/news/{number:04}/")


CHANGED: dict[sa.Column[object], Callable[[int], ColumnElement[object]]] = {
    **{column: _in_folder(column) for column in (url.c.url, url.c.fetch_url, fetch.c.uri, document.c.canonical)},
    document.c.public_id: lambda number: sa.func.substr(document.c.public_id, 1, 24) + f"{number:08x}",
    document_text.c.text: lambda number: MARK.format(number) + sa.func.substr(document_text.c.text, 8),
    fingerprint.c.exact: lambda number: sa.cast(
        fingerprint.c.exact.op("||")(sa.literal(number.to_bytes(4), sa.LargeBinary)), sa.LargeBinary
    ),
    band.c.key: lambda number: band.c.key + (number << BAND_KEY_BITS),
}


def _continue_numbering(connection: Connection) -> None:
    """Let PostgreSQL number new rows after the copied ones."""
    if connection.dialect.name == "postgresql":
        for table in set(metadata.sorted_tables) & set(NUMBERED):
            highest = sa.select(sa.func.max(table.c.id)).scalar_subquery()
            connection.execute(sa.select(sa.func.setval(sa.func.pg_get_serial_sequence(table.name, "id"), highest)))
