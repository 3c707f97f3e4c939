"""Concurrency limit of requests that slow hosts do not use up.

Scrapy counts every request, also to hosts that are silent. As many silent hosts as `CONCURRENT_REQUESTS` would block
all others for a whole timeout.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from scrapy.core.downloader import Downloader
from scrapy.exceptions import IgnoreRequest
from twisted.internet.defer import fail

from corpus_spider.crawling.dispatcher import SLOW_SECONDS
from corpus_spider.extensions.capture import LEASE

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response

SLOW_SHARE = 8
"""Maximum slow requests for each place of `CONCURRENT_REQUESTS`. Each holds a connection."""


class RecalledError(IgnoreRequest):
    """A request was recalled before it was sent."""


class PatientDownloader(Downloader):
    """Keeps ``CONCURRENT_REQUESTS`` at work. Slow requests do not count: those that take longer than ``SLOW_SECONDS``,
    including the wait for their turn, and those to hosts that did not respond last time.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._began: WeakKeyDictionary[Request, float] = WeakKeyDictionary()
        self._requested: dict[str, float] = {}
        """By host: when another crawl may have requested it."""
        self._look: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_event_loop()
        self._recalled = False

    def delay_next(self, host: str) -> None:
        """Let the next request to a host wait for its delay. Another crawl may have requested the host just before."""
        name = urlsplit(f"//{host}").hostname or ""
        self._requested[name] = time.monotonic()
        if (slot := self.slots.get(name)) is not None:
            slot.lastseen = self._requested[name]

    def _get_slot(self, request: Request, spider: Any = None) -> tuple[str, Slot]:
        """Return the slot of a request's host. A new one begins as :meth:`delay_next` says."""
        key, slot = super()._get_slot(request)
        slot.lastseen = slot.lastseen or self._requested.get(key, 0.0)
        return key, slot

    def recall(self) -> None:
        """End unsent and later requests of leases with RecalledError.

        A run that is over would otherwise wait for the delays of its hosts, which can be minutes by robots.txt.
        """
        self._recalled = True
        for slot in self.slots.values():
            recalled = [(request, answer) for request, answer in slot.queue if LEASE in request.meta]
            for request, answer in recalled:
                slot.queue.remove((request, answer))
                answer.errback(RecalledError(request.url))

    def go_on(self) -> None:
        """Send requests of leases again."""
        self._recalled = False

    def _is_recalled(self, request: Request) -> bool:
        return self._recalled and LEASE in request.meta

    async def _enqueue_request(self, request: Request) -> Response:
        """Recall a request that waited for its host's robots.txt."""
        if self._is_recalled(request):
            raise RecalledError(request.url)
        return await super()._enqueue_request(request)

    def fetch(self, request: Request, spider: Any = None) -> Any:
        """Record when a request begins."""
        if self._is_recalled(request):
            return fail(RecalledError(request.url))
        self._began.setdefault(request, time.monotonic())
        return super().fetch(request)

    def needs_backout(self) -> bool:
        """Return whether all places are taken. If so, check again when a request may have become slow."""
        places, out = self.total_concurrency, len(self.active)
        if not places or out < places:
            return False
        if out < (1 + SLOW_SHARE) * places and self._at_work() < places:
            return False
        self._look_again()
        return True

    def _at_work(self) -> int:
        pauses = getattr(self.crawler.spider, "pauses", None)
        early = time.monotonic() - SLOW_SECONDS
        return sum(
            self._began.get(request, early) > early and not _is_doubtful(request, pauses) for request in self.active
        )

    def _look_again(self) -> None:
        if self._look is None or self._look.when() < self._loop.time():
            self._look = self._loop.call_later(SLOW_SECONDS / 2, self._wake)

    def _wake(self) -> None:
        """Wake the engine. It would wait for a response, or for its next check in five seconds."""
        slot: Any = getattr(self.crawler.engine, "_slot", None)
        if slot is not None:
            slot.nextcall.schedule()


def _is_doubtful(request: Request, pauses: Any) -> bool:
    lease = request.meta.get(LEASE)
    return pauses is not None and lease is not None and pauses.doubtful(lease.host)
