"""A page in columns: measured texts, sums over elements, groups, marks."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.extractors.auto.blocks import class_marks, text_stats
from pipelines.extractors.auto.blocks.class_marks import BIT, KIND, PRAISE

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.text_stats import Array
    from pipelines.extractors.auto.blocks.walk import Blocks

Columns = dict[str, Any]
"""Features by name, each an array with one number a block."""

MOST = 0.6
"""Share of the page's text. An element with more of it is not boilerplate, whatever its marks say."""
MOST_COMMENTS = 0.85
FEW = 2
"""Blocks, at most, of a hidden element with most of the text that counts as hidden all the same. It has fewer sentences
than that.
"""
_MAX_TAG = 300
"""Characters of a start tag that are read. The make of a tag is cached, because the pages of a site repeat it."""
_CLASS, _NUMBER = re.compile(r'\sclass="([^"]*)"'), re.compile(r"\d+")
_NO_LETTERS = re.compile(r"[\W_]+")


class Page:
    """The blocks of a page (at least one) in columns of n numbers, with the sums over its elements."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self.count = len(blocks)
        self.order = np.arange(self.count)
        self.texts = text_stats.count(blocks.texts)
        self.weight = self.texts.weight
        self.link = np.minimum(1.0, np.array(blocks.linked) / self.texts.lengths)
        self.gain = self.weight * (1 - self.link)
        elements = blocks.elements
        self.first, self.last = np.array(elements.first), np.array(elements.last)
        self.parents, self.tag = np.array(elements.parents), np.array(elements.tag)
        self.held = self.last - self.first
        self.inside = np.array(blocks.inside)
        self.alone = self.held[self.inside] == 1
        self.total_weight, self.total_gain = self.total(self.weight), self.total(self.gain)
        """Sums over the blocks of each element."""
        self.groups = self._groups()
        self.marks = class_marks.marks(elements.tags)
        """The mark bits of each distinct start tag."""
        own = np.array(self.marks)[self.tag]
        self.kind = own[self.inside]
        """The ``KIND`` bits of the innermost element around each block."""
        self.path, self.near = self._marks(own)
        self.hidden = (self.path & BIT["hidden"]) != 0
        """Whether each block is hidden. An element with most of the text counts as visible."""
        self.title = _title_likeness(self)
        self.h1 = (self.kind & KIND["h1"]) != 0
        self.heads = self.h1 | (self.title > 0.5)
        """Candidates for the article's headline."""

    @cached_property
    def makes(self) -> Array:
        """The make of each element as a number: name and class without digits, or the whole tag without a class."""
        numbers: dict[str, int] = {}
        makes = (numbers.setdefault(make(tag[:_MAX_TAG]), len(numbers)) for tag in self.blocks.elements.tags)
        found: Array = np.fromiter(makes, np.int64)[self.tag]
        return found

    def total(self, values: Array) -> Any:
        """Return the sum of a column over the blocks of each element."""
        sums = np.zeros(self.count + 1)
        np.add.accumulate(values, out=sums[1:])
        return sums[self.last] - sums[self.first]

    def holds(self, element: int) -> Array:
        """Mark the blocks in an element."""
        inside: Array = (self.order >= self.first[element]) & (self.order < self.last[element])
        return inside

    def _groups(self) -> Array:
        """Return the groups of each block, one row per level."""
        wider, no_wider = self.parents, self.held[self.parents] == self.held
        no_wider[0] = False
        while no_wider.any():
            wider, no_wider = np.where(no_wider, wider[wider], wider), no_wider & no_wider[wider]
        group = np.where(self.alone, wider[self.inside], self.inside)
        return np.array((group, wider[group]))

    def _marks(self, own: Array) -> tuple[Array, Array]:
        """Return the marks of all elements around each block, and of the innermost two."""
        shares = self.total_gain / max(1.0, float(self.total_gain[0]))
        most = (shares > MOST).nonzero()[0]
        told = np.where(shares[most] < MOST_COMMENTS, BIT["comment"], 0)
        # Hacked sites hide words for search engines. They are no article that a script will show.
        unsaid = (self.held[most] <= FEW) & (self.texts.sentences[self.first[most]] < FEW)
        own[most] &= PRAISE | told | np.where(unsaid, BIT["hidden"], 0)
        path, beyond = own | own[0], self.parents
        while beyond.any():  # doubles the distance each time
            path, beyond = path | path[beyond], beyond[beyond]
        return path[self.inside], own[self.inside] | own[self.parents[self.inside]]


@lru_cache(maxsize=2**14)
def make(tag: str) -> str:
    """Return the part of a start tag that elements of one make share: no ids and no digits.

    >>> make('p class="par par-12" id="x7"')
    'p par par-'
    """
    classed = _CLASS.search(tag)
    return _NUMBER.sub("", f"{tag.partition(' ')[0]} {classed[1]}" if classed else tag)


def _packed(text: str) -> str:
    packed = "".join(text.casefold().split())
    return packed if packed.isalnum() else _NO_LETTERS.sub("", packed)


def _title_likeness(page: Page) -> Array:
    """Return the length ratio of block and title, 0 to 1; 0 unless one contains the other."""
    title = _packed(page.blocks.title[:400])
    found = np.zeros(page.count)
    if not title:
        return found
    chars = page.texts.chars
    for index in ((chars <= 2 * len(title)) & (chars * 2 >= len(title)) & (page.link < 0.5)).nonzero()[0].tolist():
        text = _packed(page.blocks.texts[index])
        if text and (text in title or title in text):
            found[index] = min(len(text), len(title)) / max(len(text), len(title))
    return found
