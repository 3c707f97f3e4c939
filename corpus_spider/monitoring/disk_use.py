"""Sizes of the parts of a corpus on disk."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpus_spider.config.model import Config


def sizes(config: Config) -> list[tuple[str, int]]:
    """Return the bytes of the database (if it is a SQLite file), of the originals and of the search index."""
    _, sqlite, file = config.database_url.partition("sqlite:///")
    found = [("database", _size([Path(file)]))] if sqlite else []
    originals = config.warc_folder.glob("*.warc*") if config.warc_folder.is_dir() else ()
    index = config.index_folder.rglob("*") if config.index_folder.is_dir() else ()
    return [*found, ("originals", _size(originals)), ("search index", _size(index))]


def _size(files: Iterable[Path]) -> int:
    total = 0
    for file in files:
        # A file of the index may be deleted meanwhile.
        with suppress(OSError):
            total += file.stat().st_size
    return total
