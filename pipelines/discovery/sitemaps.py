"""Read sitemaps: XML, indexes, plain text, and feeds used as one (https://www.sitemaps.org/protocol.html).

The date of a page is the publication date of the news extension
(https://www.google.com/schemas/sitemap-news/0.9/sitemap-news.xsd), else ``lastmod``. That of a sitemap in an index is
``lastmod``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from pipelines.decoding.decode import decode
from pipelines.discovery.feed_entries import FeedEntry, entry_links, stated_date
from pipelines.discovery.feeds import text_feed_links
from pipelines.discovery.scope import scope_of
from pipelines.discovery.xml_scanner import XmlRecords, local_name, root_of
from pipelines.language.detectors import standard
from pipelines.urls.url import parse
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from storage.records import Link, SiteModel

MAX_ENTRIES = 50_000
"""Entries. The protocol's limit for a file."""
MAX_BYTES = 50 * 2**20
"""Bytes. The protocol's limit for an unpacked file."""
MOST_AT_ONCE = 50
"""Sitemaps of an index that are read before the pages of their host. There may be one for each day of thirty years."""
LATER_RANK = -1
"""Rank of the other sitemaps."""
_BARE = re.compile(
    r"""(?:>\s*(?:<!\[CDATA\[\s*)?|\b(?:loc|href|url)\s*=\s*["'])(https?://[^\s<>"'\]]+)(?=\s*["'<\]])""", re.IGNORECASE
)
"""An address as the whole text of an element, or as an attribute that names one."""
_NOT_READ = re.compile(r"<\?.*?\?>|<!--.*?-->", re.DOTALL)
_NESTED = re.compile(r"<(?:[\w.-]{1,30}:)?urlset[^>]*>\s*<(?:[\w.-]{1,30}:)?sitemap[\s>]", re.IGNORECASE)
"""An index that calls itself a list of pages."""
_LISTED_ADDRESS = re.compile(r"^[ \t\ufeff]*(https?://\S+)(?:[ \t].*)?$", re.IGNORECASE | re.MULTILINE)
"""A line of a plain list: an address, and perhaps a date or a comment."""
_RELATIVE = re.compile(r"[^\s:]*[/.?][^\s:]*")
"""A path without a host."""
_LISTS = re.compile(r"sitemap[^/]*$|\.xml(?:\.gz)?$", re.IGNORECASE)
"""End of the URL of a sitemap."""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """Links of a sitemap.

    If ``broken``, it was not well-formed, an index that names no address, a list whose entries are no addresses, or no
    sitemap. There may be more links.
    """

    links: tuple[Link, ...]
    broken: bool = False


def read_sitemap(body: bytes, url: str, model: SiteModel, now: datetime | None = None) -> Sitemap:
    """Read an unpacked sitemap: its pages in scope, or an index's sitemaps on the site's hosts, each once.

    At most `MAX_ENTRIES` entries of the first `MAX_BYTES` are read. ``now`` is the time of the fetch; later dates are
    rejected. The caller limits the nesting of indexes. Translations of a page (``xhtml:link`` with ``hreflang``) count
    as pages if the model names their language.
    """
    text, now = decode(body[:MAX_BYTES]).text, now or datetime.now(UTC)
    root = root_of(text)
    if root == "sitemapindex" or (root == "urlset" and _NESTED.search(text)):
        return _read_index(text, (url, now), model)
    if root == "urlset":
        records = XmlRecords(text, frozenset({"url"}))
        listed = list(islice(_listed(records, frozenset(model.languages)), MAX_ENTRIES))
        entries = _entries(listed, (url, now), model)
        if entries and all(_LISTS.search(f"{each.address.path}{each.address.query}") for each in entries):
            return Sitemap(_sitemaps(entries, url, model), records.broken)
        return Sitemap(_pages(entries, url, model), records.broken or bool(listed and not entries))
    if root is not None:
        return Sitemap(text_feed_links(text, url, model, now))
    if text.lstrip().startswith("<"):
        return Sitemap((), broken=True)
    lines = islice(_LISTED_ADDRESS.finditer(text.replace("\r", "\n")), MAX_ENTRIES)
    return Sitemap(_pages(_entries([(line[1], ()) for line in lines], (url, now), model), url, model))


def _read_index(text: str, origin: tuple[str, datetime], model: SiteModel) -> Sitemap:
    """Read an index. Of one without ``<loc>`` elements, read the addresses where they are, or report it as broken."""
    records = XmlRecords(text, frozenset({"sitemap", "url"}))
    listed: list[_Listed] = list(islice(_listed(records, frozenset()), MAX_ENTRIES))
    if not listed:
        bare = _NOT_READ.sub("", text)
        listed = [(match[1].replace("&amp;", "&"), ()) for match in islice(_BARE.finditer(bare), MAX_ENTRIES)]
    entries = _entries(listed, origin, model)
    return Sitemap(_sitemaps(entries, origin[0], model), records.broken or not entries)


_Listed = tuple[str, tuple[str, ...]]
"""A location and the texts that may be its date, likeliest first."""


def _sitemaps(entries: Iterable[FeedEntry], url: str, model: SiteModel) -> tuple[Link, ...]:
    scope = scope_of(model)
    links = entry_links((entry for entry in entries if scope.has_host(entry.address.host)), Kind.SITEMAP, parse(url))
    # All but the newest get a lower rank. Of those with equal dates, or none, the middle does: an index may begin with
    # the oldest or with the newest.
    last = len(links) - 1
    places = sorted(range(len(links)), key=lambda at: (links[at].dated or "", -min(at, last - at)), reverse=True)
    later = frozenset(places[MOST_AT_ONCE:])
    return tuple(replace(link, rank=LATER_RANK) if at in later else link for at, link in enumerate(links))


def _pages(entries: Iterable[FeedEntry], url: str, model: SiteModel) -> tuple[Link, ...]:
    scope = scope_of(model)
    return entry_links((entry for entry in entries if scope.has(entry.address)), Kind.PAGE, parse(url))


def _entries(listed: Iterable[_Listed], origin: tuple[str, datetime], model: SiteModel) -> list[FeedEntry]:
    """Return entries for locations. The protocol allows absolute ones only, but some are paths or have no scheme."""
    (url, now), scope = origin, scope_of(model)
    named = ((scope.completed(location), dates) for location, dates in listed)
    found = ((parse(each, url if _RELATIVE.fullmatch(each) else None), dates) for each, dates in named)
    return [FeedEntry(address, stated_date(dates, now)) for address, dates in found if address is not None]


def _listed(records: Iterable[etree._Element], languages: frozenset[str]) -> Iterator[_Listed]:
    for record in records:
        location, dates = "", {}
        for child in record:
            name = local_name(child)
            # In badly written records image:loc and video:loc are beside the page's loc.
            media = "image" in str(child.tag) or "video" in str(child.tag)
            if name == "loc" and not location and not media:
                location = (child.text or "").strip().replace("&amp;", "&")
            elif name == "lastmod":
                dates["lastmod"] = (child.text or "").strip()
            elif name == "news":
                texts = ((each.text or "").strip() for each in child if local_name(each) == "publication_date")
                dates["news"] = next(texts, "")
        stated = tuple(text for key in ("news", "lastmod") if (text := dates.get(key)))
        if location:
            yield location, stated
        yield from ((alternate, stated) for alternate in _alternates(record, languages))


def _alternates(record: etree._Element, languages: frozenset[str]) -> Iterator[str]:
    """Yield the URLs of a page in other languages that the model names."""
    for child in record if languages else ():
        translated = local_name(child) == "link" and child.get("rel", "").lower() == "alternate"
        if translated and standard(child.get("hreflang", "").partition("-")[0].strip(), "") in languages:
            yield child.get("href", "").strip()
