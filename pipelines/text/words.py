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

import re
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

import regex

from pipelines.text.equal_letters import small
from pipelines.text.scripts import CLUSTERED, CLUSTERED_BY_LANGUAGE, SINGLE, characters, is_spaced
from pipelines.text.segmentation import libraries
from pipelines.text.segmentation.choice import CHARACTERS, CHOICES, CLUSTERS, WORDS, segmenter_of
from pipelines.text.segmentation.clusters import clusters
from pipelines.text.segmentation.together import cut_together
from pipelines.text.tokenizer import HYPHENS, SPACED_WORDS, WORD
from storage.errors import ConfigError
from storage.records import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pipelines.text.segmentation.choice import Segmenter

__all__ = ["CLUSTERS", "WORDS", "Span", "Splitter", "WordSplitter", "as_counted", "splitter", "words"]
Libraries = tuple[tuple[str, str], ...]
"""Languages, each with the name of the library that splits its texts; "" for none."""
Span = tuple[int, int]
"""Start and end of a word in its text."""
_Run = tuple[str, int, int]
"""Kind, start and end of a run: the language of its segmenter, `_SINGLE_RUN`, or what needs none."""

LINE_END = "\n"
_HYPHEN = regex.compile(rf"[{HYPHENS}]+")
"""Stands between the parts of a word that are searched by themselves."""
_WORD = regex.compile(WORD)
_WORD_OR_END = regex.compile(rf"{WORD}|{LINE_END}|{SENTENCE}")
_CLUSTERED = re.compile(f"[{CLUSTERED}]+")
# A half-width letter of katakana has its voiced mark behind it: ｶﾞ is ガ.
_UNIT = regex.compile(rf"[{SINGLE}][ﾞﾟ]?|[^{SINGLE}{HYPHENS}\s]+|{LINE_END}|{SENTENCE}")
"""A unit in words between which spaces stand, without clustered scripts."""
# Consonants of Thai and Lao with full stops: พ.ศ., ส.ป.ป. The last full stop may be missing.
_CONSONANT = r"[ก-ฮກ-ຮ]"
_SHORT = rf"(?<!{_CONSONANT}){_CONSONANT}{{1,3}}\.(?:{_CONSONANT}{{1,3}}\.){{1,7}}"
_SHORT_OPEN = (
    rf"(?<!{_CONSONANT})(?:{_CONSONANT}{{1,3}}\.){{1,7}}{_CONSONANT}{{1,3}}(?![{characters('Thai', 'Laoo')}.])"
)
_SHORTENED = regex.compile(rf"{_SHORT_OPEN}|{_SHORT}|ฯลฯ")
_MAYBE_SHORTENED = re.compile(rf"{_CONSONANT}\.{_CONSONANT}|ฯลฯ")
"""Part of every shortened word. It is found twenty times as fast."""
_WITHOUT_SEGMENTER, _SINGLE_RUN, _SHORTENED_RUN = "clusters", "single", "shortened"
_RUN = regex.compile(
    "|".join(
        rf"(?P<{kind}>[[{letters}]&&[\p{{L}}\p{{M}}\p{{N}}]]+)"
        for kind, letters in [
            *((language or _WITHOUT_SEGMENTER, letters) for language, letters in CLUSTERED_BY_LANGUAGE.items()),
            (_SINGLE_RUN, SINGLE),
        ]
    ),
    regex.V1,
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
        """Return the units of one line. ``covid 19`` finds ``Covid-19``, and ``anak`` finds ``anak-anak``."""
        if not is_spaced(line):
            return self.units_and_ends(line.replace(SENTENCE, " "))
        found: list[str] = _WORD.findall(line)
        return [part for word in found for part in _HYPHEN.split(word)] if _HYPHEN.search(line) else found

    def units_and_ends(self, text: str) -> list[str]:
        """Return the units of a text in their order, `LINE_END` where a line ends, and each `SENTENCE` of the text."""
        words = " ".join(_WORD_OR_END.findall(text))
        runs: list[str] = _CLUSTERED.findall(words)
        first, *others = _CLUSTERED.split(words)
        found: list[str] = _UNIT.findall(first)
        for parts, after in zip(self._split(runs), others, strict=True):
            found += parts
            if after != " ":
                found += _UNIT.findall(after)
        return found

    def _split(self, runs: list[str]) -> Iterable[list[str]]:
        # ICU is not used for scripts without a dictionary.
        together = cut_together(self.segment, runs) if len(runs) > 1 else None
        return map(self.segment, runs) if together is None else together


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
            spaced = list(self._compounds(line))
            return spaced if is_spaced(line) else self._split(line, spaced)
        return self._split(line, None)

    def unusual_spans(self, line: str) -> list[Span] | None:
        """Return the places of the words of a line, or None where they simply stand between spaces and signs."""
        return None if self.is_simple(line) else self.spans(line)

    def is_simple(self, line: str) -> bool:
        """Return whether each word of the line stands between spaces and signs."""
        return self.language not in SPACED_WORDS and is_spaced(line)

    def _split(self, text: str, spaced: Sequence[Span] | None) -> list[Span]:
        """Return the words of a text in which runs of unspaced scripts stand among other words."""
        found: list[Span] = []
        at = 0
        runs = list(_runs(text))
        for (_, start, end), parts in zip(runs, self._parts(text, runs), strict=True):
            if at < start and not text[at:start].isspace():
                found += _between(text, at, start, spaced)
            for part in parts:
                at = start + len(part)
                found.append((start, at))
                start = at
            at = end
        if at < len(text):
            found += _between(text, at, len(text), spaced)
        return found

    def _parts(self, text: str, runs: Sequence[_Run]) -> list[Sequence[str]]:
        """Return the words of each run. A segmenter is called once for the runs of a text."""
        texts = [text[start:end] for _, start, end in runs]
        # The characters of a string are its parts.
        parts: list[Sequence[str]] = [*texts]
        of_language: dict[str, list[int]] = {}
        for number, ((kind, _, _), run) in enumerate(zip(runs, texts, strict=True)):
            if kind == _SHORTENED_RUN:
                parts[number] = (run,)
            elif kind == _WITHOUT_SEGMENTER:
                parts[number] = clusters(run)
            else:
                single = "ja" if self.language == "ja" or _KANA.search(run) else "zh"
                of_language.setdefault(single if kind == _SINGLE_RUN else kind, []).append(number)
        for language, numbers in of_language.items():
            segment = self._segmenter(language)
            if segment.unit == CHARACTERS:
                continue
            for number, words in zip(numbers, segment.each([texts[each] for each in numbers]), strict=True):
                parts[number] = _with_marks(words) if _ABBREVIATED in texts[number] else words
        return parts

    def _segmenter(self, language: str) -> Segmenter:
        return segmenter_of(language, dict(self.libraries).get(language))

    def _compounds(self, text: str) -> Iterator[Span]:
        """Yield the words of a Vietnamese text: syllables that the segmenter holds together are one word."""
        places = [found.span() for found in _WORD.finditer(text)]
        segment = self._segmenter("vi")
        if segment.cut is None or not places:
            yield from places
            return
        begins = set[int]()
        at = 0
        for line in text.split(LINE_END):
            begins.update(accumulate(map(len, segment(line)), initial=at))
            at += len(line) + 1
        start, end = places[0]
        for next_start, next_end in places[1:]:
            if begins.isdisjoint(range(end, next_start + 1)) and text[end:next_start].isspace():
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


def _runs(text: str) -> Iterator[_Run]:
    """Yield the runs of unspaced scripts in a text, and its shortened words."""
    at = 0
    shortened = _SHORTENED.finditer(text) if _MAYBE_SHORTENED.search(text) else ()
    for start, end in (*(found.span() for found in shortened), (len(text), len(text))):
        for run in _RUN.finditer(text, at, start):
            yield str(run.lastgroup), *run.span()
        if start < end:
            yield _SHORTENED_RUN, start, end
        at = end


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


@cache
def words(language: str, libraries: Libraries = ()) -> WordSplitter:
    """Return the splitter into counted words of a language, by its ISO code. ``libraries``: as of `WordSplitter`."""
    return WordSplitter(language if language in CHOICES else "", libraries)
