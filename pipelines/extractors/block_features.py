"""What is measured of each block of a page: plain numbers that mean the same in every script and language.

Lengths are in letters of an alphabet (``block_texts``). A block's groups are the elements around it that hold more
than one block, from the innermost outwards, each larger than the one before.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.extractors import block_likeness, block_marks, block_texts
from pipelines.extractors.block_marks import BIT, PRAISE
from pipelines.extractors.block_texts import COMMA, DIGIT, OTHER, UPPER

if TYPE_CHECKING:
    from pipelines.extractors.block_texts import Array
    from pipelines.extractors.block_walk import Blocks

Columns = dict[str, Any]
"""Measures by name, each an array with a number a block."""

KINDS = ("p", "h1", "h2", "h3", "h4", "li", "td", "div", "dd", "blockquote", "pre", "section", "figcaption", "other")
_KIND = {name: index for index, name in enumerate(KINDS)} | {
    **dict.fromkeys(("h5", "h6"), 4),
    **dict.fromkeys(("th", "tr"), 6),
    **dict.fromkeys(("body", "center"), 7),
    **dict.fromkeys(("article", "main"), 11),
}
_KIND |= {"dt": 8, "caption": 12}
_COST = np.array([10, 10, 10, 10, 10, 55, 35, 35, 35, 10, 10, 35, 60, 60], float)
"""What a block costs by its kind, in letters, in a first guess at the region (as in ``density``)."""

MOST = 0.6
"""A mark that an element with more than this share of the page's text bears tells nothing against it."""
MOST_COMMENTS = 0.85
LONG = 80
"""Shortest block that may be a paragraph of an article's body."""
SHORT = 100
"""Letters of likely content from which an element may hold a whole article."""
LEVELS = ("g1", "g2", "g3")
_OUTSIDE = BIT["nav"] | BIT["footer"] | BIT["aside"] | BIT["comment"] | BIT["hidden"]
_KIND_INDICES = np.arange(len(KINDS))[:, None]
_IS_KIND = [f"is_{name}" for name in KINDS]
_BITS = np.array(list(BIT.values()))[:, None]
_IN_MARKS, _NEAR_MARKS = [f"in_{name}" for name in BIT], [f"near_{name}" for name in BIT]
_NOT_WORD = re.compile(r"[\W_]+")


class Page:
    """The blocks of a page (one at least) with what both stages need: texts measured, sums over elements, groups."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.count = len(blocks)
        self.order = np.arange(self.count)
        self.texts = block_texts.count(blocks.texts)
        self.weight = self.texts.weight
        self.link = np.minimum(
            1.0, np.asarray(blocks.linked) / np.fromiter(map(len, blocks.texts), np.int64, self.count)
        )
        self.gain = self.weight * (1 - self.link)
        elements = blocks.elements
        self.first, self.last = np.asarray(elements.first), np.asarray(elements.last)
        self.parents = np.asarray(elements.parents)
        self.held = self.last - self.first
        self.inside = np.asarray(blocks.inside)
        self.alone = self.held[self.inside] == 1
        self.kind = np.asarray([_KIND.get(elements.names[index], 13) for index in blocks.inside])
        self.groups = self._groups()
        self.path, self.near = self._marks()
        self.title = _title_likeness(self)
        self.heads = (self.kind == _KIND["h1"]) | (self.title > 0.5)
        """What may be the article's headline."""
        self.words = block_likeness.Words(blocks.texts)
        self.looks = block_likeness.looks_of(elements)

    def total(self, values: Array, elements: Any = slice(None)) -> Any:
        """Return the sum of a column over the blocks of each of the elements."""
        sums = np.zeros(self.count + 1)
        np.cumsum(values, out=sums[1:])
        return sums[self.last[elements]] - sums[self.first[elements]]

    def holds(self, element: int) -> Array:
        """Say of each block whether it lies in an element."""
        inside: Array = (self.order >= self.first[element]) & (self.order < self.last[element])
        return inside

    @property
    def hidden(self) -> Array:
        """Say of each block whether it is hidden; an element with most of the text never is."""
        hidden: Array = (self.path & BIT["hidden"]) != 0
        return hidden

    def _groups(self) -> list[Array]:
        held, parents = self.held.tolist(), self.blocks.elements.parents
        wider = [0] * len(held)
        for index, parent in enumerate(parents):
            wider[index] = parent if held[parent] > held[index] else wider[parent]
        around = np.asarray(wider)
        groups = [np.where(self.alone, around[self.inside], self.inside)]
        groups.append(around[groups[0]])
        groups.append(around[groups[1]])
        return groups

    def _marks(self) -> tuple[Array, Array]:
        """Return the marks of all elements around each block, and those of the innermost two."""
        elements = self.blocks.elements
        own = np.fromiter(map(block_marks.marks, elements.names, elements.attributes), np.int64, len(self.held))
        shares = self.total(self.gain) / max(1.0, float(self.gain.sum()))
        own &= np.where(shares > MOST, PRAISE | np.where(shares < MOST_COMMENTS, BIT["comment"], 0), -1)
        path: list[int] = []
        for bits, parent in zip(own.tolist(), elements.parents, strict=True):
            path.append(bits | path[parent] if path else bits)
        return np.asarray(path)[self.inside], own[self.inside] | own[self.parents[self.inside]]


def measure(page: Page) -> Columns:
    """Return the measures for the first stage."""
    return {
        **_of_texts(page),
        **_of_marks(page),
        **_of_place(page),
        **_of_groups(page),
        **_of_candidates(page),
        **_of_neighbours(page),
        **_of_page(page),
        **block_likeness.measure(page),
    }


def measure_again(page: Page, first: Array) -> Columns:
    """Return the measures for the second stage: what the first stage, with its probabilities, thinks of the rest."""
    mass = first * page.weight
    everything = max(1e-9, float(mass.sum()))
    sums = np.cumsum(mass)
    columns = {
        "p": first,
        "odds": log_odds(first),
        "mass": mass / everything,
        "mass_before": (sums - mass) / everything,
        "mass_after": 1 - sums / everything,
        "page_p": np.full(page.count, everything / max(1.0, float(page.weight.sum()))),
        "page_mass": np.full(page.count, np.log1p(everything)),
    }
    beside = _Beside(first)
    for side, by in _SIDES.items():
        columns[f"{side}_p"] = beside[by]
    for reach in (5, 15):
        columns[f"around{reach}"] = _window(mass, reach) / np.maximum(1.0, _window(page.weight, reach))
    groups = np.stack(page.groups)
    held = page.total(mass, groups)
    likely, masses = held / np.maximum(1.0, page.total(page.weight, groups)), held / everything
    for row, level in enumerate(LEVELS):
        columns[f"{level}_p"], columns[f"{level}_mass"] = likely[row], masses[row]
    held = page.total(mass) / everything
    for share in (50, 80, 95):
        enough = np.flatnonzero(held >= share / 100 - 1e-9)
        tightest = int(enough[np.argmin(page.held[enough])]) if len(enough) else 0
        columns[f"tight{share}"] = page.holds(tightest)
    return columns | _headed(page, mass) | block_likeness.measure_again(page, mass)


def _headed(page: Page, mass: Array) -> Columns:
    inside = under_headline(page, mass)
    held = float(mass[inside].sum())
    share = held / max(1.0, float(page.weight[inside].sum()))
    return {"headed": inside, "headed_p": inside * share, "headed_mass": inside * held / max(1e-9, float(mass.sum()))}


def under_headline(page: Page, mass: Array) -> Array:
    """Say of each block whether it lies in the smallest element with a headline and enough likely content (``mass``).

    Enough is a short article. No block does where there is no headline.
    """
    held = page.total(mass)
    enough = (held > 0) & (held >= min(SHORT, float(mass.sum()) - 1e-9))
    holding = np.flatnonzero(enough & (page.total(page.heads) > 0))
    if not len(holding):
        return np.zeros(page.count, bool)
    return page.holds(int(holding[np.argmin(page.held[holding])]))


def log_odds(probability: Array) -> Array:
    """Return the logarithm of the odds, within limits."""
    odds: Array = np.log(np.clip(probability, 1e-4, 1) / np.clip(1 - probability, 1e-4, 1))
    return odds


_REACH = 3
_SIDES = {"before1": 1, "before2": 2, "before3": 3, "after1": -1, "after2": -2, "after3": -3}


class _Beside:
    """A column as its neighbours see it: ``[1]`` is the value of the block before, ``[-1]`` of the one behind."""

    def __init__(self, values: Array, fill: float = 0.0) -> None:
        self._count = len(values)
        self._padded = np.full(self._count + 2 * _REACH, fill)
        self._padded[_REACH : _REACH + self._count] = values

    def __getitem__(self, by: int) -> Array:
        return self._padded[_REACH - by : _REACH - by + self._count]


def _window(values: Array, reach: int) -> Array:
    """Return the sum over each block and as many before and behind it."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    order = np.arange(len(values))
    around: Array = sums[np.minimum(len(values), order + reach + 1)] - sums[np.maximum(0, order - reach)]
    return around


def _packed(text: str) -> str:
    return _NOT_WORD.sub("", text.casefold())


def _title_likeness(page: Page) -> Array:
    """Return which share of the page's title a block is, or of the block the title; 0 unless one holds the other."""
    title = _packed(page.blocks.title[:400])
    found = np.zeros(page.count)
    if not title:
        return found
    chars = page.texts.chars
    for index in np.flatnonzero((chars <= 2 * len(title)) & (chars * 2 >= len(title)) & (page.link < 0.5)).tolist():
        text = _packed(page.blocks.texts[index])
        if text and (text in title or title in text):
            found[index] = min(len(text), len(title)) / max(len(text), len(title))
    return found


def _of_texts(page: Page) -> Columns:
    texts, blocks = page.texts, page.blocks
    seen = Counter(blocks.texts)
    columns: Columns = {
        "size": np.log1p(page.weight),
        "size_gain": np.log1p(page.gain),
        "link": page.link,
        "all_link": page.link > 0.9,
        "links": np.log1p(np.asarray(blocks.links)),
        "sentences": np.log1p(texts.sentences),
        "ends_sentence": texts.ends_sentence,
        "ends_colon": texts.ends_colon,
        "commas": np.log1p(texts.classes[:, COMMA]),
        "digits": texts.classes[:, DIGIT] / texts.chars,
        "symbols": texts.classes[:, OTHER] / texts.chars,
        "upper": texts.classes[:, UPPER] / texts.chars,
        "lines": np.log1p([text.count("\x1e") for text in blocks.texts]),
        "copyright": ["\u00a9" in text for text in blocks.texts],
        "bar": ["|" in text for text in blocks.texts],
        "repeated": [seen[text] > 1 for text in blocks.texts],
        "title": page.title,
        "alone": page.alone,
    }
    return columns | dict(zip(_IS_KIND, page.kind == _KIND_INDICES, strict=True))


def _of_marks(page: Page) -> Columns:
    path, near = (page.path & _BITS) != 0, (page.near & _BITS) != 0
    return dict(zip(_IN_MARKS, path, strict=True)) | dict(zip(_NEAR_MARKS, near, strict=True))


def _of_place(page: Page) -> Columns:
    heads = np.flatnonzero(page.heads)
    place = np.searchsorted(heads, page.order, side="right") - 1
    since = page.order - heads[np.maximum(place, 0)] if len(heads) else page.order
    everything = max(1.0, float(page.gain.sum()))
    sums = np.cumsum(page.gain)
    return {
        "before_head": (place < 0) & (len(heads) > 0),
        "since_head": np.where(place >= 0, 1 / (1 + np.maximum(since, 0) / 10), 0.0),
        "no_head": np.full(page.count, len(heads) == 0),
        "place": page.order / max(1, page.count - 1),
        "text_before": (sums - page.gain) / everything,
        "text_after": 1 - sums / everything,
        "share": page.gain / everything,
    }


def _of_groups(page: Page) -> Columns:
    long = np.where((page.gain > LONG) & (page.texts.sentences > 0), page.gain, 0.0)
    summed = np.zeros((5, page.count + 1))
    np.cumsum(
        (page.weight, page.gain, long, page.texts.sentences * (1 - page.link), page.heads), axis=1, out=summed[:, 1:]
    )
    everything, everything_long = max(1.0, float(summed[1, -1])), max(1.0, float(summed[2, -1]))
    groups = np.stack(page.groups)
    weight, gain, longs, sentences, headed = summed[:, page.last[groups]] - summed[:, page.first[groups]]
    held, weight, gain = np.maximum(1, page.held[groups]), np.maximum(1.0, weight), np.maximum(0.0, gain)
    columns = {
        "size": np.log1p(gain),
        "share": gain / everything,
        "link": 1 - gain / weight,
        "held": np.log1p(held),
        "mean": np.log1p(gain / held),
        "sentences": np.log1p(np.maximum(0.0, sentences)),
        "long": longs / weight,
        "longs": longs / everything_long,
        "head": headed > 0,
        "alike": _alike(page)[groups],
    }
    return {f"{level}_{name}": rows[row] for row, level in enumerate(LEVELS) for name, rows in columns.items()}


def _alike(page: Page) -> Array:
    """Count for each element the others that hold blocks and have its name and class: teasers come in numbers."""
    several = np.flatnonzero(page.held > 1)
    looks = page.looks[several]
    alike = np.zeros(len(page.held))
    alike[several] = np.bincount(looks)[looks] - 1 if len(several) else 0
    return np.log1p(alike)


def _of_candidates(page: Page) -> Columns:
    """Guess at the main content in two old ways: readability's best container, and the segment of greatest gain."""
    good = np.where(page.weight >= 25, 1 + page.texts.classes[:, COMMA] + np.minimum(page.weight / 100, 3), 0.0)
    host = np.where(page.alone, page.parents[page.inside], page.inside)
    count = len(page.parents)
    scores = np.bincount(host, good, minlength=count) + np.bincount(page.parents[host], good / 2, minlength=count)
    scores = scores * page.total(page.gain) / np.maximum(1.0, page.total(page.weight))
    best = int(np.argmax(scores))
    hand = np.where((page.path & _OUTSIDE) != 0, -60.0, page.weight * (1 - 3 * page.link) - _COST[page.kind])
    start, end = _segment(hand)
    return {
        "candidate": page.holds(best),
        "candidate_ratio": scores[host] / max(1e-9, float(scores[best])),
        "region": (page.order >= start) & (page.order <= end),
        "region_off": np.log1p(np.maximum(0, np.maximum(start - page.order, page.order - end))),
        "hand": np.sign(hand) * np.log1p(np.abs(hand)),
    }


def _segment(gains: Array) -> tuple[int, int]:
    """Return first and last index of the segment of greatest sum, the first of several."""
    sums = np.cumsum(gains)
    before = np.concatenate(([0.0], sums[:-1]))
    end = int(np.argmax(sums - np.minimum.accumulate(before)))
    return int(np.argmin(before[: end + 1])), end


def _of_neighbours(page: Page) -> Columns:
    size, link = _Beside(np.log1p(page.gain)), _Beside(page.link, 0.5)
    ends, group, kind = _Beside(page.texts.ends_sentence), _Beside(page.groups[0], -1), _Beside(page.kind, -1)
    columns = {}
    for side, by in _SIDES.items():
        columns[f"{side}_gain"] = size[by]
        columns[f"{side}_link"] = link[by]
        if abs(by) < _REACH:
            columns[f"{side}_ends"] = ends[by]
            columns[f"{side}_same"] = group[by] == page.groups[0]
            columns[f"{side}_kind"] = kind[by] == page.kind
    return columns


def _of_page(page: Page) -> Columns:
    gain, weight = float(page.gain.sum()), max(1.0, float(page.weight.sum()))
    long = float(page.gain[(page.gain > LONG) & (page.texts.sentences > 0)].sum())
    values = {
        "page_size": np.log1p(gain),
        "page_link": 1 - gain / weight,
        "page_long": long / max(1.0, gain),
        "page_count": np.log1p(page.count),
    }
    return {name: np.full(page.count, value) for name, value in values.items()}
