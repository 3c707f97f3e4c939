"""Write and read the fingerprints of a release's documents, for `dedup`: a Parquet file beside each part."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from storage.records import Fingerprint

GROUP_ROWS = 20_000
"""Rows of a row group, some 10 MB."""


def schema() -> Any:
    """Return the Arrow schema. ``bands`` has a signed 32-bit number for each band; the others are as in Fingerprint."""
    import pyarrow

    return pyarrow.schema(
        [
            pyarrow.field("id", pyarrow.string()),
            pyarrow.field("scheme", pyarrow.string()),
            pyarrow.field("exact", pyarrow.binary(16)),
            pyarrow.field("shingles", pyarrow.int32()),
            pyarrow.field("sketch", pyarrow.binary()),
            pyarrow.field("bands", pyarrow.list_(pyarrow.int32())),
            pyarrow.field("numbers", pyarrow.binary()),
        ]
    )


def write(prints: Iterable[tuple[str, Fingerprint]], stream: BinaryIO) -> None:
    """Write ids and fingerprints of documents, in this order."""
    write_tables(_tables(prints), stream)


def write_tables(tables: Iterable[Any], stream: BinaryIO) -> None:
    """Write tables of this schema, a row group each."""
    from pyarrow import parquet

    with parquet.ParquetWriter(stream, schema(), compression="zstd", use_dictionary=["scheme"]) as writer:
        for table in tables:
            writer.write_table(table)


def _tables(prints: Iterable[tuple[str, Fingerprint]]) -> Iterator[Any]:
    import pyarrow

    left = iter(prints)
    while group := list(islice(left, GROUP_ROWS)):
        yield pyarrow.Table.from_pylist(
            [
                {
                    "id": each,
                    "scheme": one.scheme,
                    "exact": one.exact,
                    "shingles": one.shingles,
                    "sketch": one.sketch,
                    "bands": list(one.bands),
                    "numbers": one.numbers,
                }
                for each, one in group
            ],
            schema=schema(),
        )
