"""Wait longer for slow hosts, so that a host is busy at most half of the time.

Scrapy's AutoThrottle has one minimum delay for all hosts. Here each host has its own, including Crawl-delay. Without a
delay, as in tests, nothing is throttled.
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
    """Adapts the delay of a host to its latency after each response, between its own delay and the maximum."""

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
        """Raise the delay at once if the latency grows; lower it half-way if the latency falls."""
        wanted = latency / self.target_concurrency
        delay = max(self._floor, min(max(wanted, (slot.delay + wanted) / 2), self.maxdelay))
        if response.status == 200 or delay > slot.delay:
            slot.delay = delay
