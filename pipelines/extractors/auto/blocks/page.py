"""A page in columns: what is known of each block, and sums over the elements around it.

- Texts: letters, digits and sentences in any script, counted for all blocks at once.
- Marks: bits of the elements around a block, from their names and from the words of class, id, role and itemprop. The
  words are those of publishing systems and their themes, which all countries use. No word belongs to one site.
- Groups: the elements around a block that hold more than one block.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.extractors.auto.blocks.marks import BIT, KIND, NO_TEXT, PRAISE, makes_of, marks
from pipelines.extractors.auto.blocks.text_measures import Array, measure_texts, numbered
from pipelines.markup.hidden import never_unfolded
from pipelines.text.normalise import letters, letters_of_all

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.walk import BlockSequence
Columns = dict[str, Any]
"""Features by name, each an array with one number a block."""

MAX_BESIDE_SHARE = 0.6
"""Share of the page's text. An element with more of it is not boilerplate, with any marks."""
MAX_COMMENTS_SHARE = 0.85
MAX_HIDDEN_BLOCKS = 2
"""Blocks, at most, of a hidden element with most of the text that counts as hidden all the same. It has fewer sentences
than that.
"""
MIN_PROSE_LETTERS = 60
"""Letters of a line of prose, at least."""
MAX_LINKED_SHARE = 0.5
"""Share of linked characters from which a line is a link, and no prose."""
MIN_PROSE_SHARE = 0.6
"""Share of prose, at least, in a hidden element that a reader unfolds."""
MIN_UNFOLDED_SHARE = 0.15
"""Prose in hidden elements of one make, at least, as a share of the shown prose."""


class PageBlocks:
    """The blocks of a page (at least one) in columns of n numbers, with the sums over its elements."""

    def __init__(self, blocks: BlockSequence) -> None:
        self.blocks = blocks
        self.count = len(blocks)
        self.order = np.arange(self.count)
        self.texts = measure_texts(blocks.texts)
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
        self.title = _title_likeness(self)
        self.marks = marks(elements.tags)
        """The mark bits of each distinct start tag."""
        own = np.array(self.marks)[self.tag]
        self.kind = own[self.inside]
        """The ``KIND`` bits of the innermost element around each block."""
        self.h1 = (self.kind & KIND["h1"]) != 0
        self.heads = self.h1 | (self.title > 0.5)
        """Candidates for the article's headline."""
        self.headline = int((0.5 * self.h1 + self.title).argmax())
        """The block that is most likely the headline, if ``heads`` has one."""
        self.holding, self.home = self._around_headline()
        """Whether each element holds the headline; for each, the smallest element that holds it and the headline."""
        self.depth = self._depth()
        self.outer = self._outer()
        """The largest element around each block that holds no other block; the innermost one if it holds more."""
        self.path, self.near, self.folds = self._marks(own)
        """Marks around each block, near it, and the hidden elements outside another one that a reader may unfold."""
        self.hidden = (self.path & BIT["hidden"]) != 0
        """Whether each block is hidden. An element with most of the text counts as visible."""
        self.opening = self._opening()
        """The blocks in the element of the first prose under the headline."""

    @cached_property
    def makes(self) -> Array:
        """The make of each element as a number: name and class without digits, or the whole tag without a class."""
        numbers: dict[str, int] = {}
        makes = (numbers.setdefault(make, len(numbers)) for make in makes_of(self.blocks.elements.tags))
        found: Array = np.fromiter(makes, np.int64)[self.tag]
        return found

    @cached_property
    def layouts(self) -> Array:
        """The makes of the three innermost elements around each block as one number."""
        outer = self.parents[self.inside]
        makes, count = self.makes, len(self.marks)
        found: Array = (makes[self.inside] * count + makes[outer]) * count + makes[self.parents[outer]]
        return found

    @cached_property
    def names(self) -> Array:
        """The name of each element as a number."""
        numbers: dict[str, int] = {}
        names = (numbers.setdefault(name, len(numbers)) for name in self.blocks.elements.names)
        found: Array = np.fromiter(names, np.int64)[self.tag]
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

    def _around_headline(self) -> tuple[Array, Array]:
        """Return the elements around the headline as a mask, and for each element the smallest of them around it."""
        holding = (self.first <= self.headline) & (self.headline < self.last)
        home = np.where(holding, np.arange(len(holding)), self.parents)
        while not holding[home].all():
            home = home[home]
        return holding, home

    def _groups(self) -> Array:
        """Return the groups of each block, one row per level."""
        wider, no_wider = self.parents, self.held[self.parents] == self.held
        no_wider[0] = False
        while no_wider.any():
            wider, no_wider = np.where(no_wider, wider[wider], wider), no_wider & no_wider[wider]
        group = np.where(self.alone, wider[self.inside], self.inside)
        return np.array((group, wider[group]))

    def _depth(self) -> Array:
        """Return the number of elements around each element."""
        beyond = self.parents
        depth = (beyond != np.arange(len(beyond))).astype(np.int64)
        while beyond.any():  # doubles the distance each time
            depth, beyond = depth + depth[beyond], beyond[beyond]
        found: Array = depth
        return found

    def _outer(self) -> Array:
        outer = np.where((self.held[self.parents] == 1) & (self.held == 1), self.parents, np.arange(len(self.held)))
        while not np.array_equal(further := outer[outer], outer):
            outer = further
        found: Array = outer[self.inside]
        return found

    def _opening(self) -> Array:
        prose = (self.gain >= MIN_PROSE_LETTERS) & (self.texts.sentences >= 1) & ~self.hidden
        if self.heads.any():
            prose[: self.headline + 1] = False
        first, around = int(prose.argmax()), self.parents[self.outer]
        found: Array = prose[first] & (around == around[first])
        return found

    def _marks(self, own: Array) -> tuple[Array, Array, Array]:
        """Return the marks of all elements around each block, those of the innermost two, and the folds.

        A fold is no form, box, menu or comment.
        """
        shares = self.total_gain / max(1.0, float(self.total_gain[0]))
        most = (shares > MAX_BESIDE_SHARE).nonzero()[0]
        comment = np.where(shares[most] < MAX_COMMENTS_SHARE, BIT["comment"], 0)
        # Hacked sites hide words for search engines. They are no article that a script will show.
        unsaid = (self.held[most] <= MAX_HIDDEN_BLOCKS) & (self.texts.sentences[self.first[most]] < MAX_HIDDEN_BLOCKS)
        own[most] &= PRAISE | comment | np.where(unsaid, BIT["hidden"], 0)
        own[self._unfolding(own)] &= ~BIT["hidden"]
        path, beyond = own | own[0], self.parents
        while beyond.any():  # doubles the distance each time
            path, beyond = path | path[beyond], beyond[beyond]
        folds = (own & BIT["hidden"] != 0) & ((own & NO_TEXT) == 0) & (path[self.parents] & BIT["hidden"] == 0)
        near = own[self.inside] | own[self.parents[self.inside]]
        return path[self.inside], near, self._of_readers(folds.nonzero()[0])

    def _of_readers(self, hidden: Array) -> Array:
        """Return the hidden elements that are not hidden from all readers of the screen, or from paper alone."""
        tags = self.blocks.elements.tags
        found: Array = hidden[~np.array(never_unfolded(tags[tag] for tag in self.tag[hidden].tolist()), bool)]
        return found

    def _unfolding(self, own: Array) -> Array:
        """Return the hidden elements that a reader unfolds: the rest of an article behind "read more".

        They follow shown prose in the smallest element with the headline and prose. Hidden elements of one make are
        measured together. A page without a headline is measured by the parents of its hidden elements.
        """
        hidden = ((own & BIT["hidden"]) != 0).nonzero()[0]
        none: Array = hidden[:0]
        if not len(hidden):
            return none
        prose = (self.gain >= MIN_PROSE_LETTERS) & (self.texts.sentences >= 1) & (self.link < MAX_LINKED_SHARE)
        covered = np.zeros(self.count + 1, np.int64)
        np.add.at(covered, self.first[hidden], 1)
        np.add.at(covered, self.last[hidden], -1)
        shown = prose & (np.add.accumulate(covered[:-1]) == 0)
        headed = bool(self.heads.any())
        if headed:
            shown[: self.headline] = False
        first = int(shown.argmax())
        if not shown[first]:
            return none
        before = np.concatenate(([0.0], np.add.accumulate(shown * self.gain)))
        parents = self.parents[hidden]
        tight = before[self.first[hidden]] > before[self.first[parents]]
        home = int((self.holding & (self.total(shown) > 0)).nonzero()[0][-1]) if headed else 0
        inside = headed & (self.first[hidden] >= self.first[home]) & (self.last[hidden] <= self.last[home])
        inside &= (before[self.first[hidden]] > 0) & ((own[hidden] & BIT["sign"]) == 0)
        may_be = (tight | inside) & ((own[hidden] & NO_TEXT) == 0) & (self.total(self.heads)[hidden] == 0)
        hidden = self._of_readers(hidden[may_be])
        if not len(hidden):
            return none
        number = numbered(self.makes[hidden])
        held, everything = (self.total(values)[hidden] for values in (prose * self.gain, self.weight))
        of_make = np.bincount(number, held) >= MIN_PROSE_SHARE * np.bincount(number, everything)
        may_be = of_make[number] | (held >= MIN_PROSE_SHARE * everything)
        enough = np.bincount(number, held * may_be) >= MIN_UNFOLDED_SHARE * float((shown * self.gain).sum())
        found: Array = hidden[may_be & enough[number]]
        return found


def _title_likeness(page: PageBlocks) -> Array:
    """Return the length ratio of block and title, 0 to 1; 0 unless one contains the other."""
    title = letters(page.blocks.title[:400])
    found = np.zeros(page.count)
    if not title:
        return found
    chars = page.texts.chars
    may_be = ((chars <= 2 * len(title)) & (chars * 2 >= len(title)) & (page.link < 0.5)).nonzero()[0].tolist()
    for index, text in zip(may_be, letters_of_all([page.blocks.texts[index] for index in may_be]), strict=True):
        if text and (text in title or title in text):
            found[index] = min(len(text), len(title)) / max(len(text), len(title))
    return found
