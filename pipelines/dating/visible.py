"""Where readers see a date: short texts near the headline, and elements whose class says so."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborHTMLParser, LexborNode

_HINT = re.compile(
    r"date|time|publish|posted|pubdate|byline|meta|info|created|updated|ngay|thoi-?gian|tarikh|zaman|fecha|datum",
    re.IGNORECASE,
)
_MISLEADING = re.compile(r"relat|comment|sidebar|footer|most|popular|recommend|widget|copyright", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_MAX_NODES = 6000
_MAX_TEXT = 160
_MAX_HELD = 12
_MAX_UNMARKED = 80
_BEFORE, _BEHIND, _NEXT = 60, 400, 40
"""Elements before, behind and next to the headline among which a date is looked for."""
_LEVELS = 4
_UNREAD = frozenset({"script", "style", "noscript", "template", "svg", "option", "select", "title", "html", "head"})


def visible_dates(tree: LexborHTMLParser) -> Iterator[tuple[str, bool]]:
    """Yield short texts that may state when the page was published, and whether they stand before the headline.

    Marked ones behind the headline come first, then texts with digits next to it, then marked ones before it, of which
    one may be the masthead's date of today. Without a headline the page's start counts as one.
    """
    nodes = tree.css("*")[:_MAX_NODES]  # a descendant combinator would cost the square of the depth
    head = next((place for place, node in enumerate(nodes) if node.tag == "h1"), 0)
    first = max(0, head - _BEFORE)
    small = _small(nodes[first : head + _BEHIND])
    before, behind = small[: head - first], small[head - first + 1 :]
    for part, limit in ((behind, 0), (behind[:_NEXT], _MAX_UNMARKED), (before, 0)):
        for node in part:
            if node and (limit or _is_marked(node)) and (text := _short_text(node, limit or _MAX_TEXT)):
                yield text, part is before


def _small(nodes: list[LexborNode]) -> list[LexborNode | None]:
    """Put None for elements that hold many others: reading the text of each would cost the square of their number."""
    held: Counter[int] = Counter()
    for node in reversed(nodes):
        if node.parent:
            held[node.parent.mem_id] += 1 + held[node.mem_id]
    return [node if held[node.mem_id] <= _MAX_HELD else None for node in nodes]


def _is_marked(node: LexborNode) -> bool:
    if node.tag != "time" and not _HINT.search(_naming(node)):
        return False
    around: LexborNode | None = node
    for _ in range(_LEVELS):
        if around is None or _MISLEADING.search(_naming(around)):
            return around is None
        around = around.parent
    return True


def _naming(node: LexborNode) -> str:
    attributes = node.attributes
    return f"{attributes.get('class') or ''} {attributes.get('id') or ''}"


def _short_text(node: LexborNode, limit: int) -> str:
    """Return the text of an element, "" when it is none, longer than ``limit``, or without a digit."""
    if node.tag in _UNREAD:
        return ""
    text = " ".join((node.text(separator=" ") or "").split())
    return text if len(text) <= limit and _DIGIT.search(text) else ""
