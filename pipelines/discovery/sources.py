"""Classify the answer of a possible source: feed, sitemap, page, or the reason why it is useless."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from pipelines.decoding.decode import decode
from pipelines.discovery.feeds import text_feed_links
from pipelines.discovery.sitemaps import read_sitemap
from pipelines.discovery.xml_scanner import root_of
from storage.bytes.content_encoding import InflateError, unpack
from storage.bytes.mime import charset_of, sniff
from storage.records import Kind

if TYPE_CHECKING:
    from storage.records import Capture, Link, SiteModel

_MAX_TEXT = 50 * 2**20
_NEWS = re.compile(r"<(?:[\w.-]{1,30}:)?publication_date[\s>]|schemas/sitemap-news", re.IGNORECASE)
_FEED_LANGUAGE = re.compile(
    r"<(?:dc:)?language>\s*(?:<!\[CDATA\[\s*)?([A-Za-z]{2,3})\b|<feed[^>]{0,500}xml:lang=[\"']([A-Za-z]{2,3})\b"
)
_JSON_FEED = re.compile(r"\s*\{.{0,2000}jsonfeed\.org\\?/version", re.DOTALL)
_HTML = frozenset({"text/html", "application/xhtml+xml"})


class SourceFormat(StrEnum):
    """Format of a source."""

    RSS = "RSS"
    ATOM = "Atom"
    RDF = "RDF"
    JSON = "JSON Feed"
    OTHER = "other feed"
    SITEMAP = "sitemap"
    NEWS = "news sitemap"
    INDEX = "sitemap index"
    TEXT = "text sitemap"
    PAGE = "page"


FEEDS = frozenset({SourceFormat.RSS, SourceFormat.ATOM, SourceFormat.RDF, SourceFormat.JSON, SourceFormat.OTHER})
SITEMAPS = frozenset({SourceFormat.SITEMAP, SourceFormat.NEWS, SourceFormat.INDEX, SourceFormat.TEXT})
_ROOTS = {"rss": SourceFormat.RSS, "feed": SourceFormat.ATOM, "rdf": SourceFormat.RDF}


@dataclass(frozen=True, slots=True)
class SourceContent:
    """The content of a source. ``refused`` is the reason why it is useless, as a key for counters, or empty."""

    form: SourceFormat | None = None
    links: tuple[Link, ...] = ()
    language: str = ""
    """ISO 639 code that the source states, or empty."""
    refused: str = ""
    text: str = ""
    """The decoded text of a page. Empty for feeds and sitemaps."""

    @property
    def newest(self) -> str | None:
        """The latest date of the entries, or None."""
        return max((link.dated for link in self.links if link.dated), default=None)


def read_source(capture: Capture, model: SiteModel) -> SourceContent:
    """Read an answer as feed, sitemap or page, compressed or not.

    ``links`` are the entries on the hosts of ``model``.
    """
    if capture.status != 200:
        return SourceContent(refused=f"status {capture.status}")
    if capture.truncated:
        return SourceContent(refused=f"not whole ({capture.truncated})")
    try:
        body = unpack(capture.body, capture.coding)
    except InflateError as error:
        return SourceContent(refused=f"body {error.reason}")
    if not body.strip():
        return SourceContent(refused="empty")
    return _read(capture, body, model)


def _read(capture: Capture, body: bytes, model: SiteModel) -> SourceContent:
    declared = capture.header("Content-Type")
    text = decode(body[:_MAX_TEXT], charset_of(declared)).text
    root = root_of(text)
    if root in _ROOTS or _JSON_FEED.match(text):
        links = text_feed_links(text, capture.url, model, capture.fetched_at)
        return _judged(_ROOTS.get(root or "", SourceFormat.JSON), links, _language(text))
    plain = (declared or "").lower().startswith("text/plain")
    if root is not None or capture.kind is Kind.SITEMAP or plain:
        found = read_sitemap(body, capture.url, model, capture.fetched_at)
        if root is not None or found.links:
            judged = _judged(_sitemap_form(root, text), found.links, "")
            return replace(judged, refused="broken: it lists no URL") if found.broken and not found.links else judged
    media = sniff(body, declared)
    if media in _HTML:
        return SourceContent(SourceFormat.PAGE, text=text)
    links = text_feed_links(text, capture.url, model, capture.fetched_at) if media.endswith("xml") else ()
    return SourceContent(SourceFormat.OTHER, links, _language(text)) if links else SourceContent(refused=f"is {media}")


def _sitemap_form(root: str | None, text: str) -> SourceFormat:
    if root == "sitemapindex":
        return SourceFormat.INDEX
    if root is None:
        return SourceFormat.TEXT
    return SourceFormat.NEWS if _NEWS.search(text) else SourceFormat.SITEMAP


def _judged(form: SourceFormat, links: tuple[Link, ...], language: str) -> SourceContent:
    return SourceContent(form, links, language, "" if links else "no entries on this site")


def _language(text: str) -> str:
    match = _FEED_LANGUAGE.search(text, 0, 20_000)
    return (match[1] or match[2] or "").lower() if match else ""
