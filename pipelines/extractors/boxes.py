"""Boxes that stand in an article and are no part of it: by what they are named, by a form in them, or as teasers."""

from __future__ import annotations

import re
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
BROKEN = 0.8
"""Most of the text, as a share, that teasers have of it that all break off."""
CARD, CARDS = 5, 3
"""Most blocks of a teaser, and how many of one make stand beside each other at least."""
MOST = 50
"""Boxes and lists of teasers that are looked at."""
LINKED, PLAIN = 0.9, 0.5
"""Share of linked characters from which a block is a link, and from which it leads elsewhere."""
_BROKEN_OFF = re.compile(r"(?:\.\.\.|…|\[…\]|\[\.\.\.\])[^.!?؟۔।。！？…\d]{0,20}$")
"""An ellipsis at the end, or before the few words of a link to the rest."""
_END = 40
"""Characters at the end of a text among which it is looked for."""


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


def teasers(page: Page, chosen: Array) -> Array:
    """Say which of the chosen blocks are beginnings of other articles, each right behind a line that is a link.

    They break off, in an element that is marked as related to the article, or in elements of one make beside each other
    that each begin with such a line.
    """
    found: Array = chosen.copy()
    found[1:] &= page.link[:-1] > PLAIN
    found[:1] = False
    if not found.any():
        return found
    broken = found.copy()
    texts, likely = page.blocks.texts, found.nonzero()[0].tolist()
    broken[likely] = [_BROKEN_OFF.search(texts[index].rstrip()[-_END:]) is not None for index in likely]
    broken_off: Array = broken & ((page.path & BIT["related"]) != 0)
    return broken_off | _in_cards(page, chosen, broken, likely)


def _in_cards(page: Page, chosen: Array, broken: Array, likely: list[int]) -> Array:
    """Say which of the chosen blocks stand in cards of one make beside each other, all of which break off."""
    cards: dict[tuple[int, int], set[int]] = {}
    for index in likely:
        if page.link[index - 1] >= LINKED and (card := _card(page, index)):
            cards.setdefault((int(page.parents[card]), int(page.makes[card])), set()).add(card)
    found = np.zeros(page.count, bool)
    for beside in [beside for beside in cards.values() if len(beside) >= CARDS][:MOST]:
        inside = np.zeros(page.count, bool)
        for card in beside:
            inside[page.first[card] : page.last[card]] = True
        inside &= chosen
        said = inside & (page.link < LINKED)
        if said.any() and broken[said].all():
            found |= _unless_more(page, inside, chosen, BROKEN)
    return found


def _card(page: Page, index: int) -> int:
    """Return the small element that begins with the link before a block and holds both; 0 if there is none."""
    element = int(page.inside[index])
    while element and page.first[element] >= index:
        element = int(page.parents[element])
    opens = page.first[element] == index - 1 or (
        page.first[element] == index - 2 and page.link[page.first[element]] >= LINKED
    )
    return element if opens and page.held[element] <= CARD else 0
