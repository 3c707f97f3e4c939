"""What a search question means: a tree of words, places and documents, and the text that it is shown as. Pure.

A *place* is a stretch of tokens in one line. Phrases, distances, gaps and sequences of tokens find places; the other
nodes say which documents are meant. `corpus_spider.search.question.question_parser` reads a question,
`corpus_spider.search.hits.matching` finds its places.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from corpus_spider.search.question.term import WORD_ATTRIBUTE, Term
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

RESERVED_WORDS = frozenset({"AND", "OR", "NOT", "NEAR", "WITHIN"})
"""Operators, and what other programs have as such. In quotation marks they are words."""
SENTENCE, TITLE = "sentence", "title"
"""What places may have to be within: one sentence, or the first line of a document, its title."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One or more words in a row."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Near:
    """Two places of one line in any order, with at most ``distance`` tokens between them."""

    left: Question
    right: Question
    distance: int


@dataclass(frozen=True, slots=True)
class Gap:
    """Places in this order in one sentence."""

    parts: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class TokenTest:
    """A regular expression that the attribute of a token fits. ``ignores_case``: written with ``%c``."""

    pattern: Term
    ignores_case: bool = False


@dataclass(frozen=True, slots=True)
class TokenNegation:
    """The test must not hold."""

    part: TokenCondition


@dataclass(frozen=True, slots=True)
class TokenConjunction:
    """All tests must hold."""

    parts: tuple[TokenCondition, ...]


@dataclass(frozen=True, slots=True)
class TokenDisjunction:
    """One test must hold."""

    parts: tuple[TokenCondition, ...]


TokenCondition: TypeAlias = TokenTest | TokenNegation | TokenConjunction | TokenDisjunction


@dataclass(frozen=True, slots=True)
class AnyToken:
    """One token, in square brackets. ``condition``: None for any."""

    condition: TokenCondition | None = None


@dataclass(frozen=True, slots=True)
class Repetition:
    """A part of a sequence, ``least`` to ``most`` times in a row."""

    part: Question
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class TokenSequence:
    """Tokens, phrases and groups, one directly after the other, in one line."""

    parts: tuple[Question | Repetition, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """Places within `SENTENCE` or `TITLE`."""

    part: Question
    scope: str


@dataclass(frozen=True, slots=True)
class FieldValue:
    """Documents with this value in a field of the index."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class DayRange:
    """Documents of these days, YYYY-MM-DD, both included; "" for no bound."""

    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Conjunction:
    """All parts must hold. ``runs``: words that stand side by side in the question, each run as a phrase."""

    parts: tuple[Question, ...]
    runs: tuple[Phrase, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """One part must hold."""

    parts: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """The part must not hold."""

    part: Question


Place: TypeAlias = Phrase | Near | Gap | AnyToken | TokenSequence | Within
DocumentField: TypeAlias = FieldValue | DayRange
Question: TypeAlias = Place | DocumentField | Conjunction | Disjunction | Negation


class QuestionError(ConfigError):
    """A question cannot be understood (exit 2). ``question``: its text; ``start`` and ``end``: where the fault is."""

    def __init__(self, what: str, question: str, start: int, end: int, *, where: str = "", do: str = "") -> None:
        self.question, self.start, self.end = question, start, max(end, start + 1)
        super().__init__(what, where=where, do=do)

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        return "\n  ".join([f"{where}{self.what}", *self.marked(), self.do])

    def marked(self) -> tuple[str, str]:
        """Return the question, and a line with carets under the fault.

        >>> QuestionError("a bracket is not closed", "(gas", 0, 1).marked()
        ('(gas', '^')
        """
        from rich.cells import cell_len

        before, fault = self.question[: self.start], self.question[self.start : self.end]
        return self.question, " " * cell_len(before) + "^" * max(1, cell_len(fault))


def is_place(question: Question) -> bool:
    """Return whether all that a question finds are places: it may be a part of a distance, gap or sequence."""
    if isinstance(question, Disjunction):
        return all(map(is_place, question.parts))
    return isinstance(question, Phrase | Near | Gap | AnyToken | TokenSequence | Within)


def parts_of(question: Question | Repetition) -> tuple[Question | Repetition, ...]:
    """Return the questions within a question."""
    match question:
        case Conjunction(parts) | Disjunction(parts) | Gap(parts) | TokenSequence(parts):
            return parts
        case Near(left, right):
            return left, right
        case Negation(part) | Within(part) | Repetition(part):
            return (part,)
        case _:
            return ()


def is_required(part: Question | Repetition) -> bool:
    """Return whether a part of a sequence must occur and has a condition."""
    if isinstance(part, Repetition):
        return part.least > 0 and is_required(part.part)
    return not isinstance(part, AnyToken) or part.condition is not None


def has_fields(question: Question | Repetition) -> bool:
    """Return whether a field of documents is in a question."""
    return isinstance(question, FieldValue | DayRange) or any(map(has_fields, parts_of(question)))


def is_of_fields(question: Question | Repetition) -> bool:
    """Return whether a question is about fields of documents only."""
    if inner := parts_of(question):
        return all(map(is_of_fields, inner))
    return isinstance(question, FieldValue | DayRange)


def document_fields(question: Question) -> tuple[Question, ...]:
    """Return the parts of a question about fields of documents only, which must all hold.

    >>> from corpus_spider.search.question.question_parser import parse
    >>> from pipelines.text.words import splitter
    >>> [shown(each) for each in document_fields(parse("gas (oil site:a) -date:2026", splitter()))]
    ['site:a', 'NOT date:2026-01-01..2026-12-31']
    """
    if is_of_fields(question):
        return (question,)
    if isinstance(question, Conjunction):
        return tuple(each for part in question.parts for each in document_fields(part))
    return ()


def field_values(question: Question | Repetition) -> frozenset[FieldValue]:
    """Return the values of fields in a question.

    >>> field_values(Conjunction((Phrase(()), Negation(FieldValue("site", "vnexpress")))))
    frozenset({FieldValue(name='site', value='vnexpress')})
    """
    if isinstance(question, FieldValue):
        return frozenset({question})
    return frozenset[FieldValue]().union(*map(field_values, parts_of(question)))


class WordRun(NamedTuple):
    """Words side by side in a question: as one phrase, the pairs of neighbours, each word, and what must hold."""

    phrase: Phrase
    pairs: tuple[Phrase, ...]
    words: tuple[Phrase, ...]
    whole: Conjunction


def runs_of(question: Question) -> tuple[WordRun, ...]:
    """Return the runs of words side by side in a question that may be found."""
    if not isinstance(question, Conjunction | Disjunction):
        return ()
    found = [each for part in question.parts for each in runs_of(part)]
    if isinstance(question, Conjunction):
        for phrase in question.runs:
            pairs = tuple(Phrase(phrase.terms[at : at + 2]) for at in range(len(phrase.terms) - 1))
            words = (part for part in question.parts if isinstance(part, Phrase))
            inside = tuple(word for word in words if set(word.terms) <= set(phrase.terms))
            found.append(WordRun(phrase, pairs, inside, question))
    return tuple(found)


def side_by_side(question: Question) -> tuple[Phrase, ...]:
    """Return the phrases that words side by side in a question may be: each run, and each pair of neighbours in it.

    Those with a wildcard are left out, because the index does not know their documents.
    """
    found = dict.fromkeys(each for run in runs_of(question) for each in (run.phrase, *run.pairs))
    return tuple(each for each in found if is_exact(each))


def phrases(question: Question, *, negated: bool = False) -> Iterator[Phrase]:
    """Yield the words and phrases of a question. Without ``negated`` those that may be in a found text."""
    for part in _nodes(question, negated=negated):
        if isinstance(part, Phrase):
            yield part


def terms(question: Question) -> tuple[Term, ...]:
    """Return all words and expressions of a question, each once."""
    found = dict[Term, None]()
    for part in _nodes(question, negated=True):
        if isinstance(part, Phrase):
            found.update(dict.fromkeys(part.terms))
        elif isinstance(part, AnyToken) and part.condition:
            found.update((test.pattern, None) for test in token_tests(part.condition))
    return tuple(found)


def token_tests(condition: TokenCondition) -> Iterator[TokenTest]:
    """Yield the tests of a token."""
    match condition:
        case TokenTest():
            yield condition
        case TokenNegation(part):
            yield from token_tests(part)
        case TokenConjunction(parts) | TokenDisjunction(parts):
            for each in parts:
                yield from token_tests(each)


def attributes(question: Question) -> frozenset[str]:
    """Return the attributes of tokens that a question needs beside their words."""
    return frozenset(term.attribute for term in terms(question)) - {WORD_ATTRIBUTE}


def needs_sentences(question: Question) -> bool:
    """Return whether the places of a question depend on where sentences begin."""
    return any(
        isinstance(part, Gap) or (isinstance(part, Within) and part.scope == SENTENCE)
        for part in _nodes(question, negated=True)
    )


def is_exact(question: Question) -> bool:
    """Return whether the index alone knows which documents are meant.

    >>> from corpus_spider.search.question.question_parser import parse
    >>> from pipelines.text.words import splitter
    >>> [is_exact(parse(each, splitter())) for each in ("/re.*/ OR a", "a NEAR/5 b", '[word="a"] [word="b"]')]
    [True, False, False]
    """
    return all(map(_is_known, _nodes(question, negated=True)))


def _is_known(part: Question | Repetition) -> bool:
    """Return whether the index knows which documents have a part, or knows it of the parts within."""
    if isinstance(part, AnyToken):
        # Of several tests of a token the index does not know whether one token passes them all, nor of a lemma or tag.
        return isinstance(part.condition, TokenTest) and part.condition.pattern.attribute == WORD_ATTRIBUTE
    return not (isinstance(part, Near | Gap | TokenSequence | Within) or _has_wildcard_inside(part))


def _has_wildcard_inside(part: Question | Repetition) -> bool:
    """Return whether a part is a phrase with a wildcard. The index finds few such phrases, and no frequent ones."""
    return isinstance(part, Phrase) and len(part.terms) > 1 and any(term.is_pattern for term in part.terms)


def _nodes(question: Question | Repetition, *, negated: bool) -> Iterator[Question | Repetition]:
    yield question
    if negated or not isinstance(question, Negation):
        for part in parts_of(question):
            yield from _nodes(part, negated=negated)


def candidates(question: Question) -> Question | None:
    """Return a question of phrases and fields that all documents answer that answer a question; None if all may.

    >>> from corpus_spider.search.question.term import Term
    >>> shown(candidates(Near(Phrase((Term("a"),)), Phrase((Term("b"), Term("c"))), 5)))
    'a AND "b c"'
    """
    match question:
        case Phrase(terms) if _has_wildcard_inside(question):
            return _all_of([Phrase((term,)) for term in terms])
        case Phrase() | FieldValue() | DayRange():
            return question
        case Conjunction(parts) | Gap(parts):
            return _all_of([candidates(part) for part in parts])
        case Near(left, right):
            return _all_of([candidates(left), candidates(right)])
        case TokenSequence(parts):
            return _all_of([_repeated_candidates(part) for part in parts])
        case AnyToken(condition):
            return _token_candidates(condition) if condition else None
        case Within(part):
            return candidates(part)
        case Disjunction(parts):
            return _one_of([candidates(part) for part in parts])
        case Negation(part):
            # What may hold in more documents than it does excludes too many.
            kept = candidates(part) if is_exact(part) else None
            return Negation(kept) if kept else None


def _repeated_candidates(part: Question | Repetition) -> Question | None:
    if isinstance(part, Repetition):
        return candidates(part.part) if part.least else None
    return candidates(part)


def _token_candidates(condition: TokenCondition) -> Question | None:
    match condition:
        case TokenTest(pattern):
            return Phrase((pattern,))
        case TokenConjunction(parts):
            return _all_of([_token_candidates(part) for part in parts])
        case TokenDisjunction(parts):
            return _one_of([_token_candidates(part) for part in parts])
        case TokenNegation():
            return None


def _all_of(parts: list[Question | None]) -> Question | None:
    kept = tuple(dict.fromkeys(part for part in parts if part is not None))
    if len(kept) > 1:
        return Conjunction(kept)
    return kept[0] if kept else None


def _one_of(parts: list[Question | None]) -> Question | None:
    kept = tuple(part for part in parts if part is not None)
    return Disjunction(kept) if len(kept) == len(parts) else None


_EITHER, _BOTH, _NOT, _WITHIN, _GAP, _NEAR, _SEQUENCE, _ONE = range(8)
"""How tightly an operator binds its parts, loosest first."""
_STRENGTHS = {
    Disjunction: _EITHER,
    Conjunction: _BOTH,
    Negation: _NOT,
    Gap: _GAP,
    Near: _NEAR,
    TokenSequence: _SEQUENCE,
}


def _strength(question: Question) -> int:
    if isinstance(question, Within):
        return _WITHIN if question.scope == SENTENCE else _ONE
    return _STRENGTHS.get(type(question), _ONE)


def shown(question: Question) -> str:
    """Return a question as it is understood. Reading this text gives the same question."""
    match question:
        case Phrase(terms):
            words = " ".join(term.shown() for term in terms)
            return f'"{words}"' if len(terms) > 1 or words in RESERVED_WORDS else words
        case Conjunction(parts):
            return " AND ".join(_within(part, _NOT) for part in parts)
        case Disjunction(parts):
            return " OR ".join(_within(part, _NOT) for part in parts)
        case Negation(part):
            # Without brackets NOT is about the first token of a row.
            return f"NOT {_within(part, _ONE if isinstance(part, TokenSequence) else _NOT)}"
        case FieldValue(name, value):
            return f"{name}:{value}" if set(value).isdisjoint(" ()[]") else f'{name}:"{value}"'
        case DayRange(first, last):
            return f"date:{first}" if first == last else f"date:{first}..{last}"
        case _:
            return _shown_place(question)


def _shown_place(question: Near | Gap | AnyToken | TokenSequence | Within) -> str:
    match question:
        case Within(part, scope) if scope == SENTENCE:
            return f"{_within(part, _GAP)} within <s/>"
        case Within(part):
            return f"title:{_within(part, _ONE)}"
        case Gap(parts):
            return " ... ".join(_within(part, _NEAR) for part in parts)
        case Near(left, right, distance):
            return f"{_within(left, _NEAR)} NEAR/{distance} {_within(right, _SEQUENCE)}"
        case TokenSequence(parts):
            return " ".join(map(_shown_part, parts))
        case AnyToken(condition):
            return f"[{_shown_condition(condition)}]" if condition else "[]"


def _within(part: Question, least: int) -> str:
    """Return a part as it is shown; in brackets if it binds more loosely than ``least``."""
    return shown(part) if _strength(part) >= least else f"({shown(part)})"


def _shown_part(part: Question | Repetition) -> str:
    if not isinstance(part, Repetition):
        return _within(part, _ONE)
    inner = shown(part.part) if isinstance(part.part, AnyToken) else f"({shown(part.part)})"
    times = f"{part.least}" if part.least == part.most else f"{part.least},{part.most}"
    return f"{inner}{{{times}}}"


def _shown_condition(condition: TokenCondition) -> str:
    match condition:
        case TokenTest(pattern, ignores_case):
            return f'{pattern.attribute}="{pattern.value}"{" %c" * ignores_case}'
        case TokenNegation(part):
            return f"!({_shown_condition(part)})"
        case TokenConjunction(parts):
            return " & ".join(map(_shown_test, parts))
        case TokenDisjunction(parts):
            return " | ".join(map(_shown_test, parts))


def _shown_test(condition: TokenCondition) -> str:
    text = _shown_condition(condition)
    return f"({text})" if isinstance(condition, TokenConjunction | TokenDisjunction) else text
