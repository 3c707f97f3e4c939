"""A page as a flat list of blocks and the elements around them, in columns, from one parse and one scan.

lexbor parses the page, drops what is never read and writes the tree out again; what it writes is well-formed: every end
tag has its start tag, and ``<`` and ``>`` stand for nothing but tags. So splitting it reads all tags and texts, faster
than visiting the nodes of the tree from Python. Entities, unquoted values and unclosed tags are the parser's business.

A block is the text between two block-level tags or two ``<br>`` in a row; a single ``<br>`` is a line break in it.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pipelines.markup.lexer import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from selectolax.lexbor import LexborHTMLParser

STRIPPED = ["script", "style", "noscript", "iframe", "svg", "select", "img", "input"]
"""Elements that are taken out of the tree: their content may be no markup, or they are many and long."""
UNWRAPPED = ["span"]
"""Elements of which only the content is kept: the parser does it sooner than reading their tags takes."""
UNREAD = frozenset(
    (
        *("template", "title", "noembed", "noframes", "math", "option", "datalist", "textarea", "canvas", "audio"),
        *("video", "applet", "xmp", "plaintext"),
    )
)
"""Elements that are passed over with their content."""
_RAW = frozenset(("noembed", "noframes", "xmp", "plaintext"))
"""Those of them that hold no elements, whatever their content looks like."""
LINE = "\x1e"
"""Stands for a single ``<br>`` inside the text of a block."""

READINGS = frozenset(("rt", "rp", "rtc"))
"""Elements of which the text is passed over: how the word before is read, which would stand amid the sentence."""

_DIRECTIONS = " \u061c\u200b\u200e\u200f\ufeff"
"""What editors leave at the ends of lines that nobody sees, and a space behind it."""
_COMMENT = re.compile(r"<!--[^-]*+(?:-(?!->)[^-]*+)*+(?:-->|\Z)")
_ELEMENTS = (BLOCKS - {"br", "hr"}) | {"button", "object", "marquee"}
_LINK, _LINK_END, _INLINE, _UNREAD, _READING, _LINE_BREAK, _RULE, _START, _END = range(1, 10)
_OFTEN = ("span", "strong", "b", "i", "em", "font", "u", "label", "small", "sup", "time", "source")
_KINDS = {name: _INLINE for often in _OFTEN for name in (often, f"/{often}")} | dict.fromkeys(UNREAD, _UNREAD)
_KINDS |= dict.fromkeys(READINGS, _READING)
_KINDS |= {"a": _LINK, "/a": _LINK_END, "br": _LINE_BREAK, "hr": _RULE, **dict.fromkeys(_ELEMENTS, _START)}
_KINDS |= {f"/{name}": _END for name in _ELEMENTS}
"""What a tag is by its name; from ``_RULE`` on, it parts blocks."""


Numbers: TypeAlias = "array[int]"
"""Whole numbers, as NumPy reads them at once."""


def _numbers(numbers: Iterable[int] = ()) -> Numbers:
    return array("q", numbers)


@dataclass(slots=True)
class Elements:
    """Block-level elements that hold blocks, in document order, with their parents and blocks (``first`` to ``last``).

    The first stands for the page and is its own parent; ``last`` is the block behind. ``tags`` are the different start
    tags, without ``<`` and ``>``, and ``tag`` is the one of each element.
    """

    tags: list[str]
    tag: Numbers
    parents: Numbers
    first: Numbers
    last: Numbers

    @classmethod
    def of(cls, tags: list[str], parents: list[int], first: list[int], last: list[int]) -> Elements:
        """Return elements by the start tag, the parent, and the first and last block of each."""
        numbers = dict(zip(dict.fromkeys(tags), range(len(tags)), strict=False))
        tag = map(numbers.__getitem__, tags)
        return cls(list(numbers), *map(_numbers, (tag, parents, first, last)))

    def name(self, element: int) -> str:
        """Return the name of an element."""
        return self.tags[self.tag[element]].partition(" ")[0]

    def attributes(self, element: int) -> str:
        """Return the attributes of an element as they are written."""
        return "".join(self.tags[self.tag[element]].partition(" ")[1:])


@dataclass(slots=True)
class Blocks:
    """Blocks in document order: text, innermost element, characters in links, number of links."""

    texts: list[str] = field(default_factory=list)
    inside: Numbers = field(default_factory=_numbers)
    linked: Numbers = field(default_factory=_numbers)
    links: Numbers = field(default_factory=_numbers)
    elements: Elements = field(default_factory=lambda: Elements.of(["body"], [0], [0], [0]))
    title: str = ""
    """What the page states as its title."""

    def __len__(self) -> int:
        return len(self.texts)

    def lines(self, index: int) -> list[str]:
        """Return a block as lines of readable text."""
        return [line for part in self.texts[index].split(LINE) if (line := one_line(part))]


def one_line(text: str) -> str:
    """Return a text with white space collapsed, and without direction marks and the like at its ends.

    In most there is no white space but single spaces, which alone are printable.
    """
    return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split()).strip(_DIRECTIONS)


def walk(tree: LexborHTMLParser) -> Blocks:
    """Cut a parsed page into blocks. The tree is used up: what is never read is taken out of it."""
    title = tree.css_first("title")
    stated = title.text() if title else ""
    tree.strip_tags(STRIPPED)
    tree.unwrap_tags(UNWRAPPED)
    body = tree.body
    blocks = _cut((body.html or "") if body else "")
    blocks.title = " ".join(stated.split())
    return blocks


def _cut(html: str) -> Blocks:
    """Read well-formed HTML tag by tag, each with the text after it. No attribute value in it holds ``<`` or ``>``."""
    texts, inside, linked_of, links_of = list[str](), list[int](), list[int](), list[int]()
    tags, parents, first, last = ["body"], [0], [0], [0]
    # Start tags repeat with their attributes: what they are is told sooner the second time.
    kinds, parts = _KINDS.copy(), list[str]()
    kind_of, kept = kinds.get, kinds.setdefault
    element = count = linked = links = 0
    link = filled = broken = False
    chunks = iter((*_COMMENT.sub("", html).split("<"), "hr>"))
    for chunk in chunks:
        tag, _, text = chunk.partition(">")
        kind = kind_of(tag) or kept(tag, kind_of(tag.partition(" ")[0], _INLINE))
        if kind >= _RULE or (broken and kind == _LINE_BREAK):
            if filled:
                inside.append(element)
                texts.append("".join(parts))
                linked_of.append(linked)
                links_of.append(links)
                count += 1
                linked, filled = 0, False
            if kind == _START:
                parents.append(element)
                element = len(tags)
                tags.append(tag)
                first.append(count)
                last.append(0)
            elif kind == _END and element:
                if first[element] < count:
                    last[element] = count
                    element = parents[element]
                else:  # the innermost that is left, without blocks
                    element = parents[element]
                    del tags[-1], parents[-1], first[-1], last[-1]
            parts = parts and []
            links, broken = link, kind == _LINE_BREAK
        elif kind <= _LINK_END:
            link = kind == _LINK
            links += link
        elif kind != _INLINE:
            parts.append(LINE if kind == _LINE_BREAK else "")
            broken = broken or kind == _LINE_BREAK
            text = _after(chunk, chunks) if kind == _UNREAD else "" if kind == _READING else text
        blank = not text or text.isspace() or ("&" in text and (text := _decoded(text)).isspace())
        if not blank or (filled and text):
            parts.append(" " if blank else text)
            linked += 0 if blank else link * len(text)
            filled, broken = True, broken and blank
    last = [end or count for end in last]  # of those that are left open
    elements = Elements.of(tags, parents, first, last)
    return Blocks(texts, _numbers(inside), _numbers(linked_of), _numbers(links_of), elements)


def _after(chunk: str, chunks: Iterator[str]) -> str:
    """Pass over an element with its content, and return the text behind; "" where it has no end."""
    name = chunk.partition(">")[0].partition(" ")[0]
    depth = 1
    for inner in chunks:
        tag, _, text = inner.partition(">")
        if tag == f"/{name}":
            depth -= 1
            if not depth:
                return text
        elif name not in _RAW:
            depth += tag.partition(" ")[0] == name
    return ""


def _decoded(text: str) -> str:
    """Replace the four entities that the parser writes."""
    return text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
