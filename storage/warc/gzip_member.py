"""Pack a WARC record as a sealed gzip member (RFC 1952).

gzip's own CRC covers the content, not the member. A flipped bit in its header, or in the padding of a deflate block,
would go unnoticed. So every member carries a seal: a CRC-32 of its compressed bytes in the header's extra field,
subfield ``CS``. Other readers skip it (RFC 1952, 2.3.1.1).
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"\x1f\x8b\x08"
HEADER = MAGIC + b"\x04" + bytes(5) + b"\x03" + b"\x08\x00" + b"CS" + b"\x04\x00"
"""Beginning of each member: no time, Unix, 8 bytes of extra field with subfield CS of 4 bytes. The seal follows."""
SEALED = len(HEADER) + 4
"""Length of the whole gzip header in bytes."""

MAX_RECORD = 1 << 30
"""Bytes. Longest record that is read, inflated. No page comes near it, and a forged record stops there."""

_RAW = -zlib.MAX_WBITS
_SMALL, _SMALL_BITS, _SMALL_MEMORY = 4096, -12, 5
"""Bytes. Contents this short need a small window only. To make the larger one takes longer than to compress them."""
_STORED_BLOCK = 0xFFFF


def member(head: bytes, body: bytes, *, stored: bool) -> bytes:
    """Return the gzip member of a record whose content is head + body.

    With ``stored`` the body is not compressed. That is for bodies that are compressed already: deflate level 1 costs
    ten times as much and gains nothing. Deflate streams that end on a byte boundary can be joined (RFC 1951).
    """
    compressed = len(head) if stored else len(head) + len(body)
    if compressed <= _SMALL:
        compressor = zlib.compressobj(6, zlib.DEFLATED, _SMALL_BITS, _SMALL_MEMORY)
    else:
        compressor = zlib.compressobj(6, zlib.DEFLATED, _RAW)
    if stored:
        parts = [compressor.compress(head), compressor.flush(zlib.Z_SYNC_FLUSH), *_stored(body)]
    else:
        parts = [compressor.compress(head), compressor.compress(body), compressor.flush()]
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
