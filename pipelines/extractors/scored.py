"""Scored: how likely each block belongs to the main content, learned from pages with their true text; our own.

BTE's idea carried on: text is gained, markup is lost, and the content is the part of the page where the balance is
best. Here the weights of gain and loss are learned. A first logistic regression sees a block, its neighbours, the
elements around it and the page (``block_features.measure``); a second sees the same and what the first made of the
rest of the page (``measure_again``). Nothing depends on a language, a site or its classes. ``auto_model.json`` holds
mean, deviation and weight of each measure, and is made by ``benchmarks/train_auto.py``.

The content is the set of blocks with the greatest expected F1: by falling probability p and length l, up to where
2 · Σp·l of those taken / (Σl of those taken + Σp·l of all) is greatest. That value is also the confidence.

Policy: the body of the article with its headings, list items, tables and quotations, in the order of the page. Out are
title, byline, date, captions, prompts to share, subscribe or read on, related links, comments, and what is hidden.

Markup that would strain the parser is read flat, by ``density``, and the extraction says so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.extractors import density
from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.block_features import Page, measure, measure_again
from pipelines.extractors.block_walk import walk
from pipelines.extractors.soup import scan
from storage.records import Extraction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.extractors.block_features import Columns
    from pipelines.extractors.block_texts import Array

NAME, VERSION = "scored", "1"
MODEL = Path(__file__).with_name("auto_model.json")
LIMIT = 4.0
"""Measures count up to so many deviations from their means."""
TITLE = 0.6
"""Share of the stated title from which a block is the title."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Measures by name, with the means and deviations that make them comparable."""

    names: tuple[str, ...]
    means: Array
    deviations: Array

    def rows(self, columns: Columns) -> Array:
        """Return a row of scaled numbers for each measure."""
        rows = np.empty((len(self.names), len(columns[self.names[0]])))
        for index, name in enumerate(self.names):
            rows[index] = columns[name]
        rows -= self.means[:, None]
        rows /= self.deviations[:, None]
        return np.clip(rows, -LIMIT, LIMIT, out=rows)


@dataclass(frozen=True, slots=True)
class Model:
    """Both stages: ``first`` weighs the measures, ``second`` weighs them again and ``again`` those made from the first.

    The last of ``first`` and ``second`` is the bias.
    """

    scale: Scale
    scale_again: Scale
    first: Array
    second: Array
    again: Array

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Model:
        """Read it as ``auto_model.json`` has it."""
        once, again = (np.asarray(list(stored[key].values()), float) for key in ("measures", "again"))
        return cls(
            Scale(tuple(stored["measures"]), once[:, 0], once[:, 1]),
            Scale(tuple(stored["again"]), again[:, 0], again[:, 1]),
            np.append(once[:, 2], stored["bias"][0]),
            np.append(once[:, 3], stored["bias"][1]),
            again[:, 2],
        )

    def probabilities(self, page: Page, columns: Columns) -> Array:
        """Return how likely each block belongs to the main content."""
        rows = self.scale.rows(columns)
        first = _logistic(self.first[:-1] @ rows + self.first[-1])
        again = self.scale_again.rows(measure_again(page, first))
        return _logistic(self.second[:-1] @ rows + self.again @ again + self.second[-1])


def _logistic(odds: Array) -> Array:
    probability: Array = 1 / (1 + np.exp(-odds))
    return probability


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found on a page: paragraphs, and the F1 they are expected to have, 0 to 1."""

    paragraphs: tuple[str, ...]
    confidence: float
    problem: str = ""
    """Why the page was not read at all; "" if it was."""


@cache
def _model() -> Model:
    return Model.of(json.loads(MODEL.read_text(encoding="utf-8")))


def extract(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the blocks that are expected to be the main content; pages that strain parsers are read by density."""
    reading = read(html)
    if reading.problem:
        return Extraction(density.main_blocks(scan(html)), density.NAME, density.VERSION, reading.problem)
    return Extraction(reading.paragraphs, NAME, VERSION, expected(reading))


def expected(reading: Reading) -> str:
    """Say how confident a reading is."""
    return f"expected F1 {reading.confidence:.2f}"


def read(html: str) -> Reading:
    """Read a page, unless it has no text or its markup would strain the parser."""
    from pipelines.tree import parse_unguarded, strain  # imports this package

    if problem := strain(html):
        return Reading((), 0.0, problem)
    blocks = walk(parse_unguarded(html.replace("\0", "")))
    if not len(blocks):
        return Reading((), 0.0, "no text in the body")
    page = Page(blocks)
    columns = measure(page)
    chosen, confidence = choose(_model().probabilities(page, columns), page.texts.chars)
    chosen &= ~page.hidden & (columns["title"] <= TITLE)
    found = (line for index in np.flatnonzero(chosen).tolist() for line in blocks.lines(index))
    return Reading(tuple(found), confidence)


def choose(probability: Array, chars: Array) -> tuple[Array, float]:
    """Return the set of blocks with the greatest expected F1 as a mask, and that F1.

    >>> choose(np.array([0.9, 0.1, 0.8]), np.array([100, 100, 50]))[0].tolist()
    [True, False, True]
    """
    order = np.argsort(-probability, kind="stable")
    expected = probability * chars
    found = 2 * np.cumsum(expected[order]) / (np.cumsum(chars[order]) + expected.sum())
    best = int(np.argmax(found))
    chosen = np.zeros(len(probability), bool)
    chosen[order[: best + 1]] = True
    return chosen, float(found[best])
