"""Is there an article on the page? Many pages of a newspaper are front pages, sections, forms and galleries.

The decision looks at how the extracted text lies between the page's links, at the address, and at what the page states
of itself; at no language's words and no site's classes. Front pages and sections alternate: a headline that is a link,
a few words of teaser, the next headline. Forms and galleries have little running text, and nothing says that they are
articles. A page that states it is one is believed unless it alternates nearly throughout; one with no headline between
its paragraphs is, too, when they stand under a headline of their own that the page's title repeats. Of lists an
extractor expects little, so its confidence counts where nothing else is known.

Measured with ``auto`` on WCXB (``benchmarks/page_types.py``), dropped are 7 of 1047 articles, 95 of 141 listings and 67
of 150 collections: 96 in 100 of what is dropped of these is no article (precision), and 56 in 100 of what is none is
dropped (recall); without confidence 8, 90 and 65. Of what it calls otherwise go 30 of 164 pages of forums, 22 of 146 of
products, 42 of 227 of services and 9 of 133 of documentation. Of 224 front, section, tag and search pages of newspapers
generated in eight layouts and seven languages went 221, before confidence counted. As pages are believed that state to
be lists, one listing and six collections more go, and no article. The limits were set by hand with these in view; on
either half of the sites they do alike, and a quarter more or less moves few pages. Of 801 gold pages, 301 of them
without an address, 21 are dropped, 12 of them pages of shops, services and lists.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import unquote

from pipelines.dates import dates_in_path
from pipelines.letters import size
from pipelines.normalise import nfc
from pipelines.tree import shown_text
from pipelines.urls import parse
from storage.records import Drop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from storage.records import Metadata

T = TypeVar("T")

ANY_TEXT = 1
"""The ``min_chars`` of those who want whatever text there is."""
MAX_TEXT = 50_000
"""Characters of an extraction the decision looks at; articles show what they are earlier."""
MAX_PAGE = 1_000_000
MAX_LINKS = 3000
_MAX_KEPT = 200
"""Characters of a link's text that is remembered."""
MAX_MISSING = 100
"""Links and paragraphs that may fail to be found again in the page before the search is given up."""
PROBE = 30
"""Characters by which a paragraph is found again in the page."""
HEADLINE = 25
"""Shortest text of a link that may be a headline."""
PARAGRAPH = 60
"""Shortest paragraph that may be a teaser or part of an article's body."""
SENTENCE = 30
"""Shortest paragraph that counts as running text."""

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffc\ufffd]+")
_REPLACED = re.compile("[\ufffc\ufffd]")
"""Those of them that count as printable."""
_SENTENCE_END = re.compile(r"[.!?…؟۔।॥։።፧။](?=[\s\"'»”’)\]]|$)|[。！？]")
_NO_SENTENCE_ENDS = re.compile("[\u0e00-\u0eff\u1780-\u17ff]")
_BROKEN_OFF = re.compile(r"(?:\.\.\.?|…|»|>>)\W*$|(?:\.\.\.|…)[^.!?؟۔।…\d\"”’»]{1,20}$")
"""An ellipsis at the end of a teaser, or before the few words of its link to the rest ("… read more")."""
_TYPE = re.compile(r'"@type"\s*:\s*(\[[^\]]{0,200}\]|"[^"]{0,60}")')
_NAME = re.compile(r"\w+")
_ARTICLES = ("article", "posting", "report")
_NO_ARTICLE = "jobposting"
_LISTINGS = frozenset({"collectionpage", "searchresultspage"})
_LISTS = _LISTINGS | {"contactpage", "aboutpage", "profilepage", "imagegallery"}
_PUBLISHED = 'meta[property="article:published_time" i][content]'
_MAX_STATED = 3
_MAX_SCRIPTS = 30
_MAX_HEADINGS = 10
_IDENTIFIER = re.compile(r"\d{5}|[?&][^=&]*=\d{3}")
_SUFFIX = re.compile(r"\.\w{2,5}$")
_SLUG_WORDS = 4
_ROOT = re.compile(r"/(?:[a-z]{2}(?:-[a-z]{2})?/?|(?:index|default|home)\.\w{2,5})?", re.IGNORECASE)


class Address(StrEnum):
    """What the shape of an address suggests."""

    FRONT = "address of a front page"
    ARTICLE = "address as of an article"
    ANY = "address of any kind"


class Limits(NamedTuple):
    """What a page may look like and still be an article; how strict depends on what speaks for it."""

    running: float
    """Least running text, in multiples of the shortest text that is kept."""
    headlines: float
    """Most headlines between paragraphs, for each paragraph."""
    linked: float
    """Largest share of the extracted characters that may stand in links."""


STATED = Limits(0.0, 0.85, 0.6)
LIKELY = Limits(1.0, 0.5, 0.5)
UNKNOWN = Limits(3.0, 0.45, 0.35)
FRONT = Limits(10.0, 0.25, 0.3)
SURE_LIMITS, UNSURE_LIMITS = Limits(3.0, 0.5, 0.5), Limits(3.0, 0.25, 0.3)
"""For pages of which nothing but the extractor's confidence speaks, for or against an article."""
SURE, UNSURE = 0.9, 0.7
"""Confidence from which a page is given the benefit of the doubt, and below which it is not."""

STATED_DATES = frozenset({"json-ld", "meta", "time", "url"})
"""Where a date speaks for an article."""
MAX_BROKEN_OFF = 0.6
"""Largest share of paragraphs that may end in an ellipsis, on pages that nothing calls articles or that alternate."""


@dataclass(frozen=True, slots=True)
class Page:
    """What is known of a page beside the extracted text."""

    tree: LexborHTMLParser
    url: str
    metadata: Metadata


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is measured on a page, all the decision sees."""

    size: int
    """Size of the extracted text, in letters of an alphabet."""
    running: int
    """The same of the paragraphs that hold a sentence and are no link."""
    linked: float
    """Share of the extracted characters that stand in links."""
    blocks: int
    """Paragraphs of some length that are no link and were found again in the page."""
    headlines: int
    """How many of them follow upon the one before with a link between them that may be a headline."""
    broken_off: float
    """Share of the paragraphs of some length that end in an ellipsis, as teasers do."""
    address: Address = Address.ANY
    claims: tuple[str, ...] = ()
    """Where the page states that it is an article."""
    headed: bool = False
    """Whether the text stands under a headline of its own, which the page's title repeats and which is no link."""
    dated: bool = False
    """Whether the page states to programs, or in its address, when it was published; lists show dates to readers."""
    listed: bool = False
    """Whether the page states that it is a list, and no article."""
    confidence: float | None = None
    """F1 that the extractor expects of its text: of lists, where blocks are neither text nor none, mostly little."""


class _Span(NamedTuple):
    start: int
    end: int


class _Measured(dict[str, T]):
    """What a function says of texts, each asked about once."""

    def __init__(self, function: Callable[[str], T]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, text: str) -> T:
        value = self[text] = self._function(text)
        return value


def article_or_reason(
    page: Page, paragraphs: Sequence[str], min_chars: int, confidence: float | None = None
) -> Drop | None:
    """Return None for an article, else why the page holds none: ``no_article`` or ``listing``, with the evidence.

    ``paragraphs`` are the extracted ones, cleaned; ``min_chars`` is the least size of a text, in letters of an
    alphabet. With 0 or 1 any text will do, whatever the page is: that is what asking for one page by hand means.
    """
    return judge(replace(gather(page, paragraphs), confidence=confidence), min_chars)


def judge(evidence: Evidence, min_chars: int) -> Drop | None:
    """Decide on the evidence alone."""
    limits = _limits(evidence)
    if evidence.size < max(1, min_chars):
        return Drop("no_article", f"{evidence.size} characters")
    if min_chars <= ANY_TEXT:
        return None
    if evidence.listed:
        return Drop("listing", "stated to be one")
    if evidence.linked > limits.linked:
        return Drop("listing", f"{evidence.linked:.0%} of the text is links")
    if evidence.headlines > limits.headlines * evidence.blocks:
        return Drop("listing", f"{evidence.headlines} headlines between {evidence.blocks} paragraphs")
    alternates = evidence.blocks > 2 and evidence.headlines >= evidence.blocks - 1
    if evidence.blocks > 1 and evidence.broken_off > MAX_BROKEN_OFF and (alternates or not evidence.claims):
        return Drop("listing", f"{evidence.broken_off:.0%} of the paragraphs break off")
    if evidence.running < limits.running * min_chars:
        return Drop("no_article", f"{evidence.running} characters in sentences, {evidence.address}")
    return None


def _limits(evidence: Evidence) -> Limits:
    if evidence.claims and evidence.address is not Address.FRONT:
        return STATED
    if evidence.address is Address.FRONT:
        return FRONT
    confidence = evidence.confidence
    sure, unsure = (False, False) if confidence is None else (confidence >= SURE, confidence < UNSURE)
    headed = evidence.headed and not evidence.headlines
    if evidence.dated or headed or evidence.address is Address.ARTICLE:
        return UNKNOWN if unsure and not evidence.dated else LIKELY
    return SURE_LIMITS if sure else UNSURE_LIMITS if unsure else UNKNOWN


def gather(page: Page, paragraphs: Sequence[str]) -> Evidence:
    """Measure a page."""
    sizes, folded = _Measured(size), _Measured(_folded)
    texts = list(_first(paragraphs))
    flat, links = _flatten(page.tree)
    anchors = [flat[link.start : link.end] for link in links]
    linked_texts = frozenset(anchors)
    plain = [text for text in texts if folded[text] not in linked_texts]
    blocks = [text for text in plain if sizes[text] >= PARAGRAPH]
    spans = sorted(_locate((folded[text] for text in dict.fromkeys(blocks)), flat))
    everything, stated = sum(len(folded[text]) for text in texts), claims(page.tree)
    linked = everything - sum(len(folded[text]) for text in plain)
    headlines = [link.start for link, text in zip(links, anchors, strict=True) if sizes[text] >= HEADLINE]
    return Evidence(
        size=sum(sizes[text] for text in paragraphs),
        running=sum(sizes[text] for text in plain if sizes[text] >= SENTENCE and has_sentence(text)),
        linked=(linked + _overlap(spans, links)) / max(1, everything),
        blocks=len(spans),
        headlines=sum(_between(headlines, before, after) for before, after in pairwise(spans)),
        broken_off=sum(bool(_BROKEN_OFF.search(text[-PROBE:])) for text in blocks) / max(1, len(blocks)),
        address=address_kind(page.url),
        claims=stated,
        listed=not stated and is_list(page.tree),
        headed=_headed(page.tree, flat, spans),
        dated=page.metadata.published_source in STATED_DATES,
    )


def _headed(tree: LexborHTMLParser, flat: str, spans: Sequence[_Span]) -> bool:
    title = tree.css_first("title")
    stated = _folded(title.text()[:MAX_TEXT]) if title and spans else ""
    for node in tree.css("h1, h2")[:_MAX_HEADINGS] if stated else ():
        text = _folded(node.text()[:MAX_TEXT])
        if size(text) >= HEADLINE and text in stated and node.css_first("a[href]") is None:
            return -1 < flat.find(text) < spans[-1].start
    return False


def has_sentence(text: str) -> bool:
    """Return whether there is the end of a sentence in a paragraph, or a script that marks none."""
    return bool(_SENTENCE_END.search(text) or _NO_SENTENCE_ENDS.search(text))


def address_kind(url: str) -> Address:
    """Read the shape of an address: a front page's path, or a date, a number or a headline as articles have.

    >>> address_kind("https://a.example/vi/"), address_kind("https://a.example/2024/05/13/flood")
    (<Address.FRONT: 'address of a front page'>, <Address.ARTICLE: 'address as of an article'>)
    """
    address = parse(url)
    if address is None:
        return Address.ANY
    if _ROOT.fullmatch(address.path) and not address.query:
        return Address.FRONT
    path = unquote(address.path)
    words = re.split(r"[-_+\s]", _SUFFIX.sub("", path.rstrip("/").rpartition("/")[2]))
    slug = sum(len(word) > 1 for word in words) >= _SLUG_WORDS
    if slug or _IDENTIFIER.search(f"{path}?{address.query}") or dates_in_path(address.path):
        return Address.ARTICLE
    return Address.ANY


def claims(tree: LexborHTMLParser) -> tuple[str, ...]:
    """Return where a page states that it is an article; nothing when it states that it is a list or a form.

    Several articles in the JSON-LD are a list's.
    """
    kinds = Counter(_stated_types(tree))
    if _LISTS & kinds.keys():
        return ()
    articles = sum(count for kind, count in kinds.items() if kind.endswith(_ARTICLES) and kind != _NO_ARTICLE)
    graph = _content(tree.css_first('meta[property="og:type" i][content], meta[name="og:type" i][content]'))
    found = {
        "JSON-LD": 0 < articles <= _MAX_STATED,
        "og:type": graph.startswith(("article", "news")),
        "article:published_time": bool(_content(tree.css_first(_PUBLISHED))),
        "articleBody": tree.css_first('[itemprop~="articleBody"]') is not None,
    }
    return tuple(name for name, stated in found.items() if stated)


def is_list(tree: LexborHTMLParser) -> bool:
    """Return whether a page states that it is a list, of the posts with a tag, say, if only of one, and when none of it.

    What states og:type article with it, on all but single posts, is WordPress with a plugin.
    """
    kinds = set(_stated_types(tree))
    articles = any(kind.endswith(_ARTICLES) for kind in kinds)
    return bool(_LISTINGS & kinds) and not articles and tree.css_first(_PUBLISHED) is None


def _content(node: LexborNode | None) -> str:
    return (node.attributes.get("content") or "").strip().lower() if node else ""


def _stated_types(tree: LexborHTMLParser) -> Iterable[str]:
    for node in tree.css('script[type*="ld+json" i]')[:_MAX_SCRIPTS]:
        for kinds in _TYPE.findall(node.text()[:MAX_PAGE]):
            yield from {name.lower() for name in _NAME.findall(kinds)}


def _first(paragraphs: Sequence[str]) -> Iterable[str]:
    """Yield the first paragraphs, white space folded, up to ``MAX_TEXT``."""
    left = MAX_TEXT
    for paragraph in paragraphs:
        if left <= 0:
            return
        yield " ".join(paragraph[:left].split())
        left -= len(paragraph)


def _folded(text: str) -> str:
    """Take out white space and invisible characters, which mark-up, extractors and cleaning add or drop."""
    folded = "".join(text.split())
    if not folded.isprintable() or _REPLACED.search(folded):
        folded = _UNSEEN.sub("", folded)
    return nfc(folded)


# The links of a site's menus stand on all of its pages.
_folded_again = lru_cache(maxsize=2**12)(_folded)


def _flatten(tree: LexborHTMLParser) -> tuple[str, list[_Span]]:
    """Return the text of the page without white space, and where in it the texts of its links are.

    Links come in document order, so each is looked for behind the one before. Few are not there (their text is not the
    body's); many, or links inside links, would make the search slow and mean nothing, so it ends.
    """
    body = tree.body
    flat = _folded(body.text()[:MAX_PAGE]) if body else ""
    spans, position, missing, read = [], 0, 0, 0
    for node in islice(tree.css("a[href]"), MAX_LINKS):
        shown = shown_text(node)
        text = _folded_again(shown) if len(shown) <= _MAX_KEPT else _folded(shown)
        read += len(text)
        start = flat.find(text, position) if len(text) > 1 else position
        missing += start < 0
        if missing > MAX_MISSING or read > MAX_PAGE:
            break
        if start >= 0 and len(text) > 1:
            position = start + len(text)
            spans.append(_Span(start, position))
    return flat, spans


def _locate(texts: Iterable[str], flat: str) -> Iterable[_Span]:
    """Find paragraphs in the page by their beginnings, each behind the one before if it is there."""
    position = missing = 0
    for text in texts:
        start = flat.find(text[:PROBE], position)
        if start < 0:
            missing += 1
            start = flat.find(text[:PROBE])
        if missing > MAX_MISSING:
            return
        if start >= 0:
            yield _Span(start, start + len(text))
            position = start + 1


def _between(headlines: list[int], before: _Span, after: _Span) -> bool:
    """Return whether a headline begins after one paragraph and no later than the next."""
    start = min(before.end, after.start) - 1
    return bisect_left(headlines, start) < bisect_left(headlines, after.start + 1)


def _overlap(spans: list[_Span], links: list[_Span]) -> int:
    """Count the characters of paragraphs that stand in links."""
    starts = [link.start for link in links]
    total = 0
    for span in spans:
        first = max(0, bisect_left(starts, span.start) - 1)
        for link in links[first : bisect_left(starts, span.end)]:
            total += max(0, min(link.end, span.end) - max(link.start, span.start))
    return total
