"""Index for the counts of documents by site and language, with superseded documents apart."""

from __future__ import annotations

from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.drop_index("ix_document_site_language_chars", "document")
    op.create_index("ix_document_counts", "document", ["site", "language", "superseded", "chars"])
