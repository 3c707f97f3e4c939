"""Mark lines in the parsed tree before it is cut into blocks: captions that no element names, and appeals.

- A caption is a short line in italics, or of the class "caption", directly after a picture. Editors write
  ``<p><img></p><p><em>caption</em></p>``. Pictures are dropped before the page is cut into blocks. A caption that is in
  no paragraph gets an element of its own.
- An appeal is a box that asks the reader for something: consent, money, a subscription. It is known by where its link
  leads: to a page for donations, subscriptions, newsletters or privacy. It is a small element that holds little more
  than the link and the appeal. A paragraph of prose with such a link is no box. A short line with a link to a channel
  of the paper is an appeal as well.

A marked line gets a class, which `rules.captions` or `page` reads.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from pipelines.markup.lexer import BLOCKS
from pipelines.markup.tree import parse_tree

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# Captions.
CAPTION = "picture-caption"
"""Class of a line that is a caption."""
MAX_CAPTION_CHARS = 300
"""Characters of a caption. A longer line in italics is text."""
_CANDIDATES = 'em, i, small, .caption, span[class*="aption"]'
_BOX = f'<div class="{CAPTION}"></div>'
_MAX_CANDIDATES = 200
"""Candidates of a page that are looked at."""
_LEVELS = 3
"""Elements around a line, with nothing before it, whose neighbour may be the picture."""
_PICTURES = frozenset({"img", "picture"})
_BETWEEN = frozenset({"br", "-comment", "noscript", "meta", "script"})
_NO_BLOCKS = frozenset({"body", "html", "article", "main", "section", "td", "li", "blockquote"})
"""Elements that are larger than a line."""


def mark_captions(tree: LexborHTMLParser) -> None:
    """Add the class `CAPTION` to lines that are captions of the picture before them. This changes the tree."""
    if tree.css_first("img") is None:
        return
    for node in tree.css(_CANDIDATES)[:_MAX_CANDIDATES]:
        line = _line_of(node)
        if line is not None and _follows_picture(line, node):
            _add_class(line, CAPTION)
        elif line is None and _is_line_below_picture(node):
            box = parse_tree(_BOX).css_first("div")
            if box is not None:
                node.insert_before(box)
                if node.prev is not None:
                    node.prev.insert_child(node)
                node.decompose()


def _line_of(node: LexborNode) -> LexborNode | None:
    """Return the block whose whole text is this element's; None if there is other text or too much."""
    said = _packed(node)
    if not 2 <= len(said) <= MAX_CAPTION_CHARS:
        return None
    line = _line_around(node)
    if line is None or line.tag in _NO_BLOCKS:
        return None
    return line if line is node or _packed(line) == said else None


def _follows_picture(line: LexborNode, node: LexborNode) -> bool:
    """Return whether a picture, and nothing else, stands before an element in its line, or before the line."""
    inner: LexborNode | None = node
    while inner is not None and inner.mem_id != line.mem_id:
        if (before := _before(inner)) is not None:
            return _is_picture(before)
        inner = inner.parent
    around: LexborNode | None = line
    for _ in range(_LEVELS):
        if around is None or around.tag in {"body", "html"}:
            return False
        if (before := _before(around)) is not None:
            return _is_picture(before)
        around = around.parent
    return False


def _is_line_below_picture(node: LexborNode) -> bool:
    """Return whether an inline element is a line between a picture and a line break, a block or the end of its block.

    Text that is in no paragraph stands around it.
    """
    if node.tag not in _INLINE or not 2 <= len(_packed(node)) <= MAX_CAPTION_CHARS:
        return False
    first = last = node
    while (before := _before(first)) is None and first.parent is not None and first.parent.tag in _INLINE:
        first = first.parent
    while (after := _after(last)) is None and last.parent is not None and last.parent.tag in _INLINE:
        last = last.parent
    ends = after is None or after.tag == "br" or after.tag in BLOCKS
    return ends and before is not None and _is_picture(before)


def _after(node: LexborNode) -> LexborNode | None:
    """Return the sibling after an element, without blank text and comments."""
    after = node.next
    while after is not None and (
        after.tag == "-comment" or (after.tag == "-text" and not (after.text() or "").strip())
    ):
        after = after.next
    return after


def _before(node: LexborNode) -> LexborNode | None:
    """Return the sibling before an element, without blank text and line breaks."""
    before = node.prev
    while before is not None and (
        before.tag in _BETWEEN or (before.tag == "-text" and not (before.text() or "").strip())
    ):
        before = before.prev
    return before


def _is_picture(node: LexborNode) -> bool:
    """Return whether an element is a picture, or holds one and no text."""
    if node.tag in _PICTURES:
        return True
    if node.tag == "-text" or node.css_first("img") is None:
        return False
    return not _packed(node)


# Appeals.
APPEAL = "donation-box"
"""Class of a box that asks for something."""
MAX_APPEAL_CHARS = 400
"""Characters of a box."""
_MIN_LINKED_SHARE = 0.9
"""Share of a line in its link from which the line is the box, or the button of one."""
_LEADS = re.compile(
    r"(?:^|[/?&=._-])(?:donat(?:e|ion|ions)|support-?(?:us|our\w*)|membership|become-a-?member|supporters?"
    r"|subscri(?:be|ption|ptions)|newsletters?|cookies?(?:-policy)?|privacy(?:-policy|-notice)?)(?:$|[/?&=._-])",
    re.IGNORECASE,
)
_CHANNEL = re.compile(
    r"//(?:(?:www\.)?whatsapp\.com/channel|chat\.whatsapp\.com|news\.google\.com/(?:publications|s))/"
)
"""Addresses where a reader follows the paper. Articles do not cite them, so the line around the link is an appeal."""
MAX_CHANNEL_CHARS = 150
"""Characters of such a line."""
_STEMS = ("donat", "support", "member", "subscri", "newsletter", "cookie", "privacy", "whatsapp.com", "news.google")
"""A sieve before the pattern: one of them is in each such address."""
_NO_BOXES = frozenset({"body", "html", "article", "main"})
_MAX_APPEALS, _MAX_LINES = 100, 1000
"""Such links, headlines and paragraphs of a page that are looked at."""
MIN_PROSE_CHARS = 60
"""Characters of a paragraph, at least, that may be the first of the text."""


def mark_appeals(tree: LexborHTMLParser) -> None:
    """Add the class `APPEAL` to boxes that ask for something. This changes the tree."""
    links = tree.css("a[href]")
    addresses = [(link.attrs.get("href") or "").lower() for link in links]
    everywhere = "\n".join(addresses)
    stems = (stem for stem in _STEMS if stem in everywhere)
    may_lead = {at for stem in stems for at, address in enumerate(addresses) if stem in address}
    around_text = _around_first_prose(tree) if may_lead else set()
    for at in sorted(may_lead)[:_MAX_APPEALS]:
        box, address = None, addresses[at][:MAX_APPEAL_CHARS]
        if _CHANNEL.search(address):
            box = _line_around(links[at])
            box = box if box is not None and _may_be_box(box) and _size(box) <= MAX_CHANNEL_CHARS else None
        elif _LEADS.search(address):
            box = _box_around(links[at], around_text)
        if box is not None:
            _add_class(box, APPEAL)


def _around_first_prose(tree: LexborHTMLParser) -> set[int]:
    """Return the elements around the first paragraph of prose under the headline. A short article is no box."""
    headed = False
    for node in islice(tree.css("h1, p"), _MAX_LINES):
        headed = headed or node.tag == "h1"
        if headed and node.tag == "p" and _size(node) >= MIN_PROSE_CHARS:
            around, found = node.parent, set[int]()
            while around is not None:
                found.add(around.mem_id)
                around = around.parent
            return found
    return set()


def _box_around(link: LexborNode, around_text: set[int]) -> LexborNode | None:
    """Return the small element around a link that is a line of its own; None if the link is part of a text.

    The elements ``around_text`` are no such boxes.
    """
    line = _line_around(link)
    if line is None or line.tag in _NO_BOXES:
        return None
    size = _size(line)
    if _size(link) < _MIN_LINKED_SHARE * size and not _is_button_of(line, link):
        return None
    around = line.parent
    while around is not None and around.mem_id not in around_text and _may_be_box(around):
        line, around = around, around.parent
    return line if _size(line) <= MAX_APPEAL_CHARS else None


def _is_button_of(line: LexborNode, link: LexborNode) -> bool:
    """Return whether a link directly in a box stands beside paragraphs, as a button does."""
    is_child = link.parent is not None and link.parent.mem_id == line.mem_id
    return is_child and line.tag != "p" and line.css_first("p") is not None


def _may_be_box(node: LexborNode) -> bool:
    return node.tag not in _NO_BOXES and _size(node) <= MAX_APPEAL_CHARS and node.css_first("h1") is None


def _size(node: LexborNode) -> int:
    return len(_packed(node))


# Lines.
_INLINE = frozenset({"em", "i", "small", "span", "font", "b", "strong", "u", "a"})


def _line_around(node: LexborNode) -> LexborNode | None:
    """Return the first element around a node, or itself, that is not inline."""
    line: LexborNode | None = node
    while line is not None and line.tag in _INLINE:
        line = line.parent
    return line


def _packed(node: LexborNode) -> str:
    """Return the text of an element without white space."""
    return "".join((node.text() or "").split())


def _add_class(node: LexborNode, name: str) -> None:
    """Add a class to an element. This changes the tree."""
    node.attrs["class"] = f"{node.attributes.get('class') or ''} {name}".strip()
