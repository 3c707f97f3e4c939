"""A page, or a piece of one, as texts and tags by turns: what ``soup`` gives, quicker, of tags no more than names.

Tags end at the first ``>``, and one regular expression splits them all off. Should quotation marks or less-than signs
be left among the texts where a tag seems to have ended too early or not at all, ``soup`` reads the page instead, tag by
tag if need be. The two differ in tags with a quotation mark that never ends: nothing after them is lost here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pipelines.extractors.lexer import BOXES, REMOVED, VOID, dropped, sanitise
from pipelines.extractors.soup import scan

_TAG = re.compile(r"<(/?[a-zA-Z][^\s/<>]*+)[^<>]*+>")
_ODD = re.compile(r"""</?[a-zA-Z]|["'][^<>\0]*+>""")
_BODY = re.compile(r"<[bB][oO][dD][yY](?=[\s/>])")
_HIDDEN = re.compile(r"""\s(?:hidden(?=[\s/>=])|style\s*=\s*["']?[^"'>]{0,400}?display\s*:\s*none)""")
_HIDING = {word: re.compile("".join(f"[{letter}{letter.upper()}]" for letter in word)) for word in ("hidden", "none")}
_NEVER_HIDDEN = VOID | REMOVED | {"html", "body"}
MANY = 50_000
"""Tags from which equal names are kept once."""


class Flat(NamedTuple):
    """Texts and tags by turns, a text first and last; names of tags in lower case, end tags with a leading slash."""

    texts: list[str]
    names: list[str]


def body_start(html: str) -> int:
    """Return where the body tag begins; 0 when there is none."""
    found = _BODY.search(html)
    return found.start() if found else 0


def flatten(html: str) -> Flat:
    """Step 0 of improved BTE, and all tags that are left; those of elements without content are among them."""
    source = shown(without_dropped(sanitise(html)))
    parts = _TAG.split(source)
    texts, names = parts[::2], parts[1::2]
    joined = "\0".join(texts)
    if ("<" in joined or ">" in joined) and _ODD.search(joined):
        soup = scan(html)
        return Flat(list(soup.texts), list(soup.names))
    names = "\0".join(names).lower().split("\0") if names else []
    return Flat(texts, names)


def without_dropped(html: str) -> str:
    """Return a page without what is dropped with all it holds; a space parts what is apart on the screen."""
    pieces: list[str] = []
    position = 0
    for start, end, name in dropped(html):
        pieces += (html[position:start], " " if name in BOXES else "")
        position = end
    return "".join((*pieces, html[position:])) if pieces else html


def shown(source: str) -> str:
    """Return a page without hidden elements (``hidden``, ``display:none``).

    As in ``soup``, one that never ends hides nothing, and nothing is hidden should it be most of the page.
    """
    pieces, position, hidden = [], 0, 0
    for place in _suspect_places(source):
        tag = _TAG.match(source, max(source.rfind("<", position, place), position)) if place >= position else None
        if not tag or tag.end() < place or tag[1].lower() in _NEVER_HIDDEN or not _HIDDEN.search(tag[0].lower()):
            continue
        end = _element_end(source, tag[1], tag.end())
        if end is None:
            return source
        pieces.append(source[position : tag.start()])
        hidden += len(_TAG.sub("", source[tag.start() : end]))
        position = end
    rest = "".join((*pieces, source[position:]))
    return rest if pieces and hidden <= len(_TAG.sub("", rest)) else source


def _suspect_places(source: str) -> list[int]:
    """Return where a word stands that may hide something, in any case."""
    lower = source.encode().lower()
    places: list[int] = []
    for word, any_case in _HIDING.items():
        count = lower.count(word.encode())
        if count:
            pattern = re.compile(word) if source.count(word) == count else any_case
            places += (match.start() for match in pattern.finditer(source))
    return sorted(places)


def _element_end(source: str, name: str, position: int) -> int | None:
    """Return where an element ends, by counting tags of its name; None if it never does."""
    depth, paragraph = 1, name in {"p", "P"}
    for match in re.compile(rf"<(/?){re.escape(name)}(?=[\s/>])[^<>]*+>", re.IGNORECASE).finditer(source, position):
        depth += -1 if match[1] or paragraph else 1  # a paragraph ends where the next begins
        if not depth:
            return match.end()
    return None
