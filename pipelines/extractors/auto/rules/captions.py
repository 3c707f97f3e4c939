"""Captions of pictures: which blocks are captions, and which of them belong to the article."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.auto.blocks.marks import BIT, naming_of

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array
    from pipelines.extractors.auto.blocks.walk import Elements

MAX_CAPTIONS = 100
MAX_CHARS = 2000
"""Characters of a caption or a comment, at most."""
MAX_BLOCKS_BEFORE = 10
"""Blocks before the article that may hold the caption of its first picture."""
MAX_CAPTION_BLOCKS = 4
"""Blocks, at most, of an element that is a caption."""
MAX_FIGURE_ELEMENTS = 30
"""Elements in a figure that are read. The limit keeps nested figures linear."""
MAX_LINKED_SHARE = 0.5
"""Share of linked characters from which a block is neither a caption nor a comment."""
_CAPTIONS = frozenset({"figcaption", "caption", "figure"})
_NO_CAPTIONS = frozenset({"blockquote", "table", "pre", "ul", "ol", "dl", "h1", "h2", "h3", "h4", "h5", "h6"})
_PICTURES = BIT["caption"] | BIT["figure"]
_CAPTION = re.compile(r"captions?(?![a-z])|cutline")
_IMAGES = ("image", "img", "photo", "foto", "picture", "pic")
_NAMED = "|".join(_IMAGES)
_SURE_CAPTION = re.compile(
    r"(?:wp|feat|image|img|photo|picture|pic|fig|figure|media)s?[-_ ]*(?:cms[-_ ]*)?captions?(?![a-z])|cutline"
    rf"|\btr-caption\b|(?<![a-z])(?:{_NAMED})s?[-_ ]*(?:box|block|wrap|wrapper|container|desc"
    r"|description|info|credit|copyright|legend|embed|holder|widget)(?![a-z])"
    r"|(?<![a-z])media[-_ ]*(?:block|item)?[-_ ]*(?:info|desc|description|legend|credits?|copyright)(?![a-z])"
)
_IN_NAMES = "|".join(f"[{image[0]}{image[0].upper()}]{image[1:]}" for image in _IMAGES)
_MAY_CAPTION = re.compile(f"aption|utline|(?:{_IN_NAMES}|[mM]edia)s?[-_ ]*[BWCDILEHbwcdileh]")
"""Sieve for the patterns, which need the words of an element."""
_PICTURE = re.compile(r"(?<![a-z])(?:figure|image|img|photo|picture)(?![a-z])")


def find_captions(page: PageBlocks) -> tuple[Array, Array]:
    """Return two masks: blocks that are captions, and blocks that may be captions, by the elements around them.

    Elements named or classed as picture captions are captions, and so is other text in boxes of pictures. An element
    of the plain class "caption" may be one: some papers use it for leads.
    """
    elements = page.blocks.elements
    sure, likely = np.zeros(page.count, bool), np.zeros(page.count, bool)
    marked = {
        number: _captioned(tag[:MAX_CHARS])
        for number, (tag, bits) in enumerate(zip(elements.tags, page.marks, strict=True))
        if bits & _PICTURES or "aption" in tag  # as in their names
    }
    surely = {tag: certain for tag, certain in marked.items() if certain is not None}
    if not surely:
        return sure, likely
    known = np.zeros(len(elements.tags), bool)
    known[list(surely)] = True
    for index in known[page.tag].nonzero()[0].tolist():
        first, last = elements.first[index], elements.last[index]
        if last - first <= MAX_CAPTION_BLOCKS and not _holds_more(page, index):
            sure[first:last] |= surely[elements.tag[index]] or _PICTURE.search(_around(elements, index)) is not None
            likely[first:last] = True
    # If most blocks are captions, the page marks its text as captions.
    return sure & (2 * sure.sum() < page.count), likely


def _holds_more(page: PageBlocks, figure: int) -> bool:
    """Return whether a figure holds text: a quotation, a table, a list or a heading."""
    elements = page.blocks.elements
    if elements.name(figure) != "figure":
        return False
    looked_at = range(figure + 1, min(figure + 1 + MAX_FIGURE_ELEMENTS, len(elements.tag)))
    inside = takewhile(lambda element: elements.first[element] < elements.last[figure], looked_at)
    return any(elements.name(element) in _NO_CAPTIONS for element in inside)


def _around(elements: Elements, element: int) -> str:
    """Return name, class, id and itemprop of the parent of an element, in lower case."""
    around = elements.parents[element]
    return f"{elements.name(around)} {naming_of(elements.attributes(around))}"


@lru_cache(maxsize=2**12)
def _captioned(tag: str) -> bool | None:
    """Return whether an element is a caption for sure; None if it has no mark of a caption."""
    if tag.partition(" ")[0] in _CAPTIONS:
        return True
    if not _MAY_CAPTION.search(tag):
        return None
    naming = naming_of(tag)
    if _SURE_CAPTION.search(naming):
        return True
    return False if _CAPTION.search(naming) else None


def near_captions(page: PageBlocks, chosen: Array, found: Array) -> tuple[str, ...]:
    """Return the captions in the article or shortly before it, each once, in the order of the page."""
    inside = chosen.nonzero()[0]
    if not len(inside) or not found.any():
        return ()
    near = found & ~chosen & ~page.hidden & (page.link < MAX_LINKED_SHARE)
    near[: max(0, inside[0] - MAX_BLOCKS_BEFORE)] = False
    near[inside[-1] + 2 :] = False
    lines = page.blocks.lines_of(near.nonzero()[0][:MAX_CAPTIONS].tolist())
    texts = (" ".join(each)[:MAX_CHARS] for each in lines)
    return tuple(dict.fromkeys(texts))
