"""The one spider: it takes URLs from the frontier, asks for them and yields pages. All else is decided elsewhere."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, Spider, signals

from corpus_spider.addon import loaded
from corpus_spider.dispatch import Dispatcher
from corpus_spider.extensions.capture import CAPTURE, KIND, LEASE
from corpus_spider.middlewares.wire import WIRE
from corpus_spider.policy import RetryPolicy, failure_reason
from corpus_spider.session import Session
from pipelines.stages import Page
from storage.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure as TwistedFailure

    from pipelines.line import Line
    from storage.records import Lease


class NewsSpider(Spider):
    """Crawls the newspapers of a corpus.toml. Nothing is kept in memory that a crash could lose."""

    name = "news"

    def __init__(self, session: Session, **values: Any) -> None:
        super().__init__(**values)
        self.session = session
        self.dispatcher = Dispatcher(session.line, session.dispatch_limits())
        self.policy = RetryPolicy(session.config.crawl.retries)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, session: Session | None = None, **kwargs: Any) -> Self:
        """Take the session the program has opened, or (`scrapy crawl news`) open one of its own and close it at the
        end.
        """
        owned = session is None
        spider = super().from_crawler(
            crawler, *args, session=session or Session.open(loaded(crawler.settings)), **kwargs
        )
        crawler.signals.connect(spider.ended, signals.spider_closed)
        if owned:
            crawler.signals.connect(spider.close_session, signals.engine_stopped)
        return spider

    @property
    def line(self) -> Line:
        """The line that the stages hand pages to."""
        return self.session.line

    async def start(self) -> AsyncIterator[Request]:
        """Ask for what the frontier hands out, until nothing is due."""
        async for lease in self.dispatcher.leases():
            yield self.request(lease)

    def request(self, lease: Lease) -> Request:
        """Turn a lease into a request whose body stays as it comes over the wire."""
        meta = {LEASE: lease, KIND: lease.kind, WIRE: True}
        return Request(lease.fetch_url, self.parse, errback=self.failed, meta=meta, dont_filter=True)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Page]:
        """Yield the exchange with what it means for its URL."""
        yield Page(self.policy.judge_answer(response.meta[CAPTURE], response.meta[LEASE], time.time()))

    async def failed(self, failure: TwistedFailure) -> None:
        """Note that a request brought no exchange, and why."""
        lease: Lease = failure.request.meta[LEASE]  # type: ignore[attr-defined]
        reason, passing = failure_reason(failure.value or Exception())
        # An error of disk or database is the writer's to tell; it ends the crawl.
        with suppress(CorpusError):
            await self.line.fail(self.policy.judge_failure(lease, reason, time.time(), passing=passing))

    def close_session(self) -> None:
        """End a session that this spider opened itself."""
        self.session.close(0 if self.session.ended == "finished" else 1)

    def ended(self, reason: str) -> None:
        """Keep why the crawl ended, for the exit code."""
        self.session.ended = reason
