"""Find the links of a page within its site, and the targets of redirects."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pipelines.discovery.scope import Scope, scope_of
from pipelines.discovery.script_links import element_references, moved_to, state_addresses
from pipelines.markup.page_view import PageView
from pipelines.markup.tree import shown_text
from pipelines.metadata.rights import may_follow
from pipelines.urls.url import is_secondary, parse, parse_each, redirect_target, twin, without_origin
from storage.records import Kind, Link

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from selectolax.lexbor import LexborNode

    from pipelines.urls.url import Address
    from storage.records import Capture, SiteModel

MAX_LINKS = 2000
"""Links from one page, in document order."""
MAX_TITLE = 300
"""Characters of a link's text that are kept."""
_MAX_KNOWN, _MAX_CACHED_CHARS = 2**13, 500
"""References whose targets are cached, and characters of one. Most references of a page are on other pages too."""
_WITHOUT_PATH = ("/", "http://", "https://")
"""Start of references that mean the same on all pages of a host."""
_MAX_TEXT = 500_000
"""Characters of link texts of a page that are read."""
_MAX_REFRESH_SECONDS = 60
"""Seconds. A slower refresh reloads the page."""
_MAX_REFRESHES = 20
_REFRESH = re.compile(
    r"\s*+(\d{0,9}+)[\d.]*+[\s;,]++(?:url\s*+=\s*+)?(?:\"([^\"]*)|'([^']*)|([^\"'\s].*))", re.IGNORECASE | re.DOTALL
)


class Anchor(NamedTuple):
    """A link of a page in scope, and the longest of its texts."""

    link: Link
    address: Address
    text: str
    following: bool = False
    """Whether it is marked as the next page (``rel=next``)."""


def page_links(
    page: str | PageView, url: str, model: SiteModel, robots_headers: Iterable[str] = ()
) -> tuple[Link, ...]:
    """Return the links of a page that are in scope, each once, in document order, at most `MAX_LINKS`.

    ``url`` is the address of the page. A ``<base>`` with http(s) is used. The target of a meta refresh comes first, as
    a redirect. Links marked ``nofollow``, singly or by the robots meta tag or an X-Robots-Tag (``robots_headers``), are
    skipped.
    """
    view = PageView(page) if isinstance(page, str) else page
    return page_redirects(view, url, model) + tuple(
        anchor.link for anchor in page_anchors(view, url, model, robots_headers)
    )


def page_redirects(view: PageView, url: str, model: SiteModel) -> tuple[Link, ...]:
    """Return the target of a page's meta refresh, or of the script of an empty page, if it is on the site."""
    base = view.base_of(url)
    refresh = _refresh_target(view, base) or ((moved := moved_to(view)) and parse(moved, base))
    targets = [refresh] if refresh and scope_of(model).may_lead_to(refresh) else []
    return unique_links(targets, Kind.PAGE, parse(url), redirect=True)


def page_anchors(view: PageView, url: str, model: SiteModel, robots_headers: Iterable[str] = ()) -> tuple[Anchor, ...]:
    """Return the links of a page as `page_links` does, with their texts."""
    if not may_follow(view.metas, robots_headers):
        return ()
    own, scope = parse(url), scope_of(model)
    texts = _references(view)
    for reference, text in element_references(view, url):
        texts.setdefault(reference.partition("#")[0], (text[:MAX_TITLE], False))
    texts = {scope.completed(reference): stated for reference, stated in texts.items()}
    targets = _targets(texts.keys(), view.base_of(url), scope)
    found: dict[str, Anchor] = {}
    for reference, (text, following) in texts.items():
        target = targets[reference]
        if target is None:
            continue
        address, link = target
        if (own is not None and (other := twin(address, own))) or (other := without_origin(address)):
            link = replace(link, twin=other)
        anchor, before = Anchor(link, address, text, following), found.get(link.url)
        found[link.url] = anchor if before is None else _joined(before, anchor)
        if len(found) > MAX_LINKS:
            break
    for address in state_addresses(view, url, [anchor.address for anchor in found.values()]):
        if scope.has(address):
            found.setdefault(address.canonical, Anchor(link_to(address, Kind.PAGE), address, ""))
    if own is not None:
        found.pop(own.canonical, None)
    return tuple(found.values())[:MAX_LINKS]


_Target: TypeAlias = "tuple[Address, Link] | None"
_KNOWN: dict[tuple[str, str, Scope], _Target] = {}
"""Targets of references that mean the same on all pages of a host, by reference, root of the host, and scope."""


def _targets(references: Collection[str], base: str, scope: Scope) -> dict[str, _Target]:
    """Return the target of each reference, None for one that is not in scope."""
    root = _root_of(base)
    keys = {
        each: (each, root, scope)
        for each in references
        if len(each) <= _MAX_CACHED_CHARS and each.startswith(_WITHOUT_PATH)
    }
    found = {each: _KNOWN[key] for each, key in keys.items() if key in _KNOWN}
    new = [each for each in references if each not in found]
    addresses = parse_each(new, base)
    for reference, address, is_inside in zip(new, addresses, scope.has_each(addresses), strict=True):
        found[reference] = (address, link_to(address, Kind.PAGE)) if address and is_inside else None
    if len(_KNOWN) + len(new) > _MAX_KNOWN:
        _KNOWN.clear()
    _KNOWN.update((keys[each], found[each]) for each in new[:_MAX_KNOWN] if each in keys)
    return found


def _root_of(url: str) -> str:
    """Return the URL of the root of a URL's host, or the URL itself if it is invalid."""
    address = parse(url)
    return address._replace(path="/", query="").fetchable if address else url


def _joined(one: Anchor, other: Anchor) -> Anchor:
    """Merge two links to one page: prefer the page itself to a variant, and the longer text."""
    plain = other if other.link.url == other.link.fetch_url else one
    longest = max(one.text, other.text, key=len)
    return plain._replace(text=longest, following=one.following or other.following)


def redirect_link(capture: Capture, location: str, model: SiteModel) -> Link | None:
    """Return the link to the target of a redirect, of the kind that was requested, or None if it is not on the site.

    ``location`` is the header's value, read as latin-1.
    """
    target, scope = redirect_target(location, capture.url), scope_of(model)
    if target is None or target == parse(capture.url):
        return None
    page = capture.kind is Kind.PAGE
    followed = scope.may_lead_to(target) if page else scope.has_host(target.host)
    return link_to(target, capture.kind, redirect=True) if followed else None


def leads_to_itself(url: str, location: str) -> bool:
    """Return whether a redirect leads back to the same URL, as where a cookie is required."""
    target = redirect_target(location, url)
    return target is not None and target == parse(url)


def link_to(
    address: Address, kind: Kind, *, redirect: bool = False, dated: str | None = None, twin: str | None = None
) -> Link:
    """Return the link to a URL."""
    return Link(address.canonical, address.fetchable, address.host, kind, redirect, dated, twin)


def main_page_link(url: str, canonical: str | None, model: SiteModel) -> tuple[Link, ...]:
    """Return the link from a page on a mobile or AMP host to its canonical URL, if that is in scope."""
    own, target = parse(url), parse(canonical) if canonical else None
    if own is None or target is None or target.host == own.host or not is_secondary(own.host):
        return ()
    return (link_to(target, Kind.PAGE),) if scope_of(model).has(target) else ()


def unique_links(
    addresses: Iterable[Address], kind: Kind, own: Address | None = None, *, redirect: bool = False
) -> tuple[Link, ...]:
    """Return links to URLs, one for each canonical form, without the page itself."""
    links: dict[str, Link] = {}
    for address in addresses:
        link = link_to(address, kind, redirect=redirect)
        links.setdefault(link.url, link)
    if own is not None:
        links.pop(own.canonical, None)
    return tuple(links.values())


def _references(view: PageView) -> dict[str, tuple[str, bool]]:
    """Return the href values of the page that may be followed, without fragments.

    Each has its longest text, and whether it is marked as the next page.
    """
    found: dict[str, tuple[str, bool]] = {}
    read = 0
    for node, tag, attributes in view.references:
        reference = (attributes.get("href") or "").partition("#")[0]
        relation = (attributes.get("rel") or "").lower()
        if not reference or "nofollow" in relation or "download" in attributes:
            continue
        if tag == "link" and "next" not in relation.split():
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
    """Return the text of a link, else its title, else the description of its image."""
    text = node.text()
    if "{" in text:  # a style sheet or a script may be in the link
        text = shown_text(node)
    text = " ".join(text[: 4 * MAX_TITLE].split())[:MAX_TITLE]
    if text:
        return text
    image = node.css_first("img[alt]")
    return (node.attributes.get("title") or (image.attributes.get("alt") if image else "") or "").strip()[:MAX_TITLE]


def _refresh_target(view: PageView, base: str) -> Address | None:
    """Return the target of a meta refresh within a minute. Those in noscript are not for readers."""
    stated = (each for each in view.metas if (each.attributes.get("http-equiv") or "").lower() == "refresh")
    for node, _, attributes in islice(stated, _MAX_REFRESHES):
        match = _REFRESH.match((attributes.get("content") or "")[:4000])
        inside = node.parent.tag if node.parent else ""
        if match and inside != "noscript" and int(match[1] or 0) <= _MAX_REFRESH_SECONDS:
            return parse(match[2] or match[3] or match[4] or "", base)
    return None
