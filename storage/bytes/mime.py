"""Media type of a body: its bytes decide, its label only where they leave it open.

The types and signatures are those of the MIME Sniffing Standard of WHATWG (mimesniff.spec.whatwg.org). Sections in the
comments are its sections. A crawler of text differs from a browser on purpose in these points:

- A page is a page under every label. A browser shows ``text/plain`` and saves ``application/octet-stream`` (7, 7.2).
- Binary data is never text. A browser reads everything that is labelled ``text/html`` (7.3). Real pages hold stray
  control characters, so their share decides, not the first one (3, "binary data byte"). The middle and the end of a
  body are looked at too (5.2 looks at 1,445 bytes).
- A feed is a feed under every label (7.3 looks for feeds in ``text/html`` only). A sitemap, other XML that says so in
  its first line, SVG and JSON are never pages. A browser reads them as HTML when they are labelled so (7.3).
- A byte order mark does not end the search. A browser takes marked bytes of unknown type for ``text/plain`` (7.1).
- A signature counts under every label. A browser compares it only with labels of its group (7).
- Formats that the standard leaves out are named (TIFF, xz, SQLite …), with the name that IANA or practice gives them.
  "BM" (6.1) and "ID3" without a version (6.2) are no signatures here: text may begin with them.
"""

from __future__ import annotations

import re

from storage.bytes.unicode_encoding import wide_codec

HTML = "text/html"
XHTML = "application/xhtml+xml"
PAGES = frozenset({HTML, XHTML})
"""Types of pages."""
RSS = "application/rss+xml"
ATOM = "application/atom+xml"
XML = "text/xml"
"""Type of XML that has no label of its own (7.1)."""
JSON = "application/json"
TEXT = "text/plain"
PDF = "application/pdf"
BINARY = "application/octet-stream"
_SIGNATURES = (
    # 6.1
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\0\0\1\0", "image/x-icon"),
    (b"\0\0\2\0", "image/x-icon"),
    # 6.2
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"OggS\0", "application/ogg"),
    (b"MThd\0\0\0\6", "audio/midi"),
    (b"ID3\2", "audio/mpeg"),
    (b"ID3\3", "audio/mpeg"),
    (b"ID3\4", "audio/mpeg"),
    # 6.3
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"OTTO\0", "font/otf"),
    (b"\0\1\0\0\0", "font/ttf"),
    # 6.4, where gzip is still application/x-gzip: RFC 6713 registered it since.
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"PK\3\4", "application/zip"),
    (b"Rar!\x1a\7", "application/x-rar-compressed"),
    # 7.1
    (b"%!PS-Adobe-", "application/postscript"),
    # Not in the standard.
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"8BPS\0", "image/vnd.adobe.photoshop"),
    (b"\0\0\1\xba", "video/mpeg"),
    (b"\0\0\1\xb3", "video/mpeg"),
    (b"FLV\1", "video/x-flv"),
    (b"fLaC\0", "audio/flac"),
    (b"PK\5\6", "application/zip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\xfd7zXZ\0", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"SQLite format 3\0", "application/vnd.sqlite3"),
    (b"{\\rtf", "application/rtf"),
)
_RIFF = {b"WEBP": "image/webp", b"AVI ": "video/avi", b"WAVE": "audio/wave"}
# Brands of ISO base media files that are no video. 6.2.1 knows brands that begin with "mp4" only.
_BRANDS = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heif",
    b"msf1": "image/heif-sequence",
}
_MIME_TYPE = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+/[!#$%&'*+.^_`|~0-9a-z-]+")
# Labels under which the type is unknown (7). Servers send the last one when they know none.
_UNKNOWN = frozenset({"", "unknown/unknown", "application/unknown", "*/*", BINARY})
_JAVASCRIPT = re.compile(r"(?:text|application)/(?:x-)?(?:java|ecma|j|live)script[\d.]*")
HEAD = 16 * 2**10
"""Bytes. Markup is looked for in the beginning of a body."""
# Bytes. Binary data bytes are counted in the beginning, middle and end of a body.
_SAMPLE = 4096
# Binary data bytes (3). They are a tenth of a compressed stream.
_BINARY_BYTES = bytes([*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)])
# Shares of binary data bytes up to which a body is markup, or text.
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
_XML_ROOTS = frozenset({"rdf:rdf", "urlset", "sitemapindex", "opml"})
# A document in RDF is a feed when it names both (7.3).
_RSS_1 = ("http://purl.org/rss/1.0/", "http://www.w3.org/1999/02/22-rdf-syntax-ns#")
_PAGE_MARK = re.compile(r"<(?:!doctype\s+html|html|body|head)[\s>]", re.IGNORECASE)
_PAGE_TAG = re.compile(r"</?(?:p|div|br|td|span|li|h[1-6]|a\s+href)\b", re.IGNORECASE)
_PAGE_TAGS_TELL = 3
_JSON = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\[\]{\"\d\-tfn])")
_OBJECT = re.compile(r"\s*\{")
_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([^\s"';,>]+)""", re.IGNORECASE)


def charset_of(content_type: str | None) -> str | None:
    """Return the charset label of a Content-Type header, as written, or None.

    >>> charset_of('text/html; charset="TIS-620"'), charset_of("text/html")
    ('TIS-620', None)
    """
    found = _CHARSET.search(content_type or "")
    return found.group(1) if found else None


def essence(content_type: str | None) -> str:
    """Return type and subtype of a Content-Type header in lower case; "" if it is missing or malformed (4.4).

    >>> essence("Text/HTML; charset=utf-8"), essence("nonsense")
    ('text/html', '')
    """
    label = (content_type or "").split(";")[0].split(",")[0].strip().lower()
    return label if _MIME_TYPE.fullmatch(label) else ""


def says_html(content_type: str | None) -> bool:
    """Return whether a Content-Type header declares a page."""
    return (content_type or "").lower().startswith((HTML, "application/xhtml"))


def is_xml(media: str) -> bool:
    """Return whether a media type is XML (4.6, "XML MIME type"): feeds, sitemaps, XHTML and SVG too."""
    return media in ("text/xml", "application/xml") or media.endswith("+xml")


def sniff(body: bytes, declared: str | None) -> str:
    """Return the media type of a body, without parameters.

    Args:
        body: the bytes with their content codings undone; or the first ``HEAD`` of them, where that has to do.
        declared: the Content-Type header with its parameters, or None.

    Returns:
        The type that the bytes show: a page (``PAGES``), a feed, other XML (its label, or ``text/xml``), JSON or a
        binary format. Otherwise the label, where text may have it, or binary data. Otherwise ``text/plain`` or
        ``application/octet-stream``.
    """
    label = essence(declared)
    if found := _signed(body):
        return found
    wide = wide_codec(body)
    head = body[:HEAD].decode(wide, "replace") if wide else body[:HEAD].decode("latin-1").removeprefix("\xef\xbb\xbf")
    controls = 0.0 if wide else _binary_share(body)
    if controls <= _MOST_IN_MARKUP and (markup := _markup(head, label)):
        return markup
    if controls <= _MOST_IN_TEXT:
        return _text(head, label)
    is_textual = label.startswith("text/") or is_xml(label) or label.endswith(("/json", "+json", "script"))
    return BINARY if label in _UNKNOWN or is_textual else label


def _signed(body: bytes) -> str | None:
    """Return the format whose signature a body begins with."""
    if body[:64].lstrip().startswith(b"%PDF-"):  # 7.1; readers of PDF pass over blank lines before it
        return PDF
    for signature, media in _SIGNATURES:
        if body.startswith(signature):
            return media
    if body[:3] == b"BZh" and body[4:10] == b"1AY&SY":
        return "application/x-bzip2"
    if body[:2] == b"\0\0" and body[4:8] == b"ftyp":
        return _BRANDS.get(body[8:12], "video/mp4")
    if body[:4] == b"RIFF":
        return _RIFF.get(body[8:12])
    if body[:4] == b"FORM" and body[8:12] == b"AIFF":
        return "audio/aiff"
    return "application/x-tar" if body[257:262] == b"ustar" else None


def _binary_share(body: bytes) -> float:
    """Return the share of binary data bytes, 0-1. NULs that pad the end of a body do not count."""
    body = body.rstrip(b"\0") or body[:1]
    middle = len(body) // 2
    sample = body[:_SAMPLE]
    if len(body) > 3 * _SAMPLE:
        sample += body[middle : middle + _SAMPLE] + body[-_SAMPLE:]
    return (len(sample) - len(sample.translate(None, _BINARY_BYTES))) / max(len(sample), 1)


def _markup(head: str, label: str) -> str | None:
    """Return the type of markup by its first element, declarations and comments skipped; None without markup."""
    at = _skip(_LEADING, head, 0)
    prolog = _XML_PROLOG.match(head, at)
    at = _skip(_LEADING, head, prolog.end() if prolog else at)
    doctype = _DOCTYPE.match(head, at)
    at = _skip(_LEADING, head, doctype.end() if doctype else at)
    found = _ROOT.match(head, at)
    root = (doctype.group(1) if doctype else found.group(1) if found else "").lower()
    if root == "rss" or (root == "rdf:rdf" and all(namespace in head for namespace in _RSS_1)):
        return RSS
    if root == "feed":
        return ATOM
    if root == "svg":
        return "image/svg+xml"
    if _PAGE_ROOT.fullmatch(root):
        strict = label == XHTML or (prolog is not None and label != HTML)
        return XHTML if strict else HTML
    if prolog or root in _XML_ROOTS:
        return label if is_xml(label) else XML
    return None


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _text(head: str, label: str) -> str:
    """Return the type of text that begins with no markup we know."""
    if label == "text/css" or _JAVASCRIPT.fullmatch(label):
        return label
    labelled_json = label.endswith(("/json", "+json"))
    is_json, marked = _JSON.match(head) is not None, _PAGE_MARK.search(head) is not None
    # Strings of an API's answer may hold the markup of whole articles.
    if is_json and (labelled_json or (_OBJECT.match(head) and not marked)):
        return label if labelled_json else JSON
    if marked or len(_PAGE_TAG.findall(head)) >= _PAGE_TAGS_TELL:
        return HTML
    if is_json:
        return JSON
    if label not in _UNKNOWN:
        return label
    return HTML if head.lstrip().startswith("<!--") else TEXT  # 7.1
