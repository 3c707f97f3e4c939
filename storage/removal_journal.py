"""What SQLite keeps of what was removed, and how it is made to forget.

Its journal holds it until that is emptied (SQLite documentation, Write-Ahead Logging). And its pages may: what is
deleted is overwritten, but not what was moved within a page or to another before, when other texts grew or went, nor
what went while nothing was overwritten, as SQLite is built on some systems. Only a file written anew is without.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from storage.database import sqlite_path
from storage.errors import DatabaseError, DiskError

if TYPE_CHECKING:
    from pathlib import Path

    from storage.database import Database

WAIT_SECONDS = 10.0
"""How long others are waited for who read the database."""
ROOM = 2.1
"""So many times its size does a database need to be written anew: a file beside it, and the journal."""


def forget(database: Database, *, anew: bool) -> None:
    """Have a SQLite database keep nothing in its journal, and with ``anew`` nothing between its rows.

    Raises DatabaseError while another program reads from the journal, DiskError where there is no room.
    """
    path = sqlite_path(database.url)
    with database.explained(), closing(sqlite3.connect(path, WAIT_SECONDS, isolation_level=None)) as connection:
        _empty_journal(connection, path)
        if anew:
            _require_room(path)
            _write_anew(connection, path.parent)
            _empty_journal(connection, path)


def _empty_journal(connection: sqlite3.Connection, path: Path) -> None:
    (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        what = "another program, an export perhaps, reads what the journal still holds of what was removed"
        raise DatabaseError(
            what, where=str(path), do="When it has ended, `corpus-spider remove` finishes what is left."
        )


def _write_anew(connection: sqlite3.Connection, folder: Path) -> None:
    """Make the file anew in its folder: a temporary one lies where there may be less room otherwise (``TMPDIR``)."""
    place = str(folder.resolve()).replace("'", "''")
    connection.execute(f"PRAGMA temp_store_directory = '{place}'")
    try:
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA temp_store_directory = ''")


def _require_room(path: Path) -> None:
    needed, free = int(ROOM * path.stat().st_size), shutil.disk_usage(path.parent).free
    if free < needed:
        what = f"there is no room to write the database anew, without traces of what was removed: {free} bytes are free"
        do = f"Free {needed} bytes; then `corpus-spider remove` finishes what is left."
        raise DiskError(what, where=str(path), do=do)
