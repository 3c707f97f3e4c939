"""The demo site as a value: the response of every URL, and the true text of every article."""

from __future__ import annotations

import codecs
import gzip
import struct
import unicodedata
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus_spider.demo import articles, listings, papers, rendering
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from corpus_spider.demo.articles import Article
    from corpus_spider.demo.papers import Edition
    from storage.records import Headers

Key = tuple[str, str]
"""Host name without port, and percent-encoded path with query."""

TRACKING = ("utm_", "fbclid=", "gclid=")
HTML = "text/html; charset=utf-8"
MIN_ARTICLES = 3
"""Articles that a newspaper needs for its lists and boxes."""
PICTURES = ("video", "gallery-1", "gallery-2", "gallery-3")
CODECS = {"windows-874": "cp874"}
"""Python's names of encodings that have another name on the web."""

TONES = "\u0300\u0301\u0303\u0309\u0323"
"""Grave, acute, tilde, hook and dot below. windows-1258 writes them after the letter."""


@dataclass(frozen=True, slots=True)
class DemoResponse:
    """A response: status, headers (without Content-Length) and encoded body."""

    status: int
    headers: Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class TruePage:
    """True text of an article's page. ``duplicate_of`` is the key of the page it duplicates, exactly or nearly."""

    language: str
    text: str
    title: str
    duplicate_of: Key | None = None


@dataclass(frozen=True, slots=True)
class DemoSite:
    """All URLs of the demo with their responses, for one port. Absolute links contain the port.

    ``until`` is the last day of the newspapers; None: they have all their articles.
    """

    port: int
    hosts: tuple[str, ...]
    answers: Mapping[Key, DemoResponse]
    until: date | None = None

    def at(self, port: int) -> DemoSite:
        """Return the same site for another port."""
        return self if port == self.port else build_site(port, self.until)

    def answer(self, host: str, target: str) -> DemoResponse:
        """Return the response for a target; 404 or 421 for an unknown one. Tracking parameters are ignored."""
        if host not in self.hosts:
            return _page(421, "<h1>421 Misdirected Request</h1>")
        known = self.answers.get((host, target)) or self.answers.get((host, _without_tracking(target)))
        return known or _page(404, "<h1>404 Not Found</h1><p>There is nothing at this address.</p>")


def build_site(port: int = 80, until: date | None = None) -> DemoSite:
    """Return the demo site for a port, as it is at the end of a day. The same port and day always give the same bytes.

    Raises ConfigError if a newspaper had fewer than FEWEST articles.
    """
    editions = _editions(port, until)
    if any(len(edition.listed) < MIN_ARTICLES for edition in editions):
        first = max(edition.listed[-MIN_ARTICLES].date.date() for edition in _editions(port))
        raise ConfigError(f"the newspapers have too few articles until {until}", do=f"Name {first} or a later day.")
    answers: dict[Key, DemoResponse] = {(papers.LANDING_HOST, "/"): _page(200, rendering.landing_page(editions))}
    for edition in editions:
        answers |= {(edition.paper.host, path): answer for path, answer in _edition_answers(edition)}
    return DemoSite(port, (papers.LANDING_HOST, *(edition.paper.host for edition in editions)), answers, until)


def truth() -> dict[Key, TruePage]:
    """Return the true text of every URL of an article. It is the same for every port."""
    pages: dict[Key, TruePage] = {}
    for edition in _editions(80):
        for article in edition.articles:
            key = (edition.paper.host, edition.paper.path(article))
            original = edition.by_slug.get(article.wire)
            source = (edition.paper.host, edition.paper.path(original)) if original else None
            pages[key] = TruePage(article.language, article.true_text, article.title, source)
            if also := article.fields.get("also"):
                pages[edition.paper.host, also] = TruePage(article.language, article.true_text, article.title, key)
    return pages


def _editions(port: int, until: date | None = None) -> tuple[Edition, ...]:
    everything = [article for article in articles.load() if until is None or article.date.date() <= until]
    return tuple(
        papers.Edition(paper, tuple(article for article in everything if article.paper == paper.language), port)
        for paper in papers.load()
    )


def _edition_answers(edition: Edition) -> Iterator[tuple[str, DemoResponse]]:
    yield "/", _page(200, rendering.home_page(edition))
    for section in edition.paper["sections"]:
        yield section["path"], _page(200, rendering.section_page(edition, section))
    for article in edition.articles:
        yield from _article_answers(edition, article)
    yield from _extra_answers(edition)
    yield from _machine_answers(edition)


def _article_answers(edition: Edition, article: Article) -> Iterator[tuple[str, DemoResponse]]:
    for path in filter(None, (edition.paper.path(article), article.fields.get("also"))):
        yield path, _article_answer(article, rendering.article_page(edition, article, edition.base + path))
    yield f"/img/{article.slug}.png", _picture(article.slug, "image/png")


def _article_answer(article: Article, html: str) -> DemoResponse:
    charset = article.fields.get("header_charset", "utf-8")
    kind = "text/html" if charset == "none" else f"text/html; charset={charset}"
    body = encode(html, article.fields.get("encoding", "utf-8"))
    if article.fields.get("gzip") != "yes":
        return DemoResponse(200, (("Content-Type", kind),), body)
    headers = (("Content-Type", kind), ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
    return DemoResponse(200, headers, gzip.compress(body, mtime=0))


def _extra_answers(edition: Edition) -> Iterator[tuple[str, DemoResponse]]:
    """Yield pages without an article, redirects, an image declared as HTML, and a page that robots.txt forbids."""
    table = edition.paper.table
    for page in table["pages"]:
        yield page["path"], _page(200, rendering.plain_page(edition, page))
    for redirect in table.get("redirects", ()):
        if redirect["to"] not in edition.by_slug:
            continue
        target = edition.paper.path(edition.by_slug[redirect["to"]])
        location = f"..{target}" if redirect.get("relative") else edition.base + target
        yield redirect["path"], DemoResponse(redirect["status"], (("Location", location), ("Content-Type", HTML)), b"")
    if "mislabelled_image" in table:
        yield table["mislabelled_image"], _picture("mislabelled", HTML)
    if "private" in table:
        page = {"path": "/private/", "title": table["name"], "text": table["private"]}
        yield "/private/", _page(200, rendering.plain_page(edition, page))
    for name in PICTURES:
        yield f"/img/{name}.png", _picture(name, "image/png")


def _machine_answers(edition: Edition) -> Iterator[tuple[str, DemoResponse]]:
    """Yield the feed, the sitemaps and robots.txt, if the newspaper has them."""
    if "feed" in edition.paper.table:
        kind, text = listings.feed(edition)
        yield edition.paper["feed"]["path"], DemoResponse(200, (("Content-Type", kind),), text.encode())
    if "sitemap" in edition.paper.table:
        for path, (kind, body) in listings.sitemaps(edition).items():
            yield path, DemoResponse(200, (("Content-Type", kind),), body)
    if "robots" in rendering.layout(edition.paper.language).files:
        robots = rendering.robots_txt(edition).encode()
        yield "/robots.txt", DemoResponse(200, (("Content-Type", "text/plain"),), robots)


def _page(status: int, html: str) -> DemoResponse:
    return DemoResponse(status, (("Content-Type", HTML),), html.encode())


def _without_tracking(target: str) -> str:
    path, mark, query = target.partition("?")
    kept = [part for part in query.split("&") if part and not part.startswith(TRACKING)]
    return path + (mark + "&".join(kept) if kept else "")


def _picture(name: str, kind: str) -> DemoResponse:
    """Return a PNG of 16 x 9 pixels in one colour that depends on the name."""
    colour = zlib.crc32(name.encode()).to_bytes(4, "big")[:3]
    rows = zlib.compress((b"\0" + colour * 16) * 9)
    chunks = [
        _chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 9, 8, 2, 0, 0, 0)),
        _chunk(b"IDAT", rows),
        _chunk(b"IEND", b""),
    ]
    return DemoResponse(200, (("Content-Type", kind),), b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def encode(text: str, encoding: str) -> bytes:
    """Encode a page in a legacy encoding. Characters that it lacks become character references.

    UTF-16 is little-endian with a byte order mark. windows-1258 has combining tones.
    """
    if encoding == "utf-16":
        return codecs.BOM_UTF16_LE + text.encode("utf-16-le")
    if encoding == "windows-1258":
        text = "".join(_windows_1258(character) for character in text)
    return text.encode(CODECS.get(encoding, encoding), "xmlcharrefreplace")


def _windows_1258(character: str) -> str:
    """Return a character of the code page, or its letter followed by its tone, as Windows writes Vietnamese."""
    if _fits(character):
        return character
    parts = unicodedata.normalize("NFD", character)
    letter = unicodedata.normalize("NFC", "".join(part for part in parts if part not in TONES))
    apart = letter + "".join(part for part in parts if part in TONES)
    return apart if _fits(apart) else character


def _fits(text: str) -> bool:
    try:
        text.encode("cp1258")
    except UnicodeEncodeError:
        return False
    return True
