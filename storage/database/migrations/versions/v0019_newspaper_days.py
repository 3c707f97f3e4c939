"""Mark of dates in UTC, which the first command that writes moves to the day at their newspaper."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.execute(
        "UPDATE document SET published_zone = 'pending'"
        " WHERE published LIKE '%Z' AND (published_zone IS NULL OR published_zone = 'stated')"
    )
    pending = sa.text("published_zone = 'pending'")
    op.create_index("ix_document_pending_day", "document", ["id"], sqlite_where=pending, postgresql_where=pending)
