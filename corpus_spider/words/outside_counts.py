"""Frequencies of words from elsewhere, as reference of keywords: a list in a file, or another corpus of ours."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from corpus_spider.search.index.manifest import Manifest
from corpus_spider.search.index.totals import FILE
from corpus_spider.words.counting import totals
from storage.disk import disk_errors
from storage.documents.selection import Selection
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

WORD_COLUMNS = ("word", "type", "form", "item", "token")
FREQUENCY_COLUMNS = ("frequency", "freq", "count", "freq_abs")
"""Names of columns, in small letters. A list without them has the word first, then the frequency."""
MAX_LINE_CHARS = 10_000
MAX_BYTES = 500 * 2**20
_SEPARATORS = "\t,;"
_READ_AT_ONCE = 2_000
_MAX_DIGITS = 15
_HOW = "Write a word and its frequency in each line, with a tab or comma between them, in UTF-8."


@dataclass(frozen=True, slots=True)
class OutsideCounts:
    """Frequencies of words. ``tokens``: their sum."""

    frequencies: Mapping[str, int]
    sites: ClassVar[tuple[str, ...]] = ()
    """Sites of the corpus that the counts are of: none is known."""

    @property
    def tokens(self) -> int:
        """Number of words that were counted."""
        return sum(self.frequencies.values())

    def by_form(self, form: Callable[[str], str]) -> Counter[str]:
        """Return the frequencies of the forms that words count as."""
        found: Counter[str] = Counter()
        for word, frequency in self.frequencies.items():
            found[form(word)] += frequency
        return found


def read_list(file: Path) -> OutsideCounts:
    """Read a list of words with their frequencies, such as `words --format csv` writes, or of AntConc.

    Raises ConfigError with the number of the line that is wrong.
    """
    if not file.is_file():
        raise ConfigError("there is no such file", where=str(file), do="Name a list of words and their frequencies.")
    with disk_errors(file):
        if file.stat().st_size > MAX_BYTES:
            raise ConfigError("is larger than 500 MiB", where=str(file), do="Leave out the rarest words.")
        counts: Counter[str] = Counter()
        try:
            with file.open(encoding="utf-8-sig") as lines:
                for number, word, frequency in _rows(lines):
                    if not frequency.isdecimal() or len(frequency) > _MAX_DIGITS:
                        what = f'expected a word and its frequency, got "{frequency[:40]}" as the frequency'
                        raise ConfigError(what, where=f"{file}, line {number}", do=_HOW)
                    counts[word] += int(frequency)
        except UnicodeDecodeError as error:
            raise ConfigError(f"is not UTF-8 (byte {error.start} of a part)", where=str(file), do=_HOW) from None
    if not any(counts.values()):
        raise ConfigError("has no word with a frequency", where=str(file), do=_HOW)
    return OutsideCounts(counts)


def _rows(lines: Iterable[str]) -> Iterator[tuple[int, str, str]]:
    """Yield the number, word and frequency of each line. Lines that begin with # are comments."""
    columns: tuple[int, int] | None = None
    separator: str | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        if columns is None:
            separator = next((each for each in _SEPARATORS if each in line), None)
        cells = [cell.strip() for cell in _cells(line, separator)]
        if columns is None:
            names = [cell.lower() for cell in cells]
            found = [_place(names, known) for known in (WORD_COLUMNS, FREQUENCY_COLUMNS)]
            columns = (0, 1) if None in found else (found[0] or 0, found[1] or 0)
            if None not in found:
                continue
            if len(cells) > len(columns):
                named = f"{WORD_COLUMNS[0]} and {FREQUENCY_COLUMNS[0]}"
                do = f"Name the columns in the first line: {named}. Or leave out the others."
                raise ConfigError("expected a word and its frequency, got more columns", where=f"line {number}", do=do)
        word, frequency = (cells[at] if at < len(cells) else "" for at in columns)
        yield number, word, frequency


def _cells(line: str, separator: str | None) -> list[str]:
    # Lists of punctuation have single quotation marks.
    if separator is None or line.count('"') % 2 or len(line) > MAX_LINE_CHARS:
        return line[:MAX_LINE_CHARS].rsplit(separator, maxsplit=1)
    return next(csv.reader([line], delimiter=separator))


def _place(names: list[str], known: Iterable[str]) -> int | None:
    return next((names.index(each) for each in known if each in names), None)


def read_corpus(index_folder: Path, language: str) -> OutsideCounts:
    """Return the counts of a language in the search index of another corpus. ConfigError if it has none."""
    if not (index_folder / FILE).exists():
        do = "Run `corpus-spider index` there."
        raise ConfigError("the other corpus has no search index", where=str(index_folder), do=do)
    with Manifest.open(index_folder, read_only=True) as manifest:
        found = totals(list(manifest.cells(Selection(languages=(language,)))))
        counts: dict[str, int] = {}
        for start in range(0, len(found.words), _READ_AT_ONCE):
            part = found.words[start : start + _READ_AT_ONCE].tolist()
            texts = manifest.texts_of(part)
            frequencies = found.frequencies[start : start + _READ_AT_ONCE].tolist()
            counts |= {texts[word]: frequency for word, frequency in zip(part, frequencies, strict=True)}
    return OutsideCounts(counts)
