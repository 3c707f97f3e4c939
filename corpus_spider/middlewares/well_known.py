"""Fetching a file that a host keeps for crawlers, in between the pages: guarded, archived, redirects followed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from corpus_spider.extensions.capture import CAPTURE, KIND, MAX_BODY
from corpus_spider.middlewares.wire import WIRE
from pipelines.robots import MAX_BYTES
from pipelines.urls import MAX_REDIRECTS, REDIRECTS, host_of, redirect_target
from storage.bytes.content_encoding import InflateError, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from storage.records import Capture, Kind

T = TypeVar("T")

MOST = 16 * MAX_BYTES
"""Bytes that a file may have unpacked."""


class NotHadError(Exception):
    """The file could not be had whole."""


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL."""
    return "{0.scheme}://{0.netloc}".format(urlsplit(url))


class Known(Generic[T]):
    """What origins have said, the last used of it: a site may have hosts without number, each with long files.

    ``ask`` says what an origin says, ``size`` how much room that takes, of ``most`` in all, ``current`` whether it
    still holds. What could not be had is asked for again, and so is what there was no room for.
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
        """By origin, the one last used at the end."""
        self._sizes: dict[str, int] = {}
        """Of what was had."""
        self._room = most

    def __len__(self) -> int:
        return len(self._said)

    def of(self, origin: str) -> asyncio.Future[T]:
        """Return what an origin says, to be awaited in a shield: others may wait for it too."""
        said = self._said.pop(origin, None)
        if said is None or (_is_had(said) and not self._current(said.result())):
            self._make_room(origin)
            said = asyncio.ensure_future(self._ask(origin))
            said.add_done_callback(lambda asked: self._settled(origin, asked))
        self._said[origin] = said
        return said

    def _settled(self, origin: str, asked: asyncio.Future[T]) -> None:
        if self._said.get(origin) is not asked:
            # It did not hold any more when it came, and is asked for anew.
            return
        if not _is_had(asked):
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


def _is_had(said: asyncio.Future[T]) -> bool:
    return said.done() and not said.cancelled() and said.exception() is None


class WellKnown:
    """Asks for one kind of file. ``mark``: the key of ``Request.meta`` that lets its requests pass the middleware;
    ``most``: bytes that the file may have unpacked.
    """

    def __init__(self, crawler: Crawler, kind: Kind, mark: str, most: int = MOST) -> None:
        self._crawler, self._kind, self._mark, self._most = crawler, kind, mark, most

    async def get(self, url: str) -> tuple[Capture, bytes] | None:
        """Return the answer and its body, unpacked; None after too many redirects.

        Raises NotHadError for what is not whole, and what the downloader raises.
        """
        for _ in range(MAX_REDIRECTS + 1):
            response = await self._fetch(url)
            capture: Capture = response.meta[CAPTURE]
            location = capture.header("Location")
            if capture.status not in REDIRECTS or not location:
                return capture, whole_body(capture, self._most)
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


def whole_body(capture: Capture, most: int = MOST) -> bytes:
    """Unpack the body of a file for crawlers, one that is a gzip file in itself too. Raises NotHadError.

    One that was cut is good only where the size limit cut it: what is missing may be what forbids.
    """
    if capture.truncated in {"disconnect", "time"}:
        raise NotHadError(f"truncated ({capture.truncated})")
    try:
        return unpack(capture.body, capture.coding, limit=most)
    except InflateError as error:
        raise NotHadError(f"body {error.reason}") from error
