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

The tree is kept as two columns, parents and counts, filled by following tags with a stack; time is linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.nesting import OpenElements, opens
from pipelines.extractors.soup import paragraphs, scan
from storage.records import Extraction

if TYPE_CHECKING:
    from pipelines.extractors.soup import Soup

NAME, VERSION = "blocks", "1"

MAX_ANCHOR_RATIO = 0.6
MIN_CHARS = 2
FOOTERS = ("powered by", "copyright", "©", "all rights reserved", "(c) ")


@dataclass(slots=True)
class Block:
    """The attributes of section III.B."""

    parent: int
    elements: int = 0
    hrefs: int = 0
    length: int = 0
    href_length: int = 0

    def add(self, other: Block) -> None:
        self.elements += other.elements
        self.hrefs += other.hrefs
        self.length += other.length
        self.href_length += other.href_length

    @property
    def anchor_ratio(self) -> float:
        """AR: three parts ATR, the linked share of the text, and one part ANR, the linked share of the leaves."""
        atr = self.href_length / self.length if self.length else 0.0
        anr = self.hrefs / self.elements if self.elements else 0.0
        return 0.75 * atr + 0.25 * anr

    @property
    def is_content(self) -> bool:
        """Third condition of section III.C."""
        return self.anchor_ratio < MAX_ANCHOR_RATIO or (self.hrefs < 2 and self.elements > 2)


class _Tree:
    """All blocks of a page, parents before children; block 0 is the body."""

    def __init__(self) -> None:
        self.blocks = [Block(0)]
        self._open = OpenElements(0)

    def tag(self, name: str, tag: str) -> None:
        """Open or close a block."""
        if name[0] == "/":
            self._open.end(name[1:])
        elif opens(name, tag):
            self._open.end_implied(name)
            self.blocks.append(Block(self._open.innermost[1]))
            self._open.start(name, len(self.blocks) - 1)

    def leaf(self, length: int) -> int:
        """Count a text of this length in the innermost open element and return that element's block."""
        linked = self._open.holds("a")
        block = self._open.innermost[1]
        self.blocks[block].add(Block(0, 1, linked, length, linked * length))
        return block

    def sum_up(self) -> None:
        """Add every block to its parent, from the innermost outwards."""
        for index in range(len(self.blocks) - 1, 0, -1):
            self.blocks[self.blocks[index].parent].add(self.blocks[index])

    def groups(self) -> list[int]:
        """For each block the nearest, itself or around it, with more than one leaf; the body where none has."""
        nearest = [0]
        for index, block in enumerate(self.blocks[1:], start=1):
            nearest.append(index if block.elements > 1 else nearest[block.parent])
        return nearest


def extract(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Return the texts of all blocks that are not made of links."""
    soup = scan(html)
    texts = [text if keep else "" for text, keep in zip(soup.texts, select(soup), strict=True)]
    return Extraction(paragraphs(texts, soup.names), NAME, VERSION)


def select(soup: Soup) -> list[bool]:
    """Say of every text of the page whether it is content (section III.C); white space alone stays, it parts words."""
    tree = _Tree()
    leaves: list[int] = []
    readable = [unescape(text).strip() if text else "" for text in soup.texts]
    for text, name, tag in zip(readable, (*soup.names, "br"), (*soup.tags, ""), strict=True):
        leaves.append(tree.leaf(len(text)) if text else -1)
        tree.tag(name, tag)
    tree.sum_up()
    groups = tree.groups()
    return [
        leaf < 0 or (_may_be_content(text) and tree.blocks[groups[leaf]].is_content)
        for leaf, text in zip(leaves, readable, strict=True)
    ]


def _may_be_content(text: str) -> bool:
    """First and second condition of section III.C: no footer, no stray character."""
    return len(text) >= MIN_CHARS and not text[:24].lower().startswith(FOOTERS)
