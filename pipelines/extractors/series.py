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

from pipelines.extractors.block_features import SHORT
from pipelines.extractors.block_marks import BIT, KIND, PRAISE
from pipelines.extractors.parts import TITLE, is_heading

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
ASKED = 200
"""Most characters of what names something that unfolds."""
PART, HALF = 10, 0.5
"""Most blocks of a part of the text that has a name, and most of the text, as a share, that it has."""
MAX_OTHERS = 50
"""Other headlines that are looked at."""
CELLS = 4
"""Blocks of a table that is more than a frame."""
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
_NUMBER = re.compile(r"\d+")
_ADDRESSED = re.compile(r'\sdata-(?:[a-z]+-)?(?:url|href|permalink)="')
"""An element that tells its own address, for the one that is shown to follow what is read."""
_ITS_OWN = re.compile(r'\s(?:data-[a-z-]+|itemid|about)="[^"]*"')
"""What differs between articles of one make."""


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
    missed &= allowed[among] & (page.link[among] <= HARDLY) & ((marks & (aside & ~BIT["related"])) == 0)
    if not missed.any():
        return chosen
    cells = missed & ((page.kind[among] & KIND["td"]) != 0)
    missed &= (marks & aside) == 0
    missed &= probability[among] >= LEAST
    gap = np.cumsum(chosen[among])
    others = np.bincount(gap, ~(chosen[among] | missed | page.hidden[among]))
    found = chosen.copy()
    parents = page.parents[page.inside]
    over = chosen[among.start + 1 : among.stop + 1] & (parents[among] == parents[among.start + 1 : among.stop + 1])
    found[among] |= missed & ((others[gap] == 0) | (over & ((page.kind[among] & _SUBHEAD) != 0)))
    for table in _tables(page, cells.nonzero()[0] + among.start) if cells.any() else ():
        inside = slice(page.first[table], page.last[table])
        beside = page.parents[_outermost(page, table)]
        found[inside] |= _is_of_cells(page, inside, allowed, aside & ~BIT["related"]) and bool(
            (parents[taken] == beside).any()
        )
    return found


def _outermost(page: Page, element: int) -> int:
    """Return the outermost of the elements that hold nothing but this one, as those do that let a wide table scroll."""
    held = page.first[element], page.last[element]
    while element and (page.first[page.parents[element]], page.last[page.parents[element]]) == held:
        element = page.parents[element]
    return element


def _tables(page: Page, cells: Array) -> set[int]:
    """Return the innermost tables around some blocks."""
    found, name = set[int](), page.blocks.elements.name
    for element in set(page.inside[cells].tolist()):
        while element and name(element) != "table":
            element = page.parents[element]
        found.add(int(element))
    return found - {0}


def _is_of_cells(page: Page, inside: slice, allowed: Array, aside: int) -> bool:
    """Say whether blocks are cells, some at least, and none of them leads elsewhere or is marked as something else."""
    plain = allowed[inside] & (page.link[inside] <= HARDLY) & ((page.path[inside] & aside) == 0)
    return len(plain) >= CELLS and bool((plain & ((page.kind[inside] & KIND["td"]) != 0)).all())


def named(page: Page, chosen: Array, probability: Array, allowed: Array) -> Array:
    """Return the chosen blocks with those of the ``allowed`` ones that name what stands below them, if it was chosen.

    They are what unfolds an element when it is asked for, or subheads of parts of one make, others of which were
    chosen, as entries of a live report are. Each is among the first of its part.
    """
    folds = (page.path & BIT["fold"]) != 0
    missed = folds | (((page.kind & _SUBHEAD) != 0) & (probability >= LEAST_BEHIND))
    missed &= allowed & ~chosen & (page.link <= HARDLY) & (page.texts.chars <= ASKED)
    missed &= (page.path & (_ASIDE & ~BIT["box"])) == 0
    if not missed.any():
        return chosen
    held, gained = page.total(chosen * page.weight), page.total(page.gain)
    full = (held > 0) & (held >= MOST * gained) & (page.held >= FEW) & (page.held <= PART) & (held <= HALF * held[0])
    parts = {index: _part(page, index, full) for index in missed.nonzero()[0].tolist()}
    makes, found = page.makes[page.inside], chosen.copy()
    known = set(makes[chosen & ((page.kind & _SUBHEAD) != 0)].tolist())
    for index, part in parts.items():
        unfolds = page.first[part] == index and (page.near[index] | page.marks[page.tag[part]]) & BIT["fold"]
        found[index] = bool(part and (unfolds or makes[index] in known))
    return found


def _part(page: Page, index: int, full: Array) -> int:
    """Return the smallest element around a block, among the first in it, that is ``full`` of text; 0 if none is."""
    element = int(page.inside[index])
    while element and not full[element] and index - page.first[element] < FEW:
        element = int(page.parents[element])
    return element if full[element] and index - page.first[element] < FEW else 0


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


def further_articles(page: Page) -> Array:
    """Say which blocks lie in articles that follow upon the page's own: each an ``article`` with an h1 of its own.

    Its own has the h1 that the title repeats, and text of some length. Where it is no ``article``, elements beside it
    of its make are, if they are named so or tell their address. Of a page without h1, the h2 count that articles of one
    make begin with.
    """
    others = np.zeros(page.count, bool)
    heads = page.h1.nonzero()[0][:MAX_OTHERS].tolist() or _opening_articles(page)
    if len(heads) < 2:
        return others
    articles = {head: _article(page, page.inside[head]) for head in heads}
    titled = [head for head in heads if page.title[head] > TITLE]
    own = next((article for head in titled if (article := articles[head])), 0)
    following = {article for article in articles.values() if page.first[article] >= page.last[own]}
    if titled and not own:
        headline = int(page.inside[titled[0]])
        behind = (int(page.inside[head]) for head in heads if head > titled[0] and page.title[head] <= TITLE)
        following = {_beside(page, headline, other, page.total_gain) for other in behind}
    elif not own or page.total_gain[own] < SHORT:
        return others
    for other in following - {0}:
        others[page.first[other] : page.last[other]] = True
    return others


def _opening_articles(page: Page) -> list[int]:
    """Return the h2 of a page without h1 that articles begin with, of the make of the one that the title repeats."""
    found = dict[int, str]()
    for head in ((page.kind & KIND["h2"]) != 0).nonzero()[0][:MAX_OTHERS].tolist():
        article = _article(page, page.inside[head])
        if article and page.first[article] == head:
            found[head] = _make(page, article)
    own = next((make for head, make in found.items() if page.title[head] > TITLE), "")
    return [head for head, make in found.items() if make == own]


def _article(page: Page, element: int) -> int:
    """Return the ``article`` around an element, 0 if there is none."""
    elements = page.blocks.elements
    while element and elements.name(element) != "article":
        element = elements.parents[element]
    return element


def other_articles(page: Page, chosen: Array) -> Array:
    """Say which of the chosen blocks lie in other articles, as they do where one is shown after the other.

    Those have a headline of the make of the one that the page's title repeats, and stand beside its article in elements
    of one make. Entries of a live report are none: its headline is in none of them.
    """
    others = np.zeros(page.count, bool)
    headlines = (page.inside[index] for index in (page.title > TITLE).nonzero()[0].tolist())
    headline = next((element for element in headlines if _is_headline(page, element)), 0)
    following = headline + 1 + (page.tag[headline + 1 :] == page.tag[headline]).nonzero()[0]
    if headline and len(following):
        held = page.total(chosen * page.weight)
        for other in following[:MAX_OTHERS].tolist():
            beside = _beside(page, headline, other, held)
            others[page.first[beside] : page.last[beside]] |= beside > 0
    return others & chosen


def _is_headline(page: Page, element: int) -> bool:
    elements = page.blocks.elements
    name = elements.name(element)
    return name == "h1" or (is_heading(name) and bool(page.marks[elements.tag[element]] & BIT["title"]))


def _beside(page: Page, headline: int, other: int, held: Array) -> int:
    """Return the element that has the other headline where the article has its own; 0 if there is none."""
    elements = page.blocks.elements
    while headline != other and elements.parents[headline] != elements.parents[other]:
        headline, other = elements.parents[headline], elements.parents[other]
    article = page.marks[elements.tag[headline]] & PRAISE & ~BIT["title"]
    if headline == other or not (article or _ADDRESSED.search(elements.tags[elements.tag[other]])):
        return 0
    if _make(page, headline) != _make(page, other):
        return 0
    return other if held[headline] >= SHORT else 0


def _make(page: Page, element: int) -> str:
    """Return the start tag of an element without the numbers and addresses by which pages tell articles apart."""
    return _NUMBER.sub("", _ITS_OWN.sub("", page.blocks.elements.tags[page.blocks.elements.tag[element]]))


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
