"""Keyword in context: the places of a question in a text, each with the words around it. Pure."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from corpus_spider.search.hits.concordance_rules import SORTED_WORDS
from corpus_spider.search.hits.matching import Places, hits
from corpus_spider.search.index.shard import LONGEST_WORD
from corpus_spider.search.index.token_block import TokenBlock
from corpus_spider.search.question.tree import needs_sentences, terms
from pipelines.text.equal_letters import small
from pipelines.text.sentences import marked
from storage.records import SENTENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from corpus_spider.search.question.term import Term
    from corpus_spider.search.question.tree import Question
    from pipelines.text.words import Span, Splitter

CONTEXT_WORDS = 8
CONTEXT_CHARS = 50
"""Words and characters of context on each side: whichever is more."""
_CUT = "…"


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """One place in a text. ``left_words`` and ``right_words``: those beside it, nearest first, in small letters."""

    left: str
    keyword: str
    right: str
    left_words: tuple[str, ...]
    right_words: tuple[str, ...]
    at: str = ""
    """Place of the keyword: number of its line, first character in it, and the one behind it: ``3:10-16``."""


class SoughtWords:
    """A question that is looked for in texts of one language. ``language``: its ISO code.

    It remembers what each word means: 500 documents have 100,000 words, and few different ones.
    """

    def __init__(self, question: Question, language: str = "") -> None:
        self.question, self.language = question, language
        self.needs_sentences = needs_sentences(question)
        self._verdicts = {term: _Verdicts(term, language) for term in terms(question)}

    def places(self, block: TokenBlock) -> Places:
        """Return the hits of the question in a block of this language."""
        return hits(self.question, block, lambda term: self._numbers(term, block))

    def _numbers(self, term: Term, block: TokenBlock) -> npt.NDArray[np.int64]:
        return np.flatnonzero([*map(self._verdicts[term].__getitem__, block.vocabulary)])


class _Verdicts(dict[str, bool]):
    """Maps a word of a text to whether a term means it."""

    def __init__(self, term: Term, language: str) -> None:
        super().__init__()
        self._term, self._language = term, language

    def __missing__(self, word: str) -> bool:
        """Compare a word that is new."""
        found = self[word] = self._term.matches(word, self._language)
        return found


class IndexedPlaces(NamedTuple):
    """The hits of a question in one document by its index. ``tokens``: number of all. Places count from the first."""

    tokens: int
    places: Places


class SplitText(NamedTuple):
    """A text as the units of an index. ``lines``: each with the places of its units. ``block``: all units."""

    lines: Sequence[tuple[str, Sequence[Span]]]
    block: TokenBlock


def split_text(text: str, language: str, splitter: Splitter, *, with_sentences: bool = True) -> SplitText:
    """Split the title and text of one document. Without ``with_sentences`` each line is one sentence."""
    numbers: dict[str, int] = {}
    found, tokens, line_starts, sentence_starts = [], array("I"), array("q"), array("q")
    for line in text.split("\n"):
        spans = splitter.spans(line)
        found.append((line, spans))
        line_starts.append(len(tokens))
        sentence_starts.extend(_sentence_starts(line, spans, len(tokens)) if with_sentences else [len(tokens)])
        for start, end in spans:
            unit = small(line[start:end], language)[:LONGEST_WORD]
            tokens.append(numbers.setdefault(unit, len(numbers)))
    first = np.zeros(1, np.int64)
    block = TokenBlock(
        language,
        list(numbers),
        ("",),
        np.frombuffer(tokens, np.uint32) if tokens else np.zeros(0, np.uint32),
        first,
        np.frombuffer(line_starts, np.int64),
        np.frombuffer(sentence_starts, np.int64),
        first,
    )
    return SplitText(found, block)


def _sentence_starts(line: str, spans: Sequence[Span], before: int) -> Iterator[int]:
    """Yield the first token of each sentence of a line. ``before``: tokens before the line."""
    at = 0
    begins = [start for start, _ in spans]
    for sentence in marked(line).split(SENTENCE):
        yield before + bisect_left(begins, at)
        at += len(sentence)


def lines(
    text: str,
    sought: SoughtWords,
    splitter: Splitter,
    most: int = 1_000,
    context: int = 0,
    only: Sequence[int] | None = None,
    indexed: IndexedPlaces | None = None,
) -> list[ConcordanceLine]:
    """Return the hits of a question in a text, in order, at most so many. The first line is the title.

    ``context``: words on each side; 0 for the usual context. ``only``: numbers of wanted hits, from 0, in order.
    ``indexed``: the hits, for a question that needs lemmas or tags. A text with another number of tokens has changed
    since it was indexed, and has no lines.

    >>> from corpus_spider.search.question.question_parser import parse
    >>> from pipelines.text.words import splitter
    >>> sought = SoughtWords(parse('"chinh phu"', splitter()))
    >>> [found] = lines("Thủ tướng Chính phủ họp.", sought, splitter())
    >>> found.left, found.keyword, found.right, found.left_words, found.at
    ('Thủ tướng ', 'Chính phủ', ' họp.', ('tướng', 'thủ'), '0:10-19')
    """
    split = split_text(text, sought.language, splitter, with_sentences=sought.needs_sentences)
    block = split.block
    starts, ends = _places(sought, block, indexed)
    wanted = slice(most) if only is None else [number for number in only if number < len(starts)]
    found = []
    for start, end in zip(starts[wanted].tolist(), ends[wanted].tolist(), strict=True):
        number = int(np.searchsorted(block.line_starts, start, "right")) - 1
        before = int(block.line_starts[number])
        line, spans = split.lines[number]
        words = [block.vocabulary[each] for each in block.tokens[before : before + len(spans)].tolist()]
        found.append(_line(number, line, spans, words, (start - before, end - before), context))
    return found


class TextPlace(NamedTuple):
    """Characters of a line of a text: the number of the line, the first one, and the one behind the last."""

    line: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.line}:{self.start}-{self.end}"


def _places(sought: SoughtWords, block: TokenBlock, indexed: IndexedPlaces | None) -> Places:
    if indexed is None:
        return sought.places(block)
    nothing = np.zeros(0, np.int64)
    return indexed.places if indexed.tokens == len(block.tokens) else Places(nothing, nothing)


def places_in(
    lines_of_text: Sequence[str], sought: SoughtWords, splitter: Splitter, indexed: IndexedPlaces | None = None
) -> list[TextPlace]:
    """Return the places of the hits of a question in a text, in order. The first line is the title.

    ``indexed``: as of `lines`.
    """
    text = "\n".join(lines_of_text)
    split = split_text(text, sought.language, splitter, with_sentences=sought.needs_sentences)
    places = _places(sought, split.block, indexed)
    firsts, lasts = places.starts, places.ends - 1
    numbers = np.searchsorted(split.block.line_starts, firsts, "right") - 1
    before = split.block.line_starts[numbers]
    return [
        TextPlace(number, split.lines[number][1][first][0], split.lines[number][1][last][1])
        for number, first, last in zip(
            numbers.tolist(), (firsts - before).tolist(), (lasts - before).tolist(), strict=True
        )
    ]


def _line(
    number: int, line: str, spans: Sequence[Span], words: Sequence[str], place: tuple[int, int], context: int
) -> ConcordanceLine:
    first, after = place
    start, end = spans[first][0], spans[after - 1][1]
    size, chars = (context, 0) if context else (CONTEXT_WORDS, CONTEXT_CHARS)
    # The signs before the first word of a line and behind the last belong to it.
    before = min(spans[first - size][0] if first > size else 0, max(0, start - chars))
    last = after + size - 1
    behind = max(spans[last][1] if last < len(spans) - 1 else len(line), min(len(line), end + chars))
    # A context by characters may begin within a word: it then begins with the next one.
    before = next((begin for begin, stop in spans if stop > before), before) if before else 0
    behind = next((stop for begin, stop in reversed(spans) if begin < behind), behind) if behind < len(line) else behind
    return ConcordanceLine(
        (_CUT if before else "") + line[before:start],
        line[start:end],
        line[end:behind] + (_CUT if behind < len(line) else ""),
        tuple(words[max(0, first - SORTED_WORDS) : first][::-1]),
        tuple(words[after : after + SORTED_WORDS]),
        str(TextPlace(number, start, end)),
    )
