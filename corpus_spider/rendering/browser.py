"""The browser's life: started with the first page, bounded in pages at a time, started anew after so many pages, after
a crash and when it does not obey.

Each browser is one handler (:mod:`corpus_spider.rendering.handler`), which is never started twice: a page on its way
out of an old browser cannot be taken for one of the new.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from corpus_spider.rendering.handler import RenderHandler
    from corpus_spider.rendering.visits import Limits, Visit


@dataclass(slots=True)
class _Running:
    """A browser that runs, and the pages it has shown and still shows."""

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
    """A browser that is started with the first page. Not for use by two event loops."""

    crawler: Crawler
    limits: Limits
    _running: _Running | None = None
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _places: asyncio.Semaphore | None = None

    async def render(self, visit: Visit) -> bytes:
        """Return the DOM of a page as HTML in UTF-8, once its scripts have had their time.

        Raises RenderError; StartError when there is no browser to be had.
        """
        self._places = self._places or asyncio.Semaphore(self.limits.pages)
        async with self._places:
            running = await self._enter()
            try:
                return await running.handler.render(visit)
            finally:
                await self._leave(running)

    async def close(self) -> None:
        """End the browser, whatever it is doing."""
        running, self._running = self._running, None
        if running is not None:
            await running.handler.end()

    async def _enter(self) -> _Running:
        async with self._starting:
            running = self._running
            if running is None or running.over:
                await self._retire(running)
                running = self._running = await self._start()
            running.active += 1
            running.served += 1
            running.retired = running.served >= self.limits.pages_per_browser
            return running

    async def _start(self) -> _Running:
        from corpus_spider.rendering.handler import RenderHandler

        handler = RenderHandler(self.crawler, self.limits)
        await handler.start()
        return _Running(handler)

    async def _retire(self, running: _Running | None) -> None:
        """Let a browser go; the pages it still shows are its last."""
        if running is not None:
            running.retired = True
            if not running.active:
                await running.handler.end()

    async def _leave(self, running: _Running) -> None:
        running.active -= 1
        if running.over and not running.active:
            if self._running is running:
                self._running = None
            await running.handler.end()
