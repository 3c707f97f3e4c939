"""Manifest of a search index: its shards, their documents, its words and their counts, in one SQLite file.

A row of ``word`` is a searched unit, a counted word, or both (`pipelines.text.words`). A shard names the units that its
texts have, a cell the words that it counts.

A change of the index is one transaction of the manifest. A folder of a shard that no row names is left over from an
interrupted change, and is deleted by the next one.
"""

from __future__ import annotations

import json
import math
import sqlite3
import zlib
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from corpus_spider.search.totals import FILE
from pipelines.text.word_forms import letters, plain
from storage import time_limit
from storage.errors import DamageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

FORMAT = 4
"""Format of the index. An index of another format is rebuilt."""
_LAYOUT = """
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE shard (id INTEGER PRIMARY KEY AUTOINCREMENT, documents INTEGER NOT NULL, searched BLOB NOT NULL);
CREATE TABLE entry (id TEXT PRIMARY KEY, state INTEGER NOT NULL, shard INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX entry_shard ON entry (shard);
CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, letters TEXT, plain TEXT);
CREATE INDEX word_letters ON word (letters) WHERE letters IS NOT NULL;
CREATE INDEX word_plain ON word (plain) WHERE plain IS NOT NULL;
CREATE TABLE cell (
    shard INTEGER NOT NULL, language TEXT NOT NULL, site TEXT NOT NULL, month TEXT NOT NULL,
    documents INTEGER NOT NULL, tokens INTEGER NOT NULL,
    words BLOB NOT NULL, frequencies BLOB NOT NULL, appearances BLOB NOT NULL,
    PRIMARY KEY (shard, language, site, month)
);
CREATE TABLE total (
    language TEXT NOT NULL, site TEXT NOT NULL, month TEXT NOT NULL,
    documents INTEGER NOT NULL, tokens INTEGER NOT NULL,
    words BLOB NOT NULL, frequencies BLOB NOT NULL, appearances BLOB NOT NULL,
    PRIMARY KEY (language, site, month)
);
"""
"""``cell``: counts of one shard, compressed, to take them out again with it. ``total``: their sums, which are read."""
_DELETE_SHARD = (
    "DELETE FROM entry WHERE shard = ?",
    "DELETE FROM cell WHERE shard = ?",
    "DELETE FROM shard WHERE id = ?",
)
_SIZES = "SELECT language, site, month, documents, tokens FROM total"
_CELLS = "SELECT language, site, month, documents, tokens, words, frequencies, appearances FROM total"
_SELECTED = """
WHERE (?1 = '[]' OR language IN (SELECT value FROM json_each(?1)))
AND (?2 = '[]' OR site IN (SELECT value FROM json_each(?2)))
AND (?3 = '' OR month >= ?3) AND (?4 = '' OR month <= ?4)
"""
_OF_SHARD = "SELECT language, site, month, documents, tokens, words, frequencies, appearances FROM cell WHERE shard = ?"
_TOTAL = (
    "SELECT documents, tokens, words, frequencies, appearances FROM total WHERE (language, site, month) = (?, ?, ?)"
)
_SPELLINGS = {
    form: f"SELECT text FROM word WHERE {form} >= ? AND {form} < ? AND letters IS NOT NULL"  # noqa: S608, three names of our own
    for form in ("text", "letters", "plain")
}
_ADD_SEARCHED = """
INSERT INTO word (text, letters, plain) VALUES (?, ?, ?)
ON CONFLICT (text) DO UPDATE SET letters = excluded.letters, plain = excluded.plain WHERE letters IS NULL
"""


class CellKey(NamedTuple):
    """What the counts of words are kept by. ``month``: YYYY-MM."""

    language: str
    site: str
    month: str


class CellSize(NamedTuple):
    """Documents and words of one cell."""

    key: CellKey
    documents: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Selected:
    """Selection of cells; empty: all. ``since`` and ``until``: months, inclusive."""

    languages: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    since: str = ""
    until: str = ""

    def widened(self) -> Selected:
        """Return the selection of all texts in the same languages."""
        return Selected(self.languages)


ALL = Selected()


@dataclass(slots=True)
class CellCounts:
    """Counts of one cell: documents, tokens, and for each word its frequency and the documents it appears in."""

    documents: int = 0
    tokens: int = 0
    words: dict[str, tuple[int, int]] = field(default_factory=dict)


class Cell(NamedTuple):
    """Stored counts of one cell. The arrays have an item a word: its id, its frequency, its documents.

    The counts of a cell that is taken out of a total are negative.
    """

    key: CellKey
    documents: int
    tokens: int
    words: npt.NDArray[np.uint32]
    frequencies: npt.NDArray[np.uint32 | np.int64]
    appearances: npt.NDArray[np.uint32 | np.int64]


@dataclass(frozen=True, slots=True)
class MadeShard:
    """A new shard: the documents in it with their states, its counts, and the units that are searched.

    ``failures``: runs of text on which a segmenter failed.
    """

    number: int
    entries: Mapping[str, int]
    cells: Mapping[CellKey, CellCounts]
    searched: Collection[str] = ()
    failures: int = 0


def _values(selected: Selected) -> tuple[str, str, str, str]:
    """Return the values of `_SELECTED`."""
    return json.dumps(selected.languages), json.dumps(selected.sites), selected.since, selected.until


def _taken_out(cell: Cell) -> Cell:
    """Return a cell with negative counts."""
    frequencies, appearances = (-array.astype(np.int64) for array in (cell.frequencies, cell.appearances))
    return Cell(cell.key, -cell.documents, -cell.tokens, cell.words, frequencies, appearances)


def unreadable(folder: Path, error: Exception) -> DamageError:
    """Return the error for an index that cannot be read."""
    do = "Delete the folder: nothing is lost. Then run `corpus-spider index`."
    return DamageError(f"the search index cannot be read: {error}", where=str(folder), do=do)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of one index. Use it from one thread."""

    connection: sqlite3.Connection

    @classmethod
    @contextmanager
    def open(cls, folder: Path, *, read_only: bool) -> Iterator[Manifest]:
        """Open the manifest in a folder, and create it unless ``read_only``. DamageError if the file is damaged."""
        path = folder / FILE
        address = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
        try:
            with closing(sqlite3.connect(address, uri=True, timeout=30, isolation_level=None)) as connection:
                connection.execute("PRAGMA secure_delete=ON")
                if not read_only:
                    connection.execute("PRAGMA journal_mode=WAL")
                    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'shard'").fetchone():
                        connection.executescript(f"BEGIN;{_LAYOUT}COMMIT;")
                # Work without a time limit has none later.
                if time_limit.ends_at() < math.inf:
                    connection.set_progress_handler(time_limit.is_over, time_limit.STEPS)
                yield cls(connection)
        except sqlite3.Error as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                raise time_limit.too_slow() from error
            raise unreadable(folder, error) from error

    def settings(self) -> dict[str, str]:
        """Return what the index was made with."""
        return dict(self.connection.execute("SELECT name, value FROM setting"))

    def set(self, settings: Mapping[str, str]) -> None:
        """Store what the index is made with."""
        self.connection.executemany("INSERT OR REPLACE INTO setting VALUES (?, ?)", settings.items())

    def entries(self) -> dict[str, tuple[int, int]]:
        """Return the state and the shard of each document by its id."""
        return {row[0]: (row[1], row[2]) for row in self.connection.execute("SELECT id, state, shard FROM entry")}

    def shards(self) -> dict[int, int]:
        """Return the number of documents of each shard."""
        return dict(self.connection.execute("SELECT id, documents FROM shard ORDER BY id").fetchall())

    def next_number(self) -> int:
        """Return a number that no shard has had."""
        row = self.connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'shard'").fetchone()
        return (row[0] if row else 0) + 1

    def replace(self, old: Collection[int], new: Sequence[MadeShard]) -> None:
        """Put new shards in place of old ones, with their words and counts, in one transaction."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            changes: dict[CellKey, list[Cell]] = {}
            for number in old:
                for cell in self._of_shard(number):
                    changes.setdefault(cell.key, []).append(_taken_out(cell))
                for statement in _DELETE_SHARD:
                    self.connection.execute(statement, (number,))
            for made in new:
                for cell in self._add(made):
                    changes.setdefault(cell.key, []).append(cell)
            for key, cells in changes.items():
                self._change_total(key, cells)
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def forget_unused_words(self) -> int:
        """Delete the words that no cell and no shard has any more, and shrink the file. Return their number."""
        used = [cell.words for cell in self.cells()]
        used += [np.frombuffer(row[0], np.uint32) for row in self.connection.execute("SELECT searched FROM shard")]
        known = np.fromiter((row[0] for row in self.connection.execute("SELECT id FROM word")), np.uint32)
        unused = np.setdiff1d(known, np.unique(np.concatenate(used)) if used else np.empty(0, np.uint32))
        if len(unused):
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.executemany("DELETE FROM word WHERE id = ?", ((int(each),) for each in unused))
            self.connection.execute("COMMIT")
            self.connection.execute("VACUUM")
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(unused)

    def cells(self, selected: Selected = ALL) -> Iterator[Cell]:
        """Read the counts of the selected cells."""
        for row in self.connection.execute(f"{_CELLS}{_SELECTED}", _values(selected)):
            time_limit.check()
            arrays = (np.frombuffer(blob, np.uint32) for blob in row[5:])
            yield Cell(CellKey(*row[:3]), row[3], row[4], *arrays)

    def sizes(self, selected: Selected = ALL) -> list[CellSize]:
        """Return the number of documents and words of the selected cells."""
        rows = self.connection.execute(f"{_SIZES}{_SELECTED}", _values(selected))
        return [CellSize(CellKey(*row[:3]), row[3], row[4]) for row in rows]

    def spellings(self, form: str, value: str, *, prefix: bool) -> list[str]:
        """Return the words whose ``form`` (text, letters or plain) is this value, or begins with it."""
        # An index serves a range, and not LIKE on letters beyond ASCII.
        after = value + ("\U0010ffff" if prefix else "\0")
        return [row[0] for row in self.connection.execute(_SPELLINGS[form], (value, after))]

    def texts_of(self, words: Iterable[int]) -> dict[int, str]:
        """Return words by their ids."""
        statement = "SELECT id, text FROM word WHERE id IN (SELECT value FROM json_each(?))"
        return dict(self.connection.execute(statement, (json.dumps(list(words)),)).fetchall())

    def every_word(self) -> list[str]:
        """Return all words of the index, those that are counted and those that are searched."""
        return [row[0] for row in self.connection.execute("SELECT text FROM word")]

    def ids_by_text(self, words: Iterable[str]) -> dict[str, int]:
        """Return the ids of words that the index knows."""
        statement = "SELECT text, id FROM word WHERE text IN (SELECT value FROM json_each(?))"
        return dict(self.connection.execute(statement, (json.dumps(list(words)),)).fetchall())

    def _of_shard(self, number: int) -> Iterator[Cell]:
        for row in self.connection.execute(_OF_SHARD, (number,)).fetchall():
            arrays = (np.frombuffer(zlib.decompress(blob), np.uint32) for blob in row[5:])
            yield Cell(CellKey(*row[:3]), row[3], row[4], *arrays)

    def _change_total(self, key: CellKey, cells: Sequence[Cell]) -> None:
        """Add cells to the total of their key. What falls to zero goes."""
        before = self.connection.execute(_TOTAL, key).fetchone()
        if before is not None:
            arrays = (np.frombuffer(blob, np.uint32) for blob in before[2:])
            cells = [Cell(key, before[0], before[1], *arrays), *cells]
        words, place = np.unique(np.concatenate([cell.words for cell in cells]), return_inverse=True)
        sums = [
            np.bincount(place, np.concatenate([getattr(cell, name) for cell in cells]), len(words))
            for name in ("frequencies", "appearances")
        ]
        kept = sums[0] > 0
        documents, tokens = sum(cell.documents for cell in cells), sum(cell.tokens for cell in cells)
        self.connection.execute("DELETE FROM total WHERE (language, site, month) = (?, ?, ?)", key)
        if documents > 0:
            blobs = (array[kept].astype(np.uint32).tobytes() for array in (words, *sums))
            values = (*key, documents, tokens, *blobs)
            self.connection.execute("INSERT INTO total VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

    def _add(self, made: MadeShard) -> Iterator[Cell]:
        """Store a shard and yield its cells."""
        rows = ((each, state, made.number) for each, state in made.entries.items())
        self.connection.executemany("INSERT INTO entry VALUES (?, ?, ?)", rows)
        searched = set(made.searched)
        counted = sorted({word for cell in made.cells.values() for word in cell.words} - searched)
        forms = ((word, letters(word), plain(word)) for word in sorted(searched))
        self.connection.executemany(_ADD_SEARCHED, forms)
        self.connection.executemany("INSERT OR IGNORE INTO word (text) VALUES (?)", ((word,) for word in counted))
        numbers = self.ids_by_text([*searched, *counted])
        units = np.array(sorted(numbers[word] for word in searched), np.uint32).tobytes()
        values = (made.number, len(made.entries), units)
        self.connection.execute("INSERT INTO shard (id, documents, searched) VALUES (?, ?, ?)", values)
        for key, counts in made.cells.items():
            ordered = sorted((numbers[word], *of_word) for word, of_word in counts.words.items())
            columns = [np.ascontiguousarray(each) for each in np.array(ordered, np.uint32).reshape(-1, 3).T]
            blobs = (zlib.compress(column.tobytes(), 1) for column in columns)
            self.connection.execute(
                "INSERT INTO cell VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (made.number, *key, counts.documents, counts.tokens, *blobs),
            )
            yield Cell(key, counts.documents, counts.tokens, *columns)
