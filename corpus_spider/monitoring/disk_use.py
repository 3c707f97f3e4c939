"""Files of a corpus on disk, and their sizes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from corpus_spider.config.model import Config


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of a part of a corpus: its bytes, and when it was written (epoch seconds)."""

    part: str
    bytes: int
    written: float


def files(config: Config) -> Iterator[CorpusFile]:
    """Yield the files of the database (if it is SQLite), of the originals and of the search index."""
    for part, paths in _parts(config):
        for path in paths:
            # A file of the index may be deleted meanwhile.
            with suppress(OSError):
                facts = path.stat()
                yield CorpusFile(part, facts.st_size, facts.st_mtime)


def sizes(config: Config) -> list[tuple[str, int]]:
    """Return the bytes of each part of a corpus."""
    total = {part: 0 for part, _ in _parts(config)}
    for file in files(config):
        total[file.part] += file.bytes
    return list(total.items())


def _parts(config: Config) -> list[tuple[str, Iterable[Path]]]:
    file = config.database_file
    found: list[tuple[str, Iterable[Path]]] = [("database", [file])] if file else []
    originals = config.warc_folder.glob("*.warc*") if config.warc_folder.is_dir() else ()
    index = config.index_folder.rglob("*") if config.index_folder.is_dir() else ()
    return [*found, ("originals", originals), ("search index", index)]
