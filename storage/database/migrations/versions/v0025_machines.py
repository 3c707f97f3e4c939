"""Record which machine has a WARC file, and which machines have not yet carried out the removals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.add_column("warc_file", sa.Column("machine", sa.Text()))
    op.create_table(
        "machine_removal",
        sa.Column("machine", sa.Text(), nullable=False),
        sa.Column("asked", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("machine", name="pk_machine_removal"),
    )
