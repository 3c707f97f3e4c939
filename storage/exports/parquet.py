"""Apache Parquet with a stated schema, zstd-compressed, in row groups of bounded size."""

from __future__ import annotations

from datetime import datetime
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec.structs import astuple

from storage.exports.ahead import one_ahead
from storage.exports.rows import FIELDS, SIGNALS, Row, encodable
from storage.records import Quality

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROW_GROUP_ROWS = 4096
ROW_GROUP_CHARS = 16 * 2**20
"""A row group ends at the first of these, so memory stays flat however long the texts are."""
BATCH_ROWS = 256
"""Rows that become columns at a time."""

LEVEL = 3
# Words that repeat gain from a dictionary.
_REPEATED = (
    "language",
    "script",
    "site",
    "extractor",
    "extractor_version",
    "encoding",
    "encoding_source",
    "licence",
    "warc",
)

# Of no use to filter by, so their minimum and maximum would only cost room.
_LONG = ("text", "kinds", "captions", "comments", "languages", "recurring")

# Of the signals of quality, those that are counts.
_WHOLE = frozenset({"words"})

_lists = attrgetter(*(field.name for field in FIELDS if field.kind is tuple))
_signals = attrgetter(*SIGNALS)
_NO_SIGNALS = (None,) * len(SIGNALS)


def schema() -> Any:
    """Return the Arrow schema: strings and lists of strings, 64-bit numbers, ``fetched_at`` in microseconds UTC, and
    ``quality`` as a struct of numbers.

    Every field may be null.
    """
    import pyarrow

    arrow = {
        str: pyarrow.string(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        datetime: pyarrow.timestamp("us", tz="UTC"),
        tuple: pyarrow.list_(pyarrow.string()),
        Quality: pyarrow.struct([(name, pyarrow.int64() if name in _WHOLE else pyarrow.float64()) for name in SIGNALS]),
    }
    return pyarrow.schema([pyarrow.field(field.name, arrow[field.kind]) for field in FIELDS])


def write(rows: Iterable[Row], stream: BinaryIO) -> None:
    """Write the rows as one Parquet file; the stream is only ever appended to."""
    from pyarrow import parquet

    columns = schema()
    statistics = [field.name for field in FIELDS if field.name not in _LONG]
    options = {"compression": "zstd", "compression_level": LEVEL, "write_statistics": statistics}
    with (
        parquet.ParquetWriter(stream, columns, use_dictionary=list(_REPEATED), **options) as writer,
        one_ahead(
            lambda table: writer.write_table(table, row_group_size=len(table)), _tables(rows, columns)
        ) as written,
    ):
        for _ in written:
            pass


def _tables(rows: Iterable[Row], columns: Any) -> Iterator[Any]:
    """Yield a table for each row group.

    Rows become columns some at a time: as objects they take several times the room, and time to look through them for
    what can be cleared away.
    """
    import pyarrow

    parts: list[Any] = []
    group: list[Row] = []
    taken = chars = 0
    for row in rows:
        group.append(row)
        taken += 1
        chars += len(row.text) + sum(map(len, chain.from_iterable(filter(None, _lists(row)))))
        full = taken >= ROW_GROUP_ROWS or chars >= ROW_GROUP_CHARS
        if full or len(group) >= BATCH_ROWS:
            parts.append(_batch(group, columns))
            group = []
        if full:
            yield pyarrow.Table.from_batches(parts, columns)
            parts, taken, chars = [], 0, 0
    parts += [_batch(group, columns)] if group else []
    if parts:
        yield pyarrow.Table.from_batches(parts, columns)


def _batch(rows: Sequence[Row], columns: Any) -> Any:
    """Return rows as columns, without lone surrogates and numbers that are not finite."""
    import pyarrow

    try:
        values = zip(*map(astuple, rows), strict=True)
        arrays = [_array(each, field.type) for each, field in zip(values, columns, strict=True)]
    except UnicodeEncodeError:
        return _batch([encodable(row) for row in rows], columns)
    return pyarrow.record_batch(arrays, schema=columns)


def _array(values: Sequence[Any], kind: Any) -> Any:
    import pyarrow
    from pyarrow import compute

    if pyarrow.types.is_struct(kind):
        missing = [value is None for value in values]
        parts = zip(*(_NO_SIGNALS if value is None else _signals(value) for value in values), strict=True)
        arrays = [_array(part, field.type) for part, field in zip(parts, kind, strict=True)]
        return pyarrow.StructArray.from_arrays(arrays, fields=list(kind), mask=pyarrow.array(missing))
    array = pyarrow.array(values, type=kind)
    return compute.if_else(compute.is_finite(array), array, None) if pyarrow.types.is_floating(kind) else array
