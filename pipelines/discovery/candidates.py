"""Propose URLs of a site's feeds, sitemaps and sections: those that its pages name, and the usual ones.

The URLs may not exist. :mod:`pipelines.discovery.sources` reads the answers.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pipelines.classification.page_type import HEADLINE
from pipelines.discovery.links import unique_links
from pipelines.discovery.scope import scope_of
from pipelines.markup.tree import shown_text
from pipelines.text.scripts import size
from pipelines.urls.robots_txt import parse_robots
from pipelines.urls.url import parse
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from selectolax.lexbor import LexborNode

    from pipelines.markup.page_view import PageView
    from pipelines.urls.url import Address
    from storage.records import Link, SiteModel

USUAL_FEEDS = ("/rss", "/feed", "/rss.xml", "/feed.xml", "/atom.xml", "/index.xml", "/rss/home.rss")
USUAL_SITEMAPS = ("/sitemap.xml", "/sitemap_index.xml", "/news-sitemap.xml", "/sitemap-news.xml", "/sitemap.xml.gz")
MAX_CANDIDATES = 60
"""URLs from one page."""
MAX_SECTIONS = 30
MAX_STATED = 8
"""Feeds that a crawl takes from a start page, and sitemaps from its robots.txt."""
MAX_REFERENCES = 5000
"""Links of a page that are read."""
_FEED_TYPES = frozenset(
    (
        *("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"),
        *("text/xml", "application/xml"),  # Old feeds. Other XML is recognised when it is read.
    )
)
_FEED_PATH = re.compile(
    r"(?:^|[/_.-])(?:rss|atom|rdf|feeds?)(?:$|[/_.?=&-])|\.(?:rss|rdf|atom)$|feed=(?:rss2?|atom)|rss\w*\.(?:xml|aspx|php)$",
    re.IGNORECASE,
)
_FEED_WORDS = ("rss", "atom", "rdf", "feed")
"""A sieve before the pattern: one of them is in each such path and host."""
_COMMENTS = re.compile(r"comments?(?:/|%2f)feed|/feed/comments|comments?\.(?:xml|rss)|feed=comments", re.IGNORECASE)
_SECTION = re.compile(r"(?:/[^/]{1,40}){1,2}/?")
_NUMBER = re.compile(r"/\d{1,4}(?=/|$)")
"""A segment that may be the number of a section. Articles have longer numbers, or several."""
_NAMED_BY_NUMBER = re.compile(r"[\d?]")
_PARAMETER = re.compile(r"(?!p(?:age)?=)\w{1,12}=[\w-]{1,20}")
"""A parameter that may name a section: list.asp?cat=3, but not a page number."""
_OF_ARTICLE = re.compile(r"\d{5,}|(?:19|20)\d\d|[^/\d]\d{4}")
"""A long number, a year, a word with a long number."""
_SUFFIX = re.compile(r"\.\w{2,5}$")
_SERVICE = re.compile(
    r"about|contact|privacy|terms|polic|login|log-?in|sign|account|regist|subscri|search|advert|cookie|help|faq|jobs|"
    r"career|app|mobile|rss|feed|sitemap|newsletter|e-?paper|podcast|live|video|photo|galler|shop|store|print|wp-",
    re.IGNORECASE,
)


def stated_feeds(view: PageView, url: str) -> list[Address]:
    """Return the feeds in the head of a page (``link rel=alternate``), without those of comments."""
    base, found = view.base_of(url), {}
    links = (each.attributes for each in view.references if each.tag == "link")
    for attributes in islice(links, MAX_REFERENCES):
        kind = (attributes.get("type") or "").lower().partition(";")[0].strip()
        if "alternate" not in (attributes.get("rel") or "").lower() or kind not in _FEED_TYPES:
            continue
        address = parse(attributes.get("href") or "", base)
        if address and not _COMMENTS.search(address.fetchable):
            found[address.canonical] = address
    return list(found.values())[:MAX_CANDIDATES]


def named_feeds(view: PageView, url: str, model: SiteModel) -> tuple[Link, ...]:
    """Return the feeds of its site that the head of a page names. Without one: those that the page links to."""
    scope = scope_of(model)
    stated = [each for each in stated_feeds(view, url) if scope.has_host(each.host)]
    return unique_links((stated or linked_feeds(view, url, model))[:MAX_STATED], Kind.FEED, parse(url))


def stated_sitemaps(robots: bytes, url: str, model: SiteModel) -> tuple[Link, ...]:
    """Return the sitemaps on the hosts of its site that a robots.txt names. ``url`` is a page of its host."""
    scope = scope_of(model)
    # Some are in quotation marks or brackets, and some lines name several.
    stated = (each.strip("<>\"'") for line in parse_robots(robots).sitemaps for each in line.split())
    named = (parse(scope.completed(each), url) for each in stated)
    found = [each for each in named if each and scope.has_host(each.host)]
    return unique_links(found[:MAX_STATED], Kind.SITEMAP)


def linked_feeds(view: PageView, url: str, model: SiteModel) -> list[Address]:
    """Return the URLs on its site that a page links to and that look like a feed, or like a page of feeds."""
    scope, found = scope_of(model), {}
    references = "\n".join([view.base_of(url), *(each.attributes["href"] or "" for each in view.references)]).lower()
    if not any(word in references for word in _FEED_WORDS):
        return []
    for address, _ in _linked(view, url, like=_FEED_PATH):
        target = _target(address)
        looks = _FEED_PATH.search(target) or (
            scope.has_host(address.host) and address.host.startswith(("rss.", "feeds."))
        )
        if looks and scope.has_host(address.host) and not _COMMENTS.search(target):
            found[address.canonical] = address
    return list(found.values())[:MAX_CANDIDATES]


def usual(origin: str, paths: Iterable[str]) -> list[Address]:
    """Return the URLs of these paths on the host of ``origin``."""
    return [address for path in paths if (address := parse(path, origin))]


def section_pages(view: PageView, url: str, model: SiteModel, articles: Iterable[str] = ()) -> list[Address]:
    """Return the pages that a front page links to and that look like its sections, most frequent first.

    A section has a short path: one or two segments with few words, perhaps with a number or one parameter. Service
    pages are no sections. With digits or a parameter it must differ from articles: in the form of its URL (``articles``
    are regular expressions of those of articles), and by its link text, which is a name and no headline or number.
    """
    own, scope, counts = parse(url), scope_of(model), Counter[str]()
    shapes = [re.compile(each) for each in articles]
    found: dict[str, Address] = {}
    for address, link in _linked(view, url):
        if address == own or not scope.has(address) or not _is_section(address):
            continue
        if _NAMED_BY_NUMBER.search(_target(address)):
            text = " ".join(shown_text(link).split())
            if not any(map(str.isalpha, text)) or len(text) >= HEADLINE or size(text) >= HEADLINE:
                continue
            if _OF_ARTICLE.search(_target(address)) or any(each.search(address.fetchable) for each in shapes):
                continue
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


def _target(address: Address) -> str:
    return f"{address.path}?{address.query}" if address.query else address.path


def _linked(view: PageView, url: str, like: re.Pattern[str] | None = None) -> Iterator[tuple[Address, LexborNode]]:
    """Yield the URLs that a page links to, each with its link. ``like``: only references or a base that match it."""
    base = view.base_of(url)
    links = (each for each in view.references if each.tag == "a")
    wanted = None if like is None or like.search(base) else like
    for link in islice(links, MAX_REFERENCES):
        reference = link.attributes["href"] or ""
        if (wanted is None or wanted.search(reference)) and (address := parse(reference, base)):
            yield address, link.node
