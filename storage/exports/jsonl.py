"""JSON lines: one document a line, UTF-8, for every reader's idea of a line; null for numbers that are not finite."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec
import numpy as np

from storage.exports.rows import FIELDS, encodable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from storage.holdings import CorpusDocument

# str.splitlines and many line readers also split at these; in JSON they stay inside strings, where an escape is equal.
_LINE_BREAKS = tuple((character.encode(), b"\\u%04x" % ord(character)) for character in "\x85\u2028\u2029")

BLOCK = 2**20
"""Bytes of lines to compress at a time, at least: with an eighth of that, the thread that compresses them and the one
that makes them wait for each other at Python's lock longer than they work.
"""

PIECE = 2**18
"""Bytes of lines that are looked through at a time."""

_encoder = msgspec.json.Encoder()


def line(values: Mapping[str, Any]) -> bytes:
    """Return values by name as one line of JSON, in their order, its end of line included."""
    return escaped(_encoder.encode(values) + b"\n")


def part_lines(names: Sequence[str]) -> Callable[[Sequence[CorpusDocument]], list[bytes]]:
    """Return what gives the lines of documents with only the fields of these names, in their order."""
    part = msgspec.defstruct("Part", names, gc=False)
    attributes = {field.name: field.attribute for field in FIELDS}
    values = attrgetter(*(attributes[name] for name in names))

    def line_of(document: CorpusDocument) -> bytes:
        try:
            return _encoder.encode(part(*values(document))) + b"\n"
        except UnicodeEncodeError:
            return _encoder.encode(part(*values(encodable(document)))) + b"\n"

    def lines_of(documents: Sequence[CorpusDocument]) -> list[bytes]:
        lines = list(map(line_of, documents))
        # To look through all at once takes a third of the time.
        together = b"".join(lines)
        return lines if escaped(together) is together else list(map(escaped, lines))

    return lines_of


def blocks(rows: Iterable[CorpusDocument], size: int = BLOCK) -> Iterator[bytes]:
    """Yield the lines of the rows, as many at a time as make so many bytes; rows are taken as they are needed.

    Line breaks within them are still to be `escaped`, which can be done in another thread.
    """
    block = bytearray()
    for row in rows:
        block += _encoded(row)
        block += b"\n"
        if len(block) >= size:
            yield bytes(block)
            block.clear()
    yield bytes(block)


def write(rows: Iterable[CorpusDocument], stream: BinaryIO) -> None:
    """Write the rows to the stream, one a line."""
    # One by one, so that a shard ends with the row that fills it.
    write_parts(blocks(rows, 1), stream)


def part(rows: Iterable[CorpusDocument]) -> bytes:
    """Return the lines of some rows, for `write_parts` of this format and of those that compress it."""
    return b"\n".join([*map(_encoded, rows), b""])


def write_parts(parts: Iterable[bytes], stream: BinaryIO) -> None:
    """Write the rows of which parts were made, in this order."""
    stream.writelines(map(escaped, parts))


def _encoded(document: CorpusDocument) -> bytes:
    try:
        return _encoder.encode(document)
    except UnicodeEncodeError:
        return _encoder.encode(encodable(document))


def escaped(data: bytes) -> bytes:
    """Return lines of JSON with escapes for the characters in them at which some readers split lines."""
    octets = np.frombuffer(data, np.uint8)
    # Some at a time, so that what is compared is neither far away nor in memory that is new each time.
    if any(_has_breaks(octets[start : start + PIECE + 2]) for start in range(0, octets.size, PIECE)):
        for character, escape in _LINE_BREAKS:
            data = data.replace(character, escape)
    return data


def _has_breaks(octets: Any) -> bool:
    """Look for line breaks where characters begin as they do, several times as fast as to look for each of them."""
    first = np.flatnonzero(octets[:-2] & 0xDF == 0xC2)  # 0xC2 or 0xE2
    second = octets[first + 1]
    third = octets[first[second == 0x80] + 2]
    return bool((octets[first[second == 0x85]] == 0xC2).any() or (third | 1 == 0xA9).any())
