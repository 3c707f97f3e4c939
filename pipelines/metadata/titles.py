"""Find the title of a page: the best of headline, meta elements and <title>, without the name of the site."""

from __future__ import annotations

import re
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from pipelines.markup.page_view import contents_of
from pipelines.markup.tree import shown_text
from pipelines.metadata.beside import is_aside, link_of
from pipelines.metadata.headline_parts import MAX_TITLE, SITE_MARK, StatedTitles
from pipelines.text.normalise import clean_value, letters, letters_of_all
from pipelines.text.scripts import size
from pipelines.urls.url import canonicalise, parse
from storage.records import (
    HEADING,
    JSON_LD,
    META,
    TITLE_ELEMENT,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborNode

    from pipelines.markup.page_view import PageView
    from pipelines.metadata.stated_page import StatedPage

_MIN_START = 15
"""Characters of a cut title from which the heading with the same start replaces it."""

_INLINE = re.compile(r"<(a|b|em|font|i|mark|q|small|span|strong|sub|sup|u)(?:\s[^<>]*)?>(.*?)</\1>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
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
_MOST_HEADINGS, _MOST_LOWER = 5, 20
"""Headings h1, and lower ones, that are compared with the titles of the page."""
_MAX_UNLIKE_SHARE, _MIN_LIKE_SHARE = 0.2, 0.6
"""Shared runs of three letters below which two titles contradict, and from which they agree."""


def find_title(page: StatedPage) -> tuple[str | None, str | None]:
    """Return the title without the name of the site, and its source: headline, og:title, the only h1 and <title>.

    An h1 that equals the og:title comes first. Some papers state another headline for search engines. An h1 with the
    name of the site is no heading. The first heading below it comes last. A headline of the JSON-LD that contradicts
    the h1 and <title>, which agree, is that of another page.
    """
    head = _Headlines(page)
    headings, site = head.headings, head.site
    named = set(letters_of_all(head.shared)) - {""}
    agreed = "" if _contradicts(page.stated.headline, headings, page.view.title) else page.stated.headline
    titles = [
        *((heading, HEADING) for heading in headings if letters(heading) in named),
        (agreed, JSON_LD),
        *((title, META) for title in head.shared),
        *((heading, HEADING) for heading in (headings if len(headings) == 1 else [])),
        (page.view.title, TITLE_ELEMENT),
        *((heading, HEADING) for heading in headings),
        *((title, META) for title in contents_of(page.view.contents, ("title", "dc.title", "dcterms.title"))),
    ]
    cleaned = ((_without_markup(clean_value(title, MAX_TITLE)), source) for title, source in titles)
    found = [(_as_headed(_without_site(title, site, headings), headings), source) for title, source in cleaned if title]
    own = next((pair for pair in found if letters(pair[0]) not in site), None)
    if own is None and (found or head.mastheads):
        own = _lower_headline(head, page)
    return own or (found[0] if found else (None, None))


def _lower_headline(head: _Headlines, page: StatedPage) -> tuple[str, str] | None:
    """Return the first of the lower headings that is long enough, if a page states only the name of its site.

    Below an h1 with that name a short one counts too.
    """
    lower = [heading for heading, node in head.lower() if not (is_aside(node) or page.is_in_teaser(node))]
    own = [heading for heading in lower if letters(heading) not in head.site]
    long = (heading for heading in own if size(heading) >= _MIN_START)
    headline = next(long, own[0] if own and head.mastheads else None)
    return (headline, HEADING) if headline else None


def shown_headline(shown: str, page: StatedPage) -> str:
    """Return the headline of the heading that an extractor found above the text, or "" for the name of the site."""
    head, said = _Headlines(page), letters(shown)
    if said in head.site:
        return ""
    nodes = (*page.headings[:_MOST_HEADINGS], *page.view.of("h2", "h3")[:_MOST_LOWER])
    alike = (node for node in nodes if letters(shown_text(node)) == said)
    heading = next(alike, None)
    return head.titles.headline_in(heading) if heading is not None else shown


class _Headlines:
    """What of a page may be its title, and the letters of the names of its site."""

    def __init__(self, page: StatedPage) -> None:
        view, stated, url = page.view, page.stated, page.url
        self.shared = [
            clean_value(title, MAX_TITLE) for title in contents_of(view.contents, ("og:title", "twitter:title"))
        ]
        whole = [title for title in (clean_value(view.title, MAX_TITLE), *self.shared) if title]
        site = page.site_names | _front_page_names(view, url) | (set(letters_of_all(stated.publishers)) - {""})
        self.titles = StatedTitles([*whole, clean_value(stated.headline, MAX_TITLE)], frozenset(site))
        self.lower = cache(partial(_lower_headings, view))
        shown = [(node, self.titles.headline_in(node)) for node in page.headings[:_MOST_HEADINGS]]
        mastheads = {heading for node, heading in shown if letters(heading) in site or _leads_home(node, url)}
        headings = [heading for _, heading in shown if heading and heading not in mastheads]
        headline_below = partial(
            _headline_below, titles=whole, headline=stated.headline, lower=self.lower, is_in_teaser=page.is_in_teaser
        )
        found_below = ((heading, headline_below(heading)) for heading in headings)
        below = {heading: headline for heading, headline in found_below if headline and letters(headline) not in site}
        if below:
            stated_letters = set(letters_of_all(whole))
            headings = [*dict.fromkeys(below.values()), *(each for each in headings if letters(each) in stated_letters)]
        self.headings, self.mastheads = headings, mastheads | set(below)
        self.site = site | set(letters_of_all(self.mastheads))


def _lower_headings(view: PageView) -> list[tuple[str, LexborNode]]:
    """Return the headings below the h1 with their elements. Some are in teasers of other pages."""
    nodes = view.of("h2", "h3")[:_MOST_LOWER]
    return [(heading, node) for node in nodes if (heading := clean_value(shown_text(node, " "), MAX_TITLE))]


def _leads_home(heading: LexborNode, url: str) -> bool:
    link = link_of(heading)
    if link is None:
        return False
    return canonicalise("/", url) == canonicalise(link.attributes.get("href") or "", url) != canonicalise(url)


def _headline_below(
    heading: str,
    titles: list[str],
    headline: str,
    lower: Callable[[], list[tuple[str, LexborNode]]],
    is_in_teaser: Callable[[LexborNode], bool],
) -> str:
    """Return the headline in a lower heading, if an h1 is the name of the site, as in old templates, or "".

    Of the ``titles`` that the page states, and the ``headline`` of its JSON-LD, some have the headline before the name,
    or as their longer part. Or no title has anything of the h1.
    """
    own, whole = letters(heading), [title for title in (*titles, headline) if title]
    named = _trigrams(own)
    cuts = [(title[: mark.start()], title[mark.end() :]) for title in whole for mark in SITE_MARK.finditer(title)]
    parts = [*cuts, *((tail, head) for head, tail in cuts)]
    found = {letters(part) for part, rest in parts if len(part) > len(heading) and _is_alike(letters(rest), named)}
    if own not in letters_of_all(titles):
        found |= {letters(head) for head, tail in cuts if letters(tail) == own}
    if not found and not any(_is_alike(letters(title), named) for title in titles):
        found = {*letters_of_all(whole), *letters_of_all([part for part, rest in parts if len(part) > len(rest)])}
    found -= {own}
    said = ((each, node) for each, node in (lower() if found else ()) if letters(each) in found)
    return next((each for each, node in said if not is_in_teaser(node)), "")


def _is_alike(text: str, named: set[str]) -> bool:
    return _shared(_trigrams(text), named) >= _MIN_LIKE_SHARE


def _contradicts(headline: str, headings: list[str], title: str) -> bool:
    """Return whether a stated headline has nothing of the only heading and the title element, which agree."""
    if not headline or len(headings) != 1:
        return False
    stated, shown, named = map(_trigrams, letters_of_all((headline, headings[0], title)))
    return (
        _shared(shown, named) >= _MIN_LIKE_SHARE
        and max(_shared(stated, shown), _shared(stated, named)) < _MAX_UNLIKE_SHARE
    )


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


def _front_page_names(view: PageView, url: str) -> set[str]:
    """Return the letters of the texts by which the first links of a page name the front page."""
    address = parse(url)
    if address is None:
        return set()
    fronts = {"/", "./", *(f"{scheme}//{address.host}{end}" for scheme in ("http:", "https:", "") for end in ("", "/"))}
    links = islice((each for each in view.references if each.tag == "a"), _FIRST_LINKS)
    names: list[str | None] = []
    for link, _, attributes in links:
        if attributes.get("href") in fronts:
            image = link.css_first("img[alt]")
            names += shown_text(link), attributes.get("title"), image.attributes.get("alt") if image else ""
    return set(letters_of_all([name[:MAX_TITLE] for name in names if name])) - {""}


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
    for mark in SITE_MARK.finditer(title):
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
