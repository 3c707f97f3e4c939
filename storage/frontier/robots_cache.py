"""Cache of robots.txt: the last readable one of each origin, valid for a day if the next is unreachable (RFC 9309,
2.4).
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import robots
from storage.database.transactions import upsert

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection

RULES, MISSING = "rules", "missing"


@dataclass(frozen=True, slots=True)
class RobotsCopy:
    """A response to a robots.txt request. ``verdict``: `RULES` (a file) or `MISSING` (no file, all allowed)."""

    origin: str
    """Scheme, host and port, as in a URL."""
    fetched_at: datetime
    status: int
    verdict: str
    sha256: str = ""
    """SHA-256 of the decoded body; empty if there is no file."""
    body: bytes = b""
    """The part of the body that is read."""
    crawl_delay: float | None = None
    """Requested seconds between two requests."""


def keep(connection: Connection, copy: RobotsCopy) -> None:
    """Store the newest response of an origin."""
    row = {
        "origin": copy.origin,
        "fetched_at": copy.fetched_at,
        "status": copy.status,
        "verdict": copy.verdict,
        "sha256": copy.sha256,
        "body": zlib.compress(copy.body, 6),
        "crawl_delay": copy.crawl_delay,
    }
    insert = upsert(connection, robots)
    values = {name: insert.excluded[name] for name in row if name != "origin"}
    connection.execute(insert.on_conflict_do_update(index_elements=["origin"], set_=values), [row])


def find(connection: Connection, origin: str) -> RobotsCopy | None:
    """Return the newest response of an origin; None if there has been none."""
    row = connection.execute(sa.select(robots).where(robots.c.origin == origin)).first()
    if row is None:
        return None
    values = {name: getattr(row, name) for name in ("origin", "fetched_at", "status", "verdict", "sha256")}
    return RobotsCopy(**values, body=zlib.decompress(row.body), crawl_delay=row.crawl_delay)
