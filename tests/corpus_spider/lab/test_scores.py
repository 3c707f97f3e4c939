"""Scores that compare a text with the true text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.lab import (
    Score,
    score,
    scores,
)
from corpus_spider.lab.scores import Measures, measures


@pytest.mark.parametrize(
    ("text", "truth", "expected"),
    [
        ("HUMAN", "CHIMPANZEE", Score(4 / 5, 4 / 10, 8 / 15)),
        ("same", "same", Score(1, 1, 1)),
        ("a b\n c\u3000d", "ab cd", Score(1, 1, 1)),
        ("abcd", "ab", Score(1 / 2, 1, 2 / 3)),
        ("سلام دنیا", "سلام", Score(1 / 2, 1, 2 / 3)),
        ("abc", "xyz", Score(0, 0, 0)),
        ("", "xyz", Score(0, 0, 0)),
        ("xyz", "", Score(0, 0, 0)),
        ("", " \n", Score(1, 1, 1)),
        ("\ud800\x00", "\ud800\x00", Score(1, 1, 1)),
    ],
)
def test_the_measure_is_the_papers(text: str, truth: str, expected: Score) -> None:
    """Precision, recall and F1 follow from the longest common subsequence of the characters without white space."""
    result = score(text, truth)
    assert (result.precision, result.recall, result.f1) == pytest.approx(
        (expected.precision, expected.recall, expected.f1)
    )


@pytest.mark.parametrize(
    ("text", "truth", "f1"),
    [
        ("Title\nbody", "body", 1),
        ("body", "Title\nbody", 1),
        ("body", "body", 1),
        ("Title\nbody", "Title\nbody", 1),
        ("", "Title", 0),
        ("bodybody", "body", 2 / 3),
    ],
)
def test_the_title_lowers_no_score(text: str, truth: str, f1: float) -> None:
    """A title in one of the texts only does not lower the score; a title alone finds nothing."""
    assert score(text, truth, "Title").f1 == pytest.approx(f1)


TEXTS = "the cat sat\nthe dog", "the cat sat\na dog ran"


@pytest.mark.parametrize(
    ("text", "truth", "title", "expected"),
    [
        (
            *TEXTS,
            None,
            Measures(Score(4 / 5, 4 / 6, 8 / 11), Score(4 / 5, 4 / 6, 8 / 11), Score(9 / 15, 9 / 16, 18 / 31)),
        ),
        ("b a", "a b", None, Measures(Score(1 / 2, 1 / 2, 1 / 2), Score(1, 1, 1), Score(0, 0, 0))),
        ("新闻 报", "新闻报", None, Measures(Score(1, 1, 1), Score(1, 1, 1), Score(1, 1, 1))),
        ("ข่าว", "ข่า", None, Measures(Score(2 / 3, 1, 4 / 5), Score(2 / 3, 1, 4 / 5), Score(3 / 4, 1, 6 / 7))),
        ("می\u200cرود", "می رود", None, Measures(Score(0, 0, 0), Score(0, 0, 0), Score(0, 0, 0))),
        ("Title\nbody", "body", "Title", Measures(Score(1, 1, 1), Score(1, 1, 1), Score(1, 1, 1))),
        ("", "", "Title", Measures(Score(1, 1, 1), Score(1, 1, 1), Score(1, 1, 1))),
        ("…", "body", "Title", Measures()),
        ("body\nbody", "body body", None, Measures(Score(1, 1, 1), Score(1, 1, 1), Score(1, 1, 1))),
        ("one", "one\none", None, Measures(Score(1, 1 / 2, 2 / 3), Score(1, 1 / 2, 2 / 3), Score(1, 1 / 2, 2 / 3))),
    ],
)
def test_the_other_measures(text: str, truth: str, title: str | None, expected: Measures) -> None:
    """Words in order, words in any order, and the Thai paper's lengths; each lets the title pass."""
    assert measures(text, truth, title) == expected


@settings(max_examples=100, deadline=None)
@given(text=st.text("ab บ新\u200c\u0301\n", max_size=40), truth=st.text("ab บ新\u200c\u0301\n", max_size=40))
def test_every_measure_is_a_share(text: str, truth: str) -> None:
    """All values are within 0 and 1, the same texts are the same by each, and words in any order are no fewer."""
    found = measures(text, truth, "a")
    shares = [value for one in (found.words, found.bag, found.thai) for value in (one.precision, one.recall, one.f1)]
    assert all(0 <= value <= 1 for value in shares)
    assert found.bag.f1 >= found.words.f1
    assert {measures(text, text).words.f1, measures(text, text).thai.f1} == {1}


def longest_common_subsequence(left: str, right: str) -> int:
    lengths = [0] * (len(right) + 1)
    for character in left:
        previous = lengths[:]
        for position, other in enumerate(right, start=1):
            same = previous[position - 1] + 1 if character == other else 0
            lengths[position] = max(same, previous[position], lengths[position - 1])
    return lengths[-1]


@settings(max_examples=100, deadline=None)
@given(text=st.text("abب\U0001f600", max_size=30), truth=st.text("abب\U0001f600", min_size=1, max_size=30))
def test_the_measure_agrees_with_the_textbook_algorithm(text: str, truth: str) -> None:
    """Recall is the length that the quadratic algorithm finds, over the length of the truth."""
    assert score(text, truth).recall == pytest.approx(longest_common_subsequence(text, truth) / len(truth))


def test_long_texts_are_compared_by_their_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit nothing is compared, so that no page takes minutes."""
    monkeypatch.setattr(scores, "MAX_CHARS", 10)
    assert score("a" * 10 + "b" * 50, "a" * 10 + "c" * 90) == Score(1, 1, 1)
    assert score("a" * 11, "b" + "a" * 10).f1 == pytest.approx(0.9)


def test_very_long_texts_of_many_characters_are_scored() -> None:
    """Two different texts of two million characters get a score."""
    alphabet = "".join(map(chr, range(0x4E00, 0x4E80)))
    result = score(alphabet * 16_000, alphabet[::-1] * 16_000)
    assert 0 < result.f1 < 1
