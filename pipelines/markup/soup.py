"""Tag soup: scan hostile HTML in linear time, drop elements that are never read (Step 0), render the rest.

No tree is built, so no nesting can make it slow. ``lexer`` separates markup from text. This module decides what is
kept. A hidden element that never ends loses its tag only, so that no text is lost to a forgotten end tag.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from html import unescape
from itertools import accumulate, chain, compress, pairwise
from operator import add
from typing import TYPE_CHECKING

from pipelines.markup.hidden import is_not_displayed
from pipelines.markup.lexer import (
    BLOCKS,
    BOXES,
    REMOVED,
    SILENT,
    VOID,
    Tokens,
    markup,
    sanitise,
    tokenise,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_UNREAD = SILENT - {"title"}
_BREAKING = BLOCKS | {f"/{name}" for name in BLOCKS}
_NEVER_HIDDEN = VOID | {"html", "body"}
_UNKEPT = REMOVED | {f"/{name}" for name in REMOVED}

_PIECE_CHARS = 1 << 17
_BODY = re.compile("<[bB][oO][dD][yY]")
_NON_ASCII_REFERENCE = re.compile(r"&#(?:[0-9]{3,7}|[xX][0-9a-fA-F]{2,6});?")


@dataclass(frozen=True, slots=True)
class Soup:
    """A page after Step 0: texts and tags by turns, a text first and last, so ``len(texts) == len(tags) + 1``.

    ``tags`` are the source's own, ``names`` their lower-case names, end tags with a leading slash. Entities are not
    unescaped.
    """

    texts: tuple[str, ...]
    tags: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def html(self) -> str:
        """The page as one string: every text followed by its tag."""
        return "".join(chain.from_iterable(zip(self.texts, (*self.tags, ""), strict=True)))

    def part(self, texts: slice) -> Soup:
        """Return the part of the page that begins and ends with some texts."""
        tags = slice(texts.start, max(texts.stop - 1, 0))
        return Soup(self.texts[texts], self.tags[tags], self.names[tags])

    def starts(self) -> list[int]:
        """Offsets in ``html`` at which each text starts, in characters."""
        return list(accumulate(map(add, map(len, self.texts), map(len, self.tags)), initial=0))


class _HiddenElements:
    """Follows hidden elements from their start tags to the matching end tags, by counting tags of their names."""

    def __init__(self) -> None:
        self._name = ""
        self._depth = 0
        self._hidden_chars = self._shown_chars = 0

    @property
    def active(self) -> bool:
        """Whether the current place is inside a hidden element."""
        return self._depth > 0

    @property
    def credible(self) -> bool:
        """Whether all hidden elements ended and most of the text is shown. Otherwise a script shows the hidden text."""
        return not self.active and self._hidden_chars <= self._shown_chars

    def text(self, chars: int) -> None:
        """Count the characters of a text."""
        if self.active:
            self._hidden_chars += chars
        else:
            self._shown_chars += chars

    def enters(self, name: str, tag: str) -> bool:
        """Return whether this start tag hides its content (``hidden``, ``display:none``). Follow the element if so."""
        if name[0] != "/" and name not in _NEVER_HIDDEN and is_not_displayed(tag):
            self._name, self._depth = name, 1
        return self.active

    def follow(self, name: str) -> None:
        """Count a tag inside the hidden element."""
        if name == self._name:
            self._depth += -1 if name == "p" else 1  # a paragraph ends where the next begins
        elif name == f"/{self._name}":
            self._depth -= 1


def scan(html: str) -> Soup:
    """Read a page as a reader sees it: after Step 0, and without hidden elements.

    What stands before ``<body>`` goes, unless it contains text: browsers have opened the body then.
    """
    soup = shown(read(html))
    first = soup.names.index("body") if "body" in soup.names else -1
    if first < 0 or any(text.strip() for text in soup.texts[: first + 1]):
        return soup
    return Soup(("", *soup.texts[first + 1 :]), soup.tags[first:], soup.names[first:])


def read(html: str) -> Soup:
    """Step 0 of improved BTE (section 3): drop tags and code without content.

    The paper names input, script, img, marquee, comments, iframe, select, option "...". Style, svg, template, noscript
    and form controls are dropped too.
    """
    html = sanitise(html)
    tokens = tokenise(html)
    if tokens is None:
        return read_in_order(html)
    return _without(tokens, [index for index, name in enumerate(tokens.names) if name in _UNKEPT])


def body_of(html: str) -> str:
    """Return a page from its body tag on, the whole page if it has none. Step 0 drops all outside the body."""
    tags = markup(html) if _BODY.search(html) else ()
    return next((html[tag.start :] for tag in tags if tag.name == "body"), html)


def shown(soup: Soup) -> Soup:
    """Drop hidden elements, which readers do not see (R1 of the Thai block paper, section III.A).

    If one never ends, or hidden text outweighs the rest, no element counts as hidden.
    """
    hidden = _hidden_ranges(soup)
    if not hidden:
        return soup
    tokens = Tokens(list(soup.texts), list(soup.tags), list(soup.names))
    for span in hidden:
        tokens.texts[span.start + 1 : span.stop] = [""] * (len(span) - 1)
    return _without(tokens, list(chain.from_iterable(hidden)))


def _without(tokens: Tokens, unkept: list[int]) -> Soup:
    """Return a page without some tags, given by their indices. The lists are emptied."""
    texts, tags, names = tokens
    if unkept:
        texts = _joined(texts, unkept)
        marks = bytearray(b"\1") * len(tags)
        for index in unkept:
            marks[index] = 0
        tags, names = list(compress(tags, marks)), list(compress(names, marks))
    return Soup(_moved(texts), _moved(tags), _moved(names))


def _moved(column: list[str]) -> tuple[str, ...]:
    """Return a list as a tuple and empty the list. Memory does not fit both for a page of millions of tags."""
    moved = tuple(column)
    column.clear()
    return moved


def _joined(texts: list[str], unkept: list[int]) -> list[str]:
    """Join the texts on both sides of each dropped tag. ``unkept`` has indices of tags; tag 0 follows text 0."""
    joined, done = [], 0
    start = unkept[0]
    for index, following in pairwise([*unkept, -1]):
        if following != index + 1:
            joined += texts[done:start]
            joined.append("".join(texts[start : index + 2]))
            done, start = index + 2, following
    return joined + texts[done:]


def _hidden_ranges(soup: Soup) -> list[range]:
    """Return the range of tags of each hidden element; an empty list if hiding is not credible."""
    suspects = _suspects(soup.tags)
    hidden, ranges, at = _HiddenElements(), [], 0
    for index in suspects:
        if index >= at and hidden.enters(soup.names[index], soup.tags[index]):
            at = index + 1
            while hidden.active and at < len(soup.names):
                hidden.follow(soup.names[at])
                at += 1
            if hidden.active:
                return []
            ranges.append(range(index, at))
    if not ranges:
        return []
    chars = sum(len(text) for span in ranges for text in soup.texts[span.start + 1 : span.stop])
    return ranges if 2 * chars <= sum(map(len, soup.texts)) else []


def _suspects(tags: Sequence[str]) -> list[int]:
    """Return the indices of the tags that contain ``hidden`` or ``none``. Only these can hide an element."""
    joined = "\0".join(tags).encode().lower()
    positions = {match.start() for word in (b"hidden", b"none") for match in re.finditer(word, joined)}
    found: list[int] = []
    number = done = 0
    for position in sorted(positions):
        number += joined.count(b"\0", done, position)
        done = position
        if not found or found[-1] != number:
            found.append(number)
    return found


def read_in_order(html: str) -> Soup:
    """Step 0, one tag after the other."""
    texts, tags, names = list[str](), list[str](), list[str]()
    pending, position = list[str](), 0
    for start, end, name in markup(html):
        pending.append(html[position:start])
        position = end
        if name and name not in _UNKEPT:
            texts.append("".join(pending))
            pending.clear()
            tags.append(html[start:end])
            names.append(name)
        elif name in BOXES:
            pending.append(" ")
    texts.append("".join((*pending, html[position:])))
    return Soup(tuple(texts), tuple(tags), tuple(names))


def without_unread(html: str) -> str:
    """Return the source without hidden elements, templates, ``noscript`` and comments, all else as it was.

    For parsers that read metadata in scripts and know only some marks of hidden elements.
    """
    html = sanitise(html)
    source, credible = _without_unread(html, hiding=True)
    return source if credible else _without_unread(html, hiding=False)[0]


def _without_unread(html: str, *, hiding: bool) -> tuple[str, bool]:
    parts, hidden, kept, position = [], _HiddenElements(), 0, 0
    for start, end, name in markup(html):
        hidden.text(start - position)
        position = end
        if hidden.active:
            hidden.follow(name)
        elif not name or name.lstrip("/") in _UNREAD or (hiding and hidden.enters(name, html[start:end])):
            parts.append(html[kept:start])
        else:
            continue
        kept = end
    hidden.text(len(html) - position)
    parts.append(html[kept:])
    return "".join(parts), hidden.credible


def with_characters(html: str) -> str:
    """Replace numeric references to characters beyond ASCII by the characters, so that they are counted.

    References to ASCII stay, so unescaping later still happens once.
    """
    return "".join([_NON_ASCII_REFERENCE.sub(_beyond_ascii, part) for part in parts_at(html, "&")])


def _beyond_ascii(match: re.Match[str]) -> str:
    character = unescape(match[0])
    return match[0] if character.isascii() else character


def render(soup: Soup, start: int = 0, end: int | None = None) -> tuple[str, ...]:
    """Render the part of ``soup.html`` between two offsets as readable paragraphs.

    Block-level tags and ``<br>`` break lines, entities are unescaped once, white space is collapsed, empty lines are
    left out. Offsets are characters; a part that begins or ends inside a tag gives nothing of the tag.
    """
    if start == 0 and end is None:
        return paragraphs(soup.texts, soup.names)
    starts = soup.starts()
    stop = starts[-1] + len(soup.texts[-1]) if end is None else end
    first, last = max(bisect_right(starts, start) - 1, 0), bisect_left(starts, stop)
    part = slice(first, last)
    texts, names = [], []
    for offset, text, name in zip(starts[part], soup.texts[part], (*soup.names, "")[part], strict=True):
        if offset + len(text) > start:
            texts.append(text[max(start - offset, 0) : stop - offset])
            names.append(name)
        elif start <= offset:
            texts.append("")
            names.append(name)
    return paragraphs(texts, names)


def paragraphs(texts: tuple[str, ...] | list[str], names: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Join texts into lines, broken where a block-level tag stands after a text; ``names`` may be one shorter."""
    lines, parts = [], []
    for text, name in zip(texts, chain(names, ("",)), strict=False):
        if text:
            parts.append(unescape(text) if "&" in text else text)
        if parts and name in _BREAKING:
            lines.append(collapsed("".join(parts)))
            parts.clear()
    lines.append(collapsed("".join(parts)))
    return tuple(line for line in lines if line)


def collapsed(text: str) -> str:
    """Collapse white space. A long text is read in parts: its words as strings would take many times its size."""
    text = text.strip()
    if text.isprintable() and "  " not in text:  # no white space but single spaces
        return text
    if len(text) <= _PIECE_CHARS:
        return " ".join(text.split())
    parts = (text[first : first + _PIECE_CHARS] for first in range(0, len(text), _PIECE_CHARS))
    joined = "".join([f"{' ' * part[0].isspace()}{' '.join(part.split())}{' ' * part[-1].isspace()}" for part in parts])
    while "  " in joined:
        joined = joined.replace("  ", " ")
    return joined.strip()


def unescaped(text: str) -> str:
    """Unescape all references in a text. A long text is read in parts that begin with a reference."""
    if "&" not in text:
        return text
    return "".join([unescape(part) for part in parts_at(text, "&")])


def parts_at(text: str, mark: str) -> Iterator[str]:
    """Yield a text in short parts. Each part after the first begins with a mark."""
    start = 0
    while start < len(text):
        end = text.find(mark, start + _PIECE_CHARS)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end
