"""Recurring lines of a site: learned from stored texts, marked in them, and distinct from quotations."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.documents.own_lines import PageLines
from storage.documents.recurring_lines import digest, lines_of, marks, shared
from storage.documents.selection import Selection
from tests.storage.corpus_samples import Crawl, made

if TYPE_CHECKING:
    from storage.corpus import Corpus

LONG = "a paragraph of an article that a running story repeats word for word, " * 2


def recurring(texts: list[tuple[int, str]]) -> set[int]:
    return set(lines_of(texts).recurring)


@pytest.mark.parametrize(
    ("sets", "line", "recurs"),
    [
        ([1, 2, 3], "Subscribe", True),
        ([1, 2], "Subscribe", False),
        ([1, 1, 1, 2], "Subscribe", False),
        ([1, 2, 3, 4, 5], LONG, False),
        ([1, 2, 3, 4, 5, 6], LONG, True),
        ([*range(3), *(-each for each in range(10, 407))], "Subscribe", False),
        ([*range(4), *(-each for each in range(10, 406))], "Subscribe", True),
    ],
)
def test_when_a_line_recurs(sets: list[int], line: str, recurs: bool) -> None:
    """In three sets and one of a hundred; what may be a paragraph in twice as many; negative sets do not have it."""
    texts = [(each, f"own {number}\n{line}" if each >= 0 else f"own {number}") for number, each in enumerate(sets)]
    assert recurring(texts) == ({digest(line)} if recurs else set())


@settings(max_examples=40, deadline=None)
@given(st.permutations([(number % 5, f"a{number % 3}\nb\n\n{LONG}{number % 2}") for number in range(8)]))
def test_the_order_of_texts_makes_no_difference(texts: list[tuple[int, str]]) -> None:
    """What is learned follows from the texts alone."""
    one, other = lines_of(texts), lines_of(sorted(texts))
    assert one.recurring == other.recurring
    assert np.array_equal(one.paragraphs, other.paragraphs)


def test_marks_stand_for_lines() -> None:
    """A letter a line, white space aside; nothing where nothing recurs."""
    known = frozenset({digest("Subscribe")})
    assert marks("one\n Subscribe \n\nSubscribe!", known) == "-r--"
    assert marks("\u00e9\n Subscribe \n".encode(), known) == "-r-"
    assert marks("one\n\ud800", known) == marks("Subscribe", None) == ""


def test_what_other_sites_have_too_is_a_share() -> None:
    """Paragraphs in other texts at other sites; copies of one set are no others, and nothing is shared with oneself."""
    one = lines_of([(1, f"{LONG}1\n{LONG}2\n{LONG}3\nshort"), (9, f"{LONG}4\n{LONG}4")])
    two = lines_of([(1, f"{LONG}1"), (2, f"{LONG}2\nshort")])
    three = lines_of([])
    sites = {"one": one.paragraphs, "two": two.paragraphs, "three": three.paragraphs}
    assert shared(sites) == {"one": 0.25, "two": 0.5, "three": 0.0}
    assert shared({}) == {}


def test_what_was_learned_marks_every_text_of_its_site(corpus: Corpus) -> None:
    """Texts from before and after; not those of another site; learned again, it takes the place of what was known."""
    number = itertools.count()
    crawl, other = Crawl(corpus), Crawl(corpus, site="b.example")
    for path in "abc":
        crawl.visit(path, made(f"text {next(number)}\nSubscribe"))
    other.visit("z", made("elsewhere\nSubscribe"))
    corpus.models.keep_lines("a.example", corpus.models.learn_lines("a.example", PageLines()))
    crawl.visit("d", made("late\nSubscribe\nend"))
    every = list(corpus.documents(Selection(include_duplicates=True)))
    assert {each.url[-1]: each.recurring for each in every} == {"a": "-r", "b": "-r", "c": "-r", "d": "-r-", "z": ""}
    assert [corpus.documents.find(each.id) for each in every] == every
    corpus.models.keep_lines("a.example", corpus.models.learn_lines("b.example", PageLines()))
    assert {each.recurring for each in corpus.documents()} == {""}
