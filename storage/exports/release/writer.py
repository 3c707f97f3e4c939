"""Write a release: a folder with the documents in shards, a manifest, a dataset card and the removal list.

==================== ===============================================================================================
``data/``            the documents, ``part-00001`` and so on, each a whole file of the format
``manifest.json``    content and provenance: counts, files with size and SHA-256, selection, configuration
``README.md``        the dataset card
``CITATION.cff``     how to cite it
``documents.tsv.zst``  id and digest of every document of the selection, with which a later release finds changes
``removed.jsonl``    documents that were removed on request: ``id``, ``removed`` (day), ``kind`` of the request
``registry``         vertical text only: the configuration for Sketch Engine
``changes.jsonl``    with ``since`` only: ``id`` and ``change`` (added, changed, removed)
==================== ===============================================================================================

It appears whole or not at all, with a checksum file beside. The same corpus, selection and program give the same bytes.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from msgspec import UNSET

from storage.errors import ConfigError
from storage.exports.atomic import CHECKSUM, DATA, checksum_line, make_way, publish, staging
from storage.exports.files import HashingStream, disk_errors, opened
from storage.exports.format_table import (
    EXPORTERS,
    FIELD_FORMATS,
    FOLDER,
    STREAM_FORMATS,
    default_fields,
    formats,
    require_place,
    writer_of,
)
from storage.exports.formats import jsonl
from storage.exports.formats.vertical import registry
from storage.exports.release.card import card, licence_of
from storage.exports.release.changes import (
    CHANGES,
    INDEX,
    MANIFEST,
    Changes,
    EarlierRelease,
    compared_fields,
    digests,
    index_lines,
    read_index,
    refuse_other_filters,
)
from storage.exports.release.citation import citation
from storage.exports.release.statistics import Census
from storage.exports.writer import Counter, ExportReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from storage.documents.model import CorpusDocument
    from storage.fields import Fields

FORMAT = "corpus-spider release 1"
CARD, CITATION, REMOVED, CHANGED, REGISTRY = "README.md", "CITATION.cff", "removed.jsonl", "changes.jsonl", "registry"
LEVEL = 6
GROUP = 50
"""Rows to digest at a time."""


@dataclass(frozen=True, slots=True)
class Release:
    """Description of a release in its manifest, as plain JSON values. Counts are added while it is written."""

    name: str
    software: str
    schema: str
    contact: str = ""
    selection: dict[str, Any] = field(default_factory=dict)
    folds: tuple[str, ...] = ()
    configuration: dict[str, Any] = field(default_factory=dict)
    removed: tuple[dict[str, str], ...] = ()
    title: str = ""
    """Title; empty: the name."""
    authors: tuple[str, ...] = ()
    """Authors: "Family, Given" for a person, else the name of a group."""
    doi: str = ""
    tokens: dict[str, str] = field(default_factory=dict)
    """Vertical text: what the tokens are, by language, where that needs a segmenter."""
    annotations: dict[str, str] | None = None
    """Annotated vertical text: which library gives lemmas and tags, by language. None: it has none."""
    right_to_left: frozenset[str] = frozenset()
    """Scripts that are written from right to left (ISO 15924)."""


@dataclass(frozen=True, slots=True)
class ReleaseForm:
    """Form of a release: format, size of a shard in bytes (0: one shard), earlier release, whether to overwrite.

    ``written``: the fields to write, in their order; None for those of the format.
    """

    format_name: str = "parquet"
    shard_size: int = 0
    earlier: EarlierRelease | None = None
    overwrite: bool = False
    written: Fields | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields of the digests: those of the earlier release, if there is one."""
        return self.earlier.fields if self.earlier else compared_fields(self.format_name, self.written)


def write_release(
    documents: Iterable[CorpusDocument],
    target: str | Path,
    about: Release,
    shape: ReleaseForm,
    on_progress: Callable[[int], None] | None = None,
) -> ExportReport:
    """Write the documents, in order of their ids, as a release.

    ``sha256`` of the report is that of the checksum file. Raises ConfigError when the target exists and must not be
    replaced or is not a release, when the format is a folder, or when the earlier release has another selection;
    DiskError when it cannot be written; and every error of the documents' iterator.
    """
    path = Path(target)
    if path.name.endswith(tuple(f".{name}" for name in formats())) and not str(target).endswith(os.sep):
        raise ConfigError("a release is a folder", where=str(target), do="End its name with /.")
    _check(path, about, shape)
    counter = Counter(on_progress)
    with staging(path) as staged:
        folder = staged / DATA
        with disk_errors(folder):
            (folder / "data").mkdir(parents=True)
        files = _Files(folder)
        manifest = _write(files, counter.rows(documents), about, shape)
        with opened(staged / CHECKSUM, durable=True) as checksums:
            for name, stream in sorted(files.written.items()):
                checksums.write(checksum_line(stream.sha256.hexdigest(), f"{path.name}/{name}"))
        os.sync()
        publish(staged, path, overwrite=shape.overwrite)
    size = sum(stream.count for stream in files.written.values())
    exporter = EXPORTERS.get(shape.format_name, UNSET)
    written, since = int(manifest["counts"]["documents"]), manifest.get("since")
    changes = {name: since[name] for name in CHANGES} if since else UNSET
    return ExportReport(
        written, size, checksums.sha256.hexdigest(), path, shape.format_name, changes, exporter=exporter
    )


def _check(path: Path, about: Release, shape: ReleaseForm) -> None:
    if shape.format_name == FOLDER or shape.format_name not in formats():
        known = ", ".join(STREAM_FORMATS)
        raise ConfigError(f"a release cannot be made of {shape.format_name!r}", do=f"Use --format with one of {known}.")
    require_place(path)
    make_way(path, overwrite=shape.overwrite)
    if path.exists() and not (path.is_dir() and (not any(path.iterdir()) or (path / MANIFEST).is_file())):
        raise ConfigError("exists and is not a release", where=str(path), do="Name a new folder.")
    if shape.earlier is not None:
        refuse_other_filters(shape.earlier, about.selection, about.folds)


class _Files:
    """Files of a release. Each is opened once, counted and hashed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written: dict[str, HashingStream] = {}

    @contextmanager
    def open(self, name: str) -> Iterator[HashingStream]:
        with opened(self.folder / name) as stream:
            self.written[name] = stream
            yield stream

    def entry(self, name: str) -> dict[str, Any]:
        return self.written[name].entry(name)


def _write(files: _Files, rows: Iterator[CorpusDocument], about: Release, shape: ReleaseForm) -> dict[str, Any]:
    census = Census()
    changes: Changes | None = None
    with ExitStack() as stack:
        indexed = _indexed(rows, shape, stack.enter_context(files.open(INDEX)), stack)
        if shape.earlier is not None:
            log = cast("BinaryIO", stack.enter_context(files.open(CHANGED)))
            changes = Changes(read_index(shape.earlier.index), log)
        chosen = changes.passing(indexed) if changes else (row for row, _ in indexed)
        shards = list(_shards(files, census.count(chosen), shape))
    with files.open(REMOVED) as stream:
        for each in about.removed:
            stream.write(jsonl.line(dict(each)))
    manifest = manifest_of(about, shape.format_name, census) | {
        "files": shards,
        "index": files.entry(INDEX) | {"fields": list(shape.fields)},
        "removed": files.entry(REMOVED) | {"documents": len(about.removed)},
    }
    if shape.format_name in FIELD_FORMATS:
        manifest["fields"] = [field.name for field in shape.written or default_fields(shape.format_name)]
    if shape.format_name == "vert":
        manifest["tokens"] = about.tokens
        manifest |= {} if about.annotations is None else {"annotations": about.annotations}
        with files.open(REGISTRY) as stream:
            scripts = sorted(census.scripts, key=lambda script: -census.scripts[script].chars)
            path = "| cat data/part-*.vert"
            described = registry(about.name, path, scripts, about.tokens, about.right_to_left, about.annotations)
            stream.write(described.encode())
    if changes is not None and shape.earlier is not None:
        reported = {name: changes.counts[name] for name in CHANGES}
        manifest["since"] = {"manifest_sha256": shape.earlier.sha256, **reported, **files.entry(CHANGED)}
    with files.open(CARD) as stream:
        stream.write(card(manifest).encode())
    with files.open(CITATION) as stream:
        stream.write(citation(manifest, licence_of(manifest)).encode())
    with files.open(MANIFEST) as stream:
        stream.write(json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n")
    return manifest


def manifest_of(about: Release, format_name: str, census: Census) -> dict[str, Any]:
    """Return what every manifest of a release has: its description and its counts."""
    return {
        "release": FORMAT,
        "name": about.name,
        "title": about.title,
        "authors": list(about.authors),
        "doi": about.doi,
        "software": about.software,
        "schema": about.schema,
        "contact": about.contact,
        "format": format_name,
        **({"exporter": EXPORTERS[format_name]} if format_name in EXPORTERS else {}),
        "selection": about.selection,
        "folds": list(about.folds),
        "configuration": about.configuration,
        "counts": census.plain(),
    }


def _indexed(
    rows: Iterator[CorpusDocument], shape: ReleaseForm, stream: HashingStream, stack: ExitStack
) -> Iterator[tuple[CorpusDocument, str]]:
    """Pass the rows on with their digests, and write the index.

    The index ends with the stack, before the stream.
    """
    import zstandard

    compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
    packed = stack.enter_context(compressor.stream_writer(cast("BinaryIO", stream), closefd=False))

    def passing() -> Iterator[tuple[CorpusDocument, str]]:
        while group := list(islice(rows, GROUP)):
            reported = list(zip(group, digests(group, shape.fields), strict=True))
            packed.write(index_lines(reported))
            yield from reported

    return passing()


def _shards(files: _Files, rows: Iterator[CorpusDocument], shape: ReleaseForm) -> Iterator[dict[str, Any]]:
    """Write the rows in at least one shard, and yield the manifest's entry of each."""
    ahead, write = _LookaheadRows(rows), writer_of(shape.format_name, shape.written)
    number = 0
    while not ahead.ended or number == 0:
        number += 1
        name = f"data/part-{number:05}.{shape.format_name}"
        before = ahead.taken
        with files.open(name) as stream:
            write(_until_full(ahead, stream, shape.shard_size), cast("BinaryIO", stream))
        yield files.entry(name) | {"documents": ahead.taken - before}


class _LookaheadRows:
    """Iterator that knows whether it has ended before the next row is taken."""

    def __init__(self, rows: Iterator[CorpusDocument]) -> None:
        self._rows = rows
        self._next = next(rows, None)
        self.taken = 0

    @property
    def ended(self) -> bool:
        return self._next is None

    def take(self) -> CorpusDocument:
        row = self._next
        assert row is not None
        self._next = next(self._rows, None)
        self.taken += 1
        return row


def _until_full(ahead: _LookaheadRows, stream: HashingStream, limit: int) -> Iterator[CorpusDocument]:
    """Yield at least one row, and further rows until the stream reaches the limit."""
    first = True
    while not ahead.ended and (first or not limit or stream.count < limit):
        first = False
        yield ahead.take()
