"""Parse HTML to a tree (lexbor through selectolax); read its shown text. No other module parses pages."""

from __future__ import annotations

import re
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from pipelines.markup import hostile, lexer

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from selectolax.lexbor import LexborNode

# Below these figures no page can strain a parser, so ordinary pages are not read twice. With so few tags as the first,
# half may open elements and half may rebuild all of them, within the limits of ``hostile``.
HARMLESS_TAGS = min(hostile.MAX_DEPTH, 2 * isqrt(hostile.MAX_REBUILT))
SUSPICIOUS_TAGS = 20_000
SUSPICIOUS_OPEN = 100
LONG_TAG = 1 << 14
MAX_ATTRIBUTES = 1000
"""Attributes of one element. The parser compares each with all before it (2 s for 20 000)."""
_FORMATTING_TAG = re.compile(rb"<(/?)(?:%b)(?=[\s/>])" % "|".join(sorted(hostile.FORMATTING)).encode(), re.IGNORECASE)
_OPENING = np.zeros((256, 256), bool)
"""First two bytes of the names of formatting elements' start tags, and of a few others."""
_NAME_ENDS = [chr(code) for code in range(256) if not chr(code).isalnum()]
for _name in hostile.FORMATTING:
    for _first in {_name[0], _name[0].upper()}:
        _OPENING[ord(_first), [ord(letter) for letter in (_name[1:2] + _name[1:2].upper() or _NAME_ENDS)]] = True
_NO_EVENTS = int(LexborDocumentOptions.WO_EVENTS)
"""Option of the parser: no text is copied between elements, such as a select's choice. It is also faster."""
_LESS_THAN = ord("<")
UNSHOWN = frozenset({"style", "script"})
"""Elements whose text readers do not see."""


def parse_tree(html: str) -> LexborHTMLParser:
    """Parse a decoded page, without NUL characters.

    Markup that would cost the parser seconds or gigabytes gives an empty tree (lexbor: 4 s for 40 000 nested elements,
    750 MB for 27 KB of open formatting). Such a page has no links and no metadata, and its text is read flat.
    """
    source = encoded(html)
    return parse_unguarded(b"" if strain(source) else source)


def encoded(html: str) -> bytes:
    """Return a decoded page as the parser reads it: UTF-8 without NULs, question marks for lone surrogates."""
    return html.encode("utf-8", "replace").replace(b"\0", b"")


def strain(source: bytes) -> str:
    """Return the reason why an encoded page would strain the parser; "" if it would not."""
    starts = np.flatnonzero(np.frombuffer(source, np.uint8) == _LESS_THAN)
    if _suspicious(source, starts) and (problem := hostile.strain(tag.name for tag in lexer.markup(source.decode()))):
        return problem
    return _crowded(source.decode()) if _may_be_crowded(source, starts) else ""


def parse_unguarded(source: bytes) -> LexborHTMLParser:
    """Parse an encoded page that ``strain`` has found harmless."""
    return LexborHTMLParser(source, options=_NO_EVENTS)


def outermost(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    """Return the selected elements that are in no other selected one, in the order of the page.

    Raises SelectolaxError if it is no selector.
    """
    found = tree.css(selector)
    chosen = {node.mem_id for node in found}
    inside: dict[int, bool] = {}
    """By element: whether it or an element around it is selected."""
    for node in found:
        path, around = list[int](), node.parent
        while around is not None and around.mem_id not in inside:
            path.append(around.mem_id)
            around = around.parent
        within = around is not None and inside[around.mem_id]
        for number in reversed(path):
            within = within or number in chosen
            inside[number] = within
    return [node for node in found if node.parent is None or not inside[node.parent.mem_id]]


def shown_text(node: LexborNode, separator: str = "") -> str:
    """Return the text of an element without style sheets and scripts inside it, which web components contain.

    Both contain braces, so a text without braces is returned at once.
    """
    text = node.text(separator=separator)
    if "{" not in text:
        return text
    parts = (part for part in node.traverse(include_text=True) if part.tag == "-text")
    shown = (part.text_content or "" for part in parts if part.parent is None or part.parent.tag not in UNSHOWN)
    return separator.join(shown)


def _crowded(html: str) -> str:
    long = (tag for tag in lexer.markup(html) if tag.end - tag.start >= LONG_TAG)
    most = max((lexer.attributes(html, tag.start) for tag in long if tag.name), default=0)
    return f"an element has {most} attributes" if most > MAX_ATTRIBUTES else ""


def _may_be_crowded(source: bytes, starts: NDArray[np.intp]) -> bool:
    """Return whether any tag may have too many attributes: so many words without a less-than sign among them.

    Only long gaps between less-than signs are examined. Most are scripts and data URLs of pictures.
    """
    gaps = np.diff(starts, append=len(source))
    for start in starts[gaps >= LONG_TAG].tolist():
        is_tag = source[start + 1 : start + 3].lstrip(b"/")[:1].isalpha()
        rest = lexer.REST_OF_TAG.match(source, start + 1) if is_tag else None
        if rest is not None and len(rest[0]) >= LONG_TAG and len(rest[0].replace(b"/", b" ").split()) > MAX_ATTRIBUTES:
            return True
    return False


def _suspicious(source: bytes, starts: NDArray[np.intp]) -> bool:
    if not HARMLESS_TAGS < starts.size <= SUSPICIOUS_TAGS:
        return starts.size > SUSPICIOUS_TAGS
    data, tags = np.frombuffer(source, np.uint8), starts[starts < len(source) - 2]  # no tag opens in the last two bytes
    if np.count_nonzero(_OPENING[data[tags + 1], data[tags + 2]]) <= SUSPICIOUS_OPEN:
        return False
    opened = most = 0
    for is_end in _FORMATTING_TAG.findall(source):
        # An end tag that ends nothing does not make up for a start tag after it.
        opened = max(opened - 1, 0) if is_end else opened + 1
        most = max(most, opened)
    return most > SUSPICIOUS_OPEN
