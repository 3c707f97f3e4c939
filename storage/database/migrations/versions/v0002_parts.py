"""Columns for the parts of an extraction besides its text: confidence, kinds of lines, captions, comments."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("document", sa.Column("confidence", sa.Double()))
    for name in ("kinds", "captions", "comments"):
        op.add_column("document_text", sa.Column(name, sa.Text()))
