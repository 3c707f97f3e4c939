"""Columns for authors, zones, numbers of fingerprints, recovered records, removals; table of metadata changes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("document", sa.Column("authors", sa.Text()))
    op.add_column("document", sa.Column("published_zone", sa.Text()))
    op.add_column("fingerprint", sa.Column("numbers", sa.LargeBinary()))
    op.add_column("http_fetch", sa.Column("recovered", sa.Boolean(), nullable=False, server_default=sa.false()))
    recovered = sa.text("recovered")
    op.create_index("ix_http_fetch_recovered", "http_fetch", ["id"], sqlite_where=recovered, postgresql_where=recovered)
    op.add_column("removal", sa.Column("deferred", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "metadata_change",
        sa.Column("document_id", _BIG, nullable=False, autoincrement=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("old", sa.Text()),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("fetch_id", _BIG),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("document_id", "field", "number", name="pk_metadata_change"),
        sa.ForeignKeyConstraint(["document_id"], ["document.id"], name="fk_metadata_change_document_id_document"),
    )
