"""Blocks: Thanadechteemapat and Fung, "Automatic Web Content Extraction for Generating Tag Clouds from Thai Web Sites",
ICEBE 2011, section III.

Text nodes are the leaves of the page. Every element is a block with a number of leaves, some of them inside links.
Leaves of blocks that are made of links are dropped. No words are needed, so scripts without spaces are read as well.

- III.A, rules R1 exclude hidden elements, scripts, styles, embedded objects, images and comments: `tag_columns.read`
  and `hidden.shown`. The paper also excludes forms with all they hold. That empties the many pages that are one form,
  so here only the controls of a form go.
- III.A, rules R2 give each leaf its readable text, a footer mark and an anchor mark: `select`.
- III.B, block detection: `attributes` of the blocks, `lowest_blocks` of the leaves.
- III.C, content extraction selection: `select`, and for the third condition `Blocks.are_content`.

Open in the paper, and decided here:

- The elements that are blocks: block-level ones, and links. A link with several leaves is a block of links alone, so
  its leaves are no content.
- The second condition of III.C prints "less than 2 characters". It must be "not less than".
- The third condition has an "or". The first two conditions bind both alternatives.

Blocks are numbered in the order in which they open, so the leaves of a block are a range of all leaves. The sum of an
attribute over a block is the difference of two running sums. Time is linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.papers.body_bytes import encoded
from pipelines.extractors.papers.hidden import shown
from pipelines.extractors.papers.outline import follow
from pipelines.extractors.papers.page_texts import rendered, texts_of
from pipelines.extractors.papers.tag_columns import read
from pipelines.markup.lexer import places
from storage.records import Extraction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.extractors.papers.outline import Outline
    from pipelines.extractors.papers.page_texts import Texts
    from pipelines.extractors.papers.tag_columns import Page

    Counts = NDArray[np.signedinteger[Any]]
    Mask = NDArray[np.bool_]

NAME, VERSION = "blocks", "3"

MAX_ANCHOR_RATIO = 0.6
MIN_CHARS = 2
FOOTERS = ("powered by", "copyright", "©", "all rights reserved", "(c) ")


def extract(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the leaves that are content, as paragraphs."""
    page = shown(read(encoded(html)))
    texts = texts_of(page)
    return Extraction(rendered(page, texts, select(page, texts)), NAME, VERSION)


@dataclass(frozen=True, slots=True)
class Blocks:
    """The attributes of section III.B, one entry for each block. Lengths are characters."""

    all_elements: Counts
    all_href: Counts
    all_t_length: Counts
    all_href_t_length: Counts

    @property
    def anchor_ratio(self) -> NDArray[np.float64]:
        """AR = .75 ATR + .25 ANR. ATR is the linked share of the text, ANR the linked share of the leaves."""
        atr = self.all_href_t_length / np.maximum(self.all_t_length, 1)
        anr = self.all_href / np.maximum(self.all_elements, 1)
        return 0.75 * atr + 0.25 * anr

    @property
    def are_content(self) -> Mask:
        """Section III.C, third condition."""
        return (self.anchor_ratio < MAX_ANCHOR_RATIO) | ((self.all_href < 2) & (self.all_elements > 2))


def attributes(outline: Outline, lengths: Counts) -> Blocks:
    """Section III.B: sum up the leaves of each block. ``lengths`` has the characters of each leaf."""

    def summed(amounts: NDArray[Any]) -> Counts:
        sums = np.concatenate(((0,), np.cumsum(amounts, dtype=np.int32)), dtype=np.int32)
        return sums[outline.lasts] - sums[outline.firsts]

    href = outline.links > 0
    return Blocks(outline.lasts - outline.firsts, summed(href), summed(lengths), summed(np.where(href, lengths, 0)))


def lowest_blocks(outline: Outline, blocks: Blocks) -> Counts:
    """Section III.B, steps 1 and 2: return the lowest block around each leaf with All Elements more than 1.

    The body, block 0, where there is none.
    """
    filtered = blocks.all_elements > 1
    filtered[0] = True
    lowest = np.where(filtered, np.arange(filtered.size, dtype=np.int32), outline.parents)
    while not filtered[lowest].all():
        lowest = lowest[lowest]
    return lowest[outline.where]


def select(page: Page, texts: Texts) -> Mask:
    """Section III.C: mark the texts of a page that are content, and white space, which separates words."""
    lengths, footers = _features(texts)
    leaves = places(lengths != 0)
    selected: Mask = lengths == 0
    if not leaves.size:
        return selected
    lengths, footers = lengths[leaves], footers[leaves]
    outline = follow(page, texts.places[leaves])
    blocks = attributes(outline, lengths)
    in_link_of_several = (outline.links > 0) & (np.bincount(outline.links) > 1)[outline.links]
    in_content = blocks.are_content[lowest_blocks(outline, blocks)] & ~in_link_of_several
    selected[leaves] = ~footers & (lengths >= MIN_CHARS) & in_content
    return selected


def _features(texts: Texts) -> tuple[NDArray[np.int32], Mask]:
    """Section III.A, rules R2: return the length of each text, and whether it begins like a footer."""
    lengths, footers = np.zeros(texts.places.size, dtype=np.int32), np.zeros(texts.places.size, dtype=bool)
    for first, part in texts.parts():
        stripped = [text.strip() for text in part]
        span = slice(first, first + len(part))
        lengths[span] = [len(text) for text in stripped]
        footers[span] = [text[:24].lower().startswith(FOOTERS) for text in stripped]
    return lengths, footers
