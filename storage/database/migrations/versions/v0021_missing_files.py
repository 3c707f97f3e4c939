"""Column for the time since when a WARC file is missing."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("warc_file", sa.Column("missing_since", sa.DateTime(timezone=True)))
