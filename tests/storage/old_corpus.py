"""Make a corpus of an earlier schema from one of today."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from storage.database.migrations import migrate
from storage.database.transactions import connect, parse_url


def make_old(version: str, source: Path, url: str) -> None:
    """Make a corpus of an old schema with the rows of today's, as far as it has tables and columns for them."""
    if url.startswith("sqlite"):
        Path(url.removeprefix("sqlite:///")).touch()
    old, tables = connect(parse_url(url)), sa.MetaData()
    old.write(lambda connection: migrate(connection, version))
    with sa.create_engine(f"sqlite:///{source}").connect() as reading, old.engine.begin() as writing:
        tables.reflect(writing)
        for table in tables.sorted_tables:
            rows = [row._asdict() for row in reading.execute(sa.select(table))]
            if rows and table.name != "alembic_version":
                writing.execute(table.insert(), rows)
    old.close()
