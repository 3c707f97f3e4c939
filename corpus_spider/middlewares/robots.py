"""robots.txt as RFC 9309 has it: unreachable is disallow, missing is allow, five redirects, the first 500 KiB count.

Scrapy's own middleware reads a server error, a timeout and an oversized file as "allow all" and never applies Crawl-
delay. A file that could be read is kept: it holds for up to a day when the host does not give it (2.4).
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from corpus_spider.console import safe
from corpus_spider.extensions.capture import TERMS
from corpus_spider.middlewares.well_known import Known, NotHadError, WellKnown, origin_of
from corpus_spider.policy import PASSING, failure_reason
from corpus_spider.refusal import RefusalError
from pipelines.robots import MAX_BYTES, MAX_CRAWL_DELAY, Robots, parse_robots
from storage.records import Kind, Terms
from storage.robots import MISSING, RULES, RobotsCopy

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from pipelines.line import PagePipeline

logger = logging.getLogger(__name__)

KEPT = timedelta(days=1)
BYTES_IN_MEMORY = 4 * 2**20
"""Of the files whose rules are in memory, where they take some twenty times the room."""
_LEAST = 1024
ROBOTS = "corpus_robots"


class UnreachableError(Exception):
    """robots.txt could not be had: for now everything is disallowed (RFC 9309, 2.3.1.4)."""


def copy_of(origin: str, status: int, body: bytes, fetched_at: datetime) -> RobotsCopy:
    """Read an answer to a request for robots.txt (RFC 9309, 2.3.1). Raises UnreachableError for server errors, and for
    what a client is told of the moment (408, 421, 425, 429), not of the file. Pure.
    """
    if status in PASSING or status >= 500:
        raise UnreachableError(f"status {status}")
    if not 200 <= status < 300:
        return RobotsCopy(origin, fetched_at, status, MISSING)
    # One byte more than is read, so that a line that the limit cuts stays known as cut.
    return RobotsCopy(origin, fetched_at, status, RULES, hashlib.sha256(body).hexdigest(), body[: MAX_BYTES + 1])


def rules_of(status: int, body: bytes) -> Robots:
    """Return the rules that an answer to a request for robots.txt means. Raises UnreachableError. Pure."""
    return parse_robots(copy_of("", status, body, datetime.now(UTC)).body)


@dataclass(frozen=True, slots=True)
class Ruling:
    """The rules in force at an origin, and what a page that they allow is noted with."""

    rules: Robots
    terms: Terms
    since: float
    """When it was asked for, monotonic seconds."""
    size: int
    """Bytes of the file."""

    @classmethod
    def of(cls, copy: RobotsCopy, *, cached: bool = False) -> Ruling:
        """Read a copy of robots.txt."""
        word = "cached" if cached else {RULES: "allowed", MISSING: "missing"}[copy.verdict]
        age = (datetime.now(UTC) - copy.fetched_at).total_seconds()
        since, size = time.monotonic() - age, max(len(copy.body), _LEAST)
        return cls(parse_robots(copy.body), Terms(word, copy.sha256), since, size)

    @property
    def current(self) -> bool:
        """Whether it still holds."""
        return time.monotonic() - self.since <= KEPT.total_seconds()


class RobotsMiddleware:
    """Asks each origin once a run, in long runs once a day, and holds its requests until the answer is there."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._agent: str = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"]
        self._rulings = Known(self._ask, lambda each: each.size, BYTES_IN_MEMORY, lambda each: each.current)
        self._began = datetime.now(UTC)
        """What is kept from later on was had in this run."""
        self._files = WellKnown(crawler, Kind.ROBOTS, ROBOTS)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware (Scrapy's way)."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Raise RefusalError when robots.txt forbids the URL, cannot be had, or asks for too long a delay."""
        if request.meta.get(ROBOTS):
            return
        try:
            ruling = await asyncio.shield(self._rulings.of(origin_of(request.url)))
        except UnreachableError as error:
            # A certificate is for somebody to mend: it is named, not what could not be had for it.
            reason = "certificate" if failure_reason(error)[0] == "certificate" else "robots_unreachable"
            raise RefusalError(reason, str(error), retry=True) from error
        if not ruling.rules.can_fetch(request.url, self._agent):
            raise RefusalError("robots", request.url)
        if (ruling.rules.crawl_delay(self._agent) or 0.0) > MAX_CRAWL_DELAY:
            raise RefusalError("crawl_delay", request.url, retry=True)
        request.meta[TERMS] = ruling.terms

    async def _ask(self, origin: str) -> Ruling:
        """Fetch and read robots.txt; where it cannot be had, or was had before, read the one that is kept."""
        kept = await self._kept(origin)
        if kept is not None and kept.fetched_at > self._began:
            return await asyncio.to_thread(Ruling.of, kept)
        try:
            ruling = await self._fresh(origin)
        except UnreachableError:
            if kept is None:
                raise
            logger.info("robots.txt of %s cannot be had; the one of %s holds", origin, kept.fetched_at)
            ruling = await asyncio.to_thread(partial(Ruling.of, kept, cached=True))
        self._slow_down(origin, ruling.rules.crawl_delay(self._agent))
        return ruling

    async def _fresh(self, origin: str) -> Ruling:
        """Fetch robots.txt, whatever goes wrong on the way counting as unreachable, and keep it."""
        try:
            answer = await self._files.get(f"{origin}/robots.txt")
        except Exception as error:
            logger.info("robots.txt of %s: %s", origin, safe(str(error)))
            why = str(error) if isinstance(error, NotHadError) else type(error).__name__
            raise UnreachableError(why) from error
        now = datetime.now(UTC)
        # After too many redirects it counts as missing (2.3.1.2).
        status, body = (302, b"") if answer is None else (answer[0].status, answer[1])
        copy = copy_of(origin, status, body, now)
        # A long file takes a third of a second to read, in which other hosts would have to wait.
        ruling = await asyncio.to_thread(Ruling.of, copy)
        if self._pipeline is not None:
            self._pipeline.keep_robots(replace(copy, crawl_delay=ruling.rules.crawl_delay(self._agent)))
        return ruling

    @property
    def _pipeline(self) -> PagePipeline | None:
        return getattr(self._crawler.spider, "pipeline", None)

    async def _kept(self, origin: str) -> RobotsCopy | None:
        """Return the file that was kept, unless it is older than a day, or of a clock that was ahead."""
        pipeline = self._pipeline
        copy = None if pipeline is None else await pipeline.kept_robots(origin)
        return copy if copy is not None and timedelta() <= datetime.now(UTC) - copy.fetched_at <= KEPT else None

    def _slow_down(self, origin: str, delay: float | None) -> None:
        """Apply Crawl-delay as the floor of the host's slot, in force and to come."""
        if not delay:
            return
        if delay > MAX_CRAWL_DELAY:
            logger.warning("%s asks for %g s between requests, too long to be crawled: it is left out", origin, delay)
            return
        assert self._crawler.engine is not None
        downloader = self._crawler.engine.downloader
        key = urlsplit(origin).hostname or ""
        wanted = max(delay, self._crawler.settings.getfloat("DOWNLOAD_DELAY"))
        settings = dict(downloader.per_slot_settings.get(key, {}))
        settings["delay"] = max(wanted, settings.get("delay") or 0.0)
        downloader.per_slot_settings[key] = settings
        if key in downloader.slots:
            downloader.slots[key].delay = max(downloader.slots[key].delay, settings["delay"])
