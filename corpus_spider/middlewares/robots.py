"""robots.txt as RFC 9309 has it: unreachable is disallow, missing is allow, five redirects, the first 500 KiB count.

Scrapy's own middleware reads a server error, a timeout and an oversized file as "allow all" and never applies Crawl-
delay.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin, urlsplit

from protego import Protego
from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from corpus_spider.console import safe
from corpus_spider.extensions.capture import CAPTURE, KIND, MAX_BODY
from corpus_spider.middlewares.refusal import RefusalError
from corpus_spider.middlewares.wire import WIRE
from pipelines.inflate import InflateError, inflate
from storage.records import Kind

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

MAX_BYTES = 500 * 1024
MAX_REDIRECTS = 5
MAX_CRAWL_DELAY = 120.0
REDIRECTS = frozenset({301, 302, 303, 307, 308})
ROBOTS = "corpus_robots"


class UnreachableError(Exception):
    """robots.txt could not be had: for now everything is disallowed (RFC 9309, 2.3.1.4)."""


def rules_of(status: int, body: bytes) -> Protego:
    """Read an answer to a request for robots.txt (RFC 9309, 2.3.1). Raises UnreachableError for server errors. Pure."""
    if status == 429 or status >= 500:
        raise UnreachableError(f"status {status}")
    if not 200 <= status < 300:
        return Protego.parse("")
    return Protego.parse(body[:MAX_BYTES].decode("utf-8-sig", "replace"))


class RobotsMiddleware:
    """Asks each host once a run and holds its requests until the answer is there."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._agent: str = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"]
        self._rules: dict[str, asyncio.Future[Protego]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware (Scrapy's way)."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Raise RefusalError when robots.txt forbids the URL, or cannot be had."""
        if request.meta.get(ROBOTS):
            return
        try:
            rules = await asyncio.shield(self._rules_for(request.url))
        except UnreachableError as error:
            raise RefusalError("robots_unreachable", str(error), retry=True) from error
        if not rules.can_fetch(request.url, self._agent):
            raise RefusalError("robots", request.url)

    def _rules_for(self, url: str) -> asyncio.Future[Protego]:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._rules:
            asking = self._rules[origin] = asyncio.ensure_future(self._ask(origin))
            asking.add_done_callback(lambda asked: self._forget(origin, asked))
        return self._rules[origin]

    def _forget(self, origin: str, asked: asyncio.Future[Protego]) -> None:
        """Ask again when the host is asked again, after its pause, if it could not be had."""
        if asked.cancelled() or asked.exception() is not None:
            del self._rules[origin]

    async def _ask(self, origin: str) -> Protego:
        """Fetch and read robots.txt, following redirects; whatever goes wrong on the way counts as unreachable."""
        url = f"{origin}/robots.txt"
        try:
            for _ in range(MAX_REDIRECTS + 1):
                response = await self._fetch(url)
                location = response.headers.get("Location")
                if response.status not in REDIRECTS or not location:
                    return self._read(response, origin)
                url = urljoin(url, location.decode("latin-1"))
        except UnreachableError:
            raise
        except Exception as error:
            logger.info("robots.txt of %s: %s", origin, safe(str(error)))
            raise UnreachableError(type(error).__name__) from error
        return Protego.parse("")

    async def _fetch(self, url: str) -> Response:
        assert self._crawler.engine is not None
        meta = {ROBOTS: True, WIRE: True, KIND: Kind.ROBOTS, MAX_BODY: 2 * MAX_BYTES}
        return await self._crawler.engine.download_async(Request(url, priority=1000, meta=meta, callback=NO_CALLBACK))

    def _read(self, response: Response, origin: str) -> Protego:
        capture = response.meta.get(CAPTURE)
        if capture is not None and capture.truncated in {"disconnect", "time"}:
            # What is missing may be what forbids; only a file beyond the limit may be read in part.
            raise UnreachableError(f"truncated ({capture.truncated})")
        encoding = (response.headers.get("Content-Encoding") or b"").decode("latin-1")
        try:
            body = inflate(response.body, encoding, limit=16 * MAX_BYTES)
        except InflateError as error:
            raise UnreachableError(f"body {error.reason}") from error
        rules = rules_of(response.status, body)
        self._slow_down(origin, rules.crawl_delay(self._agent))
        return rules

    def _slow_down(self, origin: str, delay: float | None) -> None:
        """Apply Crawl-delay as the floor of the host's slot, in force and to come."""
        if not delay:
            return
        downloader = self._crawler.engine.downloader
        key = urlsplit(origin).hostname or ""
        wanted = max(min(float(delay), MAX_CRAWL_DELAY), self._crawler.settings.getfloat("DOWNLOAD_DELAY"))
        settings = dict(downloader.per_slot_settings.get(key, {}))
        settings["delay"] = max(wanted, settings.get("delay") or 0.0)
        downloader.per_slot_settings[key] = settings
        if key in downloader.slots:
            downloader.slots[key].delay = settings["delay"]
