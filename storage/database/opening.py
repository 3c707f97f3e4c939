"""Open a corpus: find or create it, migrate an older schema, refuse a newer one and one before the first release."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from storage.database.engines import BUSY_TIMEOUT_MS
from storage.database.migrations import Step, current_versions, migrate, steps
from storage.database.schema import FIRST_SCHEMA, SCHEMA_VERSION
from storage.database.sqlite_copy import copy_pages
from storage.database.sqlite_limits import require_local
from storage.database.transactions import Database, connect, is_contention, masked, parse_url, sqlite_path
from storage.disk import disk_error, require_file
from storage.errors import ConfigError, DiskError, NewerCorpusError
from storage.retry import pauses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy.engine import URL, Connection

    from storage.reporting import Progress

_VERSION = re.compile("(?!0000)[0-9]{4}")
_LAST_WITH_EARLIER_MIGRATIONS = "642bd7ac"
"""Commit of 28 November 2026 that has all migrations from schema 0001 to the first schema of this program."""
PAGE_BYTES = 8192
"""SQLite page size in bytes. The index of band keys grows at random places; larger pages need fewer writes."""


def open_database(
    where: str | os.PathLike[str],
    *,
    create: bool,
    read_only: bool,
    seconds: float | None,
    on_progress: Progress,
) -> Database:
    """Return the database of a corpus with its schema up to date. ``on_progress`` gets the steps of a migration.

    ``seconds`` limits a reader's statements. Errors as for `storage.corpus.Corpus.open`.
    """
    url = parse_url(where)
    if url.get_backend_name() == "sqlite":
        if not read_only:
            require_local(sqlite_path(url))
        _find_file(url, create=create and not read_only)
    database = connect(url, read_only=read_only, seconds=seconds)
    try:
        _bring_forward(database, on_progress, create=create, read_only=read_only)
    except BaseException:
        database.close()
        raise
    return database


def pending_steps(where: str | os.PathLike[str]) -> tuple[str, list[Step]]:
    """Return the schema version of a corpus and the migrations it needs. Changes nothing.

    Errors as for `storage.corpus.Corpus.open`.
    """
    url = parse_url(where)
    if url.get_backend_name() == "sqlite":
        _find_file(url, create=False)
    database = connect(url, read_only=True)
    try:
        version = _version_of(database)
        if version is None:
            raise _missing(url)
        return version, steps(version)
    finally:
        database.close()


def _find_file(url: URL, *, create: bool) -> None:
    path = sqlite_path(url)
    with _disk_errors(path):
        require_file(path, "database")
        if not create and _is_unfinished(path):
            raise _missing(url)
        if path.is_file() and (path.stat().st_size > 0 or not create):
            return
        if not create:
            raise _missing(url)
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        waits = pauses(BUSY_TIMEOUT_MS / 1000)
        while not _laid_out(path) and (wait := next(waits, None)) is not None:
            time.sleep(wait)


def _is_unfinished(path: Path) -> bool:
    """Return whether a program was killed while it set the WAL mode of a new file.

    Its journal makes the file empty again, which a read-only connection cannot do. A corpus has no such journal.
    """
    journal = path.with_name(f"{path.name}-journal")
    return path.is_file() and path.stat().st_size <= PAGE_BYTES and journal.is_file()


def _laid_out(path: Path) -> bool:
    """Set page size and WAL mode of an empty file; False if another program is about to.

    SQLite does not wait when two programs change the mode at the same time.
    """
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA page_size={PAGE_BYTES}")
            connection.execute("PRAGMA journal_mode=WAL")
    except sqlite3.OperationalError as error:
        if not is_contention(error):
            raise
        return False
    return True


def _bring_forward(database: Database, on_progress: Progress, *, create: bool, read_only: bool) -> None:
    version = _version_of(database)
    if version is None and (read_only or not create):
        raise _missing(database.url)
    if version == SCHEMA_VERSION:
        return
    if read_only:
        do = "Migrate it with `corpus-spider migrate`; `--dry-run` lists the steps."
        raise ConfigError(f"this corpus has the older schema {version}", where=masked(database.url), do=do)
    if version is None:
        _require_unicode(database)

    def forward(connection: Connection) -> None:
        # The writer is alone. So nothing changes between copy and migration; another program may have done both.
        if database.is_sqlite and (found := current_versions(connection)) and found != [SCHEMA_VERSION]:
            _copy_first(sqlite_path(database.url), found[0], on_progress)
        migrate(connection, on_progress=on_progress)

    database.write(forward)


def _require_unicode(database: Database) -> None:
    """Refuse a database encoding that lacks characters: many pages could not be stored."""
    if database.is_sqlite:
        return
    encoding = database.read(lambda connection: connection.exec_driver_sql("SHOW server_encoding").scalar_one())
    # SQL_ASCII stores bytes as they are.
    if encoding not in {"UTF8", "SQL_ASCII"}:
        what = f"this database has the encoding {encoding} and cannot store every text"
        do = "Create one with: createdb --encoding=UTF8 --template=template0 NAME"
        raise ConfigError(what, where=masked(database.url), do=do)


def _version_of(database: Database) -> str | None:
    """Return the schema version; None if there is no corpus.

    Refuse newer schemas, those before the first release, and tables of other programs.
    """
    # No retry for the first connection, so that a wrong address fails at once. Later losses are retried.
    with database.explained():
        database.engine.connect().close()
    versions = database.read(current_versions)
    version = versions[0] if versions else None
    if len(versions) > 1 or (version is not None and not _VERSION.fullmatch(version)):
        what = f"the tables here are not those of a corpus: their version is {', '.join(versions)[:100]!r}"
        raise ConfigError(what, where=masked(database.url), do="Name a database that no other program uses.")
    if version is not None and version > SCHEMA_VERSION:
        what = f"this corpus has schema {version}, this program knows schemas up to {SCHEMA_VERSION}"
        raise NewerCorpusError(
            what, where=masked(database.url), do="Install the release that created it, or a later one."
        )
    if version is not None and version < FIRST_SCHEMA:
        what = f"this corpus has schema {version}, from before the first release; the first schema is {FIRST_SCHEMA}"
        do = (
            f"Run `corpus-spider migrate` once with the program's source of commit {_LAST_WITH_EARLIER_MIGRATIONS}"
            " (28 November 2026), which brings it to that schema."
        )
        raise ConfigError(what, where=masked(database.url), do=do)
    return version


def copy_before(url: URL, version: str) -> str:
    """Return where the copy of a SQLite file is before a migration; for PostgreSQL the command for a backup."""
    if url.get_backend_name() == "sqlite":
        return str(_copy_of(sqlite_path(url), version))
    return f"pg_dump --format=custom --file={url.database}-{version}.dump {url.database}"


def _copy_of(path: Path, version: str) -> Path:
    return path.with_name(f"{path.name}.before-{SCHEMA_VERSION}-from-{version}")


def _copy_first(path: Path, version: str, on_progress: Progress) -> None:
    """Copy the file before a migration to ``<name>.before-<new version>-from-<old version>``.

    The caller holds the write lock.
    """
    copy = _copy_of(path, version)
    part = copy.with_name(copy.name + ".part")
    with _disk_errors(path):
        part.unlink(missing_ok=True)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(part)) as target:
            copy_pages(source, target, on_progress)
        part.replace(copy)


def _missing(url: URL) -> ConfigError:
    return ConfigError(
        "there is no corpus here",
        where=masked(url),
        do="A crawl creates it; from Python: Corpus.open(..., create=True).",
    )


@contextmanager
def _disk_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise disk_error(error, path) from error
    except sqlite3.OperationalError as error:
        raise DiskError(str(error), where=str(path), do="Check that the folder exists and is writable.") from error
