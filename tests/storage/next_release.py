"""A made-up next release of the program: this one with one more migration."""

from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING

from storage.database import opening
from storage.database.migrations import migrate
from storage.database.schema import SCHEMA_VERSION
from tests.corpus_spider.running import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

NEXT = f"{int(SCHEMA_VERSION) + 1:04}"
PURPOSE = "Column for the genre of a document, and its index."
MIGRATION = f'''"""{PURPOSE}"""

import sqlalchemy as sa
from alembic import op

from storage.failpoints import reach

revision = "{NEXT}"
down_revision = "{SCHEMA_VERSION}"


def upgrade() -> None:
    op.add_column("document", sa.Column("genre", sa.Text()))
    op.execute("UPDATE document SET genre = 'news'")
    reach("in_migration")
    op.create_index("ix_document_genre", "document", ["genre"])
'''
IN_THE_MIDDLE, BEFORE_THE_COMMIT = "in_migration:1", "in_migration:2"


def next_release(folder: Path, fault: str = "") -> Path:
    """Return a folder with the packages of the next release, for PYTHONPATH. ``fault``: last line of its migration."""
    root = folder / "next"
    shutil.copytree(ROOT / "storage", root / "storage", ignore=shutil.ignore_patterns("__pycache__"))
    for package in ("corpus_spider", "pipelines"):
        (root / package).symlink_to(ROOT / package)
    database = root / "storage" / "database"
    (database / "migrations" / "versions" / f"v{NEXT}_genre.py").write_text(f"{MIGRATION}    {fault}\n")
    return root


def scripts_of(release: Path) -> Path:
    """Return the folder with the migrations of a release."""
    return release / "storage" / "database" / "migrations"


def open_as(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process open corpora as the next release does."""
    monkeypatch.setattr(opening, "SCHEMA_VERSION", NEXT)
    monkeypatch.setattr(opening, "migrate", partial(migrate, target=NEXT, scripts=scripts_of(release)))
