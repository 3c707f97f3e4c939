"""Recrawl schedule of each URL, and validators for conditional requests."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    for name in ("dated", "period", "read_at", "news_at"):
        op.add_column("url", sa.Column(name, sa.Double(), nullable=False, server_default="0"))
    for name in ("unchanged", "failures", "reads"):
        op.add_column("url", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    op.add_column("url", sa.Column("due_again", sa.Double()))
    op.add_column("host", sa.Column("paused_until", sa.Double(), nullable=False, server_default="0"))
    _index_urls()
    _create_originals()
    # What was read at every run so far is due at the next one; its habits are learned from then on.
    op.execute(
        "UPDATE url SET due_again = 0 WHERE state IN ('done', 'failed') AND (seed OR kind IN ('feed', 'sitemap'))"
    )


def _index_urls() -> None:
    op.drop_index("ix_url_due", "url")
    op.create_index(
        "ix_url_due",
        "url",
        ["site", "host", sa.text("priority DESC"), sa.text("dated DESC"), "depth", "id", "next_try"],
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_index(
        "ix_url_due_again",
        "url",
        ["site", "due_again"],
        sqlite_where=sa.text("due_again IS NOT NULL"),
        postgresql_where=sa.text("due_again IS NOT NULL"),
    )


def _create_originals() -> None:
    # In words: of all that both databases understand, SQLite takes a foreign key with the column alone.
    kind = "INTEGER" if op.get_bind().dialect.name == "sqlite" else "BIGINT"
    reference = "CONSTRAINT fk_http_fetch_original_id REFERENCES http_fetch (id)"
    op.execute(f"ALTER TABLE http_fetch ADD COLUMN original_id {kind} {reference}")
    op.create_table(
        "original",
        sa.Column("url_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("fetch_id", _BIG, nullable=False),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.Column("modified", sa.Text(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("url_id", name="pk_original"),
        sa.ForeignKeyConstraint(["url_id"], ["url.id"], name="fk_original_url_id"),
        sa.ForeignKeyConstraint(["fetch_id"], ["http_fetch.id"], name="fk_original_fetch_id"),
    )
