"""Remove documents: their texts and fingerprints go, the documents behind them become current again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage.blocklist.tombstones import mark_removed
from storage.database.schema import document, document_text
from storage.database.transactions import chunks
from storage.documents import duplicates, healing
from storage.documents.document_rows import set_outcomes
from storage.documents.known_pages import targets_of
from storage.documents.succession import HAS_SUCCESSOR
from storage.reasons import REMOVED
from storage.records import Drop

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.documents.decider import Target


def withdraw(connection: Connection, fetch_ids: Sequence[int]) -> None:
    """Remove the documents of these fetches with their texts and fingerprints. The outcome becomes a drop."""
    targets = targets_of(connection, fetch_ids, again=True)
    store_drops(connection, [(target, Drop(REMOVED)) for target in targets])


def remove_pages(connection: Connection, url_ids: Collection[int]) -> None:
    """Mark pages as removed, with their earlier texts: a later visit may name an author whose texts were removed."""
    mark_removed(connection, url_ids)
    for part in chunks(sorted(url_ids)):
        left = connection.execute(sa.select(document.c.fetch_id).where(document.c.url_id.in_(part))).scalars().all()
        withdraw(connection, left)


def store_drops(connection: Connection, dropped: Sequence[tuple[Target, Drop]]) -> None:
    """Store drops as the outcomes of fetches, and remove the documents of these fetches."""
    gone = [target.document_id for target, _ in dropped if target.document_id is not None]
    if gone:
        before = prints_of(connection, gone)
        healing.forget(connection, gone)
        for part in chunks(gone):
            connection.execute(sa.delete(document_text).where(document_text.c.document_id.in_(part)))
            connection.execute(sa.delete(document).where(document.c.id.in_(part)))
        duplicates.refresh(connection, before)
        lost = {target.url_id: target.url for target, _ in dropped if target.document_id is not None}
        _reinstate(connection, lost)
    rows = [
        {
            "of_fetch": target.fetch_id,
            "new_outcome": "drop",
            "why": drop.reason,
            "particulars": drop.detail,
            "tongue": drop.language,
            "number": target.version,
        }
        for target, drop in dropped
    ]
    set_outcomes(connection, rows)


def _reinstate(connection: Connection, urls: Mapping[int, str]) -> None:
    """Mark documents as current again after the documents that superseded them were removed."""
    for part in chunks(sorted(urls)):
        behind = sa.or_(document.c.url_id.in_(part), document.c.canonical.in_([urls[url_id] for url_id in part]))
        statement = sa.update(document).where(behind, document.c.superseded, ~HAS_SUCCESSOR).values(superseded=False)
        changed = connection.execute(statement.returning(document.c.fingerprint_id)).scalars().all()
        duplicates.refresh(connection, changed)


def prints_of(connection: Connection, document_ids: Sequence[int]) -> set[int]:
    """Return the ids of the fingerprints of documents."""
    prints: set[int] = set()
    for part in chunks(document_ids):
        prints.update(connection.execute(sa.select(document.c.fingerprint_id).where(document.c.id.in_(part))).scalars())
    return prints
