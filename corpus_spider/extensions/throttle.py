"""Waits longer at hosts that answer slowly: a host is kept busy half of the time at most.

Scrapy's AutoThrottle knows one delay below which it never goes; here it is that of each host, Crawl-delay included.
Where there is none, as in a lab, nothing is slowed down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.extensions.throttle import AutoThrottle

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class Throttle(AutoThrottle):
    """Adapts the delay of a host to its latency after each answer, between its own delay and the longest."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._default = crawler.settings.getfloat("DOWNLOAD_DELAY")
        self._floor = self._default

    def _start_delay(self) -> float:
        return self._default

    def _response_downloaded(self, response: Response, request: Request, spider: Spider) -> None:
        assert self.crawler.engine is not None
        settings = self.crawler.engine.downloader.per_slot_settings.get(request.meta.get("download_slot", ""), {})
        self._floor = settings.get("delay", self._default)
        if self._floor:
            super()._response_downloaded(response, request, spider)

    def _adjust_delay(self, slot: Slot, latency: float, response: Response) -> None:
        """Go to what the latency asks for, at once when it grows and half-way when it falls."""
        wanted = latency / self.target_concurrency
        delay = max(self._floor, min(max(wanted, (slot.delay + wanted) / 2), self.maxdelay))
        if response.status == 200 or delay > slot.delay:
            slot.delay = delay
