"""Reliability of an extractor's confidence: expected F1 against actual F1 (a reliability diagram).

Pages are binned by expected F1. The expected calibration error is the mean distance of both, weighted by pages. Ranking
is the AUC of confidence for poor texts: the probability that a page with F1 below ``POOR_F1`` has less confidence than
another page. After Guo et al., "On Calibration of Modern Neural Networks", ICML 2017, section 2.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from corpus_spider.lab.intervals import Interval, interval
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from corpus_spider.lab.evaluate import PageScore

EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0)
"""Bounds of the bins. They are narrower where most pages are."""
POOR_F1 = 0.5
"""A text with a lower F1 is poor."""
SIDE, MARGIN, DOT = 300, 40, 12


@dataclass(frozen=True, slots=True)
class Bin:
    """Pages with an expected F1 from ``low`` to ``high``: means of expected and actual F1."""

    low: float
    high: float
    pages: int
    expected: float
    actual: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Reliability:
    """Non-empty bins, the expected calibration error, and the AUC for poor texts (None without poor texts)."""

    bins: tuple[Bin, ...]
    error: float
    ranking: float | None


def reliability(scores: Sequence[PageScore]) -> Reliability | None:
    """Compare expected with actual F1. Return None if no page has a confidence."""
    groups: dict[int, list[PageScore]] = {}
    ranked = []
    for page in scores:
        if page.confidence is not None:
            place = min(max(bisect_right(EDGES, page.confidence) - 1, 0), len(EDGES) - 2)
            groups.setdefault(place, []).append(page)
            ranked.append((page.confidence, page.score.f1 < POOR_F1))
    if not ranked:
        return None
    bins = tuple(_bin(place, groups[place]) for place in sorted(groups))
    error = sum(one.pages * abs(one.expected - one.actual) for one in bins) / len(ranked)
    return Reliability(bins, error, _ranking(ranked))


def _bin(place: int, pages: Sequence[PageScore]) -> Bin:
    actual = [page.score.f1 for page in pages]
    bounds = interval(actual, [page.cluster or page.page for page in pages])
    expected = fmean(page.confidence or 0.0 for page in pages)
    return Bin(EDGES[place], EDGES[place + 1], len(pages), expected, fmean(actual), bounds)


def _ranking(pages: Sequence[tuple[float, bool]]) -> float | None:
    """Return how often a poor page has less confidence than another page. Ties count half."""
    poor, good = ([expected for expected, is_poor in pages if is_poor is kind] for kind in (True, False))
    if not poor or not good:
        return None
    wins = sum((one < other) + (one == other) / 2 for one in poor for other in good)
    return wins / (len(poor) * len(good))


def as_svg(found: Reliability) -> str:
    """Draw actual over expected F1. Each bin is a dot, larger for more pages, with its interval.

    Dots on the diagonal are well calibrated.
    """
    most = max(one.pages for one in found.bins)
    side = SIDE + 2 * MARGIN
    marks = "".join(_ticks() + [_mark(one, most) for one in found.bins])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" width="{side}" height="{side}" role="img"'
        ' font-family="sans-serif" font-size="12"><title>Expected and actual F1</title>'
        f'<path d="M{_x(0)} {_y(1)}V{_y(0)}H{_x(1)}M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}" fill="none" stroke="#888"/>'
        f'<text x="{_x(0.5)}" y="{side - 8}" text-anchor="middle">expected F1</text>'
        f'<text x="{_x(0)}" y="{MARGIN - 12}" text-anchor="middle">actual F1</text>{marks}</svg>'
    )


def _ticks() -> list[str]:
    return [
        f'<text x="{_x(at)}" y="{_y(0) + 16}" text-anchor="middle">{at:g}</text>'
        f'<text x="{_x(0) - 6}" y="{_y(at) + 4}" text-anchor="end">{at:g}</text>'
        for at in (0.0, 0.5, 1.0)
    ]


def _mark(one: Bin, most: int) -> str:
    x, size = _x(one.expected), max(2.0, DOT * (one.pages / most) ** 0.5)
    bar = ""
    if one.interval:
        bar = f'<path d="M{x} {_y(one.interval.low)}V{_y(one.interval.high)}" stroke="#36c"/>'
    title = f"{counted(one.pages, 'page')}: expected {one.expected:.3f}, actual {one.actual:.3f}"
    return f'{bar}<circle cx="{x}" cy="{_y(one.actual)}" r="{size:.1f}" fill="#36c"><title>{title}</title></circle>'


def _x(value: float) -> float:
    return round(MARGIN + SIDE * value, 1)


def _y(value: float) -> float:
    return round(MARGIN + SIDE * (1 - value), 1)
