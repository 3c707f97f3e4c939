"""Asking for a handful of addresses outside a crawl, as politely as a crawl would: one after the other, by the rules.

Each host is asked for its robots.txt first and once; between two requests to a host lies the delay, or the Crawl-delay
of its robots.txt where that is longer; a host that asks for a pause is not asked again.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from corpus_spider.connection import Manners
from corpus_spider.single import NotFetchedError, exchange, obey, refuse, robots_of
from pipelines.robots import MAX_CRAWL_DELAY

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpus_spider.config import Config
    from pipelines.robots import Robots
    from storage.records import Capture

PAUSES = frozenset({429, 503})


class SpentError(NotFetchedError):
    """The visitor has made all the requests it may make."""


def manners_of(config: Config) -> Manners:
    """Return the manners of a crawl with this configuration. Raises ConfigError when nobody answers for it."""
    config.require_contact()
    return Manners(config.user_agent, config.crawl.timeout, config.crawl.max_body, config.crawl.allow_private)


@dataclass(slots=True)
class Visitor:
    """Makes at most ``budget`` requests, robots.txt and redirects included."""

    manners: Manners
    delay: float
    """Seconds between two requests to one host; may be set anew for each site."""
    budget: int
    sleep: Callable[[float], None] = time.sleep
    asked: int = 0
    _ports: set[int] = field(default_factory=set)
    _rules: dict[str, Robots | NotFetchedError] = field(default_factory=dict)
    _answered: dict[str, float] = field(default_factory=dict)
    _paused: set[str] = field(default_factory=set)

    def get(self, url: str) -> Capture:
        """Fetch an address, following redirects. Raises NotFetchedError saying what stood in the way."""
        from pipelines.urls import MAX_REDIRECTS, REDIRECTS, fetchable, redirect_target

        self._ports |= {port for port in [urlsplit(url).port] if port}
        target = fetchable(url)
        for _ in range(MAX_REDIRECTS + 1):
            if target is None:
                break
            refuse(target, self.manners, self._ports)
            obey(self.rules(target), target, self.manners)
            capture = self._ask(target, self.manners)
            location = capture.header("Location")
            if capture.status not in REDIRECTS or not location:
                return capture
            address = redirect_target(location, target)
            target = address.fetchable if address else None
        raise NotFetchedError("redirects too often or to where nothing can be fetched", where=url)

    def rules(self, url: str) -> Robots:
        """Return the rules of the URL's host. Raises NotFetchedError when they cannot be had."""
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        if origin not in self._rules:
            try:
                self._rules[origin] = self._bearable(robots_of(url, self.manners, self._ask), url)
            except SpentError:
                raise
            except NotFetchedError as error:
                self._rules[origin] = error
        found = self._rules[origin]
        if isinstance(found, NotFetchedError):
            raise found
        return found

    def _bearable(self, rules: Robots, url: str) -> Robots:
        delay = rules.crawl_delay(self.manners.user_agent) or 0.0
        if delay > MAX_CRAWL_DELAY:
            raise NotFetchedError(f"not asked: its robots.txt wants {delay:g} s between requests, too many", where=url)
        return rules

    def _ask(self, url: str, manners: Manners) -> Capture:
        """Wait for the host's turn and ask once."""
        host = urlsplit(url).netloc
        if self.asked >= self.budget:
            raise SpentError(f"not asked: the limit of {self.budget} requests is reached", where=url)
        if host in self._paused:
            raise NotFetchedError("not asked: the host has asked for a pause", where=url, do="Try again later.")
        if (left := self._answered.get(host, -math.inf) + self._delay_of(url) - time.monotonic()) > 0:
            self.sleep(left)
        self.asked += 1
        try:
            capture = exchange(url, manners)
        finally:
            self._answered[host] = time.monotonic()
        if capture.status in PAUSES:
            self._paused.add(host)
        return capture

    def _delay_of(self, url: str) -> float:
        rules = self._rules.get("{0.scheme}://{0.netloc}".format(urlsplit(url)))
        stated = (
            None if rules is None or isinstance(rules, NotFetchedError) else rules.crawl_delay(self.manners.user_agent)
        )
        return max(self.delay, stated or 0.0)
