"""Media types told by a body's first bytes, whatever wraps it and whatever it is declared as."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from warc_samples import PAGE, capture

from storage.warc.payload_type import PREFIX, identify, inflated_prefix, media_type

RSS = b"<?xml version='1.0'?>\n<!-- feed -->\n<rss version='2.0'><channel/></rss>"
ATOM = b'\xef\xbb\xbf<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"/>'
XHTML = b'<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"/>'


@pytest.mark.parametrize(
    ("body", "declared", "expected"),
    [
        (PAGE, "text/html", "text/html"),
        (PAGE, "", "text/html"),
        (PAGE, "image/jpeg", "text/html"),
        (b"\n\n <!-- comment --> <HTML lang=de>", "", "text/html"),
        (b"<div>fragment</div>", "text/plain", "text/html"),
        (b"Tag soup without a tag", "text/html", "text/html"),
        (b"\xff\xfe" + "<html>".encode("utf-16-le"), "text/html", "text/html"),
        ("<html>".encode("utf-16-be"), "", "text/html"),
        ("Привет".encode("koi8-r"), "text/html", "text/html"),
        (b"<html>\x00\x01 stray controls" + b"x" * 200, "text/html", "text/html"),
        (XHTML, "application/xhtml+xml", "application/xhtml+xml"),
        (XHTML, "text/html", "text/html"),
        (RSS, "text/xml", "application/rss+xml"),
        (RSS, "text/html", "application/rss+xml"),
        (b"<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", "application/xml", "application/rss+xml"),
        (ATOM, "text/xml", "application/atom+xml"),
        (b"<?xml version='1.0'?><urlset/>", "", "text/xml"),
        (b"<urlset/>", "application/xml", "text/xml"),
        (b"<svg xmlns='x'/>", "image/svg+xml", "image/svg+xml"),
        (b'{"a": 1}', "application/json; charset=utf-8", "application/json"),
        (b'[{"a": 1}]', "text/plain", "application/json"),
        (b'{"@context": 1}', "application/ld+json", "application/ld+json"),
        (b"{ brace", "text/plain", "text/plain"),
        (b"plain words", "", "text/plain"),
        (b"User-agent: *\nDisallow:", "text/plain", "text/plain"),
        (b"%PDF-1.7\n", "text/html", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\0\0", "text/html", "image/png"),
        (b"\xff\xd8\xff\xe0", "", "image/jpeg"),
        (b"GIF89a..", "", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "", "image/webp"),
        (b"\0\0\0\x20ftypisom", "text/html", "video/mp4"),
        (b"\0\0\0\x20ftypavif", "", "image/avif"),
        (b"PK\x03\x04..", "", "application/zip"),
        (b"\0\1\2\3" * 9, "text/html", "application/octet-stream"),
        (b"\0\1\2\3" * 9, "application/x-shockwave-flash", "application/x-shockwave-flash"),
        (bytes(5000), "video/mp4", "video/mp4"),
        (b"", "text/html", None),
    ],
)
def test_types(body: bytes, declared: str, expected: str | None) -> None:
    """Signatures and root elements win over the label; text without either keeps a textual label."""
    assert identify(capture(body=body, response_headers=(("Content-Type", declared),))) == expected


ZSTD = zstandard.ZstdCompressor().compress
DEFLATE = zlib.compress(PAGE)


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(PAGE, mtime=0), "gzip"),
        (gzip.compress(PAGE, mtime=0)[:60], "x-gzip"),
        (DEFLATE, "deflate"),
        (DEFLATE[2:-4], "deflate"),
        (brotli.compress(PAGE), "br"),
        (ZSTD(PAGE), "zstd"),
        (ZSTD(gzip.compress(PAGE, mtime=0)), "GZIP, zstd"),
        (PAGE, "identity"),
        (PAGE, "unknown-coding"),
    ],
)
def test_the_type_is_told_through_content_codings(body: bytes, encoding: str) -> None:
    """A page is a page however it is packed, cut short or in two layers."""
    sample = capture(body=body, response_headers=(("Content-Encoding", encoding), ("Content-Type", "text/html")))
    assert identify(sample) == "text/html"
    assert PAGE.startswith(inflated_prefix(body, encoding)[:10])


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_broken_codings_fall_back_on_the_label(encoding: str) -> None:
    """Bytes that do not inflate have the type they are declared as, or none in particular."""
    sample = capture(
        body=b"\x8b not packed", response_headers=(("Content-Encoding", encoding), ("Content-Type", "image/x"))
    )
    assert identify(sample) == "image/x"


@pytest.mark.parametrize(
    ("compress", "encoding"),
    [(gzip.compress, "gzip"), (zlib.compress, "deflate"), (brotli.compress, "br"), (ZSTD, "zstd")],
)
def test_a_bomb_costs_no_more_than_a_page(compress: object, encoding: str) -> None:
    """16 MiB of zeros inflate to the few bytes that are looked at, three layers deep."""
    bomb = compress(bytes(16 << 20))  # type: ignore[operator]
    tracemalloc.start()
    try:
        assert len(inflated_prefix(bomb, ",".join([encoding] * 40))) <= PREFIX
        assert len(inflated_prefix(bomb, encoding)) == PREFIX
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["", "gzip", "br", "deflate", "zstd", "gzip,br"]), st.text(max_size=20))
def test_any_bytes_have_a_type(body: bytes, encoding: str, declared: str) -> None:
    """Whatever comes, there is an answer, and it can stand in a header."""
    sample = capture(body=body, response_headers=(("Content-Encoding", encoding), ("Content-Type", declared)))
    found = identify(sample)
    assert found is None or (found.isascii() and found.count("/") == 1 and not any(c.isspace() for c in found))
    assert media_type(body, "").count("/") == 1
