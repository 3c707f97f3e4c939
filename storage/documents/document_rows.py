"""Rows of documents, their texts and the outcomes of their fetches."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage.database.schema import fetch
from storage.documents.model import day_of
from storage.fields import columns
from storage.reasons import SHORTENED
from storage.records import DOCUMENT, DOCUMENT_TEXT, RIGHTS
from storage.reservations import is_reserved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from storage.documents.decider import Target
    from storage.fields import Fields
    from storage.records import Document


def document_row(target: Target, made: Document) -> dict[str, Any]:
    """Return the row of a document, without its keys."""
    return {
        **_made(made, columns(DOCUMENT)),
        "day": day_of(made.metadata.published, target.fetched_at),
        "processed_at": datetime.now(UTC),
        "reserved": is_reserved(made.metadata),
        "own_lines": made.own_lines or None,
    }


def rights_row(made: Document) -> dict[str, Any]:
    """Return the columns of the usage terms."""
    return _made(made, columns(DOCUMENT, RIGHTS)) | {"reserved": is_reserved(made.metadata)}


def text_row(made: Document) -> dict[str, Any]:
    """Return the row of a document's text, without its key."""
    return _made(made, columns(DOCUMENT_TEXT))


def _made(made: Document, fields: Fields) -> dict[str, Any]:
    """Return the values of a document by column."""
    return {field.column: field.made(made) for field in fields}


def document_outcome(target: Target, version: int | None, made: Document, *, shortened: bool) -> dict[str, Any]:
    """Return the outcome of a fetch that gave a document, for `set_outcomes`."""
    return {
        "of_fetch": target.fetch_id,
        "new_outcome": "document",
        "why": SHORTENED if shortened else None,
        "particulars": None,
        "tongue": made.language.language,
        "number": version,
    }


def set_outcomes(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Store the outcomes of fetches."""
    if not rows:
        return
    statement = (
        sa.update(fetch)
        .where(fetch.c.id == sa.bindparam("of_fetch"))
        .values(
            outcome=sa.bindparam("new_outcome"),
            reason=sa.bindparam("why"),
            detail=sa.bindparam("particulars"),
            language=sa.bindparam("tongue"),
            version=sa.bindparam("number"),
        )
    )
    connection.execute(statement, list(rows))
