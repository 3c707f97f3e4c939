"""Words of a question that are typed without marks beside words with marks. Pure.

A word typed without marks finds every spelling (`term`). A reader of Vietnamese who types the marks of one word types
those of its neighbours: ``Nam`` in ``Việt Nam`` is not ``năm``. Neighbours are the words of a phrase, the words that
stand side by side or are joined by AND, and those of a row of tokens.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from corpus_spider.search.question.term import has_marks
from corpus_spider.search.question.tree import (
    TITLE,
    Conjunction,
    Disjunction,
    Gap,
    Near,
    Negation,
    Phrase,
    Repetition,
    TokenSequence,
    Within,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from corpus_spider.search.question.term import Term
    from corpus_spider.search.question.tree import Question


def beside_marks(question: Question) -> Question:
    """Return a question whose words without marks know whether a neighbour has some (`Term.beside_marks`)."""
    match question:
        case Phrase(terms):
            return _marked(question) if any(map(_has_marks, terms)) else question
        case Conjunction(parts, runs):
            words = any(map(_has_marks, _single_words(parts)))
            titles = any(map(_has_marks, _single_words(_in_titles(parts))))
            return Conjunction(
                tuple(_neighbour(part, words=words, titles=titles) for part in parts),
                tuple(map(_marked, runs)) if words else runs,
            )
        case TokenSequence(parts):
            words = any(map(_has_marks, _single_words(parts)))
            return TokenSequence(
                tuple(
                    replace(part, part=beside_marks(part.part))
                    if isinstance(part, Repetition)
                    else _neighbour(part, words=words, titles=False)
                    for part in parts
                )
            )
        case Disjunction(parts):
            return Disjunction(tuple(map(beside_marks, parts)))
        case Gap(parts):
            return Gap(tuple(map(beside_marks, parts)))
        case Near(left, right):
            return replace(question, left=beside_marks(left), right=beside_marks(right))
        case Negation(part) | Within(part):
            return replace(question, part=beside_marks(part))
        case _:
            return question


def _neighbour(part: Question, *, words: bool, titles: bool) -> Question:
    """Return a part beside others. ``words``, ``titles``: whether a word, or a word of the title, has marks there."""
    match part:
        case Phrase((_,)) if words:
            return _marked(part)
        case Within(Phrase((_,)) as word, scope) if scope == TITLE and titles:
            return replace(part, part=_marked(word))
        case _:
            return beside_marks(part)


def _single_words(parts: Iterable[Question | Repetition]) -> Iterable[Term]:
    return (part.terms[0] for part in parts if isinstance(part, Phrase) and len(part.terms) == 1)


def _in_titles(parts: Iterable[Question | Repetition]) -> Iterable[Question]:
    return (part.part for part in parts if isinstance(part, Within) and part.scope == TITLE)


def _marked(phrase: Phrase) -> Phrase:
    """Return a phrase whose words without marks stand beside marks."""
    changed = (
        term if term.is_expression or _has_marks(term) else replace(term, beside_marks=True) for term in phrase.terms
    )
    return Phrase(tuple(changed))


def _has_marks(term: Term) -> bool:
    return not term.is_expression and has_marks(term.value, "vi")
