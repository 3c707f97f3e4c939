"""Apache Parquet with a stated schema, zstd-compressed, in row groups of bounded size."""

from __future__ import annotations

from datetime import datetime
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from msgspec.structs import astuple

from storage.exports.ahead import one_ahead
from storage.exports.rows import COUNTS, FIELDS, SIGNALS, encodable
from storage.records import Quality

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from storage.holdings import Columns, CorpusDocument

ROW_GROUP_ROWS = 4096
ROW_GROUP_CHARS = 16 * 2**20
"""A row group ends at the first of these, so memory stays flat however long the texts are."""
BATCH_ROWS = 256
"""Rows that become columns at a time."""

LEVEL = 2
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

# A column of batches that no file has: characters in the texts of a row.
_SIZE = "size"

_LISTS = tuple(field.attribute for field in FIELDS if field.kind is tuple)
_lists = attrgetter(*_LISTS)
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
        Quality: pyarrow.struct([(name, pyarrow.int64() if name in COUNTS else pyarrow.float64()) for name in SIGNALS]),
    }
    return pyarrow.schema([pyarrow.field(field.name, arrow[field.kind]) for field in FIELDS])


def write(rows: Iterable[CorpusDocument], stream: BinaryIO) -> None:
    """Write the rows as one Parquet file; the stream is only ever appended to."""
    _write(_batches(rows), stream)


def part(rows: Iterable[CorpusDocument]) -> bytes:
    """Return some rows as columns, for `write_parts`: a stream of Arrow's IPC format."""
    return _stream(_batches(rows))


def part_of_columns(columns: Columns) -> bytes:
    """Return the part of rows that are columns already, texts in UTF-8.

    Raises ValueError for texts that are other bytes, TypeError for what is no text.
    """
    sizes = map(_row_size, columns["chars"], zip(*map(columns.__getitem__, _LISTS), strict=True))
    return _stream([_batch(list(columns.values()), list(sizes), schema())])


def _stream(batches: Iterable[Any]) -> bytes:
    import pyarrow

    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, _sized(schema())) as stream:
        for batch in batches:
            stream.write_batch(batch)
    return bytes(sink.getvalue())


def write_parts(parts: Iterable[bytes], stream: BinaryIO) -> None:
    """Write the rows of which parts were made: the same bytes, however they are parted."""
    import pyarrow

    _write(chain.from_iterable(map(pyarrow.ipc.open_stream, parts)), stream)


def _write(batches: Iterable[Any], stream: BinaryIO) -> None:
    from pyarrow import parquet

    statistics = [field.name for field in FIELDS if field.name not in _LONG]
    options = {"compression": "zstd", "compression_level": LEVEL, "write_statistics": statistics}
    with (
        parquet.ParquetWriter(stream, schema(), use_dictionary=list(_REPEATED), **options) as writer,
        one_ahead(lambda table: writer.write_table(table, row_group_size=len(table)), _groups(batches)) as written,
    ):
        for _ in written:
            pass


def _groups(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield a table for each row group, which ends with the row that fills it."""
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

    # In one piece each, as pages of a file end where pieces do: how rows were parted must not show.
    return pyarrow.Table.from_batches(parts).drop_columns(_SIZE).combine_chunks()


def _batches(rows: Iterable[CorpusDocument]) -> Iterator[Any]:
    """Yield rows as columns, some at a time, with the length of their texts in one more.

    As objects they take several times the room, and time to look through them for what can be cleared away.
    """
    columns = schema()
    batch: list[CorpusDocument] = []
    sizes: list[int] = []
    chars = 0
    for row in rows:
        batch.append(row)
        sizes.append(_row_size(row.chars, _lists(row)))
        chars += sizes[-1]
        if len(batch) >= BATCH_ROWS or chars >= ROW_GROUP_CHARS:
            yield _batch_of(batch, sizes, columns)
            batch, sizes, chars = [], [], 0
    if batch:
        yield _batch_of(batch, sizes, columns)


def _row_size(chars: int, lists: Iterable[Sequence[str] | None]) -> int:
    """Return the characters of a row that make it long."""
    return chars + sum(map(len, chain.from_iterable(filter(None, lists))))


def _batch_of(rows: Sequence[CorpusDocument], sizes: Sequence[int], columns: Any) -> Any:
    """Return rows as columns, without lone surrogates."""
    try:
        return _batch(list(zip(*map(astuple, rows), strict=True)), sizes, columns)
    except UnicodeEncodeError:
        return _batch(list(zip(*map(astuple, map(encodable, rows)), strict=True)), sizes, columns)


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
        # To see that bytes are UTF-8 takes a quarter less time when all are in their place.
        return pyarrow.array(values, pyarrow.binary()).cast(kind)
    array = pyarrow.array(values, type=kind)
    return compute.if_else(compute.is_finite(array), array, None) if pyarrow.types.is_floating(kind) else array
