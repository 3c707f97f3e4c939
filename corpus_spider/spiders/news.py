"""The spider: lease URLs from the frontier, request them, yield pages. Other modules make the decisions."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.resolver import dnscache

from corpus_spider.addon import loaded, slot_of
from corpus_spider.crawling.dispatcher import Dispatcher
from corpus_spider.crawling.downloader import PatientDownloader, RecalledError
from corpus_spider.crawling.retry_policy import RetryPolicy, conditions, failure_reason, pause_asked
from corpus_spider.crawling.session import Session, exit_code, log_end
from corpus_spider.extensions.capture import CAPTURE, FAULT, KIND, LEASE
from corpus_spider.middlewares.wire import WIRE
from corpus_spider.terminal.console import Console
from corpus_spider.terminal.escapes import safe
from pipelines.runtime.stages import Page
from storage.errors import CorpusError
from storage.reasons import CRAWL_DELAY, CUT_OFF, OF_HOST, REFUSED
from storage.records import Failure

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure as TwistedFailure

    from pipelines.runtime.page_pipeline import PagePipeline
    from storage.records import Capture, Lease

logger = logging.getLogger(__name__)


def _opened(crawler: Crawler) -> Session:
    """Open the session of `scrapy crawl news`. An error ends the program with its message, not with a traceback."""
    try:
        return Session.open(loaded(crawler.settings))
    except CorpusError as error:
        Console().error(f"corpus-spider: {error}")
        raise SystemExit(error.exit_code) from None


class NewsSpider(Spider):
    """Crawls the newspapers of a corpus.toml. A crash loses nothing that is only in memory."""

    name = "news"

    def __init__(self, session: Session, **values: Any) -> None:
        super().__init__(**values)
        self.session = session
        self.dispatcher = Dispatcher(session.pipeline, session.dispatch_limits(), session.host_pauses(), session.locks)
        self.policy = RetryPolicy(session.config.crawl.retries)
        self.pauses = self.dispatcher.pauses
        self._settling: set[asyncio.Task[None]] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, session: Session | None = None, **kwargs: Any) -> Self:
        """Use the session of the program, or (`scrapy crawl news`) open one and close it at the end."""
        owned = session is None
        spider = super().from_crawler(crawler, *args, session=session or _opened(crawler), **kwargs)
        crawler.signals.connect(spider.ended, signals.spider_closed)
        crawler.signals.connect(spider.stumbled, signals.spider_error)
        crawler.signals.connect(spider.dropped_by_fault, signals.item_error)
        if owned:
            crawler.signals.connect(spider.close_session, signals.engine_stopped)
        return spider

    @property
    def pipeline(self) -> PagePipeline:
        """The page pipeline of the session, used by the stages."""
        return self.session.pipeline

    async def start(self) -> AsyncIterator[Request]:
        """Request the leased URLs until nothing is due."""
        downloader = getattr(self.crawler.engine, "downloader", None)
        if isinstance(downloader, PatientDownloader):
            self.dispatcher.recall, self.dispatcher.go_on = downloader.recall, downloader.go_on
            self.dispatcher.regained = downloader.delay_next
        try:
            async for lease in self.dispatcher.leases():
                try:
                    yield self.request(lease)
                except ValueError as error:
                    logger.error("cannot request %s: %s", safe(lease.fetch_url), safe(str(error)))
                    await self.settle(Failure(lease, "invalid_url"))
        finally:
            # After an error, or a signal that Scrapy itself has handled, no other call recalls them.
            self.dispatcher.recall()

    def request(self, lease: Lease) -> Request:
        """Return the request of a lease. The body stays as it comes over the wire."""
        assert self.crawler.engine is not None
        # The site's delay also applies to a host that only a link names (a subdomain).
        slots, config = self.crawler.engine.downloader.per_slot_settings, self.session.config
        slots.setdefault(urlsplit(lease.fetch_url).hostname or "", slot_of(config, config.site(lease.site)))
        meta = {LEASE: lease, KIND: lease.kind, WIRE: True}
        headers = conditions(lease.original)
        return Request(lease.fetch_url, self.parse, errback=self.failed, headers=headers, meta=meta, dont_filter=True)

    def parse(self, response: Response, **kwargs: Any) -> list[Page]:
        """Return the exchange as classified by the retry policy.

        It is no generator: Scrapy would search the source of a generator for a return statement, for each response.
        """
        capture, lease = response.meta[CAPTURE], response.meta[LEASE]
        if pause_asked(capture, time.time()) is None:
            self.pauses.answered(lease.host)
        return [Page(self.policy.judge_answer(capture, lease, time.time(), response.meta.get(FAULT)))]

    def obey_pause(self, host: str, capture: Capture) -> None:
        """Pause a host as its response requests, in this run and the next."""
        now = time.time()
        asked = pause_asked(capture, now)
        if asked is not None:
            self.pauses.pause(host, asked, reason=f"http_{capture.status}")
            self.pipeline.pause(host, now + asked)

    async def failed(self, failure: TwistedFailure) -> None:
        """Settle a request without an exchange, with the reason."""
        lease: Lease = failure.request.meta[LEASE]  # type: ignore[attr-defined]
        if isinstance(failure.value, RecalledError):
            if self.dispatcher.is_cut_off:
                await self.settle(Failure(lease, CUT_OFF, time.time(), of_host=True))
            else:
                # The URL becomes pending at the end of the run.
                self.dispatcher.settled(lease)
            return
        reason, passing = failure_reason(failure.value or Exception())
        # Look the host up again, since it may have moved. Scrapy would not until the run ends.
        if reason not in REFUSED:
            dnscache.pop(urlsplit(lease.fetch_url).hostname or "", None)
        if reason in {"timeout", "network"}:
            self.pauses.failed(lease.host, reason)
        elif reason == CRAWL_DELAY:
            self.pauses.leave(lease.host, reason)
        elif reason in OF_HOST:
            self.pauses.pause(lease.host, reason=reason)
        await self.settle(self.policy.judge_failure(lease, reason, time.time(), passing=passing))

    async def settle(self, failure: Failure) -> None:
        """End a lease without an exchange."""
        # The writer keeps an error of disk or database, which ends the crawl.
        with suppress(CorpusError):
            await self.pipeline.fail(failure)

    def stumbled(self, failure: TwistedFailure, response: Response | TwistedFailure | None) -> None:
        """Settle the lease of a response that :meth:`parse` failed on. The crawl would wait for it otherwise."""
        request = getattr(response, "request", None)
        if request is not None and LEASE in request.meta:
            task = asyncio.ensure_future(self.settle(Failure(request.meta[LEASE], "internal_error")))
            self._settling.add(task)
            task.add_done_callback(self._settling.discard)
        else:
            self.pipeline.break_down(failure.value or Exception("the spider"))

    def dropped_by_fault(self, failure: TwistedFailure) -> None:
        """End the run when a stage raises an unexpected error. The page is in the WARC for the next run."""
        self.pipeline.break_down(failure.value or Exception("a stage"))

    def close_session(self) -> None:
        """Close a session that this spider has opened, and log how it ended, as `corpus-spider crawl` does."""
        code = exit_code(self.session, stopped=self.session.ended == "shutdown")
        self.session.close(code)
        log_end(self.session, code)

    def ended(self, reason: str) -> None:
        """Record why the crawl ended, for the exit code and the summary."""
        self.session.ended, self.session.limit = reason, self.dispatcher.limit_reached
