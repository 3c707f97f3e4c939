"""Reliability of the confidence: expected and actual F1."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.lab import render, score_tables
from corpus_spider.lab.evaluate import PageScore, Report
from corpus_spider.lab.score_table import EDGES, reliability
from corpus_spider.lab.scores import Score
from corpus_spider.lab.worst import as_svg


def pages(*pairs: tuple[float | None, float]) -> list[PageScore]:
    """Pages of (expected F1, actual F1)."""
    return [
        PageScore(f"p{number}", "en", None, "auto", Score(f1, f1, f1), confidence=expected)
        for number, (expected, f1) in enumerate(pairs)
    ]


def test_expected_and_actual_f1_stand_side_by_side() -> None:
    """Means by bins, the distance of the two weighted by pages, and how well little confidence tells poor texts."""
    found = reliability(pages((0.96, 1.0), (1.0, 0.9), (0.55, 0.2), (None, 0.0), (0.2, 0.3)))
    assert found
    assert [(one["from"], one["to"], one["pages"]) for one in found.bins] == [(0, 0.5, 1), (0.5, 0.6, 1), (0.95, 1, 2)]
    assert [round(one["expected"], 3) for one in found.bins] == [0.2, 0.55, 0.98]
    assert [round(one["f1"], 3) for one in found.bins] == [0.3, 0.2, 0.95]
    assert found.error == pytest.approx((0.1 + 0.35 + 2 * 0.03) / 4)
    assert found.ranking == 1.0


def test_the_mean_of_equal_values_may_round_to_below_the_edge_of_their_bin() -> None:
    """Three pages at .95 have a mean of 0.9499999999999998, and stay in the bin from .95."""
    found = reliability(pages((0.95, 0.0), (0.95, 0.0), (0.95, 0.0)))
    assert found
    assert [(one["from"], one["pages"]) for one in found.bins] == [(0.95, 3)]


def test_without_confidence_there_is_nothing_to_compare() -> None:
    """Extractors that expect nothing have no table."""
    scores = pages((None, 0.5))
    assert reliability(scores) is None
    assert "expected" not in render(Report("bte", tuple(scores)))
    assert score_tables(Report("bte", tuple(scores))).reliability == []


def test_the_table_and_the_json_have_the_bins() -> None:
    """For people and for programs."""
    report = Report("auto", tuple(pages((0.97, 0.9), (0.97, 0.94))))
    assert "0.95 to 1\t2\t0.970\t0.920" in render(report)
    (row,) = score_tables(report).reliability
    assert (row["extractor"], row["pages"], row["expected"], row["f1"]) == ("auto", 2, 0.97, 0.92)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_every_page_is_in_one_bin_and_the_diagram_is_well_formed(pairs: list[tuple[float, float]]) -> None:
    """With any expected text; the diagram is XML whose dots lie inside it."""
    found = reliability(pages(*pairs))
    assert found
    assert sum(one["pages"] for one in found.bins) == len(pairs)
    assert all(one["from"] - 1e-9 <= one["expected"] <= one["to"] + 1e-9 for one in found.bins)
    assert 0 <= found.error <= 1
    root = ElementTree.fromstring(as_svg(found))
    dots = root.findall("{http://www.w3.org/2000/svg}circle")
    assert len(dots) == len(found.bins) <= len(EDGES) - 1
    assert all(0 <= float(dot.attrib[name]) <= float(root.attrib["width"]) for dot in dots for name in ("cx", "cy"))
