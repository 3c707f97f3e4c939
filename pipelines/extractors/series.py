"""What of a page belongs together by its make: lines that were missed, and articles that are not the one.

Each block is judged by itself and by what stands around it, so of many that are made alike some are missed: short ones,
as entries of a live report are, and those far from the headline. Where most of the text in blocks of one make was
chosen, the rest of it among the chosen blocks is content, too; behind them only where it is likelier, in sentences, and
in one element with many of them (``completed``). So are lists and tables among them (``enclosed``) and right behind
them (``closing``).

On 801 gold pages F1 rises by .0018 with sites left out. Where next to nothing is too much (``selection.WHOLE``) nobody
looks for other articles.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.block_marks import BIT, KIND
from pipelines.extractors.parts import is_heading

if TYPE_CHECKING:
    from pipelines.extractors.block_page import Page
    from pipelines.extractors.block_texts import Array

MOST = 0.6
"""Share of the text of one make from which the rest of it is content."""
LEAST, LEAST_BEHIND = 0.03, 0.15
"""Probability that a block needs among the chosen ones, and behind them."""
FEW, FEW_BEHIND = 2, 6
"""Chosen blocks of one make that tell something, and that speak for what is behind them."""
LITTLE = 0.05
"""What is missed is looked into where it is more than this share of what was chosen; else only paragraphs among it."""
MAX_LINKED = 0.5
"""Share of linked characters from which a block leads elsewhere."""
BESIDE = 3
"""Chosen blocks in one element that speak for the paragraphs among them."""
COLONS = frozenset(":：")
"""Where a line ends that names what follows."""
HARDLY = 0.1
"""Share of linked characters up to which a line leads nowhere."""
_LISTED = BIT["ul"] | BIT["dl"] | BIT["table"]
_SUBHEAD = KIND["h2"] | KIND["h3"]
_ASIDE = sum(
    BIT[name] for name in ("comment", "nav", "share", "related", "ad", "tag", "sign", "form", "caption", "box")
)
_NO_END = _ASIDE | BIT["foot"] | BIT["side"] | BIT["meta"]
"""Marks of lists behind the text that are none of it."""
NAME = 100
"""Most characters of a line that names a list or a table below it."""
BOXED = 0.15
"""Most of the text, as a share, that a box of related articles has of it."""
_RELATED = re.compile(
    r"[Rr]elated(?!-work)|RELATED|yarpp|[Rr]ecommend(?!ation)|see-?also|[Rr]ead-?(?:[Mm]ore(?!-(?:content|text|target))|[Aa]lso)"
)
"""A recommendation is also what a report or a test comes to, related work a section, and a text may unfold."""


def completed(page: Page, chosen: Array, probability: Array, allowed: Array) -> Array:
    """Return the chosen blocks with those of the ``allowed`` ones that are made like most of them."""
    taken = chosen.nonzero()[0]
    if len(taken) < FEW:
        return chosen
    missed = (allowed & (probability >= LEAST) & (page.link < MAX_LINKED)) > chosen
    behind = int(taken[-1]) + 1
    missed[: taken[0]] = False
    missed[behind:] &= (page.texts.sentences[behind:] >= 1) & (probability[behind:] >= LEAST_BEHIND)
    missing = missed.nonzero()[0]
    if page.weight[missing].sum() <= LITTLE * page.weight[taken].sum():
        missing = missing[_paragraphs_among(page, chosen, missing)]
        if not len(missing):
            return chosen
    found = chosen.copy()
    found[missing[_alike(page, chosen, missing, behind)]] = True
    return found


def _paragraphs_among(page: Page, chosen: Array, missing: Array) -> Array:
    """Say of each of the blocks that are missing whether it is a paragraph among several that were chosen.

    It leads nowhere, and names nothing that is left out.
    """
    found: Array = (page.link[missing] <= HARDLY) & ((page.path[missing] & _ASIDE) == 0)
    if not found.any():
        return found
    parents, blocks = page.parents[page.inside], page.blocks
    found &= (missing < chosen.nonzero()[0][-1]) & (np.bincount(parents, chosen)[parents[missing]] >= BESIDE)
    known = chosen.copy()
    known[missing] = True
    for place in found.nonzero()[0].tolist():
        index = int(missing[place])
        text = blocks.texts[index].rstrip()
        says = any(map(str.isalnum, text)) and (text[-1:] not in COLONS or bool(known[index + 1]))
        found[place] = says and blocks.elements.name(blocks.inside[index]) == "p"
    return found


def _alike(page: Page, chosen: Array, missing: Array, behind: int) -> Array:
    """Say of each of the blocks that are missing whether it is made like most of them that were chosen."""
    outer = page.parents[page.inside]
    outest = page.parents[outer]
    # The makes of the three innermost elements, as a number.
    makes = (page.makes[page.inside] * len(page.marks) + page.makes[outer]) * len(page.marks) + page.makes[outest]
    wanted = makes[missing]
    known = np.array(sorted(set(wanted.tolist())))
    number, make = known.searchsorted(makes), known.searchsorted(wanted)
    same = known.take(number, mode="clip") == makes
    number, weight, taken = number[same], page.weight[same], chosen[same]
    most = np.bincount(number, weight * taken) >= MOST * np.bincount(number, weight)
    count = np.bincount(number, taken)[make]
    alike: Array = most[make] & (count >= FEW)
    if missing[-1] >= behind:
        around = page.parents[outest]
        alike &= (missing < behind) | ((count >= FEW_BEHIND) & np.isin(around[missing], around[chosen]))
    return alike


def enclosed(page: Page, chosen: Array, probability: Array, allowed: Array) -> Array:
    """Return the chosen blocks with lists, tables and subheads among them that lead nowhere else.

    Their lines are too short to be told by themselves. Whatever else stands between the same two chosen blocks, they
    are a box with it, and stay out; but for a subhead right over a chosen block, and a table that is beside one, alone
    in elements to scroll in or not. Marks that are around the longest of these as well, as of an article with buttons
    to share, make no box; nor do the many words of related articles around cells that lead nowhere.
    """
    taken = chosen.nonzero()[0]
    if not len(taken) or taken[-1] - taken[0] < len(taken):
        return chosen  # nothing is among them
    among = slice(int(taken[0]), int(taken[-1]))
    marks = page.path[among]
    aside = _ASIDE & ~int(page.path[taken[page.weight[taken].argmax()]])
    missed = (((marks & _LISTED) | (page.kind[among] & _SUBHEAD)) != 0) & ~chosen[among]
    missed &= allowed[among] & (page.link[among] <= HARDLY) & ((marks & aside) == 0)
    if not missed.any():
        return chosen
    missed &= probability[among] >= LEAST
    gap = np.cumsum(chosen[among])
    others = np.bincount(gap, ~(chosen[among] | missed | page.hidden[among]))
    found = chosen.copy()
    parents = page.parents[page.inside]
    over = chosen[among.start + 1 : among.stop + 1] & (parents[among] == parents[among.start + 1 : among.stop + 1])
    found[among] |= missed & ((others[gap] == 0) | (over & ((page.kind[among] & _SUBHEAD) != 0)))
    return found


def closing(page: Page, chosen: Array, probability: Array, allowed: Array) -> Array:
    """Return the chosen blocks with the lists and tables right behind them that lead nowhere, and what names those.

    As results, prices and members of a team close an article, in the element that its paragraphs stand in. Sentences in
    them are likely to be of the text, or the list is one of comments.
    """
    taken = chosen.nonzero()[0]
    # The last chosen one may be in a list itself, and one behind it may name another.
    if len(taken) < FEW or not (page.path[taken[-1] : taken[-1] + 3] & _LISTED).any():
        return chosen
    longest = int(taken[page.weight[taken].argmax()])
    plain = allowed & (page.link <= HARDLY) & ((page.path & _NO_END & ~int(page.path[longest])) == 0)
    plain &= ~page.texts.ends_sentence | (probability >= LEAST_BEHIND)
    innermost = int(page.inside[longest])  # which may hold all of the text, with breaks between its paragraphs
    is_paragraph = page.held[innermost] == 1 or page.blocks.elements.name(innermost) == "p"
    for home in (innermost, int(page.parents[innermost]))[: 1 + is_paragraph]:
        if found := _lists_behind(page, int(taken[-1]), home, plain):
            chosen = chosen.copy()
            chosen[found] = True
            break
    return chosen


def _lists_behind(page: Page, last: int, home: int, plain: Array) -> list[int]:
    """Return the blocks of lists and tables from the last chosen one on, and the lines over each that name it."""
    listed = plain & ((page.path & _LISTED) != 0)
    found, at, names = list[int](), last, list[int]()
    while at < page.count:
        element = _within(page, at, home)
        inside = range(int(page.first[element]), int(page.last[element]))
        if element and len(inside) >= FEW and listed[inside.start : inside.stop].all():
            found += [*names, *inside]
            names, at = [], inside.stop
        elif at == last:
            at += 1
        elif not names and plain[at] and _names_what_follows(page, at, element):
            names, at = [at], at + 1
        else:
            break
    return found


def _within(page: Page, index: int, home: int) -> int:
    """Return the outermost element around a block that stands in the one called home; 0 if none does."""
    element = int(page.inside[index])
    while element and page.parents[element] != home:
        element = int(page.parents[element])
    return element


def _names_what_follows(page: Page, index: int, element: int) -> bool:
    heading = element > 0 and is_heading(page.blocks.elements.name(element))
    return page.texts.chars[index] <= NAME and (heading or page.blocks.texts[index].rstrip()[-1:] in COLONS)


def related(page: Page, chosen: Array) -> Array:
    """Say which of the chosen blocks lie in what is named as related articles, with links in it or right beside it."""
    found: Array = chosen & ((page.path & BIT["related"]) != 0)
    tags = page.blocks.elements.tags
    marked = (number for number, bits in enumerate(page.marks) if bits & BIT["related"]) if found.any() else ()
    named = [number for number in marked if _RELATED.search(tags[number])]
    if not named:
        return np.zeros(page.count, bool)
    known = np.zeros(len(tags), bool)
    known[named] = True
    held = page.total(page.texts.chars * chosen)
    few = held <= BOXED * held[0]
    leading = few & (page.total(page.link > MAX_LINKED) > 0)
    inside = np.zeros(page.count, bool)
    for box in (known[page.tag] & few & (held > 0) & (leading | leading[page.parents])).nonzero()[0].tolist():
        inside[page.first[box] : page.last[box]] = True
    return found & inside
