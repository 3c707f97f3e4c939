"""Find the body of an article in the state of the page's scripts (Next.js, Nuxt, Inertia, Arc and others).

The body is a string with markup or lines, or a list of strings or objects, one for each paragraph. The page's title or
address must be beside it. If that is also beside a second long body, neither is taken. ``script_values`` decodes the
state.
"""

from __future__ import annotations

import html as markup
import re
from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from pipelines.extractors.auto.rules.script_values import (
    MAX_NODES,
    MIN_STATE_CHARS,
    MIN_TITLE_CHARS,
    decoded,
    page_values,
)
from pipelines.markup import tree
from pipelines.markup.soup import collapsed
from pipelines.text.normalise import letters
from pipelines.text.scripts import UNSPACED_TEXT, size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.markup.page_view import PageView

MIN_BODY_SIZE, MIN_TITLED_BODY_SIZE = 500, 200
"""Letters of an alphabet of an article, at least: near a name of the page, and in the object with the page's title."""
_BLOCK_TAG = re.compile(r"<(?:p|br|div|h[1-6]|li)\b", re.IGNORECASE)
_ESCAPED = re.compile(r"&lt;(?:p|br|div)\b", re.IGNORECASE)
_BREAK = re.compile(r"</?(?:p|br|div|h[1-6]|li|ul|ol|blockquote|figure|table|tr)\b[^<>]*>", re.IGNORECASE)
_UNREAD = (
    "script, style, figure, figcaption, aside, iframe, noscript, template, form, button,"
    " blockquote[class*=twitter], blockquote[class*=instagram], blockquote[class*=tiktok], blockquote[class*=bluesky]"
)
_TEXTS = ("text", "content", "value", "html", "body", "paragraph", "data", "children", "model", "props", "markdown")
"""Keys of the text in an item of a list, the likeliest first."""
_TYPES = ("type", "_type", "__typename", "kind", "blockType")
"""Keys of the type of an item of a list."""
_NO_TEXT = re.compile(
    r"image|photo|picture|video|audio|gallery|embed|tweet|social|twitter|instagram|facebook|interstitial|related"
    r"|promo|newsletter|advert|^ad$|teaser|recommend|link_list|readmore|read_more|caption|player|widget",
    re.IGNORECASE,
)
"""Types of items that are no part of the text: pictures, posts of others, links to other articles, offers."""
_LINES = ("list-item", "list_item", "listItem", "paragraph", "heading", "li", "p")
"""Types of items that end a line, for lists in one item."""
_HEADS = frozenset(("meta", "metadata", "seo", "head", "header", "headline", "headlines", "title", "titles", "info"))
"""Keys of an object beside the body that holds the title, with other data of the article."""
_PROSE, _PARAGRAPHS, _DEPTH = 60, 3, 6
"""Letters of a line of prose, lines of prose in a body (at least), levels of spans in an item of a list."""
_MIN_TITLE_LETTERS, _MAX_TITLE_CHARS, _MAX_OBJECT_VALUES, _MAX_LEVELS = 12, 500, 5, 4
"""Letters of a title (at least; Chinese ones have few), its characters (at most), values of an object around it, levels
down to the body.
"""
_MAX_HEAD = 40
"""Values of an object under a key of ``_HEADS``, at most."""
_PART_OF_TITLE = 0.5
"""Share of the longer of two titles that the shorter one must be, if it is a part of it."""
_MIN_SLUG, _MIN_NUMBER = 12, 5
"""Characters of the last part of an address, and digits of a number, that name one article."""
_DAY = re.compile(r"(?:19|20)\d{2}(?:\d{2}){1,2}")
"""A month or day in an address. It names all articles of that day."""
_SEPARATOR = re.compile(r"\s[|·•–—-]\s")
_APART = re.compile(f"[ {UNSPACED_TEXT}]")
"""A space, or a letter of a script without spaces: prose has it, codes have not."""
_SHARE = 0.5
"""Share of the longest body from which another body makes the choice ambiguous."""
_SHARE_OF_ARTICLES = 0.5
"""Share of the text of a list in items of several paragraphs, from which it is a list of articles. An article may have
a list or a quotation of several lines.
"""


# A value is looked at beside the body, and in an object beside it.
_letters = lru_cache(maxsize=2**10)(letters)


class _Body(NamedTuple):
    size: int
    lines: tuple[str, ...]


class _Names(NamedTuple):
    """Names of the article: letters of its titles, and ends of its addresses."""

    titles: frozenset[str]
    addresses: frozenset[str]


def article_body(view: PageView, url: str = "") -> tuple[str, ...]:
    """Return the paragraphs of the article in the page's state; () if there is no article, or more than one."""
    names = _names(view, url)
    if not (names.titles or names.addresses):
        return ()
    states = list(page_values(view))
    # An address may be far above its article. So titles are tried first.
    for some in (names._replace(addresses=frozenset()), names._replace(titles=frozenset())):
        bodies = sorted({body for state in states for body in _bodies(state, some)}, reverse=True)
        if bodies:
            return () if any(_is_another(body, bodies[0]) for body in bodies[1:]) else bodies[0].lines
    return ()


def _names(view: PageView, url: str) -> _Names:
    titles = [node.text() for node in view.of("title", "h1")[:_MAX_OBJECT_VALUES]]
    titles += view.contents.get("og:title", [])[:_MAX_OBJECT_VALUES]
    links = (each.attributes for each in view.references if each.tag == "link")
    canonical = [link["href"] or "" for link in links if link.get("rel") == "canonical"]
    addresses = [url, *canonical[:_MAX_OBJECT_VALUES], *view.contents.get("og:url", [])[:_MAX_OBJECT_VALUES]]
    return _Names(
        frozenset(
            stated
            for title in titles
            # With and without the name of the site.
            for part in (title, _SEPARATOR.split(title)[0])
            if _is_long(stated := letters(part[:_MAX_TITLE_CHARS]))
        ),
        frozenset(name for address in addresses for name in _address_names(address)),
    )


def _address_names(address: str) -> Iterator[str]:
    """Yield the last part of the path of an address, and the number in it, if they name one article."""
    try:
        last = urlsplit(address.strip()).path.rstrip("/").rpartition("/")[2]
    except ValueError:
        return
    last = last.rpartition(".")[0] or last
    if len(last) >= _MIN_SLUG:
        yield last
    numbers = re.findall(r"[0-9]+", last)
    yield from (number for number in numbers if len(number) >= _MIN_NUMBER and not _DAY.fullmatch(number))


def _is_another(body: _Body, longest: _Body) -> bool:
    """Return whether a body is about as long as the longest one, and mostly different."""
    own = set(body.lines)
    return body.size >= _SHARE * longest.size and len(own & set(longest.lines)) < _SHARE * len(own)


def _bodies(state: object, names: _Names) -> Iterator[_Body]:
    """Yield the bodies in a state that have a name of the page beside them or beside an object around them."""
    waiting: deque[tuple[object, int]] = deque([(state, 0)])
    nodes = 0
    while waiting and nodes < MAX_NODES:
        value, near = waiting.popleft()
        nodes += len(value) if isinstance(value, list) else 1
        if isinstance(value, str):
            inner = decoded(value) if len(value) >= MIN_STATE_CHARS else None
            if inner is not None:
                waiting.append((inner, near))
            elif near and size(value) >= (least := _least(names, near)):
                yield from _body(_lines(value), least)
        elif isinstance(value, list | dict):
            inside = value if isinstance(value, list) else list(value.values())
            near = _MAX_LEVELS if _is_named(names, value) else max(0, near - 1)
            if near and isinstance(value, list):
                yield from _body(_listed(value[:MAX_NODES]), _least(names, near + 1))
            waiting.extend((each, near) for each in inside if isinstance(each, str | list | dict))


def _least(names: _Names, near: int) -> int:
    """Return the least size of a body, or of a list, whose object has names at this distance."""
    return MIN_TITLED_BODY_SIZE if names.titles and near >= _MAX_LEVELS else MIN_BODY_SIZE


def _is_named(names: _Names, value: list[object] | dict[str, object]) -> bool:
    """Return whether a name of the page is in a value, or in a small object in it (``{"basic": ...}``)."""
    if isinstance(value, list):
        return any(_is_name(names, each) or _has_name(names, _props(each), _MAX_OBJECT_VALUES) for each in value)
    return any(
        _is_name(names, each) or _has_name(names, each, _MAX_HEAD if key.casefold() in _HEADS else _MAX_OBJECT_VALUES)
        for key, each in value.items()
    )


def _has_name(names: _Names, value: object, most: int) -> bool:
    if not isinstance(value, dict | list) or len(value) > most:
        return False
    return any(_is_name(names, each) for each in (value.values() if isinstance(value, dict) else value))


def _props(value: object) -> object:
    """Return the properties of a React element, ``["$", "p", null, {…}]``; any other value as it is."""
    is_element = isinstance(value, list) and len(value) >= _MAX_OBJECT_VALUES - 1 and value[0] == "$"
    return value[_MAX_OBJECT_VALUES - 2] if is_element and isinstance(value, list) else value


def _is_name(names: _Names, value: object) -> bool:
    """Return whether a value is the page's title, or one of its addresses or their number."""
    if type(value) is int:
        return str(value) in names.addresses
    if not isinstance(value, str) or not MIN_TITLE_CHARS - 1 <= len(value) <= _MAX_TITLE_CHARS:
        return False
    # A name in an address is a part of it.
    named = any(name in value for name in names.addresses)
    if named and (value in names.addresses or ("/" in value and not names.addresses.isdisjoint(_address_names(value)))):
        return True
    if not names.titles:
        return False
    stated = _letters(value)
    return any(_is_part(stated, title) for title in names.titles) and _is_long(stated)


def _is_part(stated: str, title: str) -> bool:
    """Return whether a title is a part of the page's title, or most of it the other way round."""
    return stated in title or (title in stated and len(title) >= _PART_OF_TITLE * len(stated))


def _is_long(stated: str) -> bool:
    return len(stated) >= MIN_TITLE_CHARS and size(stated) >= _MIN_TITLE_LETTERS


def _body(lines: list[str], least: int) -> Iterator[_Body]:
    """Yield a body, if most of its text is in several paragraphs of prose."""
    sizes = list(map(size, lines))
    prose = [long for line, long in zip(lines, sizes, strict=True) if long >= _PROSE and _APART.search(line)]
    if len(prose) >= _PARAGRAPHS and sum(prose) >= max(least, _SHARE * sum(sizes)):
        yield _Body(sum(sizes), tuple(lines))


def _listed(items: list[object]) -> list[str]:
    """Return the lines of a list of paragraphs; [] for a list of articles, whose items have several paragraphs."""
    paragraphs = [_paragraph(item) for item in items]
    whole = sum(map(len, map("".join, paragraphs)))
    several = sum(len("".join(lines)) for lines in paragraphs if len(lines) >= _PARAGRAPHS)
    return [] if several > _SHARE_OF_ARTICLES * whole else [line for lines in paragraphs for line in lines]


def _paragraph(item: object) -> list[str]:
    """Return the lines of an item of a list: a text, or an object with a text, often in nested spans."""
    if isinstance(item, str):
        return _lines(item)
    is_element = _props(item) is not item
    if not is_element and (not isinstance(item, dict) or _is_no_text(item)):
        return []
    return _lines("".join(_spans(item, _DEPTH)))


def _is_no_text(item: dict[str, object]) -> bool:
    return any(isinstance(kind := item.get(key), str) and _NO_TEXT.search(kind) for key in _TYPES)


def _spans(value: object, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth and isinstance(value, list):
        if (props := _props(value)) is not value:
            return _children(props.get("children"), depth) if isinstance(props, dict) else []
        return [text for each in value for text in _spans(each, depth - 1) if not isinstance(each, str)]
    if depth and isinstance(value, dict):
        texts = next((texts for key in _TEXTS if key in value and (texts := _spans(value[key], depth - 1))), [])
        return [*texts, "\n"] if texts and any(value.get(key) in _LINES for key in _TYPES) else texts
    return []


def _children(value: object, depth: int) -> list[str]:
    """Return the texts of the children of a React element, among which are plain texts."""
    if isinstance(value, list) and _props(value) is value:
        return [text for each in value for text in _spans(each, depth - 1)]
    return _spans(value, depth - 1)


def _lines(text: str) -> list[str]:
    """Return the lines of a text, which may have markup, also escaped."""
    if _ESCAPED.search(text) and not _BLOCK_TAG.search(text):
        text = markup.unescape(text)
    if "<" in text:
        shown = tree.parse_tree(_BREAK.sub(r"\n\g<0>", text))
        for node in shown.css(_UNREAD):
            node.decompose()
        text = shown.body.text() if shown.body else ""
    return [line for part in text.splitlines() if (line := collapsed(part))]
