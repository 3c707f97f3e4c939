"""Take over better metadata for a stored text: from a later visit with the same text, or from its original read again.

The earlier values are kept in ``metadata_change``.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from storage.blocklist.author_keys import author_keys
from storage.database.schema import document, metadata_change
from storage.database.transactions import chunks
from storage.fields import columns
from storage.records import AUTHOR, AUTHOR_SOURCES, DATE, DOCUMENT, RULES, TITLE, TITLE_SOURCES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import AnyRow
    from storage.records import Metadata

MISSING, SURER, RESTATED, READ_AGAIN = "missing", "surer", "restated", "read_again"
REPLACED_BECAUSE = {
    MISSING: "there was none",
    SURER: "the new one is surer",
    RESTATED: "the page states another",
    READ_AGAIN: "the original was read again",
}
"""Why a value is replaced, in words."""
HEALED = "healed: "
"""Start of the detail of a visit that healed metadata; the names of the fields follow."""
AGE = "age"
COLUMNS = {group: tuple(each.column for each in columns(DOCUMENT, group)) for group in (TITLE, AUTHOR, DATE)}
"""Columns of each field."""


class Change(NamedTuple):
    """A field that is healed (``title``, ``author`` or ``date``), its earlier value, and the reason."""

    field: str
    old: str | None
    reason: str
    values: dict[str, Any]
    """New values by column."""


class EarlierValue(NamedTuple):
    """An earlier value of a document's metadata, for readers."""

    field: str
    old: str | None
    reason: str
    changed_at: datetime


def changes(stored: AnyRow, stated: Metadata) -> list[Change]:
    """Return what a later visit with the same text heals. Pure.

    The page's newest title and authors count, if their place on the page is trusted as much as the earlier one (see
    `TITLE_SOURCES` and `AUTHOR_SOURCES`). A date is replaced only by a surer one: an age is counted from the visit, so
    a later one is never better than a stored day.
    """
    found = []
    for field, places in ((TITLE, TITLE_SOURCES), (AUTHOR, AUTHOR_SOURCES)):
        values = _values(field, stated)
        old, new, source = getattr(stored, field), values[field], f"{field}_source"
        trusted = _trust(values[source], places) >= _trust(getattr(stored, source), places)
        if new and new != old and (trusted or not old):
            found.append(Change(field, old, RESTATED if old else MISSING, values))
    surer = stated.published_source != AGE and _sureness(stated) > _sureness(stored)
    if stated.published and stated.published != stored.published and (surer or not stored.published):
        found.append(Change(DATE, stored.published, SURER if stored.published else MISSING, _values(DATE, stated)))
    return found


def read_again(stored: AnyRow, stated: Metadata, healed: set[str]) -> list[Change]:
    """Return what the document's own original, read again, changes. Pure.

    ``healed``: fields that a later visit has healed. They need a better value, as in `changes`.
    """
    found = []
    for field in COLUMNS:
        values = _values(field, stated)
        name = "published" if field == DATE else field
        old, new = getattr(stored, name), values[name]
        if new != old and field not in healed:
            found.append(Change(field, old, READ_AGAIN, values))
    return found + [each for each in changes(stored, stated) if each.field in healed and each.field == DATE]


def known_sources(stored: AnyRow, stated: Metadata) -> dict[str, str | None]:
    """Return the places of a title and authors that are stated as they are stored, by column. Pure."""
    same = (field for field in (TITLE, AUTHOR) if getattr(stored, field) == getattr(stated, field))
    return {f"{field}_source": getattr(stated, f"{field}_source") for field in same}


def _trust(source: str | None, places: Sequence[str]) -> int:
    """Return the trust in a place on the page. One that is not known has least."""
    return places.index(source) if source in places else -1


def _sureness(stated: AnyRow | Metadata) -> tuple[bool, float]:
    """Return how sure a date is. One that a rule of the site selects is surest."""
    return stated.published_source == RULES, stated.published_confidence or 0


def _values(field: str, stated: Metadata) -> dict[str, Any]:
    """Return the stated values of a field by column, which has the name of the attribute."""
    return {name: getattr(stated, name) for name in COLUMNS[field]}


def record(connection: Connection, document_id: int, fetch_id: int, changed: Sequence[Change]) -> None:
    """Keep the earlier values of a document. ``fetch_id`` is the visit with the new ones."""
    now = datetime.now(UTC)
    for each in changed:
        of_field = metadata_change.c.document_id == document_id, metadata_change.c.field == each.field
        number = connection.execute(sa.select(sa.func.count()).select_from(metadata_change).where(*of_field))
        row = {"document_id": document_id, "field": each.field, "number": int(number.scalar_one()) + 1}
        row |= {"old": each.old, "reason": each.reason, "fetch_id": fetch_id, "changed_at": now}
        connection.execute(sa.insert(metadata_change).values(row))


def healed_by_later(connection: Connection, document_id: int, fetch_id: int) -> set[str]:
    """Return the fields of a document that visits after that of its text have healed."""
    later = metadata_change.c.document_id == document_id, metadata_change.c.fetch_id > fetch_id
    return set(connection.execute(sa.select(metadata_change.c.field).where(*later)).scalars())


def forget(connection: Connection, document_ids: Sequence[int]) -> None:
    """Delete the earlier values of documents: names of authors are personal data."""
    for part in chunks(document_ids):
        connection.execute(sa.delete(metadata_change).where(metadata_change.c.document_id.in_(part)))


def forget_author(connection: Connection, key: str) -> None:
    """Delete the earlier authors with this key (see ``author_keys``) from the history of all documents."""
    named = metadata_change.c.field == AUTHOR, metadata_change.c.old.is_not(None)
    earlier = connection.execute(sa.select(metadata_change.c.old).where(*named).distinct()).scalars()
    for part in chunks([old for old in earlier if key in author_keys(old)]):
        connection.execute(sa.delete(metadata_change).where(*named, metadata_change.c.old.in_(part)))


def history(connection: Connection, public_id: str) -> list[EarlierValue]:
    """Return the earlier values of a document, oldest first."""
    columns = (metadata_change.c.field, metadata_change.c.old, metadata_change.c.reason, metadata_change.c.changed_at)
    rows = sa.select(*columns).join(document, document.c.id == metadata_change.c.document_id)
    ordered = rows.where(document.c.public_id == public_id).order_by(
        metadata_change.c.changed_at, metadata_change.c.field, metadata_change.c.number
    )
    return [EarlierValue(*row) for row in connection.execute(ordered)]
