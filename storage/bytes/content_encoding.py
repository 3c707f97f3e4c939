"""Undo content codings (RFC 9110 section 8.4) within a limit of memory.

Codings: gzip (RFC 1952), deflate (RFC 1950, and bare RFC 1951 as many servers send it), br (RFC 7932) and zstd
(RFC 8878, window at most 8 MiB as RFC 9659 asks).

``inflate`` returns a whole body. A stream that ends early or fails its checksum is an error: half an article may read
like a whole one. ``inflated_prefix`` returns the beginning of a body for the MIME sniffer, so it accepts a stream that
is cut short. Both read the header and the streams with the same code.
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
"""Bytes. A page is hardly ever larger than 1 MiB."""
MAX_LAYERS = 5
"""Codings on top of each other. Real servers apply two by mistake."""
MAX_MEMBERS = 10_000
"""Streams in a row in one body. Each costs time and may hold nothing."""
_INPUT_STEP = 16 * 2**10
_OUTPUT_STEP = 256 * 2**10
_ZSTD_WINDOW_LOG = 23
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<")
_PLAIN_HEAD = 1024
# Codings have no parameters and no quotes (RFC 9110 section 8.4.1), but servers write them.
_PARAMETERS = re.compile(r"\"|;[^,]*")


class InflateError(Exception):
    """A body that cannot be decoded. ``reason`` is ``too_large``, ``truncated``, ``corrupt`` or ``unknown_coding``."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason, self.detail = reason, detail
        super().__init__(reason, detail)

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


class _Member(Protocol):
    """One compressed stream. Call ``pull`` with input, or with none for more output, until it is ``done``."""

    def pull(self, data: bytes) -> bytes: ...
    @property
    def hungry(self) -> bool: ...
    @property
    def done(self) -> bool: ...
    @property
    def unused(self) -> int: ...


class _Zlib:
    def __init__(self, wbits: int, step: int) -> None:
        self._stream = zlib.decompressobj(wbits)
        self._step = step
        self._full = False

    def pull(self, data: bytes) -> bytes:
        piece = self._stream.decompress(self._stream.unconsumed_tail + data, self._step)
        self._full = len(piece) >= self._step
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

    def __init__(self, step: int) -> None:
        import brotli

        self.taken = self._given = 0
        """Bytes of input without the last piece, and with it."""
        self._step = step
        self._full = False
        self._stream = brotli.Decompressor()
        self._error = brotli.error

    def pull(self, data: bytes) -> bytes:
        if data:
            self.taken, self._given = self._given, self._given + len(data)
        try:
            piece: bytes = self._stream.process(data, output_buffer_limit=self._step)
        except self._error as error:
            raise InflateError("corrupt", f"br: {error}") from error
        # The library accepts more input while it holds output back. Then the last output would never be fetched.
        self._full = len(piece) >= self._step
        return piece

    @property
    def hungry(self) -> bool:
        return not self._full and bool(self._stream.can_accept_more_data())

    @property
    def done(self) -> bool:
        return bool(self._stream.is_finished())


class _Zstd:
    def __init__(self, step: int) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        self._stream = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG})
        self._error = zstd.ZstdError
        self._step = step

    def pull(self, data: bytes) -> bytes:
        try:
            return self._stream.decompress(data, self._step)
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
    """Collect output. Raise as soon as it exceeds ``limit`` bytes; ``data`` holds the first ``limit`` then."""

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self.step = min(_OUTPUT_STEP, limit + 1)
        """Bytes of output that streams give at a time."""
        self._limit = limit

    def add(self, piece: bytes) -> None:
        room = self._limit - len(self.data)
        self.data += piece[:room]
        if len(piece) > room:
            raise InflateError("too_large", f"more than {self._limit} bytes unpacked")


def inflate(body: bytes, content_encoding: str | None, limit: int = DEFAULT_LIMIT) -> bytes:
    """Return a body without its content codings, the last one applied undone first (RFC 9110 section 8.4).

    Args:
        body: the bytes as they came over the wire, transfer coding undone.
        content_encoding: the header's value, a comma list; None or empty when there is none.
        limit: the most bytes that any layer may unpack to; the memory used stays near it, also if the body claims less.

    Returns:
        The decoded bytes. A plain page under a coding that was never applied, a common server fault, stays as it is.

    Raises:
        InflateError: the body is too large (or has more than five layers), truncated, corrupt, or its coding unknown.
    """
    codings = _codings(content_encoding)
    if len(codings) > MAX_LAYERS:
        raise InflateError("too_large", f"{len(codings)} layers of coding")
    for coding in codings:
        body = _undo(body, coding, _Sink(limit))
    if len(body) > limit:
        raise InflateError("too_large", f"{len(body)} bytes")
    return body


def unpack(body: bytes, content_encoding: str | None, limit: int = DEFAULT_LIMIT) -> bytes:
    """Return what `inflate` returns, and gunzip that if it is a gzip file, as sitemaps may be (sitemaps.org)."""
    body = inflate(body, content_encoding, limit)
    return inflate(body, "gzip", limit) if body.startswith(_GZIP_MAGIC) else body


def inflated_prefix(body: bytes, content_encoding: str | None, size: int) -> bytes:
    """Return the first ``size`` bytes of a body without its content codings.

    A truncated body gives the bytes before the cut. A body that is corrupt, or whose coding is unknown, gives none:
    its bytes would say nothing about its content. No layer is decoded further than ``size`` bytes, so a bomb costs no
    more than a page.
    """
    codings = _codings(content_encoding)
    if len(codings) > MAX_LAYERS:
        return b""
    for coding in codings:
        sink = _Sink(size)
        try:
            body = _undo(body, coding, sink)
        except InflateError as error:
            if error.reason not in ("truncated", "too_large"):
                return b""
            body = bytes(sink.data)
    return body[:size]


def _codings(content_encoding: str | None) -> list[str]:
    """Return the names of the codings in the order in which they are undone; identity is none."""
    stated = _PARAMETERS.sub("", (content_encoding or "").lower())
    return [name for name in reversed(re.split(r"[,\s]+", stated)) if name not in ("", "identity")]


def _undo(body: bytes, coding: str, sink: _Sink) -> bytes:
    undo = _by_magic(body, coding)
    if not body or _never_applied(body, coding, known=undo is not None):
        return body
    if undo is None:
        raise InflateError("unknown_coding", coding[:40])
    try:
        undo(body, sink)
    except zlib.error as error:
        raise InflateError("corrupt", f"{coding}: {error}") from error
    return bytes(sink.data)


def _by_magic(body: bytes, coding: str) -> Callable[[bytes, _Sink], None] | None:
    """Return the decoder of a coding. The magic number decides if the name is unknown, or is deflate on a gzip file."""
    known = _CODINGS.get(coding)
    if known in (None, _undeflate) and body.startswith(_GZIP_MAGIC):
        return _gunzip
    return _unzstd if known is None and body.startswith(_ZSTD_MAGIC) else known


def _never_applied(body: bytes, coding: str, *, known: bool) -> bool:
    """Return whether a body is plain though its header names a coding.

    Under gzip it is plain without the magic number; under other known codings if it is markup; under unknown codings if
    it is text. No valid brotli or zlib stream starts with ``<``. One may start with white space before ``<``, so bodies
    with control characters are not plain.
    """
    if coding in ("gzip", "x-gzip"):
        return not _GZIP_MAGIC.startswith(body[:2])
    if _CONTROL.search(body, 0, _PLAIN_HEAD):
        return False
    return not known or _MARKUP.match(body) is not None


def _gunzip(body: bytes, sink: _Sink) -> None:
    _members(body, sink, lambda: _Zlib(31, sink.step), lambda at: body.startswith(_GZIP_MAGIC, at))


def _unzstd(body: bytes, sink: _Sink) -> None:
    def starts(at: int) -> bool:
        return body.startswith(_ZSTD_MAGIC, at) or _ZSTD_SKIPPABLE.match(body, at) is not None

    _members(body, sink, lambda: _Zstd(sink.step), starts)


def _undeflate(body: bytes, sink: _Sink) -> None:
    header = int.from_bytes(body[:2], "big")
    has_zlib_header = body[0] & 0x0F == zlib.DEFLATED and header % 31 == 0
    _member(_chunks(body), _Zlib(zlib.MAX_WBITS if has_zlib_header else -zlib.MAX_WBITS, sink.step), sink)


def _unbrotli(body: bytes, sink: _Sink) -> None:
    """Decode a brotli stream and ignore bytes after its end, as browsers do.

    The library reports such bytes as an error of the piece that holds the end. The body is then decoded a second time,
    with that piece byte by byte.
    """
    member = _Brotli(sink.step)
    try:
        _member(_chunks(body), member, sink)
    except InflateError as error:
        if error.reason != "corrupt":
            raise
        sink.data.clear()
        failed = body[: member.taken + _INPUT_STEP]
        _member(chain(_chunks(body[: member.taken]), _chunks(failed, member.taken, 1)), _Brotli(sink.step), sink)


def _members(body: bytes, sink: _Sink, member: Callable[[], _Member], starts: Callable[[int], bool]) -> None:
    """Decode members one after another. Bytes after the last are padding, which gzip(1) and browsers ignore too."""
    at = _member(_chunks(body), member(), sink)
    for _ in range(MAX_MEMBERS):
        if not starts(at):
            return
        at = _member(_chunks(body, at), member(), sink)
    raise InflateError("too_large", f"more than {MAX_MEMBERS} members")


def _member(chunks: Iterable[tuple[int, bytes]], member: _Member, sink: _Sink) -> int:
    """Decode one stream from chunks with their offsets. Return the offset after its end."""
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
