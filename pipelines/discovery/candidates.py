"""Where a site may keep its feeds, sitemaps and sections: what its pages name, and the usual places.

Nothing here says that there is anything at an address; :mod:`pipelines.discovery.sources` reads what came from it.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pipelines.discovery.links import base_of
from pipelines.discovery.scope import scope_of
from pipelines.letters import size
from pipelines.markup.tree import shown_text
from pipelines.page_type import HEADLINE
from pipelines.urls import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pipelines.urls import Address
    from storage.records import SiteModel

USUAL_FEEDS = ("/rss", "/feed", "/rss.xml", "/feed.xml", "/atom.xml", "/index.xml", "/rss/home.rss")
USUAL_SITEMAPS = ("/sitemap.xml", "/sitemap_index.xml", "/news-sitemap.xml", "/sitemap-news.xml", "/sitemap.xml.gz")
MAX_CANDIDATES = 60
"""Most addresses taken from one page."""
MAX_SECTIONS = 30
MAX_REFERENCES = 5000
_FEED_TYPES = frozenset(
    (
        *("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"),
        *("text/xml", "application/xml"),  # of old; what is none is found out when it is read
    )
)
_FEED_PATH = re.compile(
    r"(?:^|[/_.-])(?:rss|atom|rdf|feeds?)(?:$|[/_.?=&-])|\.(?:rss|rdf|atom)$|feed=(?:rss2?|atom)|rss\w*\.(?:xml|aspx|php)$",
    re.IGNORECASE,
)
_COMMENTS = re.compile(r"comments?(?:/|%2f)feed|/feed/comments|comments?\.(?:xml|rss)|feed=comments", re.IGNORECASE)
_SECTION = re.compile(r"(?:/[^/]{1,40}){1,2}/?")
_NUMBER = re.compile(r"/\d{1,4}(?=/|$)")
"""A segment that may be the number of a section; those of articles are longer, or there are many of them."""
_NAMED_BY_NUMBER = re.compile(r"[\d?]")
_PARAMETER = re.compile(r"(?!p(?:age)?=)\w{1,12}=[\w-]{1,20}")
"""What may name a section: list.asp?cat=3; not its second page."""
_OF_ARTICLE = re.compile(r"\d{5,}|(?:19|20)\d\d|[^/\d]\d{4}")
"""A long number, a year, a word with a number of some length."""
_SUFFIX = re.compile(r"\.\w{2,5}$")
_SERVICE = re.compile(
    r"about|contact|privacy|terms|polic|login|log-?in|sign|account|regist|subscri|search|advert|cookie|help|faq|jobs|"
    r"career|app|mobile|rss|feed|sitemap|newsletter|e-?paper|podcast|live|video|photo|galler|shop|store|print|wp-",
    re.IGNORECASE,
)


def stated_feeds(tree: LexborHTMLParser, url: str) -> list[Address]:
    """Return the feeds a page states in its head (``link rel=alternate``), those of comments left out."""
    base, found = base_of(tree, url), {}
    for node in islice(tree.css("link[href]"), MAX_REFERENCES):
        attributes = node.attributes
        kind = (attributes.get("type") or "").lower().partition(";")[0].strip()
        if "alternate" not in (attributes.get("rel") or "").lower() or kind not in _FEED_TYPES:
            continue
        address = parse(attributes.get("href") or "", base)
        if address and not _COMMENTS.search(address.fetchable):
            found[address.canonical] = address
    return list(found.values())[:MAX_CANDIDATES]


def linked_feeds(tree: LexborHTMLParser, url: str, model: SiteModel) -> list[Address]:
    """Return the addresses a page links to on its site that look like a feed, or like a page that lists feeds."""
    scope, found = scope_of(model), {}
    for address, _ in _linked(tree, url):
        target = _target(address)
        looks = _FEED_PATH.search(target) or (
            scope.has_host(address.host) and address.host.startswith(("rss.", "feeds."))
        )
        if looks and scope.has_host(address.host) and not _COMMENTS.search(target):
            found[address.canonical] = address
    return list(found.values())[:MAX_CANDIDATES]


def usual(origin: str, paths: Iterable[str]) -> list[Address]:
    """Return these paths on the host of ``origin``."""
    return [address for path in paths if (address := parse(path, origin))]


def section_pages(tree: LexborHTMLParser, url: str, model: SiteModel, articles: Iterable[str] = ()) -> list[Address]:
    """Return the pages a front page links to that look like its sections, those linked to most often first.

    A section has a short path, one or two segments of few words, perhaps with a number or one parameter, and is no page
    of service. One with digits or a parameter is told from an article by the shape of its address, ``articles`` being
    those of articles as regular expressions, and by the text of its link, which is a name, no headline and no number.
    """
    own, scope, counts = parse(url), scope_of(model), Counter[str]()
    shapes = [re.compile(each) for each in articles]
    found: dict[str, Address] = {}
    for address, link in _linked(tree, url):
        section = address != own and scope.has(address) and _is_section(address)
        if section and (not _NAMED_BY_NUMBER.search(_target(address)) or _is_numbered(address, link, shapes)):
            found.setdefault(address.canonical, address)
            counts[address.canonical] += 1
    return [found[key] for key, _ in counts.most_common(MAX_SECTIONS)]


def _is_section(address: Address) -> bool:
    path = _NUMBER.sub("", unquote(address.path))
    if (
        (address.query and not _PARAMETER.fullmatch(address.query))
        or not _SECTION.fullmatch(path)
        or _SERVICE.search(path)
    ):
        return False
    last = _SUFFIX.sub("", path.rstrip("/").rpartition("/")[2])
    return len(re.split(r"[-_+\s]", last)) <= 4


def _is_numbered(address: Address, link: LexborNode, articles: Iterable[re.Pattern[str]]) -> bool:
    text = " ".join(shown_text(link).split())
    named = any(map(str.isalpha, text)) and len(text) < HEADLINE and size(text) < HEADLINE
    return (
        named
        and not _OF_ARTICLE.search(_target(address))
        and not any(each.search(address.fetchable) for each in articles)
    )


def _target(address: Address) -> str:
    return f"{address.path}?{address.query}" if address.query else address.path


def _linked(tree: LexborHTMLParser, url: str) -> Iterator[tuple[Address, LexborNode]]:
    """Yield the addresses a page links to, each with the link."""
    base = base_of(tree, url)
    for node in islice(tree.css("a[href]"), MAX_REFERENCES):
        if address := parse(node.attributes.get("href") or "", base):
            yield address, node
