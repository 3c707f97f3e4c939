"""Cut a page into a flat list of blocks with the elements around them, in columns, by one parse and one scan.

lexbor parses the page, drops elements that are never read, and serialises the tree. The result is well-formed: every
end tag has its start tag, and ``<`` and ``>`` only delimit tags. Splitting this text is faster than visiting the nodes
of the tree from Python. The parser has handled entities, unquoted values and unclosed tags.

A block is the text between two block-level tags, or between two ``<br>`` in a row. A single ``<br>`` is a line break in
the block.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from pipelines.extractors.auto.blocks.tree_marks import mark_appeals, mark_captions
from pipelines.markup.anchors import LINKED
from pipelines.markup.lexer import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from selectolax.lexbor import LexborHTMLParser, LexborNode

STRIPPED = ["script", "style", "noscript", "iframe", "svg", "select", "img", "input"]
"""Elements removed from the tree: their content is no markup, or they are many and long."""
UNWRAPPED = ["span"]
"""Elements replaced by their content: faster in the parser than reading their tags here."""
UNREAD = frozenset(
    (
        *("template", "title", "noembed", "noframes", "math", "option", "datalist", "textarea", "canvas", "audio"),
        *("video", "applet", "xmp", "plaintext"),
    )
)
"""Elements skipped with their content."""
_RAW = frozenset(("noembed", "noframes", "xmp", "plaintext"))
"""Skipped elements whose content is never markup."""
LINE = "\x1e"
"""Stands for a single ``<br>`` inside the text of a block."""

READINGS = frozenset(("rt", "rp", "rtc"))
"""Ruby annotations: the reading of the word before, which would stand inside the sentence."""

_DIRECTIONS = " \u061c\u200b\u200e\u200f\ufeff"
"""Invisible characters that editors leave at the ends of lines, and the space."""
_COMMENT = re.compile(r"<!--[^-]*+(?:-(?!->)[^-]*+)*+(?:-->|\Z)")
_ELEMENTS = (BLOCKS - {"br", "hr"}) | {"button", "object", "marquee"}
_LINK, _LINK_END, _INLINE, _UNREAD, _READING, _LINE_BREAK, _RULE, _START, _END = range(1, 10)
_CUSTOM_NAME = re.compile("[a-z][a-z0-9]*-[a-z0-9-]+")
_CUSTOM = re.compile(f"<({_CUSTOM_NAME.pattern})")
_MAX_CUSTOM = 100
"""Custom elements of a page that are looked at: names, and elements of each."""
_LINES = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "button"))
"""Block-level elements that hold a line of text."""
_HOLDING = _ELEMENTS | {"body"}
_MAX_PLACES = 500
"""Anchors to places on the page that are looked at."""
_OFTEN = ("span", "strong", "b", "i", "em", "font", "u", "label", "small", "sup", "time", "source")
_KINDS = {name: _INLINE for often in _OFTEN for name in (often, f"/{often}")} | dict.fromkeys(UNREAD, _UNREAD)
_KINDS |= dict.fromkeys(READINGS, _READING)
_KINDS |= {"/a": _LINK_END, "br": _LINE_BREAK, "hr": _RULE, **dict.fromkeys(_ELEMENTS, _START)}
_KINDS |= {f"/{name}": _END for name in _ELEMENTS}
"""Kind of each tag by its name. Kinds from ``_RULE`` on separate blocks."""


Numbers: TypeAlias = "array[int]"
"""Integers in a buffer that NumPy reads without a copy."""


def _numbers(numbers: Iterable[int] = ()) -> Numbers:
    return array("q", numbers)


@dataclass(slots=True)
class Elements:
    """Block-level elements that hold blocks, in document order, with their parents and blocks (``first`` to ``last``).

    The first element is the page and its own parent. ``last`` is the block after the element. ``tags`` are the distinct
    start tags without ``<`` and ``>``, ``names`` their first words; ``tag`` is the index of each element's tag.
    """

    tags: list[str]
    names: list[str]
    tag: Numbers
    parents: Numbers
    first: Numbers
    last: Numbers

    @classmethod
    def of(cls, tags: list[str], parents: list[int], first: list[int], last: list[int]) -> Elements:
        """Build the columns from the start tag, parent, first and last block of each element."""
        numbers = dict(zip(dict.fromkeys(tags), range(len(tags)), strict=False))
        tag = map(numbers.__getitem__, tags)
        names = [each.partition(" ")[0] for each in numbers]
        return cls(list(numbers), names, *map(_numbers, (tag, parents, first, last)))

    def name(self, element: int) -> str:
        """Return the name of an element."""
        return self.names[self.tag[element]]

    def attributes(self, element: int) -> str:
        """Return the attributes of an element as written."""
        return "".join(self.tags[self.tag[element]].partition(" ")[1:])


@dataclass(slots=True)
class BlockSequence:
    """Blocks in document order: text, innermost element, characters in links, number of links."""

    texts: list[str] = field(default_factory=list)
    inside: Numbers = field(default_factory=_numbers)
    linked: Numbers = field(default_factory=_numbers)
    links: Numbers = field(default_factory=_numbers)
    elements: Elements = field(default_factory=lambda: Elements.of(["body"], [0], [0], [0]))
    title: str = ""
    """Content of the ``title`` element."""

    def __len__(self) -> int:
        return len(self.texts)

    def around(self, index: int) -> Iterator[int]:
        """Yield the elements around a block, the innermost first, without the page itself."""
        element, parents = self.inside[index], self.elements.parents
        while element:
            yield element
            element = parents[element]

    def lines(self, index: int) -> list[str]:
        """Return a block as lines of readable text."""
        return [line for part in self.texts[index].split(LINE) if (line := one_line(part))]

    def lines_of(self, indices: Iterable[int]) -> list[list[str]]:
        """Return the lines of each of some blocks."""
        return list(map(self.lines, indices))


def one_line(text: str) -> str:
    """Collapse white space, and strip direction marks and the like from the ends.

    Most texts have single spaces only, the only printable white space. They take the fast path.
    """
    return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split()).strip(_DIRECTIONS)


def walk(tree: LexborHTMLParser) -> BlockSequence:
    """Cut a parsed page into blocks. This changes the tree: elements that are never read are removed."""
    title = tree.css_first("title")
    stated = title.text() if title else ""
    mark_captions(tree)
    mark_appeals(tree)
    _link_contents(tree)
    tree.strip_tags(STRIPPED)
    tree.unwrap_tags(UNWRAPPED)
    body = tree.body
    html = (body.html or "") if body else ""
    blocks = _cut(html, _custom_blocks(tree, html))
    blocks.title = " ".join(stated.split())
    return blocks


def _link_contents(tree: LexborHTMLParser) -> None:
    """Make the entries of a table of contents links: a list of places on the page is a menu, and no text.

    Without it two Japanese gold pages keep their tables of contents (F1 .48 to .30 and .92 to .89).
    """
    for node in tree.css('a[href^="#"]')[:_MAX_PLACES]:
        around = node.parent
        if around is not None and around.tag != "li":
            around = around.parent
        if around is not None and around.tag == "li":
            node.attrs["href"] = "#!"


def _custom_blocks(tree: LexborHTMLParser, html: str) -> list[str]:
    """Return the names of custom elements that stand for blocks: they are never in a line of text.

    Frameworks write ``<app-byline>`` and ``<app-paragraph>``. Read as inline, their texts run together.
    """
    names = sorted(set(_CUSTOM.findall(html)))[:_MAX_CUSTOM]
    return [name for name in names if not any(map(_is_in_line, islice(tree.css(name), _MAX_CUSTOM)))]


def _is_in_line(node: LexborNode) -> bool:
    """Return whether an element is in a paragraph or in an inline element, or has text beside it."""
    around = node.parent.tag if node.parent else None
    if around is None or around in _LINES or (around not in _HOLDING and not _CUSTOM_NAME.fullmatch(around)):
        return True
    beside = (node.prev, node.next)
    return any(each is not None and each.tag == "-text" and (each.text() or "").strip() for each in beside)


def _cut(html: str, custom: Iterable[str] = ()) -> BlockSequence:
    """Read well-formed HTML tag by tag, each with the text after it. Attribute values hold no ``<`` or ``>``.

    ``custom`` are the names of further elements that are blocks.
    """
    texts, inside, linked_of, links_of = list[str](), list[int](), list[int](), list[int]()
    tags, parents, first, last = ["body"], [0], [0], [0]
    # Cache the kind of whole tags, because tags repeat with their attributes.
    kinds, parts = _KINDS.copy(), list[str]()
    kinds |= dict.fromkeys(custom, _START) | {f"/{name}": _END for name in custom}
    kind_of, kept = kinds.get, kinds.setdefault
    element = count = linked = links = 0
    link = filled = broken = False
    chunks = iter((*_COMMENT.sub("", html).split("<"), "hr>"))
    for chunk in chunks:
        tag, _, text = chunk.partition(">")
        kind = kind_of(tag) or kept(tag, _kind_of(tag, kinds))
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
                else:  # an element without blocks
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
    last = [end or count for end in last]  # elements left open
    elements = Elements.of(tags, parents, first, last)
    return BlockSequence(texts, _numbers(inside), _numbers(linked_of), _numbers(links_of), elements)


def _kind_of(tag: str, kinds: Mapping[str, int]) -> int:
    name = tag.partition(" ")[0]
    if name == "a":
        # The serialiser writes nearly all links so. The pattern takes five times as long.
        plain = tag.partition(' href="')[2][:1]
        return _LINK if plain.isalnum() or plain == "/" or LINKED.search(tag) else _INLINE
    return kinds.get(name, _INLINE)


def _after(chunk: str, chunks: Iterator[str]) -> str:
    """Skip an element with its content and return the text after it; "" if it has no end."""
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
    """Decode the four entities that the serialiser writes."""
    return text.replace("&nbsp;", "\xa0").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
