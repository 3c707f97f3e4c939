"""Manifest of a search index: its shards, their documents, its words and their counts, in one SQLite file.

A row of ``word`` is a searched unit, a counted word, or both (`pipelines.text.words`). A shard names the units that its
texts have, a cell the words that it counts.

A cell counts each spelling of a word. A second cell of the same key holds what changes if the spellings of a word count
as one: less of each spelling, more of the form that they share (`pipelines.text.word_forms.letters`). So both counts
are sums of cells, also those of the documents that have a word.

A change of the index is one transaction of the manifest. A folder of a shard that no row names is left over from an
interrupted change, and is deleted by the next one.
"""

from __future__ import annotations

import json
import math
import sqlite3
import zlib
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from corpus_spider.search.index.totals import FILE
from pipelines.text.word_forms import broad
from storage import time_limit
from storage.documents.selection import COUNTS, Selection
from storage.errors import DamageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

INDEX_FORMAT = 10
"""Format of the index. An index of another format is rebuilt."""
_LAST_DAY = "9999-12-31"
_LAYOUT = """
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE shard (id INTEGER PRIMARY KEY AUTOINCREMENT, documents INTEGER NOT NULL, searched BLOB NOT NULL);
CREATE TABLE entry (id TEXT PRIMARY KEY, state INTEGER NOT NULL, shard INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, broad TEXT);
CREATE INDEX word_broad ON word (broad) WHERE broad IS NOT NULL;
CREATE TABLE spelling (form INTEGER NOT NULL, word INTEGER NOT NULL, PRIMARY KEY (form, word)) WITHOUT ROWID;
CREATE TABLE cell (
    shard INTEGER NOT NULL, language TEXT NOT NULL, site TEXT NOT NULL, month TEXT NOT NULL, one INTEGER NOT NULL,
    documents INTEGER NOT NULL, tokens INTEGER NOT NULL,
    words BLOB NOT NULL, frequencies BLOB NOT NULL, appearances BLOB NOT NULL,
    PRIMARY KEY (shard, language, site, month, one)
);
CREATE TABLE total (
    language TEXT NOT NULL, site TEXT NOT NULL, month TEXT NOT NULL, one INTEGER NOT NULL,
    documents INTEGER NOT NULL, tokens INTEGER NOT NULL,
    words BLOB NOT NULL, frequencies BLOB NOT NULL, appearances BLOB NOT NULL,
    PRIMARY KEY (language, site, month, one)
);
"""
"""``cell``: counts of one shard, compressed, to take them out again with it. ``total``: their sums, which are read.

``one``: 1 for the changes that make the spellings of a word one. ``broad``: of searched units only. ``spelling``: words
with the form that they share with others.
"""
_DELETE_SHARD = (
    "DELETE FROM entry WHERE shard = ?",
    "DELETE FROM cell WHERE shard = ?",
    "DELETE FROM shard WHERE id = ?",
)
_SIZES = "SELECT language, site, month, documents, tokens FROM total"
_CELLS = "SELECT language, site, month, one, documents, tokens, words, frequencies, appearances FROM total"
_SELECTED = """
WHERE (?1 = '[]' OR language IN (SELECT value FROM json_each(?1)))
AND (?2 = '[]' OR site IN (SELECT value FROM json_each(?2)))
AND (?3 = '' OR month >= ?3) AND (?4 = '' OR month <= ?4) AND one <= ?5
"""
_OF_SHARD = """
SELECT language, site, month, one, documents, tokens, words, frequencies, appearances FROM cell WHERE shard = ?
"""
_TOTAL = """
SELECT documents, tokens, words, frequencies, appearances FROM total WHERE (language, site, month, one) = (?, ?, ?, ?)
"""
_ADD_CELL = "INSERT INTO cell VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_TOTAL = "INSERT INTO total VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_BROAD = "SELECT text FROM word WHERE broad >= ? AND broad < ? AND broad GLOB ?"
_EXACT = "SELECT text FROM word WHERE text >= ? AND text < ? AND text GLOB ? AND broad IS NOT NULL"
_ADD_SEARCHED = """
INSERT INTO word (text, broad) VALUES (?, ?) ON CONFLICT (text) DO UPDATE SET broad = excluded.broad WHERE broad IS NULL
"""
_FORGET_SPELLINGS = "DELETE FROM spelling WHERE word NOT IN (SELECT id FROM word) OR form NOT IN (SELECT id FROM word)"


class CellKey(NamedTuple):
    """What the counts of words are kept by. ``month``: YYYY-MM, or `UNDATED`."""

    language: str
    site: str
    month: str


class CellSize(NamedTuple):
    """Documents and words of one cell."""

    key: CellKey
    documents: int
    tokens: int


ALL = Selection()


class Cell(NamedTuple):
    """Stored counts of one cell. The arrays have an item a word: its id, its frequency, its documents.

    The counts of a cell that is taken out of a total are negative. ``one``: 1 for the changes that make the spellings
    of a word one, without documents and tokens of their own.
    """

    key: CellKey
    one: int
    documents: int
    tokens: int
    words: npt.NDArray[np.uint32]
    frequencies: npt.NDArray[np.int32 | np.int64]
    appearances: npt.NDArray[np.int32 | np.int64]


@dataclass(frozen=True, slots=True)
class MadeShard:
    """A new shard: the documents in it with their states, its counts, and the units that are searched.

    ``cells`` have the numbers of words in ``vocabulary``. ``spellings``: the form of each word that has another
    spelling than its form, and the word. ``failures``: runs of text on which a segmenter failed.
    """

    number: int
    entries: Mapping[str, int]
    vocabulary: Sequence[str]
    cells: Sequence[Cell]
    spellings: Collection[tuple[int, int]]
    searched: Collection[str] = ()
    failures: int = 0


def _values(selected: Selection, one: int) -> tuple[str, str, str, str, int]:
    """Return the values of `_SELECTED`: counts are by month. ConfigError for a selection by what has no counts."""
    selected.require(COUNTS)
    # Each range has an end, which documents without a date sort behind.
    since, until = (selected.since or "")[:7], (selected.until or (selected.since and _LAST_DAY) or "")[:7]
    return json.dumps(selected.languages), json.dumps(selected.sites), since, until, one


def _cell(row: tuple[Any, ...], blobs: Iterable[bytes]) -> Cell:
    import numpy as np

    words, frequencies, appearances = blobs
    counts = (np.frombuffer(blob, np.int32) for blob in (frequencies, appearances))
    return Cell(CellKey(*row[:3]), row[3], row[4], row[5], np.frombuffer(words, np.uint32), *counts)


def _columns(cell: Cell) -> list[bytes]:
    """Return the arrays of a cell as they are stored."""
    import numpy as np

    return [cell.words.tobytes(), *(array.astype(np.int32).tobytes() for array in (cell.frequencies, cell.appearances))]


def taken_out(cell: Cell) -> Cell:
    """Return a cell with negative counts."""
    import numpy as np

    frequencies, appearances = (-array.astype(np.int64) for array in (cell.frequencies, cell.appearances))
    return Cell(cell.key, cell.one, -cell.documents, -cell.tokens, cell.words, frequencies, appearances)


def summed(cells: Sequence[Cell]) -> Cell:
    """Return the sum of cells of one key, without words that fall to zero."""
    import numpy as np

    if len(cells) == 1:
        return cells[0]
    words, place = np.unique(np.concatenate([cell.words for cell in cells]), return_inverse=True)
    frequencies, appearances = (
        np.bincount(place, np.concatenate([getattr(cell, name) for cell in cells]), len(words)).astype(np.int64)
        for name in ("frequencies", "appearances")
    )
    kept = (frequencies != 0) | (appearances != 0)
    documents, tokens = sum(cell.documents for cell in cells), sum(cell.tokens for cell in cells)
    return Cell(*cells[0][:2], documents, tokens, words[kept], frequencies[kept], appearances[kept])


def unreadable(folder: Path, error: Exception) -> DamageError:
    """Return the error for an index that cannot be read."""
    do = "Delete the folder: nothing is lost. Then run `corpus-spider index`."
    return DamageError(f"the search index cannot be read: {error}", where=str(folder), do=do)


def _make(path: Path) -> None:
    """Make an empty manifest. It gets its name when it is whole: a reader takes the file for an index."""
    new = path.with_name(f"{path.name}.new")
    for left in path.parent.glob(f"{new.name}*"):
        left.unlink()
    with closing(sqlite3.connect(new, isolation_level=None)) as connection:
        # Later the change to WAL would leave a journal for a moment, which a reader cannot roll back.
        connection.execute("PRAGMA journal_mode=WAL")
        connection.executescript(_LAYOUT)
    new.replace(path)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of one index. Use it from one thread."""

    connection: sqlite3.Connection

    @classmethod
    @contextmanager
    def open(cls, folder: Path, *, read_only: bool) -> Iterator[Manifest]:
        """Open the manifest in a folder, and create it unless ``read_only``. DamageError if the file is damaged."""
        path = folder / FILE
        address = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rw'}"
        try:
            if not read_only and not path.exists():
                _make(path)
            with closing(sqlite3.connect(address, uri=True, timeout=30, isolation_level=None)) as connection:
                connection.execute("PRAGMA secure_delete=ON")
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
            changes: dict[tuple[CellKey, int], list[Cell]] = {}
            for number in old:
                for cell in self._of_shard(number):
                    changes.setdefault((cell.key, cell.one), []).append(taken_out(cell))
                for statement in _DELETE_SHARD:
                    self.connection.execute(statement, (number,))
            for made in new:
                for cell in self._add(made):
                    changes.setdefault((cell.key, cell.one), []).append(cell)
            for (key, one), cells in changes.items():
                self._change_total(key, one, cells)
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def forget_unused_words(self) -> int:
        """Delete the words that no cell and no shard has any more, and shrink the file. Return their number."""
        import numpy as np

        used = [cell.words for cell in self.cells(one_spelling=True)]
        used += [np.frombuffer(row[0], np.uint32) for row in self.connection.execute("SELECT searched FROM shard")]
        known = np.fromiter((row[0] for row in self.connection.execute("SELECT id FROM word")), np.uint32)
        unused = np.setdiff1d(known, np.unique(np.concatenate(used)) if used else np.empty(0, np.uint32))
        if len(unused):
            self.connection.execute("BEGIN IMMEDIATE")
            self.connection.executemany("DELETE FROM word WHERE id = ?", ((int(each),) for each in unused))
            self.connection.execute(_FORGET_SPELLINGS)
            self.connection.execute("COMMIT")
            self.connection.execute("VACUUM")
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(unused)

    def cells(self, selected: Selection = ALL, *, one_spelling: bool = False) -> Iterator[Cell]:
        """Read the counts of the selected cells. ``one_spelling``: so that the spellings of a word count as one."""
        for row in self.connection.execute(f"{_CELLS}{_SELECTED}", _values(selected, int(one_spelling))):
            time_limit.check()
            yield _cell(row, row[6:])

    def sizes(self, selected: Selection = ALL) -> list[CellSize]:
        """Return the number of documents and words of the selected cells."""
        rows = self.connection.execute(f"{_SIZES}{_SELECTED}", _values(selected, 0))
        return [CellSize(CellKey(*row[:3]), row[3], row[4]) for row in rows]

    def languages(self) -> list[str]:
        """Return the languages of the documents."""
        return [row[0] for row in self.connection.execute("SELECT DISTINCT language FROM total ORDER BY language")]

    def spellings(self, start: str, glob: str = "", *, exact: bool) -> list[str]:
        """Return the searched words whose broad form, or whose text, begins so and fits a glob.

        Without a glob the form is the start.
        """
        # An index serves a range, and not GLOB on letters beyond ASCII.
        after = start + ("\U0010ffff" if glob else "\0")
        rows = self.connection.execute(_EXACT if exact else _BROAD, (start, after, glob or "*"))
        return [row[0] for row in rows]

    def searched_words(self) -> Iterator[str]:
        """Read all words that are searched."""
        return (row[0] for row in self.connection.execute("SELECT text FROM word WHERE broad IS NOT NULL"))

    def spelled(self, forms: Iterable[int]) -> dict[int, list[int]]:
        """Return the words that are other spellings of these forms, by their ids."""
        found: dict[int, list[int]] = {}
        statement = "SELECT form, word FROM spelling WHERE form IN (SELECT value FROM json_each(?))"
        for form, word in self.connection.execute(statement, (json.dumps(list(forms)),)):
            found.setdefault(form, []).append(word)
        return found

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
            yield _cell(row, map(zlib.decompress, row[6:]))

    def _change_total(self, key: CellKey, one: int, cells: Sequence[Cell]) -> None:
        """Add cells to the total of their key. What falls to zero goes."""
        before = self.connection.execute(_TOTAL, (*key, one)).fetchone()
        if before is not None:
            cells = [_cell((*key, one, *before[:2]), before[2:]), *cells]
        total = summed(cells)
        self.connection.execute("DELETE FROM total WHERE (language, site, month, one) = (?, ?, ?, ?)", (*key, one))
        if total.documents > 0 or len(total.words):
            self.connection.execute(_ADD_TOTAL, (*key, one, total.documents, total.tokens, *_columns(total)))

    def _add(self, made: MadeShard) -> Iterator[Cell]:
        """Store a shard and yield its cells."""
        import numpy as np

        rows = ((each, state, made.number) for each, state in made.entries.items())
        self.connection.executemany("INSERT INTO entry VALUES (?, ?, ?)", rows)
        searched = set(made.searched)
        counted = sorted(set(made.vocabulary) - searched)
        self.connection.executemany(_ADD_SEARCHED, ((word, broad(word)) for word in sorted(searched)))
        self.connection.executemany("INSERT OR IGNORE INTO word (text) VALUES (?)", ((word,) for word in counted))
        numbers = self.ids_by_text([*searched, *counted])
        ids = np.fromiter(map(numbers.__getitem__, made.vocabulary), np.uint32)
        pairs = ids[np.array(made.spellings, np.uint32).reshape(-1, 2)]
        self.connection.executemany("INSERT OR IGNORE INTO spelling VALUES (?, ?)", np.unique(pairs, axis=0).tolist())
        units = np.array(sorted(numbers[word] for word in searched), np.uint32).tobytes()
        values = (made.number, len(made.entries), units)
        self.connection.execute("INSERT INTO shard (id, documents, searched) VALUES (?, ?, ?)", values)
        for cell in made.cells:
            words = ids[cell.words]
            order = np.argsort(words)
            added = cell._replace(
                words=words[order], frequencies=cell.frequencies[order], appearances=cell.appearances[order]
            )
            blobs = (zlib.compress(column, 1) for column in _columns(added))
            self.connection.execute(_ADD_CELL, (made.number, *added.key, *added[1:4], *blobs))
            yield added
