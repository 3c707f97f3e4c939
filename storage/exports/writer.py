"""Run one export: choose the format, write aside, count, hash, publish."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, cast

from msgspec import UNSET, UnsetType

from storage.errors import ConfigError
from storage.exports.atomic import CHECKSUM, DATA, checksum_line, make_way, publish, staging
from storage.exports.fields import row
from storage.exports.files import HashingStream, disk_errors, opened
from storage.exports.format_table import EXPORTERS, PARTED_FORMATS, Destination, destination
from storage.exports.formats import folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from storage.documents.model import CorpusDocument
    from storage.fields import Fields

    Content = Callable[[BinaryIO], None]

PROGRESS_EVERY = 1000


@dataclass(frozen=True, slots=True)
class ExportReport:
    """Result of an export. ``path`` is null for standard output. ``changes``: since an earlier release.

    ``tokens``: what the tokens of vertical text are in languages that need a segmenter.
    """

    documents: int
    bytes: int
    sha256: str
    # For a folder it is that of its checksum file, which lists every file in it.
    path: Path | None
    format: str
    changes: dict[str, int] | UnsetType = UNSET
    tokens: dict[str, str] | UnsetType = UNSET
    annotations: dict[str, str] | UnsetType = UNSET
    """Which library gives lemmas and tags in each language of annotated vertical text."""
    exporter: str | UnsetType = UNSET
    """Distribution, with its version, of the plug-in that wrote the format."""


@dataclass(frozen=True, slots=True)
class ExportPart:
    """Part of a file in one of PARTED_FORMATS, and the number of its documents."""

    rows: int
    data: bytes


class Counter:
    """Count documents while they pass on to the file."""

    def __init__(self, on_progress: Callable[[int], None] | None) -> None:
        self.count = 0
        self.on_progress = on_progress

    def rows(self, documents: Iterable[CorpusDocument]) -> Iterator[CorpusDocument]:
        """Yield the row of each document. Nothing is read ahead."""
        for document in documents:
            yield row(document)
            self._add(1)

    def parts(self, parts: Iterable[ExportPart]) -> Iterator[bytes]:
        """Yield the bytes of each part."""
        for part in parts:
            yield part.data
            self._add(part.rows)

    def _add(self, number: int) -> None:
        before, self.count = self.count, self.count + number
        if self.on_progress is not None and self.count // PROGRESS_EVERY > before // PROGRESS_EVERY:
            self.on_progress(self.count)


def export(
    documents: Iterable[CorpusDocument],
    target: str | Path,
    *,
    format_name: str | None = None,
    fields: Fields | None = None,
    overwrite: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> ExportReport:
    """Write the documents, in their order and with flat memory, to the target; ``-`` is standard output.

    The format (one of FORMATS) follows from the target's name, unless ``format_name`` is given. A final ``/`` or an
    existing folder means a file for each document. ``fields`` are those to write, in their order; None for those of the
    format. The target appears whole, with ``TARGET.sha256`` beside it, or not at all. After an error or an interruption
    the earlier target is still there. ``on_progress`` gets the count every PROGRESS_EVERY documents.

    Raises ConfigError when the target exists and ``overwrite`` is not set, or its name states no known format;
    DiskError when it cannot be written; and every error of the documents' iterator.
    """
    where = destination(target, format_name, fields)
    counter = Counter(on_progress)
    rows = counter.rows(documents)
    if where.path is not None and where.is_folder:
        size, digest = _write_aside(
            where.path, overwrite, lambda staged, target: _write_folder(rows, where, staged, target)
        )
    else:
        size, digest = _write(where, overwrite, lambda stream: where.write(rows, stream))
    exporter = EXPORTERS.get(where.format_name, UNSET)
    return ExportReport(counter.count, size, digest, where.path, where.format_name, exporter=exporter)


def part_of(documents: Iterable[CorpusDocument], where: Destination) -> ExportPart:
    """Make the part of a file with these documents. Another process may write it."""
    counter = Counter(None)
    data = PARTED_FORMATS[where.format_name](where.written).make(counter.rows(documents))
    return ExportPart(counter.count, data)


def export_parts(
    parts: Iterable[ExportPart],
    where: Destination,
    *,
    overwrite: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> ExportReport:
    """Write parts that other processes made in one of PARTED_FORMATS. The file is the same as that of `export`."""
    counter = Counter(on_progress)
    data, parted = counter.parts(parts), PARTED_FORMATS[where.format_name](where.written)
    size, digest = _write(where, overwrite, lambda stream: parted.write(data, stream))
    return ExportReport(counter.count, size, digest, where.path, where.format_name)


def _write(where: Destination, overwrite: bool, content: Content) -> tuple[int, str]:
    if where.path is None:
        return _write_stdout(content)
    return _write_aside(where.path, overwrite, lambda staged, target: _write_file(content, staged, target))


def _write_stdout(content: Content) -> tuple[int, str]:
    stream = HashingStream(sys.stdout.buffer, "standard output")
    content(cast("BinaryIO", stream))
    stream.flush()
    return stream.count, stream.sha256.hexdigest()


def _write_aside(target: Path, overwrite: bool, fill: Callable[[Path, Path], tuple[int, str]]) -> tuple[int, str]:
    make_way(target, overwrite=overwrite)
    if target.is_dir() and not folder.is_ours(target):
        raise ConfigError("the folder holds files that no export made", where=str(target), do="Name a new folder.")
    with staging(target) as staged:
        written = fill(staged, target)
        publish(staged, target, overwrite=overwrite)
    return written


def _write_file(content: Content, staged: Path, target: Path) -> tuple[int, str]:
    with opened(staged / DATA, durable=True) as stream:
        content(cast("BinaryIO", stream))
    digest = stream.sha256.hexdigest()
    with opened(staged / CHECKSUM, durable=True) as checksum:
        checksum.write(checksum_line(digest, target.name))
    return stream.count, digest


def _write_folder(rows: Iterable[CorpusDocument], where: Destination, staged: Path, target: Path) -> tuple[int, str]:
    with disk_errors(staged):
        (staged / DATA).mkdir()
    sizes = 0

    with opened(staged / CHECKSUM, durable=True) as checksums:

        def record(name: str, stream: HashingStream) -> None:
            nonlocal sizes
            sizes += stream.count
            checksums.write(checksum_line(stream.sha256.hexdigest(), f"{target.name}/{name}"))

        folder.write(rows, staged / DATA, record, where.format_name, where.written)
    # One wait for the whole disk, not one for each of perhaps a million small files.
    os.sync()
    return sizes, checksums.sha256.hexdigest()
