"""Compute the fingerprints of stored texts again after their scheme has changed.

Only fingerprints of one scheme can be compared. Until all are of one scheme, an unchanged page would get a new version,
and duplicates would not find each other. Each group is one transaction, and the scheme of a row says whether it is
done. So an interrupted renewal goes on where it stopped.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.database.schema import document, document_text, fingerprint, scheme
from storage.documents import duplicates
from storage.documents.writer import take_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow, Database
    from storage.records import Fingerprint
    from storage.reporting import Progress

GROUP = 200
"""Fingerprints renewed in one transaction."""


def outdated(connection: Connection, current: str) -> int:
    """Count the fingerprints of other schemes than the current one. Fast if there is none."""
    if not connection.execute(sa.select(scheme.c.id).where(scheme.c.name != current)).first():
        return 0
    counted = sa.select(sa.func.count()).select_from(_OTHERS).where(scheme.c.name != current)
    number: int = connection.execute(counted).scalar_one()
    return number


def renew(
    database: Database, current: str, prints: Callable[[Sequence[str]], Sequence[Fingerprint]], on_progress: Progress
) -> int:
    """Replace all fingerprints of other schemes than the current one. Return their number.

    ``prints`` computes fingerprints of texts, in the same order. The texts are read before the transaction, which does
    not wait for the computation.
    """
    total, done = database.read(lambda connection: outdated(connection, current)), 0
    while total and (rows := database.read(lambda connection: _some(connection, current))):
        made = dict(zip((row.id for row in rows), prints([row.text for row in rows]), strict=True))
        database.write(partial(_replace, made=made, current=current))
        done += len(rows)
        on_progress("fingerprints computed", done, max(done, total))
    database.write(partial(_forget_schemes, current=current))
    return done


_OTHERS = fingerprint.join(scheme, scheme.c.id == fingerprint.c.scheme_id)


def _some(connection: Connection, current: str) -> Sequence[AnyRow]:
    """Return some outdated fingerprints, those of a duplicate set together, each with one of its texts."""
    text = (
        sa.select(document_text.c.text)
        .join(document, document.c.id == document_text.c.document_id)
        .where(document.c.fingerprint_id == fingerprint.c.id)
        .order_by(document.c.id)
        .limit(1)
        .scalar_subquery()
    )
    chosen = sa.select(fingerprint.c.id, sa.func.coalesce(text, "").label("text")).select_from(_OTHERS)
    ordered = chosen.where(scheme.c.name != current).order_by(fingerprint.c.set_id, fingerprint.c.id)
    return connection.execute(ordered.limit(GROUP)).all()


def _forget_schemes(connection: Connection, current: str) -> None:
    used = sa.exists().where(fingerprint.c.scheme_id == scheme.c.id)
    others = connection.execute(sa.select(scheme.c.id).where(scheme.c.name != current)).scalars().all()
    if others:
        connection.execute(sa.delete(scheme).where(scheme.c.id.in_(others), ~used))


def _replace(connection: Connection, made: dict[int, Fingerprint], current: str) -> None:
    """Move the documents of outdated fingerprints to new ones, except what another process has moved meanwhile."""
    take_turn(connection)
    still = sa.select(fingerprint.c.id).select_from(_OTHERS)
    still = still.where(scheme.c.name != current, fingerprint.c.id.in_(made))
    old = sorted(connection.execute(still).scalars())
    new = duplicates.register(connection, [made[each] for each in old])
    move = sa.update(document).where(document.c.fingerprint_id == sa.bindparam("old"))
    rows = [{"old": before, "new": after} for before, after in zip(old, new, strict=True)]
    if rows:
        connection.execute(move.values(fingerprint_id=sa.bindparam("new")), rows)
        duplicates.refresh(connection, {*old, *new})
