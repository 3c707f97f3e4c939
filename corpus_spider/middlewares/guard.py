"""Protection against server-side request forgery: only http(s), usual ports and public addresses are fetched.

There are two checks. The first downloader middleware checks the URL of every request, including robots.txt. The
resolver checks every resolved address, so a name cannot become private between check and connection. An HTTP proxy
resolves names itself and must do the second check.
"""

from __future__ import annotations

import errno
import logging
import socket
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit
from urllib.request import getproxies

from scrapy.http.request import NO_CALLBACK
from scrapy.resolver import HostResolution, dnscache
from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.defer import TimeoutError as LateError
from twisted.internet.interfaces import IHostnameResolver
from twisted.internet.threads import deferToThreadPool
from zope.interface import implementer

from corpus_spider.extensions.capture import LEASE
from corpus_spider.network.connection import may_connect
from corpus_spider.network.errors import RefusalError
from corpus_spider.terminal.escapes import safe
from pipelines.urls.url import normalise_host, private_address
from storage.reasons import PRIVATE_ADDRESS, meaning_of
from storage.records import PORTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from twisted.internet.base import ReactorBase

logger = logging.getLogger(__name__)

LOOPBACK_NAME = "localhost"
MAX_ADDRESSES = 8
"""Addresses of a name that are tried. A name may have any number, and each costs a connection."""
MAX_REPORTED = 100
"""Names with private addresses that are logged in one run. Pages may contain any number."""


def proxy_hosts() -> frozenset[str]:
    """Return the hosts of the HTTP proxies of the environment. They are connected to, but never fetched from."""
    named = (url if "//" in url else f"//{url}" for scheme, url in getproxies().items() if scheme in PORTS)
    return frozenset(host for url in named if (host := urlsplit(url).hostname))


def refusal(url: str, allowed: Iterable[str], ports: Iterable[int] = (), proxies: Collection[str] = ()) -> str | None:
    """Return why a URL may not be fetched (``scheme``, ``private_address``, ``port``), or None if it may. Pure.

    ``allowed`` are ``host:port`` patterns of allowed private addresses, ``ports`` the allowed ports besides 80 and 443.
    ``proxies`` are hosts whose names resolve only on this machine.
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
        return PRIVATE_ADDRESS
    if any(_names(pattern, host) for pattern in allowed):
        # The host may resolve to a private address, but only at the listed ports.
        return "port"
    return None if port in {*PORTS.values(), *ports} else "port"


def _names(pattern: str, host: str) -> bool:
    """Return whether a pattern of the allow list names this host. ``*`` alone names no host."""
    named = pattern.rpartition(":")[0]
    return named.strip("*") != "" and fnmatchcase(host, named)


class GuardMiddleware:
    """Refuses requests by :func:`refusal`, before anything is sent."""

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

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Log why a request by hand is refused (`scrapy shell`). Those of a crawl have their reason stored."""
        by_hand = LEASE not in request.meta and request.callback is not NO_CALLBACK
        if isinstance(exception, RefusalError) and by_hand:
            logger.error("%s is not fetched: %s", safe(request.url), in_words(exception.reason, request.url))


def in_words(reason: str, url: str) -> str:
    """Return why a URL is refused, and what to do about it. Pure."""
    if reason == PRIVATE_ADDRESS:
        parts = urlsplit(url)
        place = f"{parts.hostname}:{parts.port or PORTS.get(parts.scheme)}"
        return f'it has a private address. If the host is yours, add "{place}" to allow_private in [crawl].'
    return f"{meaning_of(reason) or reason}."


@implementer(IHostnameResolver)
class GuardedResolver:
    """Resolver that returns only the IPv4 and IPv6 addresses that may be connected to at the requested port.

    ``localhost`` names are resolved here (RFC 6761, 6.3). Scrapy's resolver knows only the first IPv4 address and not
    the port.
    """

    def __init__(self, reactor: Any, allowed: Sequence[str], seconds: float) -> None:
        self._reactor, self._allowed, self._seconds = reactor, tuple(allowed), seconds
        self._proxies = proxy_hosts()
        self._reported: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> Self:
        """Build from ``CORPUS_ALLOW_PRIVATE`` and Scrapy's own DNS settings."""
        dnscache.limit = crawler.settings.getint("DNSCACHE_SIZE")
        seconds = crawler.settings.getfloat("DNS_TIMEOUT")
        return cls(reactor, crawler.settings.getlist("CORPUS_ALLOW_PRIVATE"), seconds)

    def install_on_reactor(self) -> None:
        """Install this resolver in the reactor. Scrapy calls it."""
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802 - Twisted's name
        self,
        receiver: Any,
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        **_: object,
    ) -> HostResolution:
        """Pass each allowed address of a name (or a literal address) to the receiver."""
        resolution = HostResolution(hostName)
        receiver.resolutionBegan(resolution)
        # Twisted has decoded Punycode.
        name = normalise_host(hostName) or hostName
        Deferred.fromCoroutine(self._tell(receiver, name, portNumber))
        return resolution

    async def _tell(self, receiver: Any, name: str, port: int) -> None:
        addresses = await self._addresses(name)
        good = [each for each in addresses if name in self._proxies or may_connect(name, each, port, self._allowed)]
        if addresses and not good and name not in self._reported and len(self._reported) < MAX_REPORTED:
            # Twisted reports only that the name has no address.
            self._reported.add(name)
            logger.info("%s is %s, which is private. If it is yours, add it to allow_private.", name, addresses[0])
        for address in good[:MAX_ADDRESSES]:
            receiver.addressResolved((IPv6Address if ":" in address else IPv4Address)("TCP", address, port))
        receiver.resolutionComplete()

    async def _addresses(self, name: str) -> list[str]:
        if name == LOOPBACK_NAME or name.endswith("." + LOOPBACK_NAME):
            return ["127.0.0.1"]
        if name not in dnscache:
            try:
                found = deferToThreadPool(self._reactor, self._reactor.getThreadPool(), addresses_of, name)
                dnscache[name] = await found.addTimeout(self._seconds, self._reactor)
            except (OSError, ValueError, LateError, RuntimeError):
                # RuntimeError: the system has no thread left. The receiver must get a result in any case.
                return []
        return list(dnscache[name])


def addresses_of(name: str) -> list[str]:
    """Return the addresses of a name that this machine has a route to, IPv4 first. Raises OSError if there is none."""
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    addresses = [str(place[0]) for family, *_, place in sorted(found, key=lambda each: each[0] != socket.AF_INET)]
    # An address without a route (IPv6 on an IPv4 machine) would hide the real error of the host.
    return [each for each in dict.fromkeys(addresses) if _has_route(each)] or addresses


def _has_route(address: str) -> bool:
    """Return whether this machine has a route to an address. Nothing is sent."""
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((address, 9))
        except OSError as error:
            return error.errno not in {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL}
    return True
