"""Find whether an element is in a teaser of another page. Its date and author are those of the other page."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from pipelines.markup.anchors import LINKS
from pipelines.text.scripts import is_spaced
from pipelines.text.text_size import size
from pipelines.urls.url import host_of, parse, same_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborHTMLParser, LexborNode

AUTHOR_PATH = re.compile(
    r"/(?:authors?|autor(?:es|en|in)?|auteurs?|autori?|byline|by|reporters?|journalists?|journalistes?|redacteurs?"
    r"|writers?|columnists?|contributors?|profiles?|users?|staff|members?|people|biog?s?)/[^/]|/@[^/]"
)
"""Path of the page of an author."""
MAX_TITLE = 500
"""Characters of a title or a line that are compared."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_NO_LETTERS = re.compile(r"[\W_]+")
_HEADING_TAGS = "h2, h3, h4, h5"
_WHOLE = frozenset({"article", "main", "body", "html"})
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


def teaser_test(tree: LexborHTMLParser, url: str) -> Callable[[LexborNode], bool]:
    """Return a test whether an element of the page ``url`` is in a teaser of another page.

    A teaser is the innermost <article> around the element, if it begins with a linked heading that is not in the title,
    and contains little text. Or it is a card: a small element around, without the headline, with a headline that leads
    to another page of the site.
    """
    title = letters_of(tree.css_first("title"))
    known: dict[int, bool] = {}
    is_other_page = partial(_is_other_page, host=host_of(url), place=_place(url, url), url=url)

    def is_in_teaser(node: LexborNode) -> bool:
        article: LexborNode | None = node
        while article is not None and article.tag != "article":
            article = article.parent
        if article is not None:
            if article.mem_id not in known:
                known[article.mem_id] = _is_teaser_article(article, title)
            if known[article.mem_id]:
                return True
        return _is_in_card(node, title, is_other_page)

    return is_in_teaser


def _is_teaser_article(article: LexborNode, title: str) -> bool:
    heading = article.css_first("h1,h2,h3,h4")
    if heading is None or heading.tag == "h1" or not (heading.css_first(LINKS) or is_linked(heading, _HEADING_LEVELS)):
        return False
    letters = letters_of(heading)
    if letters and letters in title:
        return False
    return sum(len(paragraph.text()) >= _MIN_PROSE_CHARS for paragraph in article.css("p")) < _MIN_PARAGRAPHS


def _is_in_card(node: LexborNode, title: str, is_other_page: Callable[[str], bool]) -> bool:
    around: LexborNode | None = node
    for _ in range(_MAX_CARD_LEVELS):
        if around is None or around.tag in _WHOLE - {"article"}:
            return False
        if len(around.text()) > _MAX_CARD_CHARS or around.css_first("h1") is not None:
            return False
        if around.tag == "a" and _is_headline(around, title, is_other_page):
            return True
        if sum(len(paragraph.text()) >= _MIN_PROSE_CHARS for paragraph in around.css("p")) > 1:
            return False
        links = around.css("a[href]")[:_MAX_CARD_LINKS]
        if any(_is_headline(link, title, is_other_page) for link in links):
            return True
        headings = map(link_of, around.css(_HEADING_TAGS)[:_MAX_CARD_LINKS] if links else ())
        linked = (link for link in headings if link and size(_letters_in(link)) >= _MIN_HEADING_SIZE)
        if any(_leads_elsewhere(link, title, is_other_page) for link in linked):
            return True
        around = around.parent
    return False


def _is_headline(link: LexborNode, title: str, is_other_page: Callable[[str], bool]) -> bool:
    """Return whether a link is the headline of another page: long enough without figures, and no author."""
    letters, words = _letters_in(link), len(_WORD.findall(link.text(separator=" ")[:MAX_TITLE]))
    has_spaces = is_spaced(letters)
    least = _MIN_LINK_LETTERS if has_spaces else _MIN_UNSPACED_SIZE
    if size(letters) < least or (has_spaces and words < _MIN_LINK_WORDS) or "@" in link.text():
        return False
    return _leads_elsewhere(link, title, is_other_page)


def _letters_in(link: LexborNode) -> str:
    """Return the letters of a link's words: no figures, which count comments and state dates."""
    return "".join(_WORD.findall(link.text(separator=" ")[:MAX_TITLE]))


def _leads_elsewhere(link: LexborNode, title: str, is_other_page: Callable[[str], bool]) -> bool:
    address = link.attributes.get("href") or ""
    is_of_person = "author" in (link.attributes.get("rel") or "").split() or AUTHOR_PATH.search(address)
    if is_of_person or not is_other_page(address):
        return False
    letters = letters_of(link)
    return not letters or letters not in title


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
    return folded_letters(node.text()[:MAX_TITLE]) if node else ""


def folded_letters(text: str) -> str:
    """Return the letters and digits of a text, in one case."""
    return _NO_LETTERS.sub("", text.casefold())
