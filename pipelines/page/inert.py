"""Make a stored page inert, and mark the lines of its extracted text on it. Pure; runs in a worker on hostile bytes.

The result is written from the parsed tree: elements of a fixed list, none of their attributes but language,
direction and the spans of table cells, and escaped text. Scripts, styles, forms, frames and links are not in the list.
Pictures and other media become their alternative text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from pipelines.text.alignment import PageWords, find_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_HTML = 3_000_000
"""Characters of the result at most. The rest of a page is left out."""
MAX_DEPTH = 100
"""Nested elements at most. Deeper ones are left out, their text is not."""
MAX_ALT = 300
"""Characters of an alternative text."""
MAX_LINES = 5_000
"""Lines of a text that are searched in its page."""

_SECTIONS = "article aside body center details dialog div fieldset footer form header hgroup main nav search section"
_BLOCKS = (
    "blockquote caption dd dl dt figcaption figure h1 h2 h3 h4 h5 h6 li ol p pre table tbody td tfoot th thead tr ul"
)
_INLINE = "abbr b bdi bdo cite code del dfn em i ins kbd q rp rt ruby s samp small strong sub sup u var"
_KEPT = frozenset(f"{_BLOCKS} {_INLINE}".split())
_VOID = frozenset({"br", "hr", "wbr"})
_INTO = dict.fromkeys(_SECTIONS.split(), "div") | dict.fromkeys(
    ("address", "dir", "menu", "summary", "legend", "noscript"), "div"
)
"""Elements that become others. Unknown ones become ``span``."""
_DROPPED = frozenset(
    {
        *("area", "base", "datalist", "head", "link", "map", "meta", "noembed", "noframes", "option", "param"),
        *("script", "select", "source", "style", "template", "textarea", "title", "track"),
    }
)
"""Elements without their content."""
_MEDIA = {
    "img": "picture",
    "image": "picture",
    "svg": "drawing",
    "math": "formula",
    "canvas": "drawing",
    "video": "video",
    "audio": "audio",
    "iframe": "frame",
    "frame": "frame",
    "embed": "object",
    "object": "object",
    "applet": "object",
    "input": "field",
}
"""Elements of which only a name and the alternative text are shown."""
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,4}")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]")
_LONGEST_ESCAPE = len("&quot;")
_ALTERNATIVES = ("alt", "aria-label", "title")


@dataclass(frozen=True, slots=True)
class InertPage:
    """A page that is inert. ``html`` is the content of a body; lines that were found have the ids ``l1``, ``l2`` …"""

    html: str
    language: str = ""
    """Language that the page states, as in its ``lang``."""
    direction: str = ""
    """Direction that the page states: ``ltr``, ``rtl`` or empty."""
    lines: int = 0
    """Lines of the text with letters or digits. Others are not searched."""
    found: int = 0
    """Lines of which the page has at least a part."""
    cut: bool = False
    """Whether a part of the page was left out for its length."""


@dataclass(slots=True)
class _Text:
    """Text of a page. ``places``: its words; ``first``: number of the first of them in the page."""

    text: str
    places: Sequence[re.Match[str]]
    first: int


def render(tree: LexborHTMLParser, lines: Sequence[str]) -> InertPage:
    """Return the page of a tree, inert, with these lines marked on it."""
    words = PageWords()
    pieces = list(_pieces(tree.body, words)) if tree.body is not None else []
    wanted = [line for line in lines if line][:MAX_LINES]
    line_of: dict[int, int] = {}
    for place in find_lines(wanted, words):
        # The words of two places are different ones, unless an end lies within a word.
        line_of.update(dict.fromkeys(range(place.first, place.end), place.line))
    html, cut = _write(pieces, line_of)
    language, direction = _stated(tree)
    searched = sum(bool(words.fold_line(line)) for line in wanted)
    return InertPage(html, language, direction, searched, len(set(line_of.values())), cut)


def _pieces(body: LexborNode, words: PageWords) -> Iterator[str | _Text]:
    """Yield markup and text of a body in page order."""
    depth = 0
    # Nodes to enter, and end tags to write. A list and not recursion: a page may nest deeper than Python.
    todo: list[LexborNode | str] = [body]
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            depth -= 1
            yield node
            continue
        if node.next is not None and node is not body and node.parent is not None:
            todo.append(node.next)
        tag = node.tag or ""
        if tag == "-text":
            text = _CONTROLS.sub("", node.text_content or "")
            first = len(words.folded)
            yield _Text(text, words.add(text), first)
        elif tag in _MEDIA:
            yield _placeholder(node, _MEDIA[tag])
        elif tag in _VOID:
            yield f"<{tag}>"
        elif tag not in _DROPPED and not tag.startswith(("-", "!")):
            if depth < MAX_DEPTH:
                name = tag if tag in _KEPT else _INTO.get(tag, "span")
                depth += 1
                todo.append(f"</{name}>")
                yield f"<{name}{_attributes(tag, node)}>"
            if node.child is not None:
                todo.append(node.child)


def _attributes(tag: str, node: LexborNode) -> str:
    stated = node.attributes
    kept = []
    language, direction = stated.get("lang") or "", (stated.get("dir") or "").lower()
    if _LANGUAGE.fullmatch(language):
        kept.append(f' lang="{language}"')
    if direction in {"ltr", "rtl", "auto"}:
        kept.append(f' dir="{direction}"')
    if tag in {"td", "th"}:
        spans = ((name, stated.get(name) or "") for name in ("colspan", "rowspan"))
        kept += [f' {name}="{int(value)}"' for name, value in spans if re.fullmatch("[1-9][0-9]?", value, re.ASCII)]
    if tag == "a" and stated.get("href"):
        kept.append(' class="link"')
    if tag == "button":
        kept.append(' class="button"')
    return "".join(kept)


def _placeholder(node: LexborNode, kind: str) -> str:
    """Return the name of a medium and its alternative text; nothing of a drawing without one: it is an icon."""
    stated = node.attributes
    if kind == "field" and (stated.get("type") or "").lower() == "hidden":
        return ""
    words = next((text for name in _ALTERNATIVES if (text := (stated.get(name) or "").strip())), "")
    words = _CONTROLS.sub("", " ".join(words.split()))[:MAX_ALT]
    if kind == "drawing" and not words:
        return ""
    shown = f": <bdi>{escape(words)}</bdi>" if words else ""
    return f'<span class="medium"><span lang="en" dir="ltr">{kind}</span>{shown}</span>'


def _stated(tree: LexborHTMLParser) -> tuple[str, str]:
    """Return language and direction of the whole page, as it states them."""
    given = [node.attributes for node in (tree.root, tree.body) if node is not None]
    languages = (value for each in given if _LANGUAGE.fullmatch(value := each.get("lang") or ""))
    directions = (value for each in given if (value := (each.get("dir") or "").lower()) in {"ltr", "rtl"})
    return next(languages, ""), next(directions, "")


def _write(pieces: Iterable[str | _Text], line_of: dict[int, int]) -> tuple[str, bool]:
    """Join the pieces, and mark the words of lines. Return the HTML, and whether it was cut."""
    written: list[str] = []
    named: set[int] = set()
    size = 0
    for piece in pieces:
        text = piece if isinstance(piece, str) else "".join(_marked(piece, line_of, named))
        if size + len(text) > MAX_HTML:
            # The reader of the HTML closes what is open.
            part = "" if isinstance(piece, str) else escape(piece.text[: (MAX_HTML - size) // _LONGEST_ESCAPE])
            return "".join([*written, part]), True
        size += len(text)
        written.append(text)
    return "".join(written), False


def _marked(piece: _Text, line_of: dict[int, int], named: set[int]) -> Iterator[str]:
    """Yield a text, escaped, with the words of each line in a mark. The first mark of a line has its id."""
    at, number = 0, 0
    while number < len(piece.places):
        line = line_of.get(piece.first + number)
        if line is None:
            number += 1
            continue
        last = number
        while last + 1 < len(piece.places) and line_of.get(piece.first + last + 1) == line:
            last += 1
        start, end = piece.places[number].start(), piece.places[last].end()
        name = "" if line in named else f' id="l{line + 1}"'
        named.add(line)
        yield f'{escape(piece.text[at:start])}<mark class="{"odd" if line % 2 else "even"}"{name}>'
        yield f"{escape(piece.text[start:end])}</mark>"
        at, number = end, last + 1
    yield escape(piece.text[at:])
