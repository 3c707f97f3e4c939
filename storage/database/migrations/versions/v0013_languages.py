"""Columns for the language of each line, and the share of the text in another language."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("document", sa.Column("foreign_share", sa.Double()))
    op.add_column("document_text", sa.Column("languages", sa.Text()))
