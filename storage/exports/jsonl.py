"""JSON lines: one document a line, UTF-8, for every reader's idea of a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from storage.exports.rows import Row

# str.splitlines and many line readers also split at these; in JSON they stay inside strings, where an escape is equal.
_LINE_BREAKS = (("\x85", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029"))


def line(row: Row) -> bytes:
    """Return a row as one line of JSON, keys in the row's order, its end of line included."""
    text = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_iso)
    for character, escape in _LINE_BREAKS:
        text = text.replace(character, escape)
    return text.encode() + b"\n"


def write(rows: Iterable[Row], stream: BinaryIO) -> None:
    """Write the rows to the stream, one a line."""
    put = stream.write
    for row in rows:
        put(line(row))


def _iso(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")
