"""Schema migrations: bring an older corpus up to date, refuse a newer one.

Revisions are numbered from `FIRST_SCHEMA` on and only go forward. This package is the alembic script folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from storage import failpoints
from storage.database.schema import SCHEMA_VERSION
from storage.database.transactions import gather_statistics, serialise, unhurried
from storage.reporting import unseen

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import Script
    from sqlalchemy.engine import Connection

    from storage.reporting import Progress

STEP = "schema steps"
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
    if version == target:
        return []
    found = _revisions(_config(Path(__file__).parent), version, target)
    return [Step(each.revision, " ".join((each.doc or "").split())) for each in reversed(found)]


def _revisions(config: Config, version: str | None, target: str) -> list[Script]:
    """Return the revisions after a version, the last one first."""
    from alembic.script import ScriptDirectory

    return list(ScriptDirectory.from_config(config).iterate_revisions(target, version or "base"))


def migrate(
    connection: Connection,
    target: str = SCHEMA_VERSION,
    scripts: Path | None = None,
    on_progress: Progress = unseen,
) -> None:
    """Migrate the schema to ``target`` within the caller's transaction; all of it or nothing.

    ``on_progress`` gets the number of finished and of all schema steps.
    """
    from alembic import command

    serialise(connection, _MIGRATION_LOCK)
    unhurried(connection)
    found = current_versions(connection)
    is_new = not found
    config = _config(scripts or Path(__file__).parent)
    total = 0 if found == [target] else len(_revisions(config, found[0] if found else None, target))
    done = count(1)
    on_progress(STEP, 0, total)
    config.attributes["connection"] = connection
    config.attributes["on_step"] = lambda **_: on_progress(STEP, next(done), total)
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
