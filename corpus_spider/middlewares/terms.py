"""tdmrep.json (W3C TDMRep): each origin is asked once a run, before its first page, what it reserves."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from corpus_spider.console import safe
from corpus_spider.extensions.capture import KIND, LEASE, TERMS
from corpus_spider.middlewares.refusal import RefusalError
from corpus_spider.middlewares.well_known import WellKnown, origin_of
from pipelines.rights import TdmFile, parse_tdmrep
from storage.records import Kind

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

TDMREP = "corpus_tdmrep"


class TermsMiddleware:
    """Adds to what is known of a page what its host reserves. A file that cannot be had, or may not, says nothing."""

    def __init__(self, crawler: Crawler) -> None:
        self._files = WellKnown(crawler, Kind.TDMREP, TDMREP)
        self._known: dict[str, asyncio.Future[TdmFile]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware (Scrapy's way)."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait for the host's file before the first page; feeds and sitemaps are no texts."""
        if LEASE not in request.meta or request.meta.get(KIND) != Kind.PAGE:
            return
        origin = origin_of(request.url)
        if origin not in self._known:
            asking = self._known[origin] = asyncio.ensure_future(self._ask(origin))
            asking.add_done_callback(lambda asked: self._forget(origin, asked))
        said = (await asyncio.shield(self._known[origin])).of(request.url)
        if said is not None:
            request.meta[TERMS] = replace(request.meta[TERMS], tdm=said.value, tdm_policy=said.policy)

    def _forget(self, origin: str, asked: asyncio.Future[TdmFile]) -> None:
        """Ask again after a pause."""
        if asked.cancelled() or asked.exception() is not None:
            del self._known[origin]

    async def _ask(self, origin: str) -> TdmFile:
        url = f"{origin}/.well-known/tdmrep.json"
        try:
            answer = await self._files.get(url)
        except Exception as error:
            # Whatever else is wrong with the file, the page is not held up.
            if isinstance(error, RefusalError) and error.retry:
                raise
            logger.info("tdmrep.json of %s: %s", origin, safe(str(error)))
            return TdmFile()
        return parse_tdmrep(answer[1], url) if answer is not None and answer[0].status == 200 else TdmFile()
