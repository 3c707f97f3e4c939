"""Tag soup: scan hostile HTML once in linear time, drop what is never read (Step 0), render the rest as paragraphs.

The scanner follows the tokenisation rules of the HTML standard (WHATWG, section 13.2.5) where text and markup could
be confused: ``>`` inside quoted attribute values, quotes that count only after ``=``, comments with their odd ends,
scripts that hold comments that hold scripts. It builds no tree, so no nesting can make it slow. Two liberties keep
texts alive: an element that is dropped with its content but never closed loses its tag only (scripts, styles and
comments run to the end of the page, as in browsers), and so does a hidden element.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from html import unescape
from itertools import accumulate, chain
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


def name_set(names: str) -> frozenset[str]:
    """Return the set of names in a text, parted by white space."""
    return frozenset(names.split())


CODE = frozenset({"script", "style"})
"""Dropped with their content, to the end of the page if need be."""

SILENT = frozenset({"noscript", "template", "title", "noembed", "noframes"})
"""Dropped with their content; they leave no gap between words."""

BOXES = name_set(
    "iframe marquee select option optgroup datalist button textarea object svg math canvas audio video applet"
)
"""Dropped with their content; what stood before and after them is apart on the screen."""

EMPTY = name_set("img input embed link meta source track param base basefont bgsound frame area wbr col keygen")
"""Elements without content: only the tag goes."""

VOID = EMPTY | {"br", "hr"}

BLOCKS = name_set(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section"
    " summary table tbody td tfoot th thead tr ul"
)
"""Elements that begin and end lines on the screen."""

_DROPPED = CODE | SILENT | BOXES
_UNREAD = SILENT - {"title"}
_REMOVED = _DROPPED | EMPTY
_NEVER_HIDDEN = VOID | {"html", "body"}

_ATTRIBUTES = r"""[^>=]*+(?:=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+[^>=]*+)*+(?:>|\Z)"""
_MARKUP = re.compile(rf"<(?:(/?[a-zA-Z][^\s/>]*+){_ATTRIBUTES}|!--|!\[CDATA\[|[!?/][^>]*+>?)")
_CDATA = "<![CDATA["
_COMMENT_END = re.compile(r"--!?>")
_SCRIPT_STEP = re.compile(r"<!--|-->|<(/?)[sS][cC][rR][iI][pP][tT](?=[\s/>])")
_HIDDEN = re.compile(r"""\s(?:hidden(?=[\s/>=])|style\s*=\s*["']?[^"'>]{0,400}?display\s*:\s*none)""")
_UNFIT = re.compile("[\0\ud800-\udfff]")
_NON_ASCII_REFERENCE = re.compile(r"&#(?:[0-9]{3,7}|[xX][0-9a-fA-F]{2,6});?")


def sanitise(html: str) -> str:
    """Drop NUL characters and replace lone surrogates (U+FFFD), which neither parsers nor files can carry."""
    return _UNFIT.sub(lambda match: "" if match[0] == "\0" else "\ufffd", html)


class Tag(NamedTuple):
    """A tag of the source: where it starts and ends, and its lower-case name, with a leading slash for end tags."""

    start: int
    end: int
    name: str


def _script_end(html: str, position: int) -> int:
    """Return where the end tag of a script begins (a comment in it may hold scripts: 13.2.5.15–31)."""
    escaped = nested = False
    for step in _SCRIPT_STEP.finditer(html, position):
        if step[0] == "<!--":
            escaped = True
        elif step[0] == "-->":
            escaped = nested = False
        elif not step[1]:
            nested = nested or escaped
        elif nested:
            nested = False
        else:
            return step.start()
    return len(html)


@cache
def _end_tag(name: str) -> re.Pattern[str]:
    """The end tag of an element in any case, spelt out: IGNORECASE would halve the speed."""
    letters = "".join(f"[{letter}{letter.upper()}]" for letter in name)
    return re.compile(rf"</{letters}(?=[\s/>])")


class _Closers:
    """Finds the end tags of dropped elements; remembers which are missing, so none is looked for in vain twice."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._absent: set[str] = set()

    def after(self, name: str, position: int) -> int | None:
        """Return where the text goes on after the content of ``name``; None when it is never closed."""
        if name in self._absent:
            return None
        if name == "script":
            end = _script_end(self._html, position)
        else:
            match = _end_tag(name).search(self._html, position)
            end = match.start() if match else len(self._html)
        if end == len(self._html):
            self._absent.add(name)
            return end if name in CODE else None
        return end

    def after_declaration(self, opener: str, position: int) -> int:
        """Return where a comment, CDATA section or declaration ends; unclosed comments run to the end of the page."""
        html = self._html
        if opener == "<!--":
            if html.startswith((">", "->"), position):
                return html.index(">", position) + 1
            match = _COMMENT_END.search(html, position)
            return match.end() if match else len(html)
        if opener == _CDATA:
            closer = ">" if _CDATA in self._absent else "]]>"
            end = html.find(closer, position)
            if end >= 0:
                return end + len(closer)
            self._absent.add(_CDATA)
            return self.after_declaration(opener, position) if closer == "]]>" else len(html)
        return position


def markup(html: str) -> Iterator[Tag]:
    """Yield everything that is not text: tags, and under the name ``""`` comments and declarations.

    Elements that are dropped come as one Tag that spans their content. The spans never overlap; time is linear.
    """
    closers = _Closers(html)
    position = 0
    while match := _MARKUP.search(html, position):
        start, position = match.span()
        name = match[1]
        if name is None:
            position = closers.after_declaration(match[0], position)
            yield Tag(start, position, "")
            continue
        name = name.lower()
        if name in _DROPPED:
            position = closers.after(name, position) or position
        yield Tag(start, position, name)


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

    def starts(self) -> list[int]:
        """Offsets in ``html`` at which each text starts, in characters."""
        lengths = (len(text) + len(tag) for text, tag in zip(self.texts, self.tags, strict=False))
        return list(accumulate(lengths, initial=0))


class _Builder:
    """Collects texts and tags; adjacent texts are joined."""

    def __init__(self) -> None:
        self._pending: list[str] = []
        self._texts: list[str] = []
        self._tags: list[str] = []
        self._names: list[str] = []
        self._in_head = True

    def text(self, text: str) -> None:
        self._pending.append(text)

    def tag(self, tag: str, name: str) -> None:
        if name == "body" and self._in_head:
            self._drop_head()
        self._texts.append("".join(self._pending))
        self._pending.clear()
        self._tags.append(tag)
        self._names.append(name)

    def _drop_head(self) -> None:
        """Forget what stood before ``<body>``, unless there was text: browsers have opened the body then."""
        self._in_head = False
        if not any(text.strip() for text in chain(self._texts, self._pending)):
            for part in (self._pending, self._texts, self._tags, self._names):
                part.clear()

    def build(self) -> Soup:
        return Soup((*self._texts, "".join(self._pending)), tuple(self._tags), tuple(self._names))


class _Hiding:
    """Follows hidden elements from their start tags to the matching end tags, by counting tags of their names."""

    def __init__(self) -> None:
        self._name = ""
        self._depth = 0
        self._hidden_chars = self._shown_chars = 0

    @property
    def active(self) -> bool:
        """Whether the page is inside a hidden element just now."""
        return self._depth > 0

    @property
    def credible(self) -> bool:
        """Whether all hidden elements ended and most of the page is shown; else a script will show what is hidden."""
        return not self.active and self._hidden_chars <= self._shown_chars

    def text(self, chars: int) -> None:
        """Count the characters of a text."""
        if self.active:
            self._hidden_chars += chars
        else:
            self._shown_chars += chars

    def enters(self, name: str, tag: str) -> bool:
        """Say whether this start tag hides its content (``hidden``, ``display:none``), and follow it if so."""
        tag = tag.lower()
        if ("none" in tag or "hidden" in tag) and name[0] != "/" and name not in _NEVER_HIDDEN and _HIDDEN.search(tag):
            self._name, self._depth = name, 1
        return self.active

    def follow(self, name: str) -> None:
        """Count a tag inside the hidden element."""
        if name == self._name:
            self._depth += -1 if name == "p" else 1  # a paragraph ends where the next begins
        elif name == f"/{self._name}":
            self._depth -= 1


def scan(html: str) -> Soup:
    """Step 0 of improved BTE (section 3): drop what stands outside the body and tags and code without content.

    The paper names input, script, img, marquee, comments, iframe, select, option "..."; style, svg, template, noscript
    and form controls go with them, and so do hidden elements (R1 of the Thai block paper, section III.A), which nobody
    reads. Should a hidden element never end, or hidden text outweigh the rest, nothing is taken as hidden.
    """
    html = sanitise(html)
    soup, credible = _scan(html, hiding=True)
    return soup if credible else _scan(html, hiding=False)[0]


def _scan(html: str, *, hiding: bool) -> tuple[Soup, bool]:
    """Scan; the second value tells whether what the page hides is hidden for good."""
    builder, hidden = _Builder(), _Hiding()
    position = 0
    for start, end, name in markup(html):
        hidden.text(start - position)
        if hidden.active:
            hidden.follow(name)
            position = end
            continue
        if start > position:
            builder.text(html[position:start])
        position = end
        if not name or name.lstrip("/") in _REMOVED:
            if name in BOXES:
                builder.text(" ")
        elif not (hiding and hidden.enters(name, html[start:end])):
            builder.tag(html[start:end], name)
    hidden.text(len(html) - position)
    if not hidden.active:
        builder.text(html[position:])
    return builder.build(), hidden.credible


def without_unread(html: str) -> str:
    """Return the source without hidden elements, templates, ``noscript`` and comments, all else as it was.

    For parsers that read scripts for what they state of the page and know hidden elements by some of their marks only.
    """
    html = sanitise(html)
    source, credible = _without_unread(html, hiding=True)
    return source if credible else _without_unread(html, hiding=False)[0]


def _without_unread(html: str, *, hiding: bool) -> tuple[str, bool]:
    parts, hidden, kept, position = [], _Hiding(), 0, 0
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


def decode_references(soup: Soup) -> Soup:
    """Replace numeric references to characters beyond ASCII by the characters, so that counting sees them.

    References to ASCII stay, so unescaping later still happens once.
    """
    texts = tuple(_NON_ASCII_REFERENCE.sub(_beyond_ascii, text) if "&#" in text else text for text in soup.texts)
    return Soup(texts, soup.tags, soup.names)


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
    stop = len(soup.html) if end is None else end
    texts, names = [], []
    for offset, text, name in zip(soup.starts(), soup.texts, (*soup.names, ""), strict=True):
        if offset + len(text) > start and offset < stop:
            texts.append(text[max(start - offset, 0) : stop - offset])
            names.append(name)
        elif start <= offset < stop:
            texts.append("")
            names.append(name)
    return paragraphs(texts, names)


def paragraphs(texts: tuple[str, ...] | list[str], names: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Join texts into lines, broken where a block-level tag stands after a text; ``names`` may be one shorter."""
    lines, parts = [], []
    for text, name in zip(texts, chain(names, ("",)), strict=False):
        if text:
            parts.append(unescape(text) if "&" in text else text)
        if parts and name.lstrip("/") in BLOCKS:
            lines.append(" ".join("".join(parts).split()))
            parts.clear()
    lines.append(" ".join("".join(parts).split()))
    return tuple(line for line in lines if line)
