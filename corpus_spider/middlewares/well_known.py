"""Fetching a file that a host keeps for crawlers, in between the pages: guarded, archived, redirects followed."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from corpus_spider.extensions.capture import CAPTURE, KIND, MAX_BODY
from corpus_spider.middlewares.wire import WIRE
from pipelines.inflate import InflateError, unpack
from pipelines.robots import MAX_BYTES
from pipelines.urls import host_of, redirect_target

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from storage.records import Capture, Kind

MAX_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class NotHadError(Exception):
    """The file could not be had whole."""


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL."""
    return "{0.scheme}://{0.netloc}".format(urlsplit(url))


class WellKnown:
    """Asks for one kind of file. ``mark``: the key of ``Request.meta`` that lets its requests pass the middleware."""

    def __init__(self, crawler: Crawler, kind: Kind, mark: str) -> None:
        self._crawler, self._kind, self._mark = crawler, kind, mark

    async def get(self, url: str) -> tuple[Capture, bytes] | None:
        """Return the answer and its body, unpacked; None after too many redirects.

        Raises NotHadError for what is not whole, and what the downloader raises.
        """
        for _ in range(MAX_REDIRECTS + 1):
            response = await self._fetch(url)
            capture: Capture = response.meta[CAPTURE]
            location = capture.header("Location")
            if capture.status not in REDIRECTS or not location:
                return capture, whole_body(capture)
            target = redirect_target(location, url)
            if target is None:
                raise NotHadError("a redirect to where nothing can be fetched")
            url = target.fetchable
        return None

    async def _fetch(self, url: str) -> Response:
        assert self._crawler.engine is not None
        meta = {self._mark: True, WIRE: True, KIND: self._kind, MAX_BODY: 2 * MAX_BYTES}
        request = Request(url, priority=1000, meta=meta, callback=NO_CALLBACK)
        response = await self._crawler.engine.download_async(request)
        heed = getattr(self._crawler.spider, "heed", None)
        if heed is not None:
            heed(host_of(url), response.meta[CAPTURE])
        return response


def whole_body(capture: Capture) -> bytes:
    """Unpack the body of a file for crawlers, one that is a gzip file in itself too. Raises NotHadError.

    One that was cut is good only where the size limit cut it: what is missing may be what forbids.
    """
    if capture.truncated in {"disconnect", "time"}:
        raise NotHadError(f"truncated ({capture.truncated})")
    try:
        return unpack(capture.body, capture.coding, limit=16 * MAX_BYTES)
    except InflateError as error:
        raise NotHadError(f"body {error.reason}") from error
