"""Base URL of a page (HTML Standard, section 4.2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.urls.url import parse

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser


def base_of(tree: LexborHTMLParser, url: str) -> str:
    """Return the base URL of a page's references: its ``<base>`` if that is http(s), else its own URL."""
    node = tree.css_first("base[href]")
    address = parse(node.attributes.get("href") or "", url) if node else None
    return address.fetchable if address else url
