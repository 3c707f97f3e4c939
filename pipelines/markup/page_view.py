"""One view of a decoded page for all its readers: it is parsed once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from selectolax.lexbor import SelectolaxError

from pipelines.markup.tree import encoded, parse_unguarded, strain

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser


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

    def copy_of_tree(self) -> LexborHTMLParser:
        """Return a copy of the tree, for a reader that changes it. This takes a third of the time of a parse.

        The copy has no content of ``<template>``, which browsers do not show. selectolax 1.0 does not copy a page whose
        doctype has a system identifier alone, so such a page is parsed again.
        """
        try:
            return self.tree.clone()
        except SelectolaxError:
            return parse_unguarded(self.source)
