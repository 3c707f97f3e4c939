"""Find captions that no element names: a short line in italics, or of the class "caption", directly after a picture.

Editors write ``<p><img></p><p><em>caption</em></p>``. Pictures are dropped before the page is cut into blocks, so such
a line is marked in the tree, with the class that `rules.captions` reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.extractors.auto.blocks.tree_lines import add_class, letters, line_around

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MARK = "picture-caption"
"""Class of a line that is a caption."""
MAX_CHARS = 300
"""Characters of a caption. A longer line in italics is text."""
_CANDIDATES = "em, i, small, .caption"
_MAX_CANDIDATES = 200
"""Candidates of a page that are looked at."""
_LEVELS = 3
"""Elements around a line, with nothing before it, whose neighbour may be the picture."""
_PICTURES = frozenset({"img", "picture"})
_BETWEEN = frozenset({"br", "-comment", "noscript", "meta", "script"})
_NO_BLOCKS = frozenset({"body", "html", "article", "main", "section", "td", "li", "blockquote"})
"""Elements that are larger than a line."""


def mark_captions(tree: LexborHTMLParser) -> None:
    """Add the class `MARK` to lines that are captions of the picture before them. This changes the tree."""
    if tree.css_first("img") is None:
        return
    for node in tree.css(_CANDIDATES)[:_MAX_CANDIDATES]:
        line = _line_of(node)
        if line is not None and _follows_picture(line, node):
            add_class(line, MARK)


def _line_of(node: LexborNode) -> LexborNode | None:
    """Return the block whose whole text is this element's; None if there is other text or too much."""
    said = letters(node)
    if not 2 <= len(said) <= MAX_CHARS:
        return None
    line = line_around(node)
    if line is None or line.tag in _NO_BLOCKS:
        return None
    return line if line is node or letters(line) == said else None


def _follows_picture(line: LexborNode, node: LexborNode) -> bool:
    """Return whether a picture, and nothing else, stands before an element in its line, or before the line."""
    inner: LexborNode | None = node
    while inner is not None and inner.mem_id != line.mem_id:
        if (before := _before(inner)) is not None:
            return _is_picture(before)
        inner = inner.parent
    around: LexborNode | None = line
    for _ in range(_LEVELS):
        if around is None or around.tag in {"body", "html"}:
            return False
        if (before := _before(around)) is not None:
            return _is_picture(before)
        around = around.parent
    return False


def _before(node: LexborNode) -> LexborNode | None:
    """Return the sibling before an element, without blank text and line breaks."""
    before = node.prev
    while before is not None and (
        before.tag in _BETWEEN or (before.tag == "-text" and not (before.text() or "").strip())
    ):
        before = before.prev
    return before


def _is_picture(node: LexborNode) -> bool:
    """Return whether an element is a picture, or holds one and no text."""
    if node.tag in _PICTURES:
        return True
    if node.tag == "-text" or node.css_first("img") is None:
        return False
    return not letters(node)
