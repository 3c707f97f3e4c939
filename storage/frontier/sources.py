"""State of the sources of a site: last visit, last news, current failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import fetch, url
from storage.database.transactions import among, chunks
from storage.records import Kind, UrlState

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source in the frontier with its last outcome. Times are epoch seconds, 0 for never."""

    url: str
    kind: Kind
    state: UrlState
    reason: str
    """Reason of the last failure; empty if the last visit brought a page."""
    read_at: float
    news_at: float
    """Last time it named an unknown URL."""
    due: float
    """Due time: an interval after the last visit, or the time it was found."""
    failures: int
    """Failed visits in a row. Visits without a network connection do not count."""
    outcome: str = ""
    detail: str = ""
    site: str = ""
    """Site it is crawled for: the first that named it."""


_answer, _whole = fetch.alias("answer"), fetch.alias("whole")
_last = sa.select(sa.func.max(fetch.c.id)).where(fetch.c.url_id == url.c.id).correlate(url).scalar_subquery()


def read_sources(connection: Connection, urls: Collection[str]) -> dict[str, SourceState]:
    """Return the state of each known URL."""
    # A revisit has the reason of the response that it repeats.
    last = (sa.func.coalesce(_whole.c[name], _answer.c[name]).label(f"last_{name}") for name in _LAST)
    statement = (
        sa.select(url, *last)
        .select_from(url)
        .outerjoin(_answer, _answer.c.id == _last)
        .outerjoin(_whole, _whole.c.id == _answer.c.original_id)
    )
    return {
        row.url: _state(row)
        for part in chunks(sorted(set(urls)))
        for row in connection.execute(statement.where(among(connection, url.c.url, part)))
    }


_LAST = ("outcome", "reason", "detail")


def _state(row: AnyRow) -> SourceState:
    dropped = row.state == UrlState.DONE and row.last_outcome == "drop"
    return SourceState(
        url=row.url,
        kind=Kind(row.kind),
        state=UrlState(row.state),
        reason=row.reason or (row.last_reason if dropped else "") or "",
        read_at=row.read_at,
        news_at=row.news_at,
        due=row.read_at + row.period if row.read_at else row.found_at.timestamp(),
        failures=row.failures,
        outcome=row.last_outcome or "",
        detail=row.last_detail or "",
        site=row.site,
    )
