"""The only door to the database of a corpus.

Each store is imported at its first use, so that a command that only reads counts starts fast.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from storage.database import opening
from storage.database.transactions import Database, gather_statistics, masked
from storage.frontier.recrawl_schedule import Schedule
from storage.reporting import unseen

if TYPE_CHECKING:
    import os
    from types import TracebackType

    from storage.documents.document_store import Documents
    from storage.documents.model import Status
    from storage.documents.site_models import SiteModels
    from storage.fetches.fetch_log import Fetches
    from storage.fetches.warc_files import WarcFiles
    from storage.frontier.frontier import Frontier
    from storage.removal.takedown import Removals
    from storage.reporting import Progress
    from storage.runs.run_log import Runs


@dataclass(frozen=True, slots=True)
class Corpus(AbstractContextManager["Corpus"]):
    """A corpus in SQLite or PostgreSQL. Make it with `Corpus.open`; use it as a context manager, from any thread.

    Each noun has an object: ``corpus.documents``, ``corpus.frontier`` and so on. Each method is one transaction.

    If PostgreSQL goes away, the transaction is retried for up to five minutes (or the seconds in
    CORPUS_SPIDER_DATABASE_PATIENCE). It takes effect once, even if the answer to a commit was lost. After that, and for
    everything the database refuses, `DatabaseError`. A full disk is a `DiskError`, a broken file a `DamageError`.
    """

    database: Database
    schedule: Schedule = field(default_factory=Schedule)
    """When URLs that are fetched from now on are due again."""
    machine: str = ""
    """This machine, if each one has a WARC folder of its own; "" if it reaches all files."""

    @classmethod
    def open(
        cls,
        where: str | os.PathLike[str],
        *,
        create: bool = False,
        read_only: bool = False,
        seconds: float | None = None,
        machine: str = "",
        on_progress: Progress = unseen,
    ) -> Self:
        """Open the corpus at ``where``: the path of a SQLite file, or a URL such as ``postgresql://user@host/name``.

        ``create`` creates a missing corpus (`ConfigError` otherwise). The schema of an older release is migrated,
        unless ``read_only``. The schema of a newer release is a `NewerCorpusError`. With ``read_only`` the database
        itself refuses every change. What a reader asks for is interrupted after so many ``seconds`` (TooSlowError).
        ``machine``: see the field. ``on_progress`` gets the steps of a migration.
        """
        opened = opening.open_database(
            where, create=create, read_only=read_only, seconds=seconds, on_progress=on_progress
        )
        return cls(opened, machine=machine)

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The URL of the database, without its password."""
        return masked(self.database.url)

    @property
    def frontier(self) -> Frontier:
        """URLs to fetch: seeds, leases, retries, sources, robots.txt."""
        from storage.frontier.frontier import Frontier

        return Frontier(self.database, self.schedule)

    @property
    def fetches(self) -> Fetches:
        """Fetched pages: record them, list those that await processing, look up URLs."""
        from storage.fetches.fetch_log import Fetches

        return Fetches(self.database, self.schedule, self.machine)

    @property
    def documents(self) -> Documents:
        """Documents: record them, find one, stream a selection."""
        from storage.documents.document_store import Documents

        return Documents(self.database, self.schedule)

    @property
    def runs(self) -> Runs:
        """Crawl runs and their counters by site."""
        from storage.runs.run_log import Runs

        return Runs(self.database)

    @property
    def models(self) -> SiteModels:
        """Knowledge learned of each site: page templates and recurring lines."""
        from storage.documents.site_models import SiteModels

        return SiteModels(self.database, self.machine)

    @property
    def removals(self) -> Removals:
        """Removal of texts on request."""
        from storage.removal.takedown import Removals

        return Removals(self.database, self.machine)

    @property
    def warc(self) -> WarcFiles:
        """WARC files and the records in them."""
        from storage.fetches.warc_files import WarcFiles

        return WarcFiles(self.database, self.machine)

    def status(self) -> Status:
        """Count documents, pending URLs, and drops by reason."""
        from storage.status import read_status

        return self.database.read(read_status)

    def removal_mark(self) -> str:
        """Return a text that changes when a removal is declared and when it is finished.

        What is derived from texts is up to date with the removals if it was made under the same mark.
        """
        from storage.removal.removal_record import removal_mark

        return self.database.read(removal_mark)

    def journal_mode(self) -> str:
        """Return the journal mode of SQLite; an empty string for PostgreSQL."""
        if not self.database.is_sqlite:
            return ""
        statement = "PRAGMA journal_mode"
        return str(self.database.read(lambda connection: connection.exec_driver_sql(statement).scalar_one()))

    def identity(self) -> str:
        """Return a name of the schema in PostgreSQL that all machines have in common; "" for SQLite or if unknown."""
        from storage.database.identity import identity

        return "" if self.database.is_sqlite else self.database.read(identity)

    def gather_statistics(self) -> None:
        """Let PostgreSQL count the rows of all tables for its query plans. Call it after many rows were added."""
        self.database.write(gather_statistics)

    def problems(self, on_progress: Progress = unseen) -> list[str]:
        """Return the rows that violate a consistency rule, one line each; empty if all is well."""
        from storage import consistency

        with self.database.snapshot() as connection:
            return consistency.problems(connection, on_progress)
