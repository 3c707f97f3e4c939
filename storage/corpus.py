"""The only door to the database of a corpus."""

from __future__ import annotations

import os
import socket
import uuid
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

import sqlalchemy as sa

from storage import (
    documents,
    failpoints,
    fetches,
    lines,
    nights,
    opening,
    orphans,
    pages,
    reading,
    retention,
    robots,
    site_models,
    soundness,
)
from storage.database import Database, masked, upsert
from storage.frontier import Frontier
from storage.holdings import CorpusDocument, Selection
from storage.refusals import write_apart
from storage.removals import REPLACED, Removals
from storage.schedule import Schedule
from storage.schema import run, site, warc_file
from storage.sources import read_sources
from storage.status import read_runs, read_status

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from types import TracebackType

    from sqlalchemy.engine import Connection

    from storage.fetches import Orphan, StoredFetch, WarcFile
    from storage.holdings import Status
    from storage.lines import SiteLines
    from storage.nights import SiteRun
    from storage.orphans import Stray
    from storage.pages import DroppedPage, Page, WithoutDocument
    from storage.reading import View
    from storage.records import Drop, Fetched, Lease, Pointer, Processed, Unprocessed
    from storage.retention import AgedFile
    from storage.robots import RobotsCopy
    from storage.site_models import LearnedModel
    from storage.sources import SourceState
    from storage.status import Run


@dataclass(frozen=True, slots=True)
class Corpus(AbstractContextManager["Corpus"]):
    """A corpus in SQLite or PostgreSQL; made with `Corpus.open`, a context manager, safe to use from any thread.

    Every method is one transaction. When PostgreSQL goes away it is replayed for up to five minutes (or the seconds in
    CORPUS_SPIDER_DATABASE_PATIENCE), and takes effect once even if the answer to a commit was lost; then, as for
    everything the database refuses, `DatabaseError`. A full disk is a `DiskError`, a broken file a `DamageError`.
    """

    database: Database
    schedule: Schedule = field(default_factory=Schedule)
    """When what is fetched from now on is read again."""

    @classmethod
    def open(cls, where: str | os.PathLike[str], *, create: bool = False, read_only: bool = False) -> Self:
        """Open the corpus at ``where``: the path of a SQLite file, or a URL such as ``postgresql://user@host/name``.

        ``create`` makes it when it is missing (`ConfigError` otherwise). The schema of an older release is brought
        forward, unless ``read_only``; one of a newer release is a `NewerCorpusError`. ``read_only`` has the database
        itself refuse every change.
        """
        return cls(opening.open_database(where, create=create, read_only=read_only))

    @property
    def frontier(self) -> Frontier:
        """What to fetch: seeds, leases, retries."""
        return Frontier(self.database, self.schedule)

    @property
    def removals(self) -> Removals:
        """Taking texts out on request."""
        return Removals(self.database)

    @property
    def name(self) -> str:
        """The URL of the database, without its password."""
        return masked(self.database.url)

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start_run(self, config: str, sites: Collection[str] = ()) -> int:
        """Note the start of a crawl with its configuration (JSON), and that nothing is done yet at the sites it holds.

        Return the run's id.
        """
        token = uuid.uuid4().hex
        row = {"token": token, "started": datetime.now(UTC), "config": config}
        row |= {"pid": os.getpid(), "host": socket.gethostname()}

        def work(connection: Connection) -> int:
            connection.execute(upsert(connection, run).on_conflict_do_nothing(index_elements=["token"]), row)
            run_id = int(connection.execute(sa.select(run.c.id).where(run.c.token == token)).scalar_one())
            nights.begin(connection, run_id, sites)
            return run_id

        return self.database.write(work)

    def finish_run(self, run_id: int, exit_code: int, summary: str) -> None:
        """Note the end of a crawl with its exit code and summary (JSON)."""
        values = {"finished": datetime.now(UTC), "exit_code": exit_code, "summary": summary}
        statement = sa.update(run).where(run.c.id == run_id).values(values)
        self.database.write(lambda connection: connection.execute(statement))

    def count_runs(self, sites: Collection[str]) -> None:
        """Count what runs came to at these sites, where it is not counted to the end. The caller holds their locks."""
        self.database.write(lambda connection: nights.recount(connection, sites))

    def site_runs(self, sites: Collection[str], days: float = 100.0, run_id: int | None = None) -> list[SiteRun]:
        """Return what runs came to at these sites, oldest first; ``days``: back from the last; ``run_id``: of one."""
        return self.database.read(lambda connection: nights.site_runs(connection, sites, days, run_id))

    def sources(self, urls: Collection[str]) -> dict[str, SourceState]:
        """Return what is known of URLs that are read for what they lead to, by canonical URL."""
        return self.database.read(lambda connection: read_sources(connection, urls))

    def set_licences(self, licences: Mapping[str, str | None]) -> None:
        """State under which licence the texts of a site may be used, by site name; documents show it from then on."""
        rows = [{"name": name, "licence": licence} for name, licence in sorted(licences.items())]

        def work(connection: Connection) -> None:
            insert = upsert(connection, site)
            values = {"licence": insert.excluded.licence}
            connection.execute(insert.on_conflict_do_update(index_elements=["name"], set_=values), rows)

        if rows:
            self.database.write(work)

    def register_warc(self, run_id: int | None, name: str) -> None:
        """Note a WARC file that is about to be written; idempotent."""
        self.database.write(lambda connection: fetches.warc_ids(connection, run_id, [name]))

    def close_warc(self, name: str, size: int) -> None:
        """Note that a WARC file has its final size in bytes and is not written any more; idempotent.

        One that has been removed or replaced since stays so.
        """

        def work(connection: Connection) -> None:
            fetches.warc_ids(connection, None, [name])
            there = warc_file.c.state.not_in((retention.REMOVED, REPLACED))
            closed = sa.update(warc_file).where(warc_file.c.name == name, there)
            connection.execute(closed.values(state="closed", bytes=size))

        self.database.write(work)

    def warc_files(self) -> list[WarcFile]:
        """Return the WARC files the corpus knows, by name."""
        return self.database.read(fetches.warc_files)

    def aged_warc_files(self) -> list[AgedFile]:
        """Return the closed WARC files that are still there, with the time of their last record."""
        return self.database.read(retention.aged_files)

    def remove_warc(self, name: str, why: str) -> None:
        """Note that a WARC file is removed by rule, before it is; what it held is asked for in full again."""
        self.database.write(lambda connection: retention.mark_removed(connection, name, why))

    def record_fetched(self, run_id: int | None, group: Sequence[tuple[Fetched, Pointer]]) -> list[int]:
        """Write the *fetched* transaction: fetch rows and URL states; return the fetch ids in the order of the group.

        The records must be durable in their WARC files before. Writing the same group again changes nothing. Of an
        exchange whose headers the database refuses the row goes without what they say.
        """

        def write(part: Sequence[tuple[Fetched, Pointer]]) -> list[int]:
            def work(connection: Connection) -> list[int]:
                ids = fetches.write_fetched(connection, run_id, part, self.schedule)
                failpoints.reach("before_fetched_commit")
                return ids

            return self.database.write(work)

        written = write_apart(write, group, lambda item, _: fetches.stand_ins(item))
        failpoints.reach("after_fetched_commit")
        return [fetch_id for _, ids in written for fetch_id in ids]

    def record_processed(
        self, group: Sequence[tuple[int, Lease, Processed]], *, again: bool = False
    ) -> dict[int, Processed]:
        """Write the *processed* transaction: a document or a drop for each (fetch id, lease, processed), links, states.

        A text like the newest version of its URL makes no version: its outcome is the drop ``unchanged_text``. Fetches
        that have an outcome are passed over, so writing the same group again changes nothing; with ``again``, for
        re-extraction in the order of `fetches`, their outcome is replaced while version and id stay.

        What the database refuses for what is in it becomes the drop ``not_storable``. Return the outcomes as they were
        written, by fetch id: a document that made none is a drop.
        """

        def write(part: Sequence[documents.Item]) -> dict[int, Drop]:
            def work(connection: Connection) -> dict[int, Drop]:
                documents.take_turn(connection)
                dropped = documents.write_processed(connection, part, self.schedule, again=again)
                failpoints.reach("before_processed_commit")
                return dropped

            return self.database.write(work)

        written = write_apart(write, group, documents.stand_ins)
        failpoints.reach("after_processed_commit")
        return {
            fetch_id: replace(processed, document=None, drop=dropped[fetch_id]) if fetch_id in dropped else processed
            for part, dropped in written
            for fetch_id, _, processed in part
        }

    def unprocessed(self, sites: Collection[str] | None = None, limit: int = 100, after: int = 0) -> list[Unprocessed]:
        """Return up to ``limit`` pages that await processing, oldest first; ``after``: only fetch ids above it."""
        return self.database.read(lambda connection: fetches.unprocessed(connection, sites, limit, after))

    def count_unprocessed(self, sites: Collection[str] | None = None) -> int:
        """Count the pages that await processing."""
        return self.database.read(lambda connection: fetches.count_unprocessed(connection, sites))

    def add_crash(self, fetch_id: int) -> int:
        """Count one more worker that a page has cost; return how many by now."""
        crashes = self.database.write(lambda connection: fetches.add_crash(connection, fetch_id))
        failpoints.reach("after_crash")
        return crashes

    def add_orphans(self, run_id: int | None, orphans: Sequence[Orphan]) -> int:
        """Index complete records that a dead run did not get to index; idempotent. Return how many were new."""
        return self.database.write(lambda connection: fetches.write_orphans(connection, run_id, orphans))

    def strays(self, limit: int, before: int | None = None) -> list[Stray]:
        """Return orphans that may be pages and of which nobody has decided yet, newest first (see `orphans.strays`)."""
        return self.database.read(lambda connection: orphans.strays(connection, limit, before))

    def take_up(self, run_id: int, group: Sequence[tuple[Fetched, Pointer]], others: Mapping[int, str]) -> None:
        """Have orphans be pages that a run has fetched; note of ``others``, by fetch id, why they stay orphans."""

        def write(part: Sequence[tuple[Fetched, Pointer]]) -> None:
            self.database.write(lambda connection: orphans.take_up(connection, run_id, part, self.schedule))

        if group:
            write_apart(write, group, lambda item, _: fetches.stand_ins(item))
        if others:
            self.database.write(lambda connection: orphans.pass_over(connection, others))

    def documents(self, selection: Selection | None = None) -> Iterator[CorpusDocument]:
        """Stream documents in the order of their ids, which has nothing to do with the order of arrival.

        Of a duplicate set only the representative, unless the selection includes duplicates. It represents the whole
        set, not what is selected of it: when it is not selected, neither is any other member. The corpus is seen as it
        is at the first document; memory stays flat.
        """
        return reading.stream_documents(self.database, selection or Selection())

    def view(self, selection: Selection, *, mapped: bool = False) -> AbstractContextManager[View]:
        """Open a view of the selected documents as they are now, to be read a page at a time (see `reading.view`)."""
        return reading.view(self.database, selection, mapped=mapped)

    def number(self, selection: Selection) -> int:
        """Count the selected documents."""
        return self.database.read(lambda connection: reading.number(connection, selection))

    def selects_more(self, selection: Selection, number: int) -> bool:
        """Say whether more documents than that are selected."""
        return self.database.read(lambda connection: reading.selects_more(connection, selection, number))

    def document(self, id_or_url: str) -> CorpusDocument | None:
        """Return the document with this id, or the newest version of this canonical URL; None when there is none."""
        return self.database.read(lambda connection: reading.find_document(connection, id_or_url))

    def document_of(self, fetch_id: int) -> CorpusDocument | None:
        """Return the document that was made of a fetch, of whatever version; None when it gave none."""
        return self.database.read(lambda connection: reading.document_of(connection, fetch_id))

    def fetches(
        self, *, outcomes: Collection[str] | None = None, sites: Collection[str] | None = None
    ) -> Iterator[StoredFetch]:
        """Stream fetches in the order they were recorded, with their pointers into the WARC files."""
        return fetches.stored_fetches(self.database, outcomes=outcomes, sites=sites)

    def drops(
        self, *, reasons: Collection[str] | None = None, sites: Collection[str] | None = None
    ) -> Iterator[DroppedPage]:
        """Stream the pages that gave no document, with the reason and the pointer, oldest first."""
        return pages.stream_drops(self.database, reasons=reasons, sites=sites)

    def page(self, addresses: Sequence[str]) -> Page | None:
        """Return how the first of these canonical URLs that is known stands, and what came of it; None when none is."""
        return self.database.read(lambda connection: pages.find_page(connection, addresses))

    def dropped_pages(
        self, *, reasons: Collection[str] = (), sites: Collection[str] = (), limit: int | None = None
    ) -> list[WithoutDocument]:
        """Return the newest pages that gave no document, and why; `drops` streams all, the oldest first."""
        return self.database.read(lambda connection: pages.dropped_pages(connection, reasons, sites, limit))

    def failed_urls(
        self, *, reasons: Collection[str] = (), sites: Collection[str] = (), limit: int | None = None
    ) -> list[WithoutDocument]:
        """Return the URLs that were given up, and why, the last found first."""
        return self.database.read(lambda connection: pages.failed_urls(connection, reasons, sites, limit))

    def waiting_urls(
        self, *, reasons: Collection[str] = (), sites: Collection[str] = (), limit: int | None = None
    ) -> list[WithoutDocument]:
        """Return the URLs that brought nothing so far and wait for another try, and why, the last found first."""
        return self.database.read(lambda connection: pages.waiting_urls(connection, reasons, sites, limit))

    def add_site_models(self, models: Collection[LearnedModel]) -> None:
        """Store what was learned of sites; from then on these are the newest."""
        self.database.write(lambda connection: site_models.add(connection, models))

    def site_lines(self, site: str) -> SiteLines:
        """Learn which lines recur in the newest texts of a site; nothing is changed."""
        return self.database.read(lambda connection: lines.read_texts(connection, site))

    def keep_lines(self, site: str, found: SiteLines) -> None:
        """Have these lines of a site be the ones that recur, from now on and in every text."""
        self.database.write(lambda connection: lines.keep(connection, site, found.recurring))

    def site_models(self, sites: Collection[str]) -> dict[str, LearnedModel]:
        """Return the newest model of each site that has one, by site."""
        return self.database.read(lambda connection: site_models.newest(connection, sites))

    def site_model(self, model_id: str) -> LearnedModel | None:
        """Return the model of that id, None when there is none."""
        return self.database.read(lambda connection: site_models.find(connection, model_id))

    def site_model_used(self, fetch_id: int) -> str | None:
        """Return the ``site_model`` of a fetch's document; None when it gave no document."""
        return self.database.read(lambda connection: site_models.model_used(connection, fetch_id))

    def count_documents(self, sites: Collection[str]) -> dict[str, int]:
        """Count the documents of each of these sites."""
        return self.database.read(lambda connection: site_models.count_documents(connection, sites))

    def newest_pages(self, site: str, limit: int) -> list[Pointer]:
        """Return where the originals of a site's newest documents lie, one for each URL."""
        return self.database.read(lambda connection: site_models.newest_pages(connection, site, limit))

    def keep_robots(self, copy: RobotsCopy) -> None:
        """Keep the answer to a request for robots.txt, in place of the one its origin gave before."""
        self.database.write(lambda connection: robots.keep(connection, copy))

    def robots(self, origin: str) -> RobotsCopy | None:
        """Return the last robots.txt of an origin that could be read, None when there has been none."""
        return self.database.read(lambda connection: robots.find(connection, origin))

    def pointers(self, warc: str) -> list[tuple[int, Pointer]]:
        """Return (fetch id, pointer) of every fetch in one WARC file, by offset."""
        return self.database.read(lambda connection: soundness.pointers(connection, warc))

    def revisits(self, warc: str) -> dict[int, str]:
        """Return, of the revisit records in one WARC file, by offset the id of the record that has the payload."""
        return self.database.read(lambda connection: soundness.revisits(connection, warc))

    def problems(self) -> list[str]:
        """Return what in the database does not agree with itself, one line a case; empty when all is well."""
        with self.database.snapshot() as connection:
            return soundness.problems(connection)

    def runs(self) -> list[Run]:
        """Return every run, oldest first, with its configuration and summary."""
        return self.database.read(read_runs)

    def status(self) -> Status:
        """Count what is in the corpus, what is pending, what was dropped and why."""
        return self.database.read(read_status)
