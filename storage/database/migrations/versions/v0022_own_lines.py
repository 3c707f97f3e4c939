"""Columns for the publisher's own lines: those of a site model, and those that were left out of a text."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("site_model", sa.Column("own_lines", sa.LargeBinary()))
    op.add_column("document", sa.Column("own_lines", sa.LargeBinary()))
