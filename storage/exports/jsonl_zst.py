"""JSON lines, Zstandard-compressed (RFC 8878): one frame with a checksum."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from storage.exports import jsonl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from storage.exports.rows import Row

LEVEL = 6


def write(rows: Iterable[Row], stream: BinaryIO) -> None:
    """Write the rows as one Zstandard frame."""
    import zstandard

    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    with compressor.stream_writer(stream, closefd=False) as packed:
        jsonl.write(rows, packed)
