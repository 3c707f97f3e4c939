"""Columns for WARC files that a retention rule deletes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("warc_file", sa.Column("removed_at", sa.DateTime(timezone=True)))
    op.add_column("warc_file", sa.Column("removed_because", sa.Text()))
