"""The tables of what was removed on request; they belong to the schema of `storage.schema`."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, Table

from storage.columns import Moment, Words
from storage.schema import Big, metadata

removal = Table(
    "removal",
    metadata,
    Column("id", Big, primary_key=True),
    Column("token", Words, nullable=False, unique=True),
    Column("kind", Words, nullable=False),
    Column("value", Words, nullable=False),
    Column("reason", Words, nullable=False),
    Column("asked", Moment, nullable=False),
    Column("finished", Moment),
    Column("pages", Integer, nullable=False),
    Column("documents", Integer, nullable=False),
)
"""What was taken out on request; ``value`` is what was named, of an author a hash."""

tombstone = Table(
    "tombstone",
    metadata,
    Column("kind", Words, primary_key=True),
    Column("value", Words, primary_key=True),
    Column("removal_id", Big, ForeignKey(removal.c.id), nullable=False),
)
"""What must not come back: pages, domains with all below them, hashed names of authors; see storage.tombstones."""

removed_document = Table(
    "removed_document",
    metadata,
    Column("public_id", Words, primary_key=True),
    Column("removal_id", Big, ForeignKey(removal.c.id), nullable=False, index=True),
)
