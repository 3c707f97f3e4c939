"""`move`: copy a corpus into another database. `migrate`: bring its schema forward to this release."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from storage.errors import ConfigError, DatabaseError
from storage.reporting import unseen

if TYPE_CHECKING:
    from corpus_spider.config.model import Config
    from storage.locking.locks import SiteLocks
    from storage.reporting import Progress

_COPIED_BYTES = 100 * 2**20
"""Bytes of a SQLite file that are copied in a second, for the estimate of a dry run."""


@dataclass(slots=True)
class MoveReport:
    """Result of a move; rows by table."""

    database: str
    rows: int = 0
    documents: int = 0
    problems: list[str] = field(default_factory=list)
    tables: dict[str, int] = field(default_factory=dict)


def move(config: Config, database_url: str, on_progress: Progress = unseen) -> MoveReport:
    """Copy the corpus into another, empty database and check it there. The old one stays as it is.

    A SQLite file is named as in corpus.toml, relative to its folder. Raises LockedError when a crawl runs, ConfigError
    when the other database is not empty or its folder does not exist, DamageError when it differs from the old one,
    DatabaseError when it cannot be reached or the locks were lost.
    """
    from storage.corpus import Corpus
    from storage.database.copy import transfer
    from storage.locking.locks import SiteLocks

    database_url = _as_configured(config, database_url)
    _require_folder(database_url)
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus.open(config.database_url))
        locks = stack.enter_context(SiteLocks.of_all(corpus, config.site_names, config.locks_folder))
        copy = stack.enter_context(Corpus.open(database_url, create=True))
        if copy.name == corpus.name:
            raise ConfigError("the corpus is there already", where=copy.name, do="Name another database.")
        sent = transfer(corpus.database, copy.database, on_progress, partial(_require_kept, locks, corpus.name))
        return MoveReport(copy.name, sent.total, copy.status().documents, copy.problems(on_progress), sent.rows)


def _require_kept(locks: SiteLocks, where: str) -> None:
    """Raise DatabaseError when the locks were lost, even for a moment. A crawl may have stored pages since the copy
    began.
    """
    if locks.ensure():
        what = "the connection that held the locks was lost while the corpus was copied"
        raise DatabaseError(what, where=where, do="Move it again; nothing was written.")


def _as_configured(config: Config, database_url: str) -> str:
    """Return the URL as corpus.toml would resolve it. Raise ConfigError for an invalid one."""
    from corpus_spider.config.values import database_url as check

    if wrong := check(database_url):
        do = "Name one such as sqlite:////srv/news/corpus.db or postgresql://corpus@localhost/news."
        raise ConfigError(wrong, where="DATABASE", do=do)
    return replace(config, corpus=replace(config.corpus, database=database_url)).database_url


def _require_folder(database_url: str) -> None:
    """Raise ConfigError for a SQLite file in a missing folder: a typing error, or a disk that is not mounted."""
    from storage.database.transactions import parse_url, sqlite_path

    url = parse_url(database_url)
    if url.get_backend_name() == "sqlite" and not (folder := sqlite_path(url).absolute().parent).is_dir():
        raise ConfigError("this folder does not exist", where=str(folder), do="Make it, or correct the path.")


@dataclass(slots=True)
class MigrationReport:
    """Result of a migration, or of its dry run.

    ``documents``: texts in the corpus. ``fingerprints``: those computed again from stored texts. ``seconds``: time it
    took, or an estimate. ``bytes``: room that the copy of a SQLite file takes. ``copy``: where this copy is, or for
    PostgreSQL the command that makes a backup before. ``queue``: release of Procrastinate to which the tables of the
    queue were changed; "" if they are up to date.
    """

    database: str
    dry_run: bool
    from_schema: str
    to_schema: str
    steps: list[dict[str, str]]
    documents: int = 0
    fingerprints: int = 0
    seconds: float = 0.0
    bytes: int = 0
    copy: str = ""
    queue: str = ""

    @property
    def is_needed(self) -> bool:
        """Whether there is something to do, or was."""
        return bool(self.steps or self.fingerprints or self.queue)


def migrate(config: Config, *, dry_run: bool = False, on_progress: Progress = unseen) -> MigrationReport:
    """Bring a corpus forward to this release: its schema in one transaction, then its rows group by group.

    ``dry_run`` only reports what would be done. An interrupted migration goes on where it stopped. Raises ConfigError
    if there is no corpus or one from before the first release, NewerCorpusError for a corpus of a later release.
    """
    from corpus_spider.crawling import fingerprints
    from corpus_spider.queue.jobs import open_tables, pending_release
    from pipelines.text.minhash import SCHEME
    from storage.corpus import Corpus
    from storage.database.opening import copy_before, pending_steps
    from storage.database.schema import SCHEMA_VERSION
    from storage.database.sizes import older_counts
    from storage.database.transactions import connect, masked, parse_url

    url = parse_url(config.database_url)
    version, steps = pending_steps(config.database_url)
    counts = older_counts(config.database_url, SCHEME)
    report = MigrationReport(masked(url), dry_run, version, SCHEMA_VERSION, [asdict(step) for step in steps])
    report.documents, report.fingerprints = counts.documents, counts.fingerprints
    with closing(connect(url, read_only=True)) as database:
        report.queue = pending_release(database)
    if steps:
        report.bytes, report.copy = counts.bytes, copy_before(url, version)
    if dry_run:
        work = counts.fingerprints * fingerprints.SECONDS_A_TEXT + counts.bytes / _COPIED_BYTES
        report.seconds = max(0.1, round(work, 1)) if report.is_needed else 0.0
    elif report.is_needed:
        began = time.monotonic()
        with Corpus.open(config.database_url, on_progress=on_progress) as corpus:
            fingerprints.renew(corpus, config.workers, on_progress)
            if report.queue:
                open_tables(corpus).close()
        report.seconds = round(time.monotonic() - began, 1)
    return report
