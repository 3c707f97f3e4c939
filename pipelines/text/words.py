"""Words of a text with their places: what search finds (`Splitter`), and what word lists count (`WordSplitter`).

A word is a run of letters, marks and digits, with its joints (see `pipelines.text.tokenizer`). Other languages need
more:

=========================== ================================= ===========================================
language                    searched                          counted
=========================== ================================= ===========================================
Thai, Lao, Khmer, Burmese   ICU's words, else clusters        words of `segmentation.choice`, else clusters
Chinese, Japanese           single characters                 words, else characters
Vietnamese                  syllables                         compounds, else syllables
all others                  words, parts of hyphenated words  words
=========================== ================================= ===========================================

Search needs one unit for a text and a question about it. A question has no context that a segmenter could use. So the
searched units are smaller than words, and a word is found as a phrase of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import regex

from pipelines.text.equal_letters import small
from pipelines.text.scripts import CLUSTERED, CLUSTERED_BY_LANGUAGE, SINGLE, characters, is_spaced
from pipelines.text.segmentation import libraries
from pipelines.text.segmentation.choice import CHARACTERS, CHOICES, CLUSTERS, WORDS, segmenter_of
from pipelines.text.segmentation.clusters import clusters
from pipelines.text.tokenizer import HYPHENS, SPACED_WORDS, WORD
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pipelines.text.segmentation.choice import Segmenter

__all__ = ["CLUSTERS", "WORDS", "Span", "Splitter", "WordSplitter", "as_counted", "splitter", "words"]
Libraries = tuple[tuple[str, str], ...]
"""Languages, each with the name of the library that splits its texts; "" for none."""
Span = tuple[int, int]
"""Start and end of a word in its text."""

_HYPHEN = regex.compile(rf"[{HYPHENS}]+")
"""Stands between the parts of a word that are searched by themselves."""
_WORD = regex.compile(WORD)
# A half-width letter of katakana has its voiced mark behind it: ｶﾞ is ガ.
_SINGLE = regex.compile(rf"[{SINGLE}][ﾞﾟ]?")
_CLUSTERED = regex.compile(rf"[{CLUSTERED}]+")
_PIECE = regex.compile(rf"{_CLUSTERED.pattern}|{_SINGLE.pattern}|[^{CLUSTERED}{SINGLE}]+")
# Consonants of Thai and Lao with full stops: พ.ศ., ส.ป.ป. The last full stop may be missing.
_CONSONANT = r"[ก-ฮກ-ຮ]"
_SHORT = rf"(?<!{_CONSONANT}){_CONSONANT}{{1,3}}\.(?:{_CONSONANT}{{1,3}}\.){{1,7}}"
_SHORT_OPEN = (
    rf"(?<!{_CONSONANT})(?:{_CONSONANT}{{1,3}}\.){{1,7}}{_CONSONANT}{{1,3}}(?![{characters('Thai', 'Laoo')}.])"
)
_SHORTENED = rf"(?:{_SHORT_OPEN}|{_SHORT}|ฯลฯ)"
_LETTER = r"(?=[\p{L}\p{M}\p{N}])"
_WITHOUT_SEGMENTER = "clusters"
_RUN = regex.compile(
    rf"(?P<short>{_SHORTENED})"
    + "".join(
        rf"|(?P<{language or _WITHOUT_SEGMENTER}>(?:(?!{_SHORTENED}){_LETTER}[{letters}])+)"
        for language, letters in CLUSTERED_BY_LANGUAGE.items()
    )
    + rf"|(?P<cj>(?:{_LETTER}[{SINGLE}])+)"
)
_KANA = regex.compile(f"[{characters('Hira', 'Kana')}]")
_ABBREVIATED = "ฯ"
"""Stands behind a shortened Thai word and belongs to it."""


@dataclass(frozen=True, slots=True)
class Splitter:
    """Splits texts into searched units. ``unit`` names what scripts with a segmenter of their own are split into."""

    segment: Callable[[str], list[str]]
    unit: str

    def spans(self, line: str) -> list[Span]:
        """Return the places of the units of one line.

        >>> [line[a:b] for line in ["Il l'a dit: «non»... 日本 Covid-19"] for a, b in Splitter(list, WORDS).spans(line)]
        ['Il', "l'a", 'dit', 'non', '日', '本', 'Covid', '19']
        """
        places = []
        at = 0
        for unit in self.units(line):
            # What stands between two units has no letter, and a unit has one.
            start = line.index(unit, at)
            at = start + len(unit)
            places.append((start, at))
        return places

    def units(self, line: str) -> list[str]:
        """Return the units of a text. ``covid 19`` finds ``Covid-19``, and ``anak`` finds ``anak-anak``."""
        found: list[str] = _WORD.findall(line)
        if _HYPHEN.search(line):
            found = [part for word in found for part in _HYPHEN.split(word)]
        if is_spaced(line):
            return found
        return [piece for word in found for piece in self._pieces(word)]

    def _pieces(self, word: str) -> Sequence[str]:
        if is_spaced(word):
            return (word,)
        pieces: list[str] = _PIECE.findall(word)
        if _CLUSTERED.search(word) is None:
            return pieces
        split = (self.segment(each) if _CLUSTERED.match(each) else (each,) for each in pieces)
        return [part for parts in split for part in parts if part]


@cache
def splitter(unit: str | None = None) -> Splitter:
    """Return the splitter into searched units that this installation has, or the one into a named unit.

    Where the named one needs ICU and ICU is not installed, splitting a text of these scripts is a ConfigError.
    """
    if unit == CLUSTERS:
        return Splitter(clusters, CLUSTERS)
    try:
        return Splitter(libraries.load_icu(), WORDS)
    except ImportError:
        if unit is None:
            return Splitter(clusters, CLUSTERS)
    return Splitter(_without_icu, WORDS)


def _without_icu(run: str) -> list[str]:
    what = "texts in Thai, Lao, Khmer and Burmese are searched by the words of ICU, which is not installed"
    do = "Install the extra `segment`, or search by other units: corpus-spider index --rebuild"
    raise ConfigError(what, where=run[:40], do=do)


@dataclass(frozen=True, slots=True)
class WordSplitter:
    """Splits lines of one language into the words that are counted and exported.

    ``libraries``: the library of each language, by name; without one the best that is installed.
    """

    language: str
    libraries: Libraries = ()

    def spans(self, line: str) -> list[Span]:
        """Return the places of the words of one line.

        >>> [line[a:b] for line in ["Il l'a dit: «non»..."] for a, b in WordSplitter("fr").spans(line)]
        ['Il', "l'a", 'dit', 'non']
        """
        if self.is_simple(line):
            return [found.span() for found in _WORD.finditer(line)]
        if self.language == "vi":
            line_of = list(self._compounds(line))
            return line_of if is_spaced(line) else self._split(line, line_of)
        return self._split(line, None)

    def unusual_spans(self, line: str) -> list[Span] | None:
        """Return the places of the words of a line, or None where they simply stand between spaces and signs."""
        return None if self.is_simple(line) else self.spans(line)

    def is_simple(self, line: str) -> bool:
        """Return whether each word of the line stands between spaces and signs."""
        return self.language not in SPACED_WORDS and is_spaced(line)

    def _split(self, line: str, spaced: Sequence[Span] | None) -> list[Span]:
        """Return the words of a line in which runs of unspaced scripts stand among other words."""
        found: list[Span] = []
        at = 0
        for run in _RUN.finditer(line):
            start, end = run.span()
            if at < start:
                found += _between(line, at, start, spaced)
            for part in self._parts(run.group(), str(run.lastgroup)):
                at = start + len(part)
                found.append((start, at))
                start = at
            at = end
        if at < len(line):
            found += _between(line, at, len(line), spaced)
        return found

    def _parts(self, run: str, kind: str) -> Sequence[str]:
        """Return the words of a run. ``kind``: its group in `_RUN`."""
        if kind == "short":
            return (run,)
        if kind == _WITHOUT_SEGMENTER:
            return clusters(run)
        language = kind if kind != "cj" else "ja" if self.language == "ja" or _KANA.search(run) else "zh"
        segment = self._segmenter(language)
        if segment.unit == CHARACTERS:
            return run
        parts = segment(run)
        return _with_marks(parts) if _ABBREVIATED in run else [part for part in parts if part]

    def _segmenter(self, language: str) -> Segmenter:
        return segmenter_of(language, dict(self.libraries).get(language))

    def _compounds(self, line: str) -> Iterator[Span]:
        """Yield the words of a Vietnamese line: syllables that the segmenter holds together are one word."""
        places = [found.span() for found in _WORD.finditer(line)]
        segment = self._segmenter("vi")
        if segment.cut is None or not places:
            yield from places
            return
        word_at = _numbers(line, segment)
        start, end = places[0]
        for next_start, next_end in places[1:]:
            if word_at and word_at[end - 1] == word_at[next_start] and line[end:next_start].isspace():
                end = next_end
                continue
            yield start, end
            start, end = next_start, next_end
        yield start, end


def as_counted(word: str, language: str) -> str:
    """Return a word as lists have it: in small letters, with one space between the parts of a compound.

    >>> as_counted("Chính  phủ", "vi")
    'chính phủ'
    """
    return " ".join(small(word, language).split())


def _between(line: str, start: int, end: int, spaced: Sequence[Span] | None) -> Iterator[Span]:
    if spaced is None:
        yield from (found.span() for found in _WORD.finditer(line, start, end))
    else:
        yield from ((max(a, start), min(b, end)) for a, b in spaced if a < end and b > start)


def _with_marks(parts: Iterable[str]) -> list[str]:
    """Return the parts with the abbreviation mark joined to the word before it."""
    joined: list[str] = []
    for part in parts:
        if part.startswith(_ABBREVIATED) and joined:
            joined[-1] += _ABBREVIATED
            part = part[1:]
        if part:
            joined.append(part)
    return joined


def _numbers(line: str, segment: Callable[[str], list[str]]) -> list[int]:
    """Return the number of the word that each character belongs to; empty if the segmenter changed the text."""
    numbers: list[int] = []
    for number, word in enumerate(segment(line)):
        numbers += [number] * len(word)
    return numbers


@cache
def words(language: str, libraries: Libraries = ()) -> WordSplitter:
    """Return the splitter into counted words of a language, by its ISO code. ``libraries``: as of `WordSplitter`."""
    return WordSplitter(language if language in CHOICES else "", libraries)
