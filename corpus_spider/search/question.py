"""Language of search questions: words, "phrases", wild*cards, /expressions/, AND, OR, NOT and brackets.

Words side by side must all occur. ``-word`` is NOT. A word typed without marks finds every spelling: ``chinh phu``
finds ``chính phủ``. A word typed with marks finds these marks only. An equals sign before a word finds it as typed.
``*`` stands for any letters, ``?`` before another letter for one. ``/…/`` is a regular expression that a whole word
fits, in small letters.

A question goes through the repairs of a text (`pipelines.text.normalise.clean`). It is compared with the words of a
text by the equal letters of the language of that text (`term`). What other search programs know and this one does not,
such as ``NEAR`` or ``title:``, is refused: as words it would find something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import regex

from corpus_spider.search.term import ANY_LETTERS, MAX_WILDCARDS, ONE_LETTER, WILDCARDS, Term, expression
from pipelines.text.normalise import clean
from pipelines.text.punctuation import CORNER_BRACKETS, DOUBLE_QUOTES
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.text.words import Splitter

MOST_WORDS = 64
"""Words of one question."""
_MAX_NESTING = 20
_PIECE = regex.compile(
    r"\s*(?:(?P<expression>/(?:\\.|[^\\/\s])+/(?=[\s()]|$))|(?P<open>\()|(?P<close>\))|(?P<not>-(?=\S))"
    r'|"(?P<phrase>[^"]*)"?|(?P<word>[^\s()"]+))'
)
_HOW = 'Write words, "a phrase", wildcards such as govern* or wom?n, /regular expressions/, AND, OR, NOT and brackets.'
_QUOTES = str.maketrans(dict.fromkeys(DOUBLE_QUOTES + CORNER_BRACKETS, '"'))
_GERSHAYIM = regex.compile(r"(?<=\p{Hebrew})[\"“”״](?=\p{Hebrew})")
"""A quotation mark within a Hebrew word is no end of a phrase (צה"ל)."""
_WILDCARD_LETTERS = {ord(ANY_LETTERS): "\U00010600", ord(ONE_LETTER): "\U00010601"}
"""Letters of Linear A stand for wildcards while a question is split into words."""
_LETTER_WILDCARDS = {ord(letter): chr(sign) for sign, letter in _WILDCARD_LETTERS.items()}
_QUESTION_MARK = regex.compile(r"\?++(?![\p{L}\p{M}\p{N}*])")
"""A question mark that is no wildcard: no letter follows."""
_UNKNOWN = (
    (regex.compile(r"/[^/\s]+"), "the beginning of a regular expression, which has no spaces and ends with a slash"),
    (regex.compile(r"(?:NEAR|WITHIN)(?:/\d+)?"), "a distance between words"),
    (regex.compile(r"\[.*"), "a query for tokens in square brackets"),
    (regex.compile(r"[A-Za-z_]+:(?!//).+"), "a field with a colon"),
    (regex.compile(r"[&|]{2}.*"), "an operator in signs"),
    (regex.compile(r"[\p{L}\p{N}]\S*[~^]\d*"), "a similarity or weight"),
)
"""Outside quotation marks: syntax of other programs, and its name."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One or more words in a row."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Conjunction:
    """All parts must hold. ``runs``: words that stand side by side in the question, each run as a phrase."""

    parts: tuple[Question, ...]
    runs: tuple[Phrase, ...] = ()


@dataclass(frozen=True, slots=True)
class Disjunction:
    """One part must hold."""

    parts: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """The part must not hold."""

    part: Question


Question = Phrase | Conjunction | Disjunction | Negation


def parse(text: str, splitter: Splitter, *, as_phrase: bool = False) -> Question:
    """Read a question. ConfigError says what is wrong with it. ``as_phrase``: words side by side are one phrase.

    >>> from pipelines.text.words import splitter
    >>> shown(parse("bầu cử -xăng", splitter())), shown(parse("bầu cử", splitter(), as_phrase=True))
    ('bầu AND cử AND NOT xăng', '"bầu cử"')
    """
    typed = _GERSHAYIM.sub("״", clean(text)).translate(_QUOTES)
    question = _Parser(list(_pieces(typed)), splitter, as_phrase=as_phrase).whole()
    words = [term for phrase in phrases(question, negated=True) for term in phrase.terms]
    if len(words) > MOST_WORDS:
        what = f"a question has {MOST_WORDS} words at most, this one has {len(words)}"
        raise ConfigError(what, where=text[:80], do="Search for a part of it.")
    if next(phrases(question), None) is None:
        raise ConfigError("the question only says what must not occur", where=text[:80], do=_HOW)
    return question


def shown(question: Question) -> str:
    """Return a question as it is understood."""
    match question:
        case Phrase(terms):
            words = " ".join(term.shown() for term in terms)
            return f'"{words}"' if len(terms) > 1 else words
        case Conjunction(parts):
            return " AND ".join(map(_within, parts))
        case Disjunction(parts):
            return " OR ".join(map(_within, parts))
        case Negation(part):
            return f"NOT {_within(part)}"


def _within(part: Question) -> str:
    return f"({shown(part)})" if isinstance(part, Conjunction | Disjunction) else shown(part)


def side_by_side(question: Question) -> tuple[Phrase, ...]:
    """Return the phrases that words side by side in a question may be: each run, and each pair of neighbours in it."""
    match question:
        case Conjunction(parts, runs):
            pairs = [Phrase(run.terms[at : at + 2]) for run in runs for at in range(len(run.terms) - 1)]
            inner = [each for part in parts for each in side_by_side(part)]
            return tuple(dict.fromkeys([*runs, *pairs, *inner]))
        case Disjunction(parts):
            return tuple(dict.fromkeys(each for part in parts for each in side_by_side(part)))
        case _:
            return ()


def phrases(question: Question, *, negated: bool = False) -> Iterator[Phrase]:
    """Yield the words and phrases of a question. Without ``negated`` those that may be in a found text."""
    match question:
        case Phrase():
            yield question
        case Conjunction(parts) | Disjunction(parts):
            for part in parts:
                yield from phrases(part, negated=negated)
        case Negation(part):
            if negated:
                yield from phrases(part, negated=True)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        found = _PIECE.match(text, at)
        if found is None:
            return
        yield str(found.lastgroup), found[str(found.lastgroup)]
        at = found.end()


class _Parser:
    """Recursive descent over the pieces: OR binds loosest, then words side by side and AND, then NOT."""

    def __init__(self, pieces: list[tuple[str, str]], splitter: Splitter, *, as_phrase: bool) -> None:
        self._pieces, self._splitter, self._as_phrase = pieces, splitter, as_phrase
        self._at = self._depth = 0

    def whole(self) -> Question:
        question = self._either()
        if question is None:
            raise ConfigError("there is no word in the question", do=_HOW)
        if self._at < len(self._pieces):
            raise ConfigError("a bracket is closed that was not opened", do=_HOW)
        return question

    def _peek(self) -> tuple[str, str]:
        return self._pieces[self._at] if self._at < len(self._pieces) else ("", "")

    def _is(self, operator: str) -> bool:
        return self._peek() == ("word", operator)

    def _either(self) -> Question | None:
        parts = [self._both()]
        while self._is("OR"):
            self._at += 1
            parts.append(self._both())
        return _joined(parts)

    def _both(self) -> Question | None:
        parts: list[Question | None] = []
        runs: list[list[Phrase]] = [[]]
        while self._peek()[0] not in {"", "close"} and not self._is("OR"):
            if self._is("AND"):
                self._at += 1
                runs.append([])
                continue
            is_word = self._peek()[0] in {"word", "expression"} and not self._is("NOT")
            part = self._one()
            if is_word and isinstance(part, Phrase):
                runs[-1].append(part)
                if self._as_phrase and len(runs[-1]) > 1:
                    parts.pop()
                    part = runs[-1][0] = _one_phrase(runs[-1])
                    del runs[-1][1:]
            elif part is not None:
                runs.append([])
            parts.append(part)
        kept = [part for part in parts if part is not None]
        if len(kept) < 2:
            return kept[0] if kept else None
        return Conjunction(tuple(kept), tuple(_one_phrase(run) for run in runs if len(run) > 1))

    def _one(self) -> Question | None:
        kind, text = self._peek()
        self._at += 1
        if kind == "not" or (kind, text) == ("word", "NOT"):
            part = self._one() if self._peek()[0] not in {"", "close"} else None
            return Negation(part) if part else None
        if kind == "open":
            return self._bracket()
        if kind == "expression":
            return Phrase((expression(text[1:-1]),))
        return self._phrase(text) if kind == "phrase" else self._word(text)

    def _bracket(self) -> Question | None:
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise ConfigError(f"brackets are nested more than {_MAX_NESTING} times", do=_HOW)
        inner = self._either()
        self._depth -= 1
        if self._peek()[0] != "close":
            raise ConfigError("a bracket is not closed", do=_HOW)
        self._at += 1
        return inner

    def _phrase(self, text: str) -> Question | None:
        terms = [term for part in text.split() for term in self._terms(part)]
        return Phrase(tuple(terms)) if terms else None

    def _word(self, text: str) -> Question | None:
        for pattern, name in _UNKNOWN:
            if pattern.fullmatch(text):
                what = f'"{text[:60]}" is {name}, which this search does not know'
                raise ConfigError(what, do=f"{_HOW} In quotation marks it is searched as words.")
        terms = self._terms(text)
        return Phrase(tuple(terms)) if terms else None

    def _terms(self, text: str) -> list[Term]:
        """Return the words of a text without spaces. A wildcard belongs to the word that it touches."""
        exact = text.startswith("=")
        # At the end of a word a question mark is one.
        typed = _QUESTION_MARK.sub("", text).translate(_WILDCARD_LETTERS)
        if typed.count(_WILDCARD_LETTERS[ord(ANY_LETTERS)]) > MAX_WILDCARDS:
            raise ConfigError(f'"{text:.60}" has more than {MAX_WILDCARDS} wildcards', do="Write a regular expression.")
        terms: list[Term] = []
        end, before = 0, ""
        for start, stop in self._splitter.spans(typed):
            value = typed[start:stop].translate(_LETTER_WILDCARDS)
            touches = start == end and bool(before)
            if not set(value) <= set(WILDCARDS):
                if touches and before[-1] in WILDCARDS:
                    what = f'"{text:.60}": in a script without spaces a wildcard stands only at the end of a word'
                    raise ConfigError(what, do="Write a regular expression, which looks at each word: /.*ab.*/")
                terms.append(Term(value, exact))
            elif touches and terms:
                # In a script without spaces it is a unit of its own.
                terms[-1] = Term(terms[-1].value + value, exact)
            end, before = stop, value
        if not terms and before:
            do = "Write it beside letters: govern*. In a phrase it stands for no word."
            raise ConfigError(f'"{text:.60}" is a wildcard without a word', do=do)
        return terms


def _one_phrase(run: list[Phrase]) -> Phrase:
    return Phrase(tuple(term for phrase in run for term in phrase.terms))


def _joined(parts: list[Question | None]) -> Question | None:
    kept = [part for part in parts if part is not None]
    if len(kept) < 2:
        return kept[0] if kept else None
    return Disjunction(tuple(kept))
