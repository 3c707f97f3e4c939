"""Keyword in context: the places of a question in a text, each with the words around it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus_spider.search.concordance_rules import SORTED_WORDS
from corpus_spider.search.question import phrases, side_by_side
from pipelines.text.equal_letters import small
from pipelines.text.tokenizer import SPACED_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from corpus_spider.search.question import Phrase, Question
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


class SoughtWords(dict[str, tuple["Phrase", ...]]):
    """Maps a word of a text to the words and phrases of a question that may begin with it, the longest first.

    It remembers each word: 500 documents have 100,000 words, and few different ones. ``language``: that of the text.
    """

    def __init__(self, question: Question, language: str = "") -> None:
        super().__init__()
        self.language = language
        near = side_by_side(question) if language in SPACED_WORDS else ()
        self.prefers_neighbours = bool(near)
        self._phrases = sorted([*near, *phrases(question)], key=lambda phrase: -len(phrase.terms))

    def __missing__(self, word: str) -> tuple[Phrase, ...]:
        """Compare a word that is new."""
        found = self[word] = tuple(phrase for phrase in self._phrases if phrase.terms[0].matches(word, self.language))
        return found


def lines(
    text: str, sought: SoughtWords, splitter: Splitter, most: int = 1_000, context: int = 0
) -> list[ConcordanceLine]:
    """Return the places of the words and phrases of a question in a text, in order, at most so many.

    ``context``: words on each side; 0 for the usual context. Where words of the language contain spaces, only the
    places with the most neighbouring syllables of the question.

    >>> from corpus_spider.search.question import parse
    >>> from pipelines.text.words import splitter
    >>> sought = SoughtWords(parse('"chinh phu"', splitter()))
    >>> [found] = lines("Thủ tướng Chính phủ họp.", sought, splitter())
    >>> found.left, found.keyword, found.right, found.left_words
    ('Thủ tướng ', 'Chính phủ', ' họp.', ('tướng', 'thủ'))
    """
    found: list[tuple[int, ConcordanceLine]] = []
    for line in text.split("\n"):
        spans = splitter.spans(line)
        words = [small(line[start:end], sought.language) for start, end in spans]
        for first, after in _places(words, sought):
            found.append((after - first, _line(line, spans, words, (first, after), context)))
            if len(found) == most and not sought.prefers_neighbours:
                return [each for _, each in found]
    longest = max((length for length, _ in found), default=0) if sought.prefers_neighbours else 0
    return [line for length, line in found if length >= longest][:most]


def _places(words: Sequence[str], sought: SoughtWords) -> Iterator[tuple[int, int]]:
    """Yield first and after-last word of each place. Places do not overlap; of two at one word the longer counts."""
    free = 0
    for at, word in enumerate(words):
        if at < free:
            continue
        for phrase in sought[word]:
            if _goes_on(words, at, phrase, sought.language):
                free = at + len(phrase.terms)
                yield at, free
                break


def _goes_on(words: Sequence[str], at: int, phrase: Phrase, language: str) -> bool:
    """Return whether the later words of a phrase follow a place where its first word stands."""
    if at + len(phrase.terms) > len(words):
        return False
    return all(term.matches(words[at + place], language) for place, term in enumerate(phrase.terms[1:], 1))


def _line(
    line: str, spans: Sequence[Span], words: Sequence[str], place: tuple[int, int], context: int
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
    )
