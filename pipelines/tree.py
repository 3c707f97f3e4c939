"""The one place where HTML is parsed to a tree (lexbor through selectolax), for links and metadata."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

# Longer than any link label that could pass for a paragraph of an article.
MAX_ANCHOR_CHARS = 400


def parse_tree(html: str) -> LexborHTMLParser:
    """Parse a decoded page. Lone surrogates, which UTF-8 cannot carry, become U+FFFD."""
    return LexborHTMLParser(html.encode("utf-8", "replace").decode("utf-8"))


def anchor_texts(tree: LexborHTMLParser) -> frozenset[str]:
    """Return the texts of the page's links, white space folded, to tell paragraphs that are links from paragraphs
    that have some.
    """
    texts = (" ".join(node.text().split()) for node in tree.css("a"))
    return frozenset(text for text in texts if 0 < len(text) <= MAX_ANCHOR_CHARS)
