"""Tokens of the documents of one shard as numbers, in one file beside the shard's index. Compressed by zstd.

::

    blocks      documents of one language, by what is stored of them (`_BlockRow`): each part by itself
    vocabulary  the units in order of their letters, some hundred together; the numbers of all
    readings    of units with lemmas and tags: how many each unit has, the numbers of their values, the lemmas
    directory   JSON: what is where, the groups of `counted_words`, and the tags
    8 bytes     the place of the directory

Units have numbers in the order in which they come first, so frequent ones have small numbers. The bytes of numbers are
stored apart by their weight: the first bytes of all numbers, then the second ones. Both make them a fifth smaller. The
title and each line of a document count as lines; a sentence ends where `pipelines.text.sentences` has it.

A reading is a lemma and a tag of a unit. Most units have one. A token has the number of its reading among those of its
unit, which is mostly 0.
"""

from __future__ import annotations

import json
import mmap
import threading
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, compress, islice, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, overload

import numpy as np
import zstandard

from corpus_spider.search.index.cell_counts import WordNumbers
from corpus_spider.search.index.counted_words import MARK, WordGroups
from corpus_spider.search.index.manifest import CellKey
from corpus_spider.search.index.token_block import TokenBlock, UnitReadings
from pipelines.text.annotation.annotator import LEMMA, TAG
from pipelines.text.words import LINE_END
from storage import time_limit
from storage.errors import DamageError
from storage.records import ATTRIBUTE, SENTENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    import numpy.typing as npt

    from corpus_spider.search.question.term import Term

    Numbers = npt.NDArray[np.uint32]
    _IsWanted = Callable[["_BlockRow", npt.NDArray[np.int64]], npt.NDArray[np.bool_]]

FILE = "tokens.bin"
"""Name of the file in the folder of a shard."""
BLOCK_TOKENS = 2**16
"""Tokens from which on a block is full: those of some hundred documents, read in a millisecond."""
_BLOCK_DOCUMENTS = 2**12
_VOCABULARY_PART = 256
"""Units that are read together to find one of them."""
_LEVEL = 1
_MARKS = (LINE_END, SENTENCE)
"""What stands among the units of a text. Their numbers come before those of units."""
_DIRECTORY_PLACE_BYTES = 8
_LINES, _SENTENCES, _LENGTHS, _TOKENS, _GROUPS, _READINGS = 2, 3, 4, 5, 6, 7
"""Parts of a block: lines of documents, sentences of lines, tokens of sentences, the tokens, and what is with each."""
_MAX_FRAME_HEADER = 18
"""Bytes at the start of what zstd compresses, which have its size."""
_MAX_TERMS_KEPT = 64
"""Lemmas and tags of questions whose readings are remembered."""
_NO_READING = ATTRIBUTE * 2
"""Lemma and tag of a unit that are not known, as they are written behind it."""


_VocabularyRow: TypeAlias = tuple[int, list[str], list[int], list[int]]
"""A vocabulary in the directory: its first byte, the first unit and the size of each part, the sizes of the numbers."""


class _BlockRow(NamedTuple):
    """A block in the directory. ``place``: its first byte. ``ids``: bytes of the ids, which come first.

    ``parts``: compressed sizes of each weight of the bytes of these numbers, which come one after the other: steps from
    document to document of the shard; the cell of each document; its lines; the sentences of each line; the tokens of
    each sentence; the tokens; the group that each begins, else 0; the reading of each, unless all have the first one.
    """

    language: str
    place: int
    documents: int
    ids: int
    parts: list[list[int]]

    def place_of(self, part: int) -> int:
        """Return the first byte of a part."""
        return self.place + self.ids + sum(map(sum, self.parts[:part]))


@dataclass(slots=True)
class _WaitingDocuments:
    """Documents of one language that are not written yet. ``ends``: number of parts up to the end of each."""

    ids: list[str] = field(default_factory=list)
    numbers: array[int] = field(default_factory=lambda: array("I"))
    cells: array[int] = field(default_factory=lambda: array("I"))
    parts: array[int] = field(default_factory=lambda: array("I"))
    ends: array[int] = field(default_factory=lambda: array("I"))


class TokenWriter:
    """Writes the tokens of a shard. Use it as a context; the file is whole at its end. OSError if the disk refuses.

    Parts of texts (`IndexedText`) are numbers at once. Many together become the numbers of their units.
    """

    def __init__(self, folder: Path) -> None:
        self._file = (folder / FILE).open("wb")
        self._entries: dict[str, int] = WordNumbers({mark: number for number, mark in enumerate(_MARKS)})
        self._units: dict[str, int] = WordNumbers(self._entries)
        self._readings: list[list[str]] = []
        self._groups: dict[str | None, int] = {None: 0}
        self._entry_units = array("I", range(len(_MARKS)))
        self._entry_groups, self._entry_readings = array("I", [0] * len(_MARKS)), array("I", [0] * len(_MARKS))
        self._parts: dict[str, int] = WordNumbers()
        self._part_units, self._part_ends = array("I"), array("I")
        self._cells: dict[CellKey, int] = {}
        self._waiting: dict[str, _WaitingDocuments] = {}
        self._rows: list[_BlockRow] = []
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL)
        self._documents = 0

    def __enter__(self) -> TokenWriter:
        """Return itself."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Write what waits and the directory, unless an error came."""
        with self._file:
            if kind is None:
                for language in list(self._waiting):
                    self._write(language)
                self._finish()

    def add(self, document: str, cell: CellKey, parts: Iterable[str]) -> None:
        """Add a document by its id, with its units as `IndexedText` has them, annotated or not."""
        waiting = self._waiting.setdefault(cell.language, _WaitingDocuments())
        waiting.ids.append(document)
        waiting.numbers.append(self._documents)
        waiting.cells.append(self._cells.setdefault(cell, len(self._cells)))
        waiting.parts.extend(map(self._parts.__getitem__, parts))
        waiting.ends.append(len(waiting.parts))
        self._documents += 1
        if len(waiting.parts) >= BLOCK_TOKENS or len(waiting.ids) >= _BLOCK_DOCUMENTS:
            self._write(cell.language)

    def _write(self, language: str) -> None:
        """Write the waiting documents of a language as a block."""
        waiting = self._waiting.pop(language)
        entries, ends = self._entries_of(np.frombuffer(waiting.parts, np.uint32))
        self._read_entries()
        units, groups, readings = (
            np.array(each)[entries] for each in (self._entry_units, self._entry_groups, self._entry_readings)
        )
        marks = np.flatnonzero(units < len(_MARKS))
        line_ends = np.flatnonzero(units[marks] == 0)
        document_ends = ends[np.frombuffer(waiting.ends, np.uint32) - 1]
        parts = (
            _lengths(np.frombuffer(waiting.numbers, np.uint32)),
            np.frombuffer(waiting.cells, np.uint32),
            _lengths(np.searchsorted(marks[line_ends], document_ends)),
            _lengths(line_ends + 1),
            # Before a mark stand as many tokens as its place says, less the marks before it.
            _lengths(marks - np.arange(len(marks))),
            np.delete(units, marks) - np.uint32(len(_MARKS)),
            np.delete(groups, marks),
            *([np.delete(readings, marks)] if readings.any() else []),
        )
        place = self._file.tell()
        ids = self._file.write(self._compressor.compress(" ".join(waiting.ids).encode()))
        self._rows.append(_BlockRow(language, place, len(waiting.ids), ids, [self._pack(part) for part in parts]))

    def _entries_of(self, parts: Numbers) -> tuple[Numbers, npt.NDArray[np.int64]]:
        """Return the numbers of the entries of some parts, and the number of entries up to the end of each part.

        An entry is a unit with what is written behind it, or a mark.
        """
        new = list(islice(reversed(self._parts), len(self._parts) - len(self._part_ends)))
        for text in reversed(new):
            if text:
                self._part_units.extend(map(self._entries.__getitem__, text.split(" ")))
            self._part_ends.append(len(self._part_units))
        known, part_ends = np.array(self._part_units, np.uint32), np.array(self._part_ends, np.uint32)
        lengths = _lengths(part_ends)[parts]
        ends = np.cumsum(lengths, dtype=np.int64)
        # The units of a part stand side by side, here as there: each is as far from the last as there.
        places = np.repeat(part_ends[parts] - ends, lengths) + np.arange(ends[-1])
        return known[places], ends

    def _read_entries(self) -> None:
        """Find the unit, the group and the reading of each entry that is new."""
        new = list(islice(reversed(self._entries), len(self._entries) - len(self._entry_units)))
        for entry in reversed(new):
            unit, sign, reading = entry.partition(ATTRIBUTE)
            unit, mark, group = unit.partition(MARK)
            number = self._units[unit]
            if number - len(_MARKS) == len(self._readings):
                self._readings.append([])
            readings = self._readings[number - len(_MARKS)]
            known = sign + reading or _NO_READING
            if known not in readings:
                readings.append(known)
            self._entry_units.append(number)
            self._entry_groups.append(self._groups.setdefault(group if mark else None, len(self._groups)))
            self._entry_readings.append(readings.index(known))

    def _pack(self, numbers: Numbers) -> list[int]:
        """Write numbers with as many bytes as the largest needs. Return the compressed size of each weight."""
        width = max(1, (int(numbers.max(initial=0)).bit_length() + 7) // 8)
        planes = numbers.astype("<u4").view(np.uint8).reshape(-1, 4).T[:width]
        return [self._file.write(self._compressor.compress(plane.tobytes())) for plane in planes]

    def _finish(self) -> None:
        directory: dict[str, object] = {
            "blocks": self._rows,
            "cells": list(self._cells),
            "units": self._write_vocabulary(list(self._units)[len(_MARKS) :]),
            "groups": [group for group in self._groups if group is not None],
        }
        if any(each != [_NO_READING] for each in self._readings):
            directory |= self._write_readings()
        place = self._file.tell()
        self._file.write(self._compressor.compress(json.dumps(directory, ensure_ascii=False).encode()))
        self._file.write(place.to_bytes(_DIRECTORY_PLACE_BYTES, "little"))

    def _write_vocabulary(self, units: Sequence[str]) -> _VocabularyRow:
        order = sorted(range(len(units)), key=units.__getitem__)
        place = self._file.tell()
        starts = range(0, len(order), _VOCABULARY_PART)
        parts = [" ".join([units[number] for number in order[start : start + _VOCABULARY_PART]]) for start in starts]
        sizes = [self._file.write(self._compressor.compress(part.encode())) for part in parts]
        return place, [units[order[start]] for start in starts], sizes, self._pack(np.array(order, np.uint32))

    def _write_readings(self) -> dict[str, object]:
        """Write the readings of all units. Return their entries in the directory."""
        lemmas: dict[str, int] = WordNumbers()
        tags: dict[str, int] = WordNumbers()
        lemma_numbers, tag_numbers = array("I"), array("I")
        for readings in self._readings:
            for reading in readings:
                _, lemma, tag = reading.split(ATTRIBUTE)
                lemma_numbers.append(lemmas[lemma])
                tag_numbers.append(tags[tag])
        place = self._file.tell()
        counts = array("I", map(len, self._readings))
        parts = [self._pack(np.frombuffer(each, np.uint32)) for each in (counts, lemma_numbers, tag_numbers)]
        return {"readings": (place, parts), "lemmas": self._write_vocabulary(list(lemmas)), "tags": list(tags)}


def _lengths(ends: npt.NDArray[np.int64 | np.uint32]) -> Numbers:
    """Return the lengths of parts from where each ends."""
    lengths = ends.astype(np.uint32)
    lengths[1:] -= lengths[:-1].copy()
    return lengths


class ShardVocabulary(Sequence[str]):
    """The units of a shard by their numbers. It reads only the parts that it needs.

    >>> list(ShardVocabulary([zstandard.compress(b"a b")], ["a"], np.array([1, 0], np.uint32)))
    ['b', 'a']
    """

    def __init__(self, parts: Sequence[bytes], firsts: Sequence[str], order: Numbers) -> None:
        """Take the parts as they are stored, the first unit of each, and the number of each unit in their order."""
        self._parts, self._firsts, self._order = parts, firsts, order
        self._read: dict[int, list[str]] = {}

    def __len__(self) -> int:
        """Return the number of units."""
        return len(self._order)

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        """Return a unit by its number."""
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        part, place = divmod(int(self._ranks[number]), _VOCABULARY_PART)
        return self._part(part)[place]

    def __iter__(self) -> Iterator[str]:
        """Read all units in the order of their numbers."""
        units = [unit for part in range(len(self._parts)) for unit in self._part(part)]
        return map(units.__getitem__, self._ranks.tolist())

    def __contains__(self, unit: object) -> bool:
        """Return whether the shard has a unit."""
        return isinstance(unit, str) and bool(self.numbers([unit]))

    def index(self, unit: str, *_: int) -> int:
        """Return the number of a unit. ValueError if the shard does not have it."""
        if not (found := self.numbers([unit])):
            raise ValueError(unit)
        return found[unit]

    def numbers(self, units: Iterable[str]) -> dict[str, int]:
        """Return the numbers of those units that the shard has."""
        found = {}
        for unit in units:
            part = bisect_right(self._firsts, unit) - 1
            if part < 0:
                continue
            known = self._part(part)
            place = bisect_left(known, unit)
            if place < len(known) and known[place] == unit:
                found[unit] = int(self._order[part * _VOCABULARY_PART + place])
        return found

    def texts(self, numbers: npt.NDArray[np.int64]) -> list[str]:
        """Return some units by their numbers, in the order of their letters."""
        ranks = np.flatnonzero(np.isin(self._order, numbers)).tolist()
        return [self._part(rank // _VOCABULARY_PART)[rank % _VOCABULARY_PART] for rank in ranks]

    @cached_property
    def _ranks(self) -> npt.NDArray[np.int64]:
        """The place of each unit in their order, by its number."""
        return np.argsort(self._order, kind="stable")

    def _part(self, part: int) -> list[str]:
        if part not in self._read:
            self._read[part] = _decompressed(self._parts[part]).decode().split(" ")
        return self._read[part]


class _Directory(NamedTuple):
    """What is where in a file. ``readings``: place and sizes of three parts; None without annotations."""

    blocks: list[_BlockRow]
    cells: list[CellKey]
    units: _VocabularyRow
    groups: list[str]
    readings: tuple[int, list[list[int]]] | None
    lemmas: _VocabularyRow | None
    tags: list[str]


class ShardTokens:
    """The tokens of one shard. It keeps reading the file that it opened, also when that is deleted."""

    def __init__(self, folder: Path) -> None:
        """Open the file in the folder of a shard. OSError or ValueError if it is missing or empty."""
        self._path = folder / FILE
        self._meant: dict[Term, npt.NDArray[np.int64]] = {}
        with self._path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def blocks(
        self,
        documents: Collection[str] | npt.NDArray[np.int64] | None,
        languages: Collection[str] = (),
        only: Collection[int] | None = None,
        *,
        annotated: bool = False,
        grouped: bool = False,
    ) -> Iterator[TokenBlock]:
        """Yield the blocks of some documents, in order, by their ids or by their numbers within the shard.

        None: of all documents. ``languages``: those of the blocks, all without one. ``only``: places of wanted blocks
        among those of the shard. ``annotated``: with their readings, if the shard has some. ``grouped``: with their
        counted words. DamageError for a damaged file.
        """
        if documents is not None and not len(documents):
            return
        is_wanted = self._test(documents)
        with self._damages():
            rows = self._directory.blocks
        for place, row in enumerate(rows):
            if (languages and row.language not in languages) or (only is not None and place not in only):
                continue
            with self._damages():
                block = self._block(
                    place, row, is_wanted, self.readings if annotated else None, self.groups if grouped else None
                )
            if block is not None:
                yield block

    def number_of_tokens(
        self, documents: npt.NDArray[np.int64] | None, languages: Collection[str] = ()
    ) -> Counter[str]:
        """Count the tokens of the documents that `blocks` reads, by language. The tokens themselves are not read."""
        found = Counter[str]()
        is_wanted = self._test(documents)
        with self._damages():
            for row in self._directory.blocks:
                if not languages or row.language in languages:
                    time_limit.check()
                    found[row.language] += self._tokens_of(row, is_wanted)
        return +found

    def _tokens_of(self, row: _BlockRow, is_wanted: _IsWanted | None) -> int:
        """Return the number of tokens of the wanted documents of a block."""
        if is_wanted is not None:
            steps, _ = self._numbers(row.place_of(0), row.parts[0])
            kept = is_wanted(row, np.cumsum(steps, dtype=np.int64))
            if not kept.any():
                return 0
            if not kept.all():
                lines, sentences, lengths = (
                    self._numbers(row.place_of(part), row.parts[part])[0] for part in (_LINES, _SENTENCES, _LENGTHS)
                )
                return int(lengths[np.repeat(np.repeat(kept, lines), sentences)].sum())
        # The first bytes of all numbers are as many as the numbers.
        place = row.place_of(_TOKENS)
        return zstandard.frame_content_size(self._bytes[place : place + _MAX_FRAME_HEADER])

    @cached_property
    def vocabulary(self) -> ShardVocabulary:
        """The units of the shard."""
        with self._damages():
            return self._vocabulary(self._directory.units)

    @cached_property
    def readings(self) -> UnitReadings | None:
        """Lemmas and tags of the units; None if the shard has none."""
        with self._damages():
            if self._directory.readings is None or self._directory.lemmas is None:
                return None
            place, parts = self._directory.readings
            counts, place = self._numbers(place, parts[0])
            lemma_numbers, place = self._numbers(place, parts[1])
            tag_numbers, _ = self._numbers(place, parts[2])
            lemmas = self._vocabulary(self._directory.lemmas)
            values = {LEMMA: (lemmas, lemma_numbers), TAG: (self._directory.tags, tag_numbers)}
            return UnitReadings(_starts(counts), values)

    @cached_property
    def groups(self) -> WordGroups:
        """Groups of units that are not simply counted words."""
        with self._damages():
            return WordGroups(self._directory.groups)

    def _vocabulary(self, row: _VocabularyRow) -> ShardVocabulary:
        place, firsts, sizes, order = row
        ends = list(accumulate(sizes, initial=place))
        parts = [self._bytes[start:end] for start, end in pairwise(ends)]
        return ShardVocabulary(parts, firsts, self._numbers(ends[-1], order)[0])

    def meant(self, term: Term) -> npt.NDArray[np.int64]:
        """Return the readings whose lemma or tag a term means."""
        if term not in self._meant:
            if len(self._meant) >= _MAX_TERMS_KEPT:
                self._meant.clear()
            self._meant[term] = np.zeros(0, np.int64) if self.readings is None else self.readings.numbers(term)
        return self._meant[term]

    def forms(self, term: Term, most: int) -> list[str] | None:
        """Return the units that have a lemma or tag which a term means; None for more than so many."""
        if self.readings is None:
            return []
        units = self.readings.units(self.meant(term))
        return None if len(units) > most else self.vocabulary.texts(units)

    @property
    def number_of_blocks(self) -> int:
        """Number of all blocks."""
        with self._damages():
            return len(self._directory.blocks)

    @property
    def cells(self) -> Sequence[CellKey]:
        """What the documents are counted by."""
        with self._damages():
            return self._directory.cells

    def __len__(self) -> int:
        """Return the number of documents."""
        with self._damages():
            return sum(row.documents for row in self._directory.blocks)

    def _ids(self, row: _BlockRow) -> list[str]:
        return _decompressed(self._bytes[row.place : row.place + row.ids]).decode().split(" ")

    def _test(self, documents: Collection[str] | npt.NDArray[np.int64] | None) -> _IsWanted | None:
        """Return what says which documents of a block are wanted, from the numbers of all; None for all."""
        if documents is None:
            return None
        if isinstance(documents, np.ndarray):
            wanted = np.zeros(len(self), bool)
            wanted[documents] = True
            return lambda _, numbers: wanted[numbers]
        ids = frozenset(documents)
        return lambda row, _: np.fromiter(map(ids.__contains__, self._ids(row)), bool, row.documents)

    def _block(
        self,
        place: int,
        row: _BlockRow,
        is_wanted: _IsWanted | None,
        readings: UnitReadings | None,
        groups: WordGroups | None,
    ) -> TokenBlock | None:
        """Read the wanted documents of a block."""
        steps, end = self._numbers(row.place + row.ids, row.parts[0])
        numbers_in_shard = np.cumsum(steps, dtype=np.int64)
        kept = None if is_wanted is None else is_wanted(row, numbers_in_shard)
        if kept is not None and not kept.any():
            return None
        read = []
        for part in row.parts[1 : _TOKENS + 1]:
            numbers, end = self._numbers(end, part)
            read.append(numbers)
        cells, lines, sentences, tokens_of_sentences, tokens = read
        group_numbers, reading_numbers = (
            self._numbers(row.place_of(part), row.parts[part])[0] if known and part < len(row.parts) else None
            for part, known in ((_GROUPS, groups), (_READINGS, readings))
        )
        if cells.max(initial=0) >= len(self._directory.cells):
            raise ValueError("a document has a cell that is not listed")
        sentence_starts = _starts(tokens_of_sentences)
        line_starts = sentence_starts[_starts(sentences)]
        block = TokenBlock(
            row.language,
            self.vocabulary,
            self._ids(row),
            tokens,
            line_starts[_starts(lines)],
            line_starts,
            sentence_starts,
            _starts(lines),
            self._directory.cells,
            readings,
            reading_numbers,
            numbers_in_shard,
            cells,
            place,
            groups,
            group_numbers,
        )
        return block if kept is None or kept.all() else _only(block, kept, lines, sentences)

    def _numbers(self, place: int, sizes: Sequence[int]) -> tuple[Numbers, int]:
        """Read numbers at a place. Return them, and the place behind them."""
        found = np.zeros(0, np.uint32)
        for weight, size in enumerate(sizes):
            plane = np.frombuffer(_decompressed(self._bytes[place : place + size]), np.uint8).astype(np.uint32)
            found = plane if not weight else found | plane << np.uint32(8 * weight)
            place += size
        return found, place

    @cached_property
    def _directory(self) -> _Directory:
        place = int.from_bytes(self._bytes[-_DIRECTORY_PLACE_BYTES:], "little")
        read = json.loads(_decompressed(self._bytes[place:-_DIRECTORY_PLACE_BYTES]))
        blocks = [_BlockRow(*row) for row in read["blocks"]]
        cells = [CellKey(*cell) for cell in read["cells"]]
        readings, lemmas, tags = read.get("readings"), read.get("lemmas"), read.get("tags", [])
        return _Directory(blocks, cells, read["units"], read["groups"], readings, lemmas, tags)

    @contextmanager
    def _damages(self) -> Iterator[None]:
        try:
            yield
        except (zstandard.ZstdError, ValueError, LookupError, TypeError) as error:
            what = f"a file of the search index cannot be read: {error}"
            do = "Make the index again: corpus-spider index --rebuild"
            raise DamageError(what, where=str(self._path), do=do) from error


class _Decompressor(threading.local):
    """Decompressor of each thread. A new one for each piece takes longer than most pieces."""

    def __init__(self) -> None:
        self.of_thread = zstandard.ZstdDecompressor()


_DECOMPRESSOR = _Decompressor()


def _decompressed(data: bytes) -> bytes:
    return _DECOMPRESSOR.of_thread.decompress(data)


def _starts(lengths: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """Return where parts start from their lengths."""
    starts = np.cumsum(lengths, dtype=np.int64)
    starts -= lengths
    return starts


def _only(block: TokenBlock, kept: npt.NDArray[np.bool_], lines: Numbers, sentences: Numbers) -> TokenBlock:
    """Return some documents of a block. ``lines``: of each document. ``sentences``: of each line."""
    kept_lines = np.repeat(kept, lines)
    kept_sentences = np.repeat(kept_lines, sentences)
    lengths = np.diff(block.sentence_starts, append=len(block.tokens))
    kept_tokens = np.repeat(kept_sentences, lengths)
    sentence_starts = _starts(lengths[kept_sentences])
    line_starts = sentence_starts[_starts(sentences[kept_lines])]
    return TokenBlock(
        block.language,
        block.vocabulary,
        list(compress(block.documents, kept.tolist())),
        block.tokens[kept_tokens],
        line_starts[_starts(lines[kept])],
        line_starts,
        sentence_starts,
        _starts(lines[kept]),
        block.cells,
        block.readings,
        None if block.reading_numbers is None else block.reading_numbers[kept_tokens],
        block.numbers[kept],
        block.cell_numbers[kept],
        block.place,
        block.groups,
        None if block.group_numbers is None else block.group_numbers[kept_tokens],
    )
