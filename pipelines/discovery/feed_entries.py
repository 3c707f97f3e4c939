"""Entries of feeds and sitemaps: a URL and, if stated, its date."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from pipelines.discovery.links import link_to
from pipelines.metadata.dates.calendars import EARLIEST
from pipelines.metadata.publication_date import parse_date
from pipelines.urls.url import twin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.urls.url import Address
    from storage.records import Kind, Link

_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)", re.ASCII)
MAX_DATE = 100
"""Characters. A longer text is no date: searching 50,000 of them would take the time of a worker."""


class FeedEntry(NamedTuple):
    """A listed page or sitemap. ``dated`` is ISO 8601, as in :class:`storage.records.Link`."""

    address: Address
    dated: str | None = None


def entry_links(entries: Iterable[FeedEntry], kind: Kind, own: Address | None = None) -> tuple[Link, ...]:
    """Return links to the entries, one for each canonical URL, without the list itself.

    ``own`` is the URL of the list. Entries at a variant of its host may be known at its host.
    """
    links: dict[str, Link] = {}
    for address, dated in entries:
        link = link_to(address, kind, dated=dated, twin=twin(address, own) if own else None)
        links.setdefault(link.url, link)
    if own is not None:
        links.pop(own.canonical, None)
    return tuple(links.values())


def stated_date(texts: Iterable[str], now: datetime) -> str | None:
    """Return the first of these texts that is a date not after ``now``, or None.

    Times in the format of sitemaps and Atom (RFC 3339) take a tenth of the time of other formats. A sitemap may have
    50,000.
    """
    for text in texts:
        if len(text) > MAX_DATE:
            continue
        if _ISO_TIME.fullmatch(text):
            try:
                moment = datetime.fromisoformat(text).astimezone(UTC)
            except (ValueError, OverflowError):
                continue
            if (moment.hour or moment.minute or moment.second) and moment.date() >= EARLIEST and moment <= now:
                return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
        if (found := parse_date(text, now)) is not None:
            return found
    return None
