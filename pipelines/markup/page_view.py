"""One view of a decoded page for all its readers: it is parsed once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from selectolax.lexbor import SelectolaxError

from pipelines.markup.tree import base_of, encoded, parse_unguarded, strain

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_METAS = 1000
"""Meta elements of a page that are read."""
MAX_REFERENCES = 20_000
"""Elements with a reference that are read."""


class ReadElement(NamedTuple):
    """An element of a page with its name and attributes."""

    node: LexborNode
    tag: str
    attributes: dict[str, str | None]


class PageView:
    """A decoded page with its tree. Readers do not change the tree: one that must do so takes a copy."""

    def __init__(self, html: str) -> None:
        self.html = html
        source = encoded(html)
        self.problem = strain(source)
        """Why the page would strain the parser; "" if it would not."""
        self.source = b"" if self.problem else source
        """The page in UTF-8, as the parser reads it; empty if it would strain the parser."""
        self.tree = parse_unguarded(self.source)
        self._bases: dict[str, str] = {}

    @cached_property
    def metas(self) -> list[ReadElement]:
        """The meta elements."""
        return [ReadElement(node, "meta", node.attributes) for node in self.tree.css("meta")[:MAX_METAS]]

    @cached_property
    def references(self) -> list[ReadElement]:
        """The ``a``, ``area`` and ``link`` elements with a reference."""
        found = self.tree.css("a[href], area[href], link[href]")[:MAX_REFERENCES]
        return [ReadElement(node, node.tag or "", node.attributes) for node in found]

    def base_of(self, url: str) -> str:
        """Return the base URL of the references of the page at ``url``."""
        if url not in self._bases:
            self._bases[url] = base_of(self.tree, url)
        return self._bases[url]

    def copy_of_tree(self) -> LexborHTMLParser:
        """Return a copy of the tree, for a reader that changes it. This takes a third of the time of a parse.

        The copy has no content of ``<template>``, which browsers do not show. selectolax 1.0 does not copy a page whose
        doctype has a system identifier alone, so such a page is parsed again.
        """
        try:
            return self.tree.clone()
        except SelectolaxError:
            return parse_unguarded(self.source)
