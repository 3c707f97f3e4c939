"""Find the authors of a page: the first place that names a person, in order of trust."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipelines.metadata.asides import is_aside
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
from pipelines.metadata.headline import holds_headline
from pipelines.metadata.meta_elements import contents_of
from pipelines.metadata.organisations import names_organisation
from pipelines.metadata.teasers import teaser_test
from pipelines.metadata.titles import MAX_TITLE, SITE_MARK, site_names, title_element
from pipelines.text.normalise import clean_value
from storage.records import (
    ACCOUNT,
    BYLINE,
    JSON_LD,
    MARKED,
    META,
    ORGANISATION,
    SIGNATURE,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from pipelines.metadata.headline import Surroundings
    from pipelines.metadata.jsonld import Statement
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
# Selectors have no descendant combinator: with one, lexbor's cost is quadratic in the depth.
_AUTHOR_ELEMENTS = ('[itemprop~="author"]', '[rel~="author"]', '[rel~="sioc:has_creator"]')
_NAME_ELEMENTS = '[itemprop~="name"], [property~="foaf:name"], .username'  # Drupal: "Submitted by … on …" is around it.
_OF_COMMENT = re.compile(r"\bcomments?\b(?!-(?:open|closed))", re.IGNORECASE)
_OF_OTHERS = re.compile(
    rf"{_OF_COMMENT.pattern}|\b(?:copyright|colophon|site-(?:info|generator|credits?))\b", re.IGNORECASE
)
_MAX_MARKED_ELEMENTS = 3
"""Elements for each selector that are read."""


def find_authors(
    tree: LexborHTMLParser, metas: dict[str, list[str]], stated: Statement, url: str, around: Callable[[], Surroundings]
) -> tuple[tuple[str, ...], str | None]:
    """Return the persons of the first source with any, each once, and that source.

    Sources in order: JSON-LD, meta elements, elements marked as the author, the visible byline, the signature, and
    organisations in the JSON-LD. The first that names a person in full wins: systems state the newspaper, its agency or
    a single word where readers see who wrote it. Names of user accounts, and of persons who have the site's address,
    come last. The site itself is no author.
    """
    title = clean_value(title_element(tree), MAX_TITLE)
    other_names = [name for name in metas if name not in _AUTHOR_NAMES and _AUTHOR_NAMED.fullmatch(name)]
    site = (
        site_names(metas, url)
        | set(map(letters, stated.publishers))
        | {letters(end) for mark in SITE_MARK.finditer(title) for end in (title[: mark.start()], title[mark.end() :])}
    )
    named = {letters(name) for name in contents_of(metas, ("og:site_name", "application-name"))}
    doubtful: dict[bool, tuple[tuple[str, ...], str]] = {}
    for kind, source in (
        (JSON_LD, lambda: stated.authors),
        (META, lambda: contents_of(metas, _AUTHOR_NAMES)),
        (META, lambda: [name for name in contents_of(metas, other_names) if is_name(clean_value(name, MAX_AUTHOR))]),
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
    every = (
        node
        for selector in _AUTHOR_ELEMENTS
        for node in tree.css(selector)[:_MAX_MARKED_ELEMENTS]
        if node.tag != "link"
    )
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
