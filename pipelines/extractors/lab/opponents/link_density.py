"""``lqf-25``, ``lqf-50``, ``lqf-75``, link quota filters: Mantratzis, Orgun and Cassidy, "Separating XHTML content from
navigation clutter using DOM-structure block analysis", Hypertext 2005, in the form that Gottron compares with (2007).

The link quota of a block is the share of its text that stands in links. Blocks whose quota is over the number in the
name, in percent, go; all other text stays.

Open in the description, and decided here: which elements are blocks (those that begin lines on the screen), whether a
block answers for the blocks in it (no; otherwise a frontier of 25 % drops whole pages for their menus), how text is
measured (characters without the white space around them).
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from pipelines.extractors.base import Extractor, ExtractorOptions
from pipelines.markup.lexer import BLOCKS
from pipelines.markup.nesting import OpenElements, opens
from pipelines.markup.soup import paragraphs, scan
from storage.records import Extraction

if TYPE_CHECKING:
    from pipelines.markup.soup import Soup

VERSION = "1"


def block_of_each_text(soup: Soup) -> tuple[list[int], list[bool]]:
    """Return for each text the number of its innermost block, 0 for the body, and whether it stands in a link."""
    elements, blocks, linked, count = OpenElements(0), [], [], 0
    for name, tag in zip((*soup.names, "br"), (*soup.tags, ""), strict=True):
        blocks.append(elements.innermost[1])
        linked.append(elements.holds("a"))
        if name[0] == "/":
            elements.end(name[1:])
        elif opens(name, tag):
            elements.end_implied(name)
            count += name in BLOCKS
            elements.start(name, count if name in BLOCKS else elements.innermost[1])
    return blocks, linked


def extract(percent: int, html: str, _options: ExtractorOptions) -> Extraction:
    """Return all text but that of blocks over the quota."""
    soup = scan(html)
    blocks, linked = block_of_each_text(soup)
    chars, chars_linked = Counter[int](), Counter[int]()
    for text, block, inside in zip(soup.texts, blocks, linked, strict=True):
        chars[block] += len(text.strip())
        chars_linked[block] += len(text.strip()) * inside
    over = {block for block in chars if 100 * chars_linked[block] > percent * chars[block]}
    texts = ["" if block in over else text for text, block in zip(soup.texts, blocks, strict=True)]
    return Extraction(paragraphs(texts, soup.names), f"lqf-{percent}", VERSION)


EXTRACTORS = tuple(
    Extractor(f"lqf-{percent}", VERSION, description, partial(extract, percent), evaluation_only=True)
    for percent, description in (
        (25, "link quota filter, 25 % (Mantratzis et al., 2005)"),
        (50, "link quota filter, 50 %"),
        (75, "link quota filter, 75 %"),
    )
)
