"""Read what stands in square brackets: tests of one token in the Corpus Query Language. Pure.

A part of the language of the IMS Corpus Workbench and Sketch Engine: ``[word="…"]``, ``[lemma="…"]``, ``[tag="…"]``,
``!=``, ``%c``, ``&``, ``|``, ``!`` and brackets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import regex

from corpus_spider.search.question.term import WORD_ATTRIBUTE, expression
from corpus_spider.search.question.tree import (
    AnyToken,
    TokenConjunction,
    TokenDisjunction,
    TokenNegation,
    TokenTest,
)
from pipelines.text.annotation.annotator import LEMMA, TAG
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection

    from corpus_spider.search.question.term import Term
    from corpus_spider.search.question.tree import TokenCondition

_NAMES = {LEMMA: "lemmas", TAG: "tags"}
"""What an index may lack, as an error calls it."""
_OTHER_NAMES = {"pos": TAG}
"""Attributes as other corpora call them."""
DO_ANNOTATE = 'Use [word="…"], or give the index lemmas and tags: corpus-spider index --annotate'
_MAX_NESTING = 20
_HOW = 'Write [word="govern.*"], [word!="a"], [word="a" | word="b"], [!(word="a") & word="b.*"] or [].'
_PIECE = regex.compile(
    r'\s*(?:(?P<name>\w+)|(?P<is>!?=)|"(?P<text>(?:\\.|[^"\\])*)"|(?P<flag>%\w*)|(?P<sign>[&|!()])|(?P<other>\S))'
)
_BARE_QUOTE = regex.compile(r'\\.(*SKIP)(*FAIL)|"')


_JOINED = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:[-‐‑_][\p{L}\p{M}\p{N}]+)+")
"""A word with hyphens, or with underscores as in vertical text, and no sign of a regular expression."""


class _Fault(Protocol):
    """Makes an error at a place within the brackets."""

    def __call__(self, what: str, start: int, end: int, do: str) -> ConfigError: ...


def condition_of(text: str, fault: _Fault, annotated: Collection[str]) -> TokenCondition | None:
    """Read the text between square brackets; None if it is empty. ``fault`` makes the error at a place of the text.

    ``annotated``: the attributes that tokens have beside their words.
    """
    if not text.strip():
        return None
    return _ConditionParser(text, fault, annotated).whole()


def token_pattern(term: Term) -> AnyToken:
    """Return the token that a regular expression fits."""
    return AnyToken(TokenTest(expression(_BARE_QUOTE.sub(r'\\"', term.value))))


class _ConditionParser:
    """Recursive descent: ``|`` binds loosest, then ``&``, then ``!``."""

    def __init__(self, text: str, fault: _Fault, annotated: Collection[str]) -> None:
        self._text, self._fault, self._annotated = text, fault, annotated
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
        self._require(name)
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
        if name == WORD_ATTRIBUTE and _JOINED.fullmatch(text):
            do = f'Write it without the token: "{text}".'
            raise self._error("the index has the parts of such a word as tokens of their own", do)
        try:
            pattern = expression(text, name)
        except ConfigError as error:
            raise self._fault(f"{error.where}: {error.what}", start, end, error.do) from error
        self._at += 1
        test = TokenTest(pattern, self._ignores_case())
        return TokenNegation(test) if sign == "!=" else test

    def _require(self, name: str) -> None:
        """Raise an error unless tokens have an attribute."""
        if name == WORD_ATTRIBUTE or name in self._annotated:
            return
        if name in _NAMES:
            raise self._error(f"the search index has no {_NAMES[name]}", DO_ANNOTATE)
        use = [_OTHER_NAMES[name]] if name in _OTHER_NAMES else [WORD_ATTRIBUTE, *self._annotated]
        raise self._error(f'there is no attribute "{name}"', f"Use {' or '.join(map(_example, use))}.")

    def _ignores_case(self) -> bool:
        kind, flag, *_ = self._peek()
        if kind != "flag":
            return False
        if flag != "%c":
            raise self._error(f"{flag} is not known here", "%c is: case makes no difference.")
        self._at += 1
        return True


def _example(attribute: str) -> str:
    return f'[{attribute}="…"]'
