"""A page as the bytes of its body, UTF-8: where the body begins, and the body without code.

Patterns that begin with one sign find it in bytes five times as fast as in a string.
"""

from __future__ import annotations

import re

from pipelines.markup.lexer import Closers, sanitise

_GREATER = ord(">")
_BODY = re.compile(rb"<[bB][oO][dD][yY](?=[\s/>])")
_SCRIPT, _STYLE = rb"[sS][cC][rR][iI][pP][tT](?=[\s/>])", rb"[sS][tT][yY][lL][eE](?=[\s/>])"
_CODE_NAME = rb"([sS][cC][rR][iI][pP][tT]|[sS][tT][yY][lL][eE])(?=[\s/>])"
_COMMENT = rb"!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+--!?>)"
_CODE = re.compile(rb"<(?:!--|" + _CODE_NAME + rb")")


def _until(end: bytes, *unless: bytes) -> bytes:
    """Return a pattern for all before a tag of one kind, where none of some others comes first."""
    return rb"[^<]*+(?:<(?!%b)[^<]*+)*+(?=<%b)" % (b"|".join((end, *unless)), end)


_PLAIN = (
    rb"!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+--!?>)",
    rb"%b(?:%b|%b)" % (_SCRIPT, _until(b"/" + _SCRIPT, _SCRIPT), _until(b"/" + _SCRIPT, b"!--")),
    _STYLE + _until(b"/" + _STYLE),
)
_PLAIN_CODE = re.compile(rb"<(?=[!sS])(?:%b|%b|%b|((?:!--|%b|%b)(?s:.*)))" % (*_PLAIN, _SCRIPT, _STYLE))
"""Comments, scripts and styles that end; what has to be looked at with care is captured, with all behind it.

Where a script holds a comment, and that a script, they end in ways of their own.
"""
_MAX_ENDS = 100
"""Pieces of code with a body tag in them that are passed over: each is told by a look at all before it."""
_CODE_OR_ITS_END = re.compile(rb"<(?:!--|(/?)" + _CODE_NAME + rb")")
_END_OR_COMMENT = {
    len("script"): re.compile(rb"<(?:!--|(/)[sS][cC][rR][iI][pP][tT](?=[\s/>]))"),
    len("style"): re.compile(rb"<(/)[sS][tT][yY][lL][eE](?=[\s/>])"),
}
"""What is looked for behind the start tag of code, by the length of its name."""


def encoded(html: str) -> bytes:
    """Return the body of a page, or the whole page where there is no body tag, as UTF-8 without NULs."""
    try:
        raw = html.encode()
    except UnicodeEncodeError:
        raw = sanitise(html).encode()
    if b"\0" in raw:
        raw = raw.replace(b"\0", b"")
    start = body_start(raw)
    return raw[start:] if start else raw


def body_start(raw: bytes) -> int:
    """Return where the body tag begins, not one that stands in the string of a script; 0 when there is none.

    A body tag stands after a tag or white space.
    """
    position, ends = 0, 0
    while ends < _MAX_ENDS and (found := _BODY.search(raw, position)):
        start, position = found.span()
        if start and raw[start - 1] != _GREATER and not raw[start - 1 : start].isspace():
            continue
        end = _code_end(raw, start)
        if not end:
            return start
        position, ends = end, ends + 1
    return 0


def _code_end(raw: bytes, start: int) -> int:
    """Return where code ends that a place stands in: some is open there, and ends next; 0 where it stands in none."""
    script = raw.rfind(b"<script", 0, start)
    opened = b""
    for ends, name in _CODE_OR_ITS_END.findall(raw, max(raw.find(b"</script", script, start), script, 0), start):
        if (ends and name.lower() == opened) or not (ends or opened):
            opened = b"" if ends else name.lower()
    following = _CODE_OR_ITS_END.search(raw, start) if opened else None
    return following.end() if following and following[1] else 0


def without_code(raw: bytes) -> bytes:
    """Return a page without scripts, styles and comments; the end tags of code stay."""
    parts = _PLAIN_CODE.split(raw)
    return _without_odd_code(raw) if any(parts[1::2]) else b"".join(parts[::2])


def _without_odd_code(raw: bytes) -> bytes:
    closers, pieces, first = None, list[bytes](), 0
    while match := _CODE.search(raw, first):
        pieces.append(raw[first : match.start()])
        first = match.end()
        end = _END_OR_COMMENT[len(match[1])].search(raw, first) if match[1] else None
        if end is not None and end[1]:
            first = end.start()
            continue
        closers = closers or Closers(raw.decode("latin-1"))
        if match[1]:
            first = closers.after(match[1].lower().decode(), first) or first
        else:
            first = closers.after_declaration("<!--", first)
    return b"".join((*pieces, raw[first:]))
