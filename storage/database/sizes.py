"""Size of a corpus of any earlier schema, for the plan of a migration. Read-only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.transactions import connect, parse_url, sqlite_path

if TYPE_CHECKING:
    import os

    from sqlalchemy.engine import Connection


@dataclass(frozen=True, slots=True)
class Counts:
    """Documents, fingerprints of another scheme than the current one, bytes of a SQLite file (0 elsewhere)."""

    documents: int
    fingerprints: int
    bytes: int


def older_counts(where: str | os.PathLike[str], scheme: str) -> Counts:
    """Count the rows that a migration concerns."""
    url = parse_url(where)
    database = connect(url, read_only=True)

    def read(connection: Connection) -> tuple[int, int]:
        documents = connection.execute(sa.text("SELECT count(*) FROM document")).scalar_one()
        others = sa.text(
            "SELECT count(*) FROM fingerprint"
            " JOIN scheme ON scheme.id = fingerprint.scheme_id WHERE scheme.name <> :name"
        )
        return int(documents), int(connection.execute(others, {"name": scheme}).scalar_one())

    try:
        documents, fingerprints = database.read(read)
    finally:
        database.close()
    size = sqlite_path(url).stat().st_size if url.get_backend_name() == "sqlite" else 0
    return Counts(documents, fingerprints, size)
