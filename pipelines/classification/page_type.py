"""Classify a page: article, list or neither. Many pages of a newspaper are front pages, sections, forms, galleries.

The evidence is the position of the extracted text between the page's links, the URL, and the page's own statements. No
words of a language and no classes of a site are used.

- Front pages and sections alternate between linked headlines and short teasers.
- Forms and galleries have little running text, and do not state that they are articles.
- A page that states that it is an article is accepted, unless it alternates nearly throughout.
- A page without headlines between its paragraphs is accepted, if they are under a headline that the title repeats.
- The extractor's confidence is low for lists. It decides if nothing else is known.

Measured with ``auto`` on WCXB (``benchmarks/page_types.py``):

- Dropped are 7 of 1,047 articles, 95 of 141 listings and 67 of 150 collections (precision .96, recall .56). Without
  confidence these are 8, 90 and 65. Stated lists account for one listing and six collections.
- Of other pages, 30 of 164 of forums, 22 of 146 of products, 42 of 227 of services and 9 of 133 of documentation.
- Of 224 generated front, section, tag and search pages in eight layouts and seven languages, 221 (without confidence).
- Of 801 gold pages, 301 without a URL, 21, among them 12 of shops, services and lists.

The limits were set by hand on these sets. They do equally well on each half of the sites, and a change by a quarter
affects few pages.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

import numpy as np

from pipelines.language.detect import ADDRESS
from pipelines.markup.anchors import LEADING, LINKS
from pipelines.markup.soup import collapsed
from pipelines.markup.tree import shown_text
from pipelines.metadata.dates.path_dates import dates_in_path
from pipelines.text.normalise import nfc
from pipelines.text.punctuation import CLOSING
from pipelines.text.scripts import SENTENCE_ENDS, SPACED_ENDS, STRONG_ENDS, has_unmarked_sentences, size, sizes
from pipelines.urls.url import parse
from storage.records import RULES, Drop

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from selectolax.lexbor import LexborNode

    from pipelines.markup.page_view import PageView
    from storage.records import Metadata

ANY_TEXT = 1
"""Value of ``min_chars`` that accepts every text."""
MAX_TEXT = 50_000
"""Characters of an extraction that are read. Articles are recognised earlier."""
MAX_PAGE = 1_000_000
"""Characters of a page that are read."""
MAX_LINKS = 3000
"""Links of a page that are read."""
MAX_MISSING_TEXTS = 100
"""Links and paragraphs not found in the text of the page, after which the search ends."""
PROBE = 30
"""Characters by which a paragraph is found in the text of the page."""
HEADLINE = 25
"""Letters of an alphabet. A link with a shorter text is no headline."""
PARAGRAPH = 60
"""Letters of an alphabet. A shorter paragraph is neither a teaser nor part of an article's body."""
SENTENCE = 30
"""Letters of an alphabet. A shorter paragraph is no running text."""

_SEEN = np.ones(0x10000, bool)
"""By character of the BMP: whether it is shown."""
for _first_unseen, _last_unseen in (
    *((0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F)),
    *((0xFEFF, 0xFEFF), (0xFFFC, 0xFFFD)),
):
    _SEEN[_first_unseen : _last_unseen + 1] = False
_SPACES = bytes(code for code in range(128) if chr(code).isspace())
_NO_BREAK_SPACE = "\xa0".encode()
_TEXT_SEPARATOR = "¦"
"""Separates texts that are folded at once. It is seen, NFC, and in few texts."""
_REPLACED, _OBJECT = "\ufffd", "\ufffc"
"""Unseen characters that Python counts as printable."""
_SENTENCE_END = re.compile(rf"[{SPACED_ENDS}](?=[\s{re.escape(CLOSING)}]|$)|[{STRONG_ENDS}]")
_ENDS = frozenset(SENTENCE_ENDS)
_BROKEN_OFF = re.compile(rf"(?:\.\.\.?|…|»|>>)\W*$|(?:\.\.\.|…)[^{SENTENCE_ENDS}\d\"”’»]{{1,20}}$")
"""An ellipsis at the end of a teaser, or before its link to the rest ("… read more")."""
_TYPE = re.compile(r'"@type"\s*:\s*(\[[^\]]{0,200}\]|"[^"]{0,60}")')
_NAME = re.compile(r"\w+")
_WRITTEN_ADDRESS = re.compile(rf"{ADDRESS}|[!-~]+@[!-~]+")
"""Address of a page or of e-mail as the text of a link: a source that the paragraph names, and no headline."""
_ARTICLES = ("article", "posting", "report")
_NO_ARTICLE = "jobposting"
_LISTINGS = frozenset({"collectionpage", "searchresultspage"})
_LISTS = _LISTINGS | {"contactpage", "aboutpage", "profilepage", "imagegallery"}
_PUBLISHED = "article:published_time"
_MAX_STATED = 3
_MAX_HEADINGS = 10
_IDENTIFIER = re.compile(r"\d{5}|[?&][^=&]*=\d{3}")
_SUFFIX = re.compile(r"\.\w{2,5}$")
_SLUG_WORDS = 4
_ROOT = re.compile(r"/(?:[a-z]{2}(?:-[a-z]{2})?/?|(?:index|default|home)\.\w{2,5})?", re.IGNORECASE)


class AddressForm(StrEnum):
    """Kind of page that the form of a URL suggests."""

    FRONT = "address of a front page"
    ARTICLE = "address as of an article"
    ANY = "address of any kind"


class ArticleLimits(NamedTuple):
    """Limits within which a page counts as an article. The more evidence for an article, the wider."""

    running: float
    """Least running text, in multiples of the least size of a stored text."""
    headlines: float
    """Highest number of headlines between paragraphs, for each paragraph."""
    linked: float
    """Highest share of the extracted characters in links."""


STATED = ArticleLimits(0.0, 0.85, 0.6)
LIKELY = ArticleLimits(1.0, 0.5, 0.5)
UNKNOWN = ArticleLimits(3.0, 0.45, 0.35)
FRONT = ArticleLimits(10.0, 0.25, 0.3)
SURE_LIMITS, UNSURE_LIMITS = ArticleLimits(3.0, 0.5, 0.5), ArticleLimits(3.0, 0.25, 0.3)
"""Limits for pages without other evidence than the extractor's confidence."""
SURE_CONFIDENCE, UNSURE_CONFIDENCE = 0.9, 0.7
"""Confidence: from the first on limits are wider, below the second narrower."""

STATED_DATES = frozenset({RULES, "json-ld", "meta", "time", "url"})
"""Sources of a date that is evidence for an article."""
FLASH = 0.3
"""Least running text of a news flash, as a share of the least size of a stored text."""
_STATES_ARTICLE = "JSON-LD"
MAX_BROKEN_OFF = 0.6
"""Highest share of paragraphs with an ellipsis at the end, for pages that alternate or state no article."""
_FOOTERS = 'footer, [role="contentinfo"], [class*="footer"], [id*="footer"], #colophon'
"""Elements that may be footers. A selector with each name takes twice as long."""
_FOOTER_IDS = frozenset({"footer", "site-footer", "colophon"})
_FOOTER_CLASSES = frozenset({"footer", "site-footer", "page-footer", "main-footer", "global-footer", "footer-content"})
_MAX_FOOTERS = 20


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """A page beside its extracted text."""

    view: PageView
    url: str
    metadata: Metadata
    selected: bool = False
    """Whether a rule of its site selects the text. Such a page counts as one that states an article."""


@dataclass(frozen=True, slots=True)
class ArticleEvidence:
    """Measurements of a page, from which the decision follows."""

    size: int
    """Size of the extracted text, in letters of an alphabet."""
    running: int
    """Size of the paragraphs with a sentence that are no link."""
    linked: float
    """Share of the extracted characters in links."""
    blocks: int
    """Paragraphs of some length that are no link and were found in the page."""
    headlines: int
    """Number of blocks that follow the one before after a link that may be a headline."""
    broken_off: float
    """Share of the paragraphs of some length with an ellipsis at the end, as in teasers."""
    address: AddressForm = AddressForm.ANY
    claims: tuple[str, ...] = ()
    """Places in which the page, or a rule of its site, states that it is an article."""
    headed: bool = False
    """Whether the text is under a headline that is in the page's title and is no link."""
    dated: bool = False
    """Whether metadata or URL contain a date of publication. Lists show visible dates only."""
    listed: bool = False
    """Whether the page states that it is a list and no article."""
    footer: bool = False
    """Whether all of the text is in the page's footer. The page of a film has no other text."""
    confidence: float | None = None
    """Expected F1 of the extraction. It is low for most lists, whose blocks are ambiguous."""


class _Span(NamedTuple):
    start: int
    end: int


def article_or_reason(
    page: ExtractedPage, paragraphs: Sequence[str], min_chars: int, confidence: float | None = None
) -> Drop | None:
    """Return None for an article, else a drop with the evidence: ``no_article`` or ``listing``.

    Args:
        page: the page beside its text.
        paragraphs: the extracted paragraphs, cleaned.
        min_chars: least size of a text, in letters of an alphabet. With 0 or 1 every text of every page is accepted, as
            for a page that is fetched by hand.
        confidence: expected F1 of the extraction, if the extractor has one.
    """
    return judge(replace(gather(page, paragraphs), confidence=confidence), min_chars)


def judge(evidence: ArticleEvidence, min_chars: int) -> Drop | None:
    """Decide by the evidence only."""
    limits = _limits(evidence)
    # A news flash of one sentence is an article where the page states one.
    flash = _STATES_ARTICLE in evidence.claims and evidence.dated and evidence.running >= FLASH * min_chars
    if evidence.size < max(1, FLASH * min_chars if flash else min_chars):
        return Drop("no_article", f"{evidence.size} characters")
    if min_chars <= ANY_TEXT:
        return None
    if evidence.footer:
        return Drop("no_article", "only the footer of the page")
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


def _limits(evidence: ArticleEvidence) -> ArticleLimits:
    if evidence.claims and evidence.address is not AddressForm.FRONT:
        return STATED
    if evidence.address is AddressForm.FRONT:
        return FRONT
    confidence = evidence.confidence
    sure, unsure = (
        (False, False) if confidence is None else (confidence >= SURE_CONFIDENCE, confidence < UNSURE_CONFIDENCE)
    )
    headed = evidence.headed and not evidence.headlines
    if evidence.dated or headed or evidence.address is AddressForm.ARTICLE:
        return UNKNOWN if unsure and not evidence.dated else LIKELY
    return SURE_LIMITS if sure else UNSURE_LIMITS if unsure else UNKNOWN


def gather(page: ExtractedPage, paragraphs: Sequence[str]) -> ArticleEvidence:
    """Measure a page."""
    texts = list(_first(paragraphs))
    flat, links = _flatten(page.view)
    anchors = [flat[link.start : link.end] for link in links]
    length, folded = sizes((*paragraphs, *texts, *anchors)), dict(zip(texts, _all_folded(texts), strict=True))
    linked_texts = frozenset(anchors)
    plain = [text for text in texts if folded[text] not in linked_texts]
    blocks = [text for text in plain if length[text] >= PARAGRAPH]
    spans = sorted(_locate((folded[text] for text in dict.fromkeys(blocks)), flat))
    everything, stated = sum(len(folded[text]) for text in texts), claims(page.view)
    linked = everything - sum(len(folded[text]) for text in plain)
    # A whole paragraph of the text that is a link, and ends like a sentence, is no headline.
    linked_prose = {folded[text] for text in texts if length[text] >= PARAGRAPH and _ends_sentence(text)}
    headlines = [
        link.start
        for link, text in zip(links, anchors, strict=True)
        if length[text] >= HEADLINE and text not in linked_prose and not _WRITTEN_ADDRESS.fullmatch(text)
    ]
    return ArticleEvidence(
        size=sum(length[text] for text in paragraphs),
        running=sum(length[text] for text in plain if length[text] >= SENTENCE and has_sentence(text)),
        linked=(linked + _overlap(spans, links)) / max(1, everything),
        blocks=len(spans),
        headlines=sum(_between(headlines, before, after) for before, after in pairwise(spans)),
        broken_off=sum(bool(_BROKEN_OFF.search(text[-PROBE:])) for text in blocks) / max(1, len(blocks)),
        address=address_kind(page.url),
        claims=(*stated, RULES) if page.selected else stated,
        listed=not stated and is_list(page.view),
        footer=_is_footer(page.view, [folded[text] for text in texts]),
        headed=_headed(page.view, flat, spans),
        dated=page.metadata.published_source in STATED_DATES,
    )


def _headed(view: PageView, flat: str, spans: Sequence[_Span]) -> bool:
    title = next(iter(view.of("title")), None)
    stated = _folded(title.text()[:MAX_TEXT]) if title and spans else ""
    for node in view.of("h1", "h2")[:_MAX_HEADINGS] if stated else ():
        text = _folded(node.text()[:MAX_TEXT])
        if size(text) >= HEADLINE and text in stated and node.css_first(LINKS) is None:
            return -1 < flat.find(text) < spans[-1].start
    return False


def _is_footer(view: PageView, folded: Sequence[str]) -> bool:
    """Return whether all of these texts, folded, are in footers of the page. The footer of an article is none."""
    # A node is found once by each part of the selector.
    found = {node.mem_id: node for node in view.tree.css(_FOOTERS) if _is_named_footer(node)}
    footers = [
        _folded(node.text())
        for node in islice(found.values(), _MAX_FOOTERS)
        if not _is_in_article(node) and node.css_first("h1, article") is None
    ]
    return bool(folded and footers) and all(any(text in footer for footer in footers) for text in folded)


def _is_named_footer(node: LexborNode) -> bool:
    if node.tag == "footer":
        return True
    stated = node.attributes
    return (
        stated.get("role") == "contentinfo"
        or stated.get("id") in _FOOTER_IDS
        or not _FOOTER_CLASSES.isdisjoint((stated.get("class") or "").split())
    )


def _is_in_article(node: LexborNode) -> bool:
    around = node.parent
    while around is not None and around.tag not in {"article", "main"}:
        around = around.parent
    return around is not None


def has_sentence(text: str) -> bool:
    """Return whether a paragraph contains the end of a sentence, or is in a script that does not mark each end."""
    return text[-1:] in _ENDS or bool(_SENTENCE_END.search(text)) or has_unmarked_sentences(text)


def _ends_sentence(text: str) -> bool:
    end = text[-PROBE:].rstrip(f"{CLOSING} ")
    return bool(_SENTENCE_END.search(end[-1:])) and _BROKEN_OFF.search(text[-PROBE:]) is None


def address_kind(url: str) -> AddressForm:
    """Return the kind of page that a URL suggests. Articles have a date, a number or a headline in it.

    >>> address_kind("https://a.example/vi/"), address_kind("https://a.example/2024/05/13/flood")
    (<AddressForm.FRONT: 'address of a front page'>, <AddressForm.ARTICLE: 'address as of an article'>)
    """
    address = parse(url)
    if address is None:
        return AddressForm.ANY
    if _ROOT.fullmatch(address.path) and not address.query:
        return AddressForm.FRONT
    path = unquote(address.path)
    words = re.split(r"[-_+\s]", _SUFFIX.sub("", path.rstrip("/").rpartition("/")[2]))
    slug = sum(len(word) > 1 for word in words) >= _SLUG_WORDS
    if slug or _IDENTIFIER.search(f"{path}?{address.query}") or dates_in_path(address.path):
        return AddressForm.ARTICLE
    return AddressForm.ANY


def claims(view: PageView) -> tuple[str, ...]:
    """Return the places in which a page states that it is an article. None if it states a list or a form.

    Several articles in the JSON-LD belong to a list.
    """
    kinds = Counter(_stated_types(view))
    if _LISTS & kinds.keys():
        return ()
    articles = sum(count for kind, count in kinds.items() if kind.endswith(_ARTICLES) and kind != _NO_ARTICLE)
    found = {
        _STATES_ARTICLE: 0 < articles <= _MAX_STATED,
        "og:type": view.contents.get("og:type", [""])[0].lower().startswith(("article", "news")),
        _PUBLISHED: _PUBLISHED in view.contents,
        "articleBody": "articleBody" in view.html and view.tree.css_first('[itemprop~="articleBody"]') is not None,
    }
    return tuple(name for name, stated in found.items() if stated)


def is_list(view: PageView) -> bool:
    """Return whether a page states that it is a list, for example of the posts with a tag, and has no date.

    The og:type is ignored: plugins of WordPress state article on lists too.
    """
    kinds = set(_stated_types(view))
    articles = any(kind.endswith(_ARTICLES) for kind in kinds)
    return bool(_LISTINGS & kinds) and not articles and _PUBLISHED not in view.contents


def _stated_types(view: PageView) -> Iterable[str]:
    for script in view.jsonld:
        for kinds in _TYPE.findall(script):
            yield from {name.lower() for name in _NAME.findall(kinds)}


def _first(paragraphs: Sequence[str]) -> Iterable[str]:
    """Yield the first paragraphs up to ``MAX_TEXT``, with white space folded."""
    left = MAX_TEXT
    for paragraph in paragraphs:
        if left <= 0:
            return
        yield collapsed(paragraph[:left])
        left -= len(paragraph)


def _folded(text: str) -> str:
    """Return a text without white space and invisible characters, which extractors and cleaning add or drop."""
    # Nearly all white space is of these kinds. To split at it takes twice as long.
    packed = text.encode("utf-8", "surrogatepass").translate(None, _SPACES).replace(_NO_BREAK_SPACE, b"")
    folded = packed.decode("utf-8", "surrogatepass")
    if not folded.isprintable():
        folded = "".join(folded.split())
    if not folded.isprintable() or _REPLACED in folded or _OBJECT in folded:
        codes = np.frombuffer(folded.encode("utf-16-le", "surrogatepass"), "<u2")
        folded = codes[_SEEN[codes]].tobytes().decode("utf-16-le", "surrogatepass")
    # Nearly all texts of the web are NFC. Marks out of order fail this test at once, so it is linear, as ``nfc`` is.
    return folded if unicodedata.is_normalized("NFC", folded) else nfc(folded)


def _all_folded(texts: Sequence[str]) -> list[str]:
    """Return each text as `_folded` does. All at once take a third of the time."""
    joined = _TEXT_SEPARATOR.join(texts)
    if joined.count(_TEXT_SEPARATOR) >= len(texts):
        return list(map(_folded, texts))
    return _folded(joined).split(_TEXT_SEPARATOR) if texts else []


def _flatten(view: PageView) -> tuple[str, list[_Span]]:
    """Return the text of the page without white space, and the places of its links in it.

    Links are in document order, so each is searched after the one before. Few are missing. The search ends if many are,
    or if links contain links, because it would be slow and without meaning.
    """
    body = view.tree.body
    flat = _folded(body.text()[:MAX_PAGE]) if body else ""
    shown, read = list[str](), 0
    linked = (each.node for each in view.references if each.tag == "a" and LEADING.match(each.attributes["href"] or ""))
    for node in islice(linked, MAX_LINKS):
        text = node.text()
        if "{" in text:  # a style sheet or a script may be in the link
            text = shown_text(node)
        shown.append(text)
        read += len(text)
        if read > MAX_PAGE:
            break
    spans, position, missing, read = list[_Span](), 0, 0, 0
    for text in _all_folded(shown):
        length = len(text)
        read += length
        if read > MAX_PAGE:
            break
        if length < 2:
            continue
        start = flat.find(text, position)
        if start >= 0:
            position = start + length
            spans.append(_Span(start, position))
        else:
            missing += 1
            if missing > MAX_MISSING_TEXTS:
                break
    return flat, spans


def _locate(texts: Iterable[str], flat: str) -> Iterable[_Span]:
    """Yield the places of paragraphs in the page, found by their start, each after the one before if possible."""
    position = missing = 0
    for text in texts:
        start = flat.find(text[:PROBE], position)
        if start < 0:
            missing += 1
            start = flat.find(text[:PROBE])
        if missing > MAX_MISSING_TEXTS:
            return
        if start >= 0:
            yield _Span(start, start + len(text))
            position = start + 1


def _between(headlines: list[int], before: _Span, after: _Span) -> bool:
    """Return whether a headline begins between two paragraphs."""
    start = min(before.end, after.start) - 1
    return bisect_left(headlines, start) < bisect_left(headlines, after.start + 1)


def _overlap(spans: list[_Span], links: list[_Span]) -> int:
    """Return the number of characters of paragraphs that are in links."""
    starts = [link.start for link in links]
    total = 0
    for span in spans:
        first = max(0, bisect_left(starts, span.start) - 1)
        for link in links[first : bisect_left(starts, span.end)]:
            total += max(0, min(link.end, span.end) - max(link.start, span.start))
    return total
