"""Apache Parquet with a stated schema, zstd-compressed, in row groups of bounded size."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, BinaryIO

from storage.exports.ahead import one_ahead
from storage.exports.rows import FIELDS, SIGNALS, Row
from storage.records import Quality

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROW_GROUP_ROWS = 4096
ROW_GROUP_CHARS = 16 * 2**20
"""A row group ends at the first of these, so memory stays flat however long the texts are."""

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
        list: pyarrow.list_(pyarrow.string()),
        Quality: pyarrow.struct([(name, pyarrow.int64() if name in _WHOLE else pyarrow.float64()) for name in SIGNALS]),
    }
    return pyarrow.schema([pyarrow.field(field.name, arrow[field.kind]) for field in FIELDS])


def write(rows: Iterable[Row], stream: BinaryIO) -> None:
    """Write the rows as one Parquet file; the stream is only ever appended to."""
    import pyarrow
    from pyarrow import parquet

    columns = schema()
    statistics = [field.name for field in FIELDS if field.name not in _LONG]
    options = {"compression": "zstd", "compression_level": LEVEL, "write_statistics": statistics}
    tables = (pyarrow.Table.from_pylist(group, schema=columns) for group in _groups(rows))
    with (
        parquet.ParquetWriter(stream, columns, use_dictionary=list(_REPEATED), **options) as writer,
        one_ahead(lambda table: writer.write_table(table, row_group_size=len(table)), tables) as written,
    ):
        for _ in written:
            pass


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    chars = 0
    for row in rows:
        group.append(row)
        chars += sum(len(str(row[name])) for name in _LONG)
        if len(group) >= ROW_GROUP_ROWS or chars >= ROW_GROUP_CHARS:
            yield group
            group, chars = [], 0
    if group:
        yield group
