"""Capture every HTTP exchange, including robots.txt, redirects and errors.

The downloader sends ``response_downloaded`` before any middleware sees the response, with the encoded body, the IP
address and the protocol. A middleware would miss redirects. The limits of size and time are enforced here, on
``bytes_received``: stopping a download by this signal delivers status, headers and the partial body. Scrapy's own limit
delivers nothing.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import StopDownload

from storage.records import Capture, Kind

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response

CAPTURE = "corpus_capture"
KIND = "corpus_kind"
LEASE = "corpus_lease"
PART = "corpus_part"
"""Marks a request of a page's scripts (middlewares.render). Its response is not archived."""
FAULT = "corpus_fault"
"""Reason why a page that arrived must be fetched again."""
MAX_BODY = "corpus_max_body"
"""Size limit of one request. Not Scrapy's download_maxsize, which discards the whole response."""
TERMS = "corpus_terms"
UNWANTED = ("video/", "audio/", "image/", "font/")
"""Media types without text. Their headers are stored; the body is not received."""
MOST_AT_ONCE = 96 * 2**20
"""Maximum bytes of all bodies in transfer or not stored yet. Beyond it, the largest transfers are stopped.

A site may have any number of hosts, each with a large page that arrives slowly.
"""


class CaptureExchanges:
    """Puts a Capture into ``request.meta`` of each request with a response, and archives those without a lease."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._limit = crawler.settings.getint("CORPUS_MAX_BODY", 10 * 1024 * 1024)
        self._seconds = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._progress: dict[Request, _Progress] = {}
        """Downloads in progress."""
        self._received = 0
        """Bytes received of all downloads in progress."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connect to the downloader's signals."""
        extension = cls(crawler)
        crawler.signals.connect(extension.headers_received, signals.headers_received)
        crawler.signals.connect(extension.bytes_received, signals.bytes_received)
        crawler.signals.connect(extension.response_downloaded, signals.response_downloaded)
        crawler.signals.connect(extension.request_left_downloader, signals.request_left_downloader)
        return extension

    def headers_received(self, headers: Headers, request: Request) -> None:
        """Start the timeout. Abort if the content type is not wanted.

        The type of robots.txt, feeds and sitemaps is ignored: a wrong type must not hide the rules of robots.txt.
        """
        progress = self._progress[request] = _Progress(time.monotonic())
        page = request.meta.get(KIND, Kind.PAGE) is Kind.PAGE
        if page and (headers.get("Content-Type") or b"").decode("latin-1").lower().startswith(UNWANTED):
            progress.truncated = "unspecified"
            raise StopDownload(fail=False)

    def bytes_received(self, data: bytes, request: Request) -> None:
        """Stop a body that is too large or too slow, or takes too much of the memory for all bodies.

        The partial body is stored and marked as truncated.
        """
        progress = self._progress.setdefault(request, _Progress(time.monotonic()))
        progress.received += len(data)
        self._received += len(data)
        if progress.received > request.meta.get(MAX_BODY, self._limit):
            progress.truncated = "length"
        elif time.monotonic() - progress.started > 0.9 * self._seconds or self._is_too_much(progress):
            progress.truncated = "time"
        if progress.truncated:
            raise StopDownload(fail=False)

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Build the capture. Exchanges without a lease are archived here."""
        progress = self._progress.get(request)
        truncated = "disconnect" if "dataloss" in response.flags else None
        capture = capture_of(request, response, progress.truncated or truncated if progress else truncated)
        request.meta[CAPTURE] = capture
        spider: Any = self._crawler.spider
        lease = request.meta.get(LEASE)
        obey_pause, pipeline = getattr(spider, "obey_pause", None), getattr(spider, "pipeline", None)
        if lease is not None and obey_pause is not None:
            # Now, before the downloader sends the next request to the host.
            obey_pause(lease.host, capture)
        if lease is None and PART not in request.meta and pipeline is not None:
            pipeline.record(capture)

    def request_left_downloader(self, request: Request) -> None:
        """Forget a request that has finished or failed."""
        progress = self._progress.pop(request, None)
        self._received -= progress.received if progress else 0

    def _is_too_much(self, progress: _Progress) -> bool:
        """Return whether all bodies together exceed the limit and this one exceeds its share."""
        if progress.received * len(self._progress) <= MOST_AT_ONCE:
            return False
        engine: Any = self._crawler.engine
        unstored = engine.scraper.slot.active_size if engine.scraper.slot else 0
        return bool(self._received + unstored > MOST_AT_ONCE)


class _Progress:
    """Progress of one download."""

    __slots__ = ("received", "started", "truncated")

    def __init__(self, started: float) -> None:
        self.started = started
        self.received = 0
        self.truncated: str | None = None


def capture_of(request: Request, response: Response, truncated: str | None) -> Capture:
    """Convert Scrapy's request and response to a Capture. Reads the clock."""
    return Capture(
        url=request.url,
        fetched_at=datetime.now(UTC),
        status=response.status,
        request_headers=_pairs(request.headers),
        response_headers=_pairs(response.headers),
        body=response.body,
        kind=request.meta.get(KIND, Kind.PAGE),
        # Behind a proxy the address is the proxy's.
        ip=str(response.ip_address) if response.ip_address and not request.meta.get("proxy") else None,
        protocol=response.protocol,
        truncated=truncated,
        terms=request.meta.get(TERMS),
    )


def _pairs(headers: Any) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name in headers for value in headers.getlist(name)
    )
