"""Fetch robots.txt and tdmrep.json during a crawl: guarded, archived, with redirects."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from corpus_spider.extensions.capture import CAPTURE, KIND, MAX_BODY
from corpus_spider.middlewares.wire import WIRE
from pipelines.urls.robots_txt import MAX_BYTES
from pipelines.urls.url import MAX_REDIRECTS, REDIRECTS, host_of, redirect_target
from storage.bytes.content_encoding import InflateError, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from storage.records import Capture, Kind

T = TypeVar("T")

MOST = 16 * MAX_BYTES
"""Maximum size of a decompressed file, in bytes."""


class UnreadableFileError(Exception):
    """The file could not be read completely."""


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL."""
    return "{0.scheme}://{0.netloc}".format(urlsplit(url))


class OriginCache(Generic[T]):
    """LRU cache of files by origin. A site may have any number of hosts, each with a long file.

    ``ask`` fetches the file of an origin, ``size`` returns its size, ``most`` limits the total, ``current`` returns
    whether it is still valid. Failed and evicted files are fetched again.
    """

    def __init__(
        self,
        ask: Callable[[str], Coroutine[None, None, T]],
        size: Callable[[T], int],
        most: int,
        current: Callable[[T], bool] = lambda _: True,
    ) -> None:
        self._ask, self._size, self._current = ask, size, current
        self._said: dict[str, asyncio.Future[T]] = {}
        """By origin, least recently used first."""
        self._sizes: dict[str, int] = {}
        """Sizes of the files that were fetched."""
        self._room = most

    def __len__(self) -> int:
        return len(self._said)

    def of(self, origin: str) -> asyncio.Future[T]:
        """Return the file of an origin as a future. Await it in a shield, because other requests wait for it too."""
        said = self._said.pop(origin, None)
        if said is None or (_succeeded(said) and not self._current(said.result())):
            self._make_room(origin)
            said = asyncio.ensure_future(self._ask(origin))
            said.add_done_callback(lambda asked: self._settled(origin, asked))
        self._said[origin] = said
        return said

    def _settled(self, origin: str, asked: asyncio.Future[T]) -> None:
        if self._said.get(origin) is not asked:
            # It had expired when it arrived, and is being fetched again.
            return
        if not _succeeded(asked):
            del self._said[origin]
            return
        self._sizes[origin] = self._size(asked.result())
        self._room -= self._sizes[origin]
        while self._room < 0:
            oldest = next(each for each in self._said if each in self._sizes)
            del self._said[oldest]
            self._make_room(oldest)

    def _make_room(self, origin: str) -> None:
        self._room += self._sizes.pop(origin, 0)


def _succeeded(said: asyncio.Future[T]) -> bool:
    return said.done() and not said.cancelled() and said.exception() is None


class WellKnownFile:
    """Fetches one kind of file.

    ``mark`` is the key of ``Request.meta`` that lets its requests pass the middleware. ``most`` limits the decompressed
    size in bytes.
    """

    def __init__(self, crawler: Crawler, kind: Kind, mark: str, most: int = MOST) -> None:
        self._crawler, self._kind, self._mark, self._most = crawler, kind, mark, most

    async def get(self, url: str) -> tuple[Capture, bytes] | None:
        """Return the response and its decompressed body; None after too many redirects.

        Raises UnreadableFileError for an incomplete file, and the errors of the downloader.
        """
        for _ in range(MAX_REDIRECTS + 1):
            response = await self._fetch(url)
            capture: Capture = response.meta[CAPTURE]
            location = capture.header("Location")
            if capture.status not in REDIRECTS or not location:
                return capture, whole_body(capture, self._most)
            target = redirect_target(location, url)
            if target is None:
                raise UnreadableFileError("a redirect to an invalid address")
            url = target.fetchable
        return None

    async def _fetch(self, url: str) -> Response:
        assert self._crawler.engine is not None
        meta = {self._mark: True, WIRE: True, KIND: self._kind, MAX_BODY: 2 * MAX_BYTES}
        request = Request(url, priority=1000, meta=meta, callback=NO_CALLBACK)
        response = await self._crawler.engine.download_async(request)
        obey_pause = getattr(self._crawler.spider, "obey_pause", None)
        if obey_pause is not None:
            obey_pause(host_of(url), response.meta[CAPTURE])
        return response


def whole_body(capture: Capture, most: int = MOST) -> bytes:
    """Decompress the body of a file for crawlers, including a body that is itself a gzip file.

    Raises UnreadableFileError. A truncated body is accepted only if the size limit cut it: the rest may contain rules.
    """
    if capture.truncated in {"disconnect", "time"}:
        raise UnreadableFileError(f"truncated ({capture.truncated})")
    try:
        return unpack(capture.body, capture.coding, limit=most)
    except InflateError as error:
        raise UnreadableFileError(f"body {error.reason}") from error
