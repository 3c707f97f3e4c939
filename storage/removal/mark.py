"""Mark of the removals: what is derived from texts compares it, to know whether a text was removed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import removal

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection


def removal_mark(connection: Connection) -> str:
    """Return a text that changes when a removal is declared and when it is finished."""
    counted = sa.select(sa.func.count(), sa.func.count(removal.c.finished)).select_from(removal)
    declared, finished = connection.execute(counted).one()
    return f"{declared} declared, {finished} finished"
