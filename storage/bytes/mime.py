"""What a body really is: by its bytes first, by its label where the bytes do not tell (after MIME Sniffing, WHATWG).

The point is both ways: binary data is never taken for text because it is labelled ``text/html``, and a page is a page
though it comes as ``application/octet-stream`` or ``text/plain``.
"""

from __future__ import annotations

import re

from storage.bytes.unicode_encoding import wide_codec

HTML = "text/html"
XHTML = "application/xhtml+xml"
PAGES = frozenset({HTML, XHTML})
"""What pages are in."""
XML = "application/xml"
JSON = "application/json"
TEXT = "text/plain"
PDF = "application/pdf"
BINARY = "application/octet-stream"
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"\0\0\1\0", "image/x-icon"),
    (b"\0\0\2\0", "image/x-icon"),
    (b"8BPS\0", "image/vnd.adobe.photoshop"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"\0\0\1\xba", "video/mpeg"),
    (b"\0\0\1\xb3", "video/mpeg"),
    (b"FLV\1", "video/x-flv"),
    (b"OggS\0", "application/ogg"),
    (b"ID3\2", "audio/mpeg"),
    (b"ID3\3", "audio/mpeg"),
    (b"ID3\4", "audio/mpeg"),
    (b"fLaC\0", "audio/flac"),
    (b"\x1f\x8b", "application/gzip"),
    (b"PK\3\4", "application/zip"),
    (b"PK\5\6", "application/zip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\7", "application/vnd.rar"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OTTO\0", "font/otf"),
    (b"\0\1\0\0\0", "font/ttf"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"{\\rtf", "application/rtf"),
    (b"%!PS-Adobe", "application/postscript"),
)
_RIFF = {b"WEBP": "image/webp", b"AVI ": "video/x-msvideo", b"WAVE": "audio/wav"}
_FTYP_IMAGES = frozenset({b"avif", b"avis", b"heic", b"heix", b"mif1", b"msf1"})
_BINARY_LABELS = ("image/", "video/", "audio/", "font/")
_SAMPLE = 4096
_HEAD = 16 * 2**10
# Controls that text does not hold (ESC, tab, line ends and form feed it may); of a compressed stream they are a ninth.
_CONTROL = bytes([*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
_MOST_IN_MARKUP = 0.05
_MOST_IN_TEXT = 0.01
_LEADING = re.compile(r"(?:[\s\0\ufeff]+|<!--.*?-->|<\?(?!xml[\s?]).*?>)*", re.DOTALL)
_XML_PROLOG = re.compile(r"<\?xml[\s?].*?>", re.DOTALL | re.IGNORECASE)
_DOCTYPE = re.compile(r"<!doctype\s+([\w:.-]+)[^<>\[]*(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE)
_ROOT = re.compile(r"<([a-z][\w:.-]*)", re.IGNORECASE)
_PAGE_ROOT = re.compile(
    r"html|head|body|title|meta|link|script|style|noscript|base|div|p|table|h[1-6]|a|br|b|i|font|center|iframe|img|span"
    r"|section|article|main|header|footer|nav|aside|form|ul|ol|dl|pre|blockquote|frameset"
)
_FEED_ROOTS = frozenset({"rss", "feed", "rdf:rdf", "urlset", "sitemapindex", "opml"})
_PAGE_MARK = re.compile(r"<(?:!doctype\s+html|html|body|head)[\s>]", re.IGNORECASE)
_PAGE_TAG = re.compile(r"</?(?:p|div|br|td|span|li|h[1-6]|a\s+href)\b", re.IGNORECASE)
_PAGE_TAGS_TELL = 3
_JSON = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\[\]{\"\d\-tfn])")
_OBJECT = re.compile(r"\s*\{")
_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([^\s"';,>]+)""", re.IGNORECASE)
_CODE = frozenset({"text/css", "text/javascript", "application/javascript", "application/x-javascript"})


def charset_of(content_type: str | None) -> str | None:
    """Return the charset label of a Content-Type header, as written, or None.

    >>> charset_of('text/html; charset="TIS-620"'), charset_of("text/html")
    ('TIS-620', None)
    """
    found = _CHARSET.search(content_type or "")
    return found.group(1) if found else None


def says_html(content_type: str | None) -> bool:
    """Say whether a Content-Type header calls its body a page."""
    return (content_type or "").lower().startswith((HTML, "application/xhtml"))


def sniff(body: bytes, declared: str | None) -> str:
    """Return the media type of a body.

    Args:
        body: the bytes, content codings undone.
        declared: the Content-Type header, parameters and all, or None.

    Returns:
        ``text/html``, ``application/xhtml+xml``, ``application/xml`` (feeds and sitemaps too), ``application/json``,
        ``text/plain``, the label's own type for style sheets and scripts, or what kind of binary data it is:
        ``application/pdf``, ``image/...``, ``video/...``, ``application/zip`` ... ``application/octet-stream``.
    """
    label = (declared or "").split(";")[0].split(",")[0].strip().lower()
    if magic := _magic(body):
        return magic
    wide = wide_codec(body)
    head = body[:_HEAD].decode(wide, "replace") if wide else body[:_HEAD].decode("latin-1").removeprefix("\xef\xbb\xbf")
    controls = 0.0 if wide else _control_share(body)
    if controls > _MOST_IN_MARKUP:
        return label if label.startswith(_BINARY_LABELS) else BINARY
    if markup := _markup(head, label):
        return markup
    return _unmarked(head, label, controls)


def _magic(body: bytes) -> str | None:
    if body[:64].lstrip().startswith(b"%PDF-"):
        return PDF
    for mark, media in _MAGIC:
        if body.startswith(mark):
            return media
    if body[:3] == b"BZh" and body[4:10] == b"1AY&SY":
        return "application/x-bzip2"
    if body[:2] == b"\0\0" and body[4:8] == b"ftyp":
        return "image/avif" if body[8:12] in _FTYP_IMAGES else "video/mp4"
    if body[:4] == b"RIFF":
        return _RIFF.get(body[8:12])
    return "application/x-tar" if body[257:262] == b"ustar" else None


def _control_share(body: bytes) -> float:
    """Return the share of control characters at the beginning, middle and end; padding with NULs is left out."""
    body = body.rstrip(b"\0") or body[:1]
    middle = len(body) // 2
    sample = body[:_SAMPLE]
    if len(body) > 3 * _SAMPLE:
        sample += body[middle : middle + _SAMPLE] + body[-_SAMPLE:]
    return (len(sample) - len(sample.translate(None, _CONTROL))) / max(len(sample), 1)


def _markup(head: str, label: str) -> str | None:
    """Return the type of markup by the first element, declarations and comments skipped; None when there is none."""
    at = _skip(_LEADING, head, 0)
    prolog = _XML_PROLOG.match(head, at)
    at = _skip(_LEADING, head, prolog.end() if prolog else at)
    doctype = _DOCTYPE.match(head, at)
    at = _skip(_LEADING, head, doctype.end() if doctype else at)
    found = _ROOT.match(head, at)
    root = (doctype.group(1) if doctype else found.group(1) if found else "").lower()
    if root in _FEED_ROOTS:
        return XML
    if root == "svg":
        return "image/svg+xml"
    if _PAGE_ROOT.fullmatch(root):
        strict = label == XHTML or (prolog is not None and label != HTML)
        return XHTML if strict else HTML
    return XML if prolog else None


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _unmarked(head: str, label: str, controls: float) -> str:
    """Decide by the label about bytes that begin with no markup we know."""
    if controls > _MOST_IN_TEXT:
        return label if label.startswith(_BINARY_LABELS) else BINARY
    if label in _CODE:
        return label
    is_json, marked = _JSON.match(head) is not None, _PAGE_MARK.search(head) is not None
    # Strings of an API's answer may hold the markup of whole articles.
    if is_json and (_labelled(label) == JSON or (_OBJECT.match(head) and not marked)):
        return JSON
    if marked or len(_PAGE_TAG.findall(head)) >= _PAGE_TAGS_TELL:
        return HTML
    if is_json:
        return JSON
    return label if label in (HTML, XHTML, PDF) or label.startswith(_BINARY_LABELS) else _labelled(label)


def _labelled(label: str) -> str:
    if label == "text/xml" or label.endswith(("/xml", "+xml")):
        return XML
    if label.endswith(("/json", "+json")):
        return JSON
    return TEXT
