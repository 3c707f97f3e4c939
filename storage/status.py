"""Compute the `Status` of a corpus: counts of documents, URLs, drops and failures."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import document, duplicate_set, fetch, run, url
from storage.documents.model import CountRow, Status
from storage.frontier.leases import SETTLED, count_states
from storage.records import UrlState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow


def read_status(connection: Connection) -> Status:
    """Count documents, pending URLs, and drops by reason."""
    by_site: Counter[str] = Counter()
    by_language: Counter[str] = Counter()
    chars: Counter[tuple[str, str]] = Counter()
    superseded = 0
    for row in connection.execute(_DOCUMENT_COUNTS):
        if row.superseded:
            superseded += row.documents
            continue
        by_site[row.site] += row.documents
        by_language[row.language] += row.documents
        chars["site", row.site] += row.chars
        chars["language", row.language] += row.chars
    sets = connection.execute(sa.select(sa.func.count()).where(duplicate_set.c.size > 0)).scalar_one()
    outcomes = connection.execute(_OUTCOME_COUNTS).all()
    states: Counter[UrlState] = Counter()
    pending = {}
    for name, counts in count_states(connection).items():
        states.update(counts)
        if number := counts.get(UrlState.PENDING):
            pending[name] = number
    return Status(
        documents=by_site.total(),
        duplicates=by_site.total() - sets,
        fetches=sum(row.number for row in outcomes),
        superseded=superseded,
        by_language=tuple(CountRow(key, count, chars["language", key]) for key, count in by_language.most_common()),
        by_site=tuple(CountRow(key, count, chars["site", key]) for key, count in by_site.most_common()),
        by_state=tuple(CountRow(state.value, states[state]) for state in UrlState if states[state]),
        dropped=_reasons([row for row in outcomes if row.outcome == "drop"]),
        failed=_reasons(connection.execute(_FAILED_COUNTS).all()),
        last_run=_last_run(connection),
        reserved=connection.execute(_RESERVED_COUNT).scalar_one(),
        pending=pending,
        licensed=connection.execute(_LICENSED_COUNT).scalar_one(),
        recovered=connection.execute(_RECOVERED_COUNT).scalar_one(),
    )


# Columns of one index, which answers alone. Looking up each document takes ten times as long.
_GROUPS = (document.c.site, document.c.language, document.c.superseded)
_DOCUMENT_COUNTS = sa.select(
    *_GROUPS,
    sa.func.count().label("documents"),
    sa.cast(sa.func.sum(document.c.chars), sa.BigInteger).label("chars"),
).group_by(*_GROUPS)
# Written like the partial indexes, so that the database uses them.
_RESERVED_COUNT = (
    sa.select(sa.func.count())
    .select_from(document)
    .where(sa.text("document.reserved"), document.c.superseded.is_(False))
)
_LICENSED_COUNT = (
    sa.select(sa.func.count())
    .select_from(document)
    .where(document.c.licence_url.is_not(None), document.c.superseded.is_(False))
)
_RECOVERED_COUNT = sa.select(sa.func.count()).select_from(fetch).where(sa.text("http_fetch.recovered"))
_OUTCOME_COUNTS = sa.select(fetch.c.outcome, fetch.c.reason, sa.func.count().label("number")).group_by(
    fetch.c.outcome, fetch.c.reason
)
_FAILED_COUNTS = (
    sa.select(url.c.reason, sa.func.count().label("number"))
    .where(SETTLED, url.c.state == UrlState.FAILED)
    .group_by(url.c.reason)
)


def _reasons(rows: Sequence[AnyRow]) -> tuple[CountRow, ...]:
    ordered = sorted(rows, key=lambda row: (-row.number, row.reason or ""))
    return tuple(CountRow(row.reason or "unknown", row.number) for row in ordered)


def _last_run(connection: Connection) -> dict[str, str]:
    row = connection.execute(sa.select(run).order_by(run.c.id.desc()).limit(1)).first()
    if row is None:
        return {}
    known = {
        "id": row.id,
        "started": row.started.isoformat(),
        "finished": row.finished.isoformat() if row.finished else None,
        "exit_code": row.exit_code,
        "summary": row.summary,
        "pid": row.pid,
        "host": row.host,
    }
    return {name: str(value) for name, value in known.items() if value is not None}
