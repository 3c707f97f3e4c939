"""Read malformed feeds with feedparser, if `pipelines.discovery.feeds` finds no entry.

These are old and rare formats (CDF, a channel without `rss` around it), and feeds with a damaged or late root element.

- feedparser is the second reader, because it finds fewer links: 713 of 1,486 in 30 real feeds damaged in 60 ways. The
  first reader finds 892.
- It takes some 50 microseconds for each tag, and its time is quadratic in the attributes of a tag. Both are limited:
  2 MB of nested elements take one second instead of 17.
- It gets a stream of bytes without the document type, so that no file, URL or entity can be named.
- An exception on malformed input (KeyError among others) ends the reading.
- A URL that is cut at the end of the document is dropped.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any
from xml.sax import SAXException

from pipelines.discovery.feed_entries import FeedEntry, stated_date
from pipelines.urls.url import parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

MAX_CHARS = 2**20
"""Characters of a feed. A longer one is not read."""
MAX_TAGS = 20_000
"""Tags of a feed. One with more is not read."""
MAX_ATTRIBUTES = 1000
"""Equals signs between two tags. A feed with more is not read."""
_START = re.compile(r"<(?:[\w.-]{1,30}:)?(?:rss|feed|rdf|channel|item|entry)(?=[\s/>])", re.IGNORECASE)
_RECORD = re.compile(r"<(?:[\w.-]{1,30}:)?(?:item|entry)(?=[\s/>])", re.IGNORECASE)
_ADDRESSES = ("feedburner_origlink", "link")
_DATES = ("published", "created", "updated")
_CUT = "\ue000"
_FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


def second_reading(text: str, url: str, now: datetime) -> Iterator[FeedEntry]:
    """Yield the entries of a decoded feed at ``url``, with their dates not after ``now``.

    A feed without `item` or `entry` has none, and one over `MAX_CHARS`, `MAX_TAGS` or `MAX_ATTRIBUTES`.
    """
    start = _START.search(text)
    if start is None or len(text) > MAX_CHARS or text.count("<") > MAX_TAGS or not _RECORD.search(text):
        return
    if any(tag.count("=") > MAX_ATTRIBUTES for tag in text.split("<")):
        return
    feed = text[start.start() :].replace(_CUT, "")
    for entry in _entries(feed if feed.rstrip().endswith(">") else feed + _CUT, url):
        address = next((found for stated in _texts(entry, _ADDRESSES) if (found := parse(stated, url))), None)
        if address:
            yield FeedEntry(address, stated_date(_texts(entry, _DATES), now))


def _texts(entry: dict[str, Any], keys: tuple[str, ...]) -> list[str]:
    """Return the values of an entry for these keys. Its own look-up replaces some keys by others."""
    values = (dict.get(entry, key) for key in keys)
    return [value for value in values if isinstance(value, str) and value and _CUT not in value]


def _entries(text: str, url: str) -> list[dict[str, Any]]:
    import feedparser

    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    stream = io.BytesIO(text.encode("utf-8", "replace"))
    try:
        return list(
            feedparser.parse(stream, response_headers=headers, sanitize_html=False, resolve_relative_uris=False).entries
        )
    except (*_FAULTS, SAXException):
        return []
