"""Update the stored statements of a document (metadata, rights) from pages read again and from later visits.

`healing` decides which values change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.database.schema import document, document_text, fetch
from storage.documents import duplicates, healing
from storage.documents.document_rows import rights_row, text_row
from storage.documents.known_pages import targets_of, withheld
from storage.documents.model import day_of
from storage.documents.withdrawal import remove_pages
from storage.reasons import REMOVED, UNCHANGED_TEXT
from storage.records import Drop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow
    from storage.documents.decider import Target, Version
    from storage.records import Document, Lease, Metadata, Processed

STATED = sa.select(
    *(document.c[name] for name in ("id", "fingerprint_id", "extractor", "rules")),
    *(document.c[name] for names in healing.COLUMNS.values() for name in names),
    fetch.c.fetched_at,
).join(fetch, fetch.c.id == document.c.fetch_id)
"""Stored metadata of documents."""
RULED_FIELDS = ("text", "kinds", "captions", "comments")
"""Parts of a text that rules decide."""


@dataclass(frozen=True, slots=True)
class KnownText:
    """A stored text: its expected F1, and the `RULED_FIELDS`."""

    confidence: float | None
    parts: tuple[Any, ...]

    def is_same(self, made: Document) -> bool:
        """Return whether the document that was made again has the same text."""
        return all(
            (old or None) == (getattr(made, name) or None) for name, old in zip(RULED_FIELDS, self.parts, strict=True)
        )


def reread(connection: Connection, group: Sequence[tuple[int, Lease, Processed]]) -> dict[int, tuple[str, ...]]:
    """Update the metadata of documents from pages processed again, and of those that later visits repeated.

    Return the names of the changed fields by fetch id.
    """
    items = {fetch_id: (lease, processed) for fetch_id, lease, processed in group}
    targets = targets_of(connection, items, again=True)
    items = withheld(connection, targets, items)
    fields = {}
    for target in targets:
        processed = items[target.fetch_id][1]
        if processed.drop and processed.drop.reason == REMOVED:
            remove_pages(connection, [target.url_id])
        elif processed.document and (target.document_id or target.reason == UNCHANGED_TEXT):
            fields[target.fetch_id] = _reread(connection, target, processed.document)
    return {fetch_id: names for fetch_id, names in fields.items() if names}


def _reread(connection: Connection, target: Target, made: Document) -> tuple[str, ...]:
    stated = made.metadata
    of_url = document.c.url_id == target.url_id, document.c.fetch_id <= target.fetch_id
    stored = connection.execute(STATED.where(*of_url).order_by(document.c.fetch_id.desc()).limit(1)).first()
    if stored is None:
        return ()
    later = healing.healed_by_later(connection, stored.id, target.fetch_id)
    is_own = stored.id == target.document_id
    changed = healing.read_again(stored, stated, later) if is_own else healing.changes(stored, stated)
    known = healing.known_sources(stored, stated) | _rules_row(connection, stored, made) if is_own else {}
    heal(connection, stored, target.fetch_id, changed, known)
    return tuple(each.field for each in changed)


def _rules_row(connection: Connection, stored: AnyRow, made: Document) -> dict[str, Any]:
    """Return the record of the rules, if today's rules make the stored text too.

    A text that other rules made keeps its record, so that `status` counts it until it is made again.
    """
    if made.rules == stored.rules or made.extractor != stored.extractor:
        return {}
    new = text_row(made)
    columns = (document_text.c[name] for name in RULED_FIELDS)
    before = connection.execute(sa.select(*columns).where(document_text.c.document_id == stored.id)).one()
    is_same = all((getattr(before, name) or None) == (new[name] or None) for name in RULED_FIELDS)
    return {"rules": made.rules} if is_same else {}


def known_texts(connection: Connection, fetch_ids: Sequence[int]) -> dict[int, KnownText]:
    """Return the texts of the documents that these fetches gave, by fetch, some hundred at most."""
    columns = [document_text.c[name] for name in RULED_FIELDS]
    rows = (
        sa.select(document.c.fetch_id, document.c.confidence, *columns)
        .join(document_text, document_text.c.document_id == document.c.id)
        .where(document.c.fetch_id.in_(fetch_ids))
    )
    return {row.fetch_id: KnownText(row.confidence, tuple(row[2:])) for row in connection.execute(rows)}


def heal(
    connection: Connection, stored: AnyRow, fetch_id: int, changed: Sequence[healing.Change], known: dict[str, Any]
) -> None:
    """Store better metadata of a document and columns that are known now, and keep the earlier values."""
    healing.record(connection, stored.id, fetch_id, changed)
    row = known | {name: value for each in changed for name, value in each.values.items()}
    if "published" in row:
        row["day"] = day_of(row["published"], stored.fetched_at)
    if row:
        connection.execute(sa.update(document).where(document.c.id == stored.id).values(row))
    if "published" in row:
        # The earliest document may represent its set.
        duplicates.refresh(connection, {stored.fingerprint_id})


def read_again_row(connection: Connection, target: Target, stated: Metadata) -> dict[str, Any]:
    """Record what an original read again changes in the metadata, and return the columns that keep or get a value."""
    document_id = target.document_id or 0
    stored = connection.execute(STATED.where(document.c.id == document_id)).one()
    later = healing.healed_by_later(connection, document_id, target.fetch_id)
    changed = healing.read_again(stored, stated, later)
    healing.record(connection, document_id, target.fetch_id, changed)
    kept = {name: getattr(stored, name) for field in later for name in healing.COLUMNS[field]}
    row = kept | {name: value for each in changed for name, value in each.values.items()}
    return row | ({"day": day_of(row["published"], stored.fetched_at)} if "published" in row else {})


def renew_statements(connection: Connection, repeated: Sequence[tuple[Target, Version, Document]]) -> dict[int, Drop]:
    """Update rights and metadata of documents whose pages repeat the same text (see ``healing``).

    Return the drops of the visits that healed something, by fetch id. Their detail names the fields.
    """
    drops = {}
    for target, version, made in repeated:
        of_text = document.c.url_id == target.url_id, document.c.version == version.number
        stored = connection.execute(STATED.where(*of_text)).one()
        changed = healing.changes(stored, made.metadata)
        connection.execute(sa.update(document).where(*of_text).values(rights_row(made)))
        heal(connection, stored, target.fetch_id, changed, {})
        if changed:
            detail = healing.HEALED + ", ".join(each.field for each in changed)
            drops[target.fetch_id] = Drop(UNCHANGED_TEXT, detail, made.language.language)
    return drops


def renew_fuller(connection: Connection, seen: Sequence[tuple[Target, Version, Document]]) -> None:
    """Update the rights of the current version of pages that were seen shortened. It is exported by today's terms."""
    for target, version, made in seen:
        if version.shortened:
            current = document.c.url_id == target.url_id, document.c.superseded.is_(False)
            connection.execute(sa.update(document).where(*current).values(rights_row(made)))
