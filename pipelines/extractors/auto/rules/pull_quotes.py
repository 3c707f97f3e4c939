"""Pull quotes: sentences of the article that its page shows a second time, in large letters."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.auto.blocks.marks import naming_of
from pipelines.text.normalise import letters_of_all
from pipelines.text.scripts import SENTENCE_ENDS, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.extractors.auto.blocks.page import PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array
MIN_LETTERS = 20
"""Letters of an alphabet, at least. A shorter sentence is repeated by chance: "Yes, we will"."""
MIN_REPEATED_SHARE = 0.6
"""Share of repeated letters, at least, in a quotation with the name of its speaker."""
MAX_QUOTED_SHARE = 0.3
"""Share of the text, at most, in one quotation. An element with more of it is layout."""
MAX_BLOCKS_BESIDE = 3
"""Blocks, at most, of an aside or a figure that is a quotation without the name of one."""
_QUOTATION = re.compile(r"(?<![a-z])(?:pull|block|big)?-?(?:quot(?:e|es|ation)|zitat|citat\w*|cita|cytat)(?![a-z])")
"""Words in the class of a quotation, in the languages whose papers name their classes so."""
_BESIDE = frozenset({"aside", "figure"})
_MAY_BE = ("quot", "zitat", "cita", "cytat", *_BESIDE)
"""Parts of tags. Each quotation has one in its tag."""


def pull_quotes(page: PageBlocks, chosen: Array) -> Array:
    """Mark the chosen quotations whose letters are wholly in the text around them, outside of quotations.

    The quotation goes, not the sentence in the text. The name of the speaker beside it goes with it. A quotation that
    occurs twice is a refrain and stays. So does one of another entry of a live report or a forum. Repeated lines that
    are in no quotation are the author's.
    """
    out = np.zeros(page.count, bool)
    quotations = list(_quotations(page, chosen))
    if not quotations:
        return out
    prose, blocks = chosen.copy(), page.blocks
    for _, inside in quotations:
        prose[inside] = False
    taken = prose.nonzero()[0]
    said = letters_of_all([blocks.texts[index] for index in taken.tolist()])
    lines = [[line for each in blocks.lines_of(inside.tolist()) for line in each] for _, inside in quotations]
    keys = [letters_of_all(of_each) for of_each in lines]
    times = Counter(key for of_each in keys for key in set(of_each))
    for (element, inside), of_each, letters in zip(quotations, lines, keys, strict=True):
        around = slice(*np.searchsorted(taken, _blocks_around(page, element)).tolist())
        beside = "\n".join(said[around])
        is_said = [times[key] == 1 and key in beside for key in letters]
        repeated = sum(size(line) for line, known in zip(of_each, is_said, strict=True) if known)
        others = [line for line, known in zip(of_each, is_said, strict=True) if not known]
        named = repeated >= MIN_REPEATED_SHARE * sum(map(size, of_each)) and not any(map(_is_sentence, others))
        out[inside] = repeated >= MIN_LETTERS and named
    return out


def _quotations(page: PageBlocks, chosen: Array) -> Iterator[tuple[int, Array]]:
    """Yield the element and the chosen blocks of each outermost quotation that is no layout."""
    elements, end = page.blocks.elements, 0
    tags = map(str.lower, elements.tags)
    may_be = np.array([any(part in tag for part in _MAY_BE) for tag in tags], bool)[page.tag]
    weight = page.weight * chosen
    for element in may_be.nonzero()[0].tolist():
        inside = page.order[page.first[element] : page.last[element]]
        held = inside[chosen[inside]]
        if not len(held) or held[0] < end or weight[held].sum() > MAX_QUOTED_SHARE * weight.sum():
            continue
        name = elements.name(element)
        is_named = name == "blockquote" or _QUOTATION.search(naming_of(elements.attributes(element))) is not None
        if is_named or (name in _BESIDE and len(inside) <= MAX_BLOCKS_BESIDE):
            yield element, held
            end = int(held[-1]) + 1


def _blocks_around(page: PageBlocks, element: int) -> tuple[int, int]:
    """Return the first block, and the one after the last, of the smallest element that holds more than this one."""
    home = int(page.parents[element])
    while home and page.held[home] == page.held[element]:
        home = int(page.parents[home])
    return int(page.first[home]), int(page.last[home])


def _is_sentence(line: str) -> bool:
    return line[-1:] in SENTENCE_ENDS
