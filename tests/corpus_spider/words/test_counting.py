"""Measures of word lists, checked against a second implementation."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_spider.search.index.manifest import Cell, CellKey
from corpus_spider.words.counting import dispersion, totals
from corpus_spider.words.keyness import log_likelihood, log_ratio

PARTS = st.lists(st.lists(st.integers(1, 8), min_size=1, max_size=30), min_size=1, max_size=5)


def cell(number: int, words: list[int]) -> Cell:
    counted = sorted(Counter(words).items())
    arrays = (np.array(column, np.uint32) for column in zip(*((w, n, 1) for w, n in counted), strict=True))
    return Cell(CellKey("vi", "a", f"2026-{number + 1:02}"), 0, 1, len(words), *arrays)


@given(PARTS)
def test_totals_and_dispersion_equal_a_count_by_hand(parts: list[list[int]]) -> None:
    """Frequencies are sums over the parts; DP follows its definition, word by word."""
    cells = [cell(number, words) for number, words in enumerate(parts)]
    found = totals(cells)
    every = [word for words in parts for word in words]
    assert dict(zip(found.words.tolist(), found.frequencies.tolist(), strict=True)) == Counter(every)
    shares = [len(words) / len(every) for words in parts]
    for word, spread in zip(found.words.tolist(), dispersion(cells, found.words).tolist(), strict=True):
        of_word = [words.count(word) / every.count(word) for words in parts]
        deviation = sum(abs(one - share) for one, share in zip(of_word, shares, strict=True)) / 2
        expected = deviation / (1 - min(shares)) if len(parts) > 1 else 0.0
        assert spread == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 500), st.integers(0, 500), st.integers(501, 10_000), st.integers(501, 10_000))
def test_log_likelihood_equals_its_formula(here: int, there: int, size: int, other: int) -> None:
    """Rayson and Garside (2000): twice the sum of observed times the logarithm of observed by expected."""
    expected = [n * (here + there) / (size + other) for n in (size, other)]
    terms = [o * math.log(o / e) for o, e in zip((here, there), expected, strict=True) if o]
    value = log_likelihood(np.array([here]), np.array([there]), size, other)[0]
    assert value == pytest.approx(2 * sum(terms), abs=1e-6)


def test_a_word_that_the_reference_lacks_has_a_finite_ratio() -> None:
    """Half an occurrence stands for none."""
    assert log_ratio(np.array([8]), np.array([0]), 1000, 1000).tolist() == [4.0]
