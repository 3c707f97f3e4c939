"""Intervals of means and of differences, by resampling sites."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.lab import PageScore, Report, Score, render, score_tables
from corpus_spider.lab.intervals import interval
from corpus_spider.lab.score_table import difference
from storage.errors import ConfigError


def report(name: str, f1: list[float], sites: list[str] | None = None) -> Report:
    """A report of pages p0, p1 … of a language each half."""
    names = sites or [f"site{number}" for number in range(len(f1))]
    return Report(
        name,
        tuple(
            PageScore(f"p{number}", "en" if number % 2 else "fa", None, name, Score(value, value, value), cluster=site)
            for number, (value, site) in enumerate(zip(f1, names, strict=True))
        ),
    )


def test_an_interval_is_as_wide_as_theory_has_it() -> None:
    """Of 400 sites of a page each: the mean, less and more 1.96 standard errors."""
    chosen = random.Random(3)
    values = [chosen.random() for _ in range(400)]
    found = interval(values, [str(number) for number in range(400)])
    assert found is not None
    mean = sum(values) / 400
    error = (sum((value - mean) ** 2 for value in values) / 400 / 400) ** 0.5
    assert found.low == pytest.approx(mean - 1.96 * error, abs=0.15 * error)
    assert found.high == pytest.approx(mean + 1.96 * error, abs=0.15 * error)


def test_pages_of_a_site_are_not_independent() -> None:
    """Ten pages of each of ten sites that do alike tell no more than a page of each."""
    means = [number / 10 for number in range(10)]
    once = interval(means, [str(number) for number in range(10)])
    repeated = interval(
        [mean for mean in means for _ in range(10)], [str(site) for site in range(10) for _ in range(10)]
    )
    assert once is not None
    assert repeated == pytest.approx(once)


@pytest.mark.parametrize("sites", [[], ["a"], ["a", "a", "a"]])
def test_one_site_has_no_interval(sites: list[str]) -> None:
    """Nothing can be drawn from a single one."""
    assert interval([0.5] * len(sites), sites) is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abc\0é")), max_size=20))
def test_an_interval_lies_within_the_values_and_is_the_same_again(pages: list[tuple[float, str]]) -> None:
    """Bounds are means of values that there are, in order, and no run differs from another."""
    values, sites = [value for value, _ in pages], [site for _, site in pages]
    found = interval(values, sites)
    assert found == interval(values, sites)
    if found is not None:
        assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9


def test_many_sites_are_drawn_in_parts() -> None:
    """Memory does not grow with the number of sites times that of draws."""
    found = interval([0.0, 1.0] * 10_000, [str(number) for number in range(20_000)])
    assert found is not None
    assert 0.49 < found.low < 0.5 < found.high < 0.51


def test_a_difference_is_taken_page_by_page() -> None:
    """What is hard for both does not blur it: a page as good by a tenth everywhere has an interval of no width."""
    other = report("other", [0.1, 0.5, 0.8, 0.3])
    found = difference(report("one", [0.2, 0.6, 0.9, 0.4]).scores, other)
    assert (found["against"], found["difference"]) == ("other", pytest.approx(0.1))
    assert (found["difference_low"], found["difference_high"]) == pytest.approx((0.1, 0.1))


def test_pages_that_the_other_has_not_do_not_count() -> None:
    """Only shared pages are compared; without any there is no difference."""
    found = difference(report("one", [0.2, 0.6, 0.9]).scores, report("other", [0.1]))
    assert found["difference"] == pytest.approx(0.1)
    assert difference(report("one", [0.2]).scores, Report("none", ())) == {}


def test_differences_stand_in_every_row_and_in_a_table() -> None:
    """By language and over all, with their bounds; a name that is not scored is refused."""
    reports = (report("one", [0.2, 0.6, 0.9, 0.4]), report("other", [0.1, 0.6, 0.7, 0.4]))
    found = score_tables(*reports, against="other").summary
    assert [row["difference"] for row in found] == [0.075, 0.0, 0.15, 0.0, 0.0, 0.0]
    assert all(row["difference_low"] <= row["difference"] <= row["difference_high"] for row in found)
    lines = render(*reports, against="other").splitlines()
    assert [line.split("\t")[:4] for line in lines if line.startswith("one\tall\t")] == [["one", "all", "4", "+0.075"]]
    assert not [line for line in lines if line.startswith(("other\tall", "one\tfa"))]
    many = (report("one", [0.2] * 10 + [0.4] * 10), report("other", [0.1] * 10 + [0.4] * 10))
    assert "one\tfa\t10\t+0.050\t+0.020 to +0.080" in render(*many, against="other").splitlines()
    with pytest.raises(ConfigError, match="'third' is not scored"):
        score_tables(*reports, against="third")
