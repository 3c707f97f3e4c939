"""Tables of removals on request, and of the texts and addresses that must not return."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "removal",
        sa.Column("id", BIG, nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("asked", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished", sa.DateTime(timezone=True)),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_removal"),
        sa.UniqueConstraint("token", name="uq_removal_token"),
    )
    op.create_table(
        "tombstone",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("removal_id", BIG, nullable=False),
        sa.PrimaryKeyConstraint("kind", "value", name="pk_tombstone"),
        sa.ForeignKeyConstraint(["removal_id"], ["removal.id"], name="fk_tombstone_removal_id"),
    )
    op.create_table(
        "removed_document",
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("removal_id", BIG, nullable=False),
        sa.PrimaryKeyConstraint("public_id", name="pk_removed_document"),
        sa.ForeignKeyConstraint(["removal_id"], ["removal.id"], name="fk_removed_document_removal_id"),
    )
    op.create_index("ix_removed_document_removal_id", "removed_document", ["removal_id"])
