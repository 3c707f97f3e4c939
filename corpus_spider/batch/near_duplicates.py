"""Duplicate sets over releases of any size. DuckDB or Spark finds the documents that share a band key.

The sets are those of the index in the database (``storage.documents.near_duplicates``): connected components of texts
that are equal, or that share a band key, reach the same similarity, and share numbers. Keys have 32 bits. Keys of
different bands are never compared: at four million documents 744,000 pairs would meet by chance, within bands 37,000.

Sketches and numbers lie in flat files of a temporary folder, which are mapped. The pairs are compared in this process.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow

from storage.documents.near_duplicates import THRESHOLD
from storage.documents.sketches import MAX_NUMBERS, SketchFormat, pairs_agree
from storage.errors import ConfigError, DamageError
from storage.exports.files import disk_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    from corpus_spider.batch.sql_tables import SqlTables

    Numbers = NDArray[np.int64]

PAIRS_AT_ONCE = 1 << 13
"""Pairs that are compared together. They take some 20 MB."""
MAX_PAIRED_GROUP = 64
"""Members of a group that are paired with each other at once. In larger groups most pairs are of one set by then."""
KEY_BITS = 32

_TEXTS, _KEYS = (pyarrow.schema([(name, "int64") for name in names]) for names in (("n", "high", "low"), ("n", "key")))
_REPEATED = """
WITH firsts AS (SELECT high, low, min(n) AS first FROM texts GROUP BY high, low HAVING count(*) > 1)
SELECT n, first FROM texts JOIN firsts USING (high, low) WHERE n <> first
"""
_GROUPS = """
WITH own AS (SELECT key, n FROM keys ANTI JOIN repeated USING (n)),
shared AS (SELECT key FROM own GROUP BY key HAVING count(*) > 1)
SELECT key, n FROM own SEMI JOIN shared USING (key) ORDER BY key, n
"""
"""A key has the number of its band above `KEY_BITS`: the bands come one after another."""


class Components:
    """Connected components of the numbers from 0. The root of each is its smallest number."""

    def __init__(self, size: int) -> None:
        self._parents: Numbers = np.arange(size)

    def roots(self, numbers: Numbers) -> Numbers:
        """Return the roots of some numbers."""
        found = self._parents[numbers]
        while not np.array_equal(found, above := self._parents[found]):
            found = above
        self._parents[numbers] = found
        return found

    def unite(self, ones: Numbers, others: Numbers) -> None:
        """Merge the components of each pair."""
        while len(ones):
            roots = np.stack([self.roots(ones), self.roots(others)])
            apart = roots[0] != roots[1]
            # Of several pairs with one upper root the last counts. The others are still apart in the next round.
            self._parents[roots.max(axis=0)[apart]] = roots.min(axis=0)[apart]
            ones, others = ones[apart], others[apart]

    def all_roots(self) -> Numbers:
        """Return the root of every number."""
        return self.roots(np.arange(len(self._parents)))


class FoundSets(NamedTuple):
    """Result of `FingerprintTable.sets`, by document."""

    roots: Numbers
    """First document of the duplicate set."""
    firsts: Numbers
    """First document with the same text."""


class FingerprintTable:
    """Fingerprints of documents, which are numbered in the order they are added."""

    def __init__(self, tables: SqlTables, folder: Path) -> None:
        self._tables = tables
        self.size = 0
        self.scheme = ""
        self._folder, self._width, self._bands = folder, 0, 0
        tables.declare("texts", _TEXTS)
        tables.declare("keys", _KEYS)
        with disk_errors(folder), ExitStack() as opening:
            self._files: dict[str, BinaryIO] = {
                name: opening.enter_context((folder / name).open("wb"))
                for name in ("sketches", "numbers", "counts", "shingles", "keys")
            }
            self._open = opening.pop_all()

    def close(self) -> None:
        """Close the files."""
        self._open.close()

    def add(self, table: Any, where: Path) -> None:
        """Add the rows of a file of fingerprints (``storage.exports.release.fingerprints``).

        Raises ConfigError for another scheme than that of the first, DamageError for values that are no fingerprints.
        """
        if not len(table):
            return
        for scheme in table.column("scheme").unique().to_pylist():
            self._require(scheme, where)
        columns = {name: table.column(name).combine_chunks() for name in table.column_names}
        count, numbers = len(table), np.arange(self.size, self.size + len(table))
        try:
            sketches, _ = _matrix(columns["sketch"], np.dtype(np.uint8), self._width)
            exact, _ = _matrix(columns["exact"], np.dtype("<i8"), 2)
            digests, counts = _matrix(columns["numbers"], np.dtype(">u2"), MAX_NUMBERS)
            keys, bands = _matrix(columns["bands"], np.dtype(np.int32), self._bands)
            if set(np.unique(bands)) - {0, self._bands}:
                raise ValueError("bands")
        except (ValueError, IndexError) as error:
            raise DamageError("not fingerprints", where=str(where), do="Make the release again.") from error
        has_keys = bands > 0
        numbered = (np.arange(self._bands) << KEY_BITS) | (keys[has_keys].astype(np.int64) & ((1 << KEY_BITS) - 1))
        self._insert("texts", n=numbers, high=exact[:, 0], low=exact[:, 1])
        self._insert("keys", n=np.repeat(numbers[has_keys], self._bands), key=numbered.ravel())
        with disk_errors(self._folder):
            for name, values in (
                ("sketches", sketches),
                ("numbers", digests.astype(np.uint16)),
                ("counts", counts.astype(np.uint8)),
                ("shingles", columns["shingles"].to_numpy().astype(np.int32)),
                ("keys", keys.astype(np.int32)),
            ):
                self._files[name].write(np.ascontiguousarray(values).data)
        self.size += count

    def sets(self, on_progress: Callable[[int, int], object] = lambda _, __: None) -> FoundSets:
        """Return the duplicate sets. ``on_progress`` gets the number of finished bands, and of all."""
        with disk_errors(self._folder):
            self.close()
        components, form = Components(self.size), SketchFormat.of(self.scheme)
        self._tables.create("repeated", _REPEATED)
        for n, first in self._numbers("SELECT n, first FROM repeated"):
            components.unite(n, first)
        firsts = components.all_roots().copy()
        if self._bands:
            search = _PairSearch(components, form, self._mapped)
            for keys, n in _whole_groups(self._numbers(_GROUPS)):
                search.compare_groups(keys, n)
                on_progress(int(keys[-1] >> KEY_BITS), self._bands)
        return FoundSets(components.all_roots(), firsts)

    def _require(self, scheme: str, where: Path) -> None:
        if not self.scheme:
            self.scheme = scheme
            form = SketchFormat.of(scheme)
            self._width, self._bands = form.sketch_bytes, form.bands
        if scheme != self.scheme:
            do = "Make the older release again: only fingerprints of one scheme can be compared."
            raise ConfigError(f"its fingerprints are {scheme}, and others {self.scheme}", where=str(where), do=do)

    def _insert(self, table: str, **columns: Numbers) -> None:
        self._tables.insert(table, pyarrow.table(columns))

    def _numbers(self, query: str) -> Iterator[tuple[Numbers, Numbers]]:
        """Yield two columns of whole numbers, a batch at a time."""
        for batch in self._tables.rows(query):
            yield batch.column(0).to_numpy(), batch.column(1).to_numpy()

    def _mapped(self, name: str) -> NDArray[Any]:
        kinds: dict[str, tuple[type, tuple[int, ...]]] = {
            "sketches": (np.uint8, (self.size, self._width)),
            "numbers": (np.uint16, (self.size, MAX_NUMBERS)),
            "counts": (np.uint8, (self.size,)),
            "shingles": (np.int32, (self.size,)),
            "keys": (np.int32, (self.size, self._bands)),
        }
        kind, shape = kinds[name]
        with disk_errors(self._folder):
            return np.memmap(self._folder / name, dtype=kind, mode="r", shape=shape)


class _PairSearch:
    """Compares the documents that share a key, and unites those that are alike."""

    def __init__(self, components: Components, form: SketchFormat, mapped: Callable[[str], NDArray[Any]]) -> None:
        self._components, self._form = components, form
        self._sketches, self._numbers = mapped("sketches"), mapped("numbers")
        self._counts, self._shingles, self._keys = mapped("counts"), mapped("shingles"), mapped("keys")

    def compare_groups(self, keys: Numbers, n: Numbers) -> None:
        """Compare documents within groups of one key. The keys are sorted, and each group is whole."""
        ends = np.searchsorted(keys, keys, side="right")
        # Number of later members of the same group.
        following = ends - np.arange(len(keys)) - 1
        sizes = ends - np.searchsorted(keys, keys)
        at = np.flatnonzero((sizes <= MAX_PAIRED_GROUP) & (following > 0))
        distance = 1
        while len(at):
            self._compare(n[at], n[at + distance])
            distance += 1
            at = at[following[at] >= distance]
        for start in np.flatnonzero((sizes > MAX_PAIRED_GROUP) & (following == sizes - 1)).tolist():
            self._compare_large(n[start : ends[start]], int(keys[start] >> KEY_BITS))

    def _compare_large(self, members: Numbers, band: int) -> None:
        """Compare each member with all later ones that are not in its set and share no earlier band."""
        while len(members) > 1:
            roots = self._components.roots(members)
            if (roots == roots[0]).all():
                return
            one, others = members[0], members[1:][roots[1:] != roots[0]]
            # A pair that shares an earlier band has been compared.
            others = others[~(self._keys[others, :band] == self._keys[one, :band]).any(axis=1)]
            self._compare(np.full(len(others), one), others)
            members = members[1:]

    def _compare(self, ones: Numbers, others: Numbers) -> None:
        for start in range(0, len(ones), PAIRS_AT_ONCE):
            some, further = ones[start : start + PAIRS_AT_ONCE], others[start : start + PAIRS_AT_ONCE]
            apart = self._components.roots(some) != self._components.roots(further)
            some, further = some[apart], further[apart]
            alike = self._form.estimates(self._sketches[some], self._sketches[further]) >= THRESHOLD
            some, further = some[alike], further[alike]
            counts = np.stack([self._counts[some], self._counts[further]]).astype(np.int64)
            shingles = np.minimum(self._shingles[some], self._shingles[further]).astype(np.int64)
            agree = pairs_agree(self._numbers[some], self._numbers[further], counts, shingles)
            self._components.unite(some[agree], further[agree])


def _whole_groups(batches: Iterator[tuple[Numbers, Numbers]]) -> Iterator[tuple[Numbers, Numbers]]:
    """Yield the rows again so that each group of equal keys is in one batch."""
    held: list[tuple[Numbers, Numbers]] = []
    for keys, n in batches:
        if held and keys[0] != held[-1][0][-1]:
            yield _joined(held)
            held = []
        last = int(np.searchsorted(keys, keys[-1]))
        if last:
            yield _joined([*held, (keys[:last], n[:last])])
            held = []
        held.append((keys[last:], n[last:]))
    if held:
        yield _joined(held)


def _joined(parts: list[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    keys, n = zip(*parts, strict=True)
    return np.concatenate(keys), np.concatenate(n)


def _matrix(column: Any, kind: np.dtype[Any], width: int) -> tuple[NDArray[Any], Numbers]:
    """Return the values of an Arrow column of lists or bytes as rows of one width, and the number in each row.

    Raises ValueError or IndexError for a row that is longer.
    """
    import pyarrow

    if column.null_count:
        raise ValueError("null")
    if pyarrow.types.is_fixed_size_binary(column.type):
        column = column.cast(pyarrow.binary())
    is_bytes = pyarrow.types.is_binary(column.type)
    size = kind.itemsize if is_bytes else 1
    ends = np.frombuffer(column.buffers()[1], np.int32)[column.offset : column.offset + len(column) + 1]
    if is_bytes:
        data = column.buffers()[2]
        values = np.frombuffer(memoryview(data)[ends[0] : ends[-1]] if data else b"", kind)
    else:
        values = column.flatten().to_numpy(zero_copy_only=False)
    lengths = np.diff(ends).astype(np.int64) // size
    if len(lengths) and lengths.max() > width:
        raise ValueError("longer")
    rows = np.zeros((len(column), width), kind.newbyteorder("="))
    rows[np.arange(width) < lengths[:, None]] = values
    return rows, lengths
