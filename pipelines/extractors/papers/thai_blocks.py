"""Blocks: Thanadechteemapat and Fung, "Automatic Web Content Extraction for Generating Tag Clouds from Thai Web Sites",
ICEBE 2011, section III.

Text nodes are the leaves of the page; every element holds a number of leaves, some of them inside links; leaves that
belong to blocks made of links are dropped. It knows no words, so scripts without spaces are no hardship.

- III.A, rules R1: no hidden elements, scripts, styles, embedded objects, images, comments: ``columns``. The paper
  drops forms with all they hold, which empties the many pages that are one form; here only the controls go. Rules R2:
  each leaf keeps its text, whether it begins like a footer, whether it lies in a link.
- III.B, attributes of each block: number of leaves and of linked leaves, length of text and of linked text, and from
  them ANR, ATR and AR = .75 ATR + .25 ANR. A leaf's block is the nearest element around it with more than one leaf.
  The paper does not say which elements may be blocks; here block-level ones may, and links.
- III.C, a leaf is content if it is no footer, has two characters or more (the paper prints "less than"), and its
  block has AR below .6, or fewer than two links among more than two leaves. The first two conditions bind both
  alternatives. A link of several leaves is a block of links alone, so none of them is content.

Blocks are numbered as they open, and the leaves of one are a range, so its sums are differences of running sums; time
is linear.
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

NAME, VERSION = "blocks", "3"

MAX_ANCHOR_RATIO = 0.6
MIN_CHARS = 2
FOOTERS = ("powered by", "copyright", "©", "all rights reserved", "(c) ")
_AT_ONCE = 1 << 18
_FOOTER_LETTERS = frozenset(letter for footer in FOOTERS for letter in (footer[0], footer[0].upper()))


@dataclass(frozen=True, slots=True)
class Blocks:
    """The attributes of section III.B, one entry for each block of a page."""

    elements: Counts
    hrefs: Counts
    length: Counts
    href_length: Counts

    @property
    def anchor_ratio(self) -> NDArray[np.float64]:
        """AR: three parts ATR, the linked share of the text, and one part ANR, the linked share of the leaves."""
        atr = self.href_length / np.maximum(self.length, 1)
        anr = self.hrefs / np.maximum(self.elements, 1)
        return 0.75 * atr + 0.25 * anr

    @property
    def are_content(self) -> NDArray[np.bool_]:
        """Third condition of section III.C. Ratios take more room than the rest, so they are made some at a time."""
        content = (self.hrefs < 2) & (self.elements > 2)
        for first in range(0, content.size, _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            columns = (self.elements, self.hrefs, self.length, self.href_length)
            content[part] |= Blocks(*(column[part] for column in columns)).anchor_ratio < MAX_ANCHOR_RATIO
        return content


def extract(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the texts of all blocks that are not made of links."""
    page = shown(read(encoded(html)))
    texts = texts_of(page)
    return Extraction(rendered(page, texts, select(page, texts)), NAME, VERSION)


def select(page: Page, texts: Texts) -> NDArray[np.bool_]:
    """Say which of the texts of a page are content (section III.C), or white space, which parts words."""
    lengths, footers = _measured(texts)
    leaves = places(lengths != 0)
    wanted: NDArray[np.bool_] = lengths == 0
    if not leaves.size:
        return wanted
    lengths = lengths[leaves]
    outline = follow(page, texts.places[leaves])
    linked = outline.links > 0
    content = _are_in_content(outline, linked, lengths)[outline.where]
    content &= (lengths >= MIN_CHARS) & ~(linked & (np.bincount(outline.links) > 1)[outline.links])
    wanted[leaves] = content & ~footers[leaves]
    return wanted


def _are_in_content(outline: Outline, linked: NDArray[np.bool_], lengths: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Say for each block whether what lies in it, and in no smaller one, belongs to a block that is content."""
    counted = (linked, lengths, np.where(linked, lengths, 0))
    blocks = Blocks(outline.lasts - outline.firsts, *(_summed(outline, amounts) for amounts in counted))
    return blocks.are_content[_groups(outline, blocks)]


def _measured(texts: Texts) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the length of each text without white space around it, and whether it begins like a footer."""
    lengths, footers = np.zeros(texts.places.size, dtype=np.int32), np.zeros(texts.places.size, dtype=bool)
    for first, part in texts.parts():
        span = slice(first, first + len(part))
        stripped = [text.strip() for text in part]
        lengths[span] = list(map(len, stripped))
        footers[span] = [text[:1] in _FOOTER_LETTERS and text[:24].lower().startswith(FOOTERS) for text in stripped]
    return lengths, footers


def _summed(outline: Outline, amounts: NDArray[Any]) -> Counts:
    """Sum up an attribute of the leaves in each block, which follow each other without a gap."""
    sums = np.zeros(amounts.size + 1, dtype=np.int32)
    np.cumsum(amounts, out=sums[1:])
    summed: Counts = sums[outline.lasts]
    summed -= sums[outline.firsts]
    return summed


def _groups(outline: Outline, blocks: Blocks) -> Counts:
    """For each block the nearest, itself or around it, with more than one leaf; the body where none has."""
    several = blocks.elements > 1
    several[0] = True
    groups = np.where(several, np.arange(several.size, dtype=np.int32), outline.parents)
    while not several[groups].all():
        groups = groups[groups]
    return groups
