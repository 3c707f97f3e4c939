"""Bodies that unpack to far more than they are, and packed bodies that are cut or damaged (rows H3, H4)."""

from __future__ import annotations

import gzip
import zlib
from functools import cache

import brotli
from backports import zstd

from tests.corpus_spider.hostile.entry import Entry, http, story
from tests.corpus_spider.hostile.net import OK, raw

MIB = 2**20
SIZE = 768
"""MiB that a bomb unpacks to; what is sent of it stays below the limit of a body."""


@cache
def _zeros(header: bytes, level: int = 9) -> bytes:
    """Return DEFLATE data of ``SIZE`` MiB of zeros: one block, over and over."""
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    block = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    return header + block * SIZE


@cache
def _brotli() -> bytes:
    packer = brotli.Compressor(quality=1)
    return b"".join(packer.process(bytes(MIB)) for _ in range(SIZE // 4)) + packer.finish()


@cache
def _zstd() -> bytes:
    return zstd.compress(bytes(64 * MIB)) * (SIZE // 64)


GZIP = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"


def bomb(coding: str) -> bytes:
    """Return a bomb."""
    made = {
        "gzip": lambda: _zeros(GZIP),
        "deflate": lambda: _zeros(b"\x78\x9c"),
        "raw": lambda: _zeros(b""),
        "br": _brotli,
        "zstd": _zstd,
    }
    return made[coding]()


def packed(body: bytes, coding: str) -> bytes:
    return http(body, headers={"Content-Encoding": coding})


def page(path: str, by: int = 0, coding: str = "gzip") -> bytes:
    """Return a packed article, cut by so many bytes."""
    packers = {"gzip": gzip.compress, "br": brotli.compress, "zstd": zstd.compress, "deflate": zlib.compress}
    body = packers[coding](story(path))
    return packed(body[: len(body) - by], coding)


def damaged(path: str) -> bytes:
    body = bytearray(gzip.compress(story(path)))
    body[len(body) // 2] ^= 0x55
    return packed(bytes(body), "gzip")


def checksum(path: str) -> bytes:
    body = bytearray(gzip.compress(story(path)))
    body[-6] ^= 0xFF
    return packed(bytes(body), "gzip")


def deep(path: str, layers: int) -> bytes:
    """Pack a page again and again."""
    body = story(path)
    for _ in range(layers):
        body = gzip.compress(body)
    return packed(body, ", ".join(["gzip"] * layers))


def lines(path: str, body: bytes, *codings: str) -> bytes:
    """Return a packed page with a Content-Encoding line for each coding."""
    return raw(path, OK + b"".join(f"Content-Encoding: {coding}\r\n".encode() for coding in codings), body)


def _two_members(path: str) -> bytes:
    page = story(path)
    return packed(gzip.compress(page[:500]) + gzip.compress(page[500:]), "gzip")


ENTRIES = (
    *(
        Entry(
            "H3",
            f"/bomb/{coding}",
            lambda _, coding=coding: packed(bomb(coding), coding.replace("raw", "deflate")),
            "body_too_large",
        )
        for coding in ("gzip", "deflate", "raw", "br", "zstd")
    ),
    Entry("H3", "/bomb/nested", lambda _: packed(gzip.compress(bomb("gzip")), "gzip, gzip"), "body_too_large"),
    Entry(
        "H3",
        "/bomb/mixed",
        lambda _: packed(gzip.compress(brotli.compress(bomb("zstd"))), "zstd, br, gzip"),
        "body_too_large",
    ),
    Entry("H3", "/bomb/layers", deep("/bomb/layers", 40), "body_too_large"),
    Entry("H3", "/bomb/list", packed(story("/bomb/list"), ", ".join(["gzip"] * 2000)), "body_too_large"),
    Entry("H3", "/packed/twice", deep("/packed/twice", 2)),
    Entry("H3", "/packed/members", _two_members("/packed/members")),
    Entry("H3", "/packed/tail", packed(gzip.compress(story("/packed/tail")) + b"behind", "gzip")),
    Entry("H3", "/packed/plain", packed(story("/packed/plain"), "gzip")),
    Entry(
        "H3",
        "/packed/lines",
        lines("/packed/lines", brotli.compress(gzip.compress(story("/packed/lines"))), "gzip", "br"),
    ),
    Entry("H3", "/packed/line", lines("/packed/line", gzip.compress(story("/packed/line")), "", "gzip")),
    Entry("H3", "/packed/same", lines("/packed/same", gzip.compress(story("/packed/same")), "gzip", "gzip")),
    Entry("H3", "/packed/named", packed(gzip.compress(story("/packed/named")), '"gzip";q=1.0, UTF-8')),
    Entry("H3", "/packed/again", packed(gzip.compress(gzip.compress(story("/packed/again"))), "gzip")),
    Entry("H3", "/packed/unknown", packed(b"\x00\x01\x02" * 50, "compress"), "body_unknown_coding"),
    Entry("H3", "/packed/false", packed(gzip.compress(story("/packed/false")), "br"), "body_corrupt"),
    Entry("H4", "/cutpack/gzip", page("/cutpack/gzip", 200), "body_truncated", 2),
    Entry("H4", "/cutpack/tail", page("/cutpack/tail", 4), "body_truncated", 2),
    Entry("H4", "/cutpack/zstd", page("/cutpack/zstd", 40, "zstd"), "body_truncated", 2),
    Entry("H4", "/cutpack/br", page("/cutpack/br", 40, "br"), "body_truncated", 2),
    Entry("H4", "/cutpack/deflate", page("/cutpack/deflate", 40, "deflate"), "body_truncated", 2),
    Entry("H4", "/cutpack/middle", damaged("/cutpack/middle"), "body_corrupt", 2),
    Entry("H4", "/cutpack/checksum", checksum("/cutpack/checksum"), "body_corrupt", 2),
)
