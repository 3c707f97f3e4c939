"""Words of texts as a search index has them: units that are searched, words that are counted.

Most tokens between spaces are words that texts repeat. Such a token is split and folded once, then looked up. A text
with a script without spaces is folded and split as a whole: few of its tokens come twice. Small letters are made before
splitting: no capital has a small letter of another kind or script.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from corpus_spider.search.index import shard
from corpus_spider.search.index.counted_words import CountedWord, mark_of, marks
from corpus_spider.search.index.shard import LONGEST_WORD
from pipelines.text.annotation.annotated_text import annotated_tokens
from pipelines.text.annotation.annotator import UNKNOWN
from pipelines.text.equal_letters import TURKIC, small
from pipelines.text.scripts import is_spaced
from pipelines.text.segmentation.choice import CHOICES
from pipelines.text.sentences import marked
from pipelines.text.tokenizer import COMPOUND, MAX_CHARS_KEPT, MAX_WORDS_KEPT, SPACED_WORDS, TOKENS, tokenised
from pipelines.text.words import LINE_END, as_counted
from storage.records import ATTRIBUTE, GLUE, SENTENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from corpus_spider.search.index.made_with import IndexTools
    from pipelines.text.annotation.annotator import Annotation, Annotator
    from pipelines.text.words import Span

Split = TypeVar("Split")
_ENDS = frozenset({LINE_END, SENTENCE})
"""Ends of lines and sentences among the tokens of a text, and among its units."""
_SENTENCE_BETWEEN = f"{SENTENCE} "


class _TokenTable(dict[str, Split]):
    """What tokens are split into, filled on demand. A full table is emptied, so that it follows the texts."""

    def __init__(self, split: Callable[[str], Split]) -> None:
        super().__init__()
        self._split = split

    def __missing__(self, token: str) -> Split:
        found = self._split(token)
        if len(self) >= MAX_WORDS_KEPT:
            self.clear()
        if len(token) <= MAX_CHARS_KEPT:
            self[token] = found
        return found


class IndexedText(NamedTuple):
    """Words of a text. ``parts``: the searched units, with spaces between those of a part; a part may have none.

    After each line stands `LINE_END`, between the sentences of a line `SENTENCE`. ``entries``: the same, with the marks
    of `counted_words` behind units, then `ATTRIBUTE` and the lemma, `ATTRIBUTE` and the tag behind each unit that is
    annotated.
    """

    parts: list[str]
    counted: list[str]
    entries: list[str]

    @property
    def searched(self) -> str:
        """The units with spaces between them, `shard.LINE_END` after each line.

        The ends of sentences are left out: a phrase may reach over them.
        """
        return " ".join(self.parts).replace(_SENTENCE_BETWEEN, "").replace(LINE_END, shard.LINE_END)


class WordsInIndex:
    """Splits and annotates texts by the rules of one language. ``units``: the searched units that it has found.

    Each unit has the lemma and tag of the word that it begins in.
    """

    def __init__(self, made_with: IndexTools, language: str) -> None:
        self.units: set[str] = set()
        self._language = language
        self._splitter, self._words = made_with.splitter, made_with.words(language)
        self._has_compounds = language in SPACED_WORDS and dict(made_with.libraries).get(language) != ""
        self._searched = _TokenTable(self._searched_in)
        self._counted = _TokenTable(self._counted_in)
        self._compounds = _TokenTable(lambda word: as_counted(word, language)[:LONGEST_WORD])
        self._compound_marks = _TokenTable(self._mark_of_compound)
        self._grouped = _TokenTable(self._grouped_in)
        self._annotator = made_with.annotator(language)
        self._entries = _TokenTable(self._entries_in)

    def read(self, lines: Sequence[str]) -> IndexedText:
        """Split a text."""
        tokens: list[str] = []
        text = LINE_END.join(lines)
        has_spaces = is_spaced(text)
        sentences = marked(text)
        if has_spaces:
            for line in sentences.split(LINE_END):
                for sentence in line.split(SENTENCE):
                    tokens += sentence.split()
                    tokens.append(SENTENCE)
                tokens[-1] = LINE_END
            parts = list(map(self._searched.__getitem__, tokens))
        else:
            folded = small(sentences, self._language)
            whole = self._splitter.units_and_ends(folded + LINE_END)
            parts = [unit[:LONGEST_WORD] for unit in whole]
            self.units.update(parts)
            self.units -= _ENDS
        if self._has_compounds:
            # A segmenter of compounds reads whole lines, and their capitals.
            spans = self._words.spans(text)
            words = [text[start:end] for start, end in spans]
            counted = list(map(self._compounds.__getitem__, words))
            return IndexedText(parts, counted, self._annotated(self._with_compounds(parts, words, text), text, spans))
        if has_spaces:
            counted = list(chain.from_iterable(map(self._counted.__getitem__, tokens)))
            if self._annotator and self._annotator.by_word:
                return IndexedText(parts, counted, list(map(self._entries.__getitem__, tokens)))
            return IndexedText(parts, counted, self._annotated(list(map(self._grouped.__getitem__, tokens)), text))
        folded = folded.replace(SENTENCE, "")
        spans = self._words.spans(folded)
        counted = [folded[start:end][:LONGEST_WORD] for start, end in spans]
        return IndexedText(parts, counted, self._annotated(_with_words(parts, whole, folded, counted, spans), text))

    def _entries_in(self, token: str) -> str:
        """Return the units of a token of a script with spaces, annotated."""
        grouped = self._grouped[token]
        if self._annotator is None or token in _ENDS:
            return grouped
        tokens = TOKENS[token].split(GLUE)
        found = zip(tokens, self._annotator(tokens), strict=True)
        annotations = [annotation for part, annotation in found for _ in self._splitter.units(part)]
        return " ".join(self._joined(grouped.split(" ") if grouped else [], annotations))

    def _annotated(self, parts: list[str], text: str, spans: Sequence[Span] | None = None) -> list[str]:
        """Return the units of a text annotated. ``spans``: its words, if they are known."""
        if self._annotator is None:
            return parts
        annotations = list(self._annotations(text, spans, self._annotator))
        return self._joined(_units(parts), annotations)

    def _annotations(self, text: str, spans: Sequence[Span] | None, annotator: Annotator) -> Iterator[Annotation]:
        """Yield the annotation of each unit of a text."""
        begins = [start for start, _ in spans or ()]
        at = 0
        for line in text.split(LINE_END):
            if spans is None:
                places = self._words.unusual_spans(line)
            else:
                inside = spans[bisect_left(begins, at) : bisect_left(begins, at + len(line))]
                places = [(start - at, end - at) for start, end in inside]
            words = tokenised(line, partial(_known, places))
            tokens, found = zip(*annotated_tokens(words, annotator), strict=True) if words else ((), ())
            starts = _starts(line, tokens)
            for start, _ in self._splitter.spans(line):
                token = bisect_right(starts, start) - 1
                yield found[token] if token >= 0 else UNKNOWN
            at += len(line) + len(LINE_END)

    def _joined(self, units: Sequence[str], annotations: Sequence[Annotation]) -> list[str]:
        """Return units and ends of lines with the annotation of each unit; without, if the numbers differ."""
        if len(annotations) != sum(unit not in _ENDS for unit in units):
            return list(units)
        left = iter(annotations)
        return [unit if unit in _ENDS else self._entry(unit, next(left)) for unit in units]

    def _entry(self, unit: str, annotation: Annotation) -> str:
        lemma = small(annotation.lemma, self._language)[:LONGEST_WORD]
        return f"{unit}{ATTRIBUTE}{lemma}{ATTRIBUTE}{annotation.tag}"

    def _searched_in(self, token: str) -> str:
        """Return the units of a token of a script with spaces."""
        if token in _ENDS:
            return token
        folded = small(token, self._language)
        # Nine of ten tokens are one word, or one with a sign.
        parts = [folded] if folded.isalnum() else self._splitter.units(folded)
        units = [unit[:LONGEST_WORD] for unit in parts]
        self.units.update(units)
        return " ".join(units)

    def _counted_in(self, token: str) -> tuple[str, ...]:
        """Return the counted words of such a token."""
        searched = self._searched[token]
        # One unit is one word without hyphens.
        if searched and " " not in searched and token not in _ENDS:
            return (searched,)
        folded = small(token, self._language)
        return tuple(folded[start:end][:LONGEST_WORD] for start, end in self._words.spans(folded))

    def _grouped_in(self, token: str) -> str:
        """Return the units of a token of a script with spaces, with the marks of its counted words."""
        searched = self._searched[token]
        if " " not in searched or token in _ENDS:
            return searched
        folded = small(token, self._language)
        spans = self._words.spans(folded)
        words = [folded[start:end][:LONGEST_WORD] for start, end in spans]
        units = searched.split(" ")
        found = marks(units, self._splitter.spans(folded), words, spans)
        return " ".join(unit + found.get(number, "") for number, unit in enumerate(units))

    def _mark_of_compound(self, word: str) -> tuple[int, str]:
        """Return the number of units of a word that may contain spaces, and what stands behind the first one."""
        units = [unit[:LONGEST_WORD] for unit in self._splitter.units(small(word, self._language))]
        return len(units), mark_of(units, [CountedWord(self._compounds[word], 0, len(units))])

    def _with_compounds(self, parts: Sequence[str], words: Sequence[str], text: str) -> list[str]:
        """Return the units of a text with the marks of its words, between whose parts may be spaces."""
        units = _units(parts)
        places = [number for number, unit in enumerate(units) if unit not in _ENDS]
        found = list(map(self._compound_marks.__getitem__, words))
        if sum(size for size, _ in found) != len(places):
            return self._with_words_by_line(units, places, text)
        at = 0
        for size, mark in found:
            if mark:
                units[places[at]] += mark
            at += size
        return units

    def _with_words_by_line(self, units: list[str], places: Sequence[int], text: str) -> list[str]:
        """Return the units of a text with the marks of its words, whose places are looked for line by line."""
        before = 0
        for line in text.split(LINE_END):
            spans, word_spans = self._splitter.spans(line), self._words.spans(line)
            words = [as_counted(line[start:end], self._language)[:LONGEST_WORD] for start, end in word_spans]
            here = [units[place] for place in places[before : before + len(spans)]]
            for number, mark in marks(here, spans, words, word_spans).items():
                units[places[before + number]] += mark
            before += len(spans)
        return units


def _units(parts: Sequence[str]) -> list[str]:
    """Return the units of parts one by one, and the ends of lines and sentences."""
    return [unit for part in parts for unit in part.split(" ") if unit]


def _with_words(
    units: list[str], whole: Sequence[str], text: str, words: Sequence[str], word_spans: Sequence[Span]
) -> list[str]:
    """Return the units of a text with the marks of its words. ``whole``: the units, also those that are cut."""
    places = [number for number, unit in enumerate(whole) if unit not in _ENDS]
    spans = []
    at = 0
    for number in places:
        start = text.index(whole[number], at)
        at = start + len(whole[number])
        spans.append((start, at))
    units = units.copy()
    for number, mark in marks([units[place] for place in places], spans, words, word_spans).items():
        units[places[number]] += mark
    return units


def _known(places: list[Span] | None, _: str) -> list[Span] | None:
    """Return the places of the words of a line that are known before."""
    return places


def _starts(line: str, tokens: Sequence[str]) -> list[int]:
    """Return where tokens start in their line. An underscore may stand for a space."""
    starts: list[int] = []
    at = 0
    for token in tokens:
        for number, part in enumerate(token.split(COMPOUND)):
            at = line.index(part, at)
            if not number:
                starts.append(at)
            at += len(part)
    return starts


class IndexSplitters(dict[str, WordsInIndex]):
    """What splits the texts of a shard, by language. Languages with the same rules share it."""

    def __init__(self, made_with: IndexTools) -> None:
        super().__init__()
        self._made_with = made_with

    def __missing__(self, language: str) -> WordsInIndex:
        has_rules = language in CHOICES or language in TURKIC or self._made_with.annotator(language) is not None
        rules = language if has_rules else ""
        found = self[rules] if rules != language else WordsInIndex(self._made_with, rules)
        return self.setdefault(language, found)

    def units(self) -> set[str]:
        """Return the searched units of all texts."""
        return set[str]().union(*(words.units for words in self.values()))
