"""tdmrep.json (W3C TDMRep): fetch the reservations of each origin once a run, before its first page."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from corpus_spider.extensions.capture import KIND, LEASE, TERMS
from corpus_spider.middlewares.well_known import OriginCache, WellKnownFile, origin_of
from corpus_spider.network.errors import RefusalError
from corpus_spider.terminal.escapes import safe
from pipelines.metadata.rights import MAX_BYTES, TdmFile, parse_tdmrep
from storage.records import Kind

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

TDMREP = "corpus_tdmrep"
"""Key of `Request.meta` that marks a request for tdmrep.json."""
RULES_IN_MEMORY = 100_000
"""Rules of all origins that are kept in memory."""


class TermsMiddleware:
    """Adds the reservations of the host to the usage terms of a page. A file that cannot be read reserves nothing."""

    def __init__(self, crawler: Crawler) -> None:
        self._files = WellKnownFile(crawler, Kind.TDMREP, TDMREP, MAX_BYTES)
        self._known = OriginCache(self._ask, lambda file: 1 + len(file.rules), RULES_IN_MEMORY)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware. Scrapy calls it."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Wait for the host's file before a page is fetched. Feeds and sitemaps do not wait: they are not texts."""
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
            # Other errors of the file do not delay the page.
            if isinstance(error, RefusalError) and error.retry:
                raise
            logger.info("tdmrep.json of %s: %s", origin, safe(str(error)))
            return TdmFile()
        if answer is None or answer[0].status != 200:
            return TdmFile()
        # In a thread: a long file takes a third of a second to parse, which would block the reactor.
        return await asyncio.to_thread(parse_tdmrep, answer[1], url)
