"""Find boxes that ask the reader for something: consent, money, a subscription.

They are known by where their link leads: to a page for donations, subscriptions, newsletters or privacy. A box is a
small element that holds little more than the link and the appeal. It gets a class that `page` counts as a widget. A
paragraph of prose with such a link is no box.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipelines.extractors.auto.blocks.tree_lines import add_class, letters, line_around

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MARK = "donation-box"
"""Class of a box that asks for something."""
MAX_CHARS = 400
"""Characters of a box."""
_MIN_LINKED_SHARE = 0.9
"""Share of a line in its link from which the line is the box, or the button of one."""
_LEADS = re.compile(
    r"(?:^|[/?&=._-])(?:donat(?:e|ion|ions)|support-?(?:us|our\w*)|membership|become-a-?member|supporters?"
    r"|subscri(?:be|ption|ptions)|newsletters?|cookies?(?:-policy)?|privacy(?:-policy|-notice)?)(?:$|[/?&=._-])",
    re.IGNORECASE,
)
_STEMS = ("donat", "support", "member", "subscri", "newsletter", "cookie", "privacy")
_MAY_LEAD = ", ".join(f'a[href*="{stem}" i]' for stem in _STEMS)
"""A sieve in the parser: to ask every link for its address takes much longer."""
_NO_BOXES = frozenset({"body", "html", "article", "main"})
_MAX_LINKS = 100
"""Such links of a page that are looked at."""


def mark_appeals(tree: LexborHTMLParser) -> None:
    """Add the class `MARK` to boxes that ask for something. This changes the tree."""
    for link in tree.css(_MAY_LEAD)[:_MAX_LINKS]:
        leads = _LEADS.search((link.attributes.get("href") or "")[:MAX_CHARS])
        box = _box_around(link) if leads else None
        if box is not None:
            add_class(box, MARK)


def _box_around(link: LexborNode) -> LexborNode | None:
    """Return the small element around a link that is a line of its own; None if the link is part of a text."""
    line = line_around(link)
    if line is None or line.tag in _NO_BOXES:
        return None
    size = _size(line)
    if _size(link) < _MIN_LINKED_SHARE * size and not _is_button_of(line, link):
        return None
    around = line.parent
    while around is not None and around.tag not in _NO_BOXES and _may_be_box(around):
        line, around = around, around.parent
    return line if _size(line) <= MAX_CHARS else None


def _is_button_of(line: LexborNode, link: LexborNode) -> bool:
    """Return whether a link directly in a box stands beside paragraphs, as a button does."""
    is_child = link.parent is not None and link.parent.mem_id == line.mem_id
    return is_child and line.tag != "p" and line.css_first("p") is not None


def _may_be_box(node: LexborNode) -> bool:
    return _size(node) <= MAX_CHARS and node.css_first("h1") is None


def _size(node: LexborNode) -> int:
    return len(letters(node))
