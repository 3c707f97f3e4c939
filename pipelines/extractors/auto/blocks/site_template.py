"""Apply the template of a site: blocks that recur on its pages, as 64-bit keys of their text and place.

The key of a block is xxh3 of its text and of the three innermost elements around it with their classes. White space is
collapsed and all numbers are equal, so dates and counters recur too. The place keeps apart an article's words and the
teaser that repeats them on every page. This is template detection as in Bar-Yossef and Rajagopalan, "Template Detection
via Data Mining and its Applications", WWW 2002, with exact keys and for one site.
``pipelines.extractors.auto.blocks.template_learning`` learns the templates.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import xxhash

from pipelines.extractors.base import PARAGRAPH_KINDS
from pipelines.text.scripts import size
from storage.records import ParagraphKind

if TYPE_CHECKING:
    from pipelines.extractors.auto.blocks.text_measures import Array
    from pipelines.extractors.auto.blocks.walk import BlockSequence, Elements

KEY = np.dtype("<u8")
"""Type of a key in a stored template."""
DEPTH = 3
"""Elements around a block that form its place."""

PROSE_SIZE = 100
"""Letters of an alphabet from which a block is prose."""
MIN_SENTENCE_SIZE, MIN_SENTENCE_CHARS = 40, 10
"""Letters of an alphabet of a sentence, and its characters in any script."""
MAX_PLACES = 3
"""Places between sentences of a page, from which it repeats itself and is not interrupted by the publisher."""
MAX_LINKED_SHARE = 0.5
"""Share of its characters in links, from which a block is a teaser."""

_NUMBER = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")
_CLASS = re.compile(r'\sclass="([^"]*)"')


def block_keys(blocks: BlockSequence) -> Array:
    """Return the key of each block."""
    places = _BlockPlaces(blocks.elements)
    named = (f"{places[inside]}\n{folded(text)}" for text, inside in zip(blocks.texts, blocks.inside, strict=True))
    keys = (xxhash.xxh3_64_intdigest(name.encode("utf-8", "replace")) for name in named)
    return np.fromiter(keys, KEY, len(blocks))


def folded(text: str) -> str:
    """Collapse white space and make all numbers equal. A text without letters keeps its numbers.

    Otherwise the table cells of one article would equal those of another.

    >>> folded(" 3 comments, 12.05.2024 "), folded(" 27.5 %")
    ('0 comments, 0.0.0', '27.5 %')
    """
    collapsed = " ".join(text.split())
    return _NUMBER.sub("0", collapsed) if _LETTER.search(collapsed) else collapsed


def recurring(blocks: BlockSequence, template: bytes) -> Array:
    """Mark the blocks of a template, given as sorted keys of type `KEY`. An empty template marks no block.

    A heading is not marked if prose of this page follows it: "What we know" has the article's own text below it. Nor
    are sentences in many places between sentences of this page: legal notices and prayers repeat themselves.
    """
    known = np.frombuffer(template, KEY)
    if not len(known):
        return np.zeros(len(blocks), bool)
    keys = block_keys(blocks)
    found: Array = known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
    for index in found.nonzero()[0].tolist():
        if _heads_prose(blocks, index, found):
            found[index] = False
    found[_between_sentences(blocks, found)] = False
    return found


def _between_sentences(blocks: BlockSequence, marked: Array) -> list[int]:
    """Return the marked sentences between sentences of this page, if they are in ``MAX_PLACES`` or more."""
    texts, linked = blocks.texts, blocks.linked
    sentences = [
        index
        for index, text in enumerate(texts)
        if len(text) >= MIN_SENTENCE_CHARS
        and size(text) >= MIN_SENTENCE_SIZE
        and linked[index] <= MAX_LINKED_SHARE * len(text)
    ]
    runs = [(is_marked, list(run)) for is_marked, run in groupby(sentences, key=lambda index: bool(marked[index]))]
    # Runs alternate: those with a run before and after them are between sentences of this page.
    between = [run for is_marked, run in runs[1:-1] if is_marked]
    return [index for run in between for index in run] if len(between) >= MAX_PLACES else []


def _heads_prose(blocks: BlockSequence, index: int, marked: Array) -> bool:
    after = index + 1
    if (
        after >= len(blocks)
        or marked[after]
        or PARAGRAPH_KINDS.get(blocks.elements.name(blocks.inside[index])) is not ParagraphKind.HEADING
    ):
        return False
    return size(blocks.texts[after]) >= PROSE_SIZE and blocks.linked[after] <= MAX_LINKED_SHARE * len(
        blocks.texts[after]
    )


class _BlockPlaces(dict[int, str]):
    """Place of the blocks in each element, computed on first use."""

    def __init__(self, elements: Elements) -> None:
        super().__init__()
        self._elements = elements
        self._looks: dict[int, str] = {}

    def __missing__(self, element: int) -> str:
        around, looks, parents = [], self._looks, self._elements.parents
        at = element
        for _ in range(DEPTH):
            look = looks.get(at)
            if look is None:
                look = looks[at] = self._look(at)
            around.append(look)
            at = parents[at]
        place = self[element] = " ".join(around)
        return place

    def _look(self, element: int) -> str:
        attributes = self._elements.attributes(element)
        found = _CLASS.search(attributes) if attributes else None
        classes = _NUMBER.sub("0", found[1]) if found else ""
        return f"{self._elements.name(element)}.{classes}"
