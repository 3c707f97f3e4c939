"""Find the elements that are marked as the date of publication: microdata, HTML 5, hAtom and RDFa."""

from __future__ import annotations

import re
from itertools import groupby, islice
from typing import TYPE_CHECKING

from pipelines.metadata.asides import ASIDE_TAGS, OTHER_PAGES, is_aside, naming_of
from pipelines.metadata.dates.date_sources import DateCandidate
from pipelines.metadata.dates.labels import UPDATED, portions
from pipelines.metadata.dates.shown_dates import MAX_SHOWN_CHARS, label_of
from pipelines.metadata.teasers import teaser_test

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborHTMLParser, LexborNode
_CHANGED = re.compile(r"updated|modified", re.IGNORECASE)
_PUBLIC = re.compile(r"publish|posted|created", re.IGNORECASE)
TIME_ELEMENTS, MAX_TIMES = "time[datetime]", 500
"""<time> elements of a page that are read."""
# One query, because each walks the whole page. Drupal writes dc:date.
MARKED_ELEMENTS = (
    '[itemprop~="datePublished"],time[pubdate],abbr.published[title],[property~="dc:date"],[property$="datePublished"]'
    ',[itemprop~="dateCreated"]'
)
_BODIES = ("article", "main")
_TEASERS = 2
"""Articles beside a headline that is in none of them. From this number on they are teasers."""
MAX_MARKED_ELEMENTS = 1000
"""Marked elements of a page that are read."""


def time_elements(tree: LexborHTMLParser, url: str) -> Iterator[tuple[LexborNode, DateCandidate]]:
    """Yield the <time datetime> elements of the page itself: not of navigation, asides, comments or teasers."""
    is_in_teaser = teaser_test(tree, url)
    for node in tree.css(TIME_ELEMENTS)[:MAX_TIMES]:
        if is_aside(node) or is_in_teaser(node):
            continue
        shown = node.text(deep=False)[:MAX_SHOWN_CHARS]
        naming = f"{naming_of(node)} {node.attributes.get('itemprop') or ''}"
        named_so = _CHANGED.search(naming) is not None and _PUBLIC.search(naming) is None
        changed = named_so or UPDATED in {label_of(node), *(part.kind for part in portions(shown))}
        yield node, DateCandidate("updated" if changed else "time", node.attributes.get("datetime") or "", shown)


def marked_dates(tree: LexborHTMLParser, url: str) -> Iterator[str]:
    """Yield the values of elements marked as the date of publication, two for each mark, most trusted first."""
    marked = sorted(tree.css(MARKED_ELEMENTS)[:MAX_MARKED_ELEMENTS], key=_mark)
    is_in_teaser = teaser_test(tree, url)
    # A footer of the page may contain its date. Teasers and comments have dates of their own.
    own = (node for node in marked if not (is_aside(node, ASIDE_TAGS - {"footer"}, OTHER_PAGES) or is_in_teaser(node)))
    for node in (node for _, alike in groupby(own, key=_mark) for node in islice(alike, 2)):
        attributes = node.attributes
        stated = (attributes.get(name) for name in ("datetime", "content", *["title"] * (node.tag == "abbr")))
        yield next(filter(None, stated), node.text(separator=" ")[:200])


def _mark(node: LexborNode) -> int:
    """Return the index of an element's mark, 0 for the most trusted one."""
    attributes = node.attributes
    properties = (attributes.get("itemprop") or "").split()
    marks = ("datePublished" in properties, "pubdate" in attributes, node.tag == "abbr", "property" in attributes)
    return marks.index(True) if any(marks) else len(marks)


def times_of_article(tree: LexborHTMLParser, times: list[tuple[LexborNode, DateCandidate]]) -> Iterator[str]:
    """Yield the values of the first <time> elements of the article."""
    for name in _BODIES:
        # The element around the headline, else the first one, unless several are teasers.
        head = body = tree.css_first("h1")
        while body is not None and body.tag != name:
            body = body.parent
        every = tree.css(name)[:_TEASERS]
        if body is None and every and (head is None or len(every) < _TEASERS):
            body = every[0]
        inside = {node.mem_id for node in body.css(TIME_ELEMENTS)[:MAX_MARKED_ELEMENTS]} if body else set()
        own = [shown.text for node, shown in times if node.mem_id in inside and shown.source == "time"]
        yield from own[:2]
