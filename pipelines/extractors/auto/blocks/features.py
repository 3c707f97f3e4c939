"""Features of each block of a page: numbers that mean the same in every script and language.

Lengths are in letters of an alphabet (``page``). The groups of a block are the elements around it that hold
more than one block. They run from the innermost outwards, and each is larger than the one before.

An article repeats words of its title. Teasers, comments and other articles on the page do not. Words are compared
without grammar: by their first letters, or by pairs of letters in scripts without spaces and in Korean.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from functools import cache
from math import log1p
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.auto.blocks.marks import BIT, KIND
from pipelines.extractors.auto.blocks.page import MAX_LINKED_SHARE
from pipelines.extractors.auto.blocks.text_measures import DIGIT, OTHER, numbered
from pipelines.text.scripts import SYLLABIC, UNSPACED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.extractors.auto.blocks.page import Columns, PageBlocks
    from pipelines.extractors.auto.blocks.text_measures import Array

MIN_PARAGRAPH_CHARS = 80
"""Shortest block that may be a paragraph of an article's body."""
MIN_ARTICLE_LETTERS = 100
"""Letters of likely content from which an element may hold a whole article."""
MIN_ARTICLE_SHARE = 0.03
"""Share of the likely content that an element holds if it may hold the article. An infobox does not."""
WHOLE_ARTICLE_SHARE = 0.8
"""Share of the likely content from which an element holds the whole article."""
PROBE = 12
"""Characters at the end of a text in which an ellipsis is searched."""
_BROKEN_OFF = re.compile(r"(?:\.\.\.|…)\W*$")
LEVELS = ("g1", "g2")
_FEATURE_KINDS = ("p", "h2", "h3", "td", "dd", "figcaption", "other")
"""Marks that help the model: the block's kind, those of any element around it, those of the innermost two."""
_FEATURE_MARKS = (
    *("foot", "head", "share", "meta", "caption", "tag", "sign", "good", "title", "lead", "main", "aside", "footer"),
    *("form", "table", "ul", "blockquote"),
)
_NEIGHBOUR_MARKS = ("comment", "side", "title", "lead", "article", "ul", "hidden")
_MARKS = [
    *(f"is_{name}" for name in _FEATURE_KINDS),
    *(f"in_{name}" for name in _FEATURE_MARKS),
    *(f"near_{name}" for name in _NEIGHBOUR_MARKS),
]
_KIND_BITS, _IN_BITS, _NEAR_BITS = (
    np.array([bits[name] for name in names])[:, None]
    for bits, names in ((KIND, _FEATURE_KINDS), (BIT, _FEATURE_MARKS), (BIT, _NEIGHBOUR_MARKS))
)


def measure(page: PageBlocks) -> Columns:
    """Return the features for the first stage, one array of n numbers each."""
    return {
        **_of_texts(page),
        **_of_marks(page),
        **_of_place(page),
        **_of_groups(page),
        **_of_neighbours(page),
        **_of_page(page),
        **_of_title(page),
        **_of_headline(page),
        **_of_twins(page),
    }


def measure_again(page: PageBlocks, first: Array) -> Columns:
    """Return the features for the second stage, computed from the probabilities of the first (0 to 1, one a block)."""
    mass = first * page.weight
    everything = max(1e-9, float(mass.sum()))
    totals = page.total(mass)
    likely = totals / np.maximum(1.0, page.total_weight)
    home = page.home[page.inside]
    found = bool(page.heads.any())
    return {
        "p": first,
        "odds": log_odds(first),
        "page_p": np.full(page.count, everything / max(1.0, float(page.weight.sum()))),
        "g1_p": likely[page.groups[0]],
        "g1_mass": totals[page.groups[0]] / everything,
        "g2_p": likely[page.groups[1]],
        "tight50": _tightest(page, totals / everything, likely),
        "head_mass": found * totals[home] / everything,
        "head_p": found * likely[home],
        "under_head": under_headline(page, mass),
        "make_p": _of_make(page, mass),
    }


def _of_make(page: PageBlocks, mass: Array) -> Array:
    """Return the mean probability of the blocks that are in elements of one name, in elements of one make.

    The class of the innermost element does not count: a line of the article may be the only one of its class.
    """
    makes, names = page.makes, page.names
    keys = names[page.inside] * (int(makes.max()) + 1) + makes[page.parents[page.inside]]
    number = numbered(keys)
    found: Array = (np.bincount(number, mass) / np.maximum(1.0, np.bincount(number, page.weight)))[number]
    return found


def _tightest(page: PageBlocks, shares: Array, likely: Array) -> Array:
    """Mark the blocks in the smallest element with half of the likely content, or in a part like it.

    Some pages cut an article into parts and put boxes between them. Parts are elements of one make with one parent, or
    with parents of one make beside each other. They have no headline and are about as likely.
    """
    half = (shares >= 0.5 - 1e-9).nonzero()[0]
    tight = int(half[page.held[half].argmin()]) if len(half) else 0
    found = page.holds(tight)
    if not tight or page.held[tight] == 1 or shares[tight] >= WHOLE_ARTICLE_SHARE:
        return found
    makes = page.makes
    parts = (makes == makes[tight]).nonzero()[0]
    parents, parent = page.parents[parts], page.parents[tight]
    beside = (makes[parents] == makes[parent]) & (page.parents[parents] == page.parents[parent])
    beside |= parents == parent
    for part in parts[beside & (likely[parts] >= 0.5 * likely[tight])].tolist():
        if not page.heads[page.first[part] : page.last[part]].any():
            found |= page.holds(part)
    return found


def under_headline(page: PageBlocks, mass: Array) -> Array:
    """Mark the blocks in the smallest element with a headline and enough likely content (``mass``, one a block).

    A short article is enough, if it is a fair share of all likely content. Without a headline no block is marked.
    """
    held, all_mass = page.total(mass), float(mass.sum())
    enough = (held > 0) & (held >= min(max(MIN_ARTICLE_LETTERS, MIN_ARTICLE_SHARE * all_mass), all_mass - 1e-9))
    holding = (enough & (page.total(page.heads) > 0)).nonzero()[0]
    if not len(holding):
        return np.zeros(page.count, bool)
    return page.holds(int(holding[page.held[holding].argmin()]))


def log_odds(probability: Array) -> Array:
    """Return the logarithm of the odds, clipped to ±9.2."""
    odds: Array = np.log(np.maximum(probability, 1e-4) / np.maximum(1 - probability, 1e-4))
    return odds


def _of_texts(page: PageBlocks) -> Columns:
    texts, blocks = page.texts, page.blocks
    seen = Counter(blocks.texts).__getitem__
    return {
        "size": np.log1p(page.weight),
        "link": page.link,
        "links": np.log1p(np.array(blocks.links)),
        "ends_sentence": texts.ends_sentence,
        "digits": texts.classes[:, DIGIT] / texts.chars,
        "symbols": texts.classes[:, OTHER] / texts.chars,
        "repeated": np.fromiter(map(seen, blocks.texts), np.int64, page.count) > 1,
        "title": page.title,
        "alone": page.alone,
    }


def _of_marks(page: PageBlocks) -> Columns:
    marks = np.concatenate((page.kind & _KIND_BITS, page.path & _IN_BITS, page.near & _NEAR_BITS)) != 0
    return dict(zip(_MARKS, marks, strict=True))


def _of_place(page: PageBlocks) -> Columns:
    heads = np.add.accumulate(page.heads)
    since = page.order - np.maximum.accumulate(np.where(page.heads, page.order, 0))
    sums = np.add.accumulate(page.gain)
    return {
        "before_head": (heads == 0) & (heads[-1] > 0),
        "since_head": np.where(heads > 0, 1 / (1 + since / 10), 0.0),
        "no_head": np.full(page.count, heads[-1] == 0),
        "place": page.order / max(1, page.count - 1),
        "text_before": (sums - page.gain) / max(1.0, float(sums[-1])),
    }


def _of_groups(page: PageBlocks) -> Columns:
    weight, gain = np.maximum(1.0, page.total_weight), np.maximum(0.0, page.total_gain)
    measures = {
        "link": 1 - gain / weight,
        "held": np.log1p(page.held),
        "mean": np.log1p(gain / np.maximum(1, page.held)),
    }
    return {
        f"{level}_{name}": values[page.groups[row]]
        for name, values in measures.items()
        for row, level in enumerate(LEVELS)
    }


def _of_neighbours(page: PageBlocks) -> Columns:
    size, link, ends = (_padded(values) for values in (np.log1p(page.gain), page.link, page.texts.ends_sentence))
    return {
        "before1_gain": size[1:-3],
        "before1_link": link[1:-3],
        "before1_ends": ends[1:-3],
        "before2_link": link[:-4],
        "after1_gain": size[3:-1],
        "after1_ends": ends[3:-1],
        "after2_gain": size[4:],
        "after2_link": link[4:],
    }


def _padded(values: Array) -> Array:
    """Pad a column with two zeros on either side."""
    padded = np.zeros(len(values) + 4)
    padded[2:-2] = values
    return padded


def _of_headline(page: PageBlocks) -> Columns:
    """Return how far each block is from the headline, and how much text the element around both holds."""
    found = bool(page.heads.any())
    home = page.home[page.inside]
    depth = page.depth[home]
    up, down = page.depth[page.inside] - depth, page.depth[page.inside[page.headline]] - depth
    share = page.total_gain[home] / max(1.0, float(page.total_gain[0]))
    return {
        "head_up": found * np.log1p(up),
        "head_down": found * np.log1p(down),
        "head_share": found * share,
        "opening": page.opening,
        "opening_headed": found & page.opening,
    }


def _of_twins(page: PageBlocks) -> Columns:
    """Return measures of the elements of one make that have one parent: paragraphs, cards of teasers, rows.

    A teaser breaks off beside its link, and its card is one of several with links.
    """
    link = page.link > MAX_LINKED_SHARE
    keys = page.parents * (int(page.makes.max()) + 1) + page.makes
    number = numbered(keys)
    count = np.bincount(number)
    linked = np.bincount(number, page.total(link) > 0)
    outer, group = page.outer, page.groups[0]
    own, around = number[outer], number[group]
    ends = (text[-PROBE:] for text in page.blocks.texts)
    broken = np.array([("..." in end or "…" in end) and _BROKEN_OFF.search(end) is not None for end in ends])
    padded = _padded(link)
    beside = (padded[1:-3] + padded[3:-1] + link) > 0
    return {
        "cut": broken & beside,
        "twins": np.log1p(page.alone * count[own]),
        "twin_links": page.alone * linked[own] / count[own],
        "g1_twins": np.log1p(count[around] - 1),
        "g1_cards": np.log1p(np.where(page.total(link)[group] > 0, linked[around] - 1, 0)),
    }


def _of_page(page: PageBlocks) -> Columns:
    gain, weight = float(page.gain.sum()), max(1.0, float(page.weight.sum()))
    long = float(page.gain[(page.gain > MIN_PARAGRAPH_CHARS) & (page.texts.sentences > 0)].sum())
    values = {"page_link": 1 - gain / weight, "page_long": long / max(1.0, gain), "page_count": np.log1p(page.count)}
    return {name: np.full(page.count, value) for name, value in values.items()}


def _of_title(page: PageBlocks) -> Columns:
    share = BlockWords(page.blocks.texts).share(page.blocks.title)
    sums = np.log1p(page.total(share))
    before = np.log1p(np.add.accumulate((page.near & _BEFORE_BITS) != 0, axis=1))
    return {
        "title_any": share > 0,
        "title_dense": share / np.sqrt(np.maximum(20.0, page.weight)),
        "g1_title_words": sums[page.groups[0]],
        "g2_title_words": sums[page.groups[1]],
        **{f"{name}_before": row for name, row in zip(_BEFORE, before, strict=True)},
    }


# Words of the title.
MAX_WORDS = 24
"""Words of a title that are looked up, at most."""
MAX_CHARS = 500
MIN_WORD_LETTERS, STEM_LETTERS = 4, 6
"""Letters a word must have, and how many of its first letters are compared: endings differ."""
MAX_WORD_BLOCKS = 200
"""Blocks. A word in more blocks carries no information."""
_BEFORE = ("comment", "share")
"""Marks that are counted from the start of the page."""
_BEFORE_BITS = np.array([[BIT[name]] for name in _BEFORE])
_WORD = re.compile(r"[^\W\d_]+")
_PAIRED = re.compile(f"[{UNSPACED}{SYLLABIC}]")


@cache
def _folds() -> Array:
    """Return the case-folded code of each BMP character; 0 where folding gives more than one character."""
    folds = [chr(code).casefold() for code in range(0x10000)]
    codes = np.array([ord(fold) if len(fold) == 1 else 0 for fold in folds], "<u2")
    codes[0xD800:0xE000] = 0
    return codes


def folded(text: str) -> str:
    """Case-fold a text as ``casefold`` does, in a third of the time.

    >>> folded("ΣΊΣΥΦΟΣ"), folded("Straße"), folded("𐐀")
    ('σίσυφοσ', 'strasse', '𐐨')
    """
    codes = _folds().take(np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2"), mode="clip")
    return codes.tobytes().decode("utf-16-le") if codes.all() else text.casefold()


class BlockWords:
    """Word index of the blocks of a page."""

    def __init__(self, texts: Sequence[str]) -> None:
        text = "\n".join(texts)
        self._text = folded(text)
        if len(self._text) != len(text):
            texts = list(map(str.casefold, texts))
        # Case folding never shortens a text.
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        self._starts = [0, *np.add.accumulate(lengths + 1).tolist()]

    def blocks(self, word: str) -> list[int]:
        """Return the blocks that hold a word; an empty list if they are more than ``MAX_WORD_BLOCKS``."""
        found: list[int] = []
        find, starts = self._text.find, self._starts
        position = find(word)
        while position >= 0:
            if len(found) == MAX_WORD_BLOCKS:
                return []
            following = bisect_right(starts, position)
            found.append(following - 1)
            position = find(word, starts[following])
        return found

    def share(self, text: str) -> Array:
        """Return the share of a text's words that each block holds. Rare words count more."""
        shares, everything = [0.0] * (len(self._starts) - 1), 0.0
        for word in stems(text):
            found = self.blocks(word)
            weight = 1 / (1 + log1p(len(found)))
            everything += weight
            for block in found:
                shares[block] += weight
        return np.array(shares) / max(everything, 1e-9)


def stems(text: str) -> list[str]:
    """Return the search terms of a text: word stems, or letter pairs in scripts without spaces.

    >>> stems("The bridges of 大桥通车")
    ['bridge', '大桥', '桥通', '通车']
    """
    found: list[str] = []
    for word in _WORD.findall(text[:MAX_CHARS].casefold()):
        if _PAIRED.search(word):
            found += (word[index : index + 2] for index in range(len(word) - 1))
        elif len(word) >= MIN_WORD_LETTERS:
            found.append(word[:STEM_LETTERS])
    return list(dict.fromkeys(found))[:MAX_WORDS]
