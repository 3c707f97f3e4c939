"""Detect UTF-16 and UTF-32, with or without a byte order mark.

The Encoding Standard (section 6) knows the marks of UTF-8 and UTF-16 only. Pages without a mark, and pages in UTF-32,
exist all the same.
"""

from __future__ import annotations

import codecs

import regex

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Marks and codecs. The marks of UTF-32 stand first, because that of UTF-32-LE begins with that of UTF-16-LE."""
_UTF_16 = ("utf-16-le", "utf-16-be")
_CANDIDATES = (*_UTF_16, "utf-32-le", "utf-32-be")
# Bytes. NULs are counted in the beginning of a body.
_HEAD = 4096
# Share of NULs above which a body may be UTF-16. Text beyond Latin-1 still has its spaces and line ends.
_MIN_NULS = 0.02
# Share of characters without meaning up to which decoded bytes are text.
_MAX_ODD = 0.02
_ODD = regex.compile(r"[[\p{Cc}\p{Cn}\p{Co}\ufffd]--[\t\n\r\f]]", regex.VERSION1)
# The detector's confidence from which its answer counts.
_MIN_CONFIDENCE = 0.5


def wide_codec(body: bytes) -> str | None:
    """Return the Python codec of a body in UTF-16 or UTF-32, or None for every other body.

    >>> wide_codec("<html>".encode("utf-16-be")), wide_codec(b"<html>")
    ('utf-16-be', None)
    """
    for mark, codec in BYTE_ORDER_MARKS[1:]:
        if body.startswith(mark):
            return codec
    head = body[: _HEAD & ~3]
    if len(head) < 4 or head.count(0) < len(head) * _MIN_NULS:
        return None
    import chardet

    found = chardet.detect(head, compat_names=False, include_encodings=_CANDIDATES, no_match_encoding=_CANDIDATES[0])
    detected: str | None = found["encoding"] if found["confidence"] >= _MIN_CONFIDENCE else None
    if detected in _UTF_16:
        # Markup is ASCII. Its zero bytes come second in little-endian text and first in big-endian text.
        detected = _UTF_16[head[::2].count(0) > head[1::2].count(0)]
    if detected is None:
        return None
    # Binary data decodes too. Text has hardly a control character or an unassigned code point.
    text = head[: len(head) & ~3].decode(detected, "replace")
    return detected if len(_ODD.findall(text)) <= len(text) * _MAX_ODD else None
