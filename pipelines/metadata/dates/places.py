"""Places of a page that may state its date of publication, in the order in which they are read (`PLACES`).

Statements for programs come first, then the URL, then what readers see. A date in the URL is more trusted than a loose
<time> element, or one of the article with another day. `publication_date.SOURCES` has how far each source is trusted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice
from typing import TYPE_CHECKING

from pipelines.markup.page_view import JSONLD_ELEMENTS, MAX_JSONLD, MAX_METAS, contents_of
from pipelines.metadata.beside import ASIDE_TAGS, OTHER_PAGES, is_aside, naming_of
from pipelines.metadata.dates.labels import UPDATED, label_before, portions
from pipelines.metadata.dates.path_dates import may_be_of, stated_in_path
from pipelines.metadata.dates.shown_dates import MAX_SHOWN_CHARS, label_of, visible_ages, visible_dates
from pipelines.metadata.headline import MAX_NODES, is_of_masthead, is_small
from pipelines.metadata.publication_date import DateCandidate
from pipelines.metadata.stated_page import StatedPage
from pipelines.urls.url import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from selectolax.lexbor import LexborNode

    from pipelines.markup.page_view import PageView
_DATE_NAMES = (
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "article:published",
    "og:published_time",
    "parsely-pub-date",
    "sailthru.date",
    "publishdate",
    "publish-date",
    "publish_date",
    "published-date",
    "publication_date",
    "publicationdate",
    "pubdate",
    "cxenseparse:recs:publishtime",
    "dc.date.issued",
    "dcterms.issued",
    "dcterms.created",
    "dc.date.created",
    "dc.date",
    "dcterms.date",
    "originalpublicationdate",
    "displaydate",
    "published",
    "published_time",
    "published_at",
    "article:published_date",
    "article:published_at",
    "article:publish_time",
    "publish_time",
    "pub_date",
    "article.published",
    "cxenseparse:publishtime",
    "article_date_original",
    "iso-8601-publish-date",
    "citation_publication_date",
    "bt:pubdate",
    "rnews:datepublished",
    "schema:datepublished",
    "vr:published_time",
    "dable:published_time",
    "shareaholic:article_published_time",
    "news:publication_date",
    "ptime",
    "date",
)
_DATE_NAMED = re.compile(
    r"(?!(?:.*[._:-])?(?:video|movie|film|music|album|game|book|product|event|place|account|profile|user|author|member"
    r"|comment|last|next|site|domain|company|cache|un|expir\w*)[._:-])(?:.*[._:-])?(?:(?:pub(?:lish(?:ed)?|lication)?"
    r"|post(?:ed)?|release|issued?|creat(?:ed?|ion)|citation|online)[._:-]?(?:date|time|at|on)"
    r"|date[._:-]?(?:published|posted|created)|created)"
)
"""Other names for the date of publication, except those for something beside the page."""
_CHANGED = re.compile(r"updated|modified", re.IGNORECASE)
_PUBLIC = re.compile(r"publish|posted|created", re.IGNORECASE)
META_ELEMENTS = "meta[content]"
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


class DatedPage(StatedPage):
    """A page whose date is searched."""

    def __init__(self, view: PageView, url: str) -> None:
        super().__init__(view, url)
        self.late: list[DateCandidate] = []
        """Dates in lists and after the text, once the shown ones are read. They are seldom the page's."""

    @cached_property
    def times(self) -> list[tuple[LexborNode, DateCandidate]]:
        """The <time> elements of the page itself."""
        return list(_time_elements(self))

    @cached_property
    def article_times(self) -> list[str]:
        """The values of the first <time> elements of the article."""
        return list(_times_of_article(self, self.times))

    @cached_property
    def days_in_path(self) -> list[str]:
        """The days in the path of the URL."""
        address = parse(self.url)
        return stated_in_path(address.path) if address else []


def _time_elements(page: StatedPage) -> Iterator[tuple[LexborNode, DateCandidate]]:
    """Yield the <time datetime> elements of the page itself: not of navigation, asides, comments or teasers."""
    stated = (node for node in page.view.of("time") if "datetime" in node.attributes)
    for node in islice(stated, MAX_TIMES):
        if is_aside(node) or page.is_in_teaser(node):
            continue
        shown = node.text(deep=is_small(node), separator=" ")[:MAX_SHOWN_CHARS]
        # A date without its year, or an age, is no portion with a date: "Updated 6 Nov".
        kinds = {part.kind for part in portions(shown)} or {label_before(shown)}
        naming = f"{naming_of(node)} {node.attributes.get('itemprop') or ''}"
        named_so = _CHANGED.search(naming) is not None and _PUBLIC.search(naming) is None
        changed = named_so or UPDATED in {label_of(node), *kinds}
        yield node, DateCandidate("updated" if changed else "time", node.attributes.get("datetime") or "", shown)


def _marked_dates(page: StatedPage) -> Iterator[str]:
    """Yield the values of elements marked as the date of publication, two for each mark, most trusted first."""
    marked = sorted(page.view.tree.css(MARKED_ELEMENTS)[:MAX_MARKED_ELEMENTS], key=_mark)
    # A footer of the page may contain its date. Teasers and comments have dates of their own.
    own = (
        node for node in marked if not (is_aside(node, ASIDE_TAGS - {"footer"}, OTHER_PAGES) or page.is_in_teaser(node))
    )
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


def _times_of_article(page: StatedPage, times: list[tuple[LexborNode, DateCandidate]]) -> Iterator[str]:
    """Yield the values of the first <time> elements of the article."""
    for name in _BODIES:
        # The element around the headline, else the first one, unless several are teasers.
        head = body = next(iter(page.headings), None)
        while body is not None and body.tag != name:
            body = body.parent
        every = page.view.of(name)[:_TEASERS]
        if body is None and every and (head is None or len(every) < _TEASERS):
            body = every[0]
        inside = {node.mem_id for node in body.css(TIME_ELEMENTS)[:MAX_MARKED_ELEMENTS]} if body else set()
        own = [shown.text for node, shown in times if node.mem_id in inside and shown.source == "time"]
        yield from own[:2]


def _statement(page: DatedPage) -> Iterator[DateCandidate]:
    if page.stated.published:
        yield DateCandidate("json-ld", page.stated.published)


def _known_metas(page: DatedPage) -> Iterator[DateCandidate]:
    return (DateCandidate("meta", text) for text in contents_of(page.view.contents, _DATE_NAMES))


def _other_metas(page: DatedPage) -> Iterator[DateCandidate]:
    named = [name for name in page.view.contents if name not in _DATE_NAMES and _DATE_NAMED.fullmatch(name)]
    return (DateCandidate("meta", text) for text in contents_of(page.view.contents, named))


def _marked(page: DatedPage) -> Iterator[DateCandidate]:
    return (DateCandidate("time", text) for text in _marked_dates(page))


def _article_times(page: DatedPage) -> Iterator[DateCandidate]:
    return (DateCandidate("time", text) for text in page.article_times if may_be_of(text, page.days_in_path))


def _path(page: DatedPage) -> Iterator[DateCandidate]:
    return (DateCandidate("url", text) for text in page.days_in_path)


def _article_times_of_other_days(page: DatedPage) -> Iterator[DateCandidate]:
    return (DateCandidate("time", text) for text in page.article_times if page.days_in_path)


def _only_time(page: DatedPage) -> Iterator[DateCandidate]:
    loose = [(node, shown.text) for node, shown in page.times if shown.source == "time"]
    if len({text for _, text in loose}) == 1:
        node, text = loose[0]
        yield DateCandidate("masthead" if is_of_masthead(node) else "time", text)


def _shown(page: DatedPage) -> Iterator[DateCandidate]:
    for shown in visible_dates(page.around):
        if shown.source in {"below", "listed"}:
            page.late.append(shown)
        else:
            yield shown


def _updated_times(page: DatedPage) -> Iterator[DateCandidate]:
    changed = ((node, shown.text) for node, shown in page.times if shown.source == "updated")
    return (DateCandidate("updated", text, is_own=not is_of_masthead(node)) for node, text in changed)


def _ages(page: DatedPage) -> Iterator[DateCandidate]:
    return visible_ages(page.around)


def _late(page: DatedPage) -> Iterator[DateCandidate]:
    return iter(page.late)


@dataclass(frozen=True, slots=True)
class DatePlace:
    """A place that may state the date: a row of `PLACES`."""

    name: str
    selector: str
    """CSS selector of its elements; "" if it has none."""
    limit: int
    """Elements that are read, at most; 0 if it has none."""
    sources: tuple[str, ...]
    """Sources of its dates, which have its trust (``publication_date.SOURCES``)."""
    read: Callable[[DatedPage], Iterator[DateCandidate]]
    """Yields what it states, most trusted first."""


PLACES = (
    DatePlace("JSON-LD", JSONLD_ELEMENTS, MAX_JSONLD, ("json-ld",), _statement),
    DatePlace("meta elements with known names", META_ELEMENTS, MAX_METAS, ("meta",), _known_metas),
    DatePlace("meta elements with other names of a date", META_ELEMENTS, MAX_METAS, ("meta",), _other_metas),
    DatePlace("elements marked as the date", MARKED_ELEMENTS, MAX_MARKED_ELEMENTS, ("time",), _marked),
    DatePlace("times of the article, of the day in the URL", TIME_ELEMENTS, MAX_TIMES, ("time",), _article_times),
    DatePlace("path of the URL", "", 0, ("url",), _path),
    DatePlace("times of the article", TIME_ELEMENTS, MAX_TIMES, ("time",), _article_times_of_other_days),
    DatePlace("only time of the page", TIME_ELEMENTS, MAX_TIMES, ("time", "masthead"), _only_time),
    DatePlace("text around the headline", "*", MAX_NODES, ("text", "masthead", "updated"), _shown),
    DatePlace("times of an update", TIME_ELEMENTS, MAX_TIMES, ("updated",), _updated_times),
    DatePlace("age beside the headline", "*", MAX_NODES, ("age",), _ages),
    DatePlace("text below the article and in lists", "*", MAX_NODES, ("below", "listed"), _late),
)


def date_candidates(page: DatedPage) -> Iterator[DateCandidate]:
    """Yield the texts that may be the date of publication, place by place."""
    for place in PLACES:
        yield from place.read(page)
