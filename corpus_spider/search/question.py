"""Language of search questions: words, "phrases", beginnings*, AND, OR, NOT and brackets.

Words side by side must all occur. ``-word`` is NOT. A word typed without marks finds every spelling: ``chinh phu``
finds ``chính phủ``. A word typed with marks finds these marks only. An equals sign before a word finds it as typed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import regex

from pipelines.text.word_forms import letters, plain
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pipelines.text.words import Splitter

MOST_WORDS = 64
"""Words of one question."""
_DEEPEST = 20
_PIECE = regex.compile(r'\s*(?:(?P<open>\()|(?P<close>\))|(?P<not>-(?=\S))|"(?P<phrase>[^"]*)"?|(?P<word>[^\s()"]+))')
_FORMS: Mapping[str, Callable[[str], str]] = {"text": str.casefold, "letters": letters, "plain": plain}
_HOW = 'Write words, "a phrase", a beginning such as govern*, AND, OR, NOT and brackets.'


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a question. ``form``: how words of texts are compared with it, text, letters or plain."""

    value: str
    form: str
    prefix: bool = False

    def matches(self, word: str) -> bool:
        """Return whether a word of a text is meant. ``word`` is in small letters."""
        found = _FORMS[self.form](word)
        return found.startswith(self.value) if self.prefix else found == self.value


@dataclass(frozen=True, slots=True)
class Phrase:
    """One or more words in a row."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Both:
    """All parts must hold."""

    parts: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One part must hold."""

    parts: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part must not hold."""

    part: Question


Question = Phrase | Both | Either | Not


def parse(text: str, splitter: Splitter) -> Question:
    """Read a question. ConfigError says what is wrong with it.

    >>> from pipelines.text.words import splitter
    >>> parse("bầu cử", splitter()) == Both((Phrase((Term("bầu", "letters"),)), Phrase((Term("cử", "letters"),))))
    True
    """
    pieces = list(_pieces(text))
    question = _Parser(pieces, splitter).whole()
    words = [term for phrase in phrases(question, negated=True) for term in phrase.terms]
    if len(words) > MOST_WORDS:
        what = f"a question has {MOST_WORDS} words at most, this one has {len(words)}"
        raise ConfigError(what, where=text[:80], do="Search for a part of it.")
    if next(phrases(question), None) is None:
        raise ConfigError("the question only says what must not occur", where=text[:80], do=_HOW)
    return question


def phrases(question: Question, *, negated: bool = False) -> Iterator[Phrase]:
    """Yield the words and phrases of a question. Without ``negated`` those that may be in a found text."""
    match question:
        case Phrase():
            yield question
        case Both(parts) | Either(parts):
            for part in parts:
                yield from phrases(part, negated=negated)
        case Not(part):
            if negated:
                yield from phrases(part, negated=True)


def term_of(word: str, *, prefix: bool = False, as_typed: bool = False) -> Term:
    """Return the term for a typed word.

    >>> term_of("chinh"), term_of("chính").form, term_of("أحمد").value
    (Term(value='chinh', form='plain', prefix=False), 'letters', 'احمد')
    """
    if as_typed:
        return Term(word.casefold(), "text", prefix)
    bare = plain(word)
    return Term(bare, "plain", prefix) if bare == letters(word) else Term(letters(word), "letters", prefix)


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

    def __init__(self, pieces: list[tuple[str, str]], splitter: Splitter) -> None:
        self._pieces, self._splitter = pieces, splitter
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
        return _joined(parts, Either)

    def _both(self) -> Question | None:
        parts: list[Question | None] = []
        while self._peek()[0] not in {"", "close"} and not self._is("OR"):
            if self._is("AND"):
                self._at += 1
                continue
            parts.append(self._one())
        return _joined(parts, Both)

    def _one(self) -> Question | None:
        kind, text = self._peek()
        self._at += 1
        if kind == "not" or (kind, text) == ("word", "NOT"):
            part = self._one() if self._peek()[0] not in {"", "close"} else None
            return Not(part) if part else None
        if kind == "open":
            return self._bracket()
        return self._phrase(text) if kind == "phrase" else self._word(text)

    def _bracket(self) -> Question | None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ConfigError(f"brackets are nested more than {_DEEPEST} times", do=_HOW)
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
        terms = self._terms(text)
        return Phrase(tuple(terms)) if terms else None

    def _terms(self, text: str) -> list[Term]:
        as_typed = text.startswith("=")
        words = [text[start:end] for start, end in self._splitter.spans(text)]
        terms = [term_of(word, as_typed=as_typed) for word in words]
        if text.endswith("*") and terms:
            terms[-1] = term_of(words[-1], prefix=True, as_typed=as_typed)
        return terms


def _joined(parts: list[Question | None], kind: Callable[[tuple[Question, ...]], Question]) -> Question | None:
    kept = [part for part in parts if part is not None]
    if len(kept) < 2:
        return kept[0] if kept else None
    return kind(tuple(kept))
