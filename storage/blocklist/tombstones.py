"""Blocklist of removed pages, domains and authors, so that they do not come back.

- Page: its address without scheme and without ``www.``, ``m.`` and the like, so that no spelling comes back. A second,
looser key covers forms that few servers distinguish.
- Domain: the domain with everything below it.
- Author: a hash, so that the corpus does not keep the name.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

import sqlalchemy as sa

from storage.blocklist.author_keys import author_keys
from storage.database.schema import original, tombstone, url
from storage.database.transactions import among, chunks, insert_many, upsert
from storage.reasons import REMOVED
from storage.records import Lease, UrlState

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sqlalchemy.engine import Connection


PAGE, DOMAIN, AUTHOR = "page", "domain", "author"

LABELS = ("www.", "m.", "mobile.", "amp.", "wap.")
_SPELLING = re.compile(r"^https?://(?:(?:www|m|mobile|amp|wap)\.(?=[^./]+\.))?", re.IGNORECASE)
_SLASHES = re.compile("/{2,}")
_NUMBERED = re.compile(r"^www?\d{1,2}\.(?=[^./]+\.)")
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp)$")
_PLAIN = re.compile(r"[A-Za-z0-9._~/:=-]*")
_ENCODINGS = 3
"""Number of nested percent-encodings that are decoded."""

REMOVED_URL: dict[str, Any] = {
    "state": UrlState.FAILED,
    "reason": REMOVED,
    "due_again": None,
    "leased_by": None,
    "lease_token": None,
}


def page_key(address: str) -> str:
    """Return what all spellings of an address have in common.

    >>> page_key("http://www.news.example/a?b=1"), page_key("https://m.news.example/a?b=1")
    ('news.example/a?b=1', 'news.example/a?b=1')
    """
    return _SPELLING.sub("", address, count=1)


def loose_key(address: str) -> str:
    """Return a key that is the same for all addresses that hardly any server tells apart.

    Beside what `page_key` passes over, these make no difference: the order of parameters, doubled slashes, a slash or
    the name of an index (``index.html``) at the end of the path, capital letters, the Unicode form, percent-encoding
    done twice, and hosts such as ``www2``.

    >>> loose_key("https://www2.news.example//A/?c=2&b=1") == loose_key("http://news.example/a?b=1&c=2")
    True
    """
    path, _, query = _NUMBERED.sub("", page_key(address), count=1).partition("?")
    plain = _INDEX.sub("", _SLASHES.sub("/", _folded(path))).rstrip("/")
    return f"{plain}?{'&'.join(sorted(map(_folded, query.split('&'))))}"


def _folded(part: str) -> str:
    if _PLAIN.fullmatch(part):
        return part.lower()
    for _ in range(_ENCODINGS):
        part = unquote(part, errors="surrogateescape")
    return quote(unicodedata.normalize("NFC", part.casefold()), "/:=", errors="surrogateescape")


def spellings(address: str) -> list[str]:
    """Return the canonical URLs with the page key of an address."""
    key = page_key(address)
    return [f"{scheme}://{label}{key}" for scheme in ("https", "http") for label in ("", *LABELS)]


def domains_of(address: str) -> list[str]:
    """Return the host of a URL and every domain above it.

    >>> domains_of("https://a.news.example:8080/x")
    ['a.news.example', 'news.example', 'example']
    """
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return []
    if ":" in host:
        return [f"[{host}]"]
    labels = host.split(".")
    return [".".join(labels[at:]) for at in range(len(labels))] if host else []


def refused(connection: Connection, addresses: Iterable[str]) -> set[str]:
    """Return the URLs that are blocked: they must not be fetched or stored."""
    wanted = set(addresses)
    if not wanted or connection.execute(sa.select(tombstone.c.kind).limit(1)).first() is None:
        return set()
    keys = {address: {page_key(address), loose_key(address)} for address in wanted}
    above = {address: domains_of(address) for address in wanted}
    pages = standing(connection, PAGE, {key for both in keys.values() for key in both})
    domains = standing(connection, DOMAIN, {domain for every in above.values() for domain in every})
    return {
        address for address in wanted if not pages.isdisjoint(keys[address]) or not domains.isdisjoint(above[address])
    }


@dataclass(frozen=True, slots=True)
class Blocklist:
    """All blocked pages (keys), domains and authors (hashes) of a corpus, for pages that no database sees."""

    pages: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    authors: frozenset[str] = frozenset()

    def has_address(self, address: str) -> bool:
        """Return whether an address is blocked."""
        if self.pages and not self.pages.isdisjoint((page_key(address), loose_key(address))):
            return True
        return bool(self.domains) and not self.domains.isdisjoint(domains_of(address))

    def has_author(self, author: str | None) -> bool:
        """Return whether one of the authors that a page states is blocked."""
        return bool(self.authors and author) and not self.authors.isdisjoint(author_keys(author))


def blocklist(connection: Connection) -> Blocklist:
    """Read the whole blocklist."""
    values: dict[str, set[str]] = {PAGE: set(), DOMAIN: set(), AUTHOR: set()}
    for kind, value in connection.execute(sa.select(tombstone.c.kind, tombstone.c.value)):
        values[kind].add(value)
    return Blocklist(*map(frozenset, values.values()))


def standing(connection: Connection, kind: str, values: Collection[str]) -> set[str]:
    """Return the pages, domains or author hashes that have a tombstone."""
    found: set[str] = set()
    statement = sa.select(tombstone.c.value).where(tombstone.c.kind == kind)
    for part in chunks(sorted(values)):
        found.update(connection.execute(statement.where(among(connection, tombstone.c.value, part))).scalars())
    return found


def allowed_leases(connection: Connection, leases: Sequence[Lease]) -> list[Lease]:
    """Return the leases that may be fetched. Mark the URLs of the others as removed."""
    away = refused(connection, (lease.url for lease in leases))
    mark_removed(connection, [lease.url_id for lease in leases if lease.url in away])
    return [lease for lease in leases if lease.url not in away]


def mark_removed(connection: Connection, url_ids: Collection[int]) -> None:
    """Mark URLs as removed: no fetches, no conditional requests."""
    for part in chunks(sorted(url_ids)):
        connection.execute(sa.delete(original).where(original.c.url_id.in_(part)))
        connection.execute(sa.update(url).where(url.c.id.in_(part)).values(REMOVED_URL))


def add_tombstones(connection: Connection, removal_id: int, stones: Iterable[tuple[str, str]]) -> None:
    """Add tombstones, as (kind, value). Existing ones stay."""
    rows = [{"kind": kind, "value": value, "removal_id": removal_id} for kind, value in sorted(set(stones))]
    insert_many(connection, upsert(connection, tombstone).on_conflict_do_nothing(), rows)
