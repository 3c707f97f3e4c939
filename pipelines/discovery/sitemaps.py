"""Links of sitemaps: XML, indexes, plain text, and feeds that serve as one (https://www.sitemaps.org/protocol.html)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from pipelines.decoding import decode
from pipelines.discovery.feeds import text_feed_links
from pipelines.discovery.links import unique_links
from pipelines.discovery.scope import scope_of
from pipelines.discovery.xml_records import XmlRecords, local_name, root_of
from pipelines.urls import parse
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from pipelines.urls import Address
    from storage.records import Link, SiteModel

MAX_ENTRIES = 50_000
"""The protocol's own limit for a file."""
MAX_BYTES = 50 * 2**20
"""The protocol's own limit for a file, unpacked."""
_LINE = re.compile(r"^[ \t\ufeff]*(https?://\S+)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap named. ``broken`` tells that it was not well-formed, or no sitemap, so that there may be more."""

    links: tuple[Link, ...]
    broken: bool = False


def sitemap_links(body: bytes, url: str, model: SiteModel) -> tuple[Link, ...]:
    """Return the links of a sitemap, as `read_sitemap` does, broken or not."""
    return read_sitemap(body, url, model).links


def read_sitemap(body: bytes, url: str, model: SiteModel) -> Sitemap:
    """Read an unpacked sitemap: its pages in scope, or the sitemaps an index names on the site's hosts, once each.

    At most `MAX_ENTRIES` entries of the first `MAX_BYTES` are read. How deep indexes may nest is the caller's to bound.
    """
    text = decode(body[:MAX_BYTES]).text
    root = root_of(text)
    if root == "sitemapindex":
        return _read_index(text, url, model)
    if root == "urlset":
        records = XmlRecords(text, frozenset({"url"}))
        return Sitemap(_pages(_locations(records), url, model), records.broken)
    if root is not None:
        return Sitemap(text_feed_links(text, url, model))
    if text.lstrip().startswith("<"):
        return Sitemap((), broken=True)
    return Sitemap(_pages((line[1] for line in _LINE.finditer(text)), url, model))


def _read_index(text: str, url: str, model: SiteModel) -> Sitemap:
    records, scope = XmlRecords(text, frozenset({"sitemap"})), scope_of(model)
    addresses = (address for address in _addresses(_locations(records), url) if scope.has_host(address.host))
    return Sitemap(unique_links(addresses, Kind.SITEMAP, parse(url)), records.broken)


def _pages(locations: Iterable[str], url: str, model: SiteModel) -> tuple[Link, ...]:
    scope = scope_of(model)
    return unique_links((address for address in _addresses(locations, url) if scope.has(address)), Kind.PAGE)


def _addresses(locations: Iterable[str], url: str) -> Iterator[Address]:
    """Yield the addresses of absolute locations (the protocol knows no others) and of those that begin with a slash."""
    for location in islice(locations, MAX_ENTRIES):
        address = parse(location, url if location.startswith("/") else None)
        if address is not None:
            yield address


def _locations(records: Iterable[etree._Element]) -> Iterator[str]:
    for record in records:
        for child in record:
            if local_name(child) == "loc" and not _is_media(child):
                yield (child.text or "").strip().replace("&amp;", "&")
                break


def _is_media(element: etree._Element) -> bool:
    """Tell image:loc and video:loc, which stand in the record itself when it is written badly, from the page's loc."""
    return "image" in str(element.tag) or "video" in str(element.tag)
