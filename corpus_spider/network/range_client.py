"""Read large files on other servers by ranges: streamed, resumed after a cut connection, patient with a busy server.

Requests go through `Wire`, so private addresses are refused. A host gets one connection at a time.
"""

from __future__ import annotations

import io
import logging
import re
import ssl
import time
from dataclasses import dataclass, field
from http.client import HTTPException
from threading import Event
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from corpus_spider.network.connection import NotPublicError, Wire, if_yours
from corpus_spider.network.retry_after import retry_after
from pipelines.urls.url import MAX_REDIRECTS, REDIRECTS
from storage.errors import CorpusError
from storage.reporting import counted
from storage.warc import StreamSource

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.client import HTTPResponse
    from urllib.parse import SplitResult

    from corpus_spider.network.connection import Manners

logger = logging.getLogger(__name__)

ATTEMPTS = 8
"""Attempts in a row without progress. Each waits twice as long as the one before: four minutes in all."""
FIRST_WAIT, LONGEST_WAIT = 2.0, 120.0
"""Seconds, if the server states no Retry-After."""
PROGRESS_BYTES = 1 << 16
"""Bytes that a connection must bring within the timeout. Fewer count as a failed attempt."""
MAX_SKIPPED_BYTES = 8 << 20
"""Bytes that are read and thrown away to get to a range, at a server that knows no ranges."""
MAX_READ_OVER_BYTES = 1 << 20
"""Bytes that are read rather than left out: another request takes longer."""
LOOK_BACK = 8 << 20
"""Bytes behind the newest read that are kept. A damaged archive is read more than once."""
PARTIAL_STATUS = 206
_OK, _BAD_RANGE = 200, 416
_MISSING = frozenset({403, 404, 410, _BAD_RANGE})
"""Object storage answers 403 for a file that is not there."""
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
_WITHOUT_HEAD = frozenset({400, 403, 405, 501})
"""Statuses of servers that answer no HEAD request, such as those with signed addresses."""
_RANGE = re.compile(r"bytes\s+(\d{1,18})-(\d{1,18})/(\d{1,18}|\*)", re.IGNORECASE)
_URL_CHARACTERS = "%/:=&?~#+!$,;'@()*[]"
_NUMBER = re.compile(r"[0-9]{1,18}")
_LATER_DO = "Run the same command again later. What is finished is kept."


class DownloadError(CorpusError):
    """A file could not be fetched. A later run may succeed. ``status``: of the last response, 0 for none."""

    def __init__(self, what: str, *, where: str, do: str, status: int = 0) -> None:
        super().__init__(what, where=where, do=do)
        self.status = status

    @property
    def is_missing(self) -> bool:
        """Whether the server has no such file, or not these bytes of it."""
        return self.status in _MISSING


class BusyServerError(DownloadError):
    """A server gave no answer, or refused, at each of several attempts."""


class FileChangedError(DownloadError):
    """The file is another one than before."""


class FetchStoppedError(Exception):
    """The client was stopped."""


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """What tells that a file is still the same one. ``size``: None if the server does not state it."""

    etag: str = ""
    size: int | None = None

    def differs(self, other: FileIdentity) -> bool:
        """Return whether both are known and differ."""
        sizes = None not in (self.size, other.size) and self.size != other.size
        return sizes or bool(self.etag and other.etag and self.etag != other.etag)


@dataclass(slots=True)
class RangeClient:
    """Client for large files. ``received``: bytes of bodies so far. ``sleep``: waits between attempts."""

    manners: Manners
    sleep: Callable[[float], object] | None = None
    received: int = 0
    stopping: Event = field(default_factory=Event)
    _idle: dict[str, Wire] = field(default_factory=dict)
    """Open connections without a request, by origin."""
    _busy: list[Wire] = field(default_factory=list)

    def request(self, address: str, headers: dict[str, str], method: str = "GET") -> tuple[HTTPResponse, Wire]:
        """Send a request, follow redirects, and return the response with its connection, which must be released.

        Raises DownloadError for an address that is refused, OSError or HTTPException for a failed connection.
        """
        target = quote(address, safe=_URL_CHARACTERS)
        for _ in range(MAX_REDIRECTS + 1):
            response, wire = self._exchange(target, headers, method)
            location = response.getheader("Location")
            if response.status not in REDIRECTS or not location:
                return response, wire
            self.release(response, wire)
            schemes = ("https",) if target.startswith("https:") else ("https", "http")
            target = quote(urljoin(target, location), safe=_URL_CHARACTERS)
            if urlsplit(target).scheme not in schemes:
                raise DownloadError(f"redirects to {target}", where=address, do="Name an https address.")
        raise DownloadError("too many redirects", where=address, do="Name the address that they end at.")

    def _exchange(self, address: str, headers: dict[str, str], method: str) -> tuple[HTTPResponse, Wire]:
        parts = urlsplit(address)
        own = {"Host": parts.netloc.rpartition("@")[2], "User-Agent": self.manners.user_agent}
        headers = own | {"Accept-Encoding": "identity"} | headers
        if (held := self._idle.pop(f"{parts.scheme}://{parts.netloc}", None)) is not None:
            try:
                return self._send(held, parts, headers, method)
            except (OSError, HTTPException):
                # A server closes connections that were idle for a while.
                logger.debug("%s: a new connection is opened", address)
        try:
            wire = Wire(parts, self.manners)
        except NotPublicError as error:
            raise DownloadError(str(error), where=address, do=if_yours(parts)) from None
        return self._send(wire, parts, headers, method)

    def _send(self, wire: Wire, parts: SplitResult, headers: dict[str, str], method: str) -> tuple[HTTPResponse, Wire]:
        self._busy.append(wire)
        try:
            if self.stopping.is_set():
                raise FetchStoppedError
            wire.start_clock()
            wire.connection.request(method, wire.target_of(parts), headers=headers | wire.headers)
            response = wire.connection.getresponse()
            wire.stop_clock()
        except BaseException:
            self._busy.remove(wire)
            wire.close()
            raise
        return response, wire

    def release(self, response: HTTPResponse, wire: Wire) -> None:
        """Keep the connection for the next request to the host if the response was read to its end, or close it."""
        self._busy.remove(wire)
        if response.isclosed() and wire.is_open and wire.origin not in self._idle:
            self._idle[wire.origin] = wire
            return
        response.close()
        wire.close()

    def size(self, address: str) -> int | None:
        """Return the bytes of a file; None if it cannot be known without fetching it. Makes one attempt."""
        try:
            response, wire = self.request(address, {}, "HEAD")
            self.release(response, wire)
            if response.status in _WITHOUT_HEAD:
                response, wire = self.request(address, {"Range": "bytes=0-0"})
                self.release(response, wire)
        except (OSError, HTTPException, DownloadError) as error:
            logger.debug("%s: %s", address, error)
            return None
        if response.status == PARTIAL_STATUS:
            found = _RANGE.fullmatch((response.getheader("Content-Range") or "").strip())
            return int(found[3]) if found and found[3] != "*" else None
        return _stated_length(response) if response.status == _OK else None

    def wait(self, seconds: float) -> None:
        """Wait. Raises FetchStoppedError if the client is stopped meanwhile."""
        if self.sleep is not None:
            self.sleep(seconds)
        if self.stopping.wait(0 if self.sleep else seconds):
            raise FetchStoppedError

    def stop(self) -> None:
        """End the requests of another thread: they raise FetchStoppedError."""
        self.stopping.set()
        for wire in list(self._busy):
            wire.cut()

    def close(self) -> None:
        """Close all connections."""
        for wire in (*self._busy, *self._idle.values()):
            wire.close()
        self._busy.clear()
        self._idle.clear()


class RangeStream(io.RawIOBase):
    """Bytes of a remote file, forward from an offset. It goes on after a cut connection, at the byte that is missing.

    Args:
        client: sends the requests.
        address: an http(s) address.
        at: first byte.
        end: offset behind the last byte; None for the end of the file.
        identity: of the file, if it is known. Raises FileChangedError for another file.
        may_skip: whether a server that knows no ranges may send all bytes before the first one again.
    """

    def __init__(
        self,
        client: RangeClient,
        address: str,
        at: int = 0,
        end: int | None = None,
        *,
        identity: FileIdentity | None = None,
        may_skip: bool = True,
    ) -> None:
        self.identity = identity or FileIdentity()
        self._client, self._address, self._at, self._end, self._may_skip = client, address, at, end, may_skip
        self._response: HTTPResponse | None = None
        self._wire: Wire | None = None
        self._response_end: int | None = None
        self._failures = 0
        self._progress_at, self._since = at, time.monotonic()

    def readable(self) -> bool:
        """Return True, for libraries that ask."""
        return True

    def readinto(self, buffer: memoryview | bytearray) -> int:  # type: ignore[override]
        """Read some bytes; 0 at the end. Raises DownloadError, FileChangedError or FetchStoppedError."""
        data = self.some(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def some(self, size: int) -> bytes:
        """Return at most ``size`` bytes, none at the end."""
        while not self._is_at_end():
            try:
                data = self._piece(size if self._end is None else min(size, self._end - self._at))
            except ssl.SSLCertVerificationError as error:
                raise DownloadError(str(error), where=self._address, do="Is the address right?") from error
            except (OSError, HTTPException) as error:
                self._fail(str(error) or type(error).__name__)
                continue
            if data is None:
                break
            if data:
                return data
        self._drop()
        return b""

    def _is_at_end(self) -> bool:
        end = self._end if self._end is not None else self.identity.size
        return end is not None and self._at >= end

    def _piece(self, size: int) -> bytes | None:
        """Return some bytes; none if the connection brought none; None at the end of the file."""
        if self._response is None:
            self._connect()
        if self._response is None:
            return b""
        if self._client.stopping.is_set():
            raise FetchStoppedError
        data = self._response.read1(size)
        now = time.monotonic()
        if data:
            self._at += len(data)
            self._client.received += len(data)
            if self._at - self._progress_at >= PROGRESS_BYTES:
                self._progress_at, self._since, self._failures = self._at, now, 0
            elif now - self._since > self._client.manners.timeout:
                self._fail("the connection is too slow")
            return data
        is_whole = self._response_end is None or self._at >= self._response_end
        if self._client.stopping.is_set():
            raise FetchStoppedError
        if not is_whole:
            self._fail("the connection was cut")
            return b""
        self._drop()
        # A server may send less than the range that was requested.
        return None if self._response_end is None or self._is_at_end() else b""

    def _connect(self) -> None:
        """Request the bytes from here on. There is no response after it if the attempt failed."""
        client, address, ranged = self._client, self._address, self._at > 0 or self._end is not None
        last = "" if self._end is None else str(self._end - 1)
        self._since = time.monotonic()
        response, wire = client.request(address, {"Range": f"bytes={self._at}-{last}"} if ranged else {})
        self._response, self._wire = response, wire
        status = response.status
        if status == _OK:
            length = _stated_length(response)
            self._check(FileIdentity(response.getheader("ETag") or "", length))
            self._response_end = length
            self._skip()
            return
        if status == PARTIAL_STATUS:
            self._take_range(response)
            return
        if status == _BAD_RANGE:
            total = (response.getheader("Content-Range") or "").rpartition("/")[2]
            self._drop()
            if self._end is None and total.isdigit() and int(total) == self._at:
                self.identity = FileIdentity(self.identity.etag, self._at)
                return
            if total.isdigit():
                self._check(FileIdentity(size=int(total)))
            raise DownloadError(
                "the file ends before this range", where=address, do="Is the index of this file?", status=status
            )
        stated = retry_after(response.getheader("Retry-After"), time.time()) or 0.0
        self._drop()
        if status not in _LATER:
            raise DownloadError(f"HTTP {status}", where=address, do="Is the address right?", status=status)
        self._fail(f"HTTP {status}", stated, status)

    def _take_range(self, response: HTTPResponse) -> None:
        stated = response.getheader("Content-Range") or ""
        found = _RANGE.fullmatch(stated.strip())
        if found is None or int(found[1]) != self._at or int(found[2]) < self._at:
            self._drop()
            self._fail(f"the server sent another range than bytes {self._at}- ({stated[:80] or 'none stated'})")
            return
        self._check(FileIdentity(response.getheader("ETag") or "", None if found[3] == "*" else int(found[3])))
        self._response_end = int(found[2]) + 1

    def _check(self, found: FileIdentity) -> None:
        if self.identity.differs(found):
            self._drop()
            raise FileChangedError("the file has changed meanwhile", where=self._address, do=_LATER_DO)
        size = found.size if found.size is not None else self.identity.size
        self.identity = FileIdentity(found.etag or self.identity.etag, size)

    def _skip(self) -> None:
        """Read over the bytes before the first one: the server knows no ranges."""
        if self._at > MAX_SKIPPED_BYTES and not self._may_skip:
            self._drop()
            do = "Import the whole files instead, without --cdx."
            raise DownloadError("the server knows no byte ranges", where=self._address, do=do)
        left = self._at
        while left > 0:
            if self._client.stopping.is_set():
                raise FetchStoppedError
            data = self._response.read1(min(left, PROGRESS_BYTES)) if self._response else b""
            if not data:
                self._fail("the connection was cut")
                return
            left -= len(data)
            self._client.received += len(data)

    def _fail(self, why: str, stated: float = 0.0, status: int = 0) -> None:
        """Count a failed attempt, and wait for the next. Raises BusyServerError after several without progress."""
        self._drop()
        if self._client.stopping.is_set():
            raise FetchStoppedError
        self._failures += 1
        if self._failures >= ATTEMPTS:
            what = f"no progress in {counted(ATTEMPTS, 'attempt')} ({why})"
            raise BusyServerError(what, where=self._address, do=_LATER_DO, status=status)
        pause = max(stated, min(FIRST_WAIT * 2 ** (self._failures - 1), LONGEST_WAIT))
        logger.warning("%s: %s. Next attempt in %.0f s", self._address, why, pause)
        self._client.wait(pause)
        self._progress_at, self._since = self._at, time.monotonic()

    def _drop(self) -> None:
        if self._response is not None and self._wire is not None:
            self._client.release(self._response, self._wire)
        self._response = self._wire = None

    def close(self) -> None:
        """Leave the connection: kept for the next request if the response was read to its end."""
        self._drop()
        super().close()


class RemoteFile(StreamSource):
    """A remote file as the source of an archive. What lies more than `LOOK_BACK` behind is requested again.

    ``end``: offset behind the last byte that may be read; None for the end of the file. Errors as of `RangeStream`.
    """

    look_back = LOOK_BACK

    def __init__(
        self,
        client: RangeClient,
        address: str,
        start: int = 0,
        end: int | None = None,
        *,
        identity: FileIdentity | None = None,
        may_skip: bool = True,
    ) -> None:
        self._client, self._address, self._end, self._may_skip = client, address, end, may_skip
        self._known = identity or FileIdentity()
        self._ranges: RangeStream | None = None
        super().__init__(self._open_range)
        self._base = start

    @property
    def identity(self) -> FileIdentity:
        """What is known of the file after its first bytes."""
        return self._ranges.identity if self._ranges else self._known

    def read_at(self, offset: int, size: int) -> bytes:
        """Return the bytes at an offset, fewer than ``size`` only at the end. A far jump is a request of its own."""
        if self._end is not None:
            size = min(size, self._end - offset)
        if size <= 0:
            return b""
        if not self._ended and offset > self._base + len(self._held) + MAX_READ_OVER_BYTES:
            self._begin(offset)
        return super().read_at(offset, size)

    def _open_range(self) -> RangeStream:
        self._ranges = RangeStream(
            self._client, self._address, self._base, self._end, identity=self.identity, may_skip=self._may_skip
        )
        return self._ranges

    def _begin(self, offset: int = 0) -> None:
        self.close()
        super()._begin(offset)
        self._base = offset

    def close(self) -> None:
        """Close the connection, or leave it to the next request."""
        if self._ranges is not None:
            self._known = self._ranges.identity
            self._ranges.close()
            self._ranges = None


def _stated_length(response: HTTPResponse) -> int | None:
    stated = (response.getheader("Content-Length") or "").strip()
    return int(stated) if _NUMBER.fullmatch(stated) else None
