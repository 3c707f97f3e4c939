"""What a body really is, for WARC-Identified-Payload-Type: decided by its first bytes, then by what was declared.

The signatures follow the WHATWG MIME Sniffing Standard (sections 6 and 7); feeds are told by their root element.
"""

from __future__ import annotations

import re
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from storage.records import Capture

PREFIX = 2048
"""How many bytes of the inflated body are looked at."""
_INPUT = 8192
_LAYERS = 3
_WINDOW = 1 << 23

_SIGNATURES = (
    (b"%PDF-", "application/pdf"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"Rar!\x1a\x07", "application/x-rar-compressed"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"OggS\x00", "application/ogg"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"ID3", "audio/mpeg"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"MZ\x90\x00", "application/x-msdownload"),
)
_RIFF = {b"WEBP": "image/webp", b"AVI ": "video/avi", b"WAVE": "audio/wave"}
_ROOTS = {
    "rss": "application/rss+xml",
    "rdf:rdf": "application/rss+xml",
    "feed": "application/atom+xml",
    "svg": "image/svg+xml",
    "html": "text/html",
}
_XHTML = "application/xhtml+xml"
_XML = frozenset({"text/xml", "application/xml"})
_TEXTUAL = re.compile(r"text/.+|.+\+(?:xml|json)|application/(?:xml|json|ld\+json|javascript|xhtml\+xml)")
_MIME = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_PROLOGUE = re.compile(r"\s*(?:(?:<\?.*?\?>|<!--.*?-->|<!doctype[^>]*>)\s*)*", re.IGNORECASE | re.DOTALL)
_ROOT = re.compile(r"<([a-z][a-z0-9:_-]*)[\s/>]", re.IGNORECASE)
_HTML = re.compile(
    r"<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link)[\s/>]"
    r"|<!(?:--|doctype html)",
    re.IGNORECASE,
)
_JSON = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\[{\"\]\d-])")


def identify(capture: Capture) -> str | None:
    """Return the media type of the body, without parameters, or None when the body is empty."""
    if not capture.body:
        return None
    declared = (capture.header("Content-Type") or "").partition(";")[0].strip().lower()
    prefix = inflated_prefix(capture.body, capture.coding)
    return media_type(prefix, declared if _MIME.fullmatch(declared) else "")


def media_type(prefix: bytes, declared: str) -> str:
    """Return the media type of a body that begins with ``prefix`` and is declared as ``declared`` (may be empty)."""
    if not prefix:
        return declared or "application/octet-stream"
    binary = _binary_type(prefix)
    if binary:
        return binary
    text = _as_text(prefix)
    if text is None:
        return "application/octet-stream" if not declared or _TEXTUAL.fullmatch(declared) else declared
    return _text_type(text, declared)


def inflated_prefix(body: bytes, encoding: str) -> bytes:
    """Return the first bytes of a body with its Content-Encoding undone, as far as that goes; never more than PREFIX.

    Bounded in input, output and memory, so that a bomb costs no more than a page.
    """
    data = body[:_INPUT]
    for coding in reversed(encoding.lower().split(",")[-_LAYERS:]):
        data = _inflate(data, coding.strip())
    return data[:PREFIX]


def _inflate(data: bytes, coding: str) -> bytes:
    inflater = _INFLATERS.get(coding)
    return inflater(data) if inflater else data


def _gzip(data: bytes) -> bytes:
    return _zlib_prefix(data, zlib.MAX_WBITS | 32)


def _deflate(data: bytes) -> bytes:
    return _zlib_prefix(data, zlib.MAX_WBITS) or _zlib_prefix(data, -zlib.MAX_WBITS)


def _zlib_prefix(data: bytes, window: int) -> bytes:
    try:
        return zlib.decompressobj(window).decompress(data, _INPUT)
    except zlib.error:
        return b""


def _brotli(data: bytes) -> bytes:
    import brotli

    try:
        return bytes(brotli.Decompressor().process(data, output_buffer_limit=_INPUT))
    except brotli.error:
        return b""


def _zstd(data: bytes) -> bytes:
    import zstandard

    try:
        return zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(BytesIO(data)).read(_INPUT)
    except zstandard.ZstdError:
        return b""


_INFLATERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}


def _binary_type(prefix: bytes) -> str | None:
    for signature, name in _SIGNATURES:
        if prefix.startswith(signature):
            return name
    if prefix.startswith(b"RIFF"):
        return _RIFF.get(prefix[8:12])
    if prefix[4:8] == b"ftyp":
        return "image/avif" if prefix[8:12] == b"avif" else "video/mp4"
    return None


def _as_text(prefix: bytes) -> str | None:
    """The prefix as text that is good enough to look for tags in, or None when it is binary."""
    if prefix.startswith(BOM_UTF8):
        return prefix[len(BOM_UTF8) :].decode("latin-1")
    for bom, mark, encoding in ((BOM_UTF16_LE, b"<\0", "utf-16-le"), (BOM_UTF16_BE, b"\0<", "utf-16-be")):
        if prefix.startswith((bom, mark)):
            return prefix.decode(encoding, "replace").removeprefix("\ufeff")
    # Stray control characters are common in real pages: binary is what has many, or a NUL that is not one of a few.
    return None if len(_BINARY.findall(prefix)) * 50 > len(prefix) else prefix.decode("latin-1")


def _text_type(text: str, declared: str) -> str:
    root = _root(text)
    if root == "html" and declared == _XHTML:
        return _XHTML
    if root in _ROOTS:
        return _ROOTS[root]
    if text.lstrip().startswith("<?xml") and declared != "text/html":
        return _XHTML if declared == _XHTML else "text/xml"
    if _HTML.match(text.lstrip()):
        return "text/html"
    if _JSON.match(text) and not declared.startswith("text/html"):
        return declared if declared.endswith("json") else "application/json"
    if declared in _XML:
        return "text/xml"
    return declared if _TEXTUAL.fullmatch(declared) else "text/plain"


def _root(text: str) -> str:
    start = _PROLOGUE.match(text)
    found = _ROOT.match(text, start.end() if start else 0)
    return found.group(1).lower() if found else ""
