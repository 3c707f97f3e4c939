"""A page in columns: what is known of each block, and sums over the elements around it.

- Texts: letters, digits and sentences in any script, counted for all blocks at once.
- Marks: bits of the elements around a block, from their names and from the words of class, id, role and itemprop. The
  words are those of publishing systems and their themes, which all countries use. No word belongs to one site.
- Groups: the elements around a block that hold more than one block.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass, fields
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pipelines.text.scripts import SPACED_ENDS, STRONG_ENDS, UNMARKED_RANGES, is_spaced, weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipelines.extractors.auto.blocks.walk import BlockSequence

Array = np.ndarray[Any, np.dtype[Any]]
Columns = dict[str, Any]
"""Features by name, each an array with one number a block."""

MOST = 0.6
"""Share of the page's text. An element with more of it is not boilerplate, whatever its marks say."""
MOST_COMMENTS = 0.85
FEW = 2
"""Blocks, at most, of a hidden element with most of the text that counts as hidden all the same. It has fewer sentences
than that.
"""
PROSE = 60
"""Letters of a line of prose, at least."""
MAX_LINKED = 0.5
"""Share of linked characters from which a line is a link, and no prose."""
MIN_PROSE = 0.6
"""Share of prose, at least, in a hidden element that a reader unfolds."""
UNFOLDED = 0.15
"""Prose in hidden elements of one make, at least, as a share of the shown prose."""
_MAX_TAG = 300
"""Characters of a start tag that are read. The make of a tag is cached, because the pages of a site repeat it."""
_CLASS_NAME, _NUMBER = re.compile(r'\sclass="([^"]*)"'), re.compile(r"\d+")
_NO_LETTERS = re.compile(r"[\W_]+")


class PageBlocks:
    """The blocks of a page (at least one) in columns of n numbers, with the sums over its elements."""

    def __init__(self, blocks: BlockSequence) -> None:
        self.blocks = blocks
        self.count = len(blocks)
        self.order = np.arange(self.count)
        self.texts = measure_texts(blocks.texts)
        self.weight = self.texts.weight
        self.link = np.minimum(1.0, np.array(blocks.linked) / self.texts.lengths)
        self.gain = self.weight * (1 - self.link)
        elements = blocks.elements
        self.first, self.last = np.array(elements.first), np.array(elements.last)
        self.parents, self.tag = np.array(elements.parents), np.array(elements.tag)
        self.held = self.last - self.first
        self.inside = np.array(blocks.inside)
        self.alone = self.held[self.inside] == 1
        self.total_weight, self.total_gain = self.total(self.weight), self.total(self.gain)
        """Sums over the blocks of each element."""
        self.groups = self._groups()
        self.title = _title_likeness(self)
        self.marks = marks(elements.tags)
        """The mark bits of each distinct start tag."""
        own = np.array(self.marks)[self.tag]
        self.kind = own[self.inside]
        """The ``KIND`` bits of the innermost element around each block."""
        self.h1 = (self.kind & KIND["h1"]) != 0
        self.heads = self.h1 | (self.title > 0.5)
        """Candidates for the article's headline."""
        self.headline = int((0.5 * self.h1 + self.title).argmax())
        """The block that is most likely the headline, if ``heads`` has one."""
        self.holding, self.home = self._around_headline()
        """Whether each element holds the headline; for each, the smallest element that holds it and the headline."""
        self.depth = self._depth()
        self.outer = self._outer()
        """The largest element around each block that holds no other block; the innermost one if it holds more."""
        self.path, self.near, self.folds = self._marks(own)
        """Marks around each block, near it, and the hidden elements outside another one that a reader may unfold."""
        self.hidden = (self.path & BIT["hidden"]) != 0
        """Whether each block is hidden. An element with most of the text counts as visible."""
        self.opening = self._opening()
        """The blocks in the element of the first prose under the headline."""

    @cached_property
    def makes(self) -> Array:
        """The make of each element as a number: name and class without digits, or the whole tag without a class."""
        numbers: dict[str, int] = {}
        makes = (numbers.setdefault(make(tag[:_MAX_TAG]), len(numbers)) for tag in self.blocks.elements.tags)
        found: Array = np.fromiter(makes, np.int64)[self.tag]
        return found

    @cached_property
    def names(self) -> Array:
        """The name of each element as a number."""
        numbers: dict[str, int] = {}
        names = (numbers.setdefault(tag.partition(" ")[0], len(numbers)) for tag in self.blocks.elements.tags)
        found: Array = np.fromiter(names, np.int64)[self.tag]
        return found

    def total(self, values: Array) -> Any:
        """Return the sum of a column over the blocks of each element."""
        sums = np.zeros(self.count + 1)
        np.add.accumulate(values, out=sums[1:])
        return sums[self.last] - sums[self.first]

    def holds(self, element: int) -> Array:
        """Mark the blocks in an element."""
        inside: Array = (self.order >= self.first[element]) & (self.order < self.last[element])
        return inside

    def _around_headline(self) -> tuple[Array, Array]:
        """Return the elements around the headline as a mask, and for each element the smallest of them around it."""
        holding = (self.first <= self.headline) & (self.headline < self.last)
        home = np.where(holding, np.arange(len(holding)), self.parents)
        while not holding[home].all():
            home = home[home]
        return holding, home

    def _groups(self) -> Array:
        """Return the groups of each block, one row per level."""
        wider, no_wider = self.parents, self.held[self.parents] == self.held
        no_wider[0] = False
        while no_wider.any():
            wider, no_wider = np.where(no_wider, wider[wider], wider), no_wider & no_wider[wider]
        group = np.where(self.alone, wider[self.inside], self.inside)
        return np.array((group, wider[group]))

    def _depth(self) -> Array:
        """Return the number of elements around each element."""
        beyond = self.parents
        depth = (beyond != np.arange(len(beyond))).astype(np.int64)
        while beyond.any():  # doubles the distance each time
            depth, beyond = depth + depth[beyond], beyond[beyond]
        found: Array = depth
        return found

    def _outer(self) -> Array:
        outer = np.where((self.held[self.parents] == 1) & (self.held == 1), self.parents, np.arange(len(self.held)))
        while not np.array_equal(further := outer[outer], outer):
            outer = further
        found: Array = outer[self.inside]
        return found

    def _opening(self) -> Array:
        prose = (self.gain >= PROSE) & (self.texts.sentences >= 1) & ~self.hidden
        if self.heads.any():
            prose[: self.headline + 1] = False
        first, around = int(prose.argmax()), self.parents[self.outer]
        found: Array = prose[first] & (around == around[first])
        return found

    def _marks(self, own: Array) -> tuple[Array, Array, Array]:
        """Return the marks of all elements around each block, those of the innermost two, and the folds.

        A fold is no form, box, menu or comment.
        """
        shares = self.total_gain / max(1.0, float(self.total_gain[0]))
        most = (shares > MOST).nonzero()[0]
        told = np.where(shares[most] < MOST_COMMENTS, BIT["comment"], 0)
        # Hacked sites hide words for search engines. They are no article that a script will show.
        unsaid = (self.held[most] <= FEW) & (self.texts.sentences[self.first[most]] < FEW)
        own[most] &= PRAISE | told | np.where(unsaid, BIT["hidden"], 0)
        own[self._unfolding(own)] &= ~BIT["hidden"]
        path, beyond = own | own[0], self.parents
        while beyond.any():  # doubles the distance each time
            path, beyond = path | path[beyond], beyond[beyond]
        folds = (own & BIT["hidden"] != 0) & ((own & _NO_TEXT) == 0) & (path[self.parents] & BIT["hidden"] == 0)
        near = own[self.inside] | own[self.parents[self.inside]]
        return path[self.inside], near, self._of_readers(folds.nonzero()[0])

    def _of_readers(self, hidden: Array) -> Array:
        """Return the hidden elements that are not hidden from all readers of the screen, or from paper alone."""
        tags = self.blocks.elements.tags
        found: Array = hidden[[_ELSEWHERE_HIDDEN.search(tags[tag]) is None for tag in self.tag[hidden].tolist()]]
        return found

    def _unfolding(self, own: Array) -> Array:
        """Return the hidden elements that a reader unfolds: the rest of an article behind "read more".

        They follow shown prose in the smallest element with the headline and prose. Hidden elements of one make are
        measured together. A page without a headline is measured by the parents of its hidden elements.
        """
        hidden = ((own & BIT["hidden"]) != 0).nonzero()[0]
        none: Array = hidden[:0]
        if not len(hidden):
            return none
        prose = (self.gain >= PROSE) & (self.texts.sentences >= 1) & (self.link < MAX_LINKED)
        covered = np.zeros(self.count + 1, np.int64)
        np.add.at(covered, self.first[hidden], 1)
        np.add.at(covered, self.last[hidden], -1)
        shown = prose & (np.add.accumulate(covered[:-1]) == 0)
        headed = bool(self.heads.any())
        if headed:
            shown[: self.headline] = False
        first = int(shown.argmax())
        if not shown[first]:
            return none
        before = np.concatenate(([0.0], np.add.accumulate(shown * self.gain)))
        parents = self.parents[hidden]
        tight = before[self.first[hidden]] > before[self.first[parents]]
        home = int((self.holding & (self.total(shown) > 0)).nonzero()[0][-1]) if headed else 0
        inside = headed & (self.first[hidden] >= self.first[home]) & (self.last[hidden] <= self.last[home])
        inside &= (before[self.first[hidden]] > 0) & ((own[hidden] & BIT["sign"]) == 0)
        may_be = (tight | inside) & ((own[hidden] & _NO_TEXT) == 0) & (self.total(self.heads)[hidden] == 0)
        hidden = self._of_readers(hidden[may_be])
        if not len(hidden):
            return none
        _, number = np.unique(self.makes[hidden], return_inverse=True)
        held, everything = (self.total(values)[hidden] for values in (prose * self.gain, self.weight))
        of_make = np.bincount(number, held) >= MIN_PROSE * np.bincount(number, everything)
        may_be = of_make[number] | (held >= MIN_PROSE * everything)
        enough = np.bincount(number, held * may_be) >= UNFOLDED * float((shown * self.gain).sum())
        found: Array = hidden[may_be & enough[number]]
        return found


@lru_cache(maxsize=2**14)
def make(tag: str) -> str:
    """Return the part of a start tag that elements of one make share: no ids and no digits.

    >>> make('p class="par par-12" id="x7"')
    'p par par-'
    """
    classed = _CLASS_NAME.search(tag)
    return _NUMBER.sub("", f"{tag.partition(' ')[0]} {classed[1]}" if classed else tag)


def _packed(text: str) -> str:
    packed = "".join(text.casefold().split())
    return packed if packed.isalnum() else _NO_LETTERS.sub("", packed)


def _title_likeness(page: PageBlocks) -> Array:
    """Return the length ratio of block and title, 0 to 1; 0 unless one contains the other."""
    title = _packed(page.blocks.title[:400])
    found = np.zeros(page.count)
    if not title:
        return found
    chars = page.texts.chars
    for index in ((chars <= 2 * len(title)) & (chars * 2 >= len(title)) & (page.link < 0.5)).nonzero()[0].tolist():
        text = _packed(page.blocks.texts[index])
        if text and (text in title or title in text):
            found[index] = min(len(text), len(title)) / max(len(text), len(title))
    return found


# Measures of texts.
SPACE, LETTER, UPPER, DIGIT, END, COMMA, QUOTE, OTHER, UNMARKED, _FULL_STOP = range(10)
_CLASSES = 10
_COMMAS = ",،、，;؛；፣"
_QUOTES = "\"'»”’)]」』）】“«"
_SPACES = " \t\n\r\f\v\x1e\u00a0\u3000"
_SENTENCE = 60
"""Letters of a sentence in scripts that do not mark the end of each: Thai, Lao, Burmese, Khmer."""
_ENDING = np.zeros(256, bool)
_ENDING[[END, _FULL_STOP]] = True
_MAX_TEXT = 1 << 16
_BATCH = 1 << 18
_BEYOND = re.compile("[\U00010000-\U0010ffff]")
_HAN, _LETTER_OF_ALPHABET, _SYMBOL = "\u4e00", "\u0561", "\u2603"
"""Stand-ins for the characters outside the BMP."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Measures of n texts, each an array of n."""

    lengths: Array
    """Characters, white space included."""
    classes: Array
    """Characters by class, n rows."""
    chars: Array
    """Characters without white space, at least 1."""
    weight: Array
    """Length in letters of an alphabet. A Chinese character counts more than a Latin one."""
    sentences: Array
    ends_sentence: Array


@cache
def _tables() -> tuple[Array, Array]:
    """Return the sort of each BMP character, and one row per sort: a 1 in the place of its class, then its weight.

    Sorts are the classes, and further ones for characters that weigh more than others of their class.
    """
    kinds = np.full(0x10000, OTHER, np.uint8)
    for code in range(0x10000):
        category = unicodedata.category(chr(code))
        if category[0] in "LM":
            kinds[code] = UPPER if category in {"Lu", "Lt"} else LETTER
        elif category[0] == "N":
            kinds[code] = DIGIT
    for letters, kind in (
        (SPACED_ENDS, END),
        (STRONG_ENDS, _FULL_STOP),
        (_COMMAS, COMMA),
        (_QUOTES, QUOTE),
        (_SPACES, SPACE),
    ):
        kinds[[ord(letter) for letter in letters]] = kind
    for first, last in UNMARKED_RANGES:
        part = kinds[first : last + 1]
        part[part == LETTER] = UNMARKED
    letter_weights = np.isin(kinds, (LETTER, UPPER, UNMARKED)).astype(np.float64)
    letter_weights[kinds == DIGIT] = 0.5
    for weight, ranges in weights().items():
        for first, last in ranges:
            letter_weights[first : last + 1] *= weight
    usual = np.zeros(_CLASSES)
    usual[[LETTER, UPPER, UNMARKED, DIGIT]] = 1, 1, 1, 0.5
    sorts, classes, weighs = kinds.copy(), list(range(_CLASSES)), usual.tolist()
    classes[_FULL_STOP] = END
    for kind, weight in np.unique(np.column_stack((kinds, letter_weights)), axis=0).tolist():
        if weight != usual[int(kind)]:
            sorts[(kinds == kind) & (letter_weights == weight)] = len(classes)
            classes.append(int(kind))
            weighs.append(weight)
    return sorts, np.column_stack((np.eye(_CLASSES)[classes], weighs))


def measure_texts(texts: Sequence[str]) -> Texts:
    """Measure one or more texts. No text is blank.

    All measures but the length are of the first ``_MAX_TEXT`` characters. Texts are measured in batches, which bounds
    the memory.
    """
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    if lengths.sum() <= min(_BATCH, _MAX_TEXT):
        return _measure_batch(texts, lengths)
    texts = [text[:_MAX_TEXT] for text in texts]
    ends = np.add.accumulate(np.minimum(lengths, _MAX_TEXT))
    bounds = [0, *(np.flatnonzero(np.diff(ends // _BATCH)) + 1).tolist(), len(texts)]
    parts = [_measure_batch(texts[first:last], lengths[first:last]) for first, last in pairwise(bounds)]
    return Texts(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Texts)))


def _measure_batch(texts: Sequence[str], lengths: Array) -> Texts:
    sorts, rows = _tables()
    # A space after each text separates it from the next.
    read = np.minimum(lengths, _MAX_TEXT)
    sort = _without_inner_points(sorts.take(_codes(" ".join([*texts, ""])), mode="clip"))
    owner = np.arange(0, len(texts) * len(rows), len(rows)).repeat(read + 1)
    owner += sort
    counted = np.bincount(owner, minlength=len(texts) * len(rows)).reshape(len(texts), -1) @ rows
    counted[:, SPACE] -= 1
    shown = read - counted[:, SPACE]
    visible = (sort != SPACE).nonzero()[0]
    last = visible[np.maximum(np.add.accumulate(shown, dtype=np.intp) - 1, 0)] if len(visible) else np.zeros_like(read)
    closing, before = sort[last], sort[np.maximum(last - 1, 0)]
    return Texts(
        lengths=lengths,
        classes=counted[:, :_CLASSES],
        chars=np.maximum(1, shown),
        weight=counted[:, _CLASSES],
        sentences=counted[:, END] + counted[:, UNMARKED] / _SENTENCE,
        ends_sentence=_ENDING[closing] | ((closing == QUOTE) & _ENDING[before]),
    )


def _codes(text: str) -> Array:
    """Return the characters as BMP code points."""
    encoded = text.encode("utf-16-le", "replace")
    if len(encoded) != 2 * len(text):
        encoded = _BEYOND.sub(_stand_in, text).encode("utf-16-le", "replace")
    return np.frombuffer(encoded, np.uint16)


def _stand_in(found: re.Match[str]) -> str:
    """Return a character of the BMP for one beyond: of its class and weight."""
    if not found[0].isalpha():
        return _SYMBOL
    return _LETTER_OF_ALPHABET if is_spaced(found[0]) else _HAN


def _without_inner_points(sort: Array) -> Array:
    """Reclassify points inside words and numbers: the end of a sentence has a space or a quote after it.

    The last character is a space.
    """
    ends = (sort == END).nonzero()[0]
    following = sort[ends + 1]
    sort[ends[(following != SPACE) & (following != QUOTE) & (following != END)]] = OTHER
    return sort


# Marks of elements.
_WORDS = {
    mark: "|".join(words.split())
    for mark, words in tomllib.loads(Path(__file__).with_name("class_words.toml").read_text(encoding="utf-8")).items()
}
"""Words in a name, and the mark they give."""
_TAGS = {
    **{name: name for name in ("article", "main", "nav", "aside", "header", "footer", "form", "figure", "table")},
    **dict.fromkeys(("ul", "ol"), "ul"),
    **dict.fromkeys(("figcaption", "caption"), "figure"),
    **dict.fromkeys(("button", "object", "marquee", "dialog"), "box"),
}
_TAGS |= {"dl": "dl", "menu": "nav", "fieldset": "form", "blockquote": "blockquote"}
NAMES = (*_WORDS, *dict.fromkeys(_TAGS.values()), "hidden")
"""Names of the mark bits, lowest first."""
BIT = {name: 1 << index for index, name in enumerate(NAMES)}
_NO_TEXT = BIT["comment"] | BIT["form"] | BIT["widget"] | BIT["box"] | BIT["nav"]
"""Marks of hidden elements that are no rest of an article."""
PRAISE = BIT["good"] | BIT["article"] | BIT["main"] | BIT["title"] | BIT["lead"]
"""Marks that speak for a block."""

_KINDS = {name: name for name in ("p", "h1", "h2", "h3")}
_KINDS |= {**dict.fromkeys(("td", "th", "tr"), "td"), **dict.fromkeys(("dd", "dt"), "dd")}
_KINDS |= dict.fromkeys(("figcaption", "caption"), "figcaption")
_OF_NO_KIND = ("h4", "h5", "h6", "li", "div", "body", "center", "blockquote", "pre", "section", "article", "main")
KIND = {name: 1 << index for index, name in enumerate((*dict.fromkeys(_KINDS.values()), "other"), len(NAMES))}
"""Bits for the element's name alone."""

_BOX = (
    "(?:box|block|widget|card|form|info|section|area|container|wrap|wrapper|banner|bar|popup|inner|text|notice|module)"
)
_WIDGET = re.compile(
    rf"\b(?:about-(?:the-)?(?:author|writer)|(?:author|writer|bio)-(?:{_BOX}|bio|profile|about|desc|description|details?)"
    rf"|(?:newsletters?|subscri\w*|mc4wp|mailchimp|polls?|telegram|whatsapp|gdpr|cookies?|copyrights?)-{_BOX}"
    r"|newsletter-(?:sign-?up|subscri\w*|promo|cta|inline)|cookie-(?:law|consent|message)|cc-(?:window|banner)|wp-polls"
    r"|(?:telegram|whatsapp)-(?:channel|join)|follow-(?:us|google|telegram)|mc4wp|saboxplugin"
    r"|most-(?:read|viewed|popular|commented|shared|visited)|popular-(?:posts?|news|articles)|trending-(?:posts|news|now)"
    r"|modal-(?:dialog|content|body|fade)|post-(?:views?|ratings?)|star-ratings?|disqus-thread|wpdcom|wpd-\w+|wpdiscuz"
    r"|comment-respond|(?:report|orphus)-error|error-report|font-resizer?|short-?(?:links?|url)|jwplayer|videojs"
    r"|onesignal|push-notifications?|sign-?up-(?:card|form|box)|jetpack-likes?|pb-cta|app-download|download-app"
    r"|(?:donat(?:e|ions?)|paywall|promo|weather)-(?:box|banner|card|block|bar|widget|notice|prompt|message)"
    r"|(?:embed|social|content|video|iframe|media|youtube|twitter|facebook|instagram|external)-(?:consent|privacy)"
    r"|consent-(?:embed|placeholder|notice|layer|overlay|box|message)|embed-placeholder|social-placeholder"
    r"|brlbs-\w+|borlabs-\w+|cmplz-(?:placeholder|blocked|blocked-\w+)"
    rf"|(?:stock|news|breaking|breaking-news)-ticker|ticker-{_BOX}|call-to-action|cta-(?:box|banner|card|block|widget))\b"
    r"|\A(?:newsletter|poll|copyright|google-news|telegram|modal|author-?bio|font-size)\Z"
)
"""Names, words joined by hyphens, of boxes that are not part of an article, whatever its topic."""

_OF_TAG = dict.fromkeys(_OF_NO_KIND, 0) | {name: KIND[kind] for name, kind in _KINDS.items()}
_OF_TAG |= {name: _OF_TAG.get(name, KIND["other"]) | BIT[mark] for name, mark in _TAGS.items()}
_PATTERNS = [(BIT[name], re.compile(words)) for name, words in _WORDS.items()]
_ANY = re.compile("|".join(_WORDS.values()))
_NAMING = re.compile(r'\s(?:class|id|role|itemprop)="([^"]*)"')
_WORD = re.compile("[A-Z]*[a-z]+|[A-Z]+")
"""A word ends where a capital follows a lower-case letter."""
_APART = {code: chr(code) if chr(code).isalpha() else " " for code in range(128)}
"""Translation table for the fast path: names in lower case."""
_RANDOM = re.compile(
    r"(?<![0-9a-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-f]*\d+[a-f]+\d[0-9a-f]*|[a-f]+\d+[a-f][0-9a-f]*)"
    r"(?![0-9a-z])"
)
"""Hexadecimal ids of blocks. They are removed because "ad" could be read in them."""
_HIDDEN = re.compile(
    r"\s(?:hidden(?=[\s=]|\Z)|(?:placeholder|fallback)(?=\s|=\"\"|\Z)|style=\"[^\"]{0,400}?"
    r"(?:display\s*:\s*none|position\s*:\s*fixed|\b(?:left|top|text-indent)\s*:\s*-\d{4}))",
    re.IGNORECASE,
)
_UNSEEN = re.compile(
    r"\sclass=\"(?=(?:[^\"]*\s)?(?:(?:is-|u-)?(?:visually-?hidden|sr-only)|hidden|d-none|(?:visible|show-for)-print|print-?only|screen-?reader(?:-text|-only)?)[\s\"])"
    r"(?![^\"]*(?::|d-(?:sm|md|lg|xl|xxl)-)(?:block|flex|grid|inline|table|contents))",
    re.IGNORECASE,
)
"""Classes of common style sheets for invisible elements. ``hidden md:block`` is visible on some screens."""
_ELSEWHERE_HIDDEN = re.compile(r"position\s*:|:\s*-\d|print|sr-only|reader", re.IGNORECASE)
"""Ways to hide a text from every reader, or to show it on paper only."""
_BESIDE = re.compile(r' role="(?:marquee|status|alert|alertdialog|dialog|complementary|timer|log)"')
"""Roles (WAI-ARIA 1.2) of what stands beside the text."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_MAX_NAMING = 2000
_MAX_KEPT, _MAX_TAGS = 300, 2**14
"""Characters of a start tag whose marks are cached, and tags in the cache: the pages of a site repeat them."""


@lru_cache(maxsize=2**15)
def _of_word(word: str) -> int:
    word = word.lower()
    return sum(bit for bit, pattern in _PATTERNS if pattern.fullmatch(word)) if _ANY.fullmatch(word) else 0


@lru_cache(maxsize=2**14)
def _of_naming(naming: str) -> int:
    found = 0
    naming = naming[:_MAX_NAMING]
    if "ad" in naming:
        naming = _RANDOM.sub("", naming)
    words = naming.translate(_APART).split() if naming.isascii() and naming.islower() else _WORD.findall(naming)
    for word in words:
        found |= _of_word(word)
    if found & BIT["widget"] and not _WIDGET.search("-".join(words).lower()):
        found ^= BIT["widget"]
    return found


def marks(tags: Iterable[str]) -> list[int]:
    """Return the mark bits of elements, given their start tags without ``<`` and ``>``.

    >>> [mark for mark in NAMES if marks(['aside class="relatedBox"'])[0] & BIT[mark]]
    ['related', 'aside']
    """
    return list(map(_MARKS.__getitem__, tags))


def _marks_of(tag: str) -> int:
    name, _, attributes = tag.partition(" ")
    found = _OF_TAG.get(name, KIND["other"])
    if name == "marquee":
        found |= BIT["widget"]
    if attributes:
        if _may_hide(attributes) and (_HIDDEN.search(tag) or _UNSEEN.search(tag)):
            found |= BIT["hidden"]
        for naming in _NAMING.findall(tag):
            found |= _of_naming(naming)
        if ' role="button"' in tag:
            found |= BIT["box"]
        if ' role="' in tag and _BESIDE.search(tag):
            found |= BIT["widget"]
        if name == "section" and ' role="region"' in tag:  # an embed that screen readers can skip
            found |= BIT["widget"]
        if name in _HEADINGS:  # their ids repeat their text
            found &= ~BIT["widget"]
    return found


def _may_hide(text: str) -> bool:
    """Sieve before the patterns, which take twenty times as long."""
    hidden = "none" in text or "hidden" in text or "Hidden" in text or "holder" in text or "fallback" in text
    hidden = hidden or ('style="' in text and (":-" in text or ": -" in text or "fixed" in text))
    return hidden or "print" in text or "sr-only" in text or "reader" in text


class _Marks(dict[str, int]):
    """Cache of the marks of start tags. It is cleared when full; long tags are not kept."""

    def __missing__(self, tag: str) -> int:
        if len(self) == _MAX_TAGS:
            self.clear()
        found = _marks_of(tag)
        if len(tag) <= _MAX_KEPT:
            self[tag] = found
        return found


_MARKS = _Marks()
