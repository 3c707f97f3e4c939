"""tdmrep.json (W3C TDMRep): each origin is asked once a run, before its first page, what it reserves."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from corpus_spider.console import safe
from corpus_spider.extensions.capture import KIND, LEASE, TERMS
from corpus_spider.middlewares.well_known import Known, WellKnown, origin_of
from corpus_spider.refusal import RefusalError
from pipelines.rights import MAX_BYTES, TdmFile, parse_tdmrep
from storage.records import Kind

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

TDMREP = "corpus_tdmrep"
RULES_IN_MEMORY = 100_000


class TermsMiddleware:
    """Adds to what is known of a page what its host reserves. A file that cannot be had, or may not, says nothing."""

    def __init__(self, crawler: Crawler) -> None:
        self._files = WellKnown(crawler, Kind.TDMREP, TDMREP, MAX_BYTES)
        self._known = Known(self._ask, lambda file: 1 + len(file.rules), RULES_IN_MEMORY)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware (Scrapy's way)."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait for the host's file before the first page; feeds and sitemaps are no texts."""
        if LEASE not in request.meta or request.meta.get(KIND) != Kind.PAGE:
            return
        said = (await asyncio.shield(self._known.of(origin_of(request.url)))).of(request.url)
        if said is not None:
            request.meta[TERMS] = replace(request.meta[TERMS], tdm=said.value, tdm_policy=said.policy)

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
        if answer is None or answer[0].status != 200:
            return TdmFile()
        # A long file takes a third of a second to read, in which other hosts would have to wait.
        return await asyncio.to_thread(parse_tdmrep, answer[1], url)
