"""Find the near duplicates of releases, and write a release without them, or with marks.

The work has three steps: read all fingerprints, find the sets, and copy the documents. Documents are read once for the
copy, and never all of them at a time.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

import numpy as np
import pyarrow

from corpus_spider.batch.near_duplicates import FingerprintTable
from corpus_spider.batch.sql_tables import duck_tables, spark_tables
from corpus_spider.config.version import program_version
from pipelines.text.minhash import fingerprint
from storage.errors import ConfigError, DamageError
from storage.exports.atomic import CHECKSUM, DATA, make_way, publish, staging
from storage.exports.files import disk_errors, replaced
from storage.exports.formats import parquet
from storage.exports.release import fingerprints
from storage.exports.release.changes import MANIFEST
from storage.exports.release.parted_release import ARCHIVES, complete
from storage.exports.release.statistics import Census, CountedFields
from storage.exports.release.writer import Release
from storage.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from corpus_spider.batch.near_duplicates import FoundSets
    from corpus_spider.batch.sql_tables import SqlTables

MEMORY = 2 * 2**30
"""Bytes that DuckDB may use."""
BATCH_ROWS = 4096
"""Rows of a file that are read at a time."""
RANKED = ("id", "chars", "date", "url", "version")
"""Fields that decide which document represents a set."""
COUNTED = CountedFields._fields
"""Fields of the statistics in a manifest."""
READ, COMPARE, CHOOSE, WRITE = "fingerprints", "bands compared", "files read", "documents written"
"""Steps, as the progress names them."""

_MEMBERS = pyarrow.schema(
    [
        ("n", "int64"),
        ("root", "int64"),
        ("other", "bool"),
        ("id", "string"),
        ("chars", "int64"),
        ("undated", "bool"),
        ("url", "string"),
        ("version", "int64"),
    ]
)
_MARK_COLUMNS = pyarrow.schema(
    [("n", "int64"), ("cluster", "string"), ("size", "int64"), ("best", "int64"), ("best_id", "string")]
)
# The order is that of `storage.documents.duplicates.DuplicateRank`. Another dump's document comes first.
_MARKS = """
WITH ranked AS (
    SELECT root, n, id, row_number() OVER (
        PARTITION BY root
        ORDER BY other DESC, chars DESC NULLS LAST, undated, url NULLS LAST, version NULLS LAST, id, n
    ) AS place FROM members
),
sets AS (
    SELECT root, min(id) AS cluster, count(*) AS size, min(n) FILTER (WHERE place = 1) AS best,
    min(id) FILTER (WHERE place = 1) AS best_id FROM ranked GROUP BY root
)
SELECT n, cluster, size, best, best_id FROM members JOIN sets USING (root) WHERE NOT other
"""
_MARKS_IN_ORDER = "SELECT n, cluster, size, best, best_id FROM marks ORDER BY n"


@dataclass(slots=True)
class DedupReport:
    """Result of `dedup`."""

    release: str
    """The new release; empty: none was written."""
    documents: int = 0
    """Documents of the releases that were read."""
    compared_with: int = 0
    """Documents of the dumps that ``--against`` names."""
    sets: int = 0
    """Sets of two documents or more that have a document of the releases."""
    exact: int = 0
    """Documents that another one of the releases represents, with the same text."""
    near: int = 0
    """Documents that another one of the releases represents, with nearly the same text."""
    in_other: int = 0
    """Documents that a dump of ``--against`` has, the same or nearly."""
    written: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class DumpFile:
    """A Parquet file of documents and the file of their fingerprints."""

    path: Path
    prints: Path | None
    """None: the fingerprints are made from the texts."""
    rows: int


@dataclass(frozen=True, slots=True)
class Dump:
    """A release as `dedup` reads it."""

    folder: Path
    manifest: dict[str, Any]
    files: tuple[DumpFile, ...]

    @property
    def documents(self) -> int:
        """Number of documents."""
        return sum(file.rows for file in self.files)


@dataclass(frozen=True, slots=True)
class DedupRules:
    """How `dedup` works. ``keep``: write duplicates too, with marks. ``memory``: of DuckDB, if not ``on_spark``."""

    keep: bool = False
    overwrite: bool = False
    memory: int = MEMORY
    on_spark: bool = False


def read_dump(folder: Path, needed: Sequence[str] = RANKED) -> Dump:
    """Return the files of a release. Raises ConfigError when it is none, or has not what is needed."""
    from pyarrow import ArrowException
    from pyarrow.parquet import read_metadata

    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
        format_name, listed = manifest["format"], [folder / each["path"] for each in manifest["files"]]
        prints = [folder / each["path"] for each in manifest.get("fingerprints", ())]
    except OSError as error:
        do = "Name the folder of a release. Finish an unfinished one with `process --merge`."
        raise ConfigError("not a release: it has no manifest.json", where=str(folder), do=do) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError("not the manifest of a release", where=str(path), do="Make the release again.") from error
    if format_name != "parquet":
        do = "Make the release with --format parquet."
        raise ConfigError(f"its documents are {format_name}, not Parquet", where=str(folder), do=do)
    files = []
    for at, file in enumerate(listed):
        try:
            metadata = read_metadata(file)
        except (OSError, ArrowException) as error:
            raise DamageError(f"cannot be read: {error}", where=str(file), do="Fetch the release again.") from error
        own = prints[at] if at < len(prints) else None
        wanted = [*needed, *(() if own else ("text",))]
        missing = sorted(set(wanted) - set(metadata.schema.to_arrow_schema().names))
        if missing:
            what = (
                "it has no fingerprints, and no text to make them of" if missing == ["text"] else "fields are missing"
            )
            do = "Make the release again without --fields."
            raise ConfigError(f"{what}: {', '.join(missing)}", where=str(file), do=do)
        files.append(DumpFile(file, own, metadata.num_rows))
    return Dump(folder, manifest, tuple(files))


def dedup(
    releases: Sequence[Dump],
    against: Sequence[Dump],
    target: Path | None,
    rules: DedupRules,
    on_progress: Callable[[str, int, int | None], object] = lambda *_: None,
) -> DedupReport:
    """Find the duplicate sets of releases, and write their documents as one release. ``target`` None: only count.

    Left out are documents that another one represents, and those that a dump of ``against`` has. With ``keep`` in
    the rules they stay. ``duplicates``, ``duplicate_of`` and ``cluster`` mark the sets. Raises CorpusError.
    """
    if target is not None:
        make_way(target, overwrite=rules.overwrite)
    with tempfile.TemporaryDirectory(prefix="corpus-spider-dedup-") as name, _tables(Path(name), rules) as tables:
        search = _Search(tables, Path(name), releases, against, on_progress)
        report = search.run()
        if target is None:
            return report
        report.release = str(target)
        with staging(target) as staged:
            writing = _NewRelease(staged / DATA, search, keep=rules.keep)
            report.written, report.bytes = writing.write(target, staged / CHECKSUM)
            publish(staged, target, overwrite=rules.overwrite)
    return report


def _tables(folder: Path, rules: DedupRules) -> AbstractContextManager[SqlTables]:
    return spark_tables(folder) if rules.on_spark else duck_tables(folder, rules.memory)


class _Placed(NamedTuple):
    """A file and the number of its first document."""

    file: DumpFile
    start: int
    prints: Path


class _Search:
    """Numbers the documents, those of the releases first, and finds their sets."""

    def __init__(
        self,
        tables: SqlTables,
        folder: Path,
        releases: Sequence[Dump],
        against: Sequence[Dump],
        on_progress: Callable[[str, int, int | None], object],
    ) -> None:
        self._tables, self.on_progress = tables, on_progress
        self.releases, self.against = releases, against
        self.own = sum(dump.documents for dump in releases)
        self.scheme = ""
        self._folder = folder
        self.files: list[_Placed] = []

    def run(self) -> DedupReport:
        total = self.own + sum(dump.documents for dump in self.against)
        table = FingerprintTable(self._tables, self._folder)
        for dump in (*self.releases, *self.against):
            for file in dump.files:
                placed = _Placed(file, table.size, file.prints or self._made(file, len(self.files)))
                for batch in _matched(placed):
                    table.add(batch, placed.prints)
                    self.on_progress(READ, table.size, total)
                self.files.append(placed)
        self.scheme = table.scheme
        found = table.sets(lambda done, of: self.on_progress(COMPARE, done, of))
        report = DedupReport("", self.own, total - self.own)
        self._choose(found, report)
        return report

    def marks(self) -> Iterator[Any]:
        """Yield the members of sets in their order: n, cluster, size, best and best_id."""
        return self._tables.rows(_MARKS_IN_ORDER)

    def _made(self, file: DumpFile, number: int) -> Path:
        """Make the fingerprints of a file from its texts."""
        path = self._folder / f"made-{number}.parquet"
        rows = (
            (each["id"], fingerprint(each["text"] or ""))
            for batch in _batches(file.path, ("id", "text"))
            for each in batch.to_pylist()
        )
        with replaced(path) as stream:
            fingerprints.write(rows, cast("BinaryIO", stream))
        return path

    def _choose(self, found: FoundSets, report: DedupReport) -> None:
        """Mark the documents of the releases that are in a set of two or more."""
        roots, own = found.roots, self.own
        sizes = np.bincount(roots, minlength=len(roots))
        has_own = np.zeros(len(roots), bool)
        has_own[roots[:own]] = True
        has_other = np.zeros(len(roots), bool)
        has_other[roots[own:]] = True
        wanted = (sizes > 1) & has_own
        self._tables.declare("members", _MEMBERS)
        for done, placed in enumerate(self.files):
            at = placed.start
            for batch in _batches(placed.file.path, RANKED):
                chosen = np.flatnonzero(wanted[roots[at : at + len(batch)]])
                self._add_members(batch.take(chosen), chosen + at, roots)
                at += len(batch)
            self.on_progress(CHOOSE, done + 1, len(self.files))
        self._tables.create("marks", _MARKS)
        report.sets = int(wanted.sum())
        report.in_other = int(has_other[roots[:own]].sum())
        for batch in self._tables.rows("SELECT n, best FROM marks WHERE n <> best"):
            n, best = batch.column(0).to_numpy(), batch.column(1).to_numpy()
            n, best = n[~has_other[roots[n]]], best[~has_other[roots[n]]]
            exact = int((found.firsts[n] == found.firsts[best]).sum())
            report.exact += exact
            report.near += len(n) - exact

    def _add_members(self, rows: Any, n: Any, roots: Any) -> None:
        if not len(rows):
            return
        columns = {
            "n": n,
            "root": roots[n],
            "other": n >= self.own,
            "id": rows.column("id"),
            "chars": rows.column("chars"),
            "undated": rows.column("date").is_null(),
            "url": rows.column("url"),
            "version": rows.column("version"),
        }
        self._tables.insert("members", pyarrow.table(columns))


class _Marks:
    """The marks of documents in their order, as far as they are needed."""

    def __init__(self, batches: Iterator[Any]) -> None:
        self._batches = batches
        self._held: list[Any] = []

    def until(self, end: int) -> dict[str, Any]:
        """Take the marks of the documents up to one. Return their columns."""
        while not self._held or self._held[-1].column("n")[-1].as_py() < end:
            following = next(self._batches, None)
            if following is None:
                break
            if len(following):
                self._held.append(following)
        table = pyarrow.Table.from_batches(self._held, _MARK_COLUMNS)
        count = int(np.searchsorted(table.column("n").to_numpy(), end))
        self._held = table.slice(count).to_batches()
        return {name: table.column(name).slice(0, count).combine_chunks() for name in table.column_names}


class _NewRelease:
    """Copies the documents of releases with the marks of their sets."""

    def __init__(self, folder: Path, search: _Search, *, keep: bool) -> None:
        self._folder, self._search, self._keep = folder, search, keep
        self._census = Census()
        self._names: set[str] = set()
        self._total = search.own
        self._marks = _Marks(search.marks())

    def write(self, target: Path, checksums: Path) -> tuple[int, int]:
        """Write all files. Return the number of documents and of bytes."""
        with disk_errors(self._folder):
            self._folder.mkdir()
        parts, done = [], 0
        for placed in self._search.files[: sum(len(dump.files) for dump in self._search.releases)]:
            parts.append(self._part(placed))
            done += placed.file.rows
            self._search.on_progress(WRITE, done, self._total)
        releases = self._search.releases
        archives = [line for dump in releases for line in _archives(dump)]
        size = complete(self._folder, self._about(target), self._census, parts, archives, place=(target, checksums))
        return self._census.total.documents, size

    def _about(self, target: Path) -> Release:
        first = self._search.releases[0].manifest
        same = {name: first.get(name, "") for name in ("contact", "title", "doi")}
        selection = {
            "releases": [_source(dump) for dump in self._search.releases],
            "against": [_source(dump) for dump in self._search.against],
            "include_duplicates": self._keep,
            "fingerprints": self._search.scheme,
        }
        return Release(
            name=target.name,
            software=f"corpus-spider {program_version()}",
            schema=first.get("schema", ""),
            selection=selection,
            folds=tuple(first.get("folds", ())),
            authors=tuple(first.get("authors", ())),
            **same,
        )

    def _part(self, placed: _Placed) -> list[dict[str, Any]]:
        name = self._free_name(placed.file.path.name)
        data, prints = f"data/{name}", f"fingerprints/{name}"
        kept: list[Any] = []
        with replaced(self._folder / data) as stream:
            written = parquet.write_tables(self._tables(placed, kept), cast("BinaryIO", stream))
        with replaced(self._folder / prints) as further:
            chosen = np.concatenate(kept) if kept else np.zeros(0, bool)
            fingerprints.write_tables(_filtered(placed.prints, chosen), cast("BinaryIO", further))
        return [stream.entry(data) | {"documents": written}, further.entry(prints)]

    def _tables(self, placed: _Placed, kept: list[Any]) -> Iterator[Any]:
        """Yield the documents of a file, and note which rows they are."""
        import pyarrow
        from pyarrow import compute

        start = placed.start
        for batch in _batches(placed.file.path):
            table = pyarrow.Table.from_batches([batch])
            marks = self._marks.until(start + len(table))
            places = marks["n"].to_numpy() - start
            represents = marks["n"].to_numpy() == marks["best"].to_numpy()
            marked, doubled = np.zeros((2, len(table)), bool)
            marked[places], doubled[places[~represents]] = True, True
            sizes = np.ones(len(table), np.int64)
            sizes[places] = marks["size"].to_numpy()
            nothing = pyarrow.nulls(len(table), pyarrow.string())
            others = marks["best_id"].filter(~represents)
            values = {
                "duplicates": pyarrow.array(sizes),
                "duplicate_of": compute.replace_with_mask(nothing, pyarrow.array(doubled), others),
                "cluster": compute.replace_with_mask(
                    table.column("id").combine_chunks(), pyarrow.array(marked), marks["cluster"]
                ),
            }
            for name, value in values.items():
                table = table.set_column(table.column_names.index(name), name, value)
            chosen = np.ones(len(table), bool) if self._keep else ~doubled
            start += len(table)
            kept.append(chosen)
            table = table.filter(pyarrow.array(chosen))
            for row in table.select(COUNTED).to_pylist():
                self._census.add(CountedFields(**row))
            yield table

    def _free_name(self, name: str) -> str:
        """Return the name of a file, with a number if another release has it too."""
        free, number = name, 2
        while free in self._names:
            free, number = name.replace(".parquet", f"-{number}.parquet"), number + 1
        self._names.add(free)
        return free


def needed_fields(*, write: bool) -> tuple[str, ...]:
    """Return the fields that a release must have."""
    return tuple(field.name for field in FIELDS) if write else RANKED


def _source(dump: Dump) -> dict[str, Any]:
    counts = dump.manifest.get("counts", {})
    return {"name": dump.manifest.get("name", ""), "documents": counts.get("documents", dump.documents)}


def _archives(dump: Dump) -> Iterable[dict[str, Any]]:
    path = dump.folder / ARCHIVES
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []


def _batches(path: Path, columns: Sequence[str] | None = None) -> Iterator[Any]:
    """Yield the rows of a Parquet file. Raises DamageError when it is damaged."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(path) as file:
            # Row groups are bounded by their characters.
            for group in range(file.num_row_groups):
                yield from file.iter_batches(BATCH_ROWS, row_groups=[group], columns=columns)
    except (OSError, ArrowException) as error:
        raise DamageError(f"cannot be read: {error}", where=str(path), do="Fetch the release again.") from error


def _matched(placed: _Placed) -> Iterator[Any]:
    """Yield the fingerprints of a file. Raises DamageError when they are not those of its documents."""
    ids = _batches(placed.file.path, ("id",))
    own = pyarrow.chunked_array([batch.column(0) for batch in ids], pyarrow.string())
    seen = 0
    for batch in _batches(placed.prints):
        if not own.slice(seen, len(batch)).equals(pyarrow.chunked_array([batch.column(0)])):
            break
        seen += len(batch)
        yield pyarrow.Table.from_batches([batch])
    if seen != len(own):
        do = "Make the release again."
        raise DamageError("the fingerprints are not those of the documents", where=str(placed.prints), do=do)


def _filtered(prints: Path, kept: Any) -> Iterator[Any]:
    seen = 0
    for batch in _batches(prints):
        yield pyarrow.Table.from_batches([batch]).filter(pyarrow.array(kept[seen : seen + len(batch)]))
        seen += len(batch)
