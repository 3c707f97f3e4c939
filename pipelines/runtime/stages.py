"""Scrapy item pipelines: archive, process, store. Each one calls the page pipeline and drops with a reason."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import DropItem

from pipelines.runtime.page_pipeline import LeftError
from storage.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

    from pipelines.runtime.page_pipeline import PagePipeline
    from storage.records import Fetched, Processed


@dataclass(frozen=True, slots=True)
class Page:
    """Item of a spider: one exchange of a leased URL. The stages add the fetch id and the outcome."""

    fetched: Fetched
    fetch_id: int = 0
    processed: Processed | None = None


class Stage:
    """Base of the stages."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the stage (Scrapy's way)."""
        return cls(crawler)

    @property
    def pipeline(self) -> PagePipeline:
        """The page pipeline of the running spider."""
        pipeline: PagePipeline = self.crawler.spider.pipeline  # type: ignore[union-attr]
        return pipeline

    def dropped(self, reason: str) -> DropItem:
        """Return the exception that ends the way of a page in Scrapy."""
        return DropItem(reason, log_level="DEBUG")

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Turn an error of disk, database or system into a drop. The pipeline keeps it and ends the crawl with it."""
        try:
            yield
        except CorpusError as error:
            raise self.dropped("not_written") from error


class ArchiveStage(Stage):
    """First transaction: the exchange is in the WARC and its row is committed, or the crawl stops."""

    async def process_item(self, page: Page) -> Page:
        """Wait until the exchange is durable. Drop pages without processing, and those that exceed the memory limit."""
        with self.ending():
            fetch_id = await self.pipeline.archive(page.fetched)
        if page.fetched.original:
            raise self.dropped("unchanged")
        if page.fetched.reason or page.fetched.retry_at:
            raise self.dropped(page.fetched.reason or "retry")
        if not self.pipeline.hold(fetch_id, len(page.fetched.capture.body)):
            raise self.dropped("spilled")
        return replace(page, fetch_id=fetch_id)


class ProcessStage(Stage):
    """Process the page in a worker."""

    async def process_item(self, page: Page) -> Page:
        """Wait for the worker's result."""
        lease = page.fetched.lease
        assert lease is not None
        with self.ending():
            try:
                processed = await self.pipeline.process(page.fetched.capture, lease.site, page.fetch_id)
            except LeftError:
                self.pipeline.forget_unread(lease.host)
                raise
        return replace(page, processed=processed)


class StoreStage(Stage):
    """Second transaction: document or drop, links, fingerprints, state of the URL."""

    async def process_item(self, page: Page) -> Page:
        """Wait until the outcome is durable."""
        lease, processed = page.fetched.lease, page.processed
        assert lease is not None
        assert processed is not None
        with self.ending():
            await self.pipeline.store(page.fetch_id, lease, processed)
        return page
