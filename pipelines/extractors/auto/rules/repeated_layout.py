"""Use repeated layout to recover missed blocks.

The model judges each block by itself and its surroundings. Of many blocks of one make it misses some: short ones, such
as entries of a live report, and those far from the headline. If most of the text in blocks of one make was chosen, the
rest of it among the chosen blocks is content, too. After them it must be likelier, in sentences, and in one element
with many of them (``completed``). Lists and tables among the chosen blocks (``enclosed``) and right after them
(``closing``) are content as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.auto.blocks.marks import BIT, KIND
from pipelines.extractors.auto.blocks.text_measures import LETTER, UNMARKED, UPPER
from pipelines.extractors.auto.rules.boilerplate import SUBHEADS
from pipelines.extractors.auto.rules.text_lines import goes_on, is_heading

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array

MIN_CHOSEN_SHARE = 0.6
"""Share of chosen text of one make from which the rest of it is content."""
MIN_RECOVERED_PROBABILITY, MIN_PROBABILITY_BEHIND = 0.03, 0.15
"""Probability of a recovered block, at least, among the chosen blocks and after them."""
MIN_ENCLOSED_PROBABILITY = 0.01
"""Probability of a cell of a table, and of words in a list or a subhead, at least, among the chosen blocks. A number in
a list may be the time of an entry.
"""
LETTERS = [LETTER, UPPER, UNMARKED]
MIN_CHOSEN_BLOCKS, MIN_BLOCKS_BEFORE = 2, 6
"""Chosen blocks of one make, at least, to recover blocks among them and after them."""
MIN_MISSED_SHARE = 0.05
"""Share of the chosen text. If the missed text is less, only paragraphs among the chosen blocks are recovered."""
MAX_LINKED_SHARE = 0.5
"""Share of linked characters from which a block leads elsewhere."""
MIN_CHOSEN_NEIGHBOURS = 3
"""Chosen blocks in one element, at least, to recover a paragraph among them."""
COLONS = frozenset(":：")
"""Ends of a line that names the next one."""
MAX_PROSE_LINKED_SHARE = 0.1
"""Share of linked characters up to which a line is no link."""
_LISTED = BIT["ul"] | BIT["dl"] | BIT["table"]
_SUBHEAD = KIND["h2"] | KIND["h3"]
_ASIDE = sum(
    BIT[name] for name in ("comment", "nav", "share", "related", "ad", "tag", "sign", "form", "caption", "box")
)
_NO_END = _ASIDE | BIT["foot"] | BIT["side"] | BIT["meta"]
"""Marks of lists after the text that are not part of it."""
NAME = 100
"""Characters, at most, of a line that names a list or a table below it."""


def completed(page: PageBlocks, chosen: Array, probability: Array, allowed: Array) -> Array:
    """Add the ``allowed`` blocks whose make is that of mostly chosen blocks."""
    taken = chosen.nonzero()[0]
    if len(taken) < MIN_CHOSEN_BLOCKS:
        return chosen
    missed = (allowed & (probability >= MIN_RECOVERED_PROBABILITY) & (page.link < MAX_LINKED_SHARE)) > chosen
    behind = int(taken[-1]) + 1
    missed[: taken[0]] = False
    missed[behind:] &= (page.texts.sentences[behind:] >= 1) & (probability[behind:] >= MIN_PROBABILITY_BEHIND)
    missing = missed.nonzero()[0]
    if page.weight[missing].sum() <= MIN_MISSED_SHARE * page.weight[taken].sum():
        missing = missing[_paragraphs_among(page, chosen, missing)]
        if not len(missing):
            return chosen
    found = chosen.copy()
    found[missing[_alike(page, chosen, missing, behind)]] = True
    return found


def _paragraphs_among(page: PageBlocks, chosen: Array, missing: Array) -> Array:
    """Mark the missing blocks that are paragraphs among several chosen ones.

    Such a paragraph is no link and does not name a part that is left out.
    """
    found: Array = (page.link[missing] <= MAX_PROSE_LINKED_SHARE) & ((page.path[missing] & _ASIDE) == 0)
    if not found.any():
        return found
    parents, blocks = page.parents[page.inside], page.blocks
    found &= (missing < chosen.nonzero()[0][-1]) & (
        np.bincount(parents, chosen)[parents[missing]] >= MIN_CHOSEN_NEIGHBOURS
    )
    known = chosen.copy()
    known[missing] = True
    for place in found.nonzero()[0].tolist():
        index = int(missing[place])
        text = blocks.texts[index].rstrip()
        says = any(map(str.isalnum, text)) and (text[-1:] not in COLONS or bool(known[index + 1]))
        found[place] = says and blocks.elements.name(blocks.inside[index]) == "p"
    return found


def _alike(page: PageBlocks, chosen: Array, missing: Array, behind: int) -> Array:
    """Mark the missing blocks whose make is that of mostly chosen text."""
    makes = page.layouts
    wanted = makes[missing]
    known = np.array(sorted(set(wanted.tolist())))
    number, make = known.searchsorted(makes), known.searchsorted(wanted)
    same = known.take(number, mode="clip") == makes
    number, weight, taken = number[same], page.weight[same], chosen[same]
    most = np.bincount(number, weight * taken) >= MIN_CHOSEN_SHARE * np.bincount(number, weight)
    count = np.bincount(number, taken)[make]
    alike: Array = most[make] & (count >= MIN_CHOSEN_BLOCKS)
    if missing[-1] >= behind:
        around = page.parents[page.parents[page.parents[page.inside]]]
        alike &= (missing < behind) | ((count >= MIN_BLOCKS_BEFORE) & np.isin(around[missing], around[chosen]))
    return alike


def enclosed(page: PageBlocks, chosen: Array, probability: Array, allowed: Array) -> Array:
    """Add lists, tables and subheads among the chosen blocks that are no links.

    Their lines are too short for the model. If other blocks are between the same two chosen blocks, all of them form a
    box and stay out, except a subhead right above a chosen block. Marks around the longest chosen block as well, as of
    an article with share buttons, do not make a box.
    """
    taken = chosen.nonzero()[0]
    if not len(taken) or taken[-1] - taken[0] < len(taken):
        return chosen  # no gap
    among = slice(int(taken[0]), int(taken[-1]))
    marks = page.path[among]
    aside = _ASIDE & ~int(page.path[taken[page.weight[taken].argmax()]])
    missed = (((marks & _LISTED) != 0) | _subheads(page)[among]) & ~chosen[among]
    missed &= allowed[among] & (page.link[among] <= MAX_PROSE_LINKED_SHARE) & ((marks & aside) == 0)
    if not missed.any():
        return chosen
    said = (page.texts.classes[among][:, LETTERS].sum(axis=1) > 0) | ((marks & BIT["table"]) != 0)
    missed &= probability[among] >= np.where(said, MIN_ENCLOSED_PROBABILITY, MIN_RECOVERED_PROBABILITY)
    gap = np.cumsum(chosen[among])
    others = np.bincount(gap, ~(chosen[among] | missed | page.hidden[among]))
    found = chosen.copy()
    # The next block is in the element around the subhead, or in an element beside it.
    holder = page.parents[page.outer[among]]
    over = chosen[among.start + 1 : among.stop + 1] & (page.last[holder] > page.order[among] + 1)
    found[among] |= missed & ((others[gap] == 0) | (over & ((page.kind[among] & _SUBHEAD) != 0)))
    return found


def _subheads(page: PageBlocks) -> Array:
    """Mark the blocks that are subheads of any level. The kinds of a block (`KIND`) have none for the lower ones."""
    tags = np.array([name in SUBHEADS for name in page.blocks.elements.names])
    found: Array = ((page.kind & _SUBHEAD) != 0) | tags[page.tag[page.inside]]
    return found


def continued(page: PageBlocks, chosen: Array, probability: Array, allowed: Array) -> Array:
    """Add the rest of a sentence that a card of a link cuts, if text is chosen after it."""
    taken = chosen.nonzero()[0]
    rests = taken[1:] - 1
    may_be = (rests - taken[:-1] >= MIN_CHOSEN_BLOCKS) & allowed[rests] & (page.link[rests] < MAX_LINKED_SHARE)
    may_be &= probability[rests] >= MIN_PROBABILITY_BEHIND
    fits = [int(rests[at]) for at in may_be.nonzero()[0].tolist() if goes_on(page, int(taken[at]), int(rests[at]))]
    if not fits:
        return chosen
    found = chosen.copy()
    found[fits] = True
    return found


def closing(page: PageBlocks, chosen: Array, probability: Array, allowed: Array) -> Array:
    """Add the lists and tables right after the chosen blocks, with the lines that name them.

    Results, prices and team members end an article, in the element of its paragraphs. Sentences in such a list must be
    likely, or the list is one of comments.
    """
    taken = chosen.nonzero()[0]
    # The last chosen block may be in a list, or the next one may name a list.
    if not len(taken) or not (page.path[taken[-1] : taken[-1] + 3] & _LISTED).any():
        return chosen
    longest = int(taken[page.weight[taken].argmax()])
    plain = allowed & (page.link <= MAX_PROSE_LINKED_SHARE) & ((page.path & _NO_END & ~int(page.path[longest])) == 0)
    plain &= ~page.texts.ends_sentence | (probability >= MIN_PROBABILITY_BEHIND)
    innermost = int(page.inside[longest])  # may hold the whole text, with line breaks between paragraphs
    is_paragraph = page.held[innermost] == 1 or page.blocks.elements.name(innermost) == "p"
    for home in (innermost, int(page.parents[innermost]))[: 1 + is_paragraph]:
        if found := _lists_behind(page, int(taken[-1]), home, plain):
            # A table that is longer than the text is no list of it: the weather in a hundred towns.
            if page.weight[found].sum() > page.weight[taken].sum():
                break
            chosen = chosen.copy()
            chosen[found] = True
            break
    return chosen


def _lists_behind(page: PageBlocks, last: int, home: int, plain: Array) -> list[int]:
    """Return the blocks of lists and tables from the last chosen block on, with the lines that name them."""
    listed = plain & ((page.path & _LISTED) != 0)
    found, at, names = list[int](), last, list[int]()
    while at < page.count:
        element = _within(page, at, home)
        inside = range(int(page.first[element]), int(page.last[element]))
        if element and len(inside) >= MIN_CHOSEN_BLOCKS and listed[inside.start : inside.stop].all():
            found += [*names, *inside]
            names, at = [], inside.stop
        elif at == last:
            at += 1
        elif not names and plain[at] and _names_what_follows(page, at, element):
            names, at = [at], at + 1
        else:
            break
    return found


def _within(page: PageBlocks, index: int, home: int) -> int:
    """Return the child of ``home`` that holds a block; 0 if the block is not in ``home``."""
    element = int(page.inside[index])
    while element and page.parents[element] != home:
        element = int(page.parents[element])
    return element


def _names_what_follows(page: PageBlocks, index: int, element: int) -> bool:
    heading = element > 0 and is_heading(page.blocks.elements.name(element))
    return page.texts.chars[index] <= NAME and (heading or page.blocks.texts[index].rstrip()[-1:] in COLONS)
