"""What is told of a page besides its text: kinds of paragraphs, the title as shown, captions.

It looks at blocks that were chosen already and at the elements around them, so that it costs next to nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from pipelines.extractors.auto.blocks.class_marks import BIT, KIND
from pipelines.extractors.auto.blocks.walk import LINE, one_line
from pipelines.extractors.base import PARAGRAPH_KINDS
from storage.records import ParagraphKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.extractors.auto.blocks.page import Page
    from pipelines.extractors.auto.blocks.text_stats import Array
    from pipelines.extractors.auto.blocks.walk import Blocks, Elements

MAX_CAPTIONS = 100
MAX_CHARS = 2000
"""Characters of a caption or a comment that are kept."""
NEAR = 10
"""Blocks before the article among which the caption of its first picture may stand."""
FEW = 4
"""Most blocks of an element that is a caption."""
CELLS, BESIDE = 2, 250
"""Most blocks, and characters, of a table beside the text that is one of a picture and what it shows."""
MAX_INSIDE = 30
"""Elements in a figure that are looked at: of figures in one another each would be with all in it."""
LAYOUT = 0.5
"""An item, cell or quotation that holds more than this share of the text is layout."""
REPEATED = 0.35
"""Share of the text from which what repeats is a copy of the article."""
MAX_LINKED = 0.5
"""Share of linked characters from which a block is neither a caption nor a comment."""
TITLE = 0.6
"""Share of the stated title from which a block is the title."""
MIN_TITLE = 15
"""Least characters of a line that is the title."""
HALF = 0.5
"""Share of the stated title that such a line has."""
BOXED = 0.2
"""Most of the text, as a share, that stands in boxes of pictures beside it."""

_CERTAIN = {ParagraphKind.HEADING, ParagraphKind.PREFORMATTED}
_NAMING = re.compile(r'\s(?:class|id|itemprop)="([^"]*)"')
_CLASS = re.compile(r'\sclass="([^"]*)"')
_HUMP = re.compile("(?<=[a-z])(?=[A-Z])")
_CAPTIONS = frozenset({"figcaption", "caption", "figure"})
_NO_CAPTIONS = frozenset({"blockquote", "table", "pre", "ul", "ol", "dl", "h1", "h2", "h3", "h4", "h5", "h6"})
_PICTURES = BIT["caption"] | BIT["figure"]
_MAY_HOLD_CAPTIONS = _PICTURES | BIT["table"]
_SUBHEAD = KIND["h2"] | KIND["h3"]
_CAPTION = re.compile(r"captions?(?![a-z])|cutline")
_IMAGES = ("image", "img", "photo", "foto", "picture", "pic")
_NAMED = "|".join(_IMAGES)
_SURE_CAPTION = re.compile(
    r"(?:wp|feat|image|img|photo|picture|pic|fig|figure|media)s?[-_ ]*(?:cms[-_ ]*)?captions?(?![a-z])|cutline"
    rf"|\btr-caption\b|(?<![a-z])(?:{_NAMED})s?[-_ ]*(?:box|block|wrap|wrapper|container|desc"
    r"|description|info|credit|copyright|legend|embed|holder|widget)(?![a-z])"
    r"|(?<![a-z])media[-_ ]*(?:block|item)?[-_ ]*(?:info|desc|description|legend|credits?|copyright)(?![a-z])"
)
_IN_NAMES = "|".join(f"[{image[0]}{image[0].upper()}]{image[1:]}" for image in _IMAGES)
_MAY_CAPTION = re.compile(f"aption|utline|(?:{_IN_NAMES}|[mM]edia)s?[-_ ]*[BWCDILEHbwcdileh]")
"""Sieve for the patterns, which need the words of an element."""
_BESIDE_TEXT = re.compile(
    r'table\s(?:[^"]*"[^"]*")*?[^"]*(?<![\w-])(?:align="(?:left|right)"|style="[^"]*\bfloat\s*:\s*(?:left|right)\b)',
    re.IGNORECASE,
)
"""A table that the text flows around."""
_CLASSED = re.compile(r'(?:p|div|small|em) (?:[^"]*"[^"]*")*?[^"]*\bclass="(?:[^"]*\s)?caption(?=[\s"])')
"""An element of which caption is a class, and no part of another's name."""
_PICTURE = re.compile(r"(?<![a-z])(?:figure|image|img|photo|picture)(?![a-z])")
_BOX = re.compile(rf"(?<![a-z])(?:{_NAMED}|thumb|thumbnail)s?(?=\s|$)")
_NO_BOX = re.compile(
    r"(?<![a-z])(?:with|without|has|no|bg|background|row|over|text|title|hero|card|caption|slide|slider|slides)(?![a-z])"
)
"""The last word of a class that makes an element the box of a picture, and words by which it is one beside a text."""
_PARTING = frozenset("|-–—·•»«:/_｜")
_WITH_FOOTERS = frozenset({"article", "main", "blockquote"})
_MAY_HOLD_FOOTERS = sum(BIT[name] for name in _WITH_FOOTERS)


@dataclass(frozen=True, slots=True)
class Parts:
    """As in `storage.records.Extraction`."""

    kinds: str = ""
    title: str = ""
    captions: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()


def around(blocks: Blocks, index: int) -> Iterator[int]:
    """Yield the elements around a block from the innermost outwards, but for the page itself."""
    element = blocks.inside[index]
    while element:
        yield element
        element = blocks.elements.parents[element]


class Kinds:
    """What the chosen blocks of a page are, by the innermost element around each that says so."""

    def __init__(self, page: Page, chosen: Array) -> None:
        self.blocks = page.blocks
        held = page.total(page.texts.chars * chosen)
        self.layout = (held > LAYOUT * held[0]).tolist()
        self.known = {0: ParagraphKind.PARAGRAPH}

    def lines(self, index: int) -> list[tuple[str, ParagraphKind]]:
        """Return a block as lines of readable text with their kind; preformatted text has lines of its own."""
        kind = self.of(self.blocks.inside[index])
        if kind is not ParagraphKind.PREFORMATTED:
            return [(line, kind) for line in self.blocks.lines(index)]
        parts = self.blocks.texts[index].replace(LINE, "\n").split("\n")
        return [(line, kind) for part in parts if (line := one_line(part))]

    def of(self, innermost: int) -> ParagraphKind:
        """Return what the blocks are that an element holds itself; each element is looked at once."""
        if known := self.known.get(innermost):
            return known
        passed, element, elements = [], innermost, self.blocks.elements
        while element not in self.known:
            named = PARAGRAPH_KINDS.get(elements.name(element))
            if named and (not self.layout[element] or named in _CERTAIN):
                self.known[element] = named
            else:
                passed.append(element)
                element = elements.parents[element]
        self.known |= dict.fromkeys(passed, self.known[element])
        return self.known[element]


def captions(page: Page) -> tuple[Array, Array]:
    """Say of each block whether it surely is a caption, and whether it may be one, by the elements around it.

    Those named or classed as captions of pictures are, and what else stands in boxes of pictures; some papers class
    their leads as captions of nothing.
    """
    elements = page.blocks.elements
    sure, likely = np.zeros(page.count, bool), np.zeros(page.count, bool)
    marked = {
        number: _captioned(tag[:MAX_CHARS])
        for number, (tag, bits) in enumerate(zip(elements.tags, page.marks, strict=True))
        if bits & _MAY_HOLD_CAPTIONS or "aption" in tag  # as in their names
    }
    surely = {tag: certain for tag, certain in marked.items() if certain is not None}
    if not surely:
        return sure, likely
    known = np.zeros(len(elements.tags), bool)
    known[list(surely)] = True
    for index in known[page.tag].nonzero()[0].tolist():
        first, last = elements.first[index], elements.last[index]
        if last - first <= FEW and not _holds_more(page, index):
            sure[first:last] |= surely[elements.tag[index]] or _PICTURE.search(_around(elements, index)) is not None
            likely[first:last] = True
    # A page of nothing but captions is a page whose text is marked as captions.
    return sure & (2 * sure.sum() < page.count), likely


def boxed(page: Page, chosen: Array) -> Array:
    """Say which of the chosen blocks stand in the box of a picture or film, as their captions do.

    A page much of whose text stands there tells its story by pictures.
    """
    found, elements = np.zeros(page.count, bool), page.blocks.elements
    for index in (chosen & ((page.path & BIT["caption"]) != 0)).nonzero()[0].tolist():
        small = takewhile(lambda box: elements.last[box] - elements.first[box] <= FEW, around(page.blocks, index))
        found[index] = any(_is_box(elements.tags[elements.tag[box]][:MAX_CHARS]) for box in small)
    if not found.any():
        return found
    few = page.texts.chars[found].sum() <= BOXED * page.texts.chars[chosen].sum()
    return found if few else np.zeros(page.count, bool)


def classed(page: Page, chosen: Array, likely: Array) -> Array:
    """Say which of the chosen blocks that may be captions have that for a class, behind the first chosen one.

    That may be a lead in the place of a caption, cells are set in tables by the text of pictures.
    """
    found: Array = chosen & likely
    if not found.any():
        return found
    found[chosen.argmax()] = False
    elements = page.blocks.elements
    for index in found.nonzero()[0].tolist():
        own = takewhile(lambda element: page.held[element] == 1, around(page.blocks, index))
        found[index] = any(_CLASSED.match(elements.tags[elements.tag[element]]) for element in own)
    few = page.texts.chars[found].sum() <= BOXED * page.texts.chars[chosen].sum()
    return found if few else np.zeros(page.count, bool)


@lru_cache(maxsize=2**12)
def _is_box(tag: str) -> bool:
    named = _CLASS.search(tag)
    words = _HUMP.sub("-", named[1]).lower() if named else ""
    return _BOX.search(words) is not None and _NO_BOX.search(words) is None


def _holds_more(page: Page, figure: int) -> bool:
    """Say whether a figure is one of text: a quotation, a table, a list, something with a heading; or a table more
    than that of a picture beside the text.
    """
    elements = page.blocks.elements
    if elements.name(figure) == "table":
        return bool(page.held[figure] > CELLS or page.texts.chars[page.holds(figure)].sum() > BESIDE)
    if elements.name(figure) != "figure":
        return False
    looked_at = range(figure + 1, min(figure + 1 + MAX_INSIDE, len(elements.tag)))
    inside = takewhile(lambda element: elements.first[element] < elements.last[figure], looked_at)
    return any(elements.name(element) in _NO_CAPTIONS for element in inside)


def _around(elements: Elements, element: int) -> str:
    """Return the name and the naming of the element around one, in lower case."""
    around = elements.parents[element]
    return f"{elements.name(around)} {naming_of(elements.attributes(around))}"


@lru_cache(maxsize=2**12)
def _captioned(tag: str) -> bool | None:
    """Say whether an element is surely a caption; None if nothing says that it may be one."""
    if tag.partition(" ")[0] in _CAPTIONS:
        return True
    if _BESIDE_TEXT.match(tag):
        return True
    if not _MAY_CAPTION.search(tag):
        return None
    naming = naming_of(tag)
    if _SURE_CAPTION.search(naming):
        return True
    return False if _CAPTION.search(naming) else None


def buttons(page: Page) -> Array:
    """Say of each block whether it is what a button says; those that are headings open what is below them.

    Three and more that stand in a row open nothing, as those do by which films are chosen.
    """
    found: Array = (page.near & BIT["box"]) != 0
    if not found.any():
        return found
    own, headings = (page.kind & BIT["box"]) != 0, found & ((page.near & _SUBHEAD) != 0)
    out: Array = own & ~headings & ~page.texts.ends_sentence
    rows = headings[:-2] & headings[1:-1] & headings[2:]
    for three in (out[:-2], out[1:-1], out[2:]):
        three |= rows
    return out


def naming_of(attributes: str) -> str:
    """Return the words of class, id and itemprop in lower case."""
    return _HUMP.sub("-", " ".join(_NAMING.findall(attributes[:MAX_CHARS]))).lower()


def footers(page: Page) -> Array:
    """Say of each block whether it lies in a ``footer`` of the page, not of an article in it."""
    found: Array = (page.path & (BIT["footer"] | _MAY_HOLD_FOOTERS)) == BIT["footer"]
    return found


def imprint(page: Page, chosen: Array) -> Array:
    """Say which blocks lie in the page's ``footer`` where the chosen ones begin in it, even with most of the text.

    So it is where the article is but a film or a picture.
    """
    found, elements = np.zeros(page.count, bool), page.blocks.elements
    outwards = {elements.name(element): element for element in around(page.blocks, int(chosen.argmax()))}
    if "footer" in outwards and outwards.keys().isdisjoint(_WITH_FOOTERS):
        found[page.holds(outwards["footer"])] = True
    return found


def copies(page: Page, chosen: Array) -> Array:
    """Say which of the chosen blocks repeat one before, where the page repeats a good part of the text.

    Then it holds the article twice, for wide screens and for narrow ones or for print, and a style sheet hides one of
    them; one line said again and again is the author's. So are those that stand beside each other in one element, as
    the lines of recipes, programmes and tables of results do.
    """
    repeated, chars, seen = np.zeros(page.count, bool), page.texts.chars, dict[str, set[int]]()
    unspaced = cache(lambda index: "".join(page.blocks.texts[index].split()))
    # What is the same is as long.
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
    return repeated & (len(again) > 1 and doubled > REPEATED * int(chars[first].sum()))


def shown_title(page: Page, likeness: Array) -> str:
    """Return the heading that is the stated title, or the greater part of it; without an h1, the line that is.

    That of the comments on it ("3 replies to …") is none.
    """
    like = ((likeness > TITLE) & ((page.near & BIT["comment"]) == 0)).nonzero()[0].tolist()
    names = {index: page.blocks.elements.name(page.blocks.inside[index]) for index in like}
    headings = (index for index in like if is_heading(names[index]))
    best = max(headings, key=lambda index: (names[index] == "h1", likeness[index]), default=None)
    if best is None:
        return "" if page.h1.any() else _title_line(page)
    return " ".join(page.blocks.lines(best))


def _title_line(page: Page) -> str:
    """Return the first line, at a block's beginning, that the stated title is but for the name of the site."""
    title = page.blocks.title[:MAX_CHARS]
    shortest = max(MIN_TITLE, HALF * len(title))
    # Neither spaces nor the lines behind are counted, so that this is no more than a sieve.
    may_be = (2 * page.texts.chars >= shortest) & (page.link < MAX_LINKED) & ~page.hidden
    for index in may_be.nonzero()[0].tolist() if len(title) >= shortest else ():
        line = one_line(page.blocks.texts[index][:MAX_CHARS].partition(LINE)[0])
        if len(line) >= shortest and _names(title, line):
            return line
    return ""


def _names(title: str, line: str) -> bool:
    """Say whether a title is a line, or that and what is parted from it as the names of sites are."""
    behind, before = title.removeprefix(line), title.removesuffix(line)
    return (
        title == line
        or (behind != title and behind.lstrip()[:1] in _PARTING)
        or (before != title and before.rstrip()[-1:] in _PARTING)
    )


def is_heading(name: str) -> bool:
    """Say whether elements of that name are headings."""
    return PARAGRAPH_KINDS.get(name) is ParagraphKind.HEADING


def near_captions(page: Page, chosen: Array, found: Array) -> tuple[str, ...]:
    """Return the captions that stand in the article or a little before it, each once, in the order of the page."""
    inside = chosen.nonzero()[0]
    if not len(inside) or not found.any():
        return ()
    near = found & ~chosen & ~page.hidden & (page.link < MAX_LINKED)
    near[: max(0, inside[0] - NEAR)] = False
    near[inside[-1] + 2 :] = False
    texts = (" ".join(page.blocks.lines(index))[:MAX_CHARS] for index in near.nonzero()[0][:MAX_CAPTIONS].tolist())
    return tuple(dict.fromkeys(texts))
