"""Density extractor: our extension of improved BTE. It finds the segment with most text and least markup.

BTE (see ``bte``) weighs words against tags. Here the unit is the block, the text between two block-level tags. The
weight of a block is its characters, less those in links, less a cost per block. The main content is the segment of
greatest sum (``bte.region``). So scripts without spaces weigh as much as others, inline markup does not break a
paragraph, and lists of links are expensive. Inside the segment, blocks of links, captions, navigation, comments and
asides are left out.

``WEIGHTS`` were set by hand, mostly on half of the sites of 801 pages. The other half was inspected more than once, so
it is not a clean test. F1 is .902 and .905 on the halves, against .887 and .880 for trafilatura. The weights lie on a
plateau: a third more or less changes F1 by about .01. Do not tune them on fewer pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from pipelines.extractors.base import DEFAULT_OPTIONS, PARAGRAPH_KINDS, ExtractorOptions
from pipelines.extractors.explanation import Explanation, Series, beginnings
from pipelines.extractors.papers.bte import region
from pipelines.markup.lexer import BLOCKS, name_set
from pipelines.markup.nesting import OpenElements, opens
from pipelines.markup.soup import paragraphs, scan
from pipelines.text.scripts import SYLLABIC, UNSPACED_TEXT
from storage.records import Extraction, ParagraphKind

if TYPE_CHECKING:
    from pipelines.markup.soup import Soup

NAME, VERSION = "density", "1"


class Weights(NamedTuple):
    """Costs and gains of a block, in characters unless said otherwise."""

    linked: int = 3
    """Cost of a character inside a link, in characters outside."""
    unspaced: int = 2
    """Weight of a character of a syllabic script or one without spaces, in letters of an alphabet."""
    block: int = 35
    item: int = 55
    heading: int = 10
    paragraph: int = 10
    outside: int = 60
    """Cost of a block outside of articles: navigation, asides, comments."""
    doubtful: float = 0.7
    """Share of its gain that a block keeps in an element whose class or id suggests a box."""


WEIGHTS = Weights()
MAX_LINKED_SHARE = 0.5
"""Share of linked characters from which a block inside the segment is left out."""
MAX_MARKED_SHARE = 0.7
"""Share of the page's unlinked text. A mark on more of it is ignored."""

OUTSIDE, COMMENT, DOUBTFUL, CAPTION = 1, 2, 4, 8

_OUTSIDE = name_set("nav footer aside menu dialog")
_CAPTIONS = name_set("figcaption caption")
_HEADINGS = name_set("h1 h2 h3 h4 h5 h6")
_DOUBTFUL_WORDS = re.compile(
    r"(?<![a-z])(?:nav|navi|navbar|navigation|menu|footer|header|sidebar|side|widget|related|recommend\w*|share|sharing"
    r"|social|promo|ads?|advert\w*|banner|breadcrumbs?|tags?|tagcloud|newsletter|subscribe|popular|trending|rail|teaser"
    r"|sponsor\w*|toolbar|tools|login|cookie\w*|consent|more|most|latest|rss|print|rating|pagination|pager|copyright"
    r"|byline|author|meta|date|credit)(?![a-z])"
)
_COMMENT_WORDS = re.compile(r"(?<![a-z])(?:comments?|disqus|respond|replies|forum-?posts?)(?![a-z])")
_NAMING = re.compile(r"""\s(?:class|id|role|itemprop)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_HUMP = re.compile("(?<=[a-z])(?=[A-Z])")
_UNSPACED = re.compile(f"[{UNSPACED_TEXT}{SYLLABIC}]")


@dataclass(slots=True)
class DensityBlock:
    """The text between two block-level tags: texts ``first`` to ``last`` of the soup."""

    first: int
    last: int = 0
    name: str = ""
    marks: int = 0
    chars: int = 0
    linked: int = 0
    unspaced: int = 0

    def add(self, text: str, *, linked: bool) -> None:
        self.chars += len(text)
        self.linked += linked * len(text)
        self.unspaced += 0 if text.isascii() else len(_UNSPACED.findall(text))


def extract(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Extraction:
    """Extract the segment with most text and fewest links and blocks, without the boxes inside it."""
    return find(scan(html))


def find(soup: Soup, reason: str = "") -> Extraction:
    """Extract from a page after Step 0 (``markup.soup``)."""
    return _rendered(soup, weighed(soup), reason)


def explain(html: str, _options: ExtractorOptions = DEFAULT_OPTIONS) -> Explanation:
    """Explain ``extract``: the weight of each block, their sum so far, and the blocks of the segment that belong."""
    soup = scan(html)
    found = weighed(soup)
    return _explained(soup, found, _rendered(soup, found))


def explain_as(extraction: Extraction, html: str) -> Explanation:
    """Explain what another extractor has made of the text that ``find`` found on a page."""
    soup = scan(html)
    return _explained(soup, weighed(soup), extraction)


class WeighedPage(NamedTuple):
    """The blocks of a page, their weights, and the indices of those that are content."""

    blocks: list[DensityBlock]
    weights: list[int]
    chosen: tuple[int, ...]


def weighed(soup: Soup) -> WeighedPage:
    """Find the segment of greatest sum, and the blocks of it that belong to the article."""
    blocks = split(soup)
    _forget_common_marks(blocks)
    weights = [weigh(block) for block in blocks]
    found = region([-weight for weight in weights])
    segment = range(found[0], found[1] + 1) if found else range(0)
    return WeighedPage(blocks, weights, tuple(index for index in segment if _belongs(blocks[index], weights[index])))


def _explained(soup: Soup, found: WeighedPage, extraction: Extraction) -> Explanation:
    """Explain an extraction by the weights of the blocks. Some lines of the segment may have been left out of it."""
    shown = frozenset(extraction.paragraphs)
    chosen = {index for index in found.chosen if not shown.isdisjoint(_lines(soup, found.blocks[index]))}
    series = (
        Series("weight", "weight, characters", tuple(found.weights)),
        Series("sum", "sum of the weights so far, characters", tuple(accumulate(found.weights))),
        Series("characters", "characters", tuple(block.chars for block in found.blocks)),
        Series("linked", "characters in links", tuple(block.linked for block in found.blocks)),
    )
    return Explanation(
        extraction,
        "block",
        series,
        tuple(index in chosen for index in range(len(found.blocks))),
        texts=beginnings(unescape("".join(soup.texts[block.first : block.last + 1])) for block in found.blocks),
    )


def _rendered(soup: Soup, found: WeighedPage, reason: str = "") -> Extraction:
    lines = [
        (line, PARAGRAPH_KINDS.get(block.name, ParagraphKind.PARAGRAPH))
        for block in map(found.blocks.__getitem__, found.chosen)
        for line in _lines(soup, block)
    ]
    kinds = "".join(kind for _, kind in lines)
    return Extraction(tuple(line for line, _ in lines), NAME, VERSION, reason, kinds)


def _lines(soup: Soup, block: DensityBlock) -> tuple[str, ...]:
    return paragraphs(soup.texts[block.first : block.last + 1], soup.names[block.first : block.last])


def split(soup: Soup) -> list[DensityBlock]:
    """Cut a page into blocks, each with the marks of all elements around it."""
    blocks = []
    opened: OpenElements[int] = OpenElements(0)
    block = DensityBlock(0)
    for index, (text, name, tag) in enumerate(zip(soup.texts, (*soup.names, "/body"), (*soup.tags, ""), strict=True)):
        plain = unescape(text).strip() if text else ""
        if plain:
            block.name, block.marks = opened.innermost
            block.add(plain, linked=opened.holds("a"))
        base = name.lstrip("/")
        if base == "a" or base in BLOCKS:
            _follow(opened, name, tag)
        if base in BLOCKS and base != "br":
            if block.chars:
                block.last = index
                blocks.append(block)
            block = DensityBlock(index + 1)
    return blocks


def _follow(opened: OpenElements[int], name: str, tag: str) -> None:
    if name[0] == "/":
        opened.end(name[1:])
    elif opens(name, tag):
        opened.end_implied(name)
        opened.start(name, opened.innermost[1] | marks(name, tag))


def marks(name: str, tag: str) -> int:
    """Return the marks of an element, by its name and the words of its class, id, role and itemprop."""
    found = OUTSIDE * (name in _OUTSIDE) | CAPTION * (name in _CAPTIONS)
    if name == "a" or "=" not in tag:
        return found
    naming = _HUMP.sub("-", " ".join("".join(values) for values in _NAMING.findall(tag[:2000]))).lower()
    found |= COMMENT * bool(_COMMENT_WORDS.search(naming))
    return found | DOUBTFUL * bool(_DOUBTFUL_WORDS.search(naming))


def _forget_common_marks(blocks: list[DensityBlock]) -> None:
    """Remove marks that most of the text has: a page wrapped in one ``aside`` is not an aside."""
    total = sum(block.chars - block.linked for block in blocks)
    for mark in (OUTSIDE, COMMENT, DOUBTFUL, CAPTION):
        if sum(block.chars - block.linked for block in blocks if block.marks & mark) > MAX_MARKED_SHARE * total:
            for block in blocks:
                block.marks &= ~mark


def weigh(block: DensityBlock) -> int:
    """Return the weight of a block for the main content, in characters; negative for boilerplate."""
    if block.marks & (OUTSIDE | COMMENT):
        return -WEIGHTS.outside
    gain = block.chars - WEIGHTS.linked * block.linked
    gain += gain * (WEIGHTS.unspaced - 1) * block.unspaced // block.chars
    if gain > 0 and block.marks & DOUBTFUL:
        gain = int(gain * WEIGHTS.doubtful)
    return gain - _cost(block.name)


def _cost(name: str) -> int:
    if name == "p":
        return WEIGHTS.paragraph
    if name in _HEADINGS:
        return WEIGHTS.heading
    return WEIGHTS.item if name == "li" else WEIGHTS.block


def _belongs(block: DensityBlock, weight: int) -> bool:
    """Return whether a block of the segment is part of the article."""
    if block.marks & (OUTSIDE | COMMENT | CAPTION) or block.linked > MAX_LINKED_SHARE * block.chars:
        return False
    return weight >= 0 or not block.marks & DOUBTFUL
