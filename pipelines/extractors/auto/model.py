"""The model: how likely each block of a page belongs to the main content.

BTE's idea carried on: text is gained, markup is lost, and the content is the part of the page where the balance is
best. Here the weights of gain and loss are learned, by two logistic regressions. The first sees a block, its
neighbours, the elements around it, the page, and whether the block speaks of the page's title (``features.measure``).
The second sees the same, and what the first made of the rest of the page (``measure_again``). No measure depends on a
language, a site or its classes.

``auto_model.json`` holds the mean, deviation and weight of each measure. ``benchmarks/train_auto.py`` makes it from
pages with their true text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.extractors.auto.blocks.features import measure_again

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.extractors.auto.blocks.page import Columns, PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array

MODEL = Path(__file__).with_name("auto_model.json")
LIMIT = 4.0
"""Deviations from the mean at which a measure is cut off."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Measures by name, with what makes them comparable: their means, and one over their deviations, a row each."""

    names: tuple[str, ...]
    means: Array
    factors: Array

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Scale:
        """Read it as ``auto_model.json`` has it: mean and deviation first."""
        means, deviations = np.array([row[:2] for row in stored.values()], np.float32).T[:, :, None]
        return cls(tuple(stored), means, 1 / deviations)

    def rows(self, columns: Columns) -> Array:
        """Return a row of scaled numbers for each measure."""
        rows: Array = np.concatenate([columns[name] for name in self.names], dtype=np.float32, casting="unsafe")
        rows = rows.reshape(len(self.names), -1)
        rows -= self.means
        rows *= self.factors
        return rows.clip(-LIMIT, LIMIT, out=rows)


@dataclass(frozen=True, slots=True)
class Model:
    """Both stages: ``once`` has the weights of the measures in either, with ``bias``.

    ``again`` has the second's weights of what is measured by the first.
    """

    scale: Scale
    scale_again: Scale
    once: Array
    bias: Array
    again: Array

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Model:
        """Read it as ``auto_model.json`` has it."""
        once, again = (list(stored[key].values()) for key in ("measures", "again"))
        return cls(
            Scale.of(stored["measures"]),
            Scale.of(stored["again"]),
            np.array([row[2:] for row in once], np.float32).T,
            np.array(stored["bias"], np.float32)[:, None],
            np.array([row[2] for row in again], np.float32),
        )

    def probabilities(self, page: PageBlocks, columns: Columns, template: Array) -> Array:
        """Return how likely each block belongs to the main content; those of the template do not."""
        first, second = self.once @ self.scale.rows(columns) + self.bias
        likely = logistic(first)
        likely[template] = 0.0
        again = self.scale_again.rows(measure_again(page, likely))
        probability = logistic(second + self.again @ again)
        probability[template] = 0.0
        return probability


def logistic(odds: Array) -> Array:
    """Return the probability for each log-odds."""
    probability: Array = 1 / (1 + np.exp(-odds.astype(float)))
    return probability


@cache
def model() -> Model:
    """Return the model that ships with this package."""
    return Model.of(json.loads(MODEL.read_text(encoding="utf-8")))


def choose(probability: Array, chars: Array) -> tuple[Array, float]:
    """Return the set of blocks with the greatest expected F1 as a mask, and that F1.

    >>> choose(np.array([0.9, 0.1, 0.8]), np.array([100, 100, 50]))[0].tolist()
    [True, False, True]
    """
    order = (-probability).argsort(kind="stable")
    expected = probability * chars
    found = 2 * np.add.accumulate(expected[order]) / (np.add.accumulate(chars[order]) + expected.sum())
    best = int(found.argmax())
    chosen = np.zeros(len(probability), bool)
    chosen[order[: best + 1]] = True
    return chosen, float(found[best])
