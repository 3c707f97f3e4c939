"""Answers whose length, coding or status can be read in two ways (rows H2 to H4): as the RFC says, or not at all."""

from __future__ import annotations

import gzip

from backports import zstd

from tests.corpus_spider.hostile.bombs import packed
from tests.corpus_spider.hostile.entry import CLOSE, DOCUMENT, Entry, http, page, story
from tests.corpus_spider.hostile.net import OK, TWICE, raw

CUT = "truncated_disconnect"


def coded(path: str, coding: bytes, more: bytes = b"") -> bytes:
    """Return an article in one chunk, with any Transfer-Encoding."""
    return framed(b"%x\r\n%s\r\n0\r\n\r\n" % (len(story(path)), story(path)), coding, more)


def framed(body: bytes, coding: bytes = b"chunked", more: bytes = b"") -> bytes:
    return OK + more + b"Transfer-Encoding: " + coding + b"\r\n" + CLOSE + b"\r\n" + body


def sized(path: str, size: bytes, end: bytes = b"\r\n") -> bytes:
    """Return an article in one chunk whose size is written like this, ``%x`` standing for it."""
    body = story(path)
    return framed(size % len(body) + end + body + end + b"0" + end + end)


def two_answers(path: str, other: str) -> bytes:
    """Hide a second answer behind the first of a connection that may be used again."""
    return b"".join(OK + b"Content-Length: %d\r\n\r\n" % len(story(each)) + story(each) for each in (path, other))


def _heavy(row: str, path: str, answer: bytes, outcome: str = DOCUMENT) -> Entry:
    return Entry(row, path, answer, outcome, TWICE if outcome in {"network", CUT} else 1, heavy=True)


ENTRIES = (
    _heavy("H2", "/both/length", coded("/both/length", b"chunked", b"Content-Length: 5\r\n")),
    _heavy("H2", "/length/list", raw("/length/list", OK + b"Content-Length: 5, 5\r\n"), "blank"),
    _heavy("H2", "/length/plus", raw("/length/plus", OK + b"Content-Length: +5\r\n"), "network"),
    _heavy("H2", "/length/under", raw("/length/under", OK + b"Content-Length: 1_0\r\n"), "network"),
    _heavy("H2", "/length/arabic", raw("/length/arabic", OK + "Content-Length: \u0665\r\n".encode()), "network"),
    _heavy("H2", "/coding/twice", coded("/coding/twice", b"chunked, chunked"), "network"),
    _heavy("H2", "/coding/gzip", coded("/coding/gzip", b"gzip, chunked"), "network"),
    _heavy("H2", "/coding/identity", framed(story("/coding/identity"), b"identity")),
    _heavy("H2", "/coding/case", coded("/coding/case", b"ChUnKeD")),
    _heavy("H2", "/coding/parameter", coded("/coding/parameter", b"chunked;q=1"), "network"),
    _heavy("H2", "/chunk/plus", sized("/chunk/plus", b"+%x"), CUT),
    _heavy("H2", "/chunk/minus", framed(b"-5\r\nabcde\r\n0\r\n\r\n"), CUT),
    _heavy("H2", "/chunk/prefix", sized("/chunk/prefix", b"0x%x"), CUT),
    _heavy("H2", "/chunk/space", sized("/chunk/space", b"%x ")),
    _heavy("H2", "/chunk/before", sized("/chunk/before", b" %x"), CUT),
    _heavy("H2", "/chunk/extended", sized("/chunk/extended", b'%x \t;\t n="\xe9\x00;\\"" ; m=\x7f')),
    _heavy("H2", "/chunk/endless", sized("/chunk/endless", b"%x;" + b"e" * 20_000), CUT),
    _heavy("H2", "/chunk/lines", sized("/chunk/lines", b"%x", b"\n"), CUT),
    _heavy("H4", "/odd/101", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n" + page("/odd/101")),
    _heavy("H4", "/odd/continues", b"HTTP/1.1 100 Continue\r\n\r\n" * 500 + page("/odd/continues")),
    _heavy("H4", "/odd/header", raw("/odd/header", OK + b"X-Big: " + b"x" * 200_000 + b"\r\n")),
    _heavy("H4", "/odd/cookies", raw("/odd/cookies", OK + b"Set-Cookie: a=b; Domain=.localhost\r\n" * 2500)),
    _heavy("H4", "/odd/return", raw("/odd/return", OK + b"X-A: a\rX-B: b\r\n")),
    _heavy(
        "S1",
        "/odd/refresh",
        raw("/odd/refresh", OK + b"Refresh: 0; url=file:///etc/passwd\r\nReferrer-Policy: os.system\r\n"),
    ),
    _heavy("H4", "/odd/hidden", two_answers("/odd/hidden", "/odd/another")),
    _heavy("H4", "/odd/http2", b"HTTP/2 200\r\nContent-Type: text/html\r\n\r\n" + story("/odd/http2"), "network"),
    _heavy("H4", "/odd/version", raw("/odd/version", OK.replace(b"1.1", b"9.9"))),
    _heavy("H4", "/odd/million", http(story("/odd/million"), "2000000 OK"), "network"),
    _heavy("H4", "/odd/zero", http(story("/odd/zero"), "000 OK"), "network"),
    _heavy("H4", "/odd/signed", http(story("/odd/signed"), "+200 OK"), "network"),
    _heavy(
        "H4",
        "/odd/dates",
        raw("/odd/dates", OK + b'Date: Mon, 01 Jan 99999 00:00:00 GMT\r\nETag: "\xff\x00\x1b[31m"\r\nAge: -1\r\n'),
    ),
    _heavy("H3", "/pack/window", packed(b"\x28\xb5\x2f\xfd\x00\xb8\x01\x00\x00", "zstd"), "body_corrupt"),
    _heavy("H3", "/pack/members", packed(gzip.compress(b"") * 15_000 + gzip.compress(b"x"), "gzip"), "body_too_large"),
    _heavy(
        "H3",
        "/pack/skipped",
        packed(b"\x50\x2a\x4d\x18\x00\x00\x00\x00" * 20_000 + zstd.compress(story("/pack/skipped")), "zstd"),
        "body_too_large",
    ),
    _heavy(
        "H3",
        "/pack/name",
        packed(
            b"\x1f\x8b\x08\x08\0\0\0\0\0\x03" + b"n" * 800_000 + b"\0" + gzip.compress(story("/pack/name"))[10:], "gzip"
        ),
    ),
    _heavy(
        "H4",
        "/pack/stored",
        packed(b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"\x00\x00\x00\xff\xff" * 180_000, "gzip"),
        "body_truncated",
    ),
    _heavy("H3", "/pack/commas", packed(gzip.compress(story("/pack/commas")), "gzip,,, ,identity")),
)
