"""Table of each run's counters per site."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_COUNTS = (
    *("found", "fetched", "unchanged", "articles", "versions", "refused", "robots", "http_errors", "failed"),
    *("no_text", "short", "undated", "language", "duplicates", "awaiting", "bytes"),
)


def upgrade() -> None:
    op.create_table(
        "run_site",
        sa.Column("run_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("after_fetch", _BIG, nullable=False),
        sa.Column("after_url", _BIG, nullable=False),
        sa.Column("pending_count", sa.Boolean(), nullable=False),
        *(sa.Column(name, _BIG, nullable=False, server_default="0") for name in _COUNTS),
        sa.Column("seconds", sa.Double(), nullable=False, server_default="0"),
        sa.Column("reasons", sa.Text()),
        sa.PrimaryKeyConstraint("run_id", "site", name="pk_run_site"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_site_run_id"),
    )
    op.create_index("ix_run_site_site", "run_site", ["site", "run_id"])
    op.create_table(
        "run_failure",
        sa.Column("run_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("site", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "site", "reason", name="pk_run_failure"),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name="fk_run_failure_run_id"),
    )
