"""JSON lines, Zstandard-compressed (RFC 8878): one frame with a checksum."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from storage.exports import jsonl
from storage.exports.ahead import one_ahead

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from storage.exports.rows import Row

LEVEL = 6
BLOCK = 2**17
"""Bytes that are compressed at a time, at least."""


def write(rows: Iterable[Row], stream: BinaryIO) -> None:
    """Write the rows as one Zstandard frame."""
    import zstandard

    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compressobj()
    with one_ahead(compressor.compress, _blocks(rows)) as packed:
        stream.writelines(packed)
    stream.write(compressor.flush())


def _blocks(rows: Iterable[Row]) -> Iterator[bytes]:
    block = bytearray()
    for row in rows:
        block += jsonl.line(row)
        if len(block) >= BLOCK:
            yield bytes(block)
            block.clear()
    yield bytes(block)
