"""Pack a WARC record as a sealed gzip member (RFC 1952), and unpack the members of any program.

gzip's own CRC covers the content, not the member. A flipped bit in its header, or in the padding of a deflate block,
would go unnoticed. So every member carries a seal: a CRC-32 of its compressed bytes in the header's extra field,
subfield ``CS``. Other readers skip it (RFC 1952, 2.3.1.1).
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

import deflate

from storage.warc.sources import PIECE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from storage.warc.sources import ByteSource

MAGIC = b"\x1f\x8b\x08"
HEADER = MAGIC + b"\x04" + bytes(5) + b"\x03" + b"\x08\x00" + b"CS" + b"\x04\x00"
"""Beginning of each member: no time, Unix, 8 bytes of extra field with subfield CS of 4 bytes. The seal follows."""
SEALED = len(HEADER) + 4
"""Length of the whole gzip header in bytes."""

MAX_RECORD = 1 << 30
"""Bytes. Longest record that is read, inflated. No page comes near it, and a forged record stops there."""
_CUT_SHORT = "the gzip member is cut short"

_LEVEL = 6
_RAW = -zlib.MAX_WBITS
_SMALL_BITS, _SMALL_MEMORY = -12, 5
"""A small window of zlib, for a header. To make the larger one takes longer than to compress a header."""
_STORED_BLOCK = 0xFFFF
_FIRST_PIECE = 1 << 14
"""Bytes that are read first. Most records fit."""
_HEADER_CRC, _EXTRA, _NAME, _COMMENT = 2, 4, 8, 16
"""Flags of the gzip header for its optional fields."""


def member(head: bytes, body: bytes, *, stored: bool) -> bytes:
    """Return the gzip member of a record whose content is head + body.

    libdeflate takes .8 ms for a page of 118 kB, zlib 1.9. With ``stored`` the body is not compressed. That is for
    bodies that are compressed already: deflate level 1 costs ten times as much and gains nothing. zlib then compresses
    the header. Deflate streams that end on a byte boundary can be joined (RFC 1951), and only zlib ends them so.
    """
    parts: list[bytes | bytearray]
    if stored:
        compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _SMALL_BITS, _SMALL_MEMORY)
        parts = [compressor.compress(head), compressor.flush(zlib.Z_SYNC_FLUSH), *_stored(body)]
    else:
        parts = [deflate.deflate_compress(head + body, _LEVEL)]
    crc = zlib.crc32(body, zlib.crc32(head))
    parts.append(_little_endian(crc) + _little_endian(len(head) + len(body)))
    seal = 0
    for part in parts:
        seal = zlib.crc32(part, seal)
    return b"".join((HEADER, _little_endian(seal), *parts))


def _stored(body: bytes) -> Iterator[bytes]:
    """Cut a body into stored blocks (RFC 1951, 3.2.4). The last is marked. An empty body is one empty block."""
    for start in range(0, len(body) or 1, _STORED_BLOCK):
        part = body[start : start + _STORED_BLOCK]
        last = start + _STORED_BLOCK >= len(body)
        yield bytes([last]) + len(part).to_bytes(2, "little") + (len(part) ^ 0xFFFF).to_bytes(2, "little")
        yield part


def _little_endian(number: int) -> bytes:
    return (number & 0xFFFFFFFF).to_bytes(4, "little")


class Inflater:
    """Content of the gzip member at an offset, in pieces. Its CRC and length are verified at its end (RFC 1952).

    With ``joined`` the content of the members that follow is read too, up to the first damage.

    ``end``: offset after the last member; None until its compressed data has ended. ``damage``: reason why it is
    damaged; empty if it is sound as far as it was read. ``size``: bytes of content so far.
    """

    def __init__(self, source: ByteSource, offset: int, *, joined: bool = False) -> None:
        self.end: int | None = None
        self.damage = ""
        self.size = 0
        self._source, self._joined = source, joined
        self._begin(offset)

    def _begin(self, offset: int) -> None:
        self._raw, self._crc, self._first = zlib.decompressobj(_RAW), 0, self.size
        self._at, self._rest, self._finished = offset, b"", False
        try:
            beginning = self._source.read_at(offset, _FIRST_PIECE)
            length = _header_length(beginning)
            self._at, self._rest = offset + len(beginning), beginning[length:]
        except (ValueError, IndexError):
            self.damage, self._finished = "no gzip member begins here", True

    def read(self, size: int = PIECE) -> bytes:
        """Return some of the content, at most ``size`` bytes; none at the end. After it ``damage`` says how it ended.

        All bytes before damage of the compressed data are returned, and perhaps some wrong ones before it shows.
        """
        piece = b""
        while not (piece or self._finished):
            if not self._rest:
                self._rest = self._source.read_at(self._at, PIECE)
                self._at += len(self._rest)
            if not self._rest:
                self.damage, self._finished = _CUT_SHORT, True
                break
            before = self._raw.copy()
            try:
                piece = self._raw.decompress(self._rest, size)
                self._rest = self._raw.unconsumed_tail
            except zlib.error as error:
                piece = _before_damage(before, self._rest)
                self.damage, self._finished = f"the compressed data is damaged ({error})", True
            self._crc = zlib.crc32(piece, self._crc)
            self.size += len(piece)
            if self._raw.eof and not self._finished:
                self._verify(self._raw.unused_data)
        return piece

    def _verify(self, rest: bytes) -> None:
        """Compare CRC and length in the trailer with the content, and go on with the next member."""
        self._finished = True
        trailer_at = self._at - len(rest)
        trailer = rest[:8] if len(rest) >= 8 else self._source.read_at(trailer_at, 8)
        if len(trailer) < 8:
            self.damage = _CUT_SHORT
            return
        self.end = trailer_at + 8
        if trailer != _little_endian(self._crc) + _little_endian(self.size - self._first):
            self.damage = "the gzip CRC does not agree"
        elif self._joined and self._source.read_at(self.end, len(MAGIC)) == MAGIC:
            self._begin(self.end)


def _header_length(data: bytes) -> int:
    """Return the length of the gzip header at the beginning of the data (RFC 1952, 2.3). ValueError if it is none."""
    if data[:3] != MAGIC or data[3] & 0xE0:
        raise ValueError("no gzip header")
    flags, at = data[3], 10
    if flags & _EXTRA:
        at += 2 + int.from_bytes(data[at : at + 2], "little")
    for flag in (_NAME, _COMMENT):
        if flags & flag:
            at = data.index(0, at) + 1
    at += 2 if flags & _HEADER_CRC else 0
    if at > len(data):
        raise ValueError("the gzip header has no end")
    return at


def _before_damage(inflater: zlib._Decompress, data: bytes) -> bytes:
    """Return the content before the place where the compressed data is found to be damaged."""
    content = bytearray()
    with suppress(zlib.error):
        for at in range(len(data)):
            content += inflater.decompress(data[at : at + 1])
    return bytes(content)
