"""Learn the template of a site from some of its pages: the blocks that recur on them.

Learning needs no labels. A single page is not enough: "Read our newsletter" looks like any other paragraph there.

On the 166 gold pages of 22 sites with five pages and more, each read with what the site's other pages teach and by
weights that have seen none of them (``benchmarks/site_models.py``), mean F1 of ``auto`` rises from .959 to .961 (from
.941 to .952 when it read single pages less well). Much of the rest no template can give: six pages whose true text
stops short of the article, or includes teasers, make a third of it. Leaving out the blocks that recur on the other
pages and are in none of their true texts would give +.0024. Thresholds from .15 to .5 of the pages, at least two or
three, differ little. Three variants did not pay: subtract the share of pages from a block's log-odds (no difference),
add the extractor's scores of blocks in the same place on other pages (+.000), measure the page without the recurring
blocks (-.001).

An article at several URLs would recur as well. So pages that share most of their own text count as one. A text as long
as a sentence must recur on more pages than a short text.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.extractors.auto.blocks.site_template import KEY, MAX_LINKED_SHARE, block_keys
from pipelines.text.normalise import clean_all
from pipelines.text.scripts import size
from storage.bytes.lines import digest, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pipelines.extractors.auto.blocks.walk import BlockSequence

Array = np.ndarray[Any, np.dtype[Any]]

SCHEME = "1"
"""Scheme of the keys (`site_template`). It changes with them; templates of another scheme are learned again."""
WEIGHT = np.dtype("<u4")
MOST_BLOCKS = 2000
"""Distinct blocks of a page that are surveyed, the first ones."""
_SCALE = 3600
"""Factor that makes weights integers, so that the order of the pages does not matter."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The blocks of one page as bytes: their keys (see ``site_template``) and lengths in letters of an alphabet.

    Each key once, and both in the same order.
    """

    keys: bytes = b""
    weights: bytes = b""
    lines: bytes = b""
    """Digests of its sentences, wherever they are on the page, packed (``storage.bytes.lines``)."""

    @property
    def sound(self) -> bool:
        """Whether there are blocks and one weight for each. A compromised worker may send anything."""
        count, rest = divmod(len(self.keys), KEY.itemsize)
        return count > 0 and not rest and len(self.weights) == count * WEIGHT.itemsize


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Thresholds from which a block belongs to the template. Only different pages count."""

    sample: int = 5
    """Fewer pages teach nothing."""
    share: float = 0.3
    pages: int = 3
    prose: int = 40
    """Letters from which a block may be a sentence of an article, such as the first one of a weekly column.

    With 25, 60 or 100 no gold page is read differently.
    """
    prose_share: float = 0.5
    prose_pages: int = 4
    """Share and number of pages on which such a block must recur."""
    alike: float = 0.4
    """Share of their own text from which two pages count as one."""
    most: int = 2000
    """Keys in a template, at most: those on most pages."""


THRESHOLDS = Thresholds()


@dataclass(frozen=True, slots=True)
class LearnedTemplate:
    """A template as sorted keys, and the number of different pages it was learned from."""

    template: bytes
    pages: int
    on_pages: Mapping[int, int] = field(default_factory=dict)
    """Digests of sentences that are on several of these pages, with their number, in any place or layout."""

    def __len__(self) -> int:
        return len(self.template) // KEY.itemsize


def survey_html(html: str) -> Survey:
    """Survey a decoded page; markup that would strain the parser gives an empty survey."""
    from pipelines.extractors.auto.blocks.text_measures import measure_texts
    from pipelines.extractors.auto.blocks.walk import walk
    from pipelines.markup.tree import parse_tree

    blocks = walk(parse_tree(html))
    if not len(blocks):
        return Survey()
    keys = block_keys(blocks)
    kept = np.sort(np.unique(keys, return_index=True)[1])[:MOST_BLOCKS]
    weights = np.maximum(1, measure_texts(blocks.texts).weight)[kept]
    return Survey(keys[kept].tobytes(), weights.astype(WEIGHT).tobytes(), pack(map(digest, _sentences(blocks))))


def _sentences(blocks: BlockSequence) -> Iterator[str]:
    """Yield the lines of a page that are long enough and no links, as texts have them."""
    for index in range(min(len(blocks), MOST_BLOCKS)):
        if blocks.linked[index] <= MAX_LINKED_SHARE * len(blocks.texts[index]):
            yield from (line for line in clean_all(blocks.lines(index)) if size(line) >= THRESHOLDS.prose)


def learn(surveys: Iterable[Survey], thresholds: Thresholds = THRESHOLDS) -> LearnedTemplate:
    """Learn the template of the surveyed pages, in any order. It is empty if they are too few."""
    pages = [page for page in surveys if page.sound]
    if len(pages) < thresholds.sample:
        return LearnedTemplate(b"", len(pages))
    table = _Table.of(pages)
    labels = different(table, thresholds.alike)
    number = len(np.unique(labels))
    if number < thresholds.sample:
        return LearnedTemplate(b"", number)
    seen = np.bincount(np.unique(table.columns * len(pages) + labels[table.rows]) // len(pages))
    prose = table.weights >= thresholds.prose
    enough = np.where(
        prose,
        max(thresholds.prose_pages, math.ceil(thresholds.prose_share * number)),
        max(thresholds.pages, math.ceil(thresholds.share * number)),
    )
    found = np.flatnonzero(seen >= enough)
    most = found[np.argsort(-seen[found], kind="stable")][: thresholds.most]
    pages_of = {
        (line, label) for page, label in zip(pages, labels.tolist(), strict=True) for line in unpack(page.lines)
    }
    on_pages = Counter(line for line, _ in pages_of)
    several = {line: count for line, count in on_pages.items() if count >= thresholds.pages}
    return LearnedTemplate(np.sort(table.keys[most]).tobytes(), number, several)


@dataclass(frozen=True, slots=True)
class _Table:
    """Keys by page: distinct keys in ascending order, and a row (page) and column (key) for each occurrence."""

    keys: Array
    weights: Array
    """Greatest weight of each key, in letters."""
    rows: Array
    columns: Array

    @classmethod
    def of(cls, pages: Sequence[Survey]) -> _Table:
        """Build the table from the surveys."""
        held = [np.frombuffer(page.keys, KEY) for page in pages]
        keys, columns = np.unique(np.concatenate(held), return_inverse=True)
        weights = np.zeros(len(keys), np.int64)
        np.maximum.at(weights, columns, np.concatenate([np.frombuffer(page.weights, WEIGHT) for page in pages]))
        return cls(keys, weights, np.repeat(np.arange(len(pages)), [len(each) for each in held]), columns)


def different(table: _Table, alike: float) -> Array:
    """Label the pages, so that equal pages, directly or by a third page, have one label.

    Two pages are equal if the text they share is at least the share ``alike`` of their union. Text on many pages says
    little about each of them: its length is divided by the square of their number.
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
