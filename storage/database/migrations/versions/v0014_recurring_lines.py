"""Table of the lines that recur in the texts of a site."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "recurring_line",
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("digest", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("texts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("site", "digest", name="pk_recurring_line"),
        sqlite_with_rowid=False,
    )
