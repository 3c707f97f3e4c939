"""The links of a page that lead on within its site, and where a redirect leads."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from pipelines.directives import may_follow
from pipelines.discovery.scope import scope_of
from pipelines.spellings import is_secondary
from pipelines.tree import parse_tree, shown_text
from pipelines.urls import parse, redirect_target, twin
from storage.records import Kind, Link

if TYPE_CHECKING:
    from collections.abc import Iterable

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pipelines.discovery.scope import Scope
    from pipelines.urls import Address
    from storage.records import Capture, SiteModel

MAX_LINKS = 2000
"""Most links taken from one page, in document order."""
MAX_TITLE = 300
"""Characters of a link's text that are kept."""
_MAX_REFERENCES = 20_000
_REMEMBERED, _SHORT = 2**13, 500
"""References that are remembered with what they lead to, and characters of one: most of a page's are on others too."""
_WITHOUT_PATH = ("/", "http://", "https://")
"""How references begin that mean the same on all pages of a host."""
_MAX_TEXT = 500_000
_MAX_REFRESH_SECONDS = 60
_MAX_REFRESHES = 20
_REFRESH = re.compile(
    r"\s*+(\d{0,9}+)[\d.]*+[\s;,]++(?:url\s*+=\s*+)?(?:\"([^\"]*)|'([^']*)|([^\"'\s].*))", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A link of a page in scope, and the longest of the texts it has there."""

    link: Link
    address: Address
    text: str
    following: bool = False
    """Whether the page calls it the next (``rel=next``)."""


def page_links(
    page: str | LexborHTMLParser, url: str, model: SiteModel, robots_headers: Iterable[str] = ()
) -> tuple[Link, ...]:
    """Return the links of a page that are in scope, once each, in document order, at most `MAX_LINKS`.

    ``url`` is the address the page came from. ``<base>`` is honoured where it is http(s). The target of a meta refresh
    comes first, as a redirect. Links marked ``nofollow``, one by one or all by the robots meta tag or an X-Robots-Tag
    (``robots_headers``), are left out.
    """
    tree = parse_tree(page) if isinstance(page, str) else page
    return page_redirects(tree, url, model) + tuple(
        anchor.link for anchor in page_anchors(tree, url, model, robots_headers)
    )


def page_redirects(tree: LexborHTMLParser, url: str, model: SiteModel) -> tuple[Link, ...]:
    """Return where a page sends its reader by itself, when that is on the site."""
    refresh = _refresh_target(tree, base_of(tree, url))
    targets = [refresh] if refresh and scope_of(model).may_lead_to(refresh) else []
    return unique_links(targets, Kind.PAGE, parse(url), redirect=True)


def page_anchors(
    tree: LexborHTMLParser, url: str, model: SiteModel, robots_headers: Iterable[str] = ()
) -> tuple[Anchor, ...]:
    """Return the links of a page as `page_links` does, with their texts."""
    if not may_follow(tree, robots_headers):
        return ()
    own, scope = parse(url), scope_of(model)
    texts, base = _references(tree), base_of(tree, url)
    root = _root_of(base)
    found: dict[str, Anchor] = {}
    for reference, (text, following) in texts.items():
        remembered = len(reference) <= _SHORT and reference.startswith(_WITHOUT_PATH)
        target = _known_target(reference, root, scope) if remembered else _target(reference, base, scope)
        if target is None:
            continue
        address, link = target
        if own is not None and (other := twin(address, own)):
            link = replace(link, twin=other)
        anchor, before = Anchor(link, address, text, following), found.get(link.url)
        found[link.url] = anchor if before is None else _joined(before, anchor)
        if len(found) > MAX_LINKS:
            break
    if own is not None:
        found.pop(own.canonical, None)
    return tuple(found.values())[:MAX_LINKS]


def _target(reference: str, base: str, scope: Scope) -> tuple[Address, Link] | None:
    """Return what a reference leads to, where that is wanted."""
    address = parse(reference, base)
    return (address, link_to(address, Kind.PAGE)) if address is not None and scope.has(address) else None


_known_target = lru_cache(maxsize=_REMEMBERED)(_target)


def _root_of(url: str) -> str:
    """Return the address of the root of a URL's host; the URL itself where it is none."""
    address = parse(url)
    return address._replace(path="/", query="").fetchable if address else url


def _joined(one: Anchor, other: Anchor) -> Anchor:
    """Two links to one page as one: to the page itself rather than a form of it, with the longer text."""
    plain = other if other.link.url == other.link.fetch_url else one
    longest = max(one.text, other.text, key=len)
    return replace(plain, text=longest, following=one.following or other.following)


def redirect_link(capture: Capture, location: str, model: SiteModel) -> Link | None:
    """Return where a redirect leads, expected to hold what was asked for; None when it leads nowhere or off the site.

    ``location`` is the header's value, read as latin-1.
    """
    target, scope = redirect_target(location, capture.url), scope_of(model)
    if target is None or target == parse(capture.url):
        return None
    page = capture.kind is Kind.PAGE
    followed = scope.may_lead_to(target) if page else scope.has_host(target.host)
    return link_to(target, capture.kind, redirect=True) if followed else None


def leads_to_itself(url: str, location: str) -> bool:
    """Return whether a redirect leads to the address it is an answer to, as where a cookie is asked for."""
    target = redirect_target(location, url)
    return target is not None and target == parse(url)


def link_to(
    address: Address, kind: Kind, *, redirect: bool = False, dated: str | None = None, twin: str | None = None
) -> Link:
    """Return the link to an address."""
    return Link(address.canonical, address.fetchable, address.host, kind, redirect, dated, twin)


def main_page_link(url: str, canonical: str | None, model: SiteModel) -> tuple[Link, ...]:
    """Return the link from a page on a mobile or AMP host to the page it says it is, if that is wanted."""
    own, target = parse(url), parse(canonical) if canonical else None
    if own is None or target is None or target.host == own.host or not is_secondary(own.host):
        return ()
    return (link_to(target, Kind.PAGE),) if scope_of(model).has(target) else ()


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


def _references(tree: LexborHTMLParser) -> dict[str, tuple[str, bool]]:
    """Return the distinct href values of the page that may be followed, without their fragments, each with its longest
    text and whether it is said to be the next page.
    """
    found: dict[str, tuple[str, bool]] = {}
    read = 0
    for node in islice(tree.css("a[href], area[href], link[rel~=next][href]"), _MAX_REFERENCES):
        attributes = node.attributes
        reference = (attributes.get("href") or "").partition("#")[0]
        relation = (attributes.get("rel") or "").lower()
        if not reference or "nofollow" in relation or "download" in attributes:
            continue
        text = _text_of(node) if read < _MAX_TEXT else ""
        read += len(text)
        before = found.get(reference)
        following = "next" in relation
        found[reference] = (
            (text, following) if before is None else (max(before[0], text, key=len), before[1] or following)
        )
    return found


def _text_of(node: LexborNode) -> str:
    """Return the text of a link, or what stands for it: its title, or the description of its image."""
    text = " ".join(shown_text(node)[: 4 * MAX_TITLE].split())[:MAX_TITLE]
    if text:
        return text
    image = node.css_first("img[alt]")
    return (node.attributes.get("title") or (image.attributes.get("alt") if image else "") or "").strip()[:MAX_TITLE]


def base_of(tree: LexborHTMLParser, url: str) -> str:
    """Return what the references of a page are relative to: its ``<base>`` where that is http(s), else its address."""
    node = tree.css_first("base[href]")
    address = parse(node.attributes.get("href") or "", url) if node else None
    return address.fetchable if address else url


def _refresh_target(tree: LexborHTMLParser, base: str) -> Address | None:
    """Return where the page sends its reader by itself within a minute; what stands in noscript is not for readers."""
    for node in tree.css('meta[http-equiv="refresh" i]')[:_MAX_REFRESHES]:
        match = _REFRESH.match((node.attributes.get("content") or "")[:4000])
        inside = node.parent.tag if node.parent else ""
        if match and inside != "noscript" and int(match[1] or 0) <= _MAX_REFRESH_SECONDS:
            return parse(match[2] or match[3] or match[4] or "", base)
    return None
