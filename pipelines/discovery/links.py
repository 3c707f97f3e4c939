"""The links of a page that lead on within its site, and where a redirect leads."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from pipelines.discovery.scope import scope_of
from pipelines.tree import parse_tree
from pipelines.urls import parse
from storage.records import Kind, Link

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from selectolax.lexbor import LexborHTMLParser

    from pipelines.discovery.scope import Scope
    from pipelines.urls import Address
    from storage.records import Capture, SiteModel

MAX_LINKS = 2000
"""Most links taken from one page, in document order."""
_MAX_REFERENCES = 20_000
_MAX_REFRESH_SECONDS = 60
_MAX_REFRESHES = 20
_REFRESH = re.compile(
    r"\s*+(\d{0,9}+)[\d.]*+[\s;,]++(?:url\s*+=\s*+)?(?:\"([^\"]*)|'([^']*)|([^\"'\s].*))", re.IGNORECASE | re.DOTALL
)


def page_links(page: str | LexborHTMLParser, url: str, model: SiteModel) -> tuple[Link, ...]:
    """Return the links of a page that are in scope, once each, in document order, at most `MAX_LINKS`.

    ``url`` is the address the page came from. ``<base>`` is honoured where it is http(s). The target of a meta refresh
    comes first, as a redirect. Links marked ``nofollow``, one by one or all by the robots meta tag, are left out.
    """
    tree = parse_tree(page) if isinstance(page, str) else page
    own, scope, base = parse(url), scope_of(model), base_of(tree, url)
    refresh = _refresh_target(tree, base)
    targets = [refresh] if refresh and scope.may_lead_to(refresh) else []
    redirects = unique_links(targets, Kind.PAGE, own, redirect=True)
    if _robots_nofollow(tree):
        return redirects
    found = _in_scope(_references(tree), base, scope)
    return redirects + unique_links(islice(found, MAX_LINKS * 4), Kind.PAGE, own)[:MAX_LINKS]


def redirect_link(capture: Capture, location: str, model: SiteModel) -> Link | None:
    """Return where a redirect leads, expected to hold what was asked for; None when it leads nowhere or off the site.

    ``location`` is the header's value, read as latin-1: octets that are UTF-8 are taken for it, as browsers do.
    """
    try:
        reference = location.encode("latin-1").decode("utf-8")
    except UnicodeError:
        reference = location
    target, scope = parse(reference, capture.url), scope_of(model)
    if target is None or target == parse(capture.url):
        return None
    page = capture.kind is Kind.PAGE
    followed = scope.may_lead_to(target) if page else scope.has_host(target.host)
    return link_to(target, capture.kind, redirect=True) if followed else None


def link_to(address: Address, kind: Kind, *, redirect: bool = False, dated: str | None = None) -> Link:
    """Return the link to an address."""
    return Link(address.canonical, address.fetchable, address.host, kind, redirect, dated)


def unique_links(
    addresses: Iterable[Address], kind: Kind, own: Address | None = None, *, redirect: bool = False
) -> tuple[Link, ...]:
    """Return links to the addresses, the first of each canonical form, without the page's own."""
    links: dict[str, Link] = {}
    for address in addresses:
        link = link_to(address, kind, redirect=redirect)
        links.setdefault(link.url, link)
    if own is not None:
        links.pop(own.canonical, None)
    return tuple(links.values())


def _in_scope(references: Iterable[str], base: str, scope: Scope) -> Iterator[Address]:
    for reference in references:
        address = parse(reference, base)
        if address is not None and scope.has(address):
            yield address


def _references(tree: LexborHTMLParser) -> list[str]:
    """Return the distinct href values of the page that may be followed, without their fragments."""
    found: dict[str, None] = {}
    for node in islice(tree.css("a[href], area[href]"), _MAX_REFERENCES):
        attributes = node.attributes
        reference = (attributes.get("href") or "").partition("#")[0]
        if reference and "nofollow" not in (attributes.get("rel") or "").lower() and "download" not in attributes:
            found[reference] = None
    return list(found)


def base_of(tree: LexborHTMLParser, url: str) -> str:
    """Return what the references of a page are relative to: its ``<base>`` where that is http(s), else its address."""
    node = tree.css_first("base[href]")
    address = parse(node.attributes.get("href") or "", url) if node else None
    return address.fetchable if address else url


def _robots_nofollow(tree: LexborHTMLParser) -> bool:
    contents = (node.attributes.get("content") or "" for node in tree.css('meta[name="robots" i]'))
    return any(re.search(r"\b(?:nofollow|none)\b", content.lower()) for content in contents)


def _refresh_target(tree: LexborHTMLParser, base: str) -> Address | None:
    """Return where the page sends its reader by itself within a minute; what stands in noscript is not for readers."""
    for node in tree.css('meta[http-equiv="refresh" i]')[:_MAX_REFRESHES]:
        match = _REFRESH.match((node.attributes.get("content") or "")[:4000])
        inside = node.parent.tag if node.parent else ""
        if match and inside != "noscript" and int(match[1] or 0) <= _MAX_REFRESH_SECONDS:
            return parse(match[2] or match[3] or match[4] or "", base)
    return None
