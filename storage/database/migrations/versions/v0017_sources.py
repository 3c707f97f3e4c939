"""Columns for the places on the page of title and authors; index by the time when texts were extracted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("document", sa.Column("title_source", sa.Text()))
    op.add_column("document", sa.Column("author_source", sa.Text()))
    op.create_index("ix_document_processed_at", "document", ["processed_at"])
