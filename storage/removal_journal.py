"""SQLite's journal, which holds what was removed until it is emptied (SQLite documentation, Write-Ahead Logging)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from storage.database import sqlite_path
from storage.errors import DatabaseError

if TYPE_CHECKING:
    from storage.database import Database

WAIT_SECONDS = 10.0
"""How long others are waited for who read the database."""


def empty_journal(database: Database) -> None:
    """Have a SQLite database keep nothing in its journal. Raises DatabaseError while another program reads from it."""
    path = sqlite_path(database.url)
    with database.explained(), closing(sqlite3.connect(path, timeout=WAIT_SECONDS)) as connection:
        (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        what = "another program, an export perhaps, reads what the journal still holds of what was removed"
        raise DatabaseError(
            what, where=str(path), do="When it has ended, `corpus-spider remove` finishes what is left."
        )
