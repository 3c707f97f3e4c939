"""Boxes that stand in an article and are no part of it: by what they are named, by a form in them, or as teasers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.block_marks import BIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.extractors.block_page import Page
    from pipelines.extractors.block_texts import Array

WIDGETS = 0.3
"""Most of the text, as a share, that stands in boxes which are named for what is no part of it."""
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






