"""HTTP handler: Scrapy's HTTP/1.1 client with a last check before sending, limits, and tolerance for broken servers.

A middleware cannot do this: requests wait for their turn behind the middlewares, and Scrapy sends its signals long
after the headers are in memory.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from functools import partial
from socket import MSG_PEEK
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from twisted.internet.protocol import connectionDone
from twisted.web._newclient import BODY, HEADER, STATUS, ParseError
from twisted.web.client import HTTPConnectionPool
from twisted.web.http import _ChunkedTransferDecoder, _MalformedChunkedDataError
from twisted.web.http_headers import InvalidHeaderName

from corpus_spider.crawling.open_files import MAX_IDLE_CONNECTIONS
from corpus_spider.extensions.capture import LEASE
from corpus_spider.network.errors import RefusalError
from corpus_spider.network.tls import EncryptedHosts
from pipelines.urls.url import host_of
from storage.reasons import HOST_PAUSED

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

MAX_HEAD = 256 * 1024
"""Maximum bytes of the head of a response. Servers send a few hundred; Twisted takes any number."""
SMALL_PIECE_BYTES = 1024
"""Bytes. Smaller pieces of a body that arrive together are delivered together."""
DOUBTFUL = frozenset({400, 408, 421, 431})
"""Statuses of a request that the server misread or gave up. The next bytes may belong to it too."""
MAX_SIZE_LINE = 16 * 1024
"""Maximum bytes of the size line of a chunk."""
_STATUS = re.compile(rb"\S+ [1-9][0-9]{2}(?: |\Z)")
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;.*)?", re.DOTALL)


class CrawlHandler(HTTP11DownloadHandler):
    """Sends the spider's requests, unless their host is paused."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        pool: Any = self._pool
        pool.__class__ = BoundedPool
        pool._factory = partial(_BoundedFactory, self._sent)  # noqa: SLF001 - where Scrapy, too, puts its own
        named = crawler.settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES")
        self._contextFactory: Any = EncryptedHosts(self._contextFactory, named=named)

    async def download_request(self, request: Request) -> Response:
        """Raise RefusalError for a paused host. Its URL becomes pending, and robots.txt waits."""
        lease = request.meta.get(LEASE)
        pauses = getattr(self._crawler.spider, "pauses", None)
        if pauses is not None and pauses.left(lease.host if lease else host_of(request.url)):
            raise RefusalError(HOST_PAUSED, retry=True)
        try:
            return await super().download_request(request)
        finally:
            # A busy host reads a request late. Only its response shows that it has.
            self._count_delay(request.meta.get("download_slot", ""))

    def _sent(self, url: str) -> None:
        """Count the host's delay from the time of sending. Scrapy counts from before the lookup and the connection."""
        self._count_delay(urlsplit(url).hostname or "")

    def _count_delay(self, key: str) -> None:
        engine = self._crawler.engine
        slot = engine.downloader.slots.get(key) if engine else None
        if slot is not None:
            slot.lastseen = max(slot.lastseen, time.monotonic())


class BoundedPool(HTTPConnectionPool):
    """Connection pool that closes more than Twisted's.

    - The longest idle connection, when there are too many. Twisted keeps some for every host.
    - A connection on which bytes came meanwhile: they would pass for the response.
    - Every idle connection to a host that did not respond to the second request on one.
    """

    _once: frozenset[Any] = frozenset()
    """Hosts whose connections take one request each."""

    def getConnection(self, key: Any, endpoint: Any) -> Any:  # noqa: N802
        for connection in list(self._connections.get(key, ())):
            if key in self._once or _has_input(connection.transport):
                self._let_go(key, connection)
        return super().getConnection(key, endpoint)

    def ask_once(self, key: Any) -> None:
        """Use each connection to this host once."""
        self._once |= {key}

    def _putConnection(self, key: Any, connection: Any) -> None:  # noqa: N802
        connection.unanswered = partial(self.ask_once, key)
        super()._putConnection(key, connection)  # type: ignore[no-untyped-call]
        while len(self._timeouts) > MAX_IDLE_CONNECTIONS:
            oldest = next(iter(self._timeouts))
            self._let_go(next(each for each, resting in self._connections.items() if oldest in resting), oldest)
        self._connections = {each: resting for each, resting in self._connections.items() if resting}

    def _let_go(self, key: Any, connection: Any) -> None:
        self._timeouts[connection].cancel()
        self._removeConnection(key, connection)  # type: ignore[no-untyped-call]


def _has_input(transport: Any) -> bool:
    """Return whether an idle connection has input: excess bytes, or that it was closed."""
    # An encrypted connection has a carrier, whose socket it is. A closed connection has no socket.
    socket = getattr(getattr(transport, "transport", transport), "socket", None)
    try:
        return socket is not None and socket.recv(1, MSG_PEEK) is not None
    except BlockingIOError:
        return False
    except OSError:
        return True


class Chunks(_ChunkedTransferDecoder):
    """Decoder of chunked bodies. It accepts white space after a chunk's size, and any extension, as browsers do.

    It delivers all chunks that came together as one piece. Chunks of one byte each, delivered one by one, would keep
    the crawl busy with a single page.
    """

    def __init__(self, deliver: Callable[[bytes], None], finish: Callable[[bytes], None]) -> None:
        self._pieces: list[bytes] = []
        self._deliver, self._end = deliver, finish
        super().__init__(self._pieces.append, self._finish)

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        try:
            super().dataReceived(data)
        finally:
            self._hand_on()

    def _hand_on(self) -> None:
        if self._pieces:
            whole = b"".join(self._pieces)
            self._pieces.clear()
            self._deliver(whole)

    def _finish(self, rest: bytes) -> None:
        self._hand_on()
        self._end(rest)

    def _dataReceived_CHUNK_LENGTH(self) -> bool:  # noqa: N802
        end = self._buffer.find(b"\r\n", self._start)
        if max(end, len(self._buffer) if end < 0 else 0) > MAX_SIZE_LINE:
            raise _MalformedChunkedDataError("the size of a chunk has no end")
        if end < 0:
            self._start = len(self._buffer) - 1
            return False
        size = _SIZE.fullmatch(self._buffer, 0, end)
        if size is None:
            raise _MalformedChunkedDataError("the size of a chunk is no number")
        self.length = int(size[1], 16)
        self.state = "BODY" if self.length else "TRAILER"
        del size, self._buffer[: end + 2]
        self._start = 0
        return True


_DECODERS = {b"chunked": Chunks}


class _TolerantParser(_LenientHTTPClientParser):
    """Parser that skips headers with an invalid name, as browsers do. Scrapy's skips lines without a colon."""

    MAX_LENGTH = MAX_HEAD
    _transferDecoders: dict[bytes, Any] = _DECODERS  # noqa: N815

    def statusReceived(self, status: bytes) -> None:  # noqa: N802
        # Twisted takes any number. An archive cannot hold a status with a sign or of seven digits.
        if not _STATUS.match(status):
            raise ParseError("no status of three digits", status)  # type: ignore[no-untyped-call]
        super().statusReceived(status)  # type: ignore[no-untyped-call]

    def lineReceived(self, line: bytes) -> None:  # noqa: N802
        # Skip a folded line without a header before it.
        if self.state != HEADER or self._partialHeader is not None or line[:1] not in {b" ", b"\t"}:
            super().lineReceived(line)

    def headerReceived(self, name: bytes, value: bytes) -> None:  # noqa: N802
        with suppress(InvalidHeaderName):
            super().headerReceived(name, value)  # type: ignore[no-untyped-call]

    def allHeadersReceived(self) -> None:  # noqa: N802
        # The identity coding (RFC 2616, 3.6) is as good as none. Twisted knows only chunked.
        if [coding.lower() for coding in self.connHeaders.getRawHeaders(b"transfer-encoding", ())] == [b"identity"]:
            self.connHeaders.removeHeader(b"transfer-encoding")
        super().allHeadersReceived()  # type: ignore[no-untyped-call]


class _BoundedProtocol(_LenientHTTP11ClientProtocol):
    """Protocol that closes the connection after an endless head or an ambiguous end, and reports sent requests."""

    _head = 0
    sent: Callable[[str], None] | None = None
    unanswered: Callable[[], None] | None = None
    """Set when the connection has been idle. Called when a later request gets no response."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)  # type: ignore[no-untyped-call]
        self._small: list[bytes] = []

    def request(self, request: Any) -> Any:
        self._head = 0
        if self.sent is not None:
            self.sent((request.absoluteURI or b"").decode("latin-1"))
        answer = super().request(request)
        # Neither Scrapy nor Twisted has an option for the parser. Scrapy replaces Twisted's in the same way.
        self._parser.__class__ = _TolerantParser
        return answer

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        """Collect small pieces of a body that arrive together. TLS delivers each record by itself, and records of one
        byte each would keep the crawl busy with a single page.
        """
        if len(data) < SMALL_PIECE_BYTES and self._parser is not None and self._parser.state == BODY:
            if not self._small:
                _soon(self._hand_on)
            self._small.append(data)
        else:
            self._hand_on()
            self._take(data)

    def connectionLost(self, reason: Any = connectionDone) -> None:  # noqa: N802
        """Deliver the bytes before the end."""
        self._hand_on()
        super().connectionLost(reason)  # type: ignore[no-untyped-call]

    def _hand_on(self) -> None:
        if self._small:
            whole = b"".join(self._small)
            self._small.clear()
            self._take(whole)

    def _take(self, data: bytes) -> None:
        in_head = self._parser is not None and self._parser.state in {STATUS, HEADER}
        self._head += len(data) if in_head else 0
        if in_head and self._head > MAX_HEAD:
            transport: Any = self.transport
            transport.abortConnection()
        else:
            super().dataReceived(data)  # type: ignore[no-untyped-call]

    def _finishResponse(self, rest: bytes) -> None:  # noqa: N802
        """Close the connection if a rest of this response could pass for the next one (RFC 9112, 6.3 and 11.2)."""
        parser, request = self._parser, self._currentRequest
        if parser is not None and request is not None:
            doubtful = parser.response.code in DOUBTFUL
            if doubtful and self.unanswered is not None:
                self.unanswered()
            if rest or doubtful or _is_ambiguous(parser):
                request.persistent = False
        super()._finishResponse(rest)

    def _disconnectParser(self, reason: Any) -> None:  # noqa: N802
        """Report a request on a reused connection whose response did not begin, or did not reach its body."""
        parser = self._parser
        if parser is not None and parser.state in {STATUS, HEADER} and self.unanswered is not None:
            self.unanswered()
        super()._disconnectParser(reason)  # type: ignore[no-untyped-call]


def _is_ambiguous(parser: Any) -> bool:
    """Return whether a response has two lengths, or one although its status has no body."""
    lengths = [name for name in (b"content-length", b"transfer-encoding") if parser.connHeaders.hasHeader(name)]
    return len(lengths) > (0 if parser.response.code in parser.NO_BODY_CODES else 1)


def _soon(function: Callable[[], None]) -> None:
    """Call a function once the current event of the loop is done."""
    from twisted.internet import reactor

    loop: Any = reactor
    loop.callLater(0, function)


class _BoundedFactory(_LenientHTTP11ClientFactory):
    """Factory of connections with the bounded protocol."""

    def __init__(self, sent: Callable[[str], None], *args: Any) -> None:
        super().__init__(*args)  # type: ignore[no-untyped-call]
        self._sent = sent

    def buildProtocol(self, addr: Any) -> _BoundedProtocol:  # noqa: N802
        protocol = _BoundedProtocol(self._quiescentCallback)
        protocol.sent = self._sent
        return protocol
