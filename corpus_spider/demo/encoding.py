"""Text to the bytes of an old page: legacy code pages with character references for what they lack."""

from __future__ import annotations

import codecs
import unicodedata

CODECS = {"windows-874": "cp874"}
"""Names of the web that Python knows under another name."""

TONES = "\u0300\u0301\u0303\u0309\u0323"
"""Grave, acute, tilde, hook and dot below: what windows-1258 writes after the letter."""


def encode(text: str, encoding: str) -> bytes:
    """Encode as browsers read it: UTF-16 little-endian with a byte order mark, windows-1258 with tones apart."""
    if encoding == "utf-16":
        return codecs.BOM_UTF16_LE + text.encode("utf-16-le")
    if encoding == "windows-1258":
        text = "".join(_windows_1258(character) for character in text)
    return text.encode(CODECS.get(encoding, encoding), "xmlcharrefreplace")


def _windows_1258(character: str) -> str:
    """Return a character the code page has, or its letter followed by its tone, as Windows wrote Vietnamese."""
    if _fits(character):
        return character
    parts = unicodedata.normalize("NFD", character)
    letter = unicodedata.normalize("NFC", "".join(part for part in parts if part not in TONES))
    apart = letter + "".join(part for part in parts if part in TONES)
    return apart if _fits(apart) else character


def _fits(text: str) -> bool:
    try:
        text.encode("cp1258")
    except UnicodeEncodeError:
        return False
    return True
