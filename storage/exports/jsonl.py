"""JSON lines: one document a line, UTF-8, for every reader's idea of a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from storage.exports.rows import Row

# str.splitlines and many line readers also split at these; in JSON they stay inside strings, where an escape is equal.
_LINE_BREAKS = tuple((character.encode(), b"\\u%04x" % ord(character)) for character in "\x85\u2028\u2029")
_LEAST, _MOST = 1e-4, 1e16
"""Between these, and for 0, numbers are written alike by both encoders; beyond, only `json` writes them as it does."""

_encode = msgspec.json.Encoder().encode


def line(row: Row) -> bytes:
    """Return a row as one line of JSON as `json` writes it, keys in the row's order, its end of line included."""
    data = _encode(row) if _is_plain(row) else _encode_any(row)
    for character, escape in _LINE_BREAKS:
        data = data.replace(character, escape)
    return data + b"\n"


def _is_plain(values: Mapping[str, Any]) -> bool:
    numbers = [value for value in values.values() if type(value) is float]
    groups = [value for value in values.values() if type(value) is dict]
    return all(value == 0 or _LEAST <= abs(value) < _MOST for value in numbers) and all(map(_is_plain, groups))


def _encode_any(row: Row) -> bytes:
    return json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_iso).encode()


def write(rows: Iterable[Row], stream: BinaryIO) -> None:
    """Write the rows to the stream, one a line."""
    put = stream.write
    for row in rows:
        put(line(row))


def _iso(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")
