"""List pages: which of their links are articles, which lead to the next page, which to the archive of a day. Pure.

Links to articles are many of one shape, with headlines for texts; no word of any language is looked at. What is learnt
from a page orders its links (articles first), it keeps none away. Kept away are only traps: from a further page of a
list, or from the archive of a day, on which there is no article, no other such page is reached, and archives of days to
come are not asked for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pipelines.dates import dates_in_path
from pipelines.discovery.shapes import shape_of
from pipelines.letters import size
from pipelines.page_type import HEADLINE
from pipelines.urls import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from selectolax.lexbor import LexborHTMLParser

    from pipelines.discovery.links import Anchor
    from pipelines.discovery.shapes import Shape
    from pipelines.urls import Address
    from storage.records import Link

MIN_GROUP = 4
"""Fewest links of one shape from which something is learnt."""
MAX_TIMES = 500
MAX_PLACES = 4
"""In so many places of an address, from its end, a page's number is looked for."""
LONG = 0.6
"""Least share of a shape's links whose text is as long as a headline."""
DIFFERENT = 0.7
"""Least share of different texts: articles have each its own, buttons the same."""
MORE = 2.0
"""Where so many times more articles have a number, those that have none are something else: topics, mostly."""
NAMES = 0.5
"""Where so many times as many links have a name in the place of the headline, they are tags."""
LESS = -1
"""Rank of links that look less like articles than others of their page."""
_EARLIEST = date(1990, 1, 1)
_PAGE = re.compile(
    r"(?:[?&](?:p|pg|page\w{0,6}|trang|start|offset)=|/(?:page|trang|p)[-/_]?|[-_](?:p|page|trang)-?)(\d{1,6})(?=[/.&?]|$)",
    re.IGNORECASE,
)
_DAY = r"(?P<y>(?:19|20)\d\d)(?P<m>[-/_.])(?P<mo>0?[1-9]|1[0-2])(?:(?P=m)(?P<d>0?[1-9]|[12]\d|3[01]))?"
_ARCHIVE_PATH = re.compile(
    rf"(?:/[^/\d]{{1,40}}){{0,2}}/(?:[^/\d]{{0,20}}[-_])?{_DAY}(?:/|\.[a-z]{{2,5}})?", re.IGNORECASE
)
_ARCHIVE_QUERY = re.compile(rf"(?:^|&)[a-z_]{{1,20}}={_DAY}(?=&|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Listing:
    """What a page lists: canonical URLs, each kind in document order."""

    articles: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    """Further pages of the same list."""
    archives: Mapping[str, tuple[date, date]] = field(default_factory=dict)
    """Archive pages, each with its first and its last day."""
    patterns: tuple[str, ...] = ()
    """Regular expressions for the addresses of its articles."""
    own_page: int = 1
    """Which page of the list it is itself."""


def read_listing(anchors: Sequence[Anchor], url: str) -> Listing:
    """Learn from the links of a page which of them are articles and which lead to further pages of its list."""
    shapes = {anchor.link.url: shape_of(anchor.address) for anchor in anchors}
    spans = {anchor.link.url: span for anchor in anchors if (span := archive_span(anchor.address))}
    chosen = article_shapes((anchor, shapes[anchor.link.url]) for anchor in anchors)
    further = _further_pages(anchors, parse(url))
    return Listing(
        articles=tuple(
            key for key, shape in shapes.items() if shape in chosen and key not in further and key not in spans
        ),
        pages=tuple(further),
        archives=spans,
        patterns=_patterns(chosen, frozenset(shapes.values())),
        own_page=_own_page(url),
    )


def article_shapes(anchors: Iterable[tuple[Anchor, Shape]]) -> frozenset[Shape]:
    """Return the shapes that are those of articles: many links that differ, with texts as long as headlines.

    A folder with few links of a shape is judged with the others of that shape. Headlines alone are believed where names
    do not stand among them (tags have long names and short ones) and where few links have numbers beside.
    """
    folders: dict[Shape, list[Anchor]] = defaultdict(list)
    for anchor, shape in anchors:
        folders[shape].append(anchor)
    coarse: dict[str, list[Anchor]] = defaultdict(list)
    for shape, members in folders.items():
        coarse[shape.text] += members
    fit = {text for text, members in coarse.items() if _headlines(members)}
    chosen = {
        shape: len(members)
        for shape, members in folders.items()
        if shape.distinguishes and (_headlines(members) if len(members) >= MIN_GROUP else shape.text in fit)
    }
    numbered = sum(count for shape, count in chosen.items() if shape.numbered)
    worded = sum(chosen.values()) - numbered
    names = {shape: len(folders.get(shape.name, ())) for shape in chosen}
    return frozenset(
        shape
        for shape, count in chosen.items()
        if shape.numbered or (numbered < MORE * worded and names[shape] < NAMES * count)
    )


def _patterns(chosen: frozenset[Shape], every: frozenset[Shape]) -> tuple[str, ...]:
    """Return regular expressions of the chosen shapes, for any folder where no folder holds other things of a shape."""
    mixed = {shape.text for shape in every - chosen}
    return tuple(sorted({shape.regex(literal=shape.text in mixed) for shape in chosen}))


def _headlines(members: list[Anchor]) -> bool:
    texts = [anchor.text for anchor in members if anchor.text]
    if len(texts) < MIN_GROUP or len(set(texts)) < DIFFERENT * len(members):
        return False
    return sum(map(_is_long, texts)) >= LONG * len(texts)


def _is_long(text: str) -> bool:
    """Return whether a text is as long as a headline; no letter says less than one of an alphabet."""
    return len(text) >= HEADLINE or size(text) >= HEADLINE


def ordered(anchors: Iterable[Anchor], listing: Listing, url: str, today: date) -> tuple[Link, ...]:
    """Return the links with what looks like an article first by rank, and without those that lead into a trap.

    Articles are dated by the day in their addresses, where that is in no doubt. ``today`` is the last day that has
    begun where the site may be: no archive of a later one is asked for.
    """
    articles, pages, own = set(listing.articles), set(listing.pages), parse(url)
    barren = not articles and (listing.own_page > 1 or (own is not None and archive_span(own) is not None))
    kept = []
    for link in (anchor.link for anchor in anchors):
        span = listing.archives.get(link.url)
        if span is not None and not _EARLIEST <= span[0] <= today:
            continue
        if barren and (link.url in pages or span is not None):
            continue
        if link.url in articles:
            kept.append(replace(link, dated=_stated_day(link.url, today)))
        else:
            kept.append(replace(link, rank=LESS) if articles else link)
    return tuple(kept)


def _stated_day(url: str, today: date) -> str | None:
    days = set(dates_in_path(url.partition("//")[2]))
    return (
        next((text for text in days if (day := _day(text)) and _EARLIEST <= day <= today), None)
        if len(days) == 1
        else None
    )


def newest_day(tree: LexborHTMLParser, listing: Listing) -> date | None:
    """Return the newest day that a list states, in ``time`` elements or in the addresses of its articles.

    None when it states fewer than `MIN_GROUP`: one date may be the page's own.
    """
    stated = [(node.attributes.get("datetime") or "")[:10] for node in tree.css("time[datetime]")[:MAX_TIMES]]
    stated += [day for key in listing.articles for day in dates_in_path(key.partition("//")[2])]
    days = [day for text in stated if (day := _day(text))]
    return max(days) if len(days) >= MIN_GROUP else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def archive_span(address: Address) -> tuple[date, date] | None:
    """Return the first and the last day of the archive page at an address; None when it is none.

    ``/2026/11/``, ``/archive/2026-11-20`` and ``?date=2026-11-20`` are; a date with a headline behind it is an article.
    """
    match = _ARCHIVE_PATH.fullmatch(unquote(address.path)) if "0" in address.path or "1" in address.path else None
    match = match or (_ARCHIVE_QUERY.search(unquote(address.query)) if address.query else None)
    if match is None:
        return None
    year, month, day = int(match["y"]), int(match["mo"]), int(match["d"] or 1)
    try:
        first = date(year, month, day)
    except ValueError:
        return None
    return first, first if match["d"] else (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(
        days=1
    )


def _own_page(url: str) -> int:
    match = _PAGE.search(unquote(url))
    return int(match[1]) if match else 1


def _further_pages(anchors: Iterable[Anchor], own: Address | None) -> dict[str, None]:
    """Return what leads to other pages of the list: named next, with a page number in the address, or numbered links.

    Numbered links have a number for a text and the same number in an address that is otherwise the same as another's.
    """
    found: dict[str, None] = {}
    numbered: dict[str, dict[str, None]] = defaultdict(dict)
    for anchor in anchors:
        target, number = anchor.link.url, _number(anchor.text)
        if anchor.following or (_PAGE.search(target) and not _is_long(anchor.text)):
            found[target] = None
        elif number is not None:
            for match in list(re.finditer(rf"(?<!\d){number}(?!\d)", target))[-MAX_PLACES:]:
                numbered[target[: match.start()] + "#" + target[match.end() :]][target] = None
    for targets in numbered.values():
        found |= targets if len(targets) > 1 else {}
    if own is not None:
        found.pop(own.canonical, None)
    return found


def _number(text: str) -> int | None:
    stripped = text.strip(" []()«»‹›")
    return int(stripped) if stripped.isdecimal() and len(stripped) < 7 else None
