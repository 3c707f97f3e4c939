"""Read the metadata of a page: title, author, date, canonical URL, robots directives, rights."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING

from pipelines.language.detect import main_script
from pipelines.markup.tree import base_of, parse_tree, shown_text
from pipelines.metadata.authors import (
    MAX_AUTHOR,
    byline_authors,
    is_account,
    is_name,
    letters,
    names,
    persons,
    signature,
)
from pipelines.metadata.dates.elements import (
    around_headline,
    holds_headline,
    is_aside,
    is_of_masthead,
    marked_dates,
    time_elements,
    times_of_article,
    visible_ages,
    visible_dates,
)
from pipelines.metadata.dates.zones import site_zone
from pipelines.metadata.jsonld import read_jsonld
from pipelines.metadata.organisations import names_organisation
from pipelines.metadata.publication_date import DateCandidate, find_date, may_be_of, stated_in_path
from pipelines.metadata.rights import MAX_METAS, licence_url, noted_directives, reservation_of_page
from pipelines.metadata.teasers import link_of, teaser_test
from pipelines.text.normalise import clean_value
from pipelines.urls.url import canonicalise, host_of, parse, registered_domain, same_site
from storage.records import (
    ACCOUNT,
    BYLINE,
    HEADING,
    JSON_LD,
    MARKED,
    META,
    ORGANISATION,
    SIGNATURE,
    TITLE_ELEMENT,
    Metadata,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pipelines.metadata.dates.elements import Surroundings
    from pipelines.metadata.jsonld import Statement

MAX_TITLE = 500
"""Characters."""
_MIN_START = 15
"""Characters of a cut title from which the heading with the same start replaces it."""
_HALF = 0.5
"""Share of the letters of a title from which its script counts."""

_INLINE = re.compile(r"<(a|b|em|font|i|mark|q|small|span|strong|sub|sup|u)(?:\s[^<>]*)?>(.*?)</\1>", re.IGNORECASE)
_ABSOLUTE = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_SITE_MARK = re.compile(r"\s+(?:[|–—·•»«:/]|-{1,2}|::)\s+|\s*[|｜»]\s*|\s*_(?=[^_]*$)")
_BAR = re.compile(r"\s[|｜]\s(?=[^|｜]*$)")
_MOST_NAME = 40
"""Characters, at most, of a site's name behind a bar."""
_HAN = re.compile("[\u3400-\u9fff]")
_SECTION = re.compile(f"_+(?=.*{_HAN.pattern})")
"""Beginning of the section in a Chinese title: headline, section, site. Headlines have no underscore."""
_LEAST_HAN = 4
"""Chinese characters, at least, of the headline before it."""
_FIRST_LINKS = 60
"""Links, from the beginning of a page, that may name the site."""
_AUTHOR_NAMES = (
    "author",
    "parsely-author",
    "sailthru.author",
    "dc.creator",
    "dcterms.creator",
    "article:author",
    "byl",
)
_AUTHOR_NAMED = re.compile(
    r"(?!(?:.*[._:-])?(?:video|movie|film|music|album|game|book|product|app|smartbanner|image|photo|theme|template|web"
    r"|site|comment|quote|twitter|fediverse|og)[._:-])(?:.*[._:-])?(?:article|content|citation|post|story|news)?[._:-]?"
    r"(?:authors?|writers?|reporters?|journalists?|byline)[._:-]?(?:names?)?"
)
"""Other names for the author, except those of something beside the page. In ``og:article:author`` it is the paper."""
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
# Selectors have no descendant combinator: with one, lexbor's cost is quadratic in the depth.
_AUTHOR_ELEMENTS = ('[itemprop~="author"]', '[rel~="author"]', '[rel~="sioc:has_creator"]')
_NAME_ELEMENTS = '[itemprop~="name"], [property~="foaf:name"], .username'  # Drupal: "Submitted by … on …" is around it.
_OF_COMMENT = re.compile(r"\bcomments?\b(?!-(?:open|closed))", re.IGNORECASE)
_OF_OTHERS = re.compile(
    rf"{_OF_COMMENT.pattern}|\b(?:copyright|colophon|site-(?:info|generator|credits?))\b", re.IGNORECASE
)
_VIETNAMESE = re.compile("[ơưđƠƯĐạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữự]")
_ARABIC = (("ur", re.compile("[ےںٹڈڑ]")), ("fa", re.compile("[پچژگکی]")))
"""Letters of one language. Years of two digits come first in Persian and last elsewhere."""
_MARKED = 3
"""Elements for each selector that are read."""
_MOST_LOWER = 20
"""Lower headings that are compared with <title>."""
_UNLIKE, _LIKE = 0.2, 0.6
"""Shared runs of three letters below which two titles contradict, and from which they agree."""


def read_metadata(
    page: str | LexborHTMLParser,
    url: str,
    robots_headers: Iterable[str],
    fetched_at: datetime,
    timezone: str = "",
) -> Metadata:
    """Return the metadata of a page, cleaned and of limited length.

    ``timezone`` is the configured zone of the site (IANA name); without it one may be assumed (see ``site_zone``).
    ``robots_headers`` are the values of X-Robots-Tag. A date later than two days after ``fetched_at`` is rejected.
    """
    tree = parse_tree(page) if isinstance(page, str) else page
    metas, stated = _metas(tree), read_jsonld(tree, url)
    around = cache(partial(around_headline, tree, url))
    language = language_of_dates(tree)
    zone = site_zone(timezone, host_of(url), language)
    found = find_date(_date_candidates(tree, metas, stated, url, around), fetched_at, language, zone)
    reserved = reservation_of_page(metas, url)
    title, title_source = _title(tree, metas, stated, url)
    authors, author_source = _authors(tree, metas, stated, url, around)
    return Metadata(
        title=title,
        title_source=title_source,
        author=", ".join(authors) or None,
        authors=authors,
        author_source=author_source,
        published=(found.local or found.iso) if found else None,
        published_text=clean_value(found.original, MAX_TITLE) if found else None,
        published_calendar=found.calendar if found else None,
        published_source=found.source if found else None,
        published_confidence=found.confidence if found else None,
        published_zone=found.zone_source if found else None,
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


def _title(
    tree: LexborHTMLParser, metas: dict[str, list[str]], stated: Statement, url: str
) -> tuple[str | None, str | None]:
    """Return the title without the name of the site, and its source: headline, og:title, the only h1 and <title>.

    An h1 that equals the og:title comes first. Some papers state another headline for search engines. An h1 with the
    name of the site is no heading. The first heading below it comes last. A headline of the JSON-LD that contradicts
    the h1 and <title>, which agree, is that of another page.
    """
    site = _site_names(metas, url) | _front_page_names(tree, url) | (set(map(letters, stated.publishers)) - {""})
    shared = [clean_value(title, MAX_TITLE) for title in _first(metas, ("og:title", "twitter:title"))]
    whole = [title for title in (clean_value(_title_element(tree), MAX_TITLE), *shared) if title]
    lower = cache(partial(_lower_headings, tree, url))
    shown = [(node, clean_value(shown_text(node, " "), MAX_TITLE)) for node in tree.css("h1")[:5]]
    mastheads = {heading for node, heading in shown if letters(heading) in site or _leads_home(node, url)}
    headings = [heading for _, heading in shown if heading and heading not in mastheads]
    found_below = ((heading, _headline_below(heading, whole, stated.headline, lower)) for heading in headings)
    below = {heading: headline for heading, headline in found_below if headline and letters(headline) not in site}
    if below:
        stated_letters = set(map(letters, whole))
        headings = [*dict.fromkeys(below.values()), *(each for each in headings if letters(each) in stated_letters)]
    mastheads |= set(below)
    site |= set(map(letters, mastheads))
    named = set(map(letters, shared)) - {""}
    agreed = "" if _contradicts(stated.headline, headings, _title_element(tree)) else stated.headline
    titles = [
        *((heading, HEADING) for heading in headings if letters(heading) in named),
        (agreed, JSON_LD),
        *((title, META) for title in shared),
        *((heading, HEADING) for heading in (headings if len(headings) == 1 else [])),
        (_title_element(tree), TITLE_ELEMENT),
        *((heading, HEADING) for heading in headings),
        *((title, META) for title in _first(metas, ("title", "dc.title", "dcterms.title"))),
    ]
    cleaned = ((_without_markup(clean_value(title, MAX_TITLE)), source) for title, source in titles)
    found = [(_as_headed(_without_site(title, site, headings), headings), source) for title, source in cleaned if title]
    last = ((heading, HEADING) for heading in (lower() if mastheads else ()))
    own = (pair for pair in (*found, *last) if letters(pair[0]) not in site)
    return next(own, found[0] if found else (None, None))


def _lower_headings(tree: LexborHTMLParser, url: str) -> list[str]:
    """Return the headings below the h1 that do not lead to another page."""
    is_in_teaser = teaser_test(tree, url)
    nodes = (node for node in tree.css("h2, h3")[:_MOST_LOWER] if not is_in_teaser(node))
    return [heading for node in nodes if (heading := clean_value(shown_text(node, " "), MAX_TITLE))]


def _leads_home(heading: LexborNode, url: str) -> bool:
    front, link = canonicalise("/", url), link_of(heading)
    return link is not None and front == canonicalise(link.attributes.get("href") or "", url) != canonicalise(url)


def _headline_below(heading: str, titles: list[str], headline: str, lower: Callable[[], list[str]]) -> str:
    """Return the headline in a lower heading, if an h1 is the name of the site, as in old templates, or "".

    Of the ``titles`` that the page states, and the ``headline`` of its JSON-LD, some have the headline before the name,
    or as their longer part. Or no title has anything of the h1.
    """
    own, whole = letters(heading), [title for title in (*titles, headline) if title]
    named = _trigrams(own)
    cuts = [(title[: mark.start()], title[mark.end() :]) for title in whole for mark in _SITE_MARK.finditer(title)]
    parts = [*cuts, *((tail, head) for head, tail in cuts)]
    found = {letters(part) for part, rest in parts if len(part) > len(heading) and _is_alike(letters(rest), named)}
    if own not in map(letters, titles):
        found |= {letters(head) for head, tail in cuts if letters(tail) == own}
    if not found and not any(_is_alike(letters(title), named) for title in titles):
        found = {*map(letters, whole), *(letters(part) for part, rest in parts if len(part) > len(rest))}
    found -= {own}
    return next((each for each in lower() if letters(each) in found), "") if found else ""


def _is_alike(text: str, named: set[str]) -> bool:
    return _shared(_trigrams(text), named) >= _LIKE


def _contradicts(headline: str, headings: list[str], title: str) -> bool:
    """Return whether a stated headline has nothing of the only heading and the title element, which agree."""
    if not headline or len(headings) != 1:
        return False
    stated, shown, named = (_trigrams(letters(each)) for each in (headline, headings[0], title))
    return _shared(shown, named) >= _LIKE and max(_shared(stated, shown), _shared(stated, named)) < _UNLIKE


def _trigrams(text: str) -> set[str]:
    return {text[at : at + 3] for at in range(len(text) - 2)} or {text}


def _shared(one: set[str], other: set[str]) -> float:
    """Return the share of the smaller set that is in both."""
    return len(one & other) / max(1, min(len(one), len(other)))


def _without_markup(title: str) -> str:
    """Return a title without inline markup. A single tag may be its topic and stays."""
    if "<" not in title:
        return title
    return " ".join(_BREAK.sub(" ", _INLINE.sub(r"\2", _INLINE.sub(r"\2", title))).split())


def _title_element(tree: LexborHTMLParser) -> str:
    element = tree.css_first("head > title") or tree.css_first("title")
    return element.text() if element else ""


def _site_names(metas: dict[str, list[str]], url: str) -> set[str]:
    """Return the letters of the names that the page and its URL give the site."""
    domain = registered_domain(host_of(url))
    stated = {letters(name) for name in _first(metas, ("og:site_name", "application-name"))}
    return stated | ({letters(domain.partition(".")[0]), letters(domain)} - {""})


def _front_page_names(tree: LexborHTMLParser, url: str) -> set[str]:
    """Return the letters of the texts by which the first links of a page name the front page."""
    address = parse(url)
    if address is None:
        return set()
    fronts = {"/", "./", *(f"{scheme}//{address.host}{end}" for scheme in ("http:", "https:", "") for end in ("", "/"))}
    links = (link for link in tree.css("a[href]")[:_FIRST_LINKS] if link.attributes.get("href") in fronts)
    names = set[str]()
    for link in links:
        image = link.css_first("img[alt]")
        stated = (link.attributes.get("title"), image.attributes.get("alt") if image else "")
        names |= {letters(name[:MAX_TITLE]) for name in (shown_text(link), *stated) if name}
    return names - {""}


def _without_site(title: str, site: set[str], headings: list[str]) -> str:
    """Return a title without the site's name at an end: a part that is its name, or that no heading has.

    If the page has no heading, short parts behind bars are section and site. Chinese titles have section and
    site behind an underscore.
    """
    title = _without_name(title, site, headings)
    if title in headings:
        return title
    while not headings and (bar := _BAR.search(title)) and len(title) - bar.end() <= min(_MOST_NAME, bar.start()):
        title = title[: bar.start()]
    section = _SECTION.search(title)
    return title[: section.start()] if section and len(_HAN.findall(title[: section.start()])) >= _LEAST_HAN else title


def _without_name(title: str, site: set[str], headings: list[str]) -> str:
    for mark in _SITE_MARK.finditer(title):
        head, tail = title[: mark.start()], title[mark.end() :]
        for kept, dropped in ((head, tail), (tail, head)):
            if kept and (kept in headings or letters(dropped) in site):
                return kept
    return title


def _as_headed(title: str, headings: list[str]) -> str:
    """Return the heading that continues a title that is cut, or ended by a quotation mark."""
    start = title.rstrip(" .…")
    goes_on = (heading for heading in headings if len(start) >= _MIN_START and heading.startswith(start))
    return next(goes_on, title)


def _authors(
    tree: LexborHTMLParser, metas: dict[str, list[str]], stated: Statement, url: str, around: Callable[[], Surroundings]
) -> tuple[tuple[str, ...], str | None]:
    """Return the persons of the first source with any, each once, and that source.

    Sources in order: JSON-LD, meta elements, elements marked as the author, the visible byline, the signature, and
    organisations in the JSON-LD. The first that names a person in full wins: systems state the newspaper, its agency or
    a single word where readers see who wrote it. Names of user accounts, and of persons who have the site's address,
    come last. The site itself is no author.
    """
    title = clean_value(_title_element(tree), MAX_TITLE)
    other_names = [name for name in metas if name not in _AUTHOR_NAMES and _AUTHOR_NAMED.fullmatch(name)]
    site = (
        _site_names(metas, url)
        | set(map(letters, stated.publishers))
        | {letters(end) for mark in _SITE_MARK.finditer(title) for end in (title[: mark.start()], title[mark.end() :])}
    )
    named = {letters(name) for name in _first(metas, ("og:site_name", "application-name"))}
    doubtful: dict[bool, tuple[tuple[str, ...], str]] = {}
    for kind, source in (
        (JSON_LD, lambda: stated.authors),
        (META, lambda: _first(metas, _AUTHOR_NAMES)),
        (META, lambda: [name for name in _first(metas, other_names) if is_name(clean_value(name, MAX_AUTHOR))]),
        (MARKED, lambda: _marked_authors(tree, url)),
        (BYLINE, lambda: byline_authors(tree, around())),
        (SIGNATURE, lambda: signature(tree)),
        (ORGANISATION, lambda: stated.organisations),
    ):
        found = persons(names(source()))
        people = [name for name in found if letters(name) not in site and not is_account(name)]
        if any(is_name(name) and not names_organisation(name) for name in people):
            return within_limit(people), kind
        if people:
            doubtful.setdefault(False, (within_limit(people), kind))
        # A person may have a site of the same name.
        if kept := [name for name in found if letters(name) not in (named if is_name(name) else site)]:
            is_last = ORGANISATION if kind == ORGANISATION else ACCOUNT
            doubtful.setdefault(True, (within_limit(kept), is_last))
    return doubtful.get(False) or doubtful.get(True) or ((), None)


def within_limit(names: Iterable[str]) -> tuple[str, ...]:
    """Return as many names as fit into the field of all authors together."""
    kept: list[str] = []
    for name in names:
        if len(", ".join([*kept, name])) > MAX_AUTHOR:
            break
        kept.append(name)
    return tuple(kept)


def _marked_authors(tree: LexborHTMLParser, url: str) -> list[str]:
    """Return the text of the first element marked as the author, and names in such elements beside it.

    Elements in the head are invisible. Elements in comments, in the page's credits and in teasers name other authors.
    """
    every = (node for selector in _AUTHOR_ELEMENTS for node in tree.css(selector)[:_MARKED] if node.tag != "link")
    own = (node for node in every if not (is_aside(node, frozenset(), _OF_OTHERS) or _is_in_comment(node)))
    is_in_teaser = teaser_test(tree, url)
    marked = (node for node in own if not is_in_teaser(node))
    named = ((node, name) for node in marked if (name := " ".join(_name_in(node).split())))
    first, name = next(named, (None, ""))
    # Nodes with the same markup compare as equal, so compare their ids.
    around = first.parent.mem_id if first and first.parent else None
    return [name, *(other for node, other in named if node.parent and node.parent.mem_id == around and is_name(other))]


def _name_in(node: LexborNode) -> str:
    """Return the name in an element: visible, or in a ``meta``, else all its text."""
    name = node.css_first(_NAME_ELEMENTS)
    if name is None:
        return node.text(separator=" ")
    return name.text(separator=" ").strip() or name.attributes.get("content") or node.text(separator=" ")


def _is_in_comment(node: LexborNode) -> bool:
    """Return whether the innermost ``article`` around an element is a comment, as in Drupal."""
    around: LexborNode | None = node
    while around is not None and around.tag != "article":
        around = around.parent
    if around is None or _OF_COMMENT.match(around.attributes.get("class") or "") is None:
        return False
    return not holds_headline(around)


def stated_language(tree: LexborHTMLParser) -> str:
    """Return the language that a page states (BCP 47), or ""."""
    root = tree.root
    language = (root.attributes.get("lang") or root.attributes.get("xml:lang") or "") if root else ""
    return language.strip().lower().replace("_", "-")[:20]


def language_of_dates(tree: LexborHTMLParser) -> str:
    """Return the stated language. If it is missing, or a template's English, the title's letters decide.

    ``und`` is any language with the day before the month.
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
    tree: LexborHTMLParser, metas: dict[str, list[str]], stated: Statement, url: str, around: Callable[[], Surroundings]
) -> Iterator[DateCandidate]:
    """Yield texts that may be the date of publication, most trusted first.

    A date in the URL is more trusted than a loose <time> element, or one of the article with another day.
    """
    if stated.published:
        yield DateCandidate("json-ld", stated.published)
    yield from (DateCandidate("meta", text) for text in _first(metas, _DATE_NAMES))
    named = [name for name in metas if name not in _DATE_NAMES and _DATE_NAMED.fullmatch(name)]
    yield from (DateCandidate("meta", text) for text in _first(metas, named))
    times = list(time_elements(tree, url))
    yield from (DateCandidate("time", text) for text in marked_dates(tree, url))
    address = parse(url)
    in_path = stated_in_path(address.path) if address else []
    own = list(times_of_article(tree, times))
    yield from (DateCandidate("time", text) for text in own if may_be_of(text, in_path))
    yield from (DateCandidate("url", text) for text in in_path)
    yield from (DateCandidate("time", text) for text in own if in_path)
    loose = [(node, shown.text) for node, shown in times if shown.place == "time"]
    if len({text for _, text in loose}) == 1:
        node, text = loose[0]
        yield DateCandidate("masthead" if is_of_masthead(node) else "time", text)
    late = []
    for shown in visible_dates(around()):
        if shown.place in {"below", "listed"}:
            late.append(DateCandidate(*shown))
        else:
            yield DateCandidate(*shown)
    changed = ((node, shown.text) for node, shown in times if shown.place == "updated")
    yield from (DateCandidate("updated", text, is_own=not is_of_masthead(node)) for node, text in changed)
    # An age is next to the headline. Dates in lists and after the text are seldom the page's.
    yield from (DateCandidate(*shown) for shown in visible_ages(around()))
    yield from late


def _canonical(tree: LexborHTMLParser, url: str) -> str | None:
    """Return the canonical URL that a page states, if there is only one and it is on the same site.

    The front page is not accepted as the canonical form of a page below it.
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
