"""Copy a SQLite database page by page and report the progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

    from storage.reporting import Progress

PAGES = 2048
"""Pages copied between two reports: 16 MiB."""


def copy_pages(source: sqlite3.Connection, target: sqlite3.Connection, on_progress: Progress) -> None:
    """Copy one snapshot of a database into another. Other programs may write to the source meanwhile.

    ``on_progress`` gets the number of copied pages and of all pages.
    """

    def show(_: int, left: int, total: int) -> None:
        on_progress("database pages copied", total - left, total)

    # Without a transaction, SQLite begins again whenever another program writes between two parts.
    source.execute("BEGIN")
    try:
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        source.backup(target, pages=PAGES, progress=show)
    finally:
        source.rollback()
