"""Thin Scrapy shells around the line: archive, process, store. Each hands over, counts, and drops with a reason."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import DropItem

from storage.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

    from pipelines.line import Line
    from storage.records import Fetched, Processed


@dataclass(frozen=True, slots=True)
class Page:
    """The item a spider yields: one exchange of a leased URL; the stages add what they know."""

    fetched: Fetched
    fetch_id: int = 0
    processed: Processed | None = None


class Stage:
    """What the stages have in common: the spider's line, and how a writer's error ends the crawl."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the stage (Scrapy's way)."""
        return cls(crawler)

    @property
    def line(self) -> Line:
        """The line of the running spider."""
        line: Line = self.crawler.spider.line  # type: ignore[union-attr]
        return line

    def dropped(self, reason: str) -> DropItem:
        """Return what Scrapy wants raised for a page that goes no further."""
        return DropItem(reason, log_level="DEBUG")

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Turn an error of disk, database or system, which is logged and the crawl ends with, into a plain drop."""
        try:
            yield
        except CorpusError as error:
            raise self.dropped("not_written") from error


class Archive(Stage):
    """First transaction: the exchange is in the WARC and its row committed, or the crawl stops."""

    async def process_item(self, page: Page) -> Page:
        """Wait until the exchange is durable; let go of pages that need no processing or find the backlog full."""
        with self.ending():
            fetch_id = await self.line.archive(page.fetched)
        if page.fetched.original:
            raise self.dropped("unchanged")
        if page.fetched.reason or page.fetched.retry_at:
            raise self.dropped(page.fetched.reason or "retry")
        if not self.line.hold(fetch_id, len(page.fetched.capture.body)):
            raise self.dropped("spilled")
        return replace(page, fetch_id=fetch_id)


class Process(Stage):
    """The page function, in a worker."""

    async def process_item(self, page: Page) -> Page:
        """Wait for the worker's answer."""
        lease = page.fetched.lease
        assert lease is not None
        with self.ending():
            return replace(page, processed=await self.line.process(page.fetched.capture, lease.site, page.fetch_id))


class Store(Stage):
    """Second transaction: document or drop, links, fingerprints, the URL done."""

    async def process_item(self, page: Page) -> Page:
        """Wait until the outcome is durable."""
        lease, processed = page.fetched.lease, page.processed
        assert lease is not None
        assert processed is not None
        with self.ending():
            await self.line.store(page.fetch_id, lease, processed)
        return page
