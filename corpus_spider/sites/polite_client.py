"""Polite one-off requests outside a crawl.

The robots.txt of each host is fetched first, once. Two requests to a host are separated by the delay, or by a longer
Crawl-delay of robots.txt. A host that requires a pause (429, 503) gets no further request. Clients in several threads
share the pace of each host.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from corpus_spider.sites.page_request import NotFetchedError, exchange, follow, manners, robots_of
from pipelines.urls.robots_txt import MAX_CRAWL_DELAY

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpus_spider.config.model import Config
    from corpus_spider.network.connection import Manners
    from pipelines.urls.robots_txt import Robots
    from storage.records import Capture

PAUSES = frozenset({429, 503})
"""Statuses by which a host requires a pause."""


class RequestLimitError(NotFetchedError):
    """The limit of requests is reached."""


def manners_of(config: Config) -> Manners:
    """Return the manners of a crawl with this configuration. Raises ConfigError if there is no contact."""
    config.require_contact()
    return manners(config)


@dataclass(slots=True)
class Pace:
    """Times of the last responses of all hosts, and the hosts that require a pause. For clients in several threads."""

    answered: dict[str, float] = field(default_factory=dict)
    paused: set[str] = field(default_factory=set)
    _turns: defaultdict[str, Lock] = field(default_factory=lambda: defaultdict(Lock))
    _lock: Lock = field(default_factory=Lock)

    def turn(self, host: str) -> Lock:
        """Return the lock of a host. A client holds it from the wait before a request until the response."""
        with self._lock:
            return self._turns[host]


@dataclass(slots=True)
class PoliteClient:
    """Polite HTTP client with at most ``budget`` requests, including robots.txt and redirects."""

    manners: Manners
    delay: float
    """Seconds between two requests to one host. May be changed for each site."""
    budget: int
    sleep: Callable[[float], None] = time.sleep
    pace: Pace = field(default_factory=Pace)
    asked: int = 0
    _ports: set[int] = field(default_factory=set)
    _rules: dict[str, Robots | NotFetchedError] = field(default_factory=dict)

    def get(self, url: str) -> Capture:
        """Fetch a URL and follow redirects. Raises NotFetchedError with the reason."""
        self._ports |= {port for port in [urlsplit(url).port] if port}
        return follow(url, self.manners, self._ports, self.rules, self._ask)

    def rules(self, url: str) -> Robots:
        """Return the robots.txt rules of the URL's host. Raises NotFetchedError if they cannot be read."""
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        if origin not in self._rules:
            try:
                rules = robots_of(url, self.manners, self._ask)
                delay = rules.crawl_delay(self.manners.user_agent) or 0.0
                if delay > MAX_CRAWL_DELAY:
                    what = f"not fetched: robots.txt requires {delay:g} s between requests, which is too long"
                    raise NotFetchedError(what, where=url, do="Ask the site for another rule, or leave the site out.")
                self._rules[origin] = rules
            except RequestLimitError:
                raise
            except NotFetchedError as error:
                self._rules[origin] = error
        found = self._rules[origin]
        if isinstance(found, NotFetchedError):
            raise found
        return found

    def _ask(self, url: str, manners: Manners) -> Capture:
        """Wait until the host may be requested, and make one request."""
        host = urlsplit(url).netloc
        if self.asked >= self.budget:
            what = f"not fetched: the limit of {self.budget} requests is reached"
            raise RequestLimitError(what, where=url, do="Run it again for fewer sites.")
        with self.pace.turn(host):
            if host in self.pace.paused:
                raise NotFetchedError("not fetched: the host requires a pause", where=url, do="Try again later.")
            last = self.pace.answered.get(host, -math.inf)
            if (left := last + self._delay_of(url) - time.monotonic()) > 0:
                self.sleep(left)
            self.asked += 1
            try:
                capture = exchange(url, manners)
            finally:
                self.pace.answered[host] = time.monotonic()
            if capture.status in PAUSES:
                self.pace.paused.add(host)
        return capture

    def _delay_of(self, url: str) -> float:
        rules = self._rules.get("{0.scheme}://{0.netloc}".format(urlsplit(url)))
        stated = (
            None if rules is None or isinstance(rules, NotFetchedError) else rules.crawl_delay(self.manners.user_agent)
        )
        return max(self.delay, stated or 0.0)
