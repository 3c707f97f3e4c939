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

_COMMENT = re.compile(r"<!--[^-]*+(?:-(?!->)[^-]*+)*+(?:-->|\Z)|<[!?][^>]*+>")
_ELEMENTS = (BLOCKS - {"br", "hr"}) | {"button", "object", "marquee"}
_BREAKING = _ELEMENTS | {f"/{name}" for name in _ELEMENTS} | {"hr"}
_NAMES = _BREAKING | {"a", "/a", "br"}


@dataclass(slots=True)
class Elements:
    """Block-level elements in document order, each with its parent and the blocks in it (``first`` up to ``last``).

    The first stands for the page and is its own parent.
    """

    names: list[str] = field(default_factory=lambda: ["body"])
    attributes: list[str] = field(default_factory=lambda: [""])
    parents: list[int] = field(default_factory=lambda: [0])
    first: list[int] = field(default_factory=lambda: [0])
    last: list[int] = field(default_factory=lambda: [0])

    def follow(self, name: str, tag: str, stack: list[int], count: int) -> None:
        """Enter or leave an element, ``count`` blocks into the page; ``stack`` holds those that are open."""
        if name in _ELEMENTS:
            self.parents.append(stack[-1])
            stack.append(len(self.names))
            self.names.append(name)
            self.attributes.append(tag[len(name) :])
            self.first.append(count)
            self.last.append(count)
        elif name[0] == "/" and len(stack) > 1:
            self.last[stack.pop()] = count


@dataclass(slots=True)
class Blocks:
    """Blocks in document order: text, innermost element, characters in links, number of links."""

    elements: Elements = field(default_factory=Elements)
    texts: list[str] = field(default_factory=list)
    inside: list[int] = field(default_factory=list)
    linked: list[int] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    title: str = ""
    """What the page states as its title."""

    def __len__(self) -> int:
        return len(self.texts)

    def add(self, parts: list[str], inside: int, linked: int, links: int) -> None:
        """Add a block of text parts."""
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
    blocks = Blocks()
    stack, parts = [0], list[str]()
    linked = links = 0
    link = filled = broken = False
    for chunk in chain(islice(_COMMENT.sub("", html).split("<"), 1, None), ("hr>",)):
        tag, _, text = chunk.partition(">")
        name = tag if tag in _NAMES else tag.partition(" ")[0]
        if name in _BREAKING or (broken and name == "br"):
            if filled:
                blocks.add(parts, stack[-1], linked, links)
            parts.clear()
            linked, links, filled, broken = 0, int(link), False, name == "br"
            blocks.elements.follow(name, tag, stack, len(blocks.texts))
        elif name == "a":
            link, links = True, links + 1
        elif name == "/a":
            link = False
        elif name == "br":
            parts.append(LINE)
            broken = True
        if text:
            if "&" in text:
                text = unescape(text)
            parts.append(text)
            if not text.isspace():
                filled, broken = True, False
                linked += link * len(text)
    blocks.elements.last[0] = len(blocks)
    return blocks
