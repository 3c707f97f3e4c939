"""Read the JSON-LD of a page (https://schema.org): its statement about the article, even if it is broken."""

from __future__ import annotations

import html
import json
import re
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.text.scripts import SYLLABIC
from pipelines.urls.url import canonicalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Node = dict[str, object]

_MAX_VALUES = 30
"""Values of a script that are read."""
_MAX_NODES, _MAX_AUTHORS = 1000, 10
"""Objects of a page that are read, and authors of one."""
_OPENING = re.compile(r"(?://|/\*)?\s*<!\[CDATA\[\s*(?:\*/)?|<!--")
_CLOSING = re.compile(r"(?:(?://|/\*)?\s*\]\]>\s*(?:\*/)?|-->)$")
_MAX_CLOSING = 40
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,1000}>")
_TRAILING_COMMA = re.compile(r",\s*(?=[}\]])")
_COMMENT_LINE = re.compile(r"^[ \t]*//.*$", re.MULTILINE)
_VALUE = re.compile(r"[^\s,;\ufeff]")
_LOOSE = re.compile(r'"(headline|datePublished)"\s*:\s*"((?:[^"\\]|\\.){1,500})"')
_ARTICLES = ("article", "posting", "report")
_PAGES = ("webpage", "itempage")
_WORKS = frozenset({"creativework", "news"})
"""General types, and one that does not exist, of nodes that come last."""
_NAME_PARTS = ("givenName", "additionalName", "familyName")
_NAMING = frozenset({"name", *_NAME_PARTS})
_WITHOUT_SPACE = re.compile(f"[{SYLLABIC}]")
_FAMILY_FIRST = re.compile(f"{_WITHOUT_SPACE.pattern}|[ăđơưĂĐƠƯ\u1ea0-\u1ef9]")
_CONTAINERS = ("@list", "@set", "@graph", "itemListElement", "item")
"""Keys of JSON-LD and of schema.org whose value stands for the object around them."""
_MAX_DEPTH = 4
"""Lists in one another."""
_BELOW = ("@graph", "mainEntity", "mainEntityOfPage")


@dataclass(frozen=True, slots=True)
class Statement:
    """Statement of the JSON-LD about the page's article. Strings are empty where it has none."""

    headline: str = ""
    published: str = ""
    authors: tuple[str, ...] = ()
    """Authors, if one of them is a person or has no type."""
    organisations: tuple[str, ...] = ()
    """Authors, if all of them are organisations."""
    licence: str = ""
    """URL of the licence."""
    publishers: tuple[str, ...] = ()
    """Names of the publisher and of the site."""


def read_jsonld(scripts: Iterable[str], url: str) -> Statement:
    """Return the statement of the JSON-LD in a page's scripts about its article.

    It comes from a node that names ``url``, else from an article, else from a page. If one node names ``url``, nodes
    that name other pages of the site are teasers and are skipped. An author may be a reference, ``{"@id": ...}`` of a
    node with the name. A script that is not JSON after repair is searched for a headline and a date only.
    """
    parsed = [(script, _load(script)) for script in scripts]
    nodes = _nodes(value for _, values in parsed for value in values)
    known = {node["@id"]: node for node in nodes if isinstance(node.get("@id"), str) and not _NAMING.isdisjoint(node)}
    ranked = sorted((rank, place) for place, node in enumerate(nodes) if (rank := _rank(node, url)) is not None)
    named = bool(ranked) and ranked[0][0] == 0
    stated = [
        _statement(nodes[place], known)
        for rank, place in ranked
        if not (named and rank and _is_other(nodes[place], url))
    ]
    statements = [*stated, *(_loose(script) for script, values in parsed if not values)]
    # The first statement on each point counts.
    return Statement(
        headline=next((one.headline for one in statements if one.headline), ""),
        published=next((one.published for one in statements if one.published), ""),
        authors=next((one.authors for one in statements if one.authors), ()),
        organisations=next((one.organisations for one in statements if one.organisations), ()),
        licence=next((one.licence for one in statements if one.licence), ""),
        publishers=tuple(dict.fromkeys(name for node in nodes for name in _publishers(node))),
    )


def article_body(scripts: Iterable[str]) -> str:
    """Return the longest ``articleBody`` in the JSON-LD of a page's scripts, without markup."""
    nodes = _nodes(value for script in scripts if "articleBody" in script for value in _load(script))
    body = max(("\n".join(_strings(node.get("articleBody"))) for node in nodes), key=len, default="")
    return _TAG.sub(" ", html.unescape(html.unescape(body)) if "&" in body else body)


def _load(script: str) -> list[object]:
    """Parse a script, repaired step by step. It may contain several values one after the other."""
    # Old scripts are hidden from browsers in a comment or in CDATA marks.
    script = script.strip()
    opening = _OPENING.match(script)
    body = script[opening.end() :] if opening else script
    bare = (body[:-_MAX_CLOSING] + _CLOSING.sub("", body[-_MAX_CLOSING:])).strip().rstrip(";")
    for mend in (str, lambda text: _TRAILING_COMMA.sub("", _COMMENT_LINE.sub("", text)), html.unescape):
        bare = mend(bare)
        if values := _decode(bare):
            return values
    return []


def _decode(text: str) -> list[object]:
    """Return the JSON values at the start of a text, one after the other, up to the first invalid one."""
    decoder, at = json.JSONDecoder(strict=False), 0
    values: list[object] = []
    while len(values) < _MAX_VALUES and (start := _VALUE.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            break
        values.append(value)
    return values


def _nodes(values: Iterable[object]) -> list[Node]:
    """Return the objects of the top level, of lists, of ``@graph`` and of main entities, breadth first."""
    waiting = deque(values)
    nodes: list[Node] = []
    while waiting and len(nodes) < _MAX_NODES:
        value = waiting.popleft()
        if isinstance(value, list):
            waiting.extend(value[:_MAX_NODES])
        elif isinstance(value, dict):
            nodes.append(value)
            waiting.extend(value[key] for key in _BELOW if key in value)
    return nodes


def _rank(node: Node, url: str) -> int | None:
    types = [kind.lower() for kind in _strings(node.get("@type"))]
    if any(kind.endswith(_ARTICLES) for kind in types):
        return 0 if _names(node, url) else 1
    if not any(kind.endswith(_PAGES) for kind in types):
        return 3 if not types or any(kind in _WORKS for kind in types) else None
    # Plugins describe the front page on every page of a site.
    stated = node.get("url")
    named = canonicalise(stated, url) if isinstance(stated, str) and stated else None
    is_front_page = named is not None and named == canonicalise("/", url) != canonicalise(url)
    return None if is_front_page else 2


def _names(node: Node, url: str) -> bool:
    page = node.get("mainEntityOfPage")
    stated = [node.get("url"), node.get("@id"), page.get("@id") if isinstance(page, dict) else page]
    addresses = (canonicalise(value, url) for value in stated if isinstance(value, str) and value)
    return canonicalise(url) in set(addresses)


def _is_other(node: Node, url: str) -> bool:
    """Return whether a node describes another page of the site than ``url``, below its front page."""
    own, page = _place(url, url), node.get("mainEntityOfPage")
    stated = [node.get("url"), page.get("@id") if isinstance(page, dict) else page]
    places = {_place(value, url) for value in stated if isinstance(value, str) and value}
    return own not in places and any(place.startswith(f"{own.partition('/')[0]}/") for place in places)


def _place(reference: str, url: str) -> str:
    """Return host and path of a reference, without scheme and final slash."""
    return (canonicalise(reference, url) or "").partition("//")[2].rstrip("/")


def _statement(node: Node, known: dict[object, Node]) -> Statement:
    kinds = [kind.lower() for kind in _strings(node.get("@type"))]
    article = any(kind.endswith(_ARTICLES) for kind in kinds)
    headlines = _strings(node.get("headline")) or (_strings(node.get("name")) if article else [])
    dates = _dates(node.get("datePublished")) or (_dates(node.get("dateCreated")) if article else [])
    authors = list(_authors(node.get("author") or node.get("creator"), known))
    # Plugins escape texts for HTML, sometimes twice.
    names = tuple(dict.fromkeys(html.unescape(name) for name, _ in authors))[:_MAX_AUTHORS]
    people = not all(organised for _, organised in authors)
    return Statement(
        html.unescape(next(iter(headlines), "")),
        html.unescape(next(iter(dates), "")),
        authors=names if people else (),
        organisations=() if people else names,
        licence=_licence(node.get("license")),
    )


def _publishers(node: Node) -> list[str]:
    site = any(kind.lower() == "website" for kind in _strings(node.get("@type")))
    stated = [*_listed(node.get("publisher")), *([node] if site else [])]
    return [html.unescape(name) for one in stated if isinstance(one, dict) for name in _strings(one.get("name"))]


def _licence(value: object) -> str:
    """Return the first URL of a licence: text, an object with one, or a list of these."""
    stated = (one.get("url") or one.get("@id") if isinstance(one, dict) else one for one in _listed(value))
    named = (one.strip() for each in stated for one in _strings(each))
    return next((one for one in named if one.startswith(("http:", "https:", "/"))), "")


def _authors(value: object, known: dict[object, Node]) -> Iterator[tuple[str, bool]]:
    """Yield names of authors (text, objects with a name, or lists of these), and whether each is an organisation."""
    for stated in _listed(value):
        refers = isinstance(stated, dict) and _NAMING.isdisjoint(stated) and isinstance(stated.get("@id"), str)
        one = known.get(stated["@id"], stated) if isinstance(stated, dict) and refers else stated
        named = (one.get("name") or _name_of_parts(one)) if isinstance(one, dict) else one
        kinds = _strings(one.get("@type")) if isinstance(one, dict) else []
        organised = any(kind.lower().endswith("organization") for kind in kinds)
        yield from ((name, organised) for name in _strings(named))


def _name_of_parts(person: Node) -> str:
    """Return the name of a person that is stated in parts, in the order of the language: family first in Vietnamese,
    Chinese, Japanese and Korean.
    """
    given, more, family = (next(iter(_strings(person.get(key))), "").strip() for key in _NAME_PARTS)
    parts = [family, more, given] if _FAMILY_FIRST.search(given + family) else [given, more, family]
    return ("" if _WITHOUT_SPACE.search(given + family) else " ").join(filter(None, parts))


def _listed(value: object, depth: int = 0) -> list[object]:
    """Return the first values of a list, of a container (``@list``, ``@set``, …) and of lists in it, or the value."""
    if isinstance(value, dict) and _NAMING.isdisjoint(value):
        value = next((value[name] for name in _CONTAINERS if name in value), value)
    if not isinstance(value, list):
        return [value]
    return [each for one in value[:_MAX_AUTHORS] if depth < _MAX_DEPTH for each in _listed(one, depth + 1)]


def _strings(value: object) -> list[str]:
    """Return texts, also from objects with a ``@value`` (and a language)."""
    plain = [one.get("@value") if isinstance(one, dict) else one for one in _listed(value)]
    return [one for one in plain if isinstance(one, str) and one.strip()]


def _dates(value: object) -> list[str]:
    """Return dates as texts. Some are numbers (seconds since 1970) or objects with a ``@value``."""
    plain = [one.get("@value") if isinstance(one, dict) else one for one in _listed(value)]
    return _strings([str(one) if isinstance(one, int | float) and not isinstance(one, bool) else one for one in plain])


def _loose(script: str) -> Statement:
    found: dict[str, str] = {}
    for key, raw in _LOOSE.findall(script):
        found.setdefault(key, raw)
    values = {key: next((str(value) for value in _decode(f'"{raw}"')), raw) for key, raw in found.items()}
    return Statement(values.get("headline", ""), values.get("datePublished", ""))
