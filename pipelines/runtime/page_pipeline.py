"""Page pipeline: archive an exchange, process the page in a worker, store the outcome.

Crawl, import and re-extraction all use it. Two transactions bound the life of a page. After the first one the exchange
is in the WARC and the page is *fetched*. After the second one the page is *processed*: it has a document or a drop.

Pages between the two transactions stay in memory, up to a limit. A page beyond the limit is released: the WARC and its
fetch row hold it. The pipeline reads it back when there is room. A crawl resumes the pages of a killed run this way.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NoReturn, Self, TypeVar

from pipelines.discovery.candidates import stated_sitemaps
from pipelines.discovery.crawler_traps import CrawlerTraps
from pipelines.discovery.dead_links import DeadLinks
from pipelines.discovery.scope import scope_of
from pipelines.discovery.site_budget import MAX_BACKLOG, SiteBudget
from pipelines.runtime.counters import PipelineCounts
from pipelines.runtime.wakeups import Wakeups
from pipelines.runtime.writer import Writer
from pipelines.urls.url import parse
from storage.errors import CorpusError, DiskError, LockedError, MissingFileError, ObjectStorageError
from storage.fetches.fetches import NOT_RECORDED
from storage.reasons import LEASE_LOST, MACHINE_FAULTS, SAME_PAGE, WARC_MISSING
from storage.records import Drop, Fetched, Kind, LeaseRuling, Processed
from storage.reporting import counted
from storage.warc import read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future

    from pipelines.discovery.crawler_traps import Trap
    from pipelines.runtime.workers import WorkerPool
    from pipelines.runtime.writer import CaptureArchive
    from storage.corpus import Corpus
    from storage.frontier.robots_cache import RobotsCopy
    from storage.records import Capture, Failure, Lease, Link, SiteModel, UnprocessedPage
    from storage.runs.allowance import Allowance
    from storage.warc import OriginalStore

T = TypeVar("T")

logger = logging.getLogger(__name__)

MAX_BATCH = 64
"""Maximum pages read back from the WARC at once."""
MAX_SITEMAPS, FEW_LINKS = 2, 1000
"""Maximum long sitemaps between a worker and the database, and links above which a sitemap is long.

The links of a long sitemap take up to 20 MiB, which its size does not show. Writing them takes two seconds, in which
no host gets a lease.
"""
MAX_INDEXES = 3
"""Maximum depth of nested sitemap indexes. sitemaps.org allows one level."""
TRAP_SECONDS = 7 * 86400.0
"""Seconds. The URLs of a crawler trap are not requested for this long."""
UNREADABLE = "warc_unreadable"
"""Reason of pages that wait because the disk with their WARC file failed."""


class LeftError(CorpusError):
    """The page stays in the WARC for a later run: the time of this run is over, or the machine may be at fault."""


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """Settings of a pipeline."""

    originals: OriginalStore
    models: Mapping[str, SiteModel]
    """By site: the model its pages are processed with."""
    run_id: int | None = None
    """The crawl run. None for an import and a re-extraction."""
    max_depth: Mapping[str, int] = field(default_factory=dict)
    """By site: maximum link depth. A site without an entry has no maximum."""
    feeds_only: frozenset[str] = frozenset()
    """Sites of which only feeds and sitemaps are read for links."""
    own_sources: frozenset[str] = frozenset()
    """Sites without a configured feed or sitemap: those that their start pages and robots.txt name are read."""
    again: bool = False
    """Whether the pages have an outcome already, which the new one replaces (re-extraction)."""
    max_held: int = 64
    """Maximum pages in memory between the two transactions."""
    max_held_bytes: int = 64 * 2**20
    """Maximum bytes of their bodies, as received. One page may exceed it."""
    allowances: Mapping[str, Allowance] = field(default_factory=dict)
    """By site: the nightly allowance. A site without an entry is not held back."""
    suspended: Mapping[str, int] = field(default_factory=dict)
    """By site: number of suspended URLs at the start."""
    largest_backlogs: Mapping[str, int] = field(default_factory=dict)
    """By site: the most suspended URLs since it was last whole."""


class PagePipeline:
    """Archive, process and store pages. Use it as a context manager, or call :meth:`close`.

    Coroutines run in one event loop. A worker process reads the page, and the writer's thread makes it durable.
    """

    def __init__(
        self, corpus: Corpus, archive: CaptureArchive | None, pool: WorkerPool, settings: PipelineSettings
    ) -> None:
        """``archive``: None when no new page comes in."""
        self.corpus, self.pool, self.settings = corpus, pool, settings
        self.writer = Writer(settings.run_id, archive, corpus, again=settings.again)
        self.counts = PipelineCounts()
        self.held: dict[int, int] = {}
        """Pages in memory between the two transactions: fetch id to bytes of the body."""
        self.found_hosts: set[str] = set()
        """Hosts of links stored since the dispatcher last looked."""
        self.waiting = 0
        """Known pages in the WARC that wait for room in memory."""
        self.changed = asyncio.Event()
        self.on_settled: Callable[[Lease, float | None], None] = lambda _, __: None
        """Called when a lease ends, with the time of the next attempt (epoch seconds) or None."""
        self.unread: Counter[str] = Counter()
        """By host: pages of this run that are fetched and not processed."""
        self.traps, self.dead_links = CrawlerTraps(), DeadLinks()
        self.budget = SiteBudget(settings.allowances, settings.suspended, settings.largest_backlogs)
        self.closing = False
        """Whether the run is over. Pages that wait for a worker are left to the next run."""
        self.leaving = False
        """Whether no page goes to a worker any more, although the run has not ended yet."""
        self._wakeups = Wakeups()
        self.writer.together = self._wakeups.together
        self._postponed: set[int] = set()
        """Fetch ids of pages that a later run tries again."""
        self._broken: BaseException | None = None
        # The size of a packed record does not show how much memory its body takes.
        self._reading = asyncio.Semaphore(2 * pool.size)
        self._submitted: set[Future[Processed]] = set()
        self._sitemaps = asyncio.Semaphore(MAX_SITEMAPS)
        self._sitemap_turns: set[int] = set()
        """Fetch ids of the sitemaps that hold one of the places."""
        self._seen: set[int] | None = None
        """While the drain reads the table: fetch ids that were in memory at any time."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            # A program that is interrupted does not wait for a lost database.
            self.corpus.database.patience.end()
        self.close()

    def close(self) -> None:
        """Write what is queued and end the writer. Pages that wait for a worker stay in the WARC. Safe to repeat."""
        self.closing = True
        self.writer.close()

    @property
    def error(self) -> BaseException | None:
        """The error that ends the run: the writer's, or another that stops every page."""
        return self.writer.error or self._broken

    def break_down(self, error: BaseException) -> None:
        """End the run because of an error. Everything fetched is durable."""
        if self.error is None:
            logger.error("%s; the crawl stops here", f"{type(error).__name__}: {error}".removesuffix(": "))
            self._broken = error
        self.changed.set()

    def judge(self, lease: Lease, known: bool) -> LeaseRuling:
        """Decide whether a queued URL is fetched: by the link rules of its site, and by the fate of similar URLs.

        ``known``: it was read before.
        """
        model = self.settings.models.get(lease.site)
        if model is not None and model.hosts and not scope_of(model).still_has(lease, known=known):
            return LeaseRuling.OUT_OF_SCOPE
        if known:
            return LeaseRuling.FETCH
        if self.budget.holds(lease, self.traps.is_list):
            return LeaseRuling.SUSPEND
        return LeaseRuling.LATER if self.dead_links.has(lease) else LeaseRuling.FETCH

    def take(self, lease: Lease) -> bool:
        """Count a leased page that is about to be fetched. Return False if its site may take no more tonight."""
        return self.budget.take(lease, self.traps.is_list)

    async def call(self, function: Callable[[], T]) -> T:
        """Run a database operation in the writer's thread: one thread writes, and the event loop does not block."""
        return await self._wakeups.result(self.writer.call(function))

    async def archive(self, fetched: Fetched) -> int:
        """First transaction: make an exchange durable and return its fetch id.

        Raises LeftError if another crawl has its URL now, because this one was cut off from the database meanwhile,
        and LockedError if it has the site.
        """
        try:
            fetch_id = await self._wakeups.result(self.writer.fetched(fetched))
        except LockedError:
            self.counts.postponed[LEASE_LOST] += fetched.lease is not None
            raise
        if fetch_id == NOT_RECORDED:
            self._leave_to_other(fetched)
        self.counts.exchange(fetched)
        if fetched.lease is not None:
            if fetched.reason or fetched.retry_at or fetched.original:
                self.budget.ended(fetched.lease)
            self.dead_links.note(fetched.lease, fetched.capture.status)
            self.unread[fetched.lease.host] += not (fetched.reason or fetched.retry_at or fetched.original)
            self.on_settled(fetched.lease, fetched.retry_at)
        return fetch_id

    def _leave_to_other(self, fetched: Fetched) -> NoReturn:
        self.counts.postponed[LEASE_LOST] += 1
        assert fetched.lease is not None
        self.budget.ended(fetched.lease)
        self.on_settled(fetched.lease, None)
        raise LeftError("another crawl has this URL", where=fetched.capture.url)

    async def process(
        self, capture: Capture, site: str, fetch_id: int, crashes: int = 0, model: SiteModel | None = None
    ) -> Processed:
        """Process a page in a worker, with the site's model unless one is given.

        A page that kills its worker is counted durably, so that it does not kill more after a restart. ``crashes``:
        attempts that have failed before. Long sitemaps wait for one of MAX_SITEMAPS places. Raises LeftError when
        the run has no more time for the page, or when a crawl tries it once more in a later run (`MACHINE_FAULTS`). An
        error of the pool ends the run; the page stays in the WARC.
        """

        again = self.settings.again
        if capture.kind is Kind.SITEMAP and not again:
            await self._sitemaps.acquire()
            self._sitemap_turns.add(fetch_id)
        if self.closing:
            # The next run processes it, as it does with pages in the pool's queue.
            self._end_sitemap_turn(fetch_id)
            raise asyncio.CancelledError
        try:
            processed = await self._in_worker(capture, model or self.settings.models[site], fetch_id, crashes)
        except LeftError:
            self._end_sitemap_turn(fetch_id)
            self.held.pop(fetch_id, None)
            self.changed.set()
            raise
        except Exception as error:
            self._end_sitemap_turn(fetch_id)
            self.break_down(error)
            raise
        if len(processed.links) <= FEW_LINKS:
            self._end_sitemap_turn(fetch_id)
        return processed

    async def _in_worker(self, capture: Capture, model: SiteModel, fetch_id: int, crashes: int) -> Processed:
        """Process a page in a worker. Arguments and errors as for :meth:`process`."""

        def count_crash() -> None:
            self.writer.call(lambda: self.corpus.fetches.add_crash(fetch_id)).result()

        if self.leaving:
            raise LeftError("left to the next run")
        again = self.settings.again
        # An import and a re-extraction have no later run, and follow no links.
        is_crawl = self.settings.run_id is not None and not again
        later = is_crawl and not crashes
        on_crash = (lambda: None) if again else count_crash
        submitted = self.pool.submit(capture, model, crashes, on_crash, links_wanted=is_crawl, again_later=later)
        self._submitted.add(submitted)
        try:
            processed = await self._wakeups.result(submitted)
        except asyncio.CancelledError:
            if self.leaving:
                raise LeftError("left to the next run") from None
            raise
        finally:
            self._submitted.discard(submitted)
        if later and processed.drop and processed.drop.reason in MACHINE_FAULTS:
            await self.call(lambda: self.corpus.fetches.add_crash(fetch_id))
            self._postpone(fetch_id, capture.url, processed.drop.reason)
        return processed

    def _postpone(self, fetch_id: int, url: str, reason: str) -> NoReturn:
        """Leave a page to a later run, counted by reason. Raises LeftError."""
        self._postponed.add(fetch_id)
        self.counts.postponed[reason] += 1
        logger.warning("%s waits for a later run (%s)", url, reason)
        raise LeftError("left to a later run")

    async def _wait_for_file(self, page: UnprocessedPage) -> NoReturn:
        """Leave a page to a run in whose time its WARC file is back. Raises LeftError."""
        file = page.pointer.warc
        # From now on the database leaves the pages of this file out.
        await self.call(lambda: self.corpus.warc.mark_missing([file], datetime.now(UTC)))
        self.counts.postponed[WARC_MISSING] += 1
        logger.debug("%s waits for %s", page.lease.url, file)
        raise LeftError("left to a later run")

    async def _try_later(self, page: UnprocessedPage) -> NoReturn:
        """Leave a page whose file could not be read to a later run. The first time is noted. Raises LeftError."""
        if not page.crashes:
            await self.call(lambda: self.corpus.fetches.add_crash(page.fetch_id))
        self._postpone(page.fetch_id, page.lease.url, UNREADABLE)

    async def count_waiting(self) -> int:
        """Count the pages in the WARC that this run may still process."""
        sites = tuple(self.settings.models)
        number = await self.call(lambda: self.corpus.fetches.count_unprocessed(sites))
        return max(0, number - len(self._postponed))

    def _end_sitemap_turn(self, fetch_id: int) -> None:
        """Give the place of a sitemap to the next one. Does nothing for other pages."""
        if fetch_id in self._sitemap_turns:
            self._sitemap_turns.remove(fetch_id)
            self._sitemaps.release()

    async def store(self, fetch_id: int, lease: Lease, processed: Processed, *, follow: bool = True) -> Processed:
        """Second transaction: make the outcome durable and release the page. Return the outcome as stored.

        ``follow``: whether the page's links enter the frontier.
        """
        found = (*processed.links, *await self._stated_sitemaps(lease)) if follow else ()
        processed = replace(processed, links=self._followed(lease, found))
        try:
            stored = await self._wakeups.result(self.writer.processed(fetch_id, lease, processed))
        finally:
            self.held.pop(fetch_id, None)
            self._end_sitemap_turn(fetch_id)
            self.forget_unread(lease.host)
        self.counts.outcome(stored, lease.site)
        self.found_hosts.update(link.host for link in stored.links)
        self.changed.set()
        if stored.drop is not None and stored.drop.reason == SAME_PAGE:
            self.dead_links.note_same_page(lease)
        self.budget.processed(lease, stored)
        if self.budget.lets_in(lease.site):
            await self._let_in(lease.site)
        if follow:
            # Whether a place is a trap depends on the texts read there, stored before or not.
            trap = self.traps.note(lease, processed)
            if trap is not None:
                await self._put_off(lease, trap)
        return stored

    def _followed(self, lease: Lease, links: tuple[Link, ...]) -> tuple[Link, ...]:
        """Remove links of pages whose links are not followed or are too deep, into traps, and to nested sitemaps."""
        if lease.depth >= self.settings.max_depth.get(lease.site, lease.depth + 1):
            return tuple(link for link in links if link.redirect)
        return self.traps.wanted(tuple(link for link in links if link.redirect or self._may_name(lease, link.kind)))

    def _may_name(self, lease: Lease, kind: Kind) -> bool:
        """Return whether a URL may name others of a kind. Feeds and sitemaps are named by start pages and sources."""
        if lease.kind is Kind.SITEMAP:
            return kind is not Kind.SITEMAP or lease.depth < MAX_INDEXES
        if kind is Kind.PAGE:
            return lease.kind is not Kind.PAGE or lease.site not in self.settings.feeds_only
        return lease.site in self.settings.own_sources and lease.depth <= (lease.kind is Kind.FEED)

    async def _stated_sitemaps(self, lease: Lease) -> tuple[Link, ...]:
        """Return the sitemaps that the robots.txt of a start page names, if its site has no configured source."""
        address = parse(lease.fetch_url)
        is_start = lease.kind is Kind.PAGE and lease.depth == 0 and lease.site in self.settings.own_sources
        if not is_start or address is None:
            return ()
        copy = await self.kept_robots(f"{address.scheme}://{address.host}")
        model = self.settings.models[lease.site]
        # In a thread: a long file takes a third of a second to parse.
        return await asyncio.to_thread(stated_sitemaps, copy.body, lease.fetch_url, model) if copy else ()

    async def _put_off(self, lease: Lease, trap: Trap) -> None:
        """Leave the pending URLs of a crawler trap to a later run."""
        frontier, until = self.corpus.frontier, time.time() + TRAP_SECONDS
        pages = await asyncio.to_thread(frontier.pending_pages, (lease.site, trap.host), trap.holds)
        waiting = await self.call(lambda: frontier.put_off(pages, until))
        text = "%s: nothing new in %d pages like %s; %d more wait for a week"
        logger.info(text, lease.site, trap.pages, lease.url, waiting)

    async def _let_in(self, site: str) -> None:
        """Return the suspended URLs of a site that comes to an end to the queue."""
        count = await self.call(lambda: self.corpus.frontier.try_suspended({site: MAX_BACKLOG}))
        if count:
            logger.info("%s comes to an end; %s let in", site, counted(count, "suspended URL"))
            self.found_hosts |= await self.call(lambda: {*self.corpus.frontier.hosts([site], time.time())})
            self.changed.set()

    async def fail(self, failure: Failure) -> None:
        """Record durably that a lease ended without an exchange."""
        self.budget.ended(failure.lease)
        frontier, run_id = self.corpus.frontier, self.settings.run_id
        assert run_id is not None
        await self.call(lambda: frontier.fail(run_id, [failure]))
        self.counts.failure(failure)
        self.on_settled(failure.lease, failure.retry_at)

    def pause(self, host: str, until: float) -> None:
        """Record the end (epoch seconds) of a pause that a host requested, for this run and the next."""
        frontier = self.corpus.frontier
        self.writer.call(lambda: frontier.pause(host, until))

    def keep_robots(self, copy: RobotsCopy) -> None:
        """Keep a copy of a robots.txt, for times when its host cannot serve it."""
        self.writer.call(lambda: self.corpus.frontier.keep_robots(copy))

    async def kept_robots(self, origin: str) -> RobotsCopy | None:
        """Return the last readable robots.txt of an origin."""
        return await asyncio.to_thread(self.corpus.frontier.robots, origin)

    def record(self, capture: Capture) -> None:
        """Archive an exchange without waiting for it (robots.txt, tdmrep.json)."""
        self.writer.fetched(Fetched(capture))

    def leave(self) -> None:
        """Leave to the next run the pages that no worker has begun, and those that wait in the WARC."""
        self.leaving = True
        for submitted in self._submitted:
            submitted.cancel()
        self.changed.set()

    def hold(self, fetch_id: int, size: int = 0) -> bool:
        """Take a page of ``size`` bytes into memory. Return False when it has to wait in the WARC."""
        if fetch_id in self.held:
            # The drain has found its row already.
            return False
        if len(self.held) >= self.settings.max_held or self._is_heavy:
            self.counts.spilled += 1
            self.waiting += 1
            return False
        self._hold({fetch_id: size})
        return True

    @property
    def _is_heavy(self) -> bool:
        return sum(self.held.values()) >= self.settings.max_held_bytes

    def _hold(self, pages: Mapping[int, int]) -> None:
        self.held.update(pages)
        if self._seen is not None:
            self._seen.update(pages)

    @property
    def room(self) -> int:
        """How many pages the next batch from the WARC may bring into memory."""
        bound = self.settings.max_held
        return 0 if self._is_heavy else min((bound + 1) // 2, bound - len(self.held), MAX_BATCH)

    async def drain(self) -> int:
        """Read back one batch of pages from the WARC, process and store them. Return their number."""
        room, believed = self.room, self.waiting
        if not room:
            # Other pages have taken it meanwhile.
            return 0
        self._seen = set(self.held)
        try:
            sites, limit = tuple(self.settings.models), room + len(self.held) + len(self._postponed)
            found = await asyncio.to_thread(self.corpus.fetches.unprocessed, sites, limit)
            # A page that passed through memory during the query is not waiting.
            batch = [page for page in found if page.fetch_id not in self._seen | self._postponed][:room]
        finally:
            self._seen = None
        self._hold({page.fetch_id: page.pointer.length for page in batch})
        self.waiting = max(0, self.waiting - (len(batch) or believed))
        for page in batch:
            self.settings.originals.expect(page.pointer.warc)
        await asyncio.gather(*(self.resume(page) for page in batch))
        return len(batch)

    def forget_unread(self, host: str) -> None:
        """Count one page of a host less that is fetched and not processed. Pages of an earlier run were not counted."""
        self.unread[host] -= 1
        if self.unread[host] <= 0:
            del self.unread[host]

    async def resume(self, page: UnprocessedPage) -> None:
        """Process and store a page that waits in the WARC. The links of an imported page are not followed."""
        try:
            async with self._reading:
                capture = await asyncio.to_thread(read_back, self.settings.originals, page)
                if isinstance(capture, Drop) and capture.reason == WARC_MISSING:
                    await self._wait_for_file(page)
                if isinstance(capture, Drop) and capture.reason == UNREADABLE:
                    await self._try_later(page)
                if isinstance(capture, Drop):
                    processed = Processed(drop=capture)
                else:
                    processed = await self.process(capture, page.lease.site, page.fetch_id, page.crashes)
        except LeftError:
            self.held.pop(page.fetch_id, None)
            self.forget_unread(page.lease.host)
            return
        await self.store(page.fetch_id, page.lease, processed, follow=not page.imported)


def read_back(store: OriginalStore, page: UnprocessedPage) -> Capture | Drop:
    """Read a page from the WARC. Return a drop when it cannot be read, or its file is missing.

    A disk that fails (a lost connection, a missing right) is no damage of the file, at the first attempt. A server of
    object storage that fails is never damage.
    """
    try:
        return replace(read_record(store, page.pointer), kind=page.lease.kind, terms=page.terms)
    except MissingFileError as error:
        return Drop(WARC_MISSING, str(error)[:500])
    except (CorpusError, OSError) as error:
        is_new = isinstance(error, (DiskError, OSError)) and not page.crashes
        if is_new or isinstance(error, ObjectStorageError):
            return Drop(UNREADABLE, str(error)[:500])
        logger.error("cannot read %s back from the WARC: %s", page.lease.url, error)
        return Drop("warc_damaged", str(error)[:500])
