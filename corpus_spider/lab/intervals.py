"""95 % confidence intervals of a mean by cluster bootstrap over sites (Efron and Tibshirani, 1993, ch. 13).

Pages of a site share its template, so whole sites are resampled, not pages. The samples are the same in every run and
for all extractors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

DRAWS = 1000
SEED = 20110101
AT_ONCE = 1_000_000
"""Random numbers drawn at a time, to limit memory."""


class Interval(NamedTuple):
    """Bounds of the middle 95 % of the resampled means."""

    low: float
    high: float


def interval(values: Sequence[float], sites: Sequence[str]) -> Interval | None:
    """Return the interval of the mean. ``values`` and ``sites`` have one element for each page.

    Returns None for fewer than two sites. For the interval of a difference, pass the differences page by page.
    """
    _, numbers = np.unique(np.asarray(sites, dtype=object).astype(str), return_inverse=True)
    pages = np.bincount(numbers)
    if len(pages) < 2:
        return None
    sums = np.bincount(numbers, weights=np.asarray(values, dtype=float))
    random = np.random.default_rng(SEED)
    means: list[float] = []
    while len(means) < DRAWS:
        size = min(max(AT_ONCE // len(pages), 1), DRAWS - len(means))
        drawn = random.multinomial(len(pages), np.full(len(pages), 1 / len(pages)), size=size)
        means += (drawn @ sums / (drawn @ pages)).tolist()
    low, high = np.quantile(means, (0.025, 0.975))
    return Interval(float(low), float(high))
