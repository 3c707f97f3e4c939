"""Bytes decide what a body is; the label only where they leave it open."""

from __future__ import annotations

import gzip
import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.bytes.mime import charset_of, sniff

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
    "gzip": (gzip.compress(PAGE.encode()), "application/gzip"),
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
    """Known formats are named whatever the label says."""
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


@pytest.mark.parametrize(
    ("body", "label", "media"),
    [
        (b'<?xml version="1.0"?><rss version="2.0">', "text/html", "application/xml"),
        (b"<rss version='2.0'><channel>", "text/plain", "application/xml"),
        (b'<?xml version="1.0"?>\n<!-- x --><feed xmlns="http://www.w3.org/2005/Atom">', None, "application/xml"),
        (b'<?xml version="1.0"?><?xml-stylesheet href="x.xsl"?><urlset>', "text/xml", "application/xml"),
        ("<?xml version='1.0' encoding='utf-16'?><sitemapindex>".encode("utf-16"), None, "application/xml"),
        (b'<?xml version="1.0"?><!DOCTYPE foo [<!ENTITY x "y">]><foo>', None, "application/xml"),
        (b"<foo><bar/></foo>", "application/xml", "application/xml"),
        (b'<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">', "text/html", "text/html"),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">', None, "application/xhtml+xml"),
        (PAGE.encode(), "application/xhtml+xml", "application/xhtml+xml"),
        (b'<svg xmlns="http://www.w3.org/2000/svg">', "text/html", "image/svg+xml"),
        (b'{"title": "x"}', "text/html", "application/json"),
        (b'[{"a": 1}]', "application/json", "application/json"),
        (b"[]", "application/json", "application/json"),
        (b'{"id": 1, "text": "<p>a<\\/p><p>b<\\/p><p>c<\\/p>"}', "text/html", "application/json"),
        (b'[{"text": "<html><body><p>a</p><p>b</p></body></html>"}]', "application/json", "application/json"),
        (b'{"debug": 1}\n<!DOCTYPE html><html><body><p>a</p>', "text/html", "text/html"),
        (b"[tin] <p>a</p><p>b</p>", "text/html", "text/html"),
        (b"User-agent: *\nDisallow: /", "text/plain", "text/plain"),
        (b"User-agent: *\nDisallow: /", None, "text/plain"),
        (b"Just words", "text/html", "text/html"),
        ("Bản tin sáng".encode(), "application/octet-stream", "text/plain"),
        ("خبر اليوم".encode("cp1256"), "text/plain", "text/plain"),
        (b"body { color: red }", "text/css", "text/css"),
        (b"document.write('<html><p>')", "application/javascript", "application/javascript"),
        (b"BZhould be text", "text/plain", "text/plain"),
        (bytes(50_000), "video/mp4", "video/mp4"),
        (b"", "text/html", "text/html"),
        (b"", None, "text/plain"),
    ],
)
def test_other_text_is_told_apart(body: bytes, label: str | None, media: str) -> None:
    """Feeds, sitemaps, JSON, style sheets and plain text are what they are."""
    assert sniff(body, label) == media


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
