"""Add imported pages (other people's captures) to the frontier, and lease the new ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.blocklist.tombstones import refused
from storage.database.schema import fetch, url
from storage.database.transactions import among, chunks, insert_many, upsert
from storage.frontier.leases import LEASE_COLUMNS, lease_of
from storage.frontier.new_links import base_row, insert_hosts, is_key
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from storage.records import Lease

DEPTH = 1
"""Depth of imported pages in their site: below the start pages."""


@dataclass(frozen=True, slots=True)
class CapturedPage:
    """A captured page of a site; ``url`` is its canonical form."""

    url: str
    fetch_url: str
    site: str
    host: str
    at: datetime


def take_in(connection: Connection, seen: Sequence[CapturedPage], sites: Collection[str]) -> dict[str, Lease]:
    """Add captured pages to the frontier; return the leases of pages to record, by URL.

    Left out:

    - pages that were removed on request,
    - sources, and pages of other sites,
    - captures no newer than the last one of their page, so that the newest version stays the newest.
    """
    wanted = {each.url: each for each in seen if is_key(each.url)}
    away = refused(connection, wanted)
    known = {"kind": Kind.PAGE, "seed": False, "priority": 0, "depth": DEPTH, "hops": 0}
    rows = [
        base_row(each.url, each.fetch_url, each.site, each.host) | known | {"found_at": each.at}
        for key, each in wanted.items()
        if key not in away
    ]
    insert_many(connection, upsert(connection, url).on_conflict_do_nothing(index_elements=["url"]), rows)
    insert_hosts(connection, rows)
    leases: dict[str, Lease] = {}
    for part in chunks(sorted(wanted.keys() - away)):
        for row in connection.execute(_known.where(among(connection, url.c.url, part), url.c.site.in_(sites))):
            if row.last is None or row.last < wanted[row.url].at:
                leases[row.url] = lease_of(row)
    return leases


_last = sa.select(fetch.c.fetched_at).where(fetch.c.url_id == url.c.id).order_by(fetch.c.fetched_at.desc()).limit(1)
_known = sa.select(*LEASE_COLUMNS, _last.correlate(url).scalar_subquery().label("last")).where(
    url.c.kind == sa.literal_column("'page'"), url.c.seed.is_(False), url.c.period == 0
)
