"""Days that pass between crawls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import fetch, host, run, url

if TYPE_CHECKING:
    from pathlib import Path

DAY = 86_400


def age(database: Path) -> None:
    """Move everything a SQLite corpus knows of time back by a day."""
    engine = sa.create_engine(f"sqlite:///{database}")
    seconds = ("due_again", "read_at", "news_at", "next_try", "dated")
    with engine.begin() as connection:
        for column in (url.c[name] for name in seconds):
            connection.execute(sa.update(url).where(column > 0).values({column: column - DAY}))
        paused = {"paused_until": host.c.paused_until - DAY}
        connection.execute(sa.update(host).where(host.c.paused_until > 0).values(paused))
        for column in (url.c.found_at, fetch.c.fetched_at, run.c.started, run.c.finished):
            earlier = sa.func.strftime("%Y-%m-%d %H:%M:%f", column, "-1 day")
            connection.execute(sa.update(column.table).values({column: sa.cast(earlier, sa.Text)}))
    engine.dispose()
