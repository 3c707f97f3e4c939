"""Blocks: Thanadechteemapat and Fung, "Automatic Web Content Extraction for Generating Tag Clouds from Thai Web Sites",
ICEBE 2011, section III.

Text nodes are the leaves of the page; every element holds a number of leaves, some of them inside links; leaves that
belong to blocks made of links are dropped. It knows no words, so scripts without spaces are no hardship.

- III.A, rules R1: no hidden elements, scripts, styles, embedded objects, images, comments: ``soup.scan``. The paper
  drops forms with all they hold, which empties the many pages that are one form; here only the controls go. Rules R2:
  each leaf keeps its text, whether it begins like a footer, whether it lies in a link.
- III.B, attributes of each block: number of leaves and of linked leaves, length of text and of linked text, and from
  them ANR, ATR and AR = .75 ATR + .25 ANR. A leaf's block is the nearest element around it with more than one leaf.
- III.C, a leaf is content if it is no footer, has two characters or more (the paper prints "less than"), and its
  block has AR below .6, or fewer than two links among more than two leaves. The first two conditions bind both
  alternatives.

Blocks are numbered as they open, so the leaves of one are a range and its sums the difference of two running sums; time
is linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.nesting import Outline
from pipelines.extractors.soup import paragraphs, scan
from storage.records import Extraction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.extractors.soup import Soup

NAME, VERSION = "blocks", "1"

MAX_ANCHOR_RATIO = 0.6
MIN_CHARS = 2
FOOTERS = ("powered by", "copyright", "©", "all rights reserved", "(c) ")


@dataclass(frozen=True, slots=True)
class Blocks:
    """The attributes of section III.B, one entry for each block of a page."""

    elements: NDArray[np.int64]
    hrefs: NDArray[np.int64]
    length: NDArray[np.int64]
    href_length: NDArray[np.int64]

    @property
    def anchor_ratio(self) -> NDArray[np.float64]:
        """AR: three parts ATR, the linked share of the text, and one part ANR, the linked share of the leaves."""
        atr = self.href_length / np.maximum(self.length, 1)
        anr = self.hrefs / np.maximum(self.elements, 1)
        return 0.75 * atr + 0.25 * anr

    @property
    def are_content(self) -> NDArray[np.bool_]:
        """Third condition of section III.C."""
        return (self.anchor_ratio < MAX_ANCHOR_RATIO) | ((self.hrefs < 2) & (self.elements > 2))


def extract(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the texts of all blocks that are not made of links."""
    soup = scan(html)
    texts = [text if keep else "" for text, keep in zip(soup.texts, select(soup), strict=True)]
    return Extraction(paragraphs(texts, soup.names), NAME, VERSION)


def select(soup: Soup) -> list[bool]:
    """Say of every text of the page whether it is content (section III.C); white space alone stays, it parts words."""
    readable = [unescape(text).strip() if "&" in text else text.strip() for text in soup.texts]
    outline = Outline()
    where, linked = (np.array(column) for column in outline.follow(soup.names, soup.tags))
    lengths = np.fromiter(map(len, readable), dtype=np.int64, count=len(readable))
    blocks = _summed(outline, where, np.stack((lengths > 0, (lengths > 0) & linked, lengths, lengths * linked)))
    wanted = blocks.are_content[_groups(outline, blocks)][where].tolist()
    return [not text or (content and _may_be_content(text)) for text, content in zip(readable, wanted, strict=True)]


def _summed(outline: Outline, where: NDArray[np.int64], leaves: NDArray[np.int64]) -> Blocks:
    """Sum up the attributes of the leaves in each block: all that open in it are numbered on from it without a gap."""
    count = len(outline.parents)
    first, after = np.arange(count), np.array(outline.lasts) + 1
    sums = (np.concatenate(([0], np.cumsum(np.bincount(where, column, count)))) for column in leaves)
    return Blocks(*((total[after] - total[first]).astype(np.int64) for total in sums))


def _groups(outline: Outline, blocks: Blocks) -> list[int]:
    """For each block the nearest, itself or around it, with more than one leaf; the body where none has."""
    nearest = [0]
    for index, (parent, several) in enumerate(zip(outline.parents, (blocks.elements > 1).tolist(), strict=True)):
        if index:
            nearest.append(index if several else nearest[parent])
    return nearest


def _may_be_content(text: str) -> bool:
    """First and second condition of section III.C: no footer, no stray character."""
    return len(text) >= MIN_CHARS and not text[:24].lower().startswith(FOOTERS)
