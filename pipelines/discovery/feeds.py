"""Links of RSS, Atom, RDF and JSON feeds."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING

from pipelines.decoding import decode
from pipelines.discovery.links import unique_links
from pipelines.discovery.scope import scope_of
from pipelines.discovery.xml_records import XmlRecords, local_name, root_of
from pipelines.sniff import charset_of
from pipelines.urls import parse
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from pipelines.urls import Address
    from storage.records import Link, SiteModel

MAX_ENTRIES = 5000
MAX_BYTES = 16 * 2**20
_ROOTS = frozenset({"rss", "feed", "rdf"})
_ENTRIES = frozenset({"item", "entry"})


def feed_links(body: bytes, url: str, model: SiteModel, content_type: str | None = None) -> tuple[Link, ...]:
    """Return the pages a feed names that are in scope, once each, in its order, from its first `MAX_ENTRIES` entries.

    ``body`` is unpacked; beyond `MAX_BYTES` it is not read. What is no feed, or broken beyond reading, gives nothing.
    """
    return text_feed_links(decode(body[:MAX_BYTES], charset_of(content_type)).text, url, model)


def text_feed_links(text: str, url: str, model: SiteModel) -> tuple[Link, ...]:
    """Return the links of a decoded feed, as `feed_links` does."""
    entries = _xml_entries(text, url) if root_of(text) in _ROOTS else _json_entries(text, url)
    scope = scope_of(model)
    wanted = (address for address in islice(entries, MAX_ENTRIES) if address and scope.has(address))
    return unique_links(wanted, Kind.PAGE)


def _xml_entries(text: str, url: str) -> Iterator[Address | None]:
    for entry in XmlRecords(text, _ENTRIES):
        base = _base(entry, url)
        # Markup left open in a description swallows the elements after it: then any descendant will do.
        below = (element for element in entry.iterdescendants() if local_name(element.getparent()) != "source")
        stated = _references(entry, entry) or _references(entry, below)
        references = (parse(reference, base) for reference in stated)
        yield next((address for address in references if address), None)


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
            if child.get("rel", "alternate").lower() == "alternate":
                found.setdefault("html" if "html" in child.get("type", "") else "link", href)
        elif name in {"link", "origlink"} or (name == "guid" and _is_permalink(child, text)):
            found.setdefault(name, text)
    about = next((str(value) for key, value in entry.attrib.items() if str(key).endswith("about")), "")
    ordered = [found.get(name) for name in ("origlink", "html", "link", "guid")]
    return [reference for reference in (*ordered, about) if reference]


def _is_permalink(guid: etree._Element, text: str) -> bool:
    return guid.get("isPermaLink", "true").lower() != "false" and ("://" in text or text.startswith("/"))


def _json_entries(text: str, url: str) -> Iterator[Address | None]:
    """Yield the addresses of a JSON Feed (https://www.jsonfeed.org/version/1.1/)."""
    try:
        feed = json.loads(text) if text.lstrip("\ufeff \t\r\n").startswith("{") else None
    except (ValueError, RecursionError):
        return
    items = feed.get("items") if isinstance(feed, dict) else None
    for item in items if isinstance(items, list) else []:
        reference = _json_reference(item) if isinstance(item, dict) else None
        yield parse(reference, url) if reference else None


def _json_reference(item: dict[str, object]) -> str | None:
    """Return the ``url`` of an item, or its ``id`` when that is an address."""
    address, identifier = item.get("url"), item.get("id")
    if isinstance(address, str) and address:
        return address
    return identifier if isinstance(identifier, str) and "://" in identifier else None
