"""Mark of superseded documents (earlier versions of a page), and index of canonical URLs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("document", sa.Column("superseded", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index("ix_document_canonical", "document", ["canonical"])
    op.execute(
        "UPDATE document SET superseded = TRUE WHERE EXISTS (SELECT 1 FROM document later"
        " WHERE later.url_id = document.url_id AND later.version > document.version)"
    )
    # Superseded documents do not count in the sets of duplicates they are in, nor represent them.
    op.execute(
        "UPDATE duplicate_set SET"
        " size = (SELECT count(*) FROM document d JOIN fingerprint f ON f.id = d.fingerprint_id"
        "  WHERE f.set_id = duplicate_set.id AND NOT d.superseded),"
        " representative_id = (SELECT d.id FROM document d JOIN fingerprint f ON f.id = d.fingerprint_id"
        "  JOIN url u ON u.id = d.url_id WHERE f.set_id = duplicate_set.id"
        "  ORDER BY d.superseded, d.chars DESC, u.url, d.version LIMIT 1)"
        " WHERE id IN (SELECT f.set_id FROM document d JOIN fingerprint f ON f.id = d.fingerprint_id"
        "  WHERE d.superseded)"
    )
