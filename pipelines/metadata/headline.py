"""Find the headline of a page, and the elements around it that may hold its byline and its date."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from pipelines.metadata.beside import (
    MAX_LEVELS,
    MAX_TITLE,
    MOST_OF_TITLE,
    WHOLE_PAGE_TAGS,
    is_linked,
    letters_of_each,
)
from pipelines.text.normalise import letters

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborNode

    from pipelines.markup.page_view import PageView

MAX_NODES = 6000
"""Elements of a page among which the headline and its surroundings are searched."""
_MAX_HELD_ELEMENTS = 12
"""Elements that one may hold whose text is read."""
_MAX_ELEMENTS_BEFORE, _MAX_ELEMENTS_BEHIND, MAX_ELEMENTS_BESIDE, _MAX_ELEMENTS_ABOVE = 60, 400, 40, 10
"""Elements before, after, next to and directly above the headline in which a date is searched."""
HEADING_TAGS, _MAX_HEADINGS, _MIN_HEADLINE = frozenset({"h1", "h2", "h3", "h4"}), 100, 15
_LINES = frozenset({"font", "b", "strong", "big", "span", "div", "td", "p", "center", "em"})
"""Elements that may be a headline if there is no heading."""
_PROSE, _PARAGRAPHS = 100, 3
"""Characters of a paragraph of prose, and number of such paragraphs that a date hardly follows."""
_HEAD_LEVELS, _ARTICLE = 2, frozenset({"article", "main"})
"""Levels above the headline of the elements that hold only the head of the article, and elements that hold it whole."""
MAX_LABEL, MAX_SIBLINGS = 40, 3
"""Characters directly before a date that may be its label, and elements beside it that may contain one."""


class Surroundings(NamedTuple):
    """Elements around the headline. Those that contain many others are not `is_small`, and are not read.

    ``before`` and ``behind`` are in the order of the page, ``over`` is directly above the headline. ``prose`` is the
    index in ``behind`` after which only elements beside the text are expected.
    """

    before: list[LexborNode]
    behind: list[LexborNode]
    over: list[LexborNode]
    """Without elements that contain the headline."""
    prose: int
    is_in_teaser: Callable[[LexborNode], bool]
    head: frozenset[int] = frozenset()
    """Ids of the elements that hold the head of the article, or all of it, and not the masthead."""


def around_headline(view: PageView, title: str, is_in_teaser: Callable[[LexborNode], bool]) -> Surroundings:
    """Return the elements around the headline. ``title`` are the letters of the title."""
    nodes = view.elements[:MAX_NODES]
    head = _headline(nodes, title, [*view.of("h1"), *view.of("h2", "h3", "h4")][:_MAX_HEADINGS])
    before = nodes[max(0, head - _MAX_ELEMENTS_BEFORE) : head]
    behind = nodes[head + 1 : head + _MAX_ELEMENTS_BEHIND]
    around, holding, own = (nodes[head] if nodes else None), list[int](), set[int]()
    while around is not None:
        if around.tag in _ARTICLE or (0 < len(holding) <= _HEAD_LEVELS and around.tag not in WHOLE_PAGE_TAGS):
            own.add(around.mem_id)
        holding.append(around.mem_id)
        around = around.parent
    behind = [*(_loose_behind(nodes[head]) if nodes else ()), *behind]
    over = [node for node in before[-_MAX_ELEMENTS_ABOVE:] if node.mem_id not in holding]
    lines = ((at, node) for at, node in enumerate(behind) if node.tag == "p" and is_small(node))
    paragraphs = (at for at, node in lines if len(node.text()) >= _PROSE)
    prose = next(islice(paragraphs, _PARAGRAPHS - 1, None), len(behind))
    return Surroundings(before, behind, over, prose, is_in_teaser, frozenset(own))


def is_small(node: LexborNode) -> bool:
    """Return whether an element has few others in it. To read the text of each element would be quadratic."""
    held = (each for each in node.traverse() if each.is_element_node)
    return next(islice(held, _MAX_HELD_ELEMENTS + 1, None), None) is None


def is_within(node: LexborNode, elements: frozenset[int]) -> bool:
    """Return whether one of some elements, by their ids, is around an element."""
    around = node.parent
    while around is not None and around.mem_id not in elements:
        around = around.parent
    return around is not None


def links_below(node: LexborNode, before: list[LexborNode]) -> int:
    """Return the number of links after an element, among the elements before the headline."""
    at = next((at for at, each in enumerate(before) if each.mem_id == node.mem_id), 0)
    return sum(each.tag == "a" for each in before[at + 1 :])


def _loose_behind(headline: LexborNode) -> list[LexborNode]:
    """Return the text directly after the headline that has no element of its own, as on pages for printing."""
    around: LexborNode | None = headline
    for _ in range(MAX_LEVELS):
        if around is None or around.tag in WHOLE_PAGE_TAGS:
            break
        passed, following = 0, around.next
        while following is not None:
            if passed == MAX_SIBLINGS or (following.tag != "br" and following.text().strip()):
                return [following] if following.tag == "-text" else []
            passed, following = passed + 1, following.next
        around = around.parent
    return []


def _headline(nodes: list[LexborNode], title: str, headings: list[LexborNode]) -> int:
    """Return the index of the headline.

    It is the heading that shares the most with the title. Otherwise it is the first h1, or the first line that is in
    the title, or 0. Some pages have their name in the first h1, others the headline in an h3. Pages
    that are laid out in tables have no heading.
    """
    said = letters_of_each(headings)
    least = max(_MIN_HEADLINE, MOST_OF_TITLE * len(title))
    lengths = [len(text) * (len(text) >= least and text in title) for text in said]
    if not headings or (not any(lengths) and headings[0].tag != "h1"):
        return _title_line(nodes, title, least)
    chosen = headings[lengths.index(max(lengths))].mem_id
    return next((place for place, node in enumerate(nodes) if node.mem_id == chosen), 0)


def _title_line(nodes: list[LexborNode], title: str, least: float) -> int:
    """Return the index of the first element whose own text is in the title and that is no link, or 0."""
    if len(title) < least:
        return 0
    for place, node in enumerate(nodes):
        if node.tag not in _LINES:
            continue
        text = node.text(deep=False)
        if least <= len(text) <= MAX_TITLE and not is_linked(node, MAX_LEVELS):
            said = letters(text)
            if len(said) >= least and said in title:
                return place
    return 0


def is_of_masthead(node: LexborNode) -> bool:
    """Return whether an element is in the header of the page, which has no heading, and not in that of an article."""
    around: LexborNode | None = node
    while around is not None and around.tag not in {"header", "article", "main"}:
        around = around.parent
    if around is None or around.tag != "header" or around.css_first("h1,h2") is not None:
        return False
    while around is not None and around.tag not in {"article", "main"}:
        around = around.parent
    return around is None
