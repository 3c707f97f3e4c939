"""Secure deletion in SQLite: clear removed data from the journal and from free space in the file.

The journal keeps removed data until it is emptied (SQLite documentation, Write-Ahead Logging). Pages of the file may
keep some too. SQLite overwrites deleted data, but not data that it moved within or between pages, nor data deleted
while secure_delete was off, as in some builds. Only a rewritten file is free of it.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from storage.database.transactions import sqlite_path
from storage.errors import DatabaseError, DiskError
from storage.reporting import unseen

if TYPE_CHECKING:
    from pathlib import Path

    from storage.database.transactions import Database
    from storage.reporting import Progress

WAIT_SECONDS = 10.0
"""Seconds. Maximum wait for other programs that read the database."""
ROOM = 2.1
"""Free space needed to rewrite a database, relative to its size: a second file, and the journal."""


def room(database: Database) -> int:
    """Return the free bytes that a rewriting of the database needs; 0 for PostgreSQL."""
    return int(ROOM * sqlite_path(database.url).stat().st_size) if database.is_sqlite else 0


def forget(database: Database, *, rewrite: bool, on_progress: Progress = unseen) -> None:
    """Clear the journal of a SQLite database. ``rewrite``: also rewrite the file, to clear its free space.

    Raises DatabaseError while another program reads the journal, DiskError without room.
    """
    path = sqlite_path(database.url)
    with database.explained(), closing(sqlite3.connect(path, WAIT_SECONDS, isolation_level=None)) as connection:
        _empty_journal(connection, path)
        if rewrite:
            on_progress("rewriting the database file", 0, None)
            needed, free = room(database), shutil.disk_usage(path.parent).free
            if free < needed:
                what = f"there is no room to rewrite the database without removed texts: {free} bytes are free"
                do = f"Free {needed} bytes, then run `corpus-spider remove` to finish."
                raise DiskError(what, where=str(path), do=do)
            # The default folder of temporary files (TMPDIR) may have less room.
            folder = str(path.parent.resolve()).replace("'", "''")
            connection.execute(f"PRAGMA temp_store_directory = '{folder}'")
            try:
                connection.execute("VACUUM")
            finally:
                connection.execute("PRAGMA temp_store_directory = ''")
            _empty_journal(connection, path)


def _empty_journal(connection: sqlite3.Connection, path: Path) -> None:
    (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        what = "another program, perhaps an export, still reads removed texts from the journal"
        raise DatabaseError(what, where=str(path), do="When it has ended, run `corpus-spider remove` to finish.")
