"""Boxes that stand in an article and are no part of it: by what they are named, by a form in them, or as teasers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors import asides
from pipelines.extractors.block_features import SHORT
from pipelines.extractors.block_marks import BIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.extractors.block_page import Page
    from pipelines.extractors.block_texts import Array

WIDGETS = 0.3
"""Most of the text, as a share, that stands in boxes which are named for what is no part of it."""
HEADED, TEASED = 3, 0.3
"""Blocks, at least, of a box of links with a heading, and most of the text, as a share, that it has."""
LINKED = 0.9
"""Share of linked characters from which a block is a link."""
MOST = 50
"""Headings of boxes that are looked at."""
_APART = BIT["aside"] | BIT["nav"]
FORM, ASKED = 6, 300
"""Most blocks of a box with a form in it, and most characters of its text."""


def widgets(page: Page, chosen: Array) -> Array:
    """Say which of the chosen blocks stand in boxes that are named for what is no part of an article.

    As for who wrote it, newsletters, polls, players and what others read; where most stands in such boxes, none does.
    """
    found: Array = chosen & ((page.path & BIT["widget"]) != 0)
    return _unless_more(page, found, chosen, WIDGETS)


def asking(page: Page, chosen: Array) -> Array:
    """Say which of the chosen blocks stand in a small box that asks for something: to sign up, to vote, to give.

    It has a form with words of its own, as on its button, or a button or link that calls for it, whatever it is named,
    and nothing of the text but what the box says.
    """
    found = np.zeros(page.count, bool)
    taken = chosen.nonzero()[0]
    if not len(taken):
        return found
    near = slice(max(0, int(taken[0]) - FORM), int(taken[-1]) + FORM)
    formed = ((page.path[near] & BIT["form"]) != 0).nonzero()[0]
    if not len(formed):
        return found
    held = page.total(page.texts.chars * chosen)
    small = (page.held <= FORM) & (held <= ASKED)
    elements = page.blocks.elements
    inside = {*page.inside[formed + near.start].tolist()}
    forms = {
        next((form for form in _outwards(page, element, small) if elements.name(form) == "form"), 0)
        for element in inside
    }
    for inner in forms:
        box = 0
        for outer in _outwards(page, inner, small):
            box = outer
        found[page.first[box] : page.last[box]] |= bool(box and held[box])
    return _unless_more(page, found & chosen, chosen, WIDGETS)


def _outwards(page: Page, element: int, small: Array) -> Iterator[int]:
    """Yield an element and those around it, as long as they are small; the page itself is not among them."""
    while element and small[element]:
        yield element
        element = int(page.parents[element])


def _unless_more(page: Page, found: Array, chosen: Array, most: float) -> Array:
    """Return what was found, unless it is more than that share of the text."""
    if not found.any():
        return found
    if page.texts.chars[found].sum() > most * page.texts.chars[chosen].sum():
        return np.zeros(page.count, bool)
    return found


def elsewhere(page: Page, chosen: Array) -> Array:
    """Mark the chosen blocks under a heading such as "Read also", with links beside them.

    Either an element begins with the heading, has little of the text and does not hold the page's headline. Or all
    blocks after the heading are links with at most one line below each.
    """
    found = np.zeros(page.count, bool)
    taken = chosen.nonzero()[0]
    if not len(taken):
        return found
    links = page.link >= LINKED
    short = page.texts.chars <= asides.LABEL
    opens = short[np.minimum(page.first, page.count - 1)] & (page.held >= HEADED) & (page.total(chosen) > 0)
    before = short[:-2] & (links[1:-1] | links[2:])
    texts, last = page.blocks.texts, int(taken[-1])
    may_be = {*page.first[opens].tolist(), *(before[taken[0] : last].nonzero()[0] + taken[0]).tolist()}
    heads = {index for index in may_be if asides.leads_elsewhere(texts[index])}
    for head in sorted(heads)[:MOST]:
        behind: Array = chosen & (page.order >= head)
        enough = page.weight[chosen & ~behind].sum() >= SHORT
        if enough and head < last and links[head + 1 :].any() and _is_of_teasers(page, behind, head):
            found |= behind
            return found
        for element in (opens & (page.first == head)).nonzero()[0][:MOST].tolist():
            held = page.holds(element)
            if (held & links).any() and not (held & page.heads).any():
                # A heading inside an aside says nothing about text outside of the aside.
                alike = (page.path & _APART & page.path[head]) == (page.path[head] & _APART)
                found |= _unless_more(page, chosen & held & alike, chosen, TEASED)
    return found


def _is_of_teasers(page: Page, behind: Array, head: int) -> bool:
    """Return whether each block after a heading is a link or follows one, with more than one such line."""
    links, below = page.link >= LINKED, behind.nonzero()[0]
    lines = below[(below > head) & ~links[below]]
    return len(lines) > 1 and bool(links[lines - 1].all())
