"""Order of due URLs: retries come after the first tries of their host."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.drop_index("ix_url_due", "url")
    first_try = sa.text("(1 / (1 + attempts + failures)) DESC")
    order: list[str | sa.TextClause] = [
        "site",
        "host",
        first_try,
        sa.text("priority DESC"),
        sa.text("dated DESC"),
        "depth",
        "id",
        "next_try",
    ]
    pending = sa.text("state = 'pending'")
    op.create_index("ix_url_due", "url", order, sqlite_where=pending, postgresql_where=pending)
