"""A page as a flat list of blocks and the elements around them, in columns, from one parse and one scan.

lexbor parses the page, drops what is never read and writes the tree out again; what it writes is well-formed: every end
tag has its start tag, and ``<`` and ``>`` stand for nothing but tags. So splitting it reads all tags and texts, faster
than visiting the nodes of the tree from Python. Entities, unquoted values and unclosed tags are the parser's business.

A block is the text between two block-level tags or two ``<br>`` in a row; a single ``<br>`` is a line break in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from itertools import chain, islice
from typing import TYPE_CHECKING

from pipelines.extractors.soup import BLOCKS

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

UNREAD = [
    *("script", "style", "noscript", "template", "title", "noembed", "noframes", "iframe", "svg", "math", "select"),
    *("option", "datalist", "textarea", "canvas", "audio", "video", "applet", "xmp", "plaintext", "head"),
]
"""Elements that are taken out with their content."""
LINE = "\x1e"
"""Stands for a single ``<br>`` inside the text of a block."""

_COMMENT = re.compile(r"<!--[^-]*+(?:-(?!->)[^-]*+)*+(?:-->|\Z)")
_ELEMENTS = (BLOCKS - {"br", "hr"}) | {"button", "object", "marquee"}
_BREAKING = _ELEMENTS | {f"/{name}" for name in _ELEMENTS} | {"hr"}
_NAMES = _BREAKING | {"a", "/a", "br"}


@dataclass(slots=True)
class Elements:
    """Block-level elements in document order, each with its parent and the blocks in it (``first`` up to ``last``).

    The first stands for the page and is its own parent.
    """

    names: list[str]
    attributes: list[str]
    parents: list[int]
    first: list[int]
    last: list[int]


@dataclass(slots=True)
class Blocks:
    """Blocks in document order: text, innermost element, characters in links, number of links."""

    texts: list[str] = field(default_factory=list)
    inside: list[int] = field(default_factory=list)
    linked: list[int] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    elements: Elements = field(default_factory=lambda: Elements(["body"], [""], [0], [0], [0]))
    title: str = ""
    """What the page states as its title."""

    def __len__(self) -> int:
        return len(self.texts)

    def add(self, parts: list[str], inside: int, linked: int, links: int) -> None:
        """Add a block of parts of text."""
        self.texts.append("".join(parts))
        self.inside.append(inside)
        self.linked.append(linked)
        self.links.append(links)

    def lines(self, index: int) -> list[str]:
        """Return a block as lines of readable text."""
        return [line for part in self.texts[index].split(LINE) if (line := " ".join(part.split()))]


def walk(tree: LexborHTMLParser) -> Blocks:
    """Cut a parsed page into blocks. The tree is used up: what is never read is taken out of it."""
    title = tree.css_first("title")
    stated = title.text() if title else ""
    tree.strip_tags(UNREAD)
    body = tree.body
    blocks = _cut((body.html or "") if body else "")
    blocks.title = " ".join(stated.split())
    return blocks


def _cut(html: str) -> Blocks:
    """Read well-formed HTML tag by tag, each with the text after it. No attribute value in it holds ``<`` or ``>``."""
    blocks, bounds, parts = Blocks(), [("", "", 0)], list[str]()
    linked = links = 0
    link = filled = broken = False
    for chunk in chain(islice(_COMMENT.sub("", html).split("<"), 1, None), ("hr>",)):
        tag, _, text = chunk.partition(">")
        name = tag if tag in _NAMES else tag.partition(" ")[0]
        if name in _BREAKING or (broken and name == "br"):
            if filled:
                blocks.add(parts, len(bounds) - 1, linked, links)
            bounds.append((name, tag, len(blocks.texts)))
            parts.clear()
            linked, links, filled, broken = 0, int(link), False, name == "br"
        elif name == "a":
            link, links = True, links + 1
        elif name == "/a":
            link = False
        elif name == "br":
            parts.append(LINE)
            broken = True
        if text.isspace():
            parts.append(" ")
        elif text:
            text = unescape(text) if "&" in text else text
            parts.append(text)
            if not text.isspace():
                filled, broken = True, False
                linked += link * len(text)
    blocks.elements, innermost = _elements(bounds)
    blocks.inside = [innermost[bound] for bound in blocks.inside]
    return blocks


def _elements(bounds: list[tuple[str, str, int]]) -> tuple[Elements, list[int]]:
    """Return the elements that these tags bound, and the innermost after each tag.

    A bound is a name, with a slash for end tags, the tag it is from, and how many blocks stand before it.
    """
    names, attributes, parents, first, closed = ["body"], [""], [0], [0], {0: bounds[-1][2]}
    current, innermost = 0, []
    for name, tag, count in bounds:
        if name in _ELEMENTS:
            names.append(name)
            attributes.append(tag[len(name) :])
            parents.append(current)
            first.append(count)
            current = len(names) - 1
        elif name[:1] == "/" and current:
            closed[current] = count
            current = parents[current]
        innermost.append(current)
    last = [closed.get(index, closed[0]) for index in range(len(names))]
    return Elements(names, attributes, parents, first, last), innermost
