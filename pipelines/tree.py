"""The one place where HTML is parsed to a tree (lexbor through selectolax), for links and metadata."""

from __future__ import annotations

import re
from math import isqrt

from selectolax.lexbor import LexborHTMLParser

from pipelines.extractors import hostile, soup

# Below these no page can strain a parser; ordinary pages are not read twice to find out. Of so few tags as the first,
# half may open elements and half have all of them rebuilt, and still no limit of ``hostile`` is passed.
HARMLESS_TAGS = min(hostile.MAX_DEPTH, 2 * isqrt(hostile.MAX_REBUILT))
SUSPICIOUS_TAGS = 20_000
SUSPICIOUS_OPEN = 100
# Any case, spelt out, and first letters tested before names: IGNORECASE would take more than twice the time.
_FORMATTING = re.compile(
    r"<(/?)(?=[bcefistuBCEFISTU])(?:[bB](?:[iI][gG])?|[cC][oO][dD][eE]|[eE][mM]|[fF][oO][nN][tT]|[iIuU]|[tT][tT]"
    r"|[sS](?:[mM][aA][lL][lL]|[tT][rR](?:[iI][kK][eE]|[oO][nN][gG]))?)[\s/>]"
)


def parse_tree(html: str) -> LexborHTMLParser:
    """Parse a decoded page. Lone surrogates, which UTF-8 cannot carry, become U+FFFD.

    Markup that would cost the parser seconds or gigabytes (40 000 nested elements take lexbor 4 s, 27 KB of formatting
    left open 750 MB) gives an empty tree: such a page has no links and no metadata, and its text is read flat.
    """
    return parse_unguarded("" if strain(html) else html)


def strain(html: str) -> str:
    """Say what makes a page a strain on the parser; "" if nothing."""
    return hostile.strain(tag.name for tag in soup.markup(html)) if _suspicious(html) else ""


def parse_unguarded(html: str) -> LexborHTMLParser:
    """Parse a page that ``strain`` has found harmless."""
    try:
        return LexborHTMLParser(html)
    except UnicodeEncodeError:
        return LexborHTMLParser(html.encode("utf-8", "replace").decode("utf-8"))


def _suspicious(html: str) -> bool:
    tags = html.count("<")
    if not HARMLESS_TAGS < tags <= SUSPICIOUS_TAGS:
        return tags > SUSPICIOUS_TAGS
    ends = _FORMATTING.findall(html)
    return len(ends) - 2 * ends.count("/") > SUSPICIOUS_OPEN
