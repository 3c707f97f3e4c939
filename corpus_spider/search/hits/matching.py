"""Find the places of a question in the tokens of some documents, by operations on arrays. Pure.

A place is a stretch of tokens, from ``starts`` up to ``ends``. It lies in one line. Each node of a question gives its
places by the places of its parts:

- A phrase, and a sequence of tokens with repetitions, gives every place.
- NEAR joins each place of one side to the nearest place of the other side that begins after it, in both orders. Of
  several that begin there it takes the longest. It gives the stretch from the first to the last token of both.
- A gap goes on at the nearest such place after it, part by part, and lies in one sentence.

Hits are places without overlaps: the leftmost first, of several there the longest (`hits`). Concordance lines and
counts both come from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from corpus_spider.search.question.term import WORD_ATTRIBUTE
from corpus_spider.search.question.tree import (
    TITLE,
    AnyToken,
    Conjunction,
    Disjunction,
    Gap,
    Near,
    Negation,
    Phrase,
    Repetition,
    TokenConjunction,
    TokenDisjunction,
    TokenNegation,
    TokenSequence,
    TokenTest,
    Within,
    is_of_fields,
    is_place,
    is_required,
    runs_of,
)
from pipelines.text.tokenizer import SPACED_WORDS
from storage import time_limit
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import numpy.typing as npt

    from corpus_spider.search.index.token_block import TokenBlock
    from corpus_spider.search.question.term import Term
    from corpus_spider.search.question.tree import Question, TokenCondition, WordRun

MAX_PLACES_AT_ONCE = 2_000_000
"""Places of one part of a question in one block. They take 32 MB."""
_FEW_RUNS = 16
_FEW_UNITS = 8
"""Units up to which comparing all tokens with each is faster than looking each token up."""
_DENSE = 32
"""Tokens for each place, below which the ends of the lines of all tokens are made at once."""


class Places(NamedTuple):
    """First token, and token after the last, of each place, by start and then by end."""

    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]


NumbersOf: TypeAlias = "Callable[[Term], npt.NDArray[np.int64]]"
"""Gives the numbers of the units of a vocabulary that a term means, or of the readings that a lemma or tag means."""


def term_numbers(block: TokenBlock) -> NumbersOf:
    """Return what compares a term once with each unit of a block, and gives the numbers of those that it means."""

    def numbers(term: Term) -> npt.NDArray[np.int64]:
        if term.attribute != WORD_ATTRIBUTE:
            return block.readings.numbers(term) if block.readings else np.zeros(0, np.int64)
        if term.is_expression:
            known = {unit: number for number, unit in enumerate(block.vocabulary)}
            found = [known[unit] for unit in term.expressed(known)]
        else:
            found = [number for number, unit in enumerate(block.vocabulary) if term.matches(unit, block.language)]
        return np.array(found, np.int64)

    return numbers


def hits(
    question: Question,
    block: TokenBlock,
    numbers_of: NumbersOf | None = None,
) -> Places:
    """Return the hits of a question in the documents that it means, in order and without overlaps.

    ``numbers_of``: the numbers of the units that a term means; by default each unit is compared. Fields of documents
    are not looked at: the block has documents whose fields are right. Where words of the language contain spaces, a
    document shows of words side by side only the hits with the most neighbouring syllables. Raises ConfigError for too
    many places, and TooSlowError.

    >>> from corpus_spider.search.question.question_parser import parse
    >>> from corpus_spider.search.index.token_block import TokenBlock
    >>> from pipelines.text.words import splitter
    >>> starts = np.array([0])
    >>> block = TokenBlock("en", ["a", "b", "c"], ["1"], np.array([0, 2, 1, 0]), starts, starts, starts, starts)
    >>> hits(parse("a NEAR/1 b", splitter()), block).ends.tolist()
    [3]
    """
    return hits_by(BlockMatcher(block, numbers_of or term_numbers(block)), question)


def hits_by(matcher: BlockMatcher, question: Question) -> Places:
    """Return the `hits` of a question in the block of a matcher."""
    block = matcher.block
    runs = runs_of(question) if block.language in SPACED_WORDS else ()
    parts = positive_places(question, {word for run in runs for word in run.words})
    found = [*(matcher.places(part) for part in parts), *(_of_run(run, matcher) for run in runs)]
    first = without_overlaps(matcher.union(found))
    if is_place(question) and not runs:
        # A document with a place is one that the question means.
        return first
    return _only(first, matcher.holds(question)[block.documents_at(first.starts)])


def _of_run(run: WordRun, matcher: BlockMatcher) -> Places:
    """Return the places with the most neighbouring words of a run in each document that the whole of it holds for."""
    places = without_overlaps(matcher.union([matcher.places(each) for each in (run.phrase, *run.pairs, *run.words)]))
    documents, sizes = matcher.block.documents_at(places.starts), places.ends - places.starts
    longest = np.zeros(len(matcher.block.documents), np.int64)
    np.maximum.at(longest, documents, sizes)
    return _only(places, matcher.holds(run.whole)[documents] & (sizes >= longest[documents]))


def positive_places(question: Question, without: Collection[Question]) -> list[Question]:
    """Return the parts of a question that find places, without those that must not occur and some others."""
    if is_place(question) and not isinstance(question, Disjunction):
        return [] if question in without else [question]
    if isinstance(question, Conjunction | Disjunction):
        return [each for part in question.parts for each in positive_places(part, without)]
    return []


def without_overlaps(places: Places) -> Places:
    """Return the leftmost places, of several at one start the longest, none within another or over its end.

    >>> without_overlaps(Places(np.array([0, 0, 1, 3]), np.array([1, 2, 4, 4]))).starts.tolist()
    [0, 3]
    """
    starts, ends = places
    # The last one at a start is the longest.
    last = np.append(starts[1:] != starts[:-1], True) if len(starts) else np.zeros(0, bool)
    starts, ends = starts[last], ends[last]
    if len(starts) < 2 or (starts[1:] >= np.maximum.accumulate(ends)[:-1]).all():
        return Places(starts, ends)
    # From each place the next one that begins at its end or later. All runs of overlapping places are gone through at
    # once, the last few of them one by one.
    after = np.maximum(np.searchsorted(starts, ends, "left"), np.arange(1, len(starts) + 1))
    begins = np.append(True, starts[1:] >= np.maximum.accumulate(ends)[:-1])
    kept = begins.copy()
    run = after[begins]
    while len(run) > _FEW_RUNS:
        run = run[run < len(starts)]
        run = run[~begins[run]]
        kept[run] = True
        run = after[run]
    for number in run.tolist():
        while number < len(starts) and not begins[number]:
            kept[number] = True
            number = int(after[number])
    return Places(starts[kept], ends[kept])


@dataclass(slots=True)
class BlockMatcher:
    """Finds the places of questions in one block. It remembers what it has found."""

    block: TokenBlock
    numbers_of: NumbersOf
    _found: dict[Question, Places] = field(default_factory=dict)
    _units: dict[Term, npt.NDArray[np.int64]] = field(default_factory=dict)
    _tokens: dict[Term, npt.NDArray[np.bool_]] = field(default_factory=dict)
    _ends_of_lines: npt.NDArray[np.int64] | None = None

    def holds(self, question: Question) -> npt.NDArray[np.bool_]:
        """Return for each document whether a question means it. Fields are taken to be right."""
        if is_of_fields(question):
            return np.ones(len(self.block.documents), bool)
        match question:
            case Conjunction(parts):
                return reduce(np.logical_and, [self.holds(part) for part in parts])
            case Disjunction(parts) if not is_place(question):
                return reduce(np.logical_or, [self.holds(part) for part in parts])
            case Negation(part):
                return ~self.holds(part)
            case _:
                found = np.zeros(len(self.block.documents), bool)
                found[self.block.documents_at(self.places(question).starts)] = True
                return found

    def places(self, question: Question) -> Places:
        """Return all places of a question that finds places."""
        if question not in self._found:
            self._found[question] = self._places(question)
        return self._found[question]

    def _places(self, question: Question) -> Places:
        time_limit.check()
        match question:
            case Phrase(terms):
                return self._phrase(terms)
            case Disjunction(parts):
                return self.union([self.places(part) for part in parts])
            case Near(left, right, distance):
                first, second = self.places(left), self.places(right)
                return self.union([self._near(first, second, distance), self._near(second, first, distance)])
            case Gap(parts):
                return self._gap([self.places(part) for part in parts])
            case AnyToken(condition):
                fits = np.flatnonzero(self._fits(condition)) if condition else np.arange(len(self.block.tokens))
                return Places(fits, fits + 1)
            case TokenSequence(parts):
                return self._sequence(parts)
            case Within(part, scope):
                found = self.places(part)
                return _only(found, self._in_title(found) if scope == TITLE else self._in_sentence(found))
            case _:
                raise TypeError(f"{type(question).__name__} finds no places")

    def union(self, parts: Sequence[Places]) -> Places:
        """Return the places of several parts, each once, in order."""
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return Places(np.zeros(0, np.int64), np.zeros(0, np.int64))
        starts, ends = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        self._bound(len(starts))
        return self._ordered(Places(starts, ends))

    def _ordered(self, places: Places) -> Places:
        """Return places in order, each once."""
        starts, ends = places
        size = len(self.block.tokens) + 1
        # Parts are in order, so a sort that merges them is five times as fast as `numpy.unique`, which hashes.
        keys = np.sort(starts * size + ends, kind="stable")
        keys = keys[np.append(keys[1:] != keys[:-1], True)] if len(keys) else keys
        starts = keys // size
        return Places(starts, keys - starts * size)

    def _bound(self, number: int) -> None:
        time_limit.check()
        if number > MAX_PLACES_AT_ONCE:
            what = f"a part of the question has more than {MAX_PLACES_AT_ONCE:,} places"
            raise ConfigError(what, do="Write less frequent words, or smaller numbers of repetitions.")

    def _means(self, term: Term, tokens: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
        """Return for each of some tokens whether a term means it."""
        if term not in self._units:
            self._units[term] = self.numbers_of(term)
        units = self._units[term]
        if len(units) > _FEW_UNITS:
            is_meant = np.zeros(len(self.block.vocabulary), bool)
            is_meant[units] = True
            return is_meant[tokens]
        found = np.zeros(len(tokens), bool)
        for unit in units.astype(tokens.dtype):
            found |= tokens == unit
        return found

    def _fits(self, condition: TokenCondition) -> npt.NDArray[np.bool_]:
        """Return for each token whether a condition holds. The index has small letters, so case is no test."""
        match condition:
            case TokenTest(pattern) if pattern.attribute != WORD_ATTRIBUTE:
                return self._annotated(pattern)
            case TokenTest(pattern):
                return self._means(pattern, self.block.tokens)
            case TokenNegation(part):
                return ~self._fits(part)
            case TokenConjunction(parts):
                return reduce(np.logical_and, [self._fits(part) for part in parts])
            case TokenDisjunction(parts):
                return reduce(np.logical_or, [self._fits(part) for part in parts])

    def _annotated(self, term: Term) -> npt.NDArray[np.bool_]:
        """Return for each token whether a term means its lemma or tag."""
        if term not in self._tokens:
            found = np.zeros(len(self.block.tokens), bool)
            if (readings := self.block.readings) is not None:
                is_meant = np.zeros(len(readings.values[term.attribute][1]), bool)
                is_meant[self.numbers_of(term)] = True
                found = is_meant[self.block.readings_of_tokens(readings)]
            self._tokens[term] = found
        return self._tokens[term]

    def _phrase(self, terms: Sequence[Term]) -> Places:
        tokens = self.block.tokens
        starts = np.flatnonzero(self._means(terms[0], tokens))
        if len(terms) > 1:
            starts = starts[starts + len(terms) <= self._line_ends(starts)]
        for place, term in enumerate(terms[1:], 1):
            starts = starts[self._means(term, tokens[starts + place])]
        return Places(starts, starts + len(terms))

    def _near(self, left: Places, right: Places, distance: int) -> Places:
        """Return the stretches of the places of the left with the nearest of the right that begins after each."""
        joined, between = _followed(left, right)
        joined = _only(joined, between <= distance)
        return _only(joined, joined.ends <= self._line_ends(joined.starts))

    def _gap(self, parts: Sequence[Places]) -> Places:
        found = parts[0]
        for part in parts[1:]:
            found, _ = _followed(found, part)
            found = _only(found, self._in_sentence(found))
        # Parts of different lengths may end in another order than they begin.
        return self._ordered(found)

    def _sequence(self, parts: Sequence[Question | Repetition]) -> Places:
        """Return the places of parts in a row: from one that must occur to the right, then to the left."""
        at = next(number for number, part in enumerate(parts) if is_required(part))
        anchor = parts[at]
        after = list(parts[at + 1 :])
        if isinstance(anchor, Repetition):
            after = [Repetition(anchor.part, anchor.least - 1, anchor.most - 1), *after]
            anchor = anchor.part
        found = self.places(anchor)
        for part in after:
            found = self._joined(found, part, is_after=True)
        for part in reversed(parts[:at]):
            found = self._joined(found, part, is_after=False)
        return found

    def _joined(self, found: Places, part: Question | Repetition, *, is_after: bool) -> Places:
        """Return places with a part directly after or before them."""
        if not isinstance(part, Repetition):
            return self._once(found, part, self.places(part) if _is_long(part) else None, is_after=is_after)
        inner = self.places(part.part) if _is_long(part.part) else None
        results = [found] if not part.least else []
        for times in range(1, part.most + 1):
            if not len(found.starts):
                break
            time_limit.check()
            found = self._once(found, part.part, inner, is_after=is_after)
            if times >= part.least:
                results.append(found)
                self._bound(sum(len(each.starts) for each in results))
        return self.union(results)

    def _once(self, found: Places, part: Question, inner: Places | None, *, is_after: bool) -> Places:
        if inner is not None:
            return self._beside(found, inner, is_after=is_after)
        condition = part.condition if isinstance(part, AnyToken) else None
        starts, ends = (found.starts, found.ends + 1) if is_after else (found.starts - 1, found.ends)
        in_line = ends <= self._line_ends(found.starts) if is_after else starts >= self._line_starts(found.starts)
        if condition:
            fits = self._fits(condition)
            in_line[in_line] = fits[(ends - 1 if is_after else starts)[in_line]]
        return _only(Places(starts, ends), in_line)

    def _beside(self, found: Places, inner: Places, *, is_after: bool) -> Places:
        """Return each place with each of the others that begins where it ends, or ends where it begins."""
        if is_after:
            others, edges = inner.starts, found.ends
        else:
            order = np.argsort(inner.ends, kind="stable")
            inner = Places(inner.starts[order], inner.ends[order])
            others, edges = inner.ends, found.starts
        first, last = np.searchsorted(others, edges, "left"), np.searchsorted(others, edges, "right")
        numbers = last - first
        self._bound(int(numbers.sum()))
        mine = np.repeat(np.arange(len(edges)), numbers)
        offsets = np.arange(len(mine)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
        theirs = np.repeat(first, numbers) + offsets
        if is_after:
            joined = Places(found.starts[mine], inner.ends[theirs])
        else:
            joined = Places(inner.starts[theirs], found.ends[mine])
        return self._ordered(_only(joined, joined.ends <= self._line_ends(joined.starts)))

    def _line_ends(self, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        size = len(self.block.tokens)
        if len(tokens) * _DENSE < size:
            return _ends_after(tokens, self.block.line_starts, size)
        if self._ends_of_lines is None:
            ends = np.append(self.block.line_starts[1:], size)
            self._ends_of_lines = np.repeat(ends, ends - self.block.line_starts)
        return self._ends_of_lines[tokens]

    def _line_starts(self, tokens: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return self.block.line_starts[np.searchsorted(self.block.line_starts, tokens, "right") - 1]

    def _in_sentence(self, places: Places) -> npt.NDArray[np.bool_]:
        return places.ends <= _ends_after(places.starts, self.block.sentence_starts, len(self.block.tokens))

    def _in_title(self, places: Places) -> npt.NDArray[np.bool_]:
        block = self.block
        line_ends = np.append(block.line_starts[1:], len(block.tokens))
        title_ends = line_ends[block.document_lines]
        documents = block.documents_at(places.starts)
        return places.ends <= title_ends[documents]


def _is_long(part: Question) -> bool:
    """Return whether places of a part may have several tokens."""
    return not isinstance(part, AnyToken)


def _only(places: Places, kept: npt.NDArray[np.bool_]) -> Places:
    return Places(places.starts[kept], places.ends[kept])


def _ends_after(tokens: npt.NDArray[np.int64], starts: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """Return the end of the line or sentence of each token."""
    ends = np.append(starts[1:], size)
    return ends[np.searchsorted(starts, tokens, "right") - 1]


def _followed(left: Places, right: Places) -> tuple[Places, npt.NDArray[np.int64]]:
    """Join each place to the nearest one that begins after it, of several there the longest.

    Return what goes from the start of the one to the end of the other, and the number of tokens between them.
    """
    at = np.searchsorted(right.starts, left.ends, "left")
    kept = at < len(right.starts)
    begins = right.starts[at[kept]]
    longest = right.ends[np.searchsorted(right.starts, begins, "right") - 1]
    return Places(left.starts[kept], longest), begins - left.ends[kept]
