"""Second copies of the article on its page, and the articles after it."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.auto.blocks.features import MIN_ARTICLE_LETTERS
from pipelines.extractors.auto.blocks.marks import BIT, KIND
from pipelines.extractors.auto.blocks.page import MAX_LINKED_SHARE

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array
MIN_COPY_SHARE = 0.35
"""Share of the text from which repeated blocks are a copy of the article."""

MIN_OWN_LETTERS = 60
"""Letters of this article, at least, in the element around its headline."""
MAX_NEXT_ARTICLES, HEAD_BLOCKS = 20, 4
"""Articles after this one that are looked at, and blocks at the beginning of each that may be its headline."""
_HEADING = KIND["h2"] | KIND["h3"]
_ARTICLE = BIT["article"] | BIT["good"]


def copies(page: PageBlocks, chosen: Array) -> Array:
    """Mark the chosen blocks that repeat an earlier one, if the page repeats a large part of the text.

    Such a page holds the article twice, for wide and narrow screens or for print, and a style sheet hides one copy. A
    single line repeated many times is the author's. Repeated lines in one element are, too, as in recipes, programmes
    and tables of results.
    """
    repeated, chars, seen = np.zeros(page.count, bool), page.texts.chars, dict[str, set[int]]()
    unspaced = cache(lambda index: "".join(page.blocks.texts[index].split()))
    # Equal blocks have equal lengths.
    sizes, indices = chars[chosen].tolist(), chosen.nonzero()[0].tolist()
    lengths, inside, parents = Counter(sizes), page.blocks.inside, page.blocks.elements.parents
    for index in (index for index, size in zip(indices, sizes, strict=True) if lengths[size] > 1):
        element = parents[inside[index]]
        elements = seen.setdefault(unspaced(index), set())
        repeated[index] = bool(elements) and element not in elements
        elements.add(element)
    if not repeated.any():
        return repeated
    first = chosen & ~repeated
    said = Counter(map(unspaced, np.isin(chars, chars[first]).nonzero()[0].tolist()))
    again = {index: said[unspaced(index)] - 1 for index in first.nonzero()[0].tolist() if said[unspaced(index)] > 1}
    doubled = sum(times * int(chars[index]) for index, times in again.items())
    return repeated & (len(again) > 1 and doubled > MIN_COPY_SHARE * int(chars[first].sum()))


def next_articles(page: PageBlocks, chosen: Array) -> Array:
    """Mark the chosen blocks of the articles after this one, which some papers put on one page to be scrolled to.

    Each is in an element of the make of the one around the headline and text of this article, which is named as an
    article, and begins with an h1 or with a heading that is a link.
    """
    found = np.zeros(page.count, bool)
    heads = page.h1 | (((page.kind & _HEADING) != 0) & (page.link > MAX_LINKED_SHARE))
    if not page.heads.any() or not (chosen & ~page.heads)[page.headline :].any() or heads.sum() < 2:
        return found
    held = page.total(page.weight * chosen * ~page.heads)
    home = page.holding & (held >= MIN_OWN_LETTERS) & (np.arange(len(held)) > 0)
    if not home.any():
        return found
    own = int(home.nonzero()[0][-1])
    tag = page.blocks.elements.tag[own]
    if page.blocks.elements.names[tag] == "section" or not page.marks[tag] & _ARTICLE:  # parts of one article
        return found
    alike = (page.makes == page.makes[own]) & (page.first >= page.last[own]) & (held >= MIN_ARTICLE_LETTERS)
    for element in alike.nonzero()[0][:MAX_NEXT_ARTICLES].tolist():
        first, last = int(page.first[element]), int(page.last[element])
        found[first:last] |= heads[first : min(last, first + HEAD_BLOCKS)].any()
    return found & chosen
