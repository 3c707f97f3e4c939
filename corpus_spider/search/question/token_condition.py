"""Read what stands in square brackets: tests of one token in the Corpus Query Language. Pure.

A part of the language of the IMS Corpus Workbench and Sketch Engine: ``[word="…"]``, ``!=``, ``%c``, ``&``, ``|``,
``!`` and brackets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import regex

from corpus_spider.search.question.term import expression
from corpus_spider.search.question.tree import (
    AnyToken,
    TokenConjunction,
    TokenDisjunction,
    TokenNegation,
    TokenTest,
)
from storage.errors import ConfigError

if TYPE_CHECKING:
    from corpus_spider.search.question.term import Term
    from corpus_spider.search.question.tree import TokenCondition

WORD = "word"
ATTRIBUTES = frozenset({WORD})
"""What an index knows of a token."""
_NOT_INDEXED = {"lemma": "lemmas", "tag": "parts of speech", "pos": "parts of speech"}
_MAX_NESTING = 20
_HOW = 'Write [word="govern.*"], [word!="a"], [word="a" | word="b"], [!(word="a") & word="b.*"] or [].'
_PIECE = regex.compile(
    r'\s*(?:(?P<name>\w+)|(?P<is>!?=)|"(?P<text>(?:\\.|[^"\\])*)"|(?P<flag>%\w*)|(?P<sign>[&|!()])|(?P<other>\S))'
)
_BARE_QUOTE = regex.compile(r'\\.(*SKIP)(*FAIL)|"')


class _Fault(Protocol):
    """Makes an error at a place within the brackets."""

    def __call__(self, what: str, start: int, end: int, do: str) -> ConfigError: ...


def condition_of(text: str, fault: _Fault) -> TokenCondition | None:
    """Read the text between square brackets; None if it is empty. ``fault`` makes the error at a place of the text."""
    if not text.strip():
        return None
    return _ConditionParser(text, fault).whole()


def token_pattern(term: Term) -> AnyToken:
    """Return the token that a regular expression fits."""
    return AnyToken(TokenTest(WORD, expression(_BARE_QUOTE.sub(r'\\"', term.value))))


class _ConditionParser:
    """Recursive descent: ``|`` binds loosest, then ``&``, then ``!``."""

    def __init__(self, text: str, fault: _Fault) -> None:
        self._text, self._fault = text, fault
        self._pieces = [
            (kind, found[kind], found.start(kind), found.end(kind))
            for found in _PIECE.finditer(text)
            for kind in [str(found.lastgroup)]
        ]
        self._at = self._depth = 0

    def whole(self) -> TokenCondition:
        condition = self._any()
        if self._at < len(self._pieces):
            raise self._error("this is not expected here")
        return condition

    def _peek(self) -> tuple[str, str, int, int]:
        end = len(self._text)
        return self._pieces[self._at] if self._at < len(self._pieces) else ("", "", end, end + 1)

    def _error(self, what: str, do: str = _HOW) -> ConfigError:
        _, _, start, end = self._peek()
        return self._fault(what, start, end, do)

    def _takes(self, sign: str) -> bool:
        found = self._peek()[:2] == ("sign", sign)
        self._at += found
        return found

    def _any(self) -> TokenCondition:
        parts = [self._all()]
        while self._takes("|"):
            parts.append(self._all())
        return TokenDisjunction(tuple(parts)) if len(parts) > 1 else parts[0]

    def _all(self) -> TokenCondition:
        parts = [self._one()]
        while self._takes("&"):
            parts.append(self._one())
        return TokenConjunction(tuple(parts)) if len(parts) > 1 else parts[0]

    def _one(self) -> TokenCondition:
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise self._error(f"tests are nested more than {_MAX_NESTING} times")
        if self._takes("!"):
            found: TokenCondition = TokenNegation(self._one())
        elif self._takes("("):
            found = self._any()
            if not self._takes(")"):
                raise self._error("a bracket is not closed")
        else:
            found = self._test()
        self._depth -= 1
        return found

    def _test(self) -> TokenCondition:
        kind, name, *_ = self._peek()
        if kind != "name":
            raise self._error('an attribute is expected here, such as word="…"')
        if name not in ATTRIBUTES:
            missing = _NOT_INDEXED.get(name)
            what = f"the search index has no {missing}" if missing else f'there is no attribute "{name}"'
            raise self._error(what, 'Use [word="…"].')
        self._at += 1
        kind, sign, *_ = self._peek()
        if kind != "is":
            raise self._error("= or != is expected here")
        self._at += 1
        kind, text, start, end = self._peek()
        if kind != "text":
            raise self._error('a regular expression in quotation marks is expected here, as in word="govern.*"')
        if regex.search(r"\s", text) or not text:
            do = 'Write a token for each word: [word="new"] [word="york"], or a phrase.'
            raise self._error("a token is one word, without spaces", do)
        try:
            pattern = expression(text)
        except ConfigError as error:
            raise self._fault(f"{error.where}: {error.what}", start, end, error.do) from error
        self._at += 1
        test = TokenTest(name, pattern, self._ignores_case())
        return TokenNegation(test) if sign == "!=" else test

    def _ignores_case(self) -> bool:
        kind, flag, *_ = self._peek()
        if kind != "flag":
            return False
        if flag != "%c":
            raise self._error(f"{flag} is not known here", "%c is: case makes no difference.")
        self._at += 1
        return True
