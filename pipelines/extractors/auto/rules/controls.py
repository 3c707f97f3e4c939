"""What readers click: buttons, and folds that open the rest of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.auto.blocks.marks import BIT, KIND
from pipelines.extractors.auto.blocks.page import MIN_PROSE_SHARE, MIN_UNFOLDED_SHARE
from pipelines.extractors.auto.blocks.text_measures import numbered

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array
_SUBHEAD = KIND["h2"] | KIND["h3"]


def buttons(page: PageBlocks) -> Array:
    """Mark the text of buttons. A heading that is a button opens the text below it and is not marked.

    Three or more headings in a row open nothing and are marked, as in a list of films to choose from.
    """
    found: Array = (page.near & BIT["box"]) != 0
    if not found.any():
        return found
    own, headings = (page.kind & BIT["box"]) != 0, found & ((page.near & _SUBHEAD) != 0)
    out: Array = own & ~headings & ~page.texts.ends_sentence
    rows = headings[:-2] & headings[1:-1] & headings[2:]
    for three in (out[:-2], out[1:-1], out[2:]):
        three |= rows
    return out


def unfolded(page: PageBlocks, read: Array) -> Array:
    """Mark the blocks in folds that go on with the text: it is most of the fold, and some stands before the fold.

    ``read`` marks the blocks that the model takes for text, shown or not. Folds of one make are measured together.
    A fold and the text before it have one parent. A fold without a sentence is no text: hacked sites hide words for
    search engines.
    """
    if not len(page.folds):
        return np.zeros(page.count, bool)
    text = page.gain * read
    shown, said = text * ~page.hidden, text * (page.texts.sentences >= 1)
    before = np.concatenate(([0.0], np.add.accumulate(shown)))
    folds = page.folds[before[page.first[page.folds]] > before[page.first[page.parents[page.folds]]]]
    if not len(folds):
        return np.zeros(page.count, bool)
    number = numbered(page.makes[folds])
    held, everything, counted = (np.bincount(number, page.total(values)[folds]) for values in (text, page.weight, said))
    folds = folds[
        ((held >= MIN_UNFOLDED_SHARE * before[-1]) & (held >= MIN_PROSE_SHARE * everything) & (counted > 0))[number]
    ]
    inside = np.zeros(page.count + 1, np.int64)
    np.add.at(inside, page.first[folds], 1)
    np.add.at(inside, page.last[folds], -1)
    found: Array = np.add.accumulate(inside[:-1]) > 0
    return found
