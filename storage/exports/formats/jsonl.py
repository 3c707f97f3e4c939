"""Write JSON lines: plain, gzip-compressed or Zstandard-compressed.

A line is a document in UTF-8, and every reader splits the lines alike. Numbers that are not finite are null. Each
format writes documents (``write``) or parts that other processes made of them (``write_parts``). The bytes are the
same, however the documents are parted.
"""

from __future__ import annotations

import gzip
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec
import numpy as np

from storage.exports.background_writer import one_ahead
from storage.exports.fields import BY_NAME, encodable, values_of
from storage.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from storage.documents.model import CorpusDocument
    from storage.fields import Fields

# str.splitlines and many line readers split at these too. In JSON they stand inside strings, where an escape is equal.
_LINE_BREAKS = tuple((character.encode(), b"\\u%04x" % ord(character)) for character in "\x85\u2028\u2029")

BLOCK = 2**20
"""Bytes of lines to compress at a time, at least. With an eighth of that, the thread that makes lines and the one that
compresses them wait for Python's lock longer than they work.
"""

PIECE = 2**18
"""Bytes of lines to search for line breaks at a time."""

GZIP_LEVEL = 6
ZSTD_LEVEL = 2
"""Texts take 7 % more room than at level 3, and a quarter less time. Level 1 saves as much time for twice the room."""
ZSTD_WINDOW_LOG = 20
"""A window of 1 MiB, which a processor's cache holds."""

_encoder = msgspec.json.Encoder()


def line(values: Mapping[str, Any]) -> bytes:
    """Return values by name as one line of JSON, in their order, with its end of line."""
    return escaped(_encoder.encode(values) + b"\n")


def part_lines(names: Sequence[str]) -> Callable[[Sequence[CorpusDocument]], list[bytes]]:
    """Return a function from documents to their lines, which hold only the fields of these names, in their order."""
    encoded = _encoding(tuple(map(BY_NAME.__getitem__, names)))

    def lines_of(documents: Sequence[CorpusDocument]) -> list[bytes]:
        lines = [encoded(document) + b"\n" for document in documents]
        # One search through all lines takes a third of the time.
        together = b"".join(lines)
        return lines if escaped(together) is together else list(map(escaped, lines))

    return lines_of


def blocks(rows: Iterable[CorpusDocument], size: int = BLOCK, fields: Fields = FIELDS) -> Iterator[bytes]:
    """Yield the lines of the rows in blocks of at least ``size`` bytes. Rows are taken as they are needed.

    Line breaks in them are not `escaped` yet, because another thread can do that.
    """
    encoded = _encoding(fields)
    block = bytearray()
    for row in rows:
        block += encoded(row)
        block += b"\n"
        if len(block) >= size:
            yield bytes(block)
            block.clear()
    yield bytes(block)


def write(rows: Iterable[CorpusDocument], stream: BinaryIO, fields: Fields = FIELDS) -> None:
    """Write the rows to the stream, one a line."""
    # Line by line, so that a shard ends with the row that fills it.
    write_parts(blocks(rows, 1, fields), stream)


def part(rows: Iterable[CorpusDocument], fields: Fields = FIELDS) -> bytes:
    """Return the lines of some rows for `write_parts`, `write_gzip_parts` and `write_zstd_parts`."""
    return b"\n".join([*map(_encoding(fields), rows), b""])


def write_parts(parts: Iterable[bytes], stream: BinaryIO) -> None:
    """Write parts, one after another."""
    stream.writelines(map(escaped, parts))


def write_gzip(rows: Iterable[CorpusDocument], stream: BinaryIO, fields: Fields = FIELDS) -> None:
    """Write the rows as one gzip member (RFC 1952). Without name and time, equal documents give equal bytes."""
    write_gzip_parts(blocks(rows, fields=fields), stream)


def write_gzip_parts(parts: Iterable[bytes], stream: BinaryIO) -> None:
    """Write parts as one gzip member."""
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=GZIP_LEVEL, fileobj=stream, mtime=0) as packed,
        one_ahead(lambda block: packed.write(escaped(block)), parts) as written,
    ):
        for _ in written:
            pass


def write_zstd(rows: Iterable[CorpusDocument], stream: BinaryIO, fields: Fields = FIELDS) -> None:
    """Write the rows as one Zstandard frame (RFC 8878) with a checksum."""
    write_zstd_parts(blocks(rows, fields=fields), stream)


def write_zstd_parts(parts: Iterable[bytes], stream: BinaryIO) -> None:
    """Write parts as one Zstandard frame with a checksum."""
    import zstandard

    parameters = zstandard.ZstdCompressionParameters.from_level(
        ZSTD_LEVEL, window_log=ZSTD_WINDOW_LOG, write_checksum=True
    )
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    with one_ahead(lambda block: compressor.compress(escaped(block)), parts) as packed:
        stream.writelines(packed)
    stream.write(compressor.flush())


@lru_cache(maxsize=8)
def _encoding(fields: Fields) -> Callable[[CorpusDocument], bytes]:
    """Return a function from a document to the JSON of these fields, in their order."""
    if fields == FIELDS:
        return partial(_encoded, lambda document: document)
    part_of = msgspec.defstruct("Part", [field.name for field in fields], gc=False)
    values = values_of(fields)
    return partial(_encoded, lambda document: part_of(*values(document)))


def _encoded(chosen: Callable[[CorpusDocument], object], document: CorpusDocument) -> bytes:
    try:
        return _encoder.encode(chosen(document))
    except UnicodeEncodeError:
        return _encoder.encode(chosen(encodable(document)))


def escaped(data: bytes) -> bytes:
    """Return lines of JSON with escapes for the characters at which some readers split lines."""
    octets = np.frombuffer(data, np.uint8)
    # Piece by piece, so that the arrays stay in the processor's cache and need no new memory.
    if any(_has_breaks(octets[start : start + PIECE + 2]) for start in range(0, octets.size, PIECE)):
        for character, escape in _LINE_BREAKS:
            data = data.replace(character, escape)
    return data


def _has_breaks(octets: Any) -> bool:
    """Return whether there are line breaks. Only bytes that may begin one are compared: several times as fast."""
    first = np.flatnonzero(octets[:-2] & 0xDF == 0xC2)  # 0xC2 or 0xE2
    second = octets[first + 1]
    third = octets[first[second == 0x80] + 2]
    return bool((octets[first[second == 0x85]] == 0xC2).any() or (third | 1 == 0xA9).any())
