"""Read the links of RSS, Atom, RDF and JSON feeds, with their dates.

Feeds without entries for this reader are read by feedparser; see `pipelines.discovery.malformed_feeds`.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pipelines.decoding.decode import decode
from pipelines.discovery.feed_entries import FeedEntry, entry_links, stated_date
from pipelines.discovery.malformed_feeds import second_reading
from pipelines.discovery.scope import scope_of
from pipelines.discovery.xml_scanner import XmlRecords, local_name, root_of
from pipelines.urls.url import parse
from storage.bytes.mime import charset_of
from storage.records import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from pipelines.discovery.scope import Scope
    from pipelines.urls.url import Address
    from storage.records import Link, SiteModel

MAX_ENTRIES = 5000
MAX_BYTES = 16 * 2**20
"""Bytes of an unpacked feed that are read."""
_ROOTS = frozenset({"rss", "feed", "rdf"})
_ENTRIES = frozenset({"item", "entry"})
_PUBLISHED = ("pubdate", "published", "issued", "date", "created")
_CHANGED = ("updated", "modified")
_LINE_END = re.compile(r"\s*[\r\n]\s*")
_IN_QUERY = re.compile(r"=(https?(?::|%3A)[^&]+)", re.IGNORECASE)
"""A URL as the value of a parameter."""


def feed_links(
    body: bytes, url: str, model: SiteModel, content_type: str | None = None, *, now: datetime | None = None
) -> tuple[Link, ...]:
    """Return the pages in scope that a feed names, each once, in its order, from its first `MAX_ENTRIES` entries.

    Args:
        body: the unpacked feed. It is not read beyond `MAX_BYTES`.
        url: the URL of the feed.
        model: the rules of the site.
        content_type: the Content-Type header.
        now: time of the fetch. Later dates are rejected.

    Returns:
        The links. Empty if the body is no feed, or unreadable.
    """
    return text_feed_links(decode(body[:MAX_BYTES], charset_of(content_type)).text, url, model, now)


def text_feed_links(text: str, url: str, model: SiteModel, now: datetime | None) -> tuple[Link, ...]:
    """Return the links of a decoded feed, as `feed_links` does."""
    scope, now = scope_of(model), now or datetime.now(UTC)
    first = (_xml_entries if root_of(text) in _ROOTS else _json_entries)(text, (url, now), scope)
    entries = _some(first) or _some(second_reading(text, url, now))
    return entry_links((entry for entry in entries if scope.has(entry.address)), Kind.PAGE, parse(url))


def _some(entries: Iterator[FeedEntry | None]) -> list[FeedEntry]:
    return [entry for entry in islice(entries, MAX_ENTRIES) if entry]


def _xml_entries(text: str, origin: tuple[str, datetime], scope: Scope) -> Iterator[FeedEntry | None]:
    url, now = origin
    for entry in XmlRecords(text, _ENTRIES):
        # The base is xml:base if it is usable.
        stated_base = parse(entry.base, url) if entry.base else None
        base = stated_base.fetchable if stated_base else url
        # Open markup in a description contains the elements after it. Then every descendant counts.
        below = [element for element in entry.iterdescendants() if local_name(element.getparent()) != "source"]
        stated = _references(entry, entry) or _references(entry, below)
        address = _chosen(stated, base, scope)
        dates = _dates(entry) or _dates(below)
        yield FeedEntry(address, stated_date(dates, now)) if address else None


def _chosen(stated: Iterable[str], base: str, scope: Scope) -> Address | None:
    """Return the first URL that is a page of the site. Some feeds link to a counter, and only the guid to the page.

    Another counter has the URL of the page in its query.
    """
    addresses = [found for reference in stated if (found := parse(scope.completed(reference), base))]
    inner = (parse(unquote(match[1])) for one in addresses for match in _IN_QUERY.finditer(one.query))
    here = (one for one in (*addresses, *inner) if one and scope.has(one))
    return next(here, addresses[0] if addresses else None)


def _dates(elements: Iterable[etree._Element]) -> list[str]:
    """Return the texts of the elements with a date, that of publication first."""
    found: dict[str, str] = {}
    for element in elements:
        found.setdefault(local_name(element), (element.text or "").strip())
    return [text for name in (*_PUBLISHED, *_CHANGED) if (text := found.get(name))]


def _references(entry: etree._Element, elements: Iterable[etree._Element]) -> list[str]:
    """Return the possible URLs of an entry's page, likeliest first.

    FeedBurner adds its counting redirect to the original link. A guid is a URL unless it says otherwise (RSS 2.0), and
    even then it may be one. rdf:about is the URL of the item in RSS 1.0. Some Atom feeds have no other link than
    ``self`` or the source of the content.
    """
    found: dict[str, str] = {}
    for child in elements:
        name = local_name(child)
        text = _LINE_END.sub("", (child.text or "").strip()).replace("&amp;", "&")
        if name == "link" and (href := child.get("href")):
            # The relation may be several words, or the URL of one (RFC 8288, 3.3).
            relations = child.get("rel", "alternate").lower().replace("/", " ").split()
            if "alternate" in relations:
                found.setdefault("html" if "html" in child.get("type", "") else "link", href)
            elif "self" in relations:
                found.setdefault("self", href)
        elif name == "content" and (source := child.get("src")):
            found.setdefault("source", source)
        elif text and name in {"link", "origlink"}:
            found.setdefault(name, text)
        elif name == "guid" and ("://" in text or text.startswith("/")):
            is_link = (child.get("isPermaLink") or child.get("ispermalink", "true")).lower() != "false"
            if is_link or "://" in text:
                found.setdefault("guid" if is_link else "identifier", text)
    # Names only: lxml searches each value from the first attribute on.
    named = next((name for name in map(str, entry.keys()) if name.endswith("about")), None)
    about = entry.get(named, "") if named else ""
    ordered = [found.get(name) for name in ("origlink", "html", "link", "guid")]
    last = [found.get(name) for name in ("identifier", "self", "source")]
    return list(dict.fromkeys(reference for reference in (*ordered, about, *last) if reference))


def _json_entries(text: str, origin: tuple[str, datetime], scope: Scope) -> Iterator[FeedEntry | None]:
    """Yield the entries of a JSON Feed (https://www.jsonfeed.org/version/1.1/)."""
    url, now = origin
    try:
        feed = json.loads(text) if text.lstrip("\ufeff \t\r\n").startswith("{") else None
    except (ValueError, RecursionError):
        return
    items = feed.get("items") if isinstance(feed, dict) else None
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, dict):
            continue
        # The id may be a URL.
        identifier = item.get("id") if "://" in str(item.get("id")) else None
        stated = (item.get("url"), item.get("external_url"), identifier)
        address = _chosen([each for each in stated if isinstance(each, str) and each], url, scope)
        dates = [date for key in ("date_published", "date_modified") if isinstance(date := item.get(key), str)]
        yield FeedEntry(address, stated_date(dates, now)) if address else None
