"""Content codings undone: wire bytes to page bytes, within a limit, and never half a page.

gzip (RFC 1952), deflate (RFC 1950, and bare RFC 1951 as many servers send it), br (RFC 7932) and zstd (RFC 8878, window
at most 8 MiB as RFC 9659 asks). A stream that ends early or fails its checksum is an error: what came before the fault
may read like a whole article and is not one.
"""

from __future__ import annotations

import re
import sys
import zlib
from itertools import chain
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

DEFAULT_LIMIT = 32 * 2**20
MAX_LAYERS = 5
MAX_MEMBERS = 10_000
_INPUT_STEP = 16 * 2**10
_OUTPUT_STEP = 256 * 2**10
_ZSTD_WINDOW_LOG = 23
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")
_PLAIN_HEAD = 1024
_PARAMETERS = re.compile(r"\"|;[^,]*")
"""What servers write around the names of codings, which have no parameters."""


class InflateError(Exception):
    """A body that cannot be unpacked. ``reason`` is ``too_large``, ``truncated``, ``corrupt`` or ``unknown_coding``."""

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason, self.detail = reason, detail
        super().__init__(reason, detail)

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


class _Member(Protocol):
    """One compressed stream: give it input with ``pull`` (or none, to get more output) until it is ``done``."""

    def pull(self, data: bytes) -> bytes: ...
    @property
    def hungry(self) -> bool: ...
    @property
    def done(self) -> bool: ...
    @property
    def unused(self) -> int: ...


class _Zlib:
    def __init__(self, wbits: int) -> None:
        self._stream = zlib.decompressobj(wbits)
        self._full = False

    def pull(self, data: bytes) -> bytes:
        piece = self._stream.decompress(self._stream.unconsumed_tail + data, _OUTPUT_STEP)
        self._full = len(piece) >= _OUTPUT_STEP
        return piece

    @property
    def hungry(self) -> bool:
        return not self._stream.unconsumed_tail and not self._full

    @property
    def done(self) -> bool:
        return self._stream.eof

    @property
    def unused(self) -> int:
        return len(self._stream.unused_data)


class _Brotli:
    unused = 0

    def __init__(self) -> None:
        import brotli

        self.taken = self._given = 0
        """Bytes of input before the last piece of it; and with it."""
        self._full = False
        self._stream = brotli.Decompressor()
        self._error = brotli.error

    def pull(self, data: bytes) -> bytes:
        if data:
            self.taken, self._given = self._given, self._given + len(data)
        try:
            piece: bytes = self._stream.process(data, output_buffer_limit=_OUTPUT_STEP)
        except self._error as error:
            raise InflateError("corrupt", f"br: {error}") from error
        # It takes more input while there is output to come: what comes last would never be asked for.
        self._full = len(piece) >= _OUTPUT_STEP
        return piece

    @property
    def hungry(self) -> bool:
        return not self._full and bool(self._stream.can_accept_more_data())

    @property
    def done(self) -> bool:
        return bool(self._stream.is_finished())


class _Zstd:
    def __init__(self) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        self._stream = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG})
        self._error = zstd.ZstdError

    def pull(self, data: bytes) -> bytes:
        try:
            return self._stream.decompress(data, _OUTPUT_STEP)
        except self._error as error:
            raise InflateError("corrupt", f"zstd: {error}") from error

    @property
    def hungry(self) -> bool:
        return self._stream.needs_input

    @property
    def done(self) -> bool:
        return self._stream.eof

    @property
    def unused(self) -> int:
        return len(self._stream.unused_data)


class _Sink:
    """Collects output and refuses it as soon as it is more than ``limit`` bytes."""

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self._limit = limit

    def add(self, piece: bytes) -> None:
        if len(self.data) + len(piece) > self._limit:
            raise InflateError("too_large", f"more than {self._limit} bytes unpacked")
        self.data += piece


def inflate(body: bytes, content_encoding: str | None, limit: int = DEFAULT_LIMIT) -> bytes:
    """Undo the codings that a Content-Encoding header names (RFC 9110 section 8.4), the last one applied first.

    Args:
        body: the bytes as they came over the wire, transfer coding undone.
        content_encoding: the header's value, a comma list; None or empty when there is none.
        limit: the most bytes that any layer may unpack to; the memory used stays near it whatever the body claims.

    Returns:
        The unpacked bytes. A plain page under a coding that was never applied, a common server fault, passes as it is.

    Raises:
        InflateError: too large (or more than five layers), truncated, corrupt, or packed in a coding nobody knows here.
    """
    stated = _PARAMETERS.sub("", (content_encoding or "").lower())
    codings = [name for name in re.split(r"[,\s]+", stated) if name not in ("", "identity")]
    if len(codings) > MAX_LAYERS:
        raise InflateError("too_large", f"{len(codings)} layers of coding")
    for coding in reversed(codings):
        body = _undo(body, coding, limit)
    if len(body) > limit:
        raise InflateError("too_large", f"{len(body)} bytes")
    return body


def unpack(body: bytes, content_encoding: str | None, limit: int = DEFAULT_LIMIT) -> bytes:
    """Do as `inflate`, and once more where the body is a gzip file in itself, as sitemaps may be (sitemaps.org)."""
    body = inflate(body, content_encoding, limit)
    return inflate(body, "gzip", limit) if body.startswith(_GZIP_MAGIC) else body


def _undo(body: bytes, coding: str, limit: int) -> bytes:
    undo = _by_magic(body, coding)
    if not body or _never_applied(body, coding, known=undo is not None):
        return body
    if undo is None:
        raise InflateError("unknown_coding", coding[:40])
    sink = _Sink(limit)
    try:
        undo(body, sink)
    except zlib.error as error:
        raise InflateError("corrupt", f"{coding}: {error}") from error
    return bytes(sink.data)


def _by_magic(body: bytes, coding: str) -> Callable[[bytes, _Sink], None] | None:
    """Return how to undo a coding; one of another name, or under deflate's, by how its bytes begin."""
    known = _CODINGS.get(coding)
    if known in (None, _undeflate) and body.startswith(_GZIP_MAGIC):
        return _gunzip
    return _unzstd if known is None and body.startswith(_ZSTD_MAGIC) else known


def _never_applied(body: bytes, coding: str, *, known: bool) -> bool:
    """Tell a plain body under a false label: no magic number of gzip, markup under the others, any text under the rest.

    No valid brotli or zlib stream starts with ``<``; white space before it is why the control characters count as well.
    """
    if coding in ("gzip", "x-gzip"):
        return not _GZIP_MAGIC.startswith(body[:2])
    if _CONTROL.search(body, 0, _PLAIN_HEAD):
        return False
    return not known or _MARKUP.match(body) is not None


def _gunzip(body: bytes, sink: _Sink) -> None:
    _members(body, sink, lambda: _Zlib(31), lambda at: body.startswith(_GZIP_MAGIC, at))


def _unzstd(body: bytes, sink: _Sink) -> None:
    def starts(at: int) -> bool:
        return body.startswith(_ZSTD_MAGIC, at) or _ZSTD_SKIPPABLE.match(body, at) is not None

    _members(body, sink, _Zstd, starts)


def _undeflate(body: bytes, sink: _Sink) -> None:
    header = int.from_bytes(body[:2], "big")
    has_zlib_header = body[0] & 0x0F == zlib.DEFLATED and header % 31 == 0
    _member(_chunks(body), _Zlib(zlib.MAX_WBITS if has_zlib_header else -zlib.MAX_WBITS), sink)


def _unbrotli(body: bytes, sink: _Sink) -> None:
    """Unpack a stream. What follows it the library calls an error of the piece that holds its end, and browsers pass
    over: such a body is read anew, that piece by the byte.
    """
    member = _Brotli()
    try:
        _member(_chunks(body), member, sink)
    except InflateError as error:
        if error.reason != "corrupt":
            raise
        sink.data.clear()
        failed = body[: member.taken + _INPUT_STEP]
        _member(chain(_chunks(body[: member.taken]), _chunks(failed, member.taken, 1)), _Brotli(), sink)


def _members(body: bytes, sink: _Sink, member: Callable[[], _Member], starts: Callable[[int], bool]) -> None:
    """Unpack members one after another; what follows the last is padding, which gzip(1) and browsers ignore too."""
    at = _member(_chunks(body), member(), sink)
    for _ in range(MAX_MEMBERS):
        if not starts(at):
            return
        at = _member(_chunks(body, at), member(), sink)
    raise InflateError("too_large", f"more than {MAX_MEMBERS} members")


def _member(chunks: Iterable[tuple[int, bytes]], member: _Member, sink: _Sink) -> int:
    """Unpack one stream from chunks with their offsets; return the offset behind it."""
    end = 0
    for at, chunk in chunks:
        sink.add(member.pull(chunk))
        while not member.done and not member.hungry:
            sink.add(member.pull(b""))
        end = at + len(chunk)
        if member.done:
            return end - member.unused
    raise InflateError("truncated", f"{end} bytes hold no end of stream")


def _chunks(body: bytes, start: int = 0, step: int = _INPUT_STEP) -> Iterator[tuple[int, bytes]]:
    for at in range(start, len(body), step):
        yield at, body[at : at + step]


_CODINGS: dict[str, Callable[[bytes, _Sink], None]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _undeflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
