"""A page, or a piece of one, as texts and tags by turns: what ``soup`` gives, quicker, of tags no more than names.

Tags end at the first ``>``, and one regular expression splits them all off. Should quotation marks or less-than signs
be left among the texts where a tag seems to have ended too early or not at all, ``soup`` reads the page instead, tag by
tag if need be. The two differ in tags with a quotation mark that never ends: nothing after them is lost here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pipelines.extractors.lexer import AT_ONCE, BOXES, REMOVED, VOID, dropped, sanitise
from pipelines.extractors.soup import scan

_TAG = re.compile(r"<(/?[a-zA-Z][^\s/<>]*+)[^<>]*+>")
_ODD = re.compile(r"""</?[a-zA-Z]|["'][^<>\0]*+>""")
_BODY = re.compile(r"<[bB][oO][dD][yY](?=[\s/>])")
_HIDDEN = re.compile(r"""\s(?:hidden(?=[\s/>=])|style\s*=\s*["']?[^"'>]{0,400}?display\s*:\s*none)""")
_HIDING = {word: re.compile("".join(f"[{letter}{letter.upper()}]" for letter in word)) for word in ("hidden", "none")}
_NEVER_HIDDEN = VOID | REMOVED | {"html", "body"}


_CODE = re.compile(r"<(?:!--|(/?)(?:[sS][cC][rR][iI][pP][tT]|[sS][tT][yY][lL][eE])(?=[\s/>]))")
_COMMENT_END = re.compile("--!?>")
_TAG_NAME = re.compile("</?[a-zA-Z]")


class Flat(NamedTuple):
    """Texts and tags by turns, a text first and last; names of tags in lower case, end tags with a leading slash."""

    texts: list[str]
    names: list[str]


def body_start(html: str) -> int:
    """Return where the body tag begins, not one that stands in the string of a script; 0 when there is none."""
    starts = (found.start() for found in _BODY.finditer(html))
    return next((start for start in starts if _may_be_body(html, start)), 0)


def _may_be_body(html: str, start: int) -> bool:
    """Say whether a tag stands after a tag or white space, and not where code ends next that has begun before."""
    if start and html[start - 1] != ">" and not html[start - 1].isspace():
        return False
    following = _CODE.search(html, start)
    return following is None or not following[1]


def markup_start(html: str, position: int, first: int = 0) -> int:
    """Return where the tag, comment, script or style begins that a place lies in; the place itself if in none.

    What stands before ``first`` is not looked at.
    """
    opened = html.rfind("<", first, position)
    if opened < 0:
        return position
    code = _open_code(html, position, first)
    if code is not None:
        return code
    in_tag = html.find(">", opened, position) < 0 and _TAG_NAME.match(html, opened)
    return opened if in_tag else position


def _open_code(html: str, position: int, first: int) -> int | None:
    """Return where the comment, script or style begins that a place lies in, judged by what ends or begins after it."""
    following = _CODE.search(html, position)
    if _COMMENT_END.search(html, position, following.start() if following else len(html)):
        start = html.rfind("<!--", first, position)
        return start if start >= 0 and not _COMMENT_END.search(html, start, position) else None
    if following and not following[1]:
        return None
    *_, before = [None, *_CODE.finditer(html, first, position)]
    if before is None or before[1] or (before[0] == "<!--" and _COMMENT_END.search(html, before.end(), position)):
        return None
    return before.start()


def flatten(html: str) -> Flat:
    """Step 0 of improved BTE, and all tags that are left; those of elements without content are among them."""
    return turns(without_dropped(sanitise(html)))


def turns(source: str) -> Flat:
    """Return texts and tags of a page whose code and comments are gone, without what is hidden."""
    texts, names = _split(shown(source))
    joined = "\0".join(texts)
    if ("<" in joined or ">" in joined) and _ODD.search(joined):
        soup = scan(source)
        return Flat(list(soup.texts), list(soup.names))
    lower = {name: name.lower() for name in set(names)}
    return Flat(texts, [lower[name] for name in names])


def _split(source: str) -> tuple[list[str], list[str]]:
    """Split off all tags, ``AT_ONCE`` at a time; of many, equal ones are kept once, to save memory."""
    texts, names, once = list[str](), list[str](), dict[str, str]()
    while True:
        parts = _TAG.split(source, AT_ONCE)
        if len(parts) <= 2 * AT_ONCE and not texts:
            return parts[::2], parts[1::2]
        texts += [once.setdefault(text, text) for text in parts[:-1:2]]
        names += [once.setdefault(name, name) for name in parts[1::2]]
        source = parts[-1]
        if len(parts) <= 2 * AT_ONCE:
            texts.append(source)
            return texts, names


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
