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
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipelines.extractors.base import DEFAULT_OPTIONS, ExtractorOptions
from pipelines.extractors.explanation import Explanation, Series, beginnings
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
    return _rendered(page, texts, select(page, texts).selected)


def explain(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Explanation:
    """Explain ``extract``: the lowest blocks around the leaves, with their attributes of section III.B."""
    page = shown(read(encoded(html)))
    texts = texts_of(page)
    found = select(page, texts)
    numbers, firsts, of = np.unique(found.lowest, return_index=True, return_inverse=True)
    content = found.selected[found.leaves]
    own, selected = (
        np.bincount(of, weights=lengths, minlength=numbers.size).astype(np.int64)
        for lengths in (found.lengths, found.lengths * content)
    )
    blocks = found.blocks.of(numbers)
    series = (
        Series.of("anchor_ratio", "AR, 0 to 1", blocks.anchor_ratio),
        Series.of("anchor_text_ratio", "ATR: characters in links, share", blocks.anchor_text_ratio),
        Series.of("anchor_node_ratio", "ANR: leaves in links, share", blocks.anchor_node_ratio),
        Series.of("elements", "All Elements: leaves", blocks.all_elements),
        Series.of("links", "All Href: leaves in links", blocks.all_href),
        Series.of("selected", "characters of its own leaves that are content", selected),
        Series.of("rejected", "characters of its other own leaves", own - selected),
    )
    return Explanation(
        _rendered(page, texts, found.selected),
        "block",
        series,
        tuple((selected > 0).tolist()),
        "with leaves of its own",
        (("maximum AR", MAX_ANCHOR_RATIO), ("minimum characters", MIN_CHARS)),
        texts=beginnings(_some(texts, found.leaves[firsts].tolist())),
    )


def _rendered(page: Page, texts: Texts, selected: Mask) -> Extraction:
    return Extraction(rendered(page, texts, selected), NAME, VERSION)


def _some(texts: Texts, numbers: list[int]) -> list[str]:
    """Return some of the texts of a page."""
    found = dict.fromkeys(numbers, "")
    for first, part in texts.parts():
        found |= {number: part[number - first] for number in numbers if first <= number < first + len(part)}
    return [found[number] for number in numbers]


@dataclass(frozen=True, slots=True)
class Blocks:
    """The attributes of section III.B, one entry for each block. Lengths are characters."""

    all_elements: Counts
    all_href: Counts
    all_t_length: Counts
    all_href_t_length: Counts

    @property
    def anchor_text_ratio(self) -> NDArray[np.float64]:
        """ATR, the linked share of the text."""
        ratio: NDArray[np.float64] = self.all_href_t_length / np.maximum(self.all_t_length, 1)
        return ratio

    @property
    def anchor_node_ratio(self) -> NDArray[np.float64]:
        """ANR, the linked share of the leaves."""
        ratio: NDArray[np.float64] = self.all_href / np.maximum(self.all_elements, 1)
        return ratio

    @property
    def anchor_ratio(self) -> NDArray[np.float64]:
        """AR = .75 ATR + .25 ANR."""
        return 0.75 * self.anchor_text_ratio + 0.25 * self.anchor_node_ratio

    @property
    def are_content(self) -> Mask:
        """Section III.C, third condition."""
        return (self.anchor_ratio < MAX_ANCHOR_RATIO) | ((self.all_href < 2) & (self.all_elements > 2))

    def of(self, numbers: Counts) -> Blocks:
        """Return some of the blocks."""
        columns = (self.all_elements, self.all_href, self.all_t_length, self.all_href_t_length)
        return Blocks(*(column[numbers] for column in columns))


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


class Selection(NamedTuple):
    """The texts of a page that are content, and the leaves with their lowest blocks, by which they were selected."""

    selected: Mask
    """Of all texts. White space is selected too: it separates words."""
    leaves: Counts
    """Numbers of the texts that are leaves."""
    lengths: Counts
    """Characters of each leaf."""
    lowest: Counts
    """The lowest block around each leaf."""
    blocks: Blocks


def select(page: Page, texts: Texts) -> Selection:
    """Section III.C: select the leaves of a page that are content."""
    lengths, footers = _features(texts)
    leaves = places(lengths != 0)
    selected: Mask = lengths == 0
    if not leaves.size:
        return Selection(selected, leaves, leaves, leaves, Blocks(leaves, leaves, leaves, leaves))
    lengths, footers = lengths[leaves], footers[leaves]
    outline = follow(page, texts.places[leaves])
    blocks = attributes(outline, lengths)
    lowest = lowest_blocks(outline, blocks)
    in_link_of_several = (outline.links > 0) & (np.bincount(outline.links) > 1)[outline.links]
    in_content = blocks.are_content[lowest] & ~in_link_of_several
    selected[leaves] = ~footers & (lengths >= MIN_CHARS) & in_content
    return Selection(selected, leaves, lengths, lowest, blocks)


def _features(texts: Texts) -> tuple[NDArray[np.int32], Mask]:
    """Section III.A, rules R2: return the length of each text, and whether it begins like a footer."""
    lengths, footers = np.zeros(texts.places.size, dtype=np.int32), np.zeros(texts.places.size, dtype=bool)
    for first, part in texts.parts():
        stripped = [text.strip() for text in part]
        span = slice(first, first + len(part))
        lengths[span] = [len(text) for text in stripped]
        footers[span] = [text[:24].lower().startswith(FOOTERS) for text in stripped]
    return lengths, footers
