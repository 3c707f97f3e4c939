"""Tell what is beside the article: navigation, comments, related articles, and teasers of other pages.

The date and the author of a teaser are those of the other page. What holds the headline of the page is the head of its
article, under any name.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from pipelines.markup.anchors import LINKS
from pipelines.text.normalise import letters, letters_of_all
from pipelines.text.scripts import is_spaced, size
from pipelines.urls.url import host_of, parse, same_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from selectolax.lexbor import LexborNode

MAX_LEVELS = 4
"""Levels of the tree, the element itself included, that decide its role."""
WHOLE_PAGE_TAGS = frozenset({"article", "main", "body", "html"})
"""Elements whose classes describe the page: that it has a sidebar, or comments."""
MOST_OF_TITLE = 0.4
"""Least share of the title that its headline has."""

# Asides, by elements and class words.
MISLEADING_NAMES = re.compile(
    r"relat(?!ive)|comment|sidebar|(?<!post-)(?<!entry-)(?<!article-)(?<!asset-)footer|most|popular|recommend"
    r"|(?<!elementor-)widget(?!\s+blog\b)|copyright|weather|event-?(?:date|time|info|detail|meta)|upcoming|cookie"
    r"|caption|\bpoll|prayer-?time|exchange-?rate|currency-?(?:box|bar|rate)|wp-calendar|forecast|countdown|timeline|exif"
    r"|read-?(?:more|also|next)|lien-?quan|tin-?khac|doc-?nhieu|xem-?them|cung-?chuyen-?muc",
    re.IGNORECASE,
)
OTHER_PAGES = re.compile(r"relat(?!ive)|comment|sidebar|most|popular|recommend|upcoming", re.IGNORECASE)
_TAXONOMY = re.compile(r"\b(?:category|tag)-\S+")
"""Classes of WordPress for the subjects of a post. A subject may be called most popular."""
ASIDE_TAGS = frozenset({"nav", "aside", "footer", "figure", "figcaption", "blockquote"})
TAGS_WITHOUT_BYLINE = ASIDE_TAGS - {"aside"}
"""Elements that contain no byline. An aside next to the headline may."""
MAX_NAMING = 2000
"""Characters of a class or id. They are searched again for each element below."""


def is_aside(node: LexborNode, tags: frozenset[str] = ASIDE_TAGS, classes: re.Pattern[str] = MISLEADING_NAMES) -> bool:
    """Return whether an element or one around it is beside the article: navigation, comments, other pages.

    What holds the headline of the page is the head of the article under any name.
    """
    around: LexborNode | None = node
    for _ in range(MAX_LEVELS):
        if around is None:
            return False
        # A footer or an aside of an article may contain its byline.
        in_article = around.tag in {"footer", "aside"} and around.parent is not None and around.parent.tag == "article"
        if (around.tag not in WHOLE_PAGE_TAGS and _has_name(naming_of(around), classes)) or (
            around.tag in tags and not in_article
        ):
            return not holds_headline(around)
        around = around.parent
    return False


@lru_cache(maxsize=2**10)
def _has_name(naming: str, classes: re.Pattern[str]) -> bool:
    """Return whether a class or id has one of some names. Elements of a site repeat them."""
    return classes.search(_TAXONOMY.sub("", naming)) is not None


def naming_of(node: LexborNode) -> str:
    """Return class and id of an element, as far as they are read."""
    stated = node.attributes
    return f"{(stated.get('class') or '')[:MAX_NAMING]} {(stated.get('id') or '')[:MAX_NAMING]}"


def holds_headline(node: LexborNode) -> bool:
    """Return whether the first h1 in an element is the headline of the page, as its title shows."""
    heading = node.css_first("h1")
    if heading is None or is_linked(heading, MAX_LEVELS) or heading.css_first(LINKS) is not None:
        return False
    root = node
    while root.parent is not None:
        root = root.parent
    headline, title = letters_of(heading), letters_of(root.css_first("title"))
    within = headline in title or title in headline
    # A section's name in an h1 may be in the title too.
    return within and min(len(headline), len(title)) >= MOST_OF_TITLE * max(len(headline), len(title), 1)


# Teasers of other pages.
AUTHOR_PATH = re.compile(
    r"/(?:authors?|autor(?:es|en|in)?|auteurs?|autori?|byline|by|reporters?|journalists?|journalistes?|redacteurs?"
    r"|writers?|columnists?|contributors?|profiles?|users?|staff|members?|people|biog?s?)/[^/]|/@[^/]"
)
"""Path of the page of an author."""
MAX_TITLE = 500
"""Characters of a title or a line that are compared."""
_LINK_WORD = re.compile(r"[^\W\d_]{2,}")
_HEADING_TAGS = "h2, h3, h4, h5"
_MAX_CARD_LEVELS, _MAX_CARD_CHARS = 6, 400
"""Elements around a date or author in which a card is searched, and characters of a card."""
_MIN_LINK_LETTERS, _MIN_LINK_WORDS, _MIN_UNSPACED_SIZE = 25, 4, 35
"""Letters and words of a link that is a headline, and no section or author; its size in a script without spaces."""
_MIN_HEADING_SIZE = 12
"""Letters of a linked heading that is a headline, and no number of comments."""
_MAX_CARD_LINKS = 6
"""Links of a card that are read."""
_HEADING_LEVELS = 5
"""Elements, from a heading up, that may be its link."""
_MIN_PROSE_CHARS, _MIN_PARAGRAPHS = 100, 3
"""Characters and number of paragraphs of prose that a teaser does not have."""


def teaser_test(title: str, url: str) -> Callable[[LexborNode], bool]:
    """Return a test whether an element of a page is in a teaser of another. ``title``: the letters of its title.

    A teaser is the innermost <article> around the element, if it begins with a linked heading that is not in the title,
    and contains little text. Or it is a card: a small element around, without the headline, with a headline that leads
    to another page of the site.
    """
    articles: dict[int, bool] = {}
    cards: dict[int, bool | None] = {}
    """By element: whether it is a card; None if an element around it may be one."""
    is_other_page = lru_cache(partial(_is_other_page, host=host_of(url), place=_place(url, url), url=url))

    def is_in_teaser(node: LexborNode) -> bool:
        article: LexborNode | None = node
        while article is not None and article.tag != "article":
            article = article.parent
        if article is not None:
            if article.mem_id not in articles:
                articles[article.mem_id] = _is_teaser_article(article, title)
            if articles[article.mem_id]:
                return True
        around: LexborNode | None = node
        for _ in range(_MAX_CARD_LEVELS):
            if around is None:
                break
            if around.mem_id not in cards:
                cards[around.mem_id] = _is_card(around, title, is_other_page)
            if (found := cards[around.mem_id]) is not None:
                return found
            around = around.parent
        return False

    return is_in_teaser


def _is_teaser_article(article: LexborNode, title: str) -> bool:
    heading = article.css_first("h1,h2,h3,h4")
    if heading is None or heading.tag == "h1" or not (heading.css_first(LINKS) or is_linked(heading, _HEADING_LEVELS)):
        return False
    said = letters_of(heading)
    if said and said in title:
        return False
    return sum(len(paragraph.text()) >= _MIN_PROSE_CHARS for paragraph in article.css("p")) < _MIN_PARAGRAPHS


def _is_card(node: LexborNode, title: str, is_other_page: Callable[[str], bool]) -> bool | None:
    """Return whether an element is a card; None if it is not, and an element around it may be one."""
    if (
        node.tag in WHOLE_PAGE_TAGS - {"article"}
        or len(node.text()) > _MAX_CARD_CHARS
        or node.css_first("h1") is not None
    ):
        return False
    if node.tag == "a" and _is_headline(node, title, is_other_page):
        return True
    if sum(len(paragraph.text()) >= _MIN_PROSE_CHARS for paragraph in node.css("p")) > 1:
        return False
    links = node.css("a[href]")[:_MAX_CARD_LINKS]
    if any(_is_headline(link, title, is_other_page) for link in links):
        return True
    headings = map(link_of, node.css(_HEADING_TAGS)[:_MAX_CARD_LINKS] if links else ())
    linked = (link for link in headings if link and size(_letters_in(link)) >= _MIN_HEADING_SIZE)
    return any(_leads_elsewhere(link, title, is_other_page) for link in linked) or None


def _is_headline(link: LexborNode, title: str, is_other_page: Callable[[str], bool]) -> bool:
    """Return whether a link is the headline of another page: long enough without figures, and no author."""
    words = _LINK_WORD.findall(link.text(separator=" ")[:MAX_TITLE])
    said = "".join(words)
    has_spaces = is_spaced(said)
    least = _MIN_LINK_LETTERS if has_spaces else _MIN_UNSPACED_SIZE
    if size(said) < least or (has_spaces and len(words) < _MIN_LINK_WORDS) or "@" in link.text():
        return False
    return _leads_elsewhere(link, title, is_other_page)


def _letters_in(link: LexborNode) -> str:
    """Return the letters of a link's words: no figures, which count comments and state dates."""
    return "".join(_LINK_WORD.findall(link.text(separator=" ")[:MAX_TITLE]))


def _leads_elsewhere(link: LexborNode, title: str, is_other_page: Callable[[str], bool]) -> bool:
    address = link.attributes.get("href") or ""
    is_of_person = "author" in (link.attributes.get("rel") or "").split() or AUTHOR_PATH.search(address)
    if is_of_person or not is_other_page(address):
        return False
    said = letters_of(link)
    return not said or said not in title


def _is_other_page(reference: str, host: str, place: str, url: str) -> bool:
    """Return whether a reference leads to another page of the site, below its front page."""
    target = parse(reference, url)
    if target is None or not same_site(target.host, host):
        return False
    return target.path not in {"", "/"} and _place(reference, url) != place


def _place(reference: str, url: str) -> str:
    """Return host and path of a reference, without scheme, question and final slash."""
    target = parse(reference, url)
    return f"{target.host}{target.path.rstrip('/')}?{target.query}" if target else ""


def link_of(heading: LexborNode) -> LexborNode | None:
    """Return the link in a heading or around it."""
    parent = heading.parent
    return heading.css_first("a[href]") or (parent if parent is not None and parent.tag == "a" else None)


def is_linked(node: LexborNode, levels: int) -> bool:
    """Return whether an element is in a link, up to a few levels above. A list contains the page's title too."""
    around: LexborNode | None = node
    for _ in range(levels):
        if around is None:
            return False
        if around.tag == "a" and around.css_matches(LINKS):
            return True
        around = around.parent
    return False


def letters_of(node: LexborNode | None) -> str:
    """Return the folded letters of an element's text, or "" for None."""
    return letters(node.text()[:MAX_TITLE]) if node else ""


def letters_of_each(nodes: Iterable[LexborNode | None]) -> list[str]:
    """Return the folded letters of the text of each element."""
    return letters_of_all([node.text()[:MAX_TITLE] if node else "" for node in nodes])
