"""What blocks have in common with the rest of the page: words of its title, and looks.

An article speaks of what its title says, and its paragraphs look alike; teasers, comments and other articles on the
same page do not, however much they read like articles. Words are looked for as they stand, without a language's
grammar: their first letters, or pairs of letters where a script does not part words, anywhere in a block.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.block_marks import BIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.extractors.block_features import Columns, Page
    from pipelines.extractors.block_texts import Array
    from pipelines.extractors.block_walk import Elements

MAX_WORDS = 24
"""Words of a title that are looked for."""
MAX_CHARS = 500
SHORTEST, STEM = 4, 6
"""Letters a word must have, and its first letters that are looked for: endings differ."""
COMMON = 200
"""A word in more blocks than that tells nothing."""
SERVICES = (
    *("cookie", "javascript", "newsletter", "podcast", "whatsapp", "facebook", "twitter", "instagram", "telegram"),
    *("youtube", "google", "mail", "http", "www.", ".com", "@"),
)
"""Words of the trade, the same in every language, that stand in prompts, consent dialogs and credits."""

_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_DIGITS = re.compile(r"\d+")


class Words:
    """Finds words in the blocks of a page."""

    def __init__(self, texts: Sequence[str]) -> None:
        folded = [text.casefold() for text in texts]
        self._starts = list(accumulate((len(text) + 1 for text in folded), initial=0))
        self._text = "\n".join(folded)

    def blocks(self, word: str) -> list[int]:
        """Return the blocks that hold a word, none if they are too many."""
        found: list[int] = []
        position = self._text.find(word)
        while position >= 0:
            if len(found) == COMMON:
                return []
            found.append(bisect_right(self._starts, position) - 1)
            position = self._text.find(word, self._starts[found[-1] + 1])
        return found

    def share(self, text: str) -> Array:
        """Return for each block which share of a text's words it holds; rare ones count more."""
        shares, everything = np.zeros(len(self._starts) - 1), 0.0
        for word in stems(text):
            found = self.blocks(word)
            weight = 1 / (1 + np.log1p(len(found)))
            shares[found] += weight
            everything += weight
        return shares / max(everything, 1e-9)

    def holds(self, words: Sequence[str]) -> Array:
        """Say of each block whether it holds one of these words at least."""
        held = np.zeros(len(self._starts) - 1, bool)
        for word in words:
            held[self.blocks(word)] = True
        return held


def stems(text: str) -> list[str]:
    """Return what is looked for of a text: first letters of its words, pairs of letters where words are not parted.

    >>> stems("The bridges of 大桥通车")
    ['bridge', '大桥', '桥通', '通车']
    """
    found: list[str] = []
    for word in _WORD.findall(text[:MAX_CHARS].casefold()):
        if _UNSPACED.search(word):
            found += (word[index : index + 2] for index in range(len(word) - 1))
        elif len(word) >= SHORTEST:
            found.append(word[:STEM])
    return list(dict.fromkeys(found))[:MAX_WORDS]


def measure(page: Page) -> Columns:
    """Return the measures for the first stage."""
    words = page.words
    share = words.share(page.blocks.title)
    columns: Columns = {
        "services": words.holds(SERVICES),
        "title_words": share,
        "title_any": share > 0,
        "title_dense": share / np.sqrt(np.maximum(20.0, page.weight)),
        "title_none": np.full(page.count, not share.any()),
        "g1_title_words": np.log1p(page.total(share, page.groups[0])),
        "g2_title_words": np.log1p(page.total(share, page.groups[1])),
    }
    for name in ("comment", "share", "related"):
        columns[f"{name}_before"] = np.log1p(np.cumsum((page.near & BIT[name]) != 0))
    return columns


def measure_again(page: Page, mass: Array) -> Columns:
    """Return the measures for the second stage, by the likely content (``mass``) in each block."""
    everything = max(1e-9, float(mass.sum()))
    columns: Columns = {}
    for name, look in _looks(page).items():
        count = int(look.max()) + 1
        held = np.bincount(look, mass, count)
        columns |= {
            f"{name}_p": (held / np.maximum(1.0, np.bincount(look, page.weight, count)))[look],
            f"{name}_mass": (held / everything)[look],
            f"{name}_top": look == int(np.argmax(held)),
        }
    return columns


def looks_of(elements: Elements) -> Array:
    """Number the looks of elements: their names and classes."""
    numbers: dict[str, int] = {}
    named = map(_look, elements.names, elements.attributes)
    return np.fromiter((numbers.setdefault(look, len(numbers)) for look in named), np.int64, len(elements.names))


def _looks(page: Page) -> dict[str, Array]:
    """Number the looks of blocks: those of the element around each, and those of that and its parent."""
    pairs = page.looks * len(page.looks) + page.looks[page.parents]
    return {"look": page.looks[page.inside], "looks": np.unique(pairs[page.inside], return_inverse=True)[1]}


@lru_cache(maxsize=2**14)
def _look(name: str, attributes: str) -> str:
    """Return name and class of an element; numbers in a class count its elements."""
    _, naming, after = attributes.partition(' class="')
    words = after.partition('"')[0][:MAX_CHARS]
    return f"{name} {_DIGITS.sub('', words)}" if naming else name
