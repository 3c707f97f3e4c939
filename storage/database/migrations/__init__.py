"""Schema migrations: bring an older corpus up to date, refuse a newer one.

Revisions are numbered ``0001``, ``0002`` … and only go forward. This package is the alembic script folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage import failpoints
from storage.database.schema import SCHEMA_VERSION
from storage.database.transactions import gather_statistics, serialise, unhurried

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy.engine import Connection

_VERSION_TABLE = sa.table("alembic_version", sa.column("version_num", sa.Text))
_MIGRATION_LOCK = 0x636F7270_6D696772


def current_versions(connection: Connection) -> list[str]:
    """Return the schema versions in the database; none if there is no corpus. Another program's table may contain
    anything.
    """
    if not sa.inspect(connection).has_table("alembic_version"):
        return []
    return [str(version) for version in connection.execute(sa.select(_VERSION_TABLE.c.version_num)).scalars()]


@dataclass(frozen=True, slots=True)
class Step:
    """One migration: the schema version it leads to, and its description."""

    version: str
    what: str


def steps(version: str | None, target: str = SCHEMA_VERSION) -> list[Step]:
    """Return the migrations from one schema version to another, in the order of execution."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(_config(Path(__file__).parent))
    found = scripts.iterate_revisions(target, version or "base")
    return [Step(each.revision, " ".join((each.doc or "").split())) for each in reversed(list(found))]


def migrate(connection: Connection, target: str = SCHEMA_VERSION, scripts: Path | None = None) -> None:
    """Migrate the schema to ``target`` within the caller's transaction; all of it or nothing."""
    from alembic import command

    serialise(connection, _MIGRATION_LOCK)
    unhurried(connection)
    is_new = not current_versions(connection)
    config = _config(scripts or Path(__file__).parent)
    config.attributes["connection"] = connection
    command.upgrade(config, target)
    if not is_new:
        gather_statistics(connection)
    failpoints.reach("in_migration")


def _config(scripts: Path) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
