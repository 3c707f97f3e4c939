"""Indexes for foreign keys, fewer foreign keys, and a column for the link rules that a site's queue follows."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

_DROPPED = {
    "band": "fk_band_fingerprint_id",
    "http_fetch": "fk_http_fetch_original_id",
    "original": "fk_original_fetch_id",
}


def upgrade() -> None:
    for table, name in _DROPPED.items():
        _drop_foreign_key(table, name)
    op.create_index("ix_url_found_from", "url", ["found_from"])
    op.create_index("ix_tombstone_removal_id", "tombstone", ["removal_id"])
    for name, table, columns, condition in (
        ("ix_url_removed", "url", ["id"], "reason = 'removed'"),
        ("ix_run_site_uncounted", "run_site", ["site", "run_id"], "pending_count"),
    ):
        where = sa.text(condition)
        op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)
    op.add_column("site", sa.Column("link_rules", sa.Text()))
    # The first crawl compares the queues of all sites that had a run.
    op.execute("UPDATE site SET link_rules = '' WHERE name IN (SELECT site FROM run_site)")
    op.execute(
        "INSERT INTO site (name, link_rules) SELECT DISTINCT site, '' FROM run_site"
        " WHERE site NOT IN (SELECT name FROM site)"
    )


def _drop_foreign_key(table: str, name: str) -> None:
    """Drop a foreign key. SQLite's way for changes that leave the rows as they are (lang_altertable, section 7)."""
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        op.drop_constraint(name, table, type_="foreignkey")
        return
    reference = r"REFERENCES\s+\w+\s*\(\w+\)"
    key = rf",\s*CONSTRAINT {name} FOREIGN KEY\s*\(\w+\)\s*{reference}|\s+CONSTRAINT {name} {reference}"
    tables = sa.table("sqlite_master", *map(sa.column, ("type", "name", "sql")))
    ours = tables.c.type == "table", tables.c.name == table
    made = connection.execute(sa.select(tables.c.sql).where(*ours)).scalar_one()
    version = connection.exec_driver_sql("PRAGMA schema_version").scalar_one()
    connection.exec_driver_sql("PRAGMA writable_schema=ON")
    connection.execute(sa.update(tables).where(*ours).values(sql=re.sub(key, "", made)))
    connection.exec_driver_sql(f"PRAGMA schema_version={version + 1}")
    connection.exec_driver_sql("PRAGMA writable_schema=OFF")
