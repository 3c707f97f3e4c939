"""How many requests are out at once: those that wait for a slow host take no place from those of other hosts.

Scrapy counts every request alike, whether its host sends or is silent, so that as many silent hosts as there are
places hold all others for a whole time limit.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy.core.downloader import Downloader
from scrapy.exceptions import IgnoreRequest
from twisted.internet.defer import fail

from corpus_spider.dispatch import SLOW_SECONDS
from corpus_spider.extensions.capture import LEASE

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

SLOW_SHARE = 8
"""Slow requests for each place that may be out besides those at work; each holds a connection."""


class RecalledError(IgnoreRequest):
    """A request was called back before its turn came: nothing was asked."""


class PatientDownloader(Downloader):
    """Keeps ``CONCURRENT_REQUESTS`` at work. Not counted are those that take longer than ``SLOW_SECONDS``, waiting for
    their turn included, and those to hosts that gave no answer last time.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._began: WeakKeyDictionary[Request, float] = WeakKeyDictionary()
        self._look: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_event_loop()
        self._recalled = False

    def recall(self) -> None:
        """End with RecalledError the requests of leases whose turn has not come, and those still to come: a run that is
        over would otherwise wait for the delays of its hosts, minutes where a robots.txt asks for them.
        """
        self._recalled = True
        for slot in self.slots.values():
            recalled = [(request, answer) for request, answer in slot.queue if LEASE in request.meta]
            for request, answer in recalled:
                slot.queue.remove((request, answer))
                answer.errback(RecalledError(request.url))

    def _is_recalled(self, request: Request) -> bool:
        return self._recalled and LEASE in request.meta

    async def _enqueue_request(self, request: Request) -> Response:
        """Let a request that waited for its host's robots.txt wait no longer."""
        if self._is_recalled(request):
            raise RecalledError(request.url)
        return await super()._enqueue_request(request)

    def fetch(self, request: Request, spider: Any = None) -> Any:
        """Note when a request begins."""
        if self._is_recalled(request):
            return fail(RecalledError(request.url))
        self._began.setdefault(request, time.monotonic())
        return super().fetch(request)

    def needs_backout(self) -> bool:
        """Tell whether all places are taken; if so, look again when requests may have become slow ones."""
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
        """Have the engine go on; it would wait for an answer, or for its next look in five seconds."""
        slot: Any = getattr(self.crawler.engine, "_slot", None)
        if slot is not None:
            slot.nextcall.schedule()


def _is_doubtful(request: Request, pauses: Any) -> bool:
    lease = request.meta.get(LEASE)
    return pauses is not None and lease is not None and pauses.doubtful(lease.host)
