"""Second copies of the article on its page."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array
MIN_COPY_SHARE = 0.35
"""Share of the text from which repeated blocks are a copy of the article."""


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
