"""Bytes decide what a body is; the label only where they leave it open. Sections are of the MIME Sniffing Standard."""

from __future__ import annotations

import gzip
import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.bytes.mime import charset_of, essence, is_xml, sniff

PAGE = "<!DOCTYPE html><html><head><title>Tin tức</title></head><body><p>أخبار</p></body></html>"
NOISE = random.Random(7).randbytes(20_000)
LABELS = [
    None,
    "text/html",
    "text/html; charset=utf-8",
    "text/plain",
    "application/octet-stream",
    "image/png",
    "nonsense",
]
PAGES = {
    "doctype": PAGE.encode(),
    "bom": b"\xef\xbb\xbf" + PAGE.encode(),
    "utf-16": PAGE.encode("utf-16"),
    "utf-16 without a mark": (PAGE * 3).encode("utf-16-be"),
    "windows-1256": PAGE.encode("cp1256", "xmlcharrefreplace"),
    "white space and comment first": b"\r\n\t <!-- build 7 --> <HTML><p>x",
    "warning before the page": b"Warning: mysql_connect() in /srv/x.php\n<html><body><p>x</p>",
    "fragment": b"<div class=x><p>Text</p></div>",
    "processing instruction": b"<?php echo 1 ?><html><p>x",
    "stray NULs": PAGE.replace("<p>", "<p>\0").encode(),
    "NUL padding": PAGE.encode() + bytes(5000),
    "text with tags in it": b"Headline<br>Text<p>More text<p>And more<br>",
}
BINARIES = {
    "%PDF-1.7": (b"%PDF-1.7\n<html>" + NOISE, "application/pdf"),
    "pdf behind blank lines": (b"\r\n%PDF-1.4\n" + NOISE, "application/pdf"),
    "png": (b"\x89PNG\r\n\x1a\n" + NOISE, "image/png"),
    "jpeg": (b"\xff\xd8\xff\xe0" + NOISE, "image/jpeg"),
    "gif": (b"GIF89a" + NOISE, "image/gif"),
    "webp": (b"RIFF\x10\0\0\0WEBPVP8 " + NOISE, "image/webp"),
    "avif": (b"\0\0\0\x1cftypavif" + NOISE, "image/avif"),
    "mp4": (b"\0\0\0\x18ftypmp42" + NOISE, "video/mp4"),
    "webm": (b"\x1aE\xdf\xa3" + NOISE, "video/webm"),
    "mp3": (b"ID3\4\0" + NOISE, "audio/mpeg"),
    "gzip": (gzip.compress(PAGE.encode(), mtime=0), "application/gzip"),
    "zip": (b"PK\3\4" + NOISE, "application/zip"),
    "bzip2": (b"BZh91AY&SY" + NOISE, "application/x-bzip2"),
    "tar": (b"page.html".ljust(257, b"\0") + b"ustar\0" + NOISE, "application/x-tar"),
    "word": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + NOISE, "application/x-ole-storage"),
}


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_a_page_under_every_label(page: str, label: str | None) -> None:
    """HTML is recognised by its markup, not by what the server calls it."""
    assert sniff(PAGES[page], label) == "text/html"


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("kind", BINARIES)
def test_binary_data_is_never_text(kind: str, label: str | None) -> None:
    """Known formats are named, with any label."""
    body, media = BINARIES[kind]
    assert sniff(body, label) == media


@pytest.mark.parametrize("label", [None, "text/html", "text/plain", "application/json", "text/xml"])
@pytest.mark.parametrize(
    "body",
    [
        NOISE,
        zlib.compress(NOISE),
        b"<html><body>" + NOISE,
        bytes(50_000),
        bytes(range(256)) * 40,
        b"<p>" + PAGE.encode() * 40 + NOISE * 2,
    ],
    ids=["noise", "zlib", "noise behind a tag", "zeros", "all bytes", "noise behind a page"],
)
def test_unknown_binary_data_is_never_text(body: bytes, label: str | None) -> None:
    """Data of no known format is binary by its controls, also when a tag stands before it."""
    assert sniff(body, label) == "application/octet-stream"


RSS_BODY = b'<?xml version="1.0"?><rss version="2.0"><channel/></rss>'
RSS_1 = b"<rdf:RDF xmlns='http://purl.org/rss/1.0/' xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
ATOM_BODY = b'\xef\xbb\xbf<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"/>'
XML_BODY = b'<?xml version="1.0"?><!DOCTYPE foo [<!ENTITY x "y">]><foo/>'
XHTML_BODY = b'<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'
ARTICLES = b'[{"text": "<html><body><p>a</p><p>b</p></body></html>"}]'
EXE = b"MZ\x90\0" + NOISE


@pytest.mark.parametrize(
    ("body", "declared", "media", "section"),
    [
        # Pages and their fragments.
        (b"\n\n <!-- comment --> <HTML lang=de>", None, "text/html", "7.1"),
        (b"<!-- comment -->\nwords", None, "text/html", "7.1"),
        (b"<!-- comment -->\nwords", "text/plain", "text/plain", "7"),
        (b"Just words", "text/html", "text/html", "7.3"),
        (b"<html>\0\1 stray controls" + b"x" * 200, "text/html", "text/html", "7.3"),
        (b"<p>abcdefghijklmnopqrstuvwxyz abcd\1" * 9, "text/html", "text/html", "7.3"),
        (PAGE.encode(), "application/xhtml+xml", "application/xhtml+xml", "7"),
        (XHTML_BODY, "application/xhtml+xml", "application/xhtml+xml", "7"),
        (XHTML_BODY, "text/html", "text/html", "7.3"),
        # Feeds and other XML.
        (RSS_BODY, "text/html", "application/rss+xml", "7.3"),
        (RSS_1, "text/html", "application/rss+xml", "7.3"),
        (ATOM_BODY, "text/html", "application/atom+xml", "7.3"),
        (b"<foo><bar/></foo>", "application/xml", "application/xml", "7"),
        (b"<!-- comment --><foo/>", "application/xml", "application/xml", "7"),
        (b"<urlset/>", "application/xml", "application/xml", "7"),
        (b"<urlset/>", "text/xml", "text/xml", "7"),
        (XML_BODY, None, "text/xml", "7.1"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", "image/svg+xml", "7"),
        # Text.
        (b'{"title": "x"}', "application/ld+json", "application/ld+json", "7"),
        (b"[]", "application/json", "application/json", "7"),
        (ARTICLES, "application/json", "application/json", "7"),
        (b"User-agent: *\nDisallow: /", "text/plain", "text/plain", "7.2"),
        (b"User-agent: *\nDisallow: /", None, "text/plain", "7.1"),
        (b"User-agent: *\nDisallow: /", "*/*", "text/plain", "7.1"),
        ("خبر اليوم".encode("cp1256"), "text/plain", "text/plain", "7.2"),
        (b"a,b\n1,2", "text/csv", "text/csv", "7"),
        (b"Just words", "image/png", "image/png", "7"),
        (b"Just words", "application/pdf", "application/pdf", "7"),
        (b"body { color: red }", "text/css", "text/css", "7"),
        (b"document.write('<html><p>')", "application/javascript", "application/javascript", "7"),
        (b"document.write('<html><p>')", "text/ecmascript", "text/ecmascript", "7"),
        (b"BZhould be text", "text/plain", "text/plain", "7.2"),
        (b"BMW sells cars", "text/html", "text/html", "7.3"),
        (b"ID3 tags explained", "text/html", "text/html", "7.3"),
        (b"abcdftypmp42 is text", "text/plain", "text/plain", "7.2"),
        (b"", "text/html", "text/html", "7.3"),
        (b"", None, "text/plain", "7.1"),
        # Binary data.
        ((b"abcdefgh " * 7 + b"\1") * 9, "text/plain", "application/octet-stream", "7.2"),
        (NOISE, "text/plain", "application/octet-stream", "7.2"),
        (NOISE, None, "application/octet-stream", "7.1"),
        (NOISE, "application/x-shockwave-flash", "application/x-shockwave-flash", "7"),
        (bytes(50_000), "video/mp4", "video/mp4", "7"),
        (EXE, None, "application/octet-stream", "7.1"),
        (b"\x1f\x8b\0" + NOISE, None, "application/octet-stream", "6.4"),
        (b"Rar!\x1a\7\0" + NOISE, None, "application/x-rar-compressed", "6.4"),
        (b"RIFF\0\0\0\0AVI " + NOISE, None, "video/avi", "6.2"),
        (b"RIFF\0\0\0\0WAVE" + NOISE, None, "audio/wave", "6.2"),
        (b"FORM\0\0\0\0AIFF" + NOISE, None, "audio/aiff", "6.2"),
        (b"%!PS-Adobe-3.0\n", None, "application/postscript", "7.1"),
    ],
)
def test_types_of_the_standard(body: bytes, declared: str | None, media: str, section: str) -> None:
    """These bodies have the type that the named section of the MIME Sniffing Standard gives them."""
    assert sniff(body, declared) == media, section


PURPOSE = "a page is a page under every label"
NEVER_TEXT = "binary data is never text"
NO_PAGE = "feeds, sitemaps, other XML, SVG and JSON are never pages"
MARKED = "a byte order mark does not end the search"
NAMED = "formats that the standard leaves out are named"


@pytest.mark.parametrize(
    ("body", "declared", "media", "standard", "section", "why"),
    [
        (PAGE.encode(), "text/plain", "text/html", "text/plain", "7.2", PURPOSE),
        (PAGE.encode(), "application/octet-stream", "text/html", "application/octet-stream", "7", PURPOSE),
        (PAGE.encode(), "image/png", "text/html", "image/png", "7", PURPOSE),
        (b"Warning: mysql()\n<html><p>x", "text/plain", "text/html", "text/plain", "7.2", PURPOSE),
        (b"<?xml version='1.0'?><html>", None, "application/xhtml+xml", "text/xml", "7.1", PURPOSE),
        ("Bản tin sáng".encode(), "application/octet-stream", "text/plain", "application/octet-stream", "7", PURPOSE),
        (NOISE, "text/html", "application/octet-stream", "text/html", "7.3", NEVER_TEXT),
        (b"<html><body>" + NOISE, "text/html", "application/octet-stream", "text/html", "7.3", NEVER_TEXT),
        (b"%PDF-1.7\n" + NOISE, "text/html", "application/pdf", "text/html", "7.3", NEVER_TEXT),
        (b"\r\n%PDF-1.7\n" + NOISE, "text/html", "application/pdf", "text/html", "7.3", NEVER_TEXT),
        (RSS_BODY, "text/xml", "application/rss+xml", "text/xml", "7", NO_PAGE),
        (RSS_BODY, "text/plain", "application/rss+xml", "text/plain", "7.2", NO_PAGE),
        (b"<feed xmlns='http://www.w3.org/2005/Atom'>", None, "application/atom+xml", "text/plain", "7.1", NO_PAGE),
        (b"<rdf:RDF xmlns:x='y'>", "text/html", "text/xml", "text/html", "7.3", NO_PAGE),
        (b"<urlset><url/>", None, "text/xml", "text/plain", "7.1", NO_PAGE),
        (XML_BODY, "text/html", "text/xml", "text/html", "7.3", NO_PAGE),
        (b"<svg xmlns='http://www.w3.org/2000/svg'>", "text/html", "image/svg+xml", "text/html", "7.3", NO_PAGE),
        (b'{"title": "x"}', "text/html", "application/json", "text/html", "7.3", NO_PAGE),
        (b'{"text": "<p>a<\\/p><p>b<\\/p>"}', "text/html", "application/json", "text/html", "7.3", NO_PAGE),
        (b'[{"title": "x"}]', "text/plain", "application/json", "text/plain", "7.2", NO_PAGE),
        (PAGE.encode("utf-16"), None, "text/html", "text/plain", "7.1", MARKED),
        ("<?xml version='1.0'?><sitemapindex>".encode("utf-16"), None, "text/xml", "text/plain", "7.1", MARKED),
        ("<html>".encode("utf-16-be"), None, "text/html", "application/octet-stream", "7.1", MARKED),
        (b"\xfd7zXZ\0" + NOISE, None, "application/x-xz", "application/octet-stream", "7.1", NAMED),
        (b"\0\0\0\x20ftypheic" + NOISE, None, "image/heic", "application/octet-stream", "6.2.1", NAMED),
        (b"\0\0\0\x20ftypisom" + NOISE, None, "video/mp4", "application/octet-stream", "6.2.1", NAMED),
        (gzip.compress(PAGE.encode(), mtime=0), None, "application/gzip", "application/x-gzip", "6.4", NAMED),
    ],
)
def test_types_that_depart_from_the_standard(
    body: bytes, declared: str | None, media: str, standard: str, section: str, why: str
) -> None:
    """These bodies have another type than the named section gives them, for the reason beside it."""
    assert sniff(body, declared) == media != standard, (section, why)


@pytest.mark.parametrize(
    ("body", "label", "media"),
    [
        (b'{"debug": 1}\n<!DOCTYPE html><html><body><p>a</p>', "text/html", "text/html"),
        (b"[tin] <p>a</p><p>b</p>", "text/html", "text/html"),
        (b'<?xml version="1.0"?><?xml-stylesheet href="x.xsl"?><urlset>', "text/xml", "text/xml"),
    ],
)
def test_a_misleading_beginning_is_passed_over(body: bytes, label: str, media: str) -> None:
    """JSON or brackets before a page, and instructions before XML, do not hide it."""
    assert sniff(body, label) == media


@pytest.mark.parametrize(
    ("header", "media"),
    [
        (None, ""),
        ("Text/HTML; charset=UTF-8", "text/html"),
        ("text/html, text/plain", "text/html"),
        ("nonsense", ""),
        ("text/<html>", ""),
        ("*/*", "*/*"),
    ],
)
def test_type_and_subtype_are_read_from_the_header(header: str | None, media: str) -> None:
    """Parameters go, and what is no media type is none (section 4.4)."""
    assert essence(header) == media


@pytest.mark.parametrize(
    ("media", "xml"),
    [
        ("text/xml", True),
        ("application/xml", True),
        ("application/rss+xml", True),
        ("image/svg+xml", True),
        ("text/html", False),
    ],
)
def test_xml_types(media: str, xml: bool) -> None:
    """XML MIME types are those of section 4.6."""
    assert is_xml(media) is xml


@pytest.mark.parametrize(
    ("header", "label"),
    [
        (None, None),
        ("text/html", None),
        ("text/html; charset=UTF-8", "UTF-8"),
        ("text/html;charset='tis-620'", "tis-620"),
        ('text/html; version=1; Charset = "big5"; x=y', "big5"),
        ("text/html; charset=", None),
    ],
)
def test_the_charset_is_read_from_the_header(header: str | None, label: str | None) -> None:
    """The label comes as written, quotes off."""
    assert charset_of(header) == label


@settings(max_examples=200, deadline=None)
@given(body=st.binary(max_size=600) | st.text(alphabet="<>!?-[]xml html\0\n", max_size=400).map(str.encode))
def test_any_bytes_have_a_type(body: bytes) -> None:
    """Every body gets exactly one media type."""
    assert sniff(body, None).count("/") == 1
