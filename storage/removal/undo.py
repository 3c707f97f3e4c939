"""Lift a removal: its pages may be fetched again. Its texts were deleted and return only by a new crawl.

The removal and the ids of its documents stay on record. A second row of the kind ``undo`` records when and why it was
lifted.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.blocklist.tombstones import AUTHOR, DOMAIN, PAGE, REMOVED, loose_key, page_key, refused
from storage.database.schema import removal, tombstone, url
from storage.database.transactions import chunks
from storage.errors import ConfigError
from storage.frontier.leases import SETTLED
from storage.frontier.new_links import CLEAN_SLATE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow

MAX_LISTED_IDS = 20
"""Ids in an error message, the newest."""
UNDO = "undo"
"""Kind of the row that records a lifted removal. Its value is the id of that removal."""


@dataclass(frozen=True, slots=True)
class LiftReport:
    """Result of lifting a removal: what it was, its tombstones, and the URLs that the next crawl fetches."""

    id: int
    kind: str
    value: str
    asked: datetime
    tombstones: int
    pages: int


def lift(connection: Connection, removal_id: int, reason: str) -> LiftReport:
    """Delete the tombstones of a removal and queue its pages. Other removals keep what they block.

    Raises ConfigError for an unknown, unfinished or lifted removal.
    """
    known = {row.id: row for row in connection.execute(sa.select(removal).order_by(removal.c.id))}
    lifted = {int(row.value): row.asked for row in known.values() if row.kind == UNDO}
    there = _require_standing(removal_id, known, lifted)
    blocked = _removed_urls(connection)
    away = refused(connection, blocked.values())
    others = [row for row in known.values() if row.kind != UNDO and row.id not in {removal_id, *lifted}]
    for other in others:
        _hand_over(connection, removal_id, other)
    stones = connection.execute(sa.delete(tombstone).where(tombstone.c.removal_id == removal_id)).rowcount
    still = refused(connection, blocked.values())
    # A page that was dropped for its author later has no tombstone of its own.
    by_author = there.kind == AUTHOR and not connection.execute(_ANY_AUTHOR).first()
    free = [number for number, address in blocked.items() if address not in still and (address in away or by_author)]
    for part in chunks(free):
        connection.execute(sa.update(url).where(url.c.id.in_(part)).values(CLEAN_SLATE | {"hops": 0}))
    now = datetime.now(UTC)
    row = {"token": uuid.uuid4().hex, "kind": UNDO, "value": str(removal_id), "reason": reason, "asked": now}
    connection.execute(sa.insert(removal).values(row | {"finished": now, "pages": len(free), "documents": 0}))
    return LiftReport(removal_id, there.kind, there.value, there.asked, stones, len(free))


_ANY_AUTHOR = sa.select(tombstone.c.value).where(tombstone.c.kind == AUTHOR).limit(1)


def _require_standing(removal_id: int, known: Mapping[int, AnyRow], lifted: Mapping[int, datetime]) -> AnyRow:
    where, there = f"--undo {removal_id}", known.get(removal_id)
    if there is None or there.kind == UNDO:
        numbers = [str(row.id) for row in known.values() if row.kind != UNDO and row.id not in lifted]
        do = (
            f"Removals that can be lifted: {', '.join(numbers[-MAX_LISTED_IDS:])}."
            if numbers
            else "There is no removal."
        )
        raise ConfigError("no removal has this id", where=where, do=do)
    if removal_id in lifted:
        what = f"this removal was lifted on {lifted[removal_id].date().isoformat()}"
        raise ConfigError(what, where=where, do="Nothing is left to do. The next crawl may fetch its pages again.")
    if there.finished is None:
        do = "Run `corpus-spider remove` first. It finishes the removal."
        what = "this removal was deferred" if there.deferred else "this removal was interrupted"
        raise ConfigError(what, where=where, do=do)
    return there


def _removed_urls(connection: Connection) -> dict[int, str]:
    rows = connection.execute(sa.select(url.c.id, url.c.url).where(SETTLED, url.c.reason == REMOVED))
    return {row.id: row.url for row in rows}


def _hand_over(connection: Connection, removal_id: int, other: AnyRow) -> None:
    """Give the tombstones that another removal needs too to that removal. They were stored once, with the first."""
    if other.kind == DOMAIN or other.kind == AUTHOR:
        needed = tombstone.c.kind == other.kind, tombstone.c.value == other.value
    else:
        keys = {page_key(other.value), loose_key(other.value)}
        needed = tombstone.c.kind == PAGE, tombstone.c.value.in_(keys)
    own = sa.update(tombstone).where(tombstone.c.removal_id == removal_id, *needed)
    connection.execute(own.values(removal_id=other.id))
