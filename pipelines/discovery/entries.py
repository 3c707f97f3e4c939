"""What feeds and sitemaps list: an address and, where it is stated, its date."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from pipelines.dates import parse_date
from pipelines.discovery.links import link_to

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.urls import Address
    from storage.records import Kind, Link

_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)", re.ASCII)
MAX_DATE = 100
"""Longest text that may be a date, in characters: to look for one in longer ones 50 000 times takes a worker's time."""
_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)


class Entry(NamedTuple):
    """A page or a sitemap that is listed; ``dated`` is ISO 8601 as :class:`storage.records.Link` has it."""

    address: Address
    dated: str | None = None


def entry_links(entries: Iterable[Entry], kind: Kind, own: Address | None = None) -> tuple[Link, ...]:
    """Return links to the entries, the first of each canonical form, without the list's own address."""
    links: dict[str, Link] = {}
    for address, dated in entries:
        link = link_to(address, kind, dated=dated)
        links.setdefault(link.url, link)
    if own is not None:
        links.pop(own.canonical, None)
    return tuple(links.values())


def stated_date(texts: Iterable[str], now: datetime) -> str | None:
    """Return the first of these texts that is a date, not after ``now``; None when none is.

    Times as sitemaps and Atom write them (RFC 3339) are read without the search that other forms need, which is ten
    times slower: a sitemap may hold 50 000.
    """
    for text in texts:
        if len(text) > MAX_DATE:
            continue
        found = _moment(text, now) if _ISO_TIME.fullmatch(text) else parse_date(text, now)
        if found is not None:
            return found
    return None


def _moment(text: str, now: datetime) -> str | None:
    try:
        moment = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    if not (moment.hour or moment.minute or moment.second) or not _EARLIEST <= moment <= now:
        return parse_date(text, now)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
