"""Learning the template of a site from some of its pages: which blocks recur on them.

No labels are needed, and pages alone cannot tell: of a page that is read by itself, "Read our newsletter" is a
paragraph like another.

On the 166 gold pages of 22 sites with five pages and more, each read with what the site's other pages teach and by
weights that have seen none of them (``benchmarks/site_models.py``), mean F1 of ``auto`` rises from .959 to .961 (from
.941 to .952 when it read single pages less well). Much of the rest no template can give: six pages whose true text
stops short of the article, or has teasers in it, make a third of it; to leave out what recurs on the other pages and
stands in none of their true texts would give +.0024 with all of them in hand. Among thresholds of .15 to .5 of the
pages, two or three at least, the differences are small. What was tried and did not pay: to subtract the share of pages
from a block's log-odds (the same), to add what the extractor thinks of blocks in the same place on other pages (+.000),
to measure the page without what recurs (.001 less).

An article that stands at several addresses would recur as well. So pages that share most of what is their own count as
one, and what is long enough to be a paragraph must recur on more pages than a short text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.extractors.auto.blocks.site_template import KEY, block_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Array = np.ndarray[Any, np.dtype[Any]]

SCHEME = "1"
"""Scheme of the keys (`site_template`). It changes with them; templates of another scheme are learned again."""
WEIGHT = np.dtype("<u4")
MOST_BLOCKS = 2000
"""Blocks of a page that are looked at: the first so many different ones."""
_SCALE = 3600
"""Weights are taken in whole numbers, so that no order of pages makes a difference."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The blocks of one page as bytes: their keys (see ``extractors.template``) and lengths in letters of an alphabet.

    Each key once, and both in the same order.
    """

    keys: bytes = b""
    weights: bytes = b""

    @property
    def sound(self) -> bool:
        """Whether there are blocks, and a weight for each: it may come from a worker that a page has taken over."""
        count, rest = divmod(len(self.keys), KEY.itemsize)
        return count > 0 and not rest and len(self.weights) == count * WEIGHT.itemsize


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From when on a block belongs to the template. Pages are different ones; shares are of those there are."""

    sample: int = 5
    """Fewer pages teach nothing."""
    share: float = 0.3
    pages: int = 3
    prose: int = 100
    """Letters from which a block may be a paragraph of an article ..."""
    prose_share: float = 0.5
    prose_pages: int = 4
    """... and on what share and how many of the pages such a block must stand."""
    alike: float = 0.4
    """Share of their own text from which two pages are the same."""
    most: int = 2000
    """Keys in a template; those on most pages."""


THRESHOLDS = Thresholds()


@dataclass(frozen=True, slots=True)
class Learned:
    """A template as sorted keys, and of how many different pages it was learned."""

    template: bytes
    pages: int

    def __len__(self) -> int:
        return len(self.template) // KEY.itemsize


def survey_html(html: str) -> Survey:
    """Survey a decoded page; markup that would strain the parser gives an empty survey."""
    from pipelines.extractors.auto.blocks.text_stats import count
    from pipelines.extractors.auto.blocks.walk import walk
    from pipelines.markup.tree import parse_tree

    blocks = walk(parse_tree(html))
    if not len(blocks):
        return Survey()
    keys = block_keys(blocks)
    kept = np.sort(np.unique(keys, return_index=True)[1])[:MOST_BLOCKS]
    weights = np.maximum(1, count(blocks.texts).weight)[kept]
    return Survey(keys[kept].tobytes(), weights.astype(WEIGHT).tobytes())


def learn(surveys: Iterable[Survey], thresholds: Thresholds = THRESHOLDS) -> Learned:
    """Return the template of the pages surveyed, whatever their order; an empty one when they are too few."""
    pages = [page for page in surveys if page.sound]
    if len(pages) < thresholds.sample:
        return Learned(b"", len(pages))
    table = _Table.of(pages)
    labels = different(table, thresholds.alike)
    number = len(np.unique(labels))
    if number < thresholds.sample:
        return Learned(b"", number)
    seen = np.bincount(np.unique(table.columns * len(pages) + labels[table.rows]) // len(pages))
    prose = table.weights >= thresholds.prose
    enough = np.where(
        prose,
        max(thresholds.prose_pages, math.ceil(thresholds.prose_share * number)),
        max(thresholds.pages, math.ceil(thresholds.share * number)),
    )
    found = np.flatnonzero(seen >= enough)
    most = found[np.argsort(-seen[found], kind="stable")][: thresholds.most]
    return Learned(np.sort(table.keys[most]).tobytes(), number)


@dataclass(frozen=True, slots=True)
class _Table:
    """Which key stands on which page: distinct keys in ascending order, and a row and column for each occurrence."""

    keys: Array
    weights: Array
    """Of each key the greatest there is, in letters."""
    rows: Array
    columns: Array

    @classmethod
    def of(cls, pages: Sequence[Survey]) -> _Table:
        """Put together what stands on each page."""
        held = [np.frombuffer(page.keys, KEY) for page in pages]
        keys, columns = np.unique(np.concatenate(held), return_inverse=True)
        weights = np.zeros(len(keys), np.int64)
        np.maximum.at(weights, columns, np.concatenate([np.frombuffer(page.weights, WEIGHT) for page in pages]))
        return cls(keys, weights, np.repeat(np.arange(len(pages)), [len(each) for each in held]), columns)


def different(table: _Table, alike: float) -> Array:
    """Give each page a label; pages that are the same, or the same as a third, have the same.

    Two are the same when what they share is at least so large a part of what either has. Text that many pages have
    says little about any of them: its length counts by the square of how many they are.
    """
    on_pages = np.bincount(table.columns)
    mass = table.weights * _SCALE // on_pages**2
    count = int(table.rows[-1]) + 1
    own = np.bincount(table.rows, mass[table.columns], minlength=count)
    common = np.flatnonzero(on_pages > 1)
    place = np.searchsorted(common, table.columns)
    is_common = on_pages[table.columns] > 1
    there = np.zeros((count, len(common)))
    there[table.rows[is_common], place[is_common]] = 1.0
    shared = (there * mass[common]) @ there.T
    same = shared >= alike * (own[:, None] + own - shared)
    np.fill_diagonal(same, val=True)
    labels = np.arange(count)
    while True:
        spread = np.where(same, labels, count).min(axis=1)
        if np.array_equal(spread, labels):
            return labels
        labels = spread
