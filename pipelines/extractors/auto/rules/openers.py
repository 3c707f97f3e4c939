"""Headings that open a part of the text when a reader clicks on them: summaries, and buttons of accordions."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipelines.extractors.auto.rules.repeated_layout import MAX_PROSE_LINKED_SHARE

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array
MIN_OPENED_SHARE = 0.6
"""Share of chosen text, at least, in the part below a heading."""
MIN_OPENERS = 2
"""Different headings of one make, at least. A single one says "Read more"."""
_STATES = (" aria-expanded=", " aria-controls=")
"""Attributes of a button that opens a part of the page (WAI-ARIA 1.2)."""


class _Opener(NamedTuple):
    """A heading that opens chosen text."""

    block: int
    text: str
    part: int
    """The element that holds the heading and its part."""
    is_stated: bool
    """Whether the page says that the heading opens something. A plain button may do anything."""


def openers(page: PageBlocks, chosen: Array, allowed: Array) -> Array:
    """Mark the headings that open chosen text, and are no part of it yet.

    The model takes short lines for controls. Headings of one make differ, because buttons of the page repeat their
    words: "Read more", "Share". A single heading is a question. A plain button is the first block of its part, and
    each part is an element of its own.
    """
    found = np.zeros(page.count, bool)
    may_be = (allowed & (page.link <= MAX_PROSE_LINKED_SHARE))[:-1] & chosen[1:]
    if not (may_be & ~chosen[:-1]).any():
        return found
    of_make = defaultdict[tuple[int, int], list[_Opener]](list)
    for block in may_be.nonzero()[0].tolist():
        if opener := _opener(page, block):
            element = int(page.outer[block])
            of_make[int(page.makes[element]), int(page.makes[page.parents[element]])].append(opener)
    for alike in of_make.values():
        ends = [opener.block for opener in alike[1:]] + [page.count]
        true = [opener for opener, end in zip(alike, ends, strict=True) if _opens_text(page, chosen, opener, end)]
        differ = len({opener.text for opener in true}) == len(true) >= MIN_OPENERS
        apart = len({opener.part for opener in true}) == len(true)
        for opener in true:
            is_heading = (
                (differ and apart) if not opener.is_stated else differ or page.texts.ends_sentence[opener.block]
            )
            found[opener.block] = is_heading
    return found & ~chosen


def _opener(page: PageBlocks, block: int) -> _Opener | None:
    """Return a block as a heading that opens the text below it; None if it is none."""
    text, elements = page.blocks.texts[block], page.blocks.elements
    if not any(map(str.isalpha, text)):
        # A time or an arrow.
        return None
    outer = int(page.outer[block])
    part, element = int(page.parents[outer]), int(page.inside[block])
    while element != part:
        name, attributes = elements.name(element), elements.attributes(element)
        is_stated = name == "summary" or any(state in attributes for state in _STATES)
        if is_stated or name == "button":
            return _Opener(block, "".join(text.split()), part, is_stated)
        element = int(page.parents[element])
    return None


def _opens_text(page: PageBlocks, chosen: Array, opener: _Opener, end: int) -> bool:
    """Return whether most of the text from a heading to the next one, or to the end of its part, is chosen."""
    block, part = opener.block, opener.part
    if not opener.is_stated and page.first[part] != block:
        return False
    opened = slice(block + 1, min(end, int(page.last[part])))
    held, everything = (page.weight[opened] * chosen[opened]).sum(), page.weight[opened].sum()
    return bool(held > page.weight[block] and held >= MIN_OPENED_SHARE * everything)
