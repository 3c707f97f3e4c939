"""Find the body of an article in the state of the page's scripts (Next.js, Nuxt, Inertia, Arc and others).

Such state is JSON: in a script element of that type, after an assignment, pushed onto a list (TanStack Query), in an
attribute, or in the arguments of a function. The body is a string with markup, or a list of strings or objects, one for
each paragraph. The page's title must be beside it. If the title is also beside a second long body, neither is taken.
"""

from __future__ import annotations

import json
import re
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pipelines.markup import tree
from pipelines.markup.soup import collapsed
from pipelines.text.text_size import UNSPACED, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborHTMLParser

_MAX_CHARS, _MAX_STATES, _MAX_NODES = 2**21, 30, 20_000
"""Limits: characters of a state, states of a page (longest first), values of a state."""
_LEAST_STATE, _LEAST = 200, 500
"""Characters, at least, of a state that may hold an article, and letters of an alphabet of the article."""
_ATTRIBUTES = ("data-page", "data-props", "data-react-props", "data-state", "data-initial-state")
_BEFORE = re.compile(r"(?:[\w.\]\"']\s{0,9}=\s{0,9}(?:JSON\.parse\()?|\.push\()(?=[{\[])")
_MARKS = (
    *("application/json", "_STATE__", "_DATA__", "__NUXT__", "globalContent", "dehydratedAt"),
    *("data-page=", "-props=", "-state="),
)
"""Every page with such state has one of these. Other pages are not parsed."""
_MARKUP = re.compile(r"<(?:p|br|div)\b", re.IGNORECASE)
# Every character is part of a match, so a quote inside a string starts no other. Possessive, so without backtracking.
_LITERAL = re.compile(r'("(?:[^"\\]++|\\.)*+")|\\.|[^"\\]++', re.DOTALL)
_BREAK = re.compile(r"</?(?:p|br|div|h[1-6]|li|ul|ol|blockquote|figure|table|tr)\b[^<>]*>", re.IGNORECASE)
_UNREAD = "script, style, figure, figcaption, aside, iframe, noscript, template, form, button"
_TEXTS = ("text", "content", "value", "html", "body", "paragraph", "data", "children", "model")
"""Keys of the text in an item of a list, the likeliest first."""
_PROSE, _PARAGRAPHS, _DEPTH = 60, 3, 6
"""Letters of a line of prose, lines of prose in a body (at least), levels of spans in an item of a list."""
_TITLE, _SHORTEST, _MAX_TITLE, _FEW, _NEAR = 12, 6, 500, 5, 4
"""Letters and characters of a title (at least; Chinese ones have few), its characters (at most), values of an object
around it, levels down to the body.
"""
_APART = re.compile(f"[ {''.join(f'{chr(first)}-{chr(last)}' for first, last in UNSPACED)}]")
"""A space, or a letter of a script without spaces: prose has it, codes have not."""
_SHARE = 0.5
"""Share of the longest body from which another body makes the choice ambiguous."""


class _Body(NamedTuple):
    size: int
    lines: tuple[str, ...]


def article_body(html: str) -> tuple[str, ...]:
    """Return the paragraphs of the article in the page's state; () if there is no article, or more than one."""
    if not any(mark in html for mark in _MARKS):
        return ()
    page = tree.parse_tree(html)
    titles = [node.text() for node in page.css("title, h1")[:_FEW]]
    titles += [node.attributes.get("content") or "" for node in page.css('meta[property="og:title"]')[:_FEW]]
    named = {letters for title in titles if _is_long(letters := _letters(title))}
    bodies = sorted({body for state in _states(page) for body in _bodies(state, named)} if named else (), reverse=True)
    return bodies[0].lines if bodies and not any(_is_another(body, bodies[0]) for body in bodies[1:]) else ()


def _is_another(body: _Body, longest: _Body) -> bool:
    """Return whether a body is about as long as the longest one, and mostly different."""
    own = set(body.lines)
    return body.size >= _SHARE * longest.size and len(own & set(longest.lines)) < _SHARE * len(own)


def _states(page: LexborHTMLParser) -> Iterator[object]:
    """Yield the JSON values of scripts and attributes; of other scripts, the list of their strings."""
    for text in _texts(page):
        try:
            yield json.JSONDecoder(strict=False).raw_decode(text)[0]
        except (ValueError, RecursionError):
            yield [string for found in _LITERAL.finditer(text) if (string := _string(found[1] or ""))]


def _string(literal: str) -> str:
    if len(literal) < _SHORTEST:
        return ""
    try:
        return str(json.loads(literal, strict=False))
    except ValueError:
        return ""


def _texts(page: LexborHTMLParser) -> Iterator[str]:
    scripts = [
        node.text() for node in page.css("script:not([src])") if "ld+json" not in (node.attributes.get("type") or "")
    ]
    attributes = [node.attributes.get(name) or "" for name in _ATTRIBUTES for node in page.css(f"[{name}]")]
    long = [text.strip() for text in (*scripts, *attributes) if _LEAST_STATE <= len(text) <= _MAX_CHARS]
    for text in sorted(long, key=len, reverse=True)[:_MAX_STATES]:
        start = None if text[0] in "{[" else _BEFORE.search(text)
        yield text[start.end() :] if start else text


def _bodies(state: object, named: set[str]) -> Iterator[_Body]:
    """Yield the bodies in a state that have the page's title beside them or beside an object around them."""
    waiting: deque[tuple[object, int]] = deque([(state, 0)])
    nodes = 0
    while waiting and nodes < _MAX_NODES:
        value, near = waiting.popleft()
        nodes += len(value) if isinstance(value, list) else 1
        if near and isinstance(value, str):
            if len(_MARKUP.findall(value)) >= _PARAGRAPHS and size(value) >= _LEAST:
                yield from _body(_lines(value))
        elif isinstance(value, list | dict):
            inside = value if isinstance(value, list) else list(value.values())
            near = _NEAR if any(map(partial(_is_title, named), inside)) else max(0, near - 1)
            if near and isinstance(value, list):
                yield from _body(_listed(value[:_MAX_NODES]))
            waiting.extend((each, near) for each in inside)


def _is_title(named: set[str], value: object) -> bool:
    """Return whether a value is the page's title, or an object that holds it (``{"basic": ...}``)."""
    if isinstance(value, dict) and len(value) <= _FEW:
        return any(isinstance(each, str) and _is_title(named, each) for each in value.values())
    if not isinstance(value, str) or not _SHORTEST <= len(value) <= _MAX_TITLE:
        return False
    letters = _letters(value)
    return _is_long(letters) and any(letters in title for title in named)


def _is_long(letters: str) -> bool:
    return len(letters) >= _SHORTEST and size(letters) >= _TITLE


def _letters(text: str) -> str:
    return "".join(character for character in text[:_MAX_TITLE].casefold() if character.isalnum())


def _body(lines: list[str]) -> Iterator[_Body]:
    """Yield a body, if most of its text is in several paragraphs of prose."""
    sizes = list(map(size, lines))
    prose = [long for line, long in zip(lines, sizes, strict=True) if long >= _PROSE and _APART.search(line)]
    if len(prose) >= _PARAGRAPHS and sum(prose) >= max(_LEAST, _SHARE * sum(sizes)):
        yield _Body(sum(sizes), tuple(lines))


def _listed(items: list[object]) -> list[str]:
    """Return the lines of a list of paragraphs; [] for a list of articles, whose items have several paragraphs."""
    paragraphs = [_paragraph(item) for item in items]
    return (
        [line for lines in paragraphs for line in lines] if max(map(len, paragraphs), default=0) < _PARAGRAPHS else []
    )


def _paragraph(item: object) -> list[str]:
    """Return the lines of an item of a list: a text, or an object with a text, often in nested spans."""
    if isinstance(item, str):
        return _lines(item)
    if not isinstance(item, dict):
        return []
    texts = _spans(item, _DEPTH)
    return _lines("".join(texts))


def _spans(value: object, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth and isinstance(value, list):
        return [text for each in value for text in _spans(each, depth - 1) if not isinstance(each, str)]
    if depth and isinstance(value, dict):
        return next((texts for key in _TEXTS if key in value and (texts := _spans(value[key], depth - 1))), [])
    return []


def _lines(text: str) -> list[str]:
    if "<" in text:
        shown = tree.parse_tree(_BREAK.sub(r"\n\g<0>", text))
        for node in shown.css(_UNREAD):
            node.decompose()
        text = shown.body.text() if shown.body else ""
    return [line for part in text.splitlines() if (line := collapsed(part))]
