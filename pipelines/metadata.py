"""What a page states of itself: title, author, date, canonical address and what robots may do with it."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING

from pipelines import byline
from pipelines.byline import is_name
from pipelines.dates import Candidate, find_date, may_be_of, stated_in_path
from pipelines.dating.elements import (
    around_headline,
    is_aside,
    is_of_masthead,
    marked_dates,
    time_elements,
    times_of_article,
    visible_ages,
    visible_dates,
)
from pipelines.directives import MAX_METAS, noted_directives
from pipelines.discovery.links import base_of
from pipelines.jsonld import read_jsonld
from pipelines.language.scripts import main_script
from pipelines.rights import licence_url, reservation_of_page
from pipelines.stated import MAX_AUTHOR, clean_value, is_account, letters, names
from pipelines.tree import parse_tree, shown_text
from pipelines.urls import host_of, parse, registered_domain, same_site
from storage.records import Metadata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pipelines.dating.elements import Around
    from pipelines.jsonld import Statement

MAX_TITLE = 500
_MIN_START = 15
_HALF = 0.5

_INLINE = re.compile(r"<(a|b|em|font|i|mark|q|small|span|strong|sub|sup|u)(?:\s[^<>]*)?>(.*?)</\1>", re.IGNORECASE)
_ABSOLUTE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_SITE_MARK = re.compile(r"\s+(?:[|–—·•»«:/]|-{1,2}|::)\s+|\s*[|｜»]\s*|\s*_(?=[^_]*$)")
_AUTHOR_NAMES = (
    "author",
    "parsely-author",
    "sailthru.author",
    "dc.creator",
    "dcterms.creator",
    "article:author",
    "byl",
)
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
"""What systems call the date of publication otherwise, but for that of something beside the page."""
# Selectors have no descendant combinator: lexbor's cost grows with the square of the depth then.
_AUTHOR_ELEMENTS = ('[itemprop~="author"]', '[rel~="author"]', '[rel~="sioc:has_creator"]')
_NAME_ELEMENTS = '[itemprop~="name"], [property~="foaf:name"], .username'  # around it Drupal has "Submitted by … on …"
_OF_COMMENT = re.compile(r"\bcomments?\b(?!-(?:open|closed))", re.IGNORECASE)
_OF_OTHERS = re.compile(
    rf"{_OF_COMMENT.pattern}|\b(?:copyright|colophon|site-(?:info|generator|credits?))\b", re.IGNORECASE
)
_VIETNAMESE = re.compile("[ơưđƠƯĐạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữự]")
_ARABIC = (("ur", re.compile("[ےںٹڈڑ]")), ("fa", re.compile("[پچژگکی]")))
"""Letters that tell languages without a word: years of two figures come first in Persian and last elsewhere."""
_MARKED = 3
"""Elements of a kind that are looked at."""


def read_metadata(
    page: str | LexborHTMLParser, url: str, robots_headers: Iterable[str], fetched_at: datetime
) -> Metadata:
    """Return what a page states of itself, cleaned and of bounded length.

    ``robots_headers`` are the values of X-Robots-Tag. A date later than two days after ``fetched_at`` is not believed.
    """
    tree = parse_tree(page) if isinstance(page, str) else page
    metas, stated = _metas(tree), read_jsonld(tree, url)
    around = cache(partial(around_headline, tree))
    found = find_date(_date_candidates(tree, metas, stated, url, around), fetched_at, _language_of_dates(tree))
    reserved = reservation_of_page(metas, url)
    return Metadata(
        title=_title(tree, metas, stated, url),
        author=_author(tree, metas, stated, url, around),
        published=found.iso if found else None,
        published_text=clean_value(found.original, MAX_TITLE) if found else None,
        published_calendar=found.calendar if found else None,
        published_source=found.source if found else None,
        published_confidence=found.confidence if found else None,
        canonical=_canonical(tree, url),
        directives=noted_directives(tree, robots_headers),
        tdm=reserved.value if reserved else None,
        tdm_policy=reserved.policy if reserved else None,
        tdm_source="meta" if reserved else None,
        licence_url=licence_url(tree, stated.licence, url),
    )


def _metas(tree: LexborHTMLParser) -> dict[str, list[str]]:
    """Return the contents of meta elements by lower-case name, property or itemprop."""
    metas: dict[str, list[str]] = {}
    for node in tree.css("meta[content]")[:MAX_METAS]:
        attributes = node.attributes
        content = (attributes.get("content") or "").strip()
        for key in {attributes.get("name"), attributes.get("property"), attributes.get("itemprop")} - {None}:
            if key and content:
                metas.setdefault(key.strip().lower(), []).append(content)
    return metas


def _first(metas: dict[str, list[str]], names: Iterable[str]) -> Iterator[str]:
    for name in names:
        yield from metas.get(name, [])[:3]


def _title(tree: LexborHTMLParser, metas: dict[str, list[str]], stated: Statement, url: str) -> str | None:
    """Choose among headline, og:title, the only h1 and <title>, and take off what names the site.

    First comes the h1 that repeats the og:title: some papers state another headline, for searches.
    """
    headings = [heading for node in tree.css("h1")[:5] if (heading := clean_value(shown_text(node, " "), MAX_TITLE))]
    shared = [clean_value(title, MAX_TITLE) for title in _first(metas, ("og:title", "twitter:title"))]
    told = set(map(letters, shared)) - {""}
    titles = [
        *(heading for heading in headings if letters(heading) in told),
        stated.headline,
        *shared,
        *(headings if len(headings) == 1 else []),
        _title_element(tree),
        *headings,
    ]
    cleaned = (_without_markup(clean_value(title, MAX_TITLE)) for title in titles)
    site = _site_names(metas, url)
    return next((_as_headed(_without_site(title, site, headings), headings) for title in cleaned if title), None)


def _without_markup(title: str) -> str:
    """Return a title without the inline markup that some state with it; a tag alone may be what it is about."""
    if "<" not in title:
        return title
    return " ".join(_BREAK.sub(" ", _INLINE.sub(r"\2", _INLINE.sub(r"\2", title))).split())


def _title_element(tree: LexborHTMLParser) -> str:
    element = tree.css_first("head > title") or tree.css_first("title")
    return element.text() if element else ""


def _site_names(metas: dict[str, list[str]], url: str) -> set[str]:
    """Return the letters of what the page and its address call the site."""
    domain = registered_domain(host_of(url))
    stated = {letters(name) for name in _first(metas, ("og:site_name", "application-name"))}
    return stated | ({letters(domain.partition(".")[0]), letters(domain)} - {""})


def _without_site(title: str, site: set[str], headings: list[str]) -> str:
    """Take the site's name off either end of a title: a part that is its name, or all that a heading leaves out."""
    for mark in _SITE_MARK.finditer(title):
        head, tail = title[: mark.start()], title[mark.end() :]
        for kept, dropped in ((head, tail), (tail, head)):
            if kept and (kept in headings or letters(dropped) in site):
                return kept
    return title


def _as_headed(title: str, headings: list[str]) -> str:
    """Return the heading that goes on where a title breaks off: cut short, or ended by a quotation mark."""
    start = title.rstrip(" .…")
    goes_on = (heading for heading in headings if len(start) >= _MIN_START and heading.startswith(start))
    return next(goes_on, title)


def _author(
    tree: LexborHTMLParser, metas: dict[str, list[str]], stated: Statement, url: str, around: Callable[[], Around]
) -> str | None:
    """Join the names of the first source that states any: JSON-LD, meta elements, elements marked as the author.

    After these come the byline as readers see it, who signed the text, organisations that the JSON-LD states; and last
    of all what only names the site, as many papers' templates do, or an account.
    """
    title = clean_value(_title_element(tree), MAX_TITLE)
    site = _site_names(metas, url) | {
        letters(end) for mark in _SITE_MARK.finditer(title) for end in (title[: mark.start()], title[mark.end() :])
    }
    read = list[list[str]]()
    for source in (
        lambda: stated.authors,
        lambda: _first(metas, _AUTHOR_NAMES),
        lambda: _marked_authors(tree),
        lambda: byline.authors(tree, around()),
        lambda: byline.signature(tree),
        lambda: stated.organisations,
    ):
        read.append(names(source()))
        if people := [name for name in read[-1] if letters(name) not in site and not is_account(name)]:
            return clean_value(", ".join(people), MAX_AUTHOR)
    return clean_value(", ".join(next(filter(None, read), [])), MAX_AUTHOR) or None


def _marked_authors(tree: LexborHTMLParser) -> list[str]:
    """Return what the first element that calls itself the author shows, and those beside it that show a name.

    One in the head shows nothing, one in a reader's comment is the author of that, and one below the page of its theme.
    """
    every = (node for selector in _AUTHOR_ELEMENTS for node in tree.css(selector)[:_MARKED] if node.tag != "link")
    marked = (node for node in every if not (is_aside(node, frozenset(), _OF_OTHERS) or _is_in_comment(node)))
    told = ((node, name) for node in marked if (name := " ".join(_name_in(node).split())))
    first, name = next(told, (None, ""))
    # Two nodes with the same markup are equal, wherever they stand.
    around = first.parent.mem_id if first and first.parent else None
    return [name, *(other for node, other in told if node.parent and node.parent.mem_id == around and is_name(other))]


def _name_in(node: LexborNode) -> str:
    """Return the name that stands in an element, shown or, where a ``meta`` has it, stated; else all that it shows."""
    name = node.css_first(_NAME_ELEMENTS)
    if name is None:
        return node.text(separator=" ")
    return name.text(separator=" ").strip() or name.attributes.get("content") or node.text(separator=" ")


def _is_in_comment(node: LexborNode) -> bool:
    """Return whether the innermost ``article`` around an element is a comment, as Drupal has them."""
    around: LexborNode | None = node
    while around is not None and around.tag != "article":
        around = around.parent
    return around is not None and _OF_COMMENT.match(around.attributes.get("class") or "") is not None


def stated_language(tree: LexborHTMLParser) -> str:
    """Return the language that the page states of itself (BCP 47), "" when it states none."""
    root = tree.root
    language = (root.attributes.get("lang") or root.attributes.get("xml:lang") or "") if root else ""
    return language.strip().lower().replace("_", "-")[:20]


def _language_of_dates(tree: LexborHTMLParser) -> str:
    """Return the stated language; where there is none, or a template says English, what the title's letters tell.

    ``und`` is any in which the day comes before the month.
    """
    language = stated_language(tree)
    if language and not language.startswith("en"):
        return language
    title = _title_element(tree)[:MAX_TITLE]
    script, share = main_script(title)
    if script == "Latn" and _VIETNAMESE.search(title):
        return "vi"
    if script in {"Latn", "Zyyy"} or share <= _HALF:
        return language
    return next((code for code, letters in _ARABIC if script == "Arab" and letters.search(title)), "und")


def _date_candidates(
    tree: LexborHTMLParser, metas: dict[str, list[str]], stated: Statement, url: str, around: Callable[[], Around]
) -> Iterator[Candidate]:
    """Yield texts that may be the date of publication, most trusted first.

    An address beats a loose <time> element, and one of the article that states another day.
    """
    if stated.published:
        yield Candidate("json-ld", stated.published)
    yield from (Candidate("meta", text) for text in _first(metas, _DATE_NAMES))
    named = [name for name in metas if name not in _DATE_NAMES and _DATE_NAMED.fullmatch(name)]
    yield from (Candidate("meta", text) for text in _first(metas, named))
    times = list(time_elements(tree))
    yield from (Candidate("time", text) for text in marked_dates(tree))
    address = parse(url)
    in_path = stated_in_path(address.path) if address else []
    own = list(times_of_article(tree, times))
    yield from (Candidate("time", text) for text in own if may_be_of(text, in_path))
    yield from (Candidate("url", text) for text in in_path)
    yield from (Candidate("time", text) for text in own if in_path)
    loose = [(node, shown.text) for node, shown in times if shown.place == "time"]
    if len({text for _, text in loose}) == 1:
        node, text = loose[0]
        yield Candidate("masthead" if is_of_masthead(node) else "time", text)
    yield from (Candidate(*shown) for shown in visible_dates(around()))
    yield from (Candidate("updated", shown.text) for _, shown in times if shown.place == "updated")
    yield from (Candidate(*shown) for shown in visible_ages(around()))


def _canonical(tree: LexborHTMLParser, url: str) -> str | None:
    """Return the page's canonical address, if it names one and that is of its site.

    A site's front page is not believed to be the canonical form of a page below it.
    """
    own = parse(url)
    references = {node.attributes.get("href") or "" for node in tree.css('link[rel~="canonical" i][href]')[:10]}
    base = url if all(map(_ABSOLUTE.match, references)) else base_of(tree, url)
    targets = {address for reference in references if reference.strip() and (address := parse(reference, base))}
    if own is None or len(targets) != 1:
        return None
    target = targets.pop()
    misled = target.path == "/" and not target.query and (own.path != "/" or bool(own.query))
    return target.canonical if same_site(own.host, target.host) and not misled else None
