"""Move dates that an earlier release read in UTC to the day at their newspaper.

The migration to schema 0019 marks them: their ``published_zone`` is ``pending``. Each group is one transaction, which
takes the mark away. So an interrupted renewal goes on where it stopped.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from storage.database.schema import document, url
from storage.documents.writer import take_turn
from storage.records import UNPLACED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import Database
    from storage.reporting import Progress

GROUP_SIZE = 500
"""Documents in one transaction."""


class PendingDate(NamedTuple):
    """A moment of publication in UTC, and what tells the zone of its newspaper."""

    id: int
    published: str
    site: str
    host: str
    language: str


class PlacedDate(NamedTuple):
    """A moment in the zone of its newspaper (ISO 8601 with an offset), and the origin of the zone."""

    published: str
    zone_source: str


def renew_days(database: Database, place: Callable[[PendingDate], PlacedDate], on_progress: Progress) -> int:
    """Move all pending dates, and return their number. ``place`` finds the newspaper's time of one."""
    done = 0
    while rows := database.read(_some_pending):
        placed = [(row, place(row)) for row in rows]
        database.write(partial(_replace_dates, placed=placed))
        done += len(rows)
        on_progress("dates moved to the day of their newspaper", done, None)
    return done


def _some_pending(connection: Connection) -> Sequence[PendingDate]:
    columns = (document.c.id, document.c.published, document.c.site, url.c.host, document.c.language)
    chosen = sa.select(*columns).join(url, url.c.id == document.c.url_id)
    pending = chosen.where(sa.literal_column("published_zone = 'pending'")).order_by(document.c.id).limit(GROUP_SIZE)
    return [PendingDate(*row) for row in connection.execute(pending)]


def _replace_dates(connection: Connection, placed: Sequence[tuple[PendingDate, PlacedDate]]) -> None:
    take_turn(connection)
    still = document.c.id == sa.bindparam("row"), document.c.published_zone == UNPLACED
    change = sa.update(document).where(*still)
    values: dict[str, sa.BindParameter[str]] = {
        name: sa.bindparam(f"new_{name}") for name in ("published", "published_zone", "day")
    }
    rows = [
        {
            "row": row.id,
            "new_published": new.published,
            "new_published_zone": new.zone_source,
            "new_day": new.published[:10],
        }
        for row, new in placed
    ]
    connection.execute(change.values(values), rows)
