"""Size of a corpus of any earlier schema, for the plan of a migration. Read-only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.transactions import connect, parse_url, sqlite_path
from storage.records import UNPLACED

if TYPE_CHECKING:
    import os

    from sqlalchemy.engine import Connection

_WITH_MARKED_DATES = "0019"
"""Schema from which dates that are not yet placed have a mark."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Documents, fingerprints of another scheme than the current one, dates in UTC to place, bytes of a SQLite file.

    The bytes are 0 elsewhere.
    """

    documents: int
    fingerprints: int
    dates: int
    bytes: int


def older_counts(where: str | os.PathLike[str], version: str, scheme: str) -> Counts:
    """Count the rows that a migration from schema ``version`` concerns."""
    is_marked = version >= _WITH_MARKED_DATES
    in_utc = sa.column("published_zone") == UNPLACED if is_marked else sa.column("published").like("%Z")
    counted = sa.select(sa.func.count()).select_from(sa.table("document")).where(in_utc)
    url = parse_url(where)
    database = connect(url, read_only=True)

    def read(connection: Connection) -> tuple[int, int, int]:
        documents = connection.execute(sa.text("SELECT count(*) FROM document")).scalar_one()
        others = sa.text(
            "SELECT count(*) FROM fingerprint"
            " JOIN scheme ON scheme.id = fingerprint.scheme_id WHERE scheme.name <> :name"
        )
        dates = connection.execute(counted).scalar_one()
        return int(documents), int(connection.execute(others, {"name": scheme}).scalar_one()), int(dates)

    try:
        documents, fingerprints, dates = database.read(read)
    finally:
        database.close()
    size = sqlite_path(url).stat().st_size if url.get_backend_name() == "sqlite" else 0
    return Counts(documents, fingerprints, dates, size)
