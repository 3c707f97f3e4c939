"""Links of RSS, Atom, RDF and JSON feeds, with their dates.

What has none that this reader finds is read a second time, by feedparser; see `pipelines.discovery.second_reading`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from pipelines.decoding import decode
from pipelines.discovery.entries import Entry, entry_links, stated_date
from pipelines.discovery.scope import scope_of
from pipelines.discovery.second_reading import second_reading
from pipelines.discovery.xml_records import XmlRecords, local_name, root_of
from pipelines.urls import parse
from storage.bytes.mime import charset_of
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from pipelines.discovery.scope import Scope
    from pipelines.urls import Address
    from storage.records import Link, SiteModel

MAX_ENTRIES = 5000
MAX_BYTES = 16 * 2**20
_ROOTS = frozenset({"rss", "feed", "rdf"})
_ENTRIES = frozenset({"item", "entry"})
_PUBLISHED = ("pubdate", "published", "issued", "date", "created")
_CHANGED = ("updated", "modified")


def feed_links(
    body: bytes, url: str, model: SiteModel, content_type: str | None = None, *, now: datetime | None = None
) -> tuple[Link, ...]:
    """Return the pages a feed names that are in scope, once each, in its order, from its first `MAX_ENTRIES` entries.

    ``body`` is unpacked; beyond `MAX_BYTES` it is not read. ``now`` is when it was fetched: dates after that are not
    believed. What is no feed, or broken beyond reading, gives nothing.
    """
    return text_feed_links(decode(body[:MAX_BYTES], charset_of(content_type)).text, url, model, now)


def text_feed_links(text: str, url: str, model: SiteModel, now: datetime | None = None) -> tuple[Link, ...]:
    """Return the links of a decoded feed, as `feed_links` does."""
    scope, now = scope_of(model), now or datetime.now(UTC)
    first = _xml_entries(text, (url, now), scope) if root_of(text) in _ROOTS else _json_entries(text, url, now)
    entries = _some(first) or _some(second_reading(text, url, now))
    return entry_links((entry for entry in entries if scope.has(entry.address)), Kind.PAGE)


def _some(entries: Iterator[Entry | None]) -> list[Entry]:
    return [entry for entry in islice(entries, MAX_ENTRIES) if entry]


def _xml_entries(text: str, origin: tuple[str, datetime], scope: Scope) -> Iterator[Entry | None]:
    url, now = origin
    for entry in XmlRecords(text, _ENTRIES):
        base = _base(entry, url)
        # Markup left open in a description swallows the elements after it: then any descendant will do.
        below = [element for element in entry.iterdescendants() if local_name(element.getparent()) != "source"]
        stated = _references(entry, entry) or _references(entry, below)
        address = _on_site([found for reference in stated if (found := parse(reference, base))], scope)
        dates = _dates(entry) or _dates(below)
        yield Entry(address, stated_date(dates, now)) if address else None


def _on_site(addresses: list[Address], scope: Scope) -> Address | None:
    """Return the first address on the site's hosts, else the first: some feeds link to a counter, the guid to the page.

    Whether the page is wanted is asked of that one alone.
    """
    return next((one for one in addresses if scope.has_host(one.host)), addresses[0] if addresses else None)


def _dates(elements: Iterable[etree._Element]) -> list[str]:
    """Return the texts of the elements that state a date, that of publication first."""
    found: dict[str, str] = {}
    for element in elements:
        found.setdefault(local_name(element), (element.text or "").strip())
    return [text for name in (*_PUBLISHED, *_CHANGED) if (text := found.get(name))]


def _base(entry: etree._Element, url: str) -> str:
    """Return the base of an entry's links: xml:base where it is usable, else the address of the feed."""
    stated = parse(entry.base, url) if entry.base else None
    return stated.fetchable if stated else url


def _references(entry: etree._Element, elements: Iterable[etree._Element]) -> list[str]:
    """Return what may be the address of the entry's page, likeliest first.

    A feed that was passed through FeedBurner names the original beside its own counting redirect. A guid is an address
    unless it says it is not (RSS 2.0); rdf:about is the item's address in RSS 1.0.
    """
    found: dict[str, str] = {}
    for child in elements:
        name = local_name(child)
        text = (child.text or "").strip().replace("&amp;", "&")
        if name == "link" and (href := child.get("href")):
            # Several words, or the address of one, are allowed, too (RFC 8288, 3.3).
            if "alternate" in child.get("rel", "alternate").lower().replace("/", " ").split():
                found.setdefault("html" if "html" in child.get("type", "") else "link", href)
        elif text and (name in {"link", "origlink"} or (name == "guid" and _is_permalink(child, text))):
            found.setdefault(name, text)
    # The names alone: lxml looks each value up from the first attribute on.
    named = next((name for name in map(str, entry.keys()) if name.endswith("about")), None)
    about = entry.get(named, "") if named else ""
    ordered = [found.get(name) for name in ("origlink", "html", "link", "guid")]
    return list(dict.fromkeys(reference for reference in (*ordered, about) if reference))


def _is_permalink(guid: etree._Element, text: str) -> bool:
    stated = guid.get("isPermaLink") or guid.get("ispermalink", "true")
    return stated.lower() != "false" and ("://" in text or text.startswith("/"))


def _json_entries(text: str, url: str, now: datetime) -> Iterator[Entry | None]:
    """Yield the addresses of a JSON Feed (https://www.jsonfeed.org/version/1.1/)."""
    try:
        feed = json.loads(text) if text.lstrip("\ufeff \t\r\n").startswith("{") else None
    except (ValueError, RecursionError):
        return
    items = feed.get("items") if isinstance(feed, dict) else None
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, dict):
            continue
        reference = _json_reference(item)
        address = parse(reference, url) if reference else None
        dates = [date for key in ("date_published", "date_modified") if isinstance(date := item.get(key), str)]
        yield Entry(address, stated_date(dates, now)) if address else None


def _json_reference(item: dict[str, object]) -> str | None:
    """Return the ``url`` of an item, or its ``id`` when that is an address."""
    address, identifier = item.get("url"), item.get("id")
    if isinstance(address, str) and address:
        return address
    return identifier if isinstance(identifier, str) and "://" in identifier else None
