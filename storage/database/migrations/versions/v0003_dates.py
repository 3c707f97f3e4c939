"""Columns for the publication date as it was written, its source and its confidence."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    for name in ("published_calendar", "published_source"):
        op.add_column("document", sa.Column(name, sa.Text()))
    op.add_column("document", sa.Column("published_confidence", sa.Double()))
