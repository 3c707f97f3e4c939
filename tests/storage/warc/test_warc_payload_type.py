"""WARC-Identified-Payload-Type: the media type that a body's first bytes show, through its content codings."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from storage.warc.headers import identified_payload_type
from tests.storage.warc_samples import PAGE, capture

RSS = b"<?xml version='1.0'?>\n<!-- feed -->\n<rss version='2.0'><channel/></rss>"


@pytest.mark.parametrize(
    ("body", "declared", "expected"),
    [
        (PAGE, "text/html", "text/html"),
        (PAGE, "image/jpeg", "text/html"),
        (RSS, "text/xml", "application/rss+xml"),
        (b"plain words", "", "text/plain"),
        (b"%PDF-1.7\n", "text/html", "application/pdf"),
        (b"\0\1\2\3" * 9, "text/html", "application/octet-stream"),
        (b"", "text/html", None),
    ],
)
def test_types(body: bytes, declared: str, expected: str | None) -> None:
    """The field holds the type that the MIME sniffer finds; an empty body has none."""
    assert identified_payload_type(capture(body=body, response_headers=(("Content-Type", declared),))) == expected


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
def test_the_type_is_reported_through_content_codings(body: bytes, encoding: str) -> None:
    """A page is a page however it is packed, cut short or in two layers."""
    sample = capture(body=body, response_headers=(("Content-Encoding", encoding), ("Content-Type", "text/html")))
    assert identified_payload_type(sample) == "text/html"


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_broken_codings_fall_back_on_the_label(encoding: str) -> None:
    """Bytes that do not inflate have the type they are declared as, or none in particular."""
    sample = capture(
        body=b"\x8b not packed", response_headers=(("Content-Encoding", encoding), ("Content-Type", "image/x"))
    )
    assert identified_payload_type(sample) == "image/x"


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["", "gzip", "br", "deflate", "zstd", "gzip,br"]), st.text(max_size=20))
def test_any_bytes_have_a_type(body: bytes, encoding: str, declared: str) -> None:
    """Any bytes give an answer, and it can stand in a header."""
    sample = capture(body=body, response_headers=(("Content-Encoding", encoding), ("Content-Type", declared)))
    found = identified_payload_type(sample)
    assert found is None or (found.isascii() and found.count("/") == 1 and not any(c.isspace() for c in found))
