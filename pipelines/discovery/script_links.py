"""Find the links that a page gives to its scripts: in attributes, in frames and menus, and in the state of an app.

A reader clicks on a card with ``data-href``, or an app makes links of its state (Next.js, Nuxt). Scripts also hold the
addresses of counters, interfaces and images. So three rules say which references are links:

- An element has a text as long as a headline, or its URL has the number of a page ("load more").
- A state has several URLs of one shape in which a part differs, as articles have. If the page has such links itself,
  only their shapes count.
- Frames, and menus that lead to the chosen page, are links.

A page without links and text may lead to another by a script.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING

from pipelines.discovery.list_signs import is_headline, page_number
from pipelines.discovery.url_shapes import shape_of
from pipelines.markup.tree import shown_text
from pipelines.text.scripts import size
from pipelines.urls.url import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from selectolax.lexbor import LexborNode

    from pipelines.markup.page_view import PageView
    from pipelines.urls.url import Address

MAX_ELEMENTS = 2000
"""Elements of a page with an attribute for scripts that are read."""
MAX_STATE_CHARS = 2**20
"""Characters of scripts of a page that are read."""
MAX_STATED = 2000
"""URLs of a state that are read."""
MAX_SHELL = 200
"""Size of the text of a page that only leads to another, in letters of an alphabet."""
MIN_GROUP = 4
"""URLs of one shape that a state must have."""
_ATTRIBUTES = ("data-href", "data-url", "data-link", "data-permalink")
_SELECTOR = ",".join(
    (
        *(f"[{name}]" for name in (*_ATTRIBUTES, "onclick")),
        "a[href^='javascript:']",
        "frameset frame[src]",
        "select[onchange] option[value]",
    )
)
"""Elements that a script may make into links. One query of the tree takes less time than a search in the source."""
_PATH = re.compile(r"(?:https?:)?/|\?", re.IGNORECASE)
"""Start of a value that is a URL. Others are numbers and names."""
_MOVE = re.compile(
    r"""(?:\blocation(?:\.href)?\s{0,9}=|\blocation\.(?:assign|replace)\s{0,9}\(|\bopen\s{0,9}\()\s{0,9}["']([^"'\s]{1,2000})["']"""
)
"""A script that leads to another page, with its URL."""
_STATE = re.compile(r"__(?:NEXT|NUXT|next_f|nuxt)|__[A-Z_]{0,40}(?:STATE|DATA|PROPS)")
_QUOTED = re.compile(
    r"""(["'])((?:https?:)?(?:/|\\{1,4}(?:/|u002[fF])){1,2}(?:[^"'\\\s<>{}]|\\{1,4}(?:/|u[0-9a-fA-F]{4})){3,400}+)\\{0,4}\1"""
)
_CHARACTER, _SLASH = re.compile(r"\\{1,4}u([0-9a-fA-F]{4})"), re.compile(r"\\{1,4}/")
_NO_PAGE = re.compile(
    r"/(?:api|graphql|wp-json|rest|_next|_nuxt|static|assets?|images?|img|media|thumbs?|uploads?|embed)(?:/|$)",
    re.IGNORECASE,
)
"""Folder of answers that are no pages."""
_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|js|css|json|woff2?|mp[34])(?:$|\?)", re.IGNORECASE)
"""A file that is no page: most URLs of a JSON-LD are pictures."""


def element_references(view: PageView, url: str) -> Iterator[tuple[str, str]]:
    """Yield the references of a page that scripts follow from its elements, each with the text of its element."""
    base = view.base_of(url)
    for node in islice(view.tree.css(_SELECTOR), MAX_ELEMENTS):
        if node.tag == "option":
            reference = (node.attributes.get("value") or "").strip()
            if _PATH.match(reference):
                yield reference, ""
            continue
        # Most scripts of elements lead nowhere, so the text comes after the reference.
        for reference in _references(node):
            address, text = parse(reference, base), " ".join(shown_text(node).split())
            if address and (node.tag == "frame" or (text and (is_headline(text) or page_number(address) is not None))):
                yield reference, text


def _references(node: LexborNode) -> Iterator[str]:
    attributes = node.attributes
    reference = (attributes.get("href") or "").strip()
    if node.tag == "frame":
        yield (attributes.get("src") or "").strip()
    elif node.tag == "a" and reference and not reference.lower().startswith(("javascript:", "#")):
        return  # the link itself is read
    if "nofollow" in (attributes.get("rel") or "").lower():
        return
    yield from (value for name in _ATTRIBUTES if _PATH.match(value := (attributes.get(name) or "").strip()))
    for script in (attributes.get("onclick") or "", reference):
        yield from (match[1] for match in _MOVE.finditer(script[:4000]))


def moved_to(view: PageView) -> str:
    """Return the reference to which a page without links and text leads by a script, or ""."""
    if any(each.tag != "link" for each in view.references) or view.tree.body is None:
        return ""
    scripts = [*(node.text() for node in view.of("script")), view.tree.body.attributes.get("onload") or ""]
    moves = (match for script in scripts for match in _MOVE.finditer(script[:4000]) if "location" in match[0])
    match = next(moves, None)
    return match[1] if match and size(shown_text(view.tree.body)) < MAX_SHELL else ""


def state_addresses(view: PageView, url: str, linked: Sequence[Address]) -> list[Address]:
    """Return the URLs of articles in the state of an app. ``linked``: the links of the page."""
    if b"json" not in view.source and not _STATE.search(view.html):
        return []
    base, known = view.base_of(url), {*linked, parse(url)}
    stated: dict[Address, None] = {}
    for reference in islice(_stated(view), MAX_STATED):
        address = parse(reference, base) if not _FILE.search(reference) else None
        if address and not _NO_PAGE.search(address.path):
            stated.setdefault(address)
    if stated.keys() <= known:
        return []
    groups: dict[str, list[Address]] = defaultdict(list)
    for address in stated:
        shape = shape_of(address)
        if shape.distinguishes:
            groups[shape.text].append(address)
    own: dict[str, int] = defaultdict(int)
    for address in linked:
        shape = shape_of(address)
        own[shape.text] += shape.distinguishes
    shown = {shape for shape, count in own.items() if count >= MIN_GROUP}
    wanted = shown or {shape for shape, members in groups.items() if len(members) >= MIN_GROUP}
    return [address for shape, members in groups.items() if shape in wanted for address in members]


def _stated(view: PageView) -> Iterator[str]:
    """Yield the quoted URLs and paths of the scripts with a state."""
    left = MAX_STATE_CHARS
    for node in view.of("script"):
        kind = (node.attributes.get("type") or "").lower()
        text = node.text()[:left] if left else ""
        if "json" in kind or _STATE.search(text) or "__NUXT" in (node.attributes.get("id") or ""):
            left -= len(text)
            for match in _QUOTED.finditer(text):
                yield _SLASH.sub("/", _CHARACTER.sub(lambda found: chr(int(found[1], 16)), match[2]))
