"""Elements that call themselves the date of publication (microdata, HTML 5, hAtom, RDFa), and the article's times."""

from __future__ import annotations

from itertools import groupby, islice
from typing import TYPE_CHECKING

from pipelines.dating.teasers import teaser_test
from pipelines.dating.visible import Shown, is_of_another

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborHTMLParser, LexborNode

# In one query, for each walks the whole page. Drupal writes dc:date.
_ELEMENTS = (
    '[itemprop~="datePublished"],time[pubdate],abbr.published[title],[property~="dc:date"],[property$="datePublished"]'
    ',[itemprop~="dateCreated"]'
)
_BODIES = ("article", "main")
_TEASERS = 2
"""So many articles beside a headline in none of them are not the page's own."""
_MAX_ELEMENTS = 1000


def marked_dates(tree: LexborHTMLParser) -> Iterator[str]:
    """Yield what elements marked as the date of publication say, the most trusted mark first, two of each."""
    marked = sorted(tree.css(_ELEMENTS)[:_MAX_ELEMENTS], key=_mark)
    is_in_teaser = teaser_test(tree)
    own = (node for node in marked if not (is_of_another(node) or is_in_teaser(node)))
    for node in (node for _, alike in groupby(own, key=_mark) for node in islice(alike, 2)):
        attributes = node.attributes
        stated = (attributes.get(name) for name in ("datetime", "content", *["title"] * (node.tag == "abbr")))
        yield next(filter(None, stated), node.text(separator=" ")[:200])


def _mark(node: LexborNode) -> int:
    """Return which of the marks an element has, the most trusted of them least."""
    attributes = node.attributes
    properties = (attributes.get("itemprop") or "").split()
    marks = ("datePublished" in properties, "pubdate" in attributes, node.tag == "abbr", "property" in attributes)
    return marks.index(True) if any(marks) else len(marks)


def times_of_article(tree: LexborHTMLParser, times: list[tuple[LexborNode, Shown]]) -> Iterator[str]:
    """Yield what the first <time> elements of the article say."""
    for body in (_body(tree, name) for name in _BODIES):
        inside = {node.mem_id for node in body.css("time[datetime]")[:_MAX_ELEMENTS]} if body else set()
        own = [shown.text for node, shown in times if node.mem_id in inside and shown.place == "time"]
        yield from own[:2]


def _body(tree: LexborHTMLParser, name: str) -> LexborNode | None:
    """Return the element of that name which holds the headline, else the first; not of many, for teasers are some."""
    head = around = tree.css_first("h1")
    while around is not None and around.tag != name:
        around = around.parent
    every = tree.css(name)[:_TEASERS]
    return around or (every[0] if every and (head is None or len(every) < _TEASERS) else None)
