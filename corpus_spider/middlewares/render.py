"""Render the pages of sites with ``render = true`` in a browser, and fetch what their scripts request.

The page itself is fetched like any other. Here its capture gets the DOM from the browser, besides the original bytes.
Requests of scripts pass the same middlewares (guard, robots.txt) and the same resolver. They have no delay, but at most
``per_host`` run in parallel. Each script is fetched once a run. Only GET is allowed. Cookies are neither stored nor
sent.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urljoin, urlsplit

from scrapy import Request, signals
from scrapy.exceptions import NotConfigured
from scrapy.http.request import NO_CALLBACK

from corpus_spider.extensions.capture import CAPTURE, FAULT, LEASE, PART
from corpus_spider.middlewares.wire import WIRE
from corpus_spider.rendering.browser import Browser
from corpus_spider.rendering.chromium import NO_BROWSER
from corpus_spider.rendering.visits import (
    BrowserLimits,
    PageRequest,
    RenderError,
    RenderVisit,
    ScriptResponse,
    StartError,
)
from corpus_spider.terminal.escapes import safe
from pipelines.decoding.decode import decode
from pipelines.urls.url import MAX_REDIRECTS, REDIRECTS
from storage.bytes.content_encoding import InflateError, inflate
from storage.bytes.mime import PAGES, charset_of, sniff
from storage.errors import ConfigError
from storage.reasons import HOST_PAUSED
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from storage.records import Capture

logger = logging.getLogger(__name__)

PART_SECONDS = 15.0
"""Seconds. Timeout of a script's request."""
CACHE_BYTES = 64 * 2**20
"""Maximum bytes of the cache of scripts."""
NOT_SENT = ("host", "cookie", "user-agent", "accept-encoding", "content-length", "connection", "proxy-", "sec-", ":")
"""Prefixes of request headers of the browser that are not sent: the crawl sets them, or they reveal the browser."""
NOT_GIVEN = frozenset(
    {"content-encoding", "content-length", "transfer-encoding", "connection", "set-cookie", "alt-svc", "link"}
)
"""Response headers that the browser does not get: they describe the connection or set cookies."""


class RenderMiddleware:
    """Renders pages. Disabled in crawls in which no site has ``render = true``."""

    def __init__(self, crawler: Crawler, browser: Browser, languages: Mapping[str, str]) -> None:
        self._crawler, self._browser, self._languages = crawler, browser, languages
        self._scripts = _Scripts()
        self._asking: dict[str, asyncio.Future[ScriptResponse | None]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from ``CORPUS_RENDER`` (the languages of the sites to render, by name) and ``CORPUS_BROWSER``."""
        settings = crawler.settings
        languages: dict[str, str] = settings.getdict("CORPUS_RENDER")
        if not languages:
            raise NotConfigured
        timeout = settings.getfloat("DOWNLOAD_TIMEOUT")
        limits = BrowserLimits(Path(settings["CORPUS_BROWSER"]), settings["USER_AGENT"], timeout)
        middleware = cls(crawler, Browser(crawler, limits), languages)
        crawler.signals.connect(middleware.closed, signals.spider_closed)
        return middleware

    async def process_response(self, request: Request, response: Response) -> Response:
        """Add the rendered DOM to the capture of a page, or the reason of a failure to the request."""
        lease, capture = request.meta.get(LEASE), request.meta.get(CAPTURE)
        if lease is None or capture is None or lease.site not in self._languages:
            return response
        html = await asyncio.to_thread(shell, capture)
        if html is not None:
            visit = RenderVisit(capture.url, html, self._answer, self._languages[lease.site])
            # asyncio.timeout needs a task.
            await asyncio.ensure_future(self._render(request, capture, visit))
        return response

    async def closed(self) -> None:
        """Close the browser at the end of the crawl."""
        await self._browser.close()

    async def _render(self, request: Request, capture: Capture, visit: RenderVisit) -> None:
        try:
            rendered = await self._browser.render(visit)
        except RenderError as error:
            request.meta[FAULT] = error.reason
        except StartError as error:
            request.meta[FAULT] = "render_crash"
            stop = ConfigError(f"the browser does not start: {safe(str(error))}", do=NO_BROWSER)
            self._crawler.spider.pipeline.break_down(stop)  # type: ignore[union-attr]
        else:
            request.meta[CAPTURE] = replace(capture, rendered=rendered)

    async def _answer(self, asked: PageRequest) -> ScriptResponse | None:
        """Return the response to a request of a script, after redirects; None if it is refused or fails."""
        if not asked.script:
            return await self._try(asked)
        known = self._scripts.get(asked.url)
        if known is not None:
            return known
        # Pages that render in parallel share one request. If one of them ends, the others still get the response.
        asking = self._asking.get(asked.url)
        if asking is None:
            asking = self._asking[asked.url] = asyncio.ensure_future(self._keep(asked))
            asking.add_done_callback(lambda _: self._asking.pop(asked.url, None))
        return await asyncio.shield(asking)

    async def _keep(self, asked: PageRequest) -> ScriptResponse | None:
        part = await self._try(asked)
        if part is not None and part.status == 200:
            self._scripts.keep(asked.url, part)
        return part

    async def _try(self, asked: PageRequest) -> ScriptResponse | None:
        try:
            return await self._ask(asked)
        except Exception as error:  # noqa: BLE001 - the edge of a stage: a request that fails is refused
            logger.debug("request of a script failed, %s: %s", safe(asked.url), safe(str(error)))
            return None

    async def _ask(self, asked: PageRequest) -> ScriptResponse | None:
        url, headers = asked.url, sent(asked.headers)
        for _ in range(MAX_REDIRECTS + 1):
            response = await self._fetch(url, headers)
            location = response.headers.get("Location")
            if response.status not in REDIRECTS or not location:
                return await asyncio.to_thread(part_of, response)
            if urlsplit(target := urljoin(url, location.decode("latin-1"))).netloc != urlsplit(url).netloc:
                headers = {name: value for name, value in headers.items() if name not in {"authorization", "origin"}}
            url = target
        return None

    async def _fetch(self, url: str, headers: dict[str, str]) -> Response:
        assert self._crawler.engine is not None
        host = urlsplit(url).hostname or ""
        if self._crawler.spider.pauses.left(host):  # type: ignore[union-attr]
            raise RenderError(HOST_PAUSED)
        slot = f"parts of {host}"
        settings = {"delay": 0.0, "concurrency": self._crawler.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")}
        self._crawler.engine.downloader.per_slot_settings.setdefault(slot, settings | {"jitter": 0})
        meta = {PART: True, WIRE: True, "download_slot": slot, "download_timeout": PART_SECONDS}
        response = await self._crawler.engine.download_async(
            Request(url, headers=headers, meta=meta, callback=NO_CALLBACK, priority=10)
        )
        self._crawler.spider.pipeline.counts.bytes += len(response.body)  # type: ignore[union-attr]
        return response


@dataclass(slots=True)
class _Scripts:
    """LRU cache of scripts, which the pages of a site share."""

    kept: OrderedDict[str, ScriptResponse] = field(default_factory=OrderedDict)
    size: int = 0

    def get(self, url: str) -> ScriptResponse | None:
        part = self.kept.get(url)
        if part is not None:
            self.kept.move_to_end(url)
        return part

    def keep(self, url: str, part: ScriptResponse) -> None:
        self.size += len(part.body) - len(self.kept[url].body if url in self.kept else b"")
        self.kept[url] = part
        while self.size > CACHE_BYTES:
            self.size -= len(self.kept.popitem(last=False)[1].body)


def shell(capture: Capture) -> str | None:
    """Return the HTML of a page to render; None for other content and truncated responses. Pure."""
    if capture.kind is not Kind.PAGE or capture.status != 200 or capture.truncated:
        return None
    try:
        body = inflate(capture.body, capture.coding)
    except InflateError:
        return None
    declared = capture.header("Content-Type")
    return decode(body, charset_of(declared)).text if sniff(body, declared) in PAGES else None


def sent(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a script's request that are sent: no cookies, and none that the crawl sets. Pure."""
    return {name: value for name, value in headers.items() if not name.lower().startswith(NOT_SENT)}


def part_of(response: Any) -> ScriptResponse:
    """Return a response for a script: decompressed, without headers of the connection and without cookies.

    Raises InflateError, and RenderError for a truncated response.
    """
    if response.meta[CAPTURE].truncated:
        raise RenderError("truncated")
    body = inflate(response.body, response.meta[CAPTURE].coding)
    names = [name.decode("latin-1") for name in response.headers]
    given = {
        name: b", ".join(response.headers.getlist(name)).decode("latin-1")
        for name in names
        if name.lower() not in NOT_GIVEN
    }
    return ScriptResponse(response.status, given, body)
