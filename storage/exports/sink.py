"""One export from start to end: choose the format, write aside, count, hash, publish."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast

from storage.errors import ConfigError
from storage.exports import txt
from storage.exports.files import HashingStream, disk_errors, opened
from storage.exports.formats import FOLDER, STREAM_FORMATS, destination
from storage.exports.rows import Row, row
from storage.exports.staging import CHECKSUM, DATA, checksum_line, publish, refuse_to_clobber, staging

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from storage.holdings import CorpusDocument

PROGRESS_EVERY = 1000


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What an export wrote. ``path`` is None for standard output.

    ``sha256`` is that of the file; for a folder that of its checksum file, which lists every file in it.
    """

    documents: int
    bytes: int
    sha256: str
    path: Path | None
    format_name: str


class Counter:
    """Turns documents into rows as they are asked for, and counts those that were taken."""

    def __init__(self, on_progress: Callable[[int], None] | None) -> None:
        self.count = 0
        self.on_progress = on_progress

    def rows(self, documents: Iterable[CorpusDocument]) -> Iterator[Row]:
        """Yield the row of each document; nothing is read ahead."""
        for document in documents:
            yield row(document)
            self.count += 1
            if self.on_progress is not None and self.count % PROGRESS_EVERY == 0:
                self.on_progress(self.count)


def export(
    documents: Iterable[CorpusDocument],
    target: str | Path,
    *,
    format_name: str | None = None,
    overwrite: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> ExportReport:
    """Write the documents, in their order and with flat memory, to the target; ``-`` is standard output.

    The format (one of FORMATS) follows from the target's name unless ``format_name`` says it; a final ``/`` or an
    existing folder means text files. The target appears whole, with ``TARGET.sha256`` beside it, or not at all: an
    error or an interruption leaves what was there before. ``on_progress`` hears the count every PROGRESS_EVERY of them.

    Raises ConfigError when the target exists and ``overwrite`` is not set, or its name asks for no known format;
    DiskError when it cannot be written; whatever the documents' iterator raises.
    """
    where = destination(target, format_name)
    counter = Counter(on_progress)
    rows = counter.rows(documents)
    if where.path is None:
        size, digest = _write_stdout(rows, where.format_name)
    else:
        size, digest = _write_path(rows, where.path, where.format_name, overwrite=overwrite)
    return ExportReport(counter.count, size, digest, where.path, where.format_name)


def _write_stdout(rows: Iterable[Row], format_name: str) -> tuple[int, str]:
    stream = HashingStream(sys.stdout.buffer, "standard output")
    STREAM_FORMATS[format_name](rows, cast("BinaryIO", stream))
    stream.flush()
    return stream.count, stream.sha256.hexdigest()


def _write_path(rows: Iterable[Row], target: Path, format_name: str, *, overwrite: bool) -> tuple[int, str]:
    refuse_to_clobber(target, overwrite=overwrite)
    if format_name == FOLDER and target.is_dir() and not txt.is_ours(target):
        raise ConfigError("holds other files than an export's", where=str(target), do="name a new folder")
    with staging(target) as staged:
        if format_name == FOLDER:
            written = _write_folder(rows, staged, target)
        else:
            written = _write_file(rows, staged, target, format_name)
        publish(staged, target, overwrite=overwrite)
    return written


def _write_file(rows: Iterable[Row], staged: Path, target: Path, format_name: str) -> tuple[int, str]:
    with opened(staged / DATA, durable=True) as stream:
        STREAM_FORMATS[format_name](rows, cast("BinaryIO", stream))
    digest = stream.sha256.hexdigest()
    with opened(staged / CHECKSUM, durable=True) as checksum:
        checksum.write(checksum_line(digest, target.name))
    return stream.count, digest


def _write_folder(rows: Iterable[Row], staged: Path, target: Path) -> tuple[int, str]:
    folder = staged / DATA
    with disk_errors(folder):
        folder.mkdir()
    sizes = 0

    with opened(staged / CHECKSUM, durable=True) as checksums:

        def record(name: str, stream: HashingStream) -> None:
            nonlocal sizes
            sizes += stream.count
            checksums.write(checksum_line(stream.sha256.hexdigest(), f"{target.name}/{name}"))

        txt.write(rows, folder, record)
    # One wait for the whole disk instead of one for each of perhaps a million small files.
    os.sync()
    return sizes, checksums.sha256.hexdigest()
