"""Keeps the crawl on the public web: http and https, usual ports, public addresses (server-side request forgery).

Two checks. The URL is checked in the first downloader middleware, which sees every request, robots.txt included. Every
*resolved* address is checked in the resolver, so a name that turns private between check and connection gains nothing.
With an HTTP proxy the proxy resolves names, and the second check is the proxy's.
"""

from __future__ import annotations

import logging
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit
from urllib.request import getproxies

from scrapy.resolver import CachingThreadedResolver
from twisted.internet import defer
from twisted.internet.error import DNSLookupError
from twisted.internet.interfaces import IResolverSimple
from zope.interface import implementer

from corpus_spider.middlewares.refusal import RefusalError
from pipelines.hosts import address_allowed, private_address

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from twisted.internet.base import ReactorBase
    from twisted.internet.defer import Deferred

logger = logging.getLogger(__name__)

PORTS = {"http": 80, "https": 443}
LOOPBACK_NAME = "localhost"
MAX_TOLD = 100
"""Names with private addresses that are told of in one run: pages may hold any number."""


def proxy_hosts() -> frozenset[str]:
    """Return the hosts of the HTTP proxies that the environment names: connected to, and never fetched from."""
    named = (url if "//" in url else f"//{url}" for scheme, url in getproxies().items() if scheme in PORTS)
    return frozenset(host for url in named if (host := urlsplit(url).hostname))


def refusal(url: str, allowed: Iterable[str], ports: Iterable[int] = (), proxies: Collection[str] = ()) -> str | None:
    """Say why a URL may not be fetched (``scheme``, ``private_address``, ``port``), or None when it may. Pure.

    ``allowed`` holds ``host:port`` patterns of private addresses that may be reached; ``ports`` those beside 80 and
    443; ``proxies`` are hosts whose names resolve for us alone.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return "scheme"
    if port is None or not parts.hostname:
        return "scheme"
    host = parts.hostname
    if any(fnmatchcase(f"{host}:{port}", pattern) for pattern in allowed):
        return None
    if private_address(host) or host in proxies:
        return "private_address"
    if any(_names(pattern, host) for pattern in allowed):
        # Its name resolves to a private address for us, at the ports that are listed and no other.
        return "port"
    return None if port in {*PORTS.values(), *ports} else "port"


def _names(pattern: str, host: str) -> bool:
    """Say whether a pattern of the allow list is of this host; one of any host names none."""
    named = pattern.rpartition(":")[0]
    return named.strip("*") != "" and fnmatchcase(host, named)


class GuardMiddleware:
    """Refuses what :func:`refusal` refuses, before anything is sent."""

    def __init__(self, allowed: Sequence[str], ports: Sequence[int]) -> None:
        self._allowed, self._ports = tuple(allowed), tuple(ports)
        self._proxies = proxy_hosts()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build from ``CORPUS_ALLOW_PRIVATE`` and ``CORPUS_PORTS``."""
        ports = [int(port) for port in crawler.settings.getlist("CORPUS_PORTS")]
        return cls(crawler.settings.getlist("CORPUS_ALLOW_PRIVATE"), ports)

    def process_request(self, request: Request) -> None:
        """Raise RefusalError for a URL that may not be fetched."""
        reason = refusal(request.url, self._allowed, self._ports, self._proxies)
        if reason is not None:
            raise RefusalError(reason, request.url)


@implementer(IResolverSimple)
class GuardedResolver(CachingThreadedResolver):
    """Resolves names and refuses answers that are not public; ``localhost`` names are answered here (RFC 6761, 6.3)."""

    def __init__(self, reactor: ReactorBase, cache_size: int, timeout: float) -> None:
        super().__init__(reactor, cache_size, timeout)
        self.allowed: tuple[str, ...] = ()
        self._proxies = proxy_hosts()
        self._told: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> Self:
        """Build from ``CORPUS_ALLOW_PRIVATE`` and Scrapy's own DNS settings."""
        resolver = super().from_crawler(crawler, reactor)
        resolver.allowed = tuple(crawler.settings.getlist("CORPUS_ALLOW_PRIVATE"))
        return resolver

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> Deferred[str]:  # noqa: N802
        """Resolve a name (or a literal address) to one address that may be connected to."""
        lowered = name.lower().rstrip(".")
        if lowered == LOOPBACK_NAME or lowered.endswith("." + LOOPBACK_NAME):
            return self._checked("127.0.0.1", lowered)
        return super().getHostByName(name, timeout).addCallback(self._checked, lowered)

    def _checked(self, address: str, name: str) -> Deferred[Any]:
        if address_allowed(address) or self._named(name) or name in self._proxies:
            return defer.succeed(address)
        if name not in self._told and len(self._told) < MAX_TOLD:
            # Twisted passes the error on as a name without an address.
            self._told.add(name)
            logger.info("%s is %s, which is not public: put it into allow_private if it is yours", name, address)
        return defer.fail(DNSLookupError(f"{name} resolves to {address}, which is not public"))

    def _named(self, name: str) -> bool:
        """Tell whether the allow list names this host; its ports were checked with the URL."""
        return any(fnmatchcase(name, pattern.rpartition(":")[0]) for pattern in self.allowed)
