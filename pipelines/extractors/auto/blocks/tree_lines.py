"""Lines in the parsed tree, before it is cut into blocks: the block around inline elements, its size, its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_INLINE = frozenset({"em", "i", "small", "span", "font", "b", "strong", "u", "a"})


def line_around(node: LexborNode) -> LexborNode | None:
    """Return the first element around a node, or itself, that is not inline."""
    line: LexborNode | None = node
    while line is not None and line.tag in _INLINE:
        line = line.parent
    return line


def letters(node: LexborNode) -> str:
    """Return the text of an element without white space."""
    return "".join((node.text() or "").split())


def add_class(node: LexborNode, name: str) -> None:
    """Add a class to an element. This changes the tree."""
    node.attrs["class"] = f"{node.attributes.get('class') or ''} {name}".strip()
