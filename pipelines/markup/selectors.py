"""Check CSS selectors. Apart from the module that parses pages, which takes ten times as long to import."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, SelectolaxError


def selector_problem(selector: str) -> str:
    """Return what is wrong with a CSS selector; "" if pages can be searched with it."""
    if selector.lstrip().startswith(("/", "./", "(/")):
        return "this is XPath"
    tree = LexborHTMLParser("<p>")
    if _is_selector(tree, selector):
        return ""
    right = next((part for end in range(len(selector), 0, -1) if _is_selector(tree, part := selector[:end])), "")
    return f'unknown or incomplete after "{right.strip()}"' if right.strip() else "unknown or incomplete"


def _is_selector(tree: LexborHTMLParser, text: str) -> bool:
    try:
        tree.css(text)
    except SelectolaxError:
        return False
    return bool(text.strip())
