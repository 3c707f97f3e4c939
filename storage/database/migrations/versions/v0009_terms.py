"""Terms of use that sites state: robots.txt as fetched, reservations, licences."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "robots",
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("crawl_delay", sa.Double()),
        sa.PrimaryKeyConstraint("origin", name="pk_robots"),
    )
    op.create_table(
        "terms",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("robots", sa.Text(), nullable=False),
        sa.Column("robots_sha256", sa.Text(), nullable=False),
        sa.Column("tdm", sa.Integer()),
        sa.Column("tdm_policy", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_terms"),
        sa.UniqueConstraint("key", name="uq_terms_key"),
    )
    # SQLite adds a column with a reference in one statement only.
    kind = "INTEGER" if op.get_bind().dialect.name == "sqlite" else "BIGINT"
    reference = "CONSTRAINT fk_http_fetch_terms_id REFERENCES terms (id)"
    op.execute(f"ALTER TABLE http_fetch ADD COLUMN terms_id {kind} {reference}")
    op.add_column("document", sa.Column("tdm", sa.Integer()))
    for name in ("tdm_policy", "tdm_source", "licence_url"):
        op.add_column("document", sa.Column(name, sa.Text()))
    op.add_column("document", sa.Column("reserved", sa.Boolean(), nullable=False, server_default=sa.false()))
    document = sa.table("document", sa.column("directives", sa.Text()), sa.column("reserved", sa.Boolean()))
    said = " " + document.c.directives + " "
    reserving = sa.or_(*(said.contains(f" {word} ") for word in ("noai", "noarchive")))
    op.execute(sa.update(document).where(reserving).values(reserved=True))
    for name, condition in (("reserved", "reserved"), ("licensed", "licence_url IS NOT NULL")):
        where = sa.text(condition)
        op.create_index(f"ix_document_{name}", "document", ["id"], sqlite_where=where, postgresql_where=where)
