"""<article> elements that lead to other pages: dates in them are none of the page's own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborHTMLParser, LexborNode

_HEADINGS = "h1,h2,h3,h4"
_NO_LETTERS = re.compile(r"[\W_]+")
_MAX_TITLE = 500
_PROSE, _PARAGRAPHS = 100, 3
"""Characters of a paragraph of prose, and how many of these make an <article> more than a teaser."""
_LEVELS = 4
"""Elements from a heading upwards among which a link may be."""


def teaser_test(tree: LexborHTMLParser) -> Callable[[LexborNode], bool]:
    """Return what says whether the innermost <article> around an element leads to another page.

    Such a one begins with a heading that is a link, and that the title does not repeat, and holds no text to speak of.
    """
    title = letters_of(tree.css_first("title"))
    known: dict[int, bool] = {}

    def is_in_teaser(node: LexborNode) -> bool:
        article: LexborNode | None = node
        while article is not None and article.tag != "article":
            article = article.parent
        if article is None:
            return False
        if article.mem_id not in known:
            known[article.mem_id] = _is_teaser(article, title)
        return known[article.mem_id]

    return is_in_teaser


def letters_of(node: LexborNode | None) -> str:
    """Return the letters and figures of an element's text, in one case; "" for no element."""
    return folded_letters(node.text()[:_MAX_TITLE]) if node else ""


def folded_letters(text: str) -> str:
    """Return the letters and figures of a text, in one case."""
    return _NO_LETTERS.sub("", text.casefold())


def _is_teaser(article: LexborNode, title: str) -> bool:
    heading = article.css_first(_HEADINGS)
    if heading is None or heading.tag == "h1" or not _is_linked(heading):
        return False
    told = letters_of(heading)
    return not (told and told in title) and not _has_prose(article)


def _is_linked(heading: LexborNode) -> bool:
    around: LexborNode | None = heading
    for _ in range(_LEVELS):
        if around is None or around.tag == "a":
            break
        around = around.parent
    return heading.css_first("a[href]") is not None or (around is not None and around.tag == "a")


def _has_prose(article: LexborNode) -> bool:
    return sum(len(paragraph.text()) >= _PROSE for paragraph in article.css("p")) >= _PARAGRAPHS
