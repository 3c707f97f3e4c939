"""Escape text from the web for a terminal: control characters, bidirectional characters, percent-escapes. Pure."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, unquote

CONTROLS = r"\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f"
"""Character class, above C0: controls, bidirectional controls, line separators, invisible tags and surrogates."""
UNSAFE = re.compile(f"[\\x00-\\x1f{CONTROLS}]")
UNSAFE_IN_LINES = re.compile(f"[\\x00-\\x09\\x0b-\\x1f{CONTROLS}]")
DIRECTION_MARKS = re.compile("[\u200e\u200f\u2066-\u2069]")
_ESCAPES = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")
_BYTES, _NON_JOINER = "surrogateescape", "\u200c"


def safe(text: str, limit: int | None = 500) -> str:
    """Return the text on one line, with control and bidirectional characters escaped, cut to ``limit`` characters."""
    cut = text if limit is None or len(text) <= limit else text[: limit - 1] + "…"
    return UNSAFE.sub(_escape, cut)


def safe_lines(text: str) -> str:
    """Return the text with its line breaks, and every other control character escaped."""
    return UNSAFE_IN_LINES.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def readable(text: str) -> str:
    """Return a URL as a browser shows it, with percent-escaped letters decoded. Other text stays unchanged.

    Only letters, digits and their marks are decoded, so no character can move the cursor or end the URL.
    """
    return _ESCAPES.sub(_letters, text) if text.startswith(("http://", "https://")) else text


def _letters(escapes: re.Match[str]) -> str:
    return "".join(
        each if unicodedata.category(each)[0] in "LMN" or each == _NON_JOINER else quote(each, errors=_BYTES)
        for each in unquote(escapes[0], errors=_BYTES)
    )
