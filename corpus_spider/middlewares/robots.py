"""robots.txt by RFC 9309: unreachable forbids all, missing allows all, five redirects, the first 500 KiB count.

Scrapy's middleware treats a server error, a timeout and an oversized file as "allow all", and ignores Crawl-delay. Here
the last file that was read is stored. It stays valid for up to a day while the host does not deliver it (2.4).
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

from corpus_spider.crawling.retry_policy import PASSING, failure_reason
from corpus_spider.extensions.capture import TERMS
from corpus_spider.middlewares.well_known import OriginCache, UnreadableFileError, WellKnownFile, origin_of
from corpus_spider.network.errors import RefusalError
from corpus_spider.terminal.escapes import safe
from pipelines.urls.robots_txt import MAX_BYTES, MAX_CRAWL_DELAY, Robots, parse_robots
from storage.frontier.robots_cache import MISSING, RULES, RobotsCopy
from storage.reasons import CRAWL_DELAY
from storage.records import Kind, Terms

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from pipelines.runtime.page_pipeline import PagePipeline

logger = logging.getLogger(__name__)

ROBOTS_LIFETIME = timedelta(days=1)
"""Seconds. A stored robots.txt is valid for this long."""
BYTES_IN_MEMORY = 4 * 2**20
"""Total size of the files whose rules are in memory. The rules take about twenty times as much."""
_MIN_TEXT_BYTES = 1024
ROBOTS = "corpus_robots"
"""Key of `Request.meta` that marks a request for robots.txt."""


class UnreachableError(Exception):
    """robots.txt could not be read. Every URL is forbidden for the time being (RFC 9309, 2.3.1.4)."""


def copy_of(origin: str, status: int, body: bytes, fetched_at: datetime) -> RobotsCopy:
    """Interpret a response to a request for robots.txt (RFC 9309, 2.3.1). Pure.

    Raises UnreachableError for server errors, and for client errors that may pass (408, 421, 425, 429).
    """
    if status in PASSING or status >= 500:
        raise UnreachableError(f"status {status}")
    if not 200 <= status < 300:
        return RobotsCopy(origin, fetched_at, status, MISSING)
    # One byte more than is parsed, so that the parser can see that the limit cut a line.
    return RobotsCopy(origin, fetched_at, status, RULES, hashlib.sha256(body).hexdigest(), body[: MAX_BYTES + 1])


def rules_of(status: int, body: bytes) -> Robots:
    """Return the rules that a response to a request for robots.txt implies. Raises UnreachableError. Pure."""
    return parse_robots(copy_of("", status, body, datetime.now(UTC)).body)


@dataclass(frozen=True, slots=True)
class OriginRules:
    """The rules of an origin, and the terms that are recorded with each page they allow."""

    rules: Robots
    terms: Terms
    since: float
    """Time of the request, monotonic seconds."""
    size: int
    """Size of the file in bytes."""

    @classmethod
    def of(cls, copy: RobotsCopy, *, cached: bool = False) -> OriginRules:
        """Parse a copy of robots.txt."""
        word = "cached" if cached else {RULES: "allowed", MISSING: "missing"}[copy.verdict]
        age = (datetime.now(UTC) - copy.fetched_at).total_seconds()
        since, size = time.monotonic() - age, max(len(copy.body), _MIN_TEXT_BYTES)
        return cls(parse_robots(copy.body), Terms(word, copy.sha256), since, size)

    @property
    def current(self) -> bool:
        """Whether it is still valid."""
        return time.monotonic() - self.since <= ROBOTS_LIFETIME.total_seconds()


class RobotsMiddleware:
    """Fetches robots.txt of each origin once a run, and once a day in long runs. Other requests wait for it."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._agent: str = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"]
        self._rulings = OriginCache(self._ask, lambda each: each.size, BYTES_IN_MEMORY, lambda each: each.current)
        self._began = datetime.now(UTC)
        """Start of the run. A stored file with a later date was fetched in this run."""
        self._files = WellKnownFile(crawler, Kind.ROBOTS, ROBOTS)
        self._unreadable: set[str] = set()
        """Origins whose failure was logged."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the middleware. Scrapy calls it."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Raise RefusalError if robots.txt forbids the URL, cannot be read, or requires too long a delay."""
        if request.meta.get(ROBOTS):
            return
        try:
            ruling = await asyncio.shield(self._rulings.of(origin_of(request.url)))
        except UnreachableError as error:
            # The operator can solve these two problems, so they are the reasons that are counted.
            cause = failure_reason(error.__cause__ or error)[0]
            reason = cause if cause in {"certificate", "dns"} else "robots_unreachable"
            raise RefusalError(reason, str(error), retry=True) from error
        if not ruling.rules.can_fetch(request.url, self._agent):
            raise RefusalError("robots", request.url)
        if (ruling.rules.crawl_delay(self._agent) or 0.0) > MAX_CRAWL_DELAY:
            raise RefusalError(CRAWL_DELAY, request.url, retry=True)
        request.meta[TERMS] = ruling.terms

    async def _ask(self, origin: str) -> OriginRules:
        """Return the rules of an origin: fetched now, or stored in this run, or stored earlier if it is unreachable."""
        kept = await self._kept(origin)
        if kept is not None and kept.fetched_at > self._began:
            return await asyncio.to_thread(OriginRules.of, kept)
        try:
            ruling = await self._fresh(origin)
        except UnreachableError:
            if kept is None:
                raise
            logger.info("robots.txt of %s could not be read; using the copy of %s", origin, kept.fetched_at)
            ruling = await asyncio.to_thread(partial(OriginRules.of, kept, cached=True))
        self._slow_down(origin, ruling.rules.crawl_delay(self._agent))
        return ruling

    async def _fresh(self, origin: str) -> OriginRules:
        """Fetch and store robots.txt. Any error on the way counts as unreachable."""
        try:
            answer = await self._files.get(f"{origin}/robots.txt")
        except Exception as error:
            # Each retry of a page asks again. An operator wants to read it once.
            level = logging.DEBUG if origin in self._unreadable else logging.INFO
            logger.log(level, "robots.txt of %s: %s", origin, safe(str(error)))
            self._unreadable.add(origin)
            why = str(error) if isinstance(error, UnreadableFileError) else type(error).__name__
            raise UnreachableError(why) from error
        now = datetime.now(UTC)
        # After too many redirects it counts as missing (2.3.1.2).
        status, body = (302, b"") if answer is None else (answer[0].status, answer[1])
        copy = copy_of(origin, status, body, now)
        # In a thread: a long file takes a third of a second to parse, which would block the reactor.
        ruling = await asyncio.to_thread(OriginRules.of, copy)
        if self._pipeline is not None:
            self._pipeline.keep_robots(replace(copy, crawl_delay=ruling.rules.crawl_delay(self._agent)))
        return ruling

    @property
    def _pipeline(self) -> PagePipeline | None:
        return getattr(self._crawler.spider, "pipeline", None)

    async def _kept(self, origin: str) -> RobotsCopy | None:
        """Return the stored file, unless it is older than a day, or dated in the future by a wrong clock."""
        pipeline = self._pipeline
        copy = None if pipeline is None else await pipeline.kept_robots(origin)
        return (
            copy if copy is not None and timedelta() <= datetime.now(UTC) - copy.fetched_at <= ROBOTS_LIFETIME else None
        )

    def _slow_down(self, origin: str, delay: float | None) -> None:
        """Set Crawl-delay as the minimum delay of the host's downloader slot, present and future."""
        if not delay:
            return
        if delay > MAX_CRAWL_DELAY:
            logger.warning("%s requires %g s between requests, which is too long; it is not crawled", origin, delay)
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
