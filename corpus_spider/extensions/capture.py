"""Takes every exchange from the wire: robots.txt, redirects and errors too.

``response_downloaded`` is sent by the downloader before any middleware sees the answer, with the body still content-
encoded, the address and the protocol; a middleware would miss redirects. The size and time limits are kept here, on
``bytes_received``, since stopping a download from the signal delivers status, headers and what came, where Scrapy's
own limit delivers nothing.
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
# What the scripts of a page ask for (middlewares.render): it is not archived.
PART = "corpus_part"
# Why a page that has come is to be asked for again.
FAULT = "corpus_fault"
# Not Scrapy's download_maxsize, at which it throws the whole answer away.
MAX_BODY = "corpus_max_body"
TERMS = "corpus_terms"
# Types no corpus of text wants: the headers are kept, the body is not waited for.
UNWANTED = ("video/", "audio/", "image/", "font/")
MOST_AT_ONCE = 96 * 2**20
"""Bytes of all bodies that are on their way or not stored yet, beyond which the largest on their way are not waited
for: one site may have hosts without number, each with a large page that comes slowly.
"""


class CaptureExchanges:
    """Puts a Capture into ``request.meta`` of each answered request, and archives those that nobody leased."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._limit = crawler.settings.getint("CORPUS_MAX_BODY", 10 * 1024 * 1024)
        self._seconds = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._progress: dict[Request, _Progress] = {}
        """Of requests whose answer has begun to come."""
        self._received = 0
        """Bytes of their bodies."""

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
        """Start the clock of a body, and stop at once when its type is none we read.

        A robots.txt, a feed or a sitemap is read whatever it is called: of a forbidden page nobody would know.
        """
        progress = self._progress[request] = _Progress(time.monotonic())
        page = request.meta.get(KIND, Kind.PAGE) is Kind.PAGE
        if page and (headers.get("Content-Type") or b"").decode("latin-1").lower().startswith(UNWANTED):
            progress.truncated = "unspecified"
            raise StopDownload(fail=False)

    def bytes_received(self, data: bytes, request: Request) -> None:
        """Stop a body that is too large, drips past the time limit, or takes more than its share where all together
        take too much; what came is kept, marked as truncated.
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
        """Build the capture; an exchange without a lease goes to the archive from here."""
        progress = self._progress.get(request)
        truncated = "disconnect" if "dataloss" in response.flags else None
        capture = capture_of(request, response, progress.truncated or truncated if progress else truncated)
        request.meta[CAPTURE] = capture
        spider: Any = self._crawler.spider
        lease = request.meta.get(LEASE)
        heed, pipeline = getattr(spider, "heed", None), getattr(spider, "pipeline", None)
        if lease is not None and heed is not None:
            # Before the next request to the host, which may wait in the downloader, is sent.
            heed(lease.host, capture)
        if lease is None and PART not in request.meta and pipeline is not None:
            pipeline.record(capture)

    def request_left_downloader(self, request: Request) -> None:
        """Forget a request that has been answered, or has failed."""
        progress = self._progress.pop(request, None)
        self._received -= progress.received if progress else 0

    def _is_too_much(self, progress: _Progress) -> bool:
        """Say whether all bodies take too much and this one more than its share."""
        if progress.received * len(self._progress) <= MOST_AT_ONCE:
            return False
        engine: Any = self._crawler.engine
        unstored = engine.scraper.slot.active_size if engine.scraper.slot else 0
        return bool(self._received + unstored > MOST_AT_ONCE)


class _Progress:
    """How far a download has come."""

    __slots__ = ("received", "started", "truncated")

    def __init__(self, started: float) -> None:
        self.started = started
        self.received = 0
        self.truncated: str | None = None


def capture_of(request: Request, response: Response, truncated: str | None) -> Capture:
    """Turn Scrapy's request and response into a Capture (pure but for the clock)."""
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
