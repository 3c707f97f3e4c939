"""Separate markup from text: tags, comments and code, in linear time, without a tree.

The rules are those of the HTML standard (WHATWG, section 13.2.5, tokenisation) where text and markup could be
confused: ``>`` inside quoted attribute values, quotes that count only after ``=``, comments with their odd ends,
scripts that hold comments that hold scripts. No nesting can make it slow. One departure keeps texts: an element
that is dropped with its content but never closed loses its tag only (scripts, styles and comments run to the end of
the page, as in browsers).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def name_set(names: str) -> frozenset[str]:
    """Return the set of names in a text, separated by white space."""
    return frozenset(names.split())


CODE = frozenset({"script", "style"})
"""Dropped with their content, to the end of the page if need be."""

SILENT = frozenset({"noscript", "template", "title", "noembed", "noframes"})
"""Dropped with their content; they leave no gap between words."""

BOXES = name_set(
    "iframe marquee select option optgroup datalist button textarea object svg math canvas audio video applet"
)
"""Dropped with their content. They separate the texts before and after them on the screen."""

EMPTY = name_set("img input embed link meta source track param base basefont bgsound frame area wbr col keygen")
"""Elements without content: only the tag goes."""

VOID = EMPTY | {"br", "hr"}

BLOCKS = name_set(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure"
    " footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section"
    " summary table tbody td tfoot th thead tr ul"
)
"""Elements that begin and end lines on the screen."""

DROPPED = CODE | SILENT | BOXES
"""Elements that are dropped with their content."""

REMOVED = DROPPED | EMPTY
"""Elements whose tags Step 0 removes."""

_ATTRIBUTES = r"""(?:>|[^>=]*+(?:=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+[^>=]*+)*+(?:>|\Z))"""
_MARKUP = re.compile(rf"<(?:(/?[a-zA-Z][^\s/>]*+){_ATTRIBUTES}|!--|!\[CDATA\[|[!?/][^>]*+>?)")
_VALUE = re.compile(r"""=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)|/""")
_CDATA = "<![CDATA["
_COMMENT_END = re.compile("--!?>")
REST_OF_TAG = re.compile(_ATTRIBUTES.encode())
"""Rest of a tag behind its name, to its end, in an encoded page."""
_SCRIPT_STEP = re.compile(r"<!--|-->|<(/?)[sS][cC][rR][iI][pP][tT](?=[\s/>])")
_TAG_NAME = re.compile("</?[a-zA-Z]")
_UNFIT = re.compile("[\0\ud800-\udfff]")


def sanitise(html: str) -> str:
    """Drop NUL characters and replace lone surrogates (U+FFFD), which neither parsers nor files can carry."""
    try:
        html.encode("utf-16-le")
        if "\0" not in html:
            return html
    except UnicodeEncodeError:
        pass
    return _UNFIT.sub(lambda match: "" if match[0] == "\0" else "\ufffd", html)


class Tag(NamedTuple):
    """A tag of the source: where it starts and ends, and its lower-case name, with a leading slash for end tags."""

    start: int
    end: int
    name: str


def _any_case(text: str) -> str:
    """Return a pattern for a text in any case. Spelt out, it is found twice as fast as with IGNORECASE."""
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in text)


_END_TAGS = {name: re.compile(rf"</{_any_case(name)}(?=[\s/>])") for name in DROPPED}


_SCRIPT_END = re.compile(rf"<(?:!--|/{_any_case('script')}(?=[\s/>]))")


def _end_tag(html: str, name: str, position: int) -> int:
    """Return the start of an element's next end tag, in upper or lower case; the end of the page if none follows."""
    match = _END_TAGS[name].search(html, position)
    return match.start() if match else len(html)


def _script_end(html: str, position: int) -> int:
    """Return the start of a script's end tag. A comment in the script may contain scripts (13.2.5.15–31)."""
    first = _SCRIPT_END.search(html, position)
    if first is None or first[0] != "<!--":
        return first.start() if first else len(html)
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


class Closers:
    """Find the end tags of dropped elements. A missing end tag is searched once, then remembered."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._absent: set[str] = set()

    def after(self, name: str, position: int) -> int | None:
        """Return the offset behind the end tag of ``name``; None if it is never closed."""
        if name in self._absent:
            return None
        html = self._html
        end = _script_end(html, position) if name == "script" else _end_tag(html, name, position)
        if end == len(self._html):
            self._absent.add(name)
            return end if name in CODE else None
        return end

    def after_declaration(self, opener: str, position: int) -> int:
        """Return the end of a comment, CDATA section or declaration. An unclosed comment ends with the page."""
        html = self._html
        if opener == "<!--":
            for short in (">", "->"):
                if html.startswith(short, position):
                    return position + len(short)
            # One pattern for both ends: a missing end would otherwise be searched again at every comment.
            found = _COMMENT_END.search(html, position)
            return found.end() if found else len(html)
        if opener == _CDATA:
            closer = ">" if _CDATA in self._absent else "]]>"
            end = html.find(closer, position)
            if end >= 0:
                return end + len(closer)
            self._absent.add(_CDATA)
            return self.after_declaration(opener, position) if closer == "]]>" else len(html)
        return position


def tag_end(html: str, start: int) -> int:
    """Return the end of a tag, by its quotation marks. An unclosed tag ends with the page."""
    match = _MARKUP.match(html, start)
    return match.end() if match else len(html)


def attributes(html: str, start: int) -> int:
    """Count the attributes of the tag at ``start``. Repeated attributes count each time."""
    return len(_VALUE.sub(" ", html[start : tag_end(html, start)]).split()) - 1


def markup(html: str) -> Iterator[Tag]:
    """Yield everything that is not text: tags, and under the name ``""`` comments and declarations.

    Elements that are dropped come as one Tag that spans their content. The spans never overlap; time is linear.
    """
    closers = Closers(html)
    position = 0
    while match := _MARKUP.search(html, position):
        start, position = match.span()
        name = match[1]
        if name is None:
            position = closers.after_declaration(match[0], position)
            yield Tag(start, position, "")
            continue
        name = name.lower()
        if name in DROPPED:
            position = closers.after(name, position) or position
        yield Tag(start, position, name)


def _first_of(names: Iterable[str]) -> str:
    """Return a pattern for the first of these names that a text begins with, letter by letter, in any case."""
    rests: dict[str, list[str]] = {}
    for name in sorted(names):
        rests.setdefault(name[:1], []).append(name[1:])
    choices = [_any_case(first) + (_first_of(rest) if rest != [""] else "") for first, rest in rests.items() if first]
    return f"(?:{'|'.join(choices)}){'?' * ('' in rests)}"


def _letters(place: int) -> str:
    """Return the letters that dropped elements have at a place of their names, in both cases."""
    found = {name[place] for name in DROPPED}
    return "".join(sorted(found | {letter.upper() for letter in found}))


# Two letters are tested before names: nearly all tags are passed over at once.
_OPENER = re.compile(
    rf"<(?:(?=[{_letters(0)}][{_letters(1)}])({_first_of(DROPPED)})(?![^\s/>])|!--|!\[CDATA\[|[!?]|/(?![a-zA-Z]))"
)
_REST = re.compile(_ATTRIBUTES)


def dropped(html: str) -> Iterator[Tag]:
    """Yield elements that are dropped with their content, comments and declarations. Faster than ``markup``.

    Markup in the value of an attribute is skipped if no ``>`` precedes it in the tag. With a ``>`` it is yielded by
    mistake; the caller must check that.
    """
    closers = Closers(html)
    position = done = 0
    while match := _OPENER.search(html, position):
        start, position = match.span()
        if _inside_tag(html, done, start):
            continue
        name = (match[1] or "").lower()
        if name:
            rest = _REST.match(html, position)
            position = rest.end() if rest else len(html)
            position = closers.after(name, position) or position
        elif match[0].startswith(("<!--", _CDATA)):
            position = closers.after_declaration(match[0], position)
        else:
            position = html.find(">", position) + 1 or len(html)
        done = position
        yield Tag(start, done, name)


def _inside_tag(html: str, begin: int, position: int) -> bool:
    """Return whether a tag that begins after ``begin`` is still open at ``position``."""
    if html[position - 1 : position] == ">":
        return False
    before = html.rfind("<", begin, position)
    return before >= 0 and html.find(">", before, position) < 0 and _TAG_NAME.match(html, before) is not None


_CODE = re.compile(rf"<(?:!--|({'|'.join(map(_any_case, sorted(CODE)))})(?=[\s/>]))")


def without_code(html: str) -> str:
    """Return a page without scripts, styles and comments, wherever they stand. The end tags of code stay."""
    closers, pieces, position = Closers(html), list[str](), 0
    while match := _CODE.search(html, position):
        pieces.append(html[position : match.start()])
        if match[1]:
            position = closers.after(match[1].lower(), match.end()) or match.end()
        else:
            position = closers.after_declaration("<!--", match.end())
    return "".join((*pieces, html[position:]))


_TAG = re.compile(rf"(<(/?[a-zA-Z][^\s/>]*+){_ATTRIBUTES})")
AT_ONCE = 50_000
_JOINT, _GAP = "\0", "\0 \0"


class Tokens(NamedTuple):
    """Alternating texts and tags of a page, a text first and last. Names are lower-case, with ``/`` for end tags."""

    texts: list[str]
    tags: list[str]
    names: list[str]


def _may_end_open(source: str, quote: str) -> bool:
    """Return whether the last quotation mark may open a value. Its closing mark may then have been cut out."""
    position = source.rfind(quote) - 1
    while position >= 0 and source[position].isspace():
        position -= 1
    return position >= 0 and source[position] == "="


def tokenise(html: str) -> Tokens | None:
    """Return the texts and tags of a sanitised page, without dropped elements. ``BOXES`` leave a space.

    Dropped elements are cut out first, then all tags are split off at once. The result is None if a dropped element
    seems to lie inside a tag. Then only a scan of one tag after the other is right.
    """
    pieces: list[str] = []
    position = 0
    for start, end, name in dropped(html):
        pieces += (html[position:start], _GAP if name in BOXES else _JOINT)
        position = end
    pieces.append(html[position:])
    source = "".join(pieces)
    tokens = _split(source)
    if len(pieces) > 1:
        if _JOINT in "".join(tokens.tags) or _may_end_open(source, '"') or _may_end_open(source, "'"):
            return None
        tokens.texts[:] = [text.replace(_JOINT, "") if _JOINT in text else text for text in tokens.texts]
    return tokens


def _split(source: str) -> Tokens:
    """Split off all tags, ``AT_ONCE`` at a time. Equal tags are stored once; otherwise 10 MB could take 600 MB."""
    tokens, once = Tokens([], [], []), dict[str, str]()
    while True:
        parts = _TAG.split(source, AT_ONCE)
        texts, tags, names = parts[:-1:3], parts[1::3], parts[2::3]
        names = "\0".join(names).lower().split("\0") if names else []
        many = bool(tokens.tags) or len(tags) == AT_ONCE
        for column, new in zip(tokens, (texts, tags, names), strict=True):
            column += [once.setdefault(one, one) for one in new] if many else new
        source = parts[-1]
        if len(tags) < AT_ONCE:
            tokens.texts.append(source)
            return tokens
