"""The body of a page as bytes in UTF-8, with and without code.

A pattern that begins with one character finds it in bytes five times as fast as in a string.
"""

from __future__ import annotations

import re

from pipelines.markup.lexer import Closers, sanitise

_GREATER = ord(">")
_BODY = re.compile(rb"<[bB][oO][dD][yY](?=[\s/>])")
_CODE_NAME = rb"([sS][cC][rR][iI][pP][tT]|[sS][tT][yY][lL][eE])(?=[\s/>])"
_CODE = re.compile(rb"<(?:!--|" + _CODE_NAME + rb")")
_CODE_OR_ITS_END = re.compile(rb"<(?:!--|(/?)" + _CODE_NAME + rb")")
_MAX_ENDS = 100
"""Pieces of code with a body tag in them that are skipped. For each, all the source before it is searched."""


def encoded(html: str) -> bytes:
    """Return the body of a page, or the whole page when it has no body tag, as UTF-8 without NULs."""
    try:
        raw = html.encode()
    except UnicodeEncodeError:
        raw = sanitise(html).encode()
    if b"\0" in raw:
        raw = raw.replace(b"\0", b"")
    start = body_start(raw)
    return raw[start:] if start else raw


def body_start(raw: bytes) -> int:
    """Return where the body tag begins; 0 when there is none.

    A body tag follows a tag or white space. One in a script or a style does not count.
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
    """Return where the code ends in which ``start`` lies; 0 when it lies in no code, or code does not end next."""
    script = raw.rfind(b"<script", 0, start)
    opened = b""
    for ends, name in _CODE_OR_ITS_END.findall(raw, max(raw.find(b"</script", script, start), script, 0), start):
        if (ends and name.lower() == opened) or not (ends or opened):
            opened = b"" if ends else name.lower()
    following = _CODE_OR_ITS_END.search(raw, start) if opened else None
    return following.end() if following and following[1] else 0


def without_code(raw: bytes) -> bytes:
    """Return a page without scripts, styles and comments. The end tags of code stay."""
    closers, pieces, position = Closers(raw.decode("latin-1")), list[bytes](), 0
    while match := _CODE.search(raw, position):
        pieces.append(raw[position : match.start()])
        if match[1]:
            position = closers.after(match[1].lower().decode(), match.end()) or match.end()
        else:
            position = closers.after_declaration("<!--", match.end())
    return b"".join((*pieces, raw[position:]))
