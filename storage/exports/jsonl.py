"""JSON lines: one document a line, UTF-8, for every reader's idea of a line."""

from __future__ import annotations

import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec
import numpy as np

from storage.exports.rows import FIELDS, SIGNALS, Row, encodable, named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

# str.splitlines and many line readers also split at these; in JSON they stay inside strings, where an escape is equal.
_LINE_BREAKS = tuple((character.encode(), b"\\u%04x" % ord(character)) for character in "\x85\u2028\u2029")
_LEAST, _MOST = 1e-4, 1e16
"""Between these, and for 0, numbers are written alike by both encoders; beyond, only `json` writes them as it does."""

BLOCK = 2**20
"""Bytes of lines to compress at a time, at least: with an eighth of that, the thread that compresses them and the one
that makes them wait for each other at Python's lock longer than they work.
"""

_encoder = msgspec.json.Encoder()
_numbers = attrgetter(*(field.name for field in FIELDS if field.kind is float))
_signals = attrgetter(*SIGNALS)


def line(values: Mapping[str, Any]) -> bytes:
    """Return values by name as one line of JSON as `json` writes it, in their order, its end of line included."""
    data = _encoder.encode(values) if _is_plain(values) else _encode_any(values)
    return escaped(data + b"\n")


def part_lines(names: Sequence[str]) -> Callable[[Sequence[Row]], list[bytes]]:
    """Return what gives the lines of rows that have only the fields of these names, in their order."""
    part = msgspec.defstruct("Part", names, gc=False)
    values = attrgetter(*names)

    def line_of(row: Row) -> bytes:
        try:
            if _has_plain_numbers(row):
                return _encoder.encode(part(*values(row))) + b"\n"
            told = named(row)
            return _encode_any({name: told[name] for name in names}) + b"\n"
        except UnicodeEncodeError:
            return line_of(encodable(row))

    def lines_of(rows: Sequence[Row]) -> list[bytes]:
        lines = list(map(line_of, rows))
        # To look through all at once takes a third of the time.
        together = b"".join(lines)
        return lines if escaped(together) is together else list(map(escaped, lines))

    return lines_of


def blocks(rows: Iterable[Row], size: int = BLOCK) -> Iterator[bytes]:
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


def write(rows: Iterable[Row], stream: BinaryIO) -> None:
    """Write the rows to the stream, one a line."""
    # One by one, so that a shard ends with the row that fills it.
    write_parts(blocks(rows, 1), stream)


def part(rows: Iterable[Row]) -> bytes:
    """Return the lines of some rows, for `write_parts` of this format and of those that compress it."""
    return b"\n".join([*map(_encoded, rows), b""])


def write_parts(parts: Iterable[bytes], stream: BinaryIO) -> None:
    """Write the rows of which parts were made, in this order."""
    stream.writelines(map(escaped, parts))


def _encoded(row: Row) -> bytes:
    try:
        return _encoder.encode(row) if _has_plain_numbers(row) else _encode_any(named(row))
    except UnicodeEncodeError:
        return _encoded(encodable(row))


def _has_plain_numbers(row: Row) -> bool:
    numbers = _numbers(row)
    if row.quality is not None:
        numbers += _signals(row.quality)
    told = tuple(filter(None, numbers))
    # What is no number at all both encoders are given as null.
    return not told or (min(told) >= _LEAST and max(told) < _MOST)


def _is_plain(values: Mapping[str, Any]) -> bool:
    numbers = [value for value in values.values() if type(value) is float]
    groups = [value for value in values.values() if type(value) is dict]
    return all(value == 0 or _LEAST <= abs(value) < _MOST for value in numbers) and all(map(_is_plain, groups))


def _encode_any(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_iso).encode()


def escaped(data: bytes) -> bytes:
    """Return lines of JSON with escapes for the characters in them at which some readers split lines."""
    if _has_breaks(np.frombuffer(data, np.uint8)):
        for character, escape in _LINE_BREAKS:
            data = data.replace(character, escape)
    return data


def _has_breaks(octets: Any) -> bool:
    """Look for line breaks where characters begin as they do, several times as fast as to look for each of them."""
    after = np.flatnonzero(octets == 0xE2) + 1
    after = after[octets[after] == 0x80] + 1
    return bool((octets[after] | 1 == 0xA9).any() or (octets[np.flatnonzero(octets == 0xC2) + 1] == 0x85).any())


def _iso(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")
