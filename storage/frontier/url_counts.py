"""Count the URLs of the frontier. Apart from its other modules, which `status` does not need."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import url
from storage.frontier.leases import PENDING, SETTLED
from storage.records import UrlState

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.engine import Connection


def count_states(connection: Connection, sites: Collection[str] | None = None) -> dict[str, dict[UrlState, int]]:
    """Count URLs by site and state, from the two partial indexes."""
    table: dict[str, dict[UrlState, int]] = defaultdict(dict)
    for part in (PENDING, SETTLED):
        statement = sa.select(url.c.site, url.c.state, sa.func.count()).where(part).group_by(url.c.site, url.c.state)
        if sites is not None:
            statement = statement.where(url.c.site.in_(sites))
        for site, state, count in connection.execute(statement):
            table[site][UrlState(state)] = count
    return dict(table)
