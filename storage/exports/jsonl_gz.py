"""JSON lines, gzip-compressed (RFC 1952) without name and time, so that equal documents give equal bytes."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, BinaryIO

from storage.exports import jsonl
from storage.exports.ahead import one_ahead

if TYPE_CHECKING:
    from collections.abc import Iterable

    from storage.holdings import CorpusDocument

LEVEL = 6


def write(rows: Iterable[CorpusDocument], stream: BinaryIO) -> None:
    """Write the rows as one gzip member."""
    write_parts(jsonl.blocks(rows), stream)


def write_parts(parts: Iterable[bytes], stream: BinaryIO) -> None:
    """Write the rows of which parts were made (`jsonl.part`): the same bytes, however they are parted."""
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=LEVEL, fileobj=stream, mtime=0) as packed,
        one_ahead(lambda block: packed.write(jsonl.escaped(block)), parts) as written,
    ):
        for _ in written:
            pass
