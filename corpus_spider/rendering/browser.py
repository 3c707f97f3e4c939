"""Life cycle of the browser: start with the first page, limit parallel pages, restart after many pages or a crash.

Each browser is one handler (:mod:`corpus_spider.rendering.handler`), which is started only once. So a page of an old
browser cannot be confused with a page of the new one.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from corpus_spider.rendering.handler import RenderHandler
    from corpus_spider.rendering.visits import BrowserLimits, RenderVisit


@dataclass(slots=True)
class _RunningBrowser:
    """A running browser, the number of its open pages, and of all its pages."""

    handler: RenderHandler
    active: int = 0
    served: int = 0
    retired: bool = False

    @property
    def over(self) -> bool:
        """Whether it gets no more pages."""
        return self.retired or not self.handler.alive


@dataclass(slots=True)
class Browser:
    """Renders pages. Starts a browser with the first page. Not for use by two event loops."""

    crawler: Crawler
    limits: BrowserLimits
    _running: _RunningBrowser | None = None
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _places: asyncio.Semaphore | None = None

    async def render(self, visit: RenderVisit) -> bytes:
        """Return the DOM of a page as HTML in UTF-8, after its scripts have run.

        Raises RenderError, or StartError if no browser starts.
        """
        self._places = self._places or asyncio.Semaphore(self.limits.pages)
        async with self._places:
            running = await self._enter()
            try:
                return await running.handler.render(visit)
            finally:
                await self._leave(running)

    async def close(self) -> None:
        """Close the browser, also while it renders."""
        running, self._running = self._running, None
        if running is not None:
            await running.handler.end()

    async def _enter(self) -> _RunningBrowser:
        async with self._starting:
            running = self._running
            if running is None or running.over:
                await self._retire(running)
                from corpus_spider.rendering.handler import RenderHandler

                handler = RenderHandler(self.crawler, self.limits)
                await handler.start()
                running = self._running = _RunningBrowser(handler)
            running.active += 1
            running.served += 1
            running.retired = running.served >= self.limits.pages_per_browser
            return running

    async def _retire(self, running: _RunningBrowser | None) -> None:
        """Give a browser no more pages. It is closed after its last open page."""
        if running is not None:
            running.retired = True
            if not running.active:
                await running.handler.end()

    async def _leave(self, running: _RunningBrowser) -> None:
        running.active -= 1
        if running.over and not running.active:
            if self._running is running:
                self._running = None
            await running.handler.end()
