"""`backup`: copy a corpus into a new folder while a crawl may run."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from corpus_spider.maintenance.taken_archives import FOLDER as TAKEN_ARCHIVES
from storage.errors import ConfigError, DamageError
from storage.reporting import unseen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from corpus_spider.config.model import Config
    from storage.corpus import Corpus
    from storage.records import Pointer
    from storage.reporting import Progress
    from storage.warc import OriginalStore

OPEN = ".open"
DATABASE, ARCHIVE, SETTINGS = "corpus.db", "warc", "corpus.toml"
_CHUNK = 1 << 20
TRIES = 3
"""Attempts, when a removal replaces originals during the copy. A removal takes as long as a backup."""


@dataclass(slots=True)
class BackupReport:
    """Content of a backup."""

    path: str
    documents: int = 0
    files: int = 0
    """WARC files."""
    linked: int = 0
    """WARC files that are hard links to those of the corpus. They are never changed in place."""
    bytes: int = 0
    """Bytes of the WARC files."""
    elsewhere: dict[str, int] = field(default_factory=dict)
    """WARC files that only other machines have, by machine. A backup there has them."""
    missing: list[str] = field(default_factory=list)
    """WARC files that the database names and that do not exist."""


def backup(config: Config, target: Path, on_progress: Progress = unseen) -> BackupReport:
    """Copy the corpus into a new folder. The copy passes `check`, and a crawl can go on from it.

    A crawl may run meanwhile. The database is copied as of one moment, then each WARC file as far as that moment knows
    it. The folder appears whole or not at all. ``on_progress`` gets the step, the finished and the total count. Raises
    ConfigError when the folder exists, DiskError, and DamageError when a file was shortened meanwhile.
    """
    from storage.disk import alone, disk_errors, sync_folder
    from storage.exports.atomic import staging, sweep

    with disk_errors(target):
        # Remove the folder of a killed backup to that name.
        sweep(target)
    _refuse_to_clobber(target)
    for left in reversed(range(TRIES)):
        report = BackupReport(str(target))
        with disk_errors(target), staging(target) as staged:
            staged.chmod(0o700)
            part = staged / target.name
            _fill(part, config, report, on_progress)
            if left and _is_replaced(config, report.missing):
                continue
            with alone(target.parent):
                # Another backup may have come first.
                _refuse_to_clobber(target)
                part.rename(target)
            sync_folder(target.absolute().parent)
        break
    return report


def _refuse_to_clobber(target: Path) -> None:
    if os.path.lexists(target):
        raise ConfigError("exists already", where=str(target), do="Name a new folder.")


def _fill(part: Path, config: Config, report: BackupReport, on_progress: Progress) -> None:
    """Make the copy in a new folder."""
    from storage.corpus import Corpus

    for folder in (part, part / ARCHIVE):
        folder.mkdir(mode=0o700)
    # Before the database: a state that is newer than the copied database would hide pages that the copy lacks.
    _copy_states(config.warc_folder / TAKEN_ARCHIVES, part / ARCHIVE / TAKEN_ARCHIVES)
    _copy_database(config, part / DATABASE, on_progress)
    with Corpus.open(part / DATABASE, machine=config.machine) as copy:
        _copy_archive(copy, config.originals, part / ARCHIVE, report, on_progress)
        report.documents = copy.status().documents
    _copy_settings(config, part / SETTINGS)
    on_progress("waiting for the disk", 0, None)
    _sync_all(part)


def _copy_states(source: Path, target: Path) -> None:
    """Copy the states of the archives that imports have taken, so that an import of the copy goes on where it was."""
    for path in source.glob("*.json"):
        if path.is_file():
            target.mkdir(mode=0o700, exist_ok=True)
            _copied(path, target / path.name, None)


def _is_replaced(config: Config, missing: Sequence[str]) -> bool:
    """Return whether a removal has replaced missing files since the database was copied. Then the rest of their content
    is in other files now.
    """
    from storage.corpus import Corpus
    from storage.fetches.file_retention import REMOVED

    if not missing:
        return False
    with Corpus.open(config.database_url, read_only=True) as corpus:
        known = {file.name for file in corpus.warc.files() if file.state != REMOVED}
    return not known.issuperset(missing)


def _copy_database(config: Config, path: Path, on_progress: Progress) -> None:
    """Copy the database into a SQLite file: SQLite page by page, PostgreSQL row by row."""
    from storage.corpus import Corpus
    from storage.database.copy import copy_file, transfer

    with Corpus.open(config.database_url, read_only=True) as corpus:
        if corpus.database.is_sqlite:
            copy_file(corpus.database, path, on_progress)
            return
        with Corpus.open(path, create=True) as copy:
            transfer(corpus.database, copy.database, on_progress)


def _copy_archive(
    copy: Corpus, source: OriginalStore, target: Path, report: BackupReport, on_progress: Progress
) -> None:
    from corpus_spider.archive.missing_files import elsewhere
    from storage.fetches.file_retention import REMOVED

    away = elsewhere(copy, source)
    report.elsewhere = dict(Counter(away.values()))
    names = [file.name for file in copy.warc.files() if file.state != REMOVED and file.name not in away]
    source = source.streaming()
    for number, name in enumerate(source.in_turn(names)):
        on_progress("WARC files copied", number, len(names))
        pointers = [pointer for _, pointer in copy.warc.pointers(name)]
        if not pointers:
            continue
        last = max(pointers, key=lambda pointer: pointer.offset)
        size = _copy_file(source, target / source.path(name).name, last, report)
        if size is None:
            report.missing.append(name)
            continue
        copy.warc.close(name, size)
        report.files += 1
        report.bytes += size


def _copy_file(source: OriginalStore, target: Path, last: Pointer, report: BackupReport) -> int | None:
    """Link a finished file, or copy a growing one up to the records of its last known response.

    Return its size in bytes, or None if it does not exist.
    """
    from storage.warc import end_of

    folder = source.folder
    for path in (folder / target.name, folder / (target.name + OPEN), folder / target.name):
        with suppress(FileNotFoundError):
            if path.suffix != OPEN and path.is_file() and _linked(path, target):
                report.linked += 1
                return target.stat().st_size
            wanted = end_of(source, last) if path.suffix == OPEN else None
            return _copied(path, target, wanted)
    with suppress(FileNotFoundError), source.open(target.name) as path:
        return _copied(path, target, None)
    return None


def _linked(path: Path, target: Path) -> bool:
    try:
        target.hardlink_to(path)
    except FileNotFoundError:
        raise
    except OSError:
        # Another disk, or one without hard links.
        return False
    return True


def _copied(path: Path, target: Path, size: int | None) -> int:
    from storage.disk import open_to_read

    created = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    # The file is opened before the copy is created: it may get another name, and is then copied by that.
    wanted = left = path.stat().st_size if size is None else size
    with os.fdopen(open_to_read(path), "rb") as file, os.fdopen(os.open(target, created, 0o600), "wb") as new:
        while left and (chunk := file.read(min(left, _CHUNK))):
            new.write(chunk)
            left -= len(chunk)
    if left:
        raise DamageError(
            f"{left} bytes of {wanted} are missing", where=str(path), do="Run `corpus-spider check --deep`."
        )
    return wanted


def _copy_settings(config: Config, path: Path) -> None:
    """Copy corpus.toml, with the database and the archive of the backup."""
    import tomlkit

    settings = tomlkit.parse(config.path.read_text("utf-8-sig")) if config.path else tomlkit.document()
    corpus: Any = settings.setdefault("corpus", tomlkit.table())
    corpus["database"], corpus["warc"] = f"sqlite:///{DATABASE}", ARCHIVE
    path.touch(0o600)
    path.write_text(tomlkit.dumps(settings), "utf-8")


def _sync_all(folder: Path) -> None:
    for path in [*folder.rglob("*"), folder]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
