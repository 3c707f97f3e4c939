"""Connection for one request outside a crawl: limited in time, to public addresses only, with or without a proxy.

The address that was checked is the one that is connected to, so a name cannot change in between. An HTTP proxy of the
environment (``HTTP_PROXY``, ``HTTPS_PROXY``, ``NO_PROXY``) resolves names itself, as in a crawl.
"""

from __future__ import annotations

import socket
import ssl
import time
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from http.client import HTTPConnection, HTTPResponse
from threading import Timer
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from storage.errors import ConfigError
from storage.records import PORTS

if TYPE_CHECKING:
    from urllib.parse import SplitResult

_MAX_LINE_BYTES = 65_536
"""Longest header line, in bytes."""


class NotPublicError(OSError):
    """All addresses of a name are private."""


def if_yours(parts: SplitResult) -> str:
    """Return advice for an address that is refused because its host is private."""
    place = parts.netloc if parts.port else f"{parts.netloc}:{PORTS.get(parts.scheme, 80)}"
    return f"If the host is yours: corpus-spider -s crawl.allow_private={place} …, or the same in corpus.toml."


@dataclass(frozen=True, slots=True)
class Manners:
    """User agent, timeout in seconds, maximum body in bytes, and allowed private ``host:port`` patterns."""

    user_agent: str
    timeout: float = 60.0
    max_body: int = 10 * 2**20
    allow_private: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy and its authorization headers."""

    host: str
    port: int
    headers: dict[str, str]


def proxy_for(scheme: str, host: str) -> Proxy | None:
    """Return the proxy that the environment sets for a URL; None for a direct connection.

    Raises ConfigError if it is not a valid address.
    """
    named = getproxies().get(scheme, "")
    if not named or proxy_bypass(host):
        return None
    try:
        parts = urlsplit(named if "//" in named else f"//{named}")
        port = parts.port or 80
        if not parts.hostname:
            raise ValueError("it has no host")
    except ValueError as error:
        raise ConfigError(
            f"is not a valid address: {error}", where=f"${scheme}_proxy", do="Write http://HOST:PORT."
        ) from None
    login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    basic = {"Proxy-Authorization": f"Basic {b64encode(login.encode()).decode()}"} if parts.username else {}
    return Proxy(parts.hostname, port, basic)


def require_proxies() -> None:
    """Raise ConfigError if the environment sets an invalid proxy."""
    for scheme in ("http", "https"):
        proxy_for(scheme, "")


class _FinalResponse(HTTPResponse):
    """Skips informational responses (RFC 9110, 15.2). http.client takes 103 (Early Hints) for the final response."""

    def _read_status(self) -> tuple[str, int, str]:
        while True:
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if not 101 < status < 200:
                return version, status, reason
            while self.fp.readline(_MAX_LINE_BYTES).strip():
                pass


class Wire:
    """A connection that is closed when the timeout of the whole exchange, including the handshake, is over.

    ``target`` is the request target, ``headers`` are additional headers for a proxy. For another request on the same
    connection, or a body that may take longer, the clock is stopped and started again.
    """

    def __init__(self, parts: SplitResult, manners: Manners) -> None:
        self.expired = False
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self._timeout = manners.timeout
        self._socket: socket.socket | None = None
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        proxy = proxy_for(parts.scheme, host)
        self.connection = HTTPConnection(proxy.host if proxy else host, proxy.port if proxy else port, manners.timeout)
        self.connection.response_class = _FinalResponse
        self._plain_proxy = proxy is not None and parts.scheme == "http"
        self.target = self.target_of(parts)
        self.headers = proxy.headers if proxy and self._plain_proxy else {}
        self.start_clock()
        try:
            if proxy is None:
                self.connection.sock = _dial(host, port, manners)
            elif parts.scheme == "https":
                self.connection.set_tunnel(host, port, proxy.headers)
            if proxy is not None:
                self.connection.connect()
            self._socket = self.connection.sock
            if self.expired:
                # The timeout passed before there was a socket to close.
                raise TimeoutError("timed out")
            if parts.scheme == "https":
                self._encrypt(host)
            self._socket.settimeout(manners.timeout)
        except BaseException:
            self.close()
            raise
        # A later request must not open a connection whose address was not checked.
        self.connection.auto_open = 0

    def target_of(self, parts: SplitResult) -> str:
        """Return the request target of a URL at the same host."""
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return f"http://{parts.netloc}{path}" if self._plain_proxy else path

    @property
    def is_open(self) -> bool:
        """Whether the connection can take another request. The last response must have been read to its end."""
        return self.connection.sock is not None and not self.expired

    def start_clock(self) -> None:
        """Give the timeout from now on."""
        self._timer = Timer(self._timeout, self.cut)
        self._timer.daemon = True
        self._timer.start()

    def stop_clock(self) -> None:
        """Stop the timeout of the exchange. That of a single read remains."""
        self._timer.cancel()

    def _encrypt(self, host: str) -> None:
        context = ssl.create_default_context()
        encrypted = context.wrap_socket(self.connection.sock, server_hostname=host, do_handshake_on_connect=False)
        self.connection.sock = self._socket = encrypted
        encrypted.do_handshake()

    def cut(self) -> None:
        """End the exchange from another thread."""
        self.expired = True
        # Without keep-alive, the connection drops the socket before the body is read, so it is held here too. While a
        # proxy opens a tunnel, only the connection has it.
        held = self._socket or self.connection.sock
        if held is not None:
            with suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Stop the clock and close the socket."""
        self.stop_clock()
        self.connection.close()
        if self._socket is not None:
            self._socket.close()


def _dial(host: str, port: int, manners: Manners) -> socket.socket:
    """Connect to the first reachable address of the host that is allowed. Raises OSError if there is none.

    All addresses share one timeout.
    """
    end = time.monotonic() + manners.timeout
    failure: OSError = NotPublicError(f"{host} has no public address")
    # `localhost` names are resolved here, as in a crawl (RFC 6761, 6.3).
    plain = host.lower().rstrip(".")
    name = "127.0.0.1" if plain == "localhost" or plain.endswith(".localhost") else host
    for family, kind, protocol, _, address in socket.getaddrinfo(name, port, type=socket.SOCK_STREAM):
        if not may_connect(host, str(address[0]), port, manners.allow_private):
            continue
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        connection = socket.socket(family, kind, protocol)
        connection.settimeout(left)
        try:
            connection.connect(address)
        except OSError as error:
            connection.close()
            failure = error
        else:
            return connection
    raise failure


def may_connect(host: str, address: str, port: int, allowed: tuple[str, ...]) -> bool:
    """Return whether a resolved address is public, or allowed for this host and port."""
    from pipelines.urls.url import address_allowed

    return address_allowed(address) or any(fnmatchcase(f"{host}:{port}", pattern) for pattern in allowed)
