"""Index that finds sources without a scan of the articles that will be recrawled."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    sources = sa.text("(seed OR kind <> 'page' OR period > 0)")
    op.create_index("ix_url_source", "url", ["site"], sqlite_where=sources, postgresql_where=sources)
