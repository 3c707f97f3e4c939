"""Column for the rules of the site that a text was made with, and an index of the documents that have some."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column("document", sa.Column("rules", sa.Text()))
    ruled = sa.text("rules IS NOT NULL")
    op.create_index("ix_document_rules", "document", ["site", "fetch_id"], sqlite_where=ruled, postgresql_where=ruled)
