"""Write Apache Parquet with a fixed schema, zstd-compressed, in row groups of bounded size."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from storage.exports.background_writer import one_ahead
from storage.exports.fields import COUNTS, LISTS, SIGNALS, encodable, lists_of, values_of
from storage.fields import FIELDS
from storage.records import Quality

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from storage.documents.model import Columns, CorpusDocument
    from storage.fields import Fields

ROW_GROUP_ROWS = 4096
ROW_GROUP_CHARS = 16 * 2**20
"""A row group ends at the first of these limits, so that memory stays flat with long texts."""
BATCH_ROWS = 256
"""Rows to convert to columns at a time."""

LEVEL = 2
# Column of batches only, not of files: characters in the texts of a row.
_SIZE = "size"

_signals = attrgetter(*SIGNALS)
_NO_SIGNALS = (None,) * len(SIGNALS)


def schema(fields: Fields = FIELDS) -> Any:
    """Return the Arrow schema of these fields. Every field may be null.

    Types are strings, lists of strings and 64-bit numbers. ``fetched_at`` is in microseconds UTC, ``quality`` a struct
    of numbers.
    """
    import pyarrow

    arrow = {
        str: pyarrow.string(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        datetime: pyarrow.timestamp("us", tz="UTC"),
        tuple: pyarrow.list_(pyarrow.string()),
        Quality: pyarrow.struct([(name, pyarrow.int64() if name in COUNTS else pyarrow.float64()) for name in SIGNALS]),
    }
    return pyarrow.schema([pyarrow.field(field.name, arrow[field.kind]) for field in fields])


def record_batches(rows: Iterable[CorpusDocument], fields: Fields) -> Iterator[Any]:
    """Yield the rows as Arrow record batches of this schema, at most `BATCH_ROWS` rows each."""
    for batch in _batches(rows, fields):
        yield batch.drop_columns([_SIZE])


def write(rows: Iterable[CorpusDocument], stream: BinaryIO, fields: Fields = FIELDS) -> None:
    """Write the rows as one Parquet file. The stream is only appended to."""
    _write(_batches(rows, fields), stream, fields)


def part(rows: Iterable[CorpusDocument], fields: Fields = FIELDS) -> bytes:
    """Return some rows as a stream of Arrow's IPC format, for `write_parts`."""
    return _stream(_batches(rows, fields), fields)


def part_of_columns(columns: Columns, fields: Fields = FIELDS) -> bytes:
    """Return the part of rows from their columns, with texts in UTF-8.

    Raises ValueError for bytes that are not UTF-8, TypeError for other values than texts.
    """
    sizes = map(_row_size, columns["chars"], zip(*map(columns.__getitem__, LISTS), strict=True))
    values = [columns[field.name] for field in fields]
    return _stream([_batch(values, list(sizes), schema(fields))], fields)


def _stream(batches: Iterable[Any], fields: Fields) -> bytes:
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, _sized(schema(fields))) as stream:
        for batch in batches:
            stream.write_batch(batch)
    return bytes(sink.getvalue())


def write_parts(parts: Iterable[bytes], stream: BinaryIO, fields: Fields = FIELDS) -> None:
    """Write parts. The bytes are the same, however the rows are parted."""
    import pyarrow

    _write(chain.from_iterable(map(pyarrow.ipc.open_stream, parts)), stream, fields)


def write_tables(tables: Iterable[Any], stream: BinaryIO) -> int:
    """Write tables that have all fields, a row group each. Return the number of rows."""
    columns, rows = schema(), 0
    with _writer(stream, FIELDS) as writer:
        for table in tables:
            writer.write_table(table.select(columns.names).cast(columns))
            rows += len(table)
    return rows


def _write(batches: Iterable[Any], stream: BinaryIO, fields: Fields) -> None:
    with (
        _writer(stream, fields) as writer,
        one_ahead(lambda table: writer.write_table(table, row_group_size=len(table)), _groups(batches)) as written,
    ):
        for _ in written:
            pass


def _writer(stream: BinaryIO, fields: Fields) -> Any:
    from pyarrow import parquet

    statistics = [field.name for field in fields if not field.note.long]
    repeated = [field.name for field in fields if field.note.repeated]
    options = {"compression": "zstd", "compression_level": LEVEL, "write_statistics": statistics}
    return parquet.ParquetWriter(stream, schema(fields), use_dictionary=repeated or False, **options)


def _groups(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield a table for each row group. A group ends with the row that fills it."""
    parts: list[Any] = []
    taken = chars = 0
    for left in batches:
        batch = left
        while len(batch):
            sizes = chars + np.cumsum(batch.column(_SIZE).to_numpy())
            fill = min(ROW_GROUP_ROWS - taken, int(np.searchsorted(sizes, ROW_GROUP_CHARS)) + 1)
            if fill > len(batch):
                parts.append(batch)
                taken, chars = taken + len(batch), int(sizes[-1])
                break
            yield _table([*parts, batch[:fill]])
            parts, taken, chars, batch = [], 0, 0, batch[fill:]
    if parts:
        yield _table(parts)


def _table(parts: Sequence[Any]) -> Any:
    import pyarrow

    # One piece for each table: pages of a file end where pieces do, and the bytes must not depend on the parts.
    return pyarrow.Table.from_batches(parts).drop_columns(_SIZE).combine_chunks()


def _batches(rows: Iterable[CorpusDocument], fields: Fields) -> Iterator[Any]:
    """Yield batches of rows as columns, with the length of their texts as an extra column.

    As objects they take several times the memory, and time of the garbage collector.
    """
    made = partial(_batch_of, values=values_of(fields), columns=schema(fields))
    batch: list[CorpusDocument] = []
    sizes: list[int] = []
    chars = 0
    for row in rows:
        batch.append(row)
        sizes.append(_row_size(row.chars, lists_of(row)))
        chars += sizes[-1]
        if len(batch) >= BATCH_ROWS or chars >= ROW_GROUP_CHARS:
            yield made(batch, sizes)
            batch, sizes, chars = [], [], 0
    if batch:
        yield made(batch, sizes)


def _row_size(chars: int, lists: Iterable[Sequence[str] | None]) -> int:
    """Return the number of characters in the text and the lists of a row."""
    return chars + sum(map(len, chain.from_iterable(filter(None, lists))))


def _batch_of(
    rows: Sequence[CorpusDocument],
    sizes: Sequence[int],
    values: Callable[[CorpusDocument], tuple[Any, ...]],
    columns: Any,
) -> Any:
    """Return rows as columns, without lone surrogates."""
    try:
        return _batch(list(zip(*map(values, rows), strict=True)), sizes, columns)
    except UnicodeEncodeError:
        return _batch(list(zip(*map(values, map(encodable, rows)), strict=True)), sizes, columns)


def _batch(values: Sequence[Sequence[Any]], sizes: Sequence[int], columns: Any) -> Any:
    """Return values by fields as columns, without numbers that are not finite."""
    import pyarrow

    arrays = [_array(each, field.type) for each, field in zip(values, columns, strict=True)]
    return pyarrow.record_batch([*arrays, pyarrow.array(sizes, pyarrow.int64())], schema=_sized(columns))


def _sized(columns: Any) -> Any:
    import pyarrow

    return columns.append(pyarrow.field(_SIZE, pyarrow.int64()))


def _array(values: Sequence[Any], kind: Any) -> Any:
    import pyarrow
    from pyarrow import compute

    if pyarrow.types.is_struct(kind):
        missing = [value is None for value in values]
        parts = zip(*(_NO_SIGNALS if value is None else _signals(value) for value in values), strict=True)
        arrays = [_array(part, field.type) for part, field in zip(parts, kind, strict=True)]
        return pyarrow.StructArray.from_arrays(arrays, fields=list(kind), mask=pyarrow.array(missing))
    if values and isinstance(values[0], bytes):
        # To validate UTF-8 in one array takes a quarter less time.
        return pyarrow.array(values, pyarrow.binary()).cast(kind)
    array = pyarrow.array(values, type=kind)
    return compute.if_else(compute.is_finite(array), array, None) if pyarrow.types.is_floating(kind) else array
