"""`corpus.fetches`: the fetches of a corpus, one row per WARC response record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from storage import failpoints
from storage.database.rejected_rows import write_apart
from storage.fetches import fetches, orphan_records, url_history
from storage.fetches.url_history import WithoutDocument
from storage.frontier.recrawl_schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from storage.database.transactions import Database
    from storage.fetches.fetches import Orphan, StoredFetch
    from storage.fetches.orphan_records import UndecidedOrphan
    from storage.fetches.url_history import DroppedPage, PageWithoutDocument, UrlHistory
    from storage.records import Fetched, Pointer, UnprocessedPage


@dataclass(frozen=True, slots=True)
class Fetches:
    """Fetches: record them, list those without an outcome, read them back. Reached as ``corpus.fetches``.

    Calling it streams all fetches: ``corpus.fetches(sites=["example.org"])``. Safe to call from any thread.
    """

    database: Database
    schedule: Schedule = field(default_factory=Schedule)
    machine: str = ""

    def __call__(
        self, *, outcomes: Collection[str] | None = None, sites: Collection[str] | None = None
    ) -> Iterator[StoredFetch]:
        """Stream fetches in the order of recording, with their pointers into the WARC files."""
        return fetches.stored_fetches(self.database, outcomes=outcomes, sites=sites)

    def record_fetched(self, run_id: int | None, group: Sequence[tuple[Fetched, Pointer]]) -> list[int]:
        """Write the *fetched* transaction: fetch rows and URL states. Return the fetch ids in the order of the group.

        The WARC records must be durable before. Writing the same group twice changes nothing. If the database refuses
        the headers of an exchange, its row is stored without them. `NOT_RECORDED` stands for an exchange whose URL the
        run has not leased any more.
        """

        def write(part: Sequence[tuple[Fetched, Pointer]]) -> list[int]:
            def work(connection: Connection) -> list[int]:
                ids = fetches.write_fetched(connection, run_id, part, self.schedule, only_leased=run_id is not None)
                failpoints.reach("before_fetched_commit")
                return ids

            return self.database.write(work)

        written = write_apart(write, group, lambda item, _: fetches.replacements(item))
        failpoints.reach("after_fetched_commit")
        return [fetch_id for _, ids in written for fetch_id in ids]

    def unprocessed(
        self, sites: Collection[str] | None = None, limit: int = 100, after: int = 0
    ) -> list[UnprocessedPage]:
        """Return up to ``limit`` pages that await processing, oldest first; ``after``: only fetch ids above it.

        Pages in the files of other machines and in missing files are left out.
        """
        return self.database.read(lambda connection: fetches.unprocessed(connection, self.machine, sites, limit, after))

    def count_unprocessed(self, sites: Collection[str] | None = None) -> int:
        """Count these pages."""
        return self.database.read(lambda connection: fetches.count_unprocessed(connection, self.machine, sites))

    def add_crash(self, fetch_id: int) -> int:
        """Count one more worker that crashed on a page. Return the number of crashes so far."""
        crashes = self.database.write(lambda connection: fetches.add_crash(connection, fetch_id))
        failpoints.reach("after_crash")
        return crashes

    def add_orphans(self, run_id: int | None, found: Sequence[Orphan]) -> int:
        """Index complete records that a dead run did not index. Idempotent. Return how many were new."""
        return self.database.write(lambda connection: fetches.write_orphans(connection, run_id, found))

    def undecided_orphans(self, limit: int, before: int | None = None) -> list[UndecidedOrphan]:
        """Return orphans on this machine that may be pages, newest first; ``before``: only fetch ids below it."""
        return self.database.read(lambda connection: orphan_records.undecided(connection, self.machine, limit, before))

    def adopt_orphans(self, run_id: int, group: Sequence[tuple[Fetched, Pointer]], others: Mapping[int, str]) -> None:
        """Turn orphans into fetched pages of a run. ``others``: why the rest stay orphans, by fetch id."""

        def write(part: Sequence[tuple[Fetched, Pointer]]) -> None:
            self.database.write(lambda connection: orphan_records.adopt(connection, run_id, part, self.schedule))

        if group:
            write_apart(write, group, lambda item, _: fetches.replacements(item))
        if others:
            self.database.write(lambda connection: orphan_records.reject(connection, others))

    def drops(
        self, *, reasons: Collection[str] | None = None, sites: Collection[str] | None = None
    ) -> Iterator[DroppedPage]:
        """Stream the pages that gave no document, with reason and pointer, oldest first."""
        return url_history.stream_drops(self.database, reasons=reasons, sites=sites)

    def page(self, addresses: Sequence[str]) -> UrlHistory | None:
        """Return the state and visits of the first known URL among these canonical URLs; None if all are unknown."""
        return self.database.read(lambda connection: url_history.find_page(connection, addresses))

    def without_document(
        self, *, reasons: Collection[str] = (), sites: Collection[str] = (), limit: int | None = None
    ) -> WithoutDocument:
        """Return the pages and URLs without a document, at most ``limit`` of each kind."""
        wanted: dict[str, Any] = {"reasons": reasons, "sites": sites, "limit": limit}
        return WithoutDocument(self.dropped_pages(**wanted), self.failed_urls(**wanted), self.waiting_urls(**wanted))

    def dropped_pages(
        self,
        *,
        reasons: Collection[str] = (),
        sites: Collection[str] = (),
        run_id: int | None = None,
        limit: int | None = None,
    ) -> list[PageWithoutDocument]:
        """Return the newest pages that gave no document, with the reason. `drops` streams all, oldest first.

        ``run_id``: only those that this run fetched.
        """
        return self.database.read(
            lambda connection: url_history.dropped_pages(connection, reasons, sites, run_id, limit)
        )

    def failed_urls(
        self, *, reasons: Collection[str] = (), sites: Collection[str] = (), limit: int | None = None
    ) -> list[PageWithoutDocument]:
        """Return the URLs that were given up, with the reason, last found first."""
        return self.database.read(lambda connection: url_history.failed_urls(connection, reasons, sites, limit))

    def waiting_urls(
        self, *, reasons: Collection[str] = (), sites: Collection[str] = (), limit: int | None = None
    ) -> list[PageWithoutDocument]:
        """Return the URLs that failed so far and wait for a retry, with the reason, last found first."""
        return self.database.read(lambda connection: url_history.waiting_urls(connection, reasons, sites, limit))
