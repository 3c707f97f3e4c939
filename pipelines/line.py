"""The line a page travels: durable in the archive, processed in a worker, stored. Shared by the crawl's stages and the
drain.

Pages between *fetched* and *processed* are held in memory up to a bound. Beyond it a page is let go, since the WARC
and its fetch row hold it already, and is read back when there is room; that is also how a crawl takes up what a crash
left.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pipelines.discovery.barren import CrawlerTraps
from pipelines.wakeups import Wakeups
from storage.errors import CorpusError
from storage.records import Drop, Fetched, Kind, Processed
from storage.warc import read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from pipelines.discovery.barren import Trap
    from pipelines.workers import WorkerPool
    from pipelines.writer import Writer
    from storage.corpus import Corpus
    from storage.records import Capture, Failure, Lease, Link, SiteModel, Unprocessed
    from storage.robots import RobotsCopy

logger = logging.getLogger(__name__)

MAX_BATCH = 64
"""Pages read back from the WARC at once."""
MAX_SITEMAPS, FEW_LINKS = 2, 1000
"""Long sitemaps between their workers and the database, and links beyond which one is long: what it names takes up to
20 MiB, which its size does not tell, and two seconds to write, in which no other host is given anything.
"""
REFUSED = "robots"
"""The reason of a failure that is none: the site's robots.txt was obeyed."""
MAX_INDEXES = 3
"""Sitemap indexes that may lie in one another; sitemaps.org allows one."""
BARREN_SECONDS = 7 * 86400.0
"""For how long a place where nothing new was found is left alone."""
GONE = frozenset({404, 410})


def _is_gone(fetched: Fetched) -> bool:
    """Tell an article that is no longer there from a start page that never was."""
    return fetched.capture.status in GONE and fetched.lease is not None and fetched.lease.depth > 0


def _awaits_reading(fetched: Fetched) -> bool:
    return not (fetched.reason or fetched.retry_at or fetched.original)


@dataclass(slots=True)
class LineCounts:
    """What went through, for progress and the run's summary."""

    pages: int = 0
    answered: int = 0
    """Pages with a success or redirect status, and those further in that are gone: that too is an answer."""
    documents: int = 0
    unchanged: int = 0
    """Answers that were those there had been: nothing to read."""
    bytes: int = 0
    spilled: int = 0
    drops: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    """Tries that failed, by reason: a URL that is asked for three times in vain counts three times."""
    refused: int = 0
    """URLs that robots.txt does not allow to be asked for."""
    refused_sources: int = 0
    """Those of them that a crawl starts from."""
    first_failure: str = ""
    """Reason and host of the first failure."""

    def exchange(self, fetched: Fetched) -> None:
        """Count one durable exchange."""
        self.pages += 1
        self.bytes += len(fetched.capture.body)
        self.answered += fetched.capture.status < 400 or _is_gone(fetched)
        self.unchanged += fetched.original is not None
        if fetched.reason:
            self._failed(fetched.reason, fetched.lease)

    def failure(self, failure: Failure) -> None:
        """Count one lease that brought no exchange."""
        if failure.reason == REFUSED:
            self.refused += 1
            self.refused_sources += failure.lease.depth == 0
        else:
            self._failed(failure.reason, failure.lease)

    def _failed(self, reason: str, lease: Lease | None) -> None:
        self.failures[reason] += 1
        self.first_failure = self.first_failure or (f"{reason} ({lease.host})" if lease else reason)

    def outcome(self, processed: Processed) -> None:
        """Count the outcome of one page."""
        if processed.document is not None:
            self.documents += 1
        elif processed.drop is not None:
            self.drops[processed.drop.reason] += 1


@dataclass(frozen=True, slots=True)
class LineParts:
    """What the line is made of."""

    run_id: int
    corpus: Corpus
    writer: Writer
    pool: WorkerPool
    warc_folder: Path
    models: Mapping[str, SiteModel]
    max_depth: Mapping[str, int]
    bound: int = 64
    """Pages held in memory between the two transactions, at most."""
    bound_bytes: int = 64 * 2**20
    """And of their bodies, as received, so many bytes; one page may go beyond it."""


class LeftError(CorpusError):
    """A page is left to the next run, since the time of this one is over: it waits in the WARC."""


class Line:
    """Archive, process and store pages; every method is awaited from the event loop, the work happens elsewhere."""

    def __init__(self, parts: LineParts) -> None:
        self.parts = parts
        self.counts = LineCounts()
        self.held: dict[int, int] = {}
        """Fetch ids in memory, between the two transactions, with the bytes of their bodies."""
        self.found_hosts: set[str] = set()
        """Hosts of links stored since the dispatcher last looked."""
        self.waiting = 0
        """Pages known to wait in the WARC for a place in memory."""
        self.changed = asyncio.Event()
        self.on_settled: Callable[[Lease, float | None], None] = lambda _, __: None
        """Called once a lease is over, its exchange being durable or there being none, with when it is asked again."""
        self.unread: Counter[str] = Counter()
        """By host, pages of this run that are durable and of which it is not yet known what came of them."""
        self.barren = CrawlerTraps()
        self._wakeups = Wakeups()
        parts.writer.together = self._wakeups.together
        self._broken: BaseException | None = None
        self._reading = asyncio.Semaphore(2 * parts.pool.size)
        """Pages from the WARC in memory: what a body takes there its packed record does not tell."""
        self.closing = False
        """Whether the run is over: what waits for its turn has none any more."""
        self.leaving = False
        """Whether no page is given to a worker any more, though the run has still to come to its end."""
        self._asked: set[Future[Processed]] = set()
        """What workers were asked for."""
        self._sitemaps = asyncio.Semaphore(MAX_SITEMAPS)
        self._in_turn: set[int] = set()
        """Fetch ids of the sitemaps whose turn it is."""
        self._seen: set[int] | None = None
        """While the drain looks at the table: the fetch ids that were in memory at any time."""

    @property
    def error(self) -> BaseException | None:
        """What ends the run: the error that stopped the writer, or another that cannot be gone on from."""
        return self.parts.writer.error or self._broken

    def break_down(self, error: BaseException) -> None:
        """End the run: better to stop, with everything durable, than to wait for what will not come."""
        if self.error is None:
            logger.error("%s; the crawl stops here", f"{type(error).__name__}: {error}".removesuffix(": "))
            self._broken = error
        self.changed.set()

    async def archive(self, fetched: Fetched) -> int:
        """Make an exchange durable and return its fetch id."""
        fetch_id = await self._wakeups.result(self.parts.writer.fetched(fetched))
        self.counts.exchange(fetched)
        if fetched.lease is not None:
            self.unread[fetched.lease.host] += _awaits_reading(fetched)
            self.on_settled(fetched.lease, fetched.retry_at)
        return fetch_id

    async def fail(self, failure: Failure) -> None:
        """Note durably that a lease brought no exchange."""
        frontier, run_id = self.parts.corpus.frontier, self.parts.run_id
        await self._wakeups.result(self.parts.writer.call(lambda: frontier.fail(run_id, [failure])))
        self.counts.failure(failure)
        self.on_settled(failure.lease, failure.retry_at)

    def pause(self, host: str, until: float) -> None:
        """Note durably until when (epoch seconds) a host asked to be left alone, so that the next run knows too."""
        frontier = self.parts.corpus.frontier
        self.parts.writer.call(lambda: frontier.pause(host, until))

    def keep_robots(self, copy: RobotsCopy) -> None:
        """Keep a robots.txt for when its host does not give it."""
        corpus = self.parts.corpus
        self.parts.writer.call(lambda: corpus.keep_robots(copy))

    async def kept_robots(self, origin: str) -> RobotsCopy | None:
        """Return the last robots.txt of an origin that could be read."""
        return await asyncio.to_thread(self.parts.corpus.robots, origin)

    def record(self, capture: Capture) -> None:
        """Archive an exchange that nobody waits for (robots.txt, tdmrep.json)."""
        self.parts.writer.fetched(Fetched(capture))

    def hold(self, fetch_id: int, size: int = 0) -> bool:
        """Take a page of so many bytes into memory; False when it is full and the page has to wait in the WARC."""
        if fetch_id in self.held:
            # The drain found the row before its page got here.
            return False
        if len(self.held) >= self.parts.bound or self._heavy:
            self.counts.spilled += 1
            self.waiting += 1
            return False
        self._hold({fetch_id: size})
        return True

    @property
    def _heavy(self) -> bool:
        return sum(self.held.values()) >= self.parts.bound_bytes

    def _hold(self, pages: Mapping[int, int]) -> None:
        self.held.update(pages)
        if self._seen is not None:
            self._seen.update(pages)

    async def process(self, capture: Capture, site: str, fetch_id: int, crashes: int = 0) -> Processed:
        """Run the page function in a worker. When there are no workers to be had the run ends; the page is kept.

        Workers that the page costs are counted durably, so that it costs no more of them after a kill of the program.
        A sitemap waits for its turn, which is over when it has shown to be short, or is stored. Raises LeftError when
        there is no more time for the page.
        """
        parts = self.parts
        if capture.kind is Kind.SITEMAP:
            await self._sitemaps.acquire()
            self._in_turn.add(fetch_id)
        if self.closing:
            # As those that wait in the pool's own queue: the next run reads it.
            self._end_turn(fetch_id)
            raise asyncio.CancelledError

        def count() -> None:
            parts.writer.call(lambda: parts.corpus.add_crash(fetch_id)).result()

        try:
            processed = await self._answer(lambda: parts.pool.submit(capture, parts.models[site], crashes, count))
        except LeftError:
            self._end_turn(fetch_id)
            self.held.pop(fetch_id, None)
            self.changed.set()
            raise
        except Exception as error:
            self._end_turn(fetch_id)
            self.break_down(error)
            raise
        if len(processed.links) <= FEW_LINKS:
            self._end_turn(fetch_id)
        return processed

    async def _answer(self, ask: Callable[[], Future[Processed]]) -> Processed:
        """Wait for what a worker says, unless there is no more time to ask it; raises LeftError then."""
        if self.leaving:
            raise LeftError("left to the next run")
        asked = ask()
        self._asked.add(asked)
        try:
            return await self._wakeups.result(asked)
        except asyncio.CancelledError:
            if self.leaving:
                raise LeftError("left to the next run") from None
            raise
        finally:
            self._asked.discard(asked)

    def leave(self) -> None:
        """Leave to the next run what no worker has begun to read, and what waits in the WARC."""
        self.leaving = True
        for asked in self._asked:
            asked.cancel()
        self.changed.set()

    def _end_turn(self, fetch_id: int) -> None:
        """Let the next sitemap have its turn, if it was the turn of one."""
        if fetch_id in self._in_turn:
            self._in_turn.remove(fetch_id)
            self._sitemaps.release()

    async def store(self, fetch_id: int, lease: Lease, processed: Processed) -> None:
        """Make the outcome durable and let the page go."""
        processed = replace(processed, links=self._followed(lease, processed.links))
        try:
            written = await self._wakeups.result(self.parts.writer.processed(fetch_id, lease, processed))
        finally:
            self.held.pop(fetch_id, None)
            self._end_turn(fetch_id)
            self._note_read(lease.host)
        self.counts.outcome(written)
        self.found_hosts.update(link.host for link in written.links)
        self.changed.set()
        # Whether a place gives anything new is told by the texts that were read there, stored before or not.
        shut = self.barren.note(lease, processed)
        if shut is not None:
            await self._put_off(lease, shut)

    def _note_read(self, host: str) -> None:
        self.unread[host] -= 1
        if self.unread[host] <= 0:
            # Pages that an earlier run has left were not counted.
            del self.unread[host]

    def _followed(self, lease: Lease, links: tuple[Link, ...]) -> tuple[Link, ...]:
        """Leave out links below the site's depth limit, into places that give nothing new, and to sitemaps that only
        indexes of indexes of indexes name.
        """
        if lease.depth >= self.parts.max_depth.get(lease.site, lease.depth + 1):
            return tuple(link for link in links if link.redirect)
        if lease.kind is Kind.SITEMAP and lease.depth >= MAX_INDEXES:
            links = tuple(link for link in links if link.redirect or link.kind is not Kind.SITEMAP)
        return self.barren.wanted(links)

    async def _put_off(self, lease: Lease, shut: Trap) -> None:
        """Leave what waits in a barren place to a later run."""
        frontier, until = self.parts.corpus.frontier, time.time() + BARREN_SECONDS
        pages = await asyncio.to_thread(frontier.pending_pages, (lease.site, shut.host), shut.holds)
        waiting = await self._wakeups.result(self.parts.writer.call(lambda: frontier.put_off(pages, until)))
        text = "%s: nothing new in %d pages like %s; %d more wait for a week"
        logger.info(text, lease.site, shut.pages, lease.url, waiting)

    @property
    def room(self) -> int:
        """How many pages the next batch from the WARC may bring into memory."""
        return 0 if self._heavy else min((self.parts.bound + 1) // 2, self.parts.bound - len(self.held), MAX_BATCH)

    async def drain(self) -> int:
        """Read back one batch of pages that wait in the WARC, process and store them; return how many there were."""
        room, believed = self.room, self.waiting
        if not room:
            # It was taken between the look at it and now: what waits still does.
            return 0
        batch = await self._not_in_memory(room)
        self._hold({page.fetch_id: page.pointer.length for page in batch})
        self.waiting = max(0, self.waiting - (len(batch) or believed))
        await asyncio.gather(*(self._take_up(page) for page in batch))
        return len(batch)

    async def _not_in_memory(self, room: int) -> list[Unprocessed]:
        """Look for pages that wait in the WARC; one that passes through memory meanwhile is none of them."""
        self._seen = set(self.held)
        try:
            sites, limit = tuple(self.parts.models), room + len(self.held)
            found = await asyncio.to_thread(self.parts.corpus.unprocessed, sites, limit)
            return [page for page in found if page.fetch_id not in self._seen][:room]
        finally:
            self._seen = None

    async def _take_up(self, page: Unprocessed) -> None:
        try:
            processed = await self._processed(page)
        except LeftError:
            return
        processed = replace(processed, links=()) if page.imported else processed
        await self.store(page.fetch_id, page.lease, processed)

    async def _processed(self, page: Unprocessed) -> Processed:
        async with self._reading:
            capture = await asyncio.to_thread(read_back, self.parts.warc_folder, page)
            if isinstance(capture, Drop):
                return Processed(drop=capture)
            return await self.process(capture, page.lease.site, page.fetch_id, page.crashes)


def read_back(folder: Path, page: Unprocessed) -> Capture | Drop:
    """Read a page that waits in the WARC, or say that it cannot be read."""
    try:
        return replace(read_record(folder, page.pointer), kind=page.lease.kind, terms=page.terms)
    except (CorpusError, OSError) as error:
        logger.error("cannot read %s back from the WARC: %s", page.lease.url, error)
        return Drop("warc_damaged", str(error)[:500])
