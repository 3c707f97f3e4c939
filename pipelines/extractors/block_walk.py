"""A page as a flat list of blocks and the elements around them, in columns, from one parse and one scan.

lexbor parses the page, drops what is never read and writes the tree out again; what it writes is well-formed: every end
tag has its start tag, and ``<`` and ``>`` stand for nothing but tags. So splitting it reads all tags and texts, faster
than visiting the nodes of the tree from Python. Entities, unquoted values and unclosed tags are the parser's business.

A block is the text between two block-level tags or two ``<br>`` in a row; a single ``<br>`` is a line break in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
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
_LINK, _LINK_END, _INLINE, _LINE_BREAK, _RULE, _START, _END = range(1, 8)
_KINDS = {"a": _LINK, "/a": _LINK_END, "br": _LINE_BREAK, "hr": _RULE, **dict.fromkeys(_ELEMENTS, _START)}
_KINDS |= {f"/{name}": _END for name in _ELEMENTS}
"""What a tag is by its name; from ``_RULE`` on, it parts blocks."""


@dataclass(slots=True)
class Elements:
    """Block-level elements that hold blocks, in document order, with their parents and blocks (``first`` to ``last``).

    The first stands for the page and is its own parent; ``last`` is the block behind.
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
    titles = tree.tags("title")
    stated = titles[0].text() if titles else ""
    tree.strip_tags(UNREAD)
    body = tree.body
    blocks = _cut((body.html or "") if body else "")
    blocks.title = " ".join(stated.split())
    return blocks


def _cut(html: str) -> Blocks:
    """Read well-formed HTML tag by tag, each with the text after it. No attribute value in it holds ``<`` or ``>``."""
    blocks, around, parts = Blocks(), _Around(), list[str]()
    kind_of, opened, holding = _KINDS.get, around.opened, around.holding
    linked = links = 0
    link = filled = broken = False
    for chunk in chain(islice(_COMMENT.sub("", html).split("<"), 1, None), ("hr>",)):
        tag, _, text = chunk.partition(">")
        kind = kind_of(tag) or kind_of(tag.partition(" ")[0], _INLINE)
        if kind >= _RULE or (broken and kind == _LINE_BREAK):
            if filled:
                blocks.add(parts, around.innermost(len(blocks.texts)), linked, links)
                filled = False
            if kind == _START:
                opened.append(tag)
            elif kind == _END and len(opened) > 1:
                opened.pop()
                del holding[len(opened) :]
            parts.clear()
            linked, links, broken = 0, int(link), kind == _LINE_BREAK
        elif kind < _INLINE:
            link = kind == _LINK
            links += link
        elif kind == _LINE_BREAK:
            parts.append(LINE)
            broken = True
        if text:
            text = " " if text.isspace() else _decoded(text) if "&" in text else text
            parts.append(text)
            if not text.isspace():
                filled, broken = True, False
                linked += link * len(text)
    blocks.elements = around.elements(blocks.inside)
    return blocks


class _Around:
    """The open elements, and of all elements those that hold blocks."""

    def __init__(self) -> None:
        self.opened = ["body"]
        """Tags of the open elements; the first is the page."""
        self.holding = [0]
        """Indices of those of them, the outermost, that hold blocks."""
        self._tags, self._parents, self._first = ["body"], [0], [0]

    def innermost(self, block: int) -> int:
        """Return the index of the innermost open element; it holds this block now, as do all around it."""
        for tag in self.opened[len(self.holding) :]:
            self._parents.append(self.holding[-1])
            self.holding.append(len(self._tags))
            self._tags.append(tag)
            self._first.append(block)
        return self.holding[-1]

    def elements(self, inside: list[int]) -> Elements:
        """Return all elements of a page by the innermost element of each block."""
        last = [0] * len(self._tags)
        for block, element in enumerate(inside, 1):
            last[element] = block
        for element in range(len(last) - 1, 0, -1):
            parent = self._parents[element]
            last[parent] = max(last[parent], last[element])
        names = [tag.partition(" ")[0] for tag in self._tags]
        attributes = [tag[len(name) :] for tag, name in zip(self._tags, names, strict=True)]
        return Elements(names, attributes, self._parents, self._first, last)


def _decoded(text: str) -> str:
    """Replace the four entities that the parser writes."""
    return text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
