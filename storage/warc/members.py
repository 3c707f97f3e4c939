"""One WARC record as one gzip member (RFC 1952), sealed.

gzip's own CRC covers the content, not the member: a flipped bit in its header or in the padding of a deflate block goes
unnoticed. So every member carries a CRC-32 of its compressed bytes in the header's extra field, subfield ``CS``, which
other readers skip (RFC 1952, 2.3.1.1).
"""

from __future__ import annotations

import zlib

MAGIC = b"\x1f\x8b\x08"
HEADER = MAGIC + b"\x04" + bytes(5) + b"\x03" + b"\x08\x00" + b"CS" + b"\x04\x00"
"""How each member begins: no time, Unix, 8 bytes of extra field, in it subfield CS of 4 bytes; the seal follows."""
SEALED = len(HEADER) + 4
"""Length of the whole gzip header in bytes."""

MAX_RECORD = 1 << 30
"""Longest record in bytes, inflated, that is read; no page comes near it, and a forged one stops there."""

_RAW = -zlib.MAX_WBITS


def member(head: bytes, body: bytes, *, stored: bool) -> bytes:
    """Return the gzip member of a record whose content is head + body.

    With ``stored`` the body is not compressed again: right for bodies that are compressed already, where deflate level
    1 costs ten times as much and gains nothing. Deflate streams that end on a byte boundary can be joined (RFC 1951).
    """
    compressor = zlib.compressobj(6, zlib.DEFLATED, _RAW)
    if stored:
        tail = zlib.compressobj(0, zlib.DEFLATED, _RAW)
        parts = [compressor.compress(head), compressor.flush(zlib.Z_SYNC_FLUSH), tail.compress(body), tail.flush()]
    else:
        parts = [compressor.compress(head), compressor.compress(body), compressor.flush()]
    crc = zlib.crc32(body, zlib.crc32(head))
    parts.append(_little_endian(crc) + _little_endian(len(head) + len(body)))
    return b"".join((HEADER, _little_endian(_seal(parts)), *parts))


def _seal(parts: list[bytes]) -> int:
    seal = 0
    for part in parts:
        seal = zlib.crc32(part, seal)
    return seal


def _little_endian(number: int) -> bytes:
    return (number & 0xFFFFFFFF).to_bytes(4, "little")
