"""List pages: classify their links as articles, further pages of the list, and archives of a day or a month.

Articles are many links of one shape with headlines as texts. No words of a language are used. The result orders the
links, articles first, and removes only crawler traps:

- If a further page of a list, or the archive of a day, has no article, its links to other such pages are dropped.
- Archives of future days are not fetched.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pipelines.discovery.list_signs import is_headline, page_number
from pipelines.discovery.url_shapes import shapes_of
from pipelines.metadata.dates.calendars import EARLIEST
from pipelines.metadata.dates.path_dates import dates_in_path
from pipelines.urls.url import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pipelines.discovery.links import Anchor
    from pipelines.discovery.url_shapes import UrlShape
    from pipelines.markup.page_view import PageView
    from pipelines.urls.url import Address
    from storage.records import Link

MIN_GROUP = 4
"""Links of one shape that are needed for a decision."""
MAX_TIMES = 500
"""``time`` elements of a page that are read."""
MAX_PLACES = 4
"""Places in a URL, from its end, in which a page number is searched."""
MIN_HEADLINE_SHARE = 0.6
"""Least share of a shape's links with a text as long as a headline."""
MIN_DIFFERENT_SHARE = 0.7
"""Least share of different texts. Articles have different ones, buttons the same."""
MIN_NUMBERED_RATIO = 2.0
"""Ratio of articles with a number to those without, from which the latter are something else, mostly topics."""
MIN_NAMED_RATIO = 0.5
"""Ratio of links with a name to links with a headline in one place, from which all are tags."""
LESSER_RANK = -1
"""Rank of links that are no articles on a page with articles."""
_DAY = r"(?P<y>(?:19|20)\d\d)(?P<m>[-/_.])(?P<mo>0?[1-9]|1[0-2])(?:(?P=m)(?P<d>0?[1-9]|[12]\d|3[01]))?"
_ARCHIVE_PATH = re.compile(
    rf"(?:/[^/\d]{{1,40}}){{0,2}}/(?:[^/\d]{{0,20}}[-_])?{_DAY}(?:/|\.[a-z]{{2,5}})?", re.IGNORECASE
)
_ARCHIVE_QUERY = re.compile(rf"(?:^|&)[a-z_]{{1,20}}={_DAY}(?=&|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Listing:
    """The links of a list page by kind: canonical URLs in document order."""

    articles: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    """Further pages of the same list."""
    archives: Mapping[str, tuple[date, date]] = field(default_factory=dict)
    """Archive pages, with their first and last day."""
    patterns: tuple[str, ...] = ()
    """Regular expressions for the URLs of its articles."""
    own_page: int = 1
    """Number of this page in the list."""


def read_listing(anchors: Sequence[Anchor], url: str) -> Listing:
    """Classify the links of a page."""
    urls, addresses = [anchor.link.url for anchor in anchors], [anchor.address for anchor in anchors]
    shapes = dict(zip(urls, shapes_of(addresses), strict=True))
    spans = {anchor.link.url: span for anchor in anchors if (span := archive_span(anchor.address))}
    chosen = article_shapes((anchor, shapes[anchor.link.url]) for anchor in anchors)
    own = parse(url)
    further = _further_pages(anchors, own)
    # An article's pattern is bound to its folder, if a folder has other things of the same shape.
    mixed = {shape.text for shape in shapes.values() if shape not in chosen}
    return Listing(
        articles=tuple(
            key for key, shape in shapes.items() if shape in chosen and key not in further and key not in spans
        ),
        pages=tuple(further),
        archives=spans,
        patterns=tuple(sorted({shape.regex(literal=shape.text in mixed) for shape in chosen})),
        own_page=(page_number(own) if own else None) or 1,
    )


def article_shapes(anchors: Iterable[tuple[Anchor, UrlShape]]) -> frozenset[UrlShape]:
    """Return the shapes of articles: many different links with texts as long as headlines.

    A folder with few links of a shape is judged together with other folders. Headlines without numbers count only if
    there are no names in their place (tags have long and short names), and few links with numbers.
    """
    folders: dict[UrlShape, list[Anchor]] = defaultdict(list)
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
        if shape.numbered or (numbered < MIN_NUMBERED_RATIO * worded and names[shape] < MIN_NAMED_RATIO * count)
    )


def _headlines(members: list[Anchor]) -> bool:
    texts = [anchor.text for anchor in members if anchor.text]
    if len(texts) < MIN_GROUP or len(set(texts)) < MIN_DIFFERENT_SHARE * len(members):
        return False
    return sum(map(is_headline, texts)) >= MIN_HEADLINE_SHARE * len(texts)


def ordered(anchors: Iterable[Anchor], listing: Listing, url: str, today: date) -> tuple[Link, ...]:
    """Return the links with ranks, articles highest, and without crawler traps.

    An article's date is the day in its URL, if there is only one. ``today`` is the latest day that has begun in the
    zone of the site. Archives of later days are dropped.
    """
    articles, pages, own = set(listing.articles), set(listing.pages), parse(url)
    is_trap = not articles and (listing.own_page > 1 or (own is not None and archive_span(own) is not None))
    kept = []
    for link in (anchor.link for anchor in anchors):
        span = listing.archives.get(link.url)
        if span is not None and not EARLIEST <= span[0] <= today:
            continue
        if is_trap and (link.url in pages or span is not None):
            continue
        if link.url in articles:
            days = set(dates_in_path(link.url.partition("//")[2]))
            plausible = (text for text in days if (day := day_of(text)) and EARLIEST <= day <= today)
            dated = next(plausible, None) if len(days) == 1 else None
            kept.append(replace(link, dated=dated) if dated else link)
        else:
            kept.append(replace(link, rank=LESSER_RANK) if articles else link)
    return tuple(kept)


def newest_day(view: PageView, listing: Listing) -> date | None:
    """Return the newest day of a list, from ``time`` elements and the URLs of its articles.

    None if there are fewer than `MIN_GROUP`, because one date may be the page's own.
    """
    stated = [(node.attributes.get("datetime") or "")[:10] for node in view.of("time")[:MAX_TIMES]]
    stated += [day for key in listing.articles for day in dates_in_path(key.partition("//")[2])]
    days = [day for text in stated if (day := day_of(text))]
    return max(days) if len(days) >= MIN_GROUP else None


def day_of(text: str) -> date | None:
    """Return the day of a text in ISO 8601, or None if it is no day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def archive_span(address: Address) -> tuple[date, date] | None:
    """Return the first and the last day of the archive page at a URL, or None.

    Archives are ``/2026/11/``, ``/archive/2026-11-20``, ``?date=2026-11-20``. A date before a headline is an article.
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
    return (first, first) if match["d"] else month_from(first)


def month_from(first: date) -> tuple[date, date]:
    """Return the first and the last day of the month that begins on a day."""
    return first, (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def _further_pages(anchors: Iterable[Anchor], own: Address | None) -> dict[str, None]:
    """Return the links to other pages of the list: marked as next, with a page number in the URL, or numbered links.

    Numbered links have a number as text. Their URLs contain it and are otherwise equal.
    """
    found: dict[str, None] = {}
    numbered: dict[str, dict[str, None]] = defaultdict(dict)
    for anchor in anchors:
        target, number = anchor.link.url, _number(anchor.text)
        if anchor.following or (page_number(anchor.address) is not None and not is_headline(anchor.text)):
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
