"""Hosts whose robots.txt is hard to come by and forbids the same (row H10): it is read, or nothing is asked for."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from tests.corpus_spider.hostile.entry import Entry, http, moved, page
from tests.corpus_spider.hostile.net import raw

if TYPE_CHECKING:
    from tests.corpus_spider.hostile.entry import Answer

RULES = b"User-agent: *\nDisallow: /private/\n"
PACKED = gzip.compress(RULES)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


def plain(body: bytes, kind: str = "text/plain", **headers: str) -> bytes:
    return http(body, headers={name.replace("_", "-"): value for name, value in headers.items()}, kind=kind)


def packed(*codings: bytes) -> bytes:
    """Return the rules, packed once, with a Content-Encoding line each."""
    lines = b"".join(b"Content-Encoding: " + coding + b"\r\n" for coding in codings)
    return HEAD + lines + b"Connection: close\r\n\r\n" + PACKED


READ: dict[str, Answer] = {
    "lines": packed(b"", b"gzip"),
    "identity": packed(b"identity", b"gzip"),
    "unlabelled": packed(),
    "film": plain(RULES, "video/mp4"),
    "picture": plain(RULES, "image/x-icon"),
    "user": moved("http://alice:s3cr3t-Pa55@rules-user.localhost:{port}/elsewhere"),
    "spaces": moved("  /elsewhere  "),
    "octets": raw("", b"HTTP/1.1 302 Found\r\nLocation: /\xe1\xba\xa1\r\n"),
}
UNREAD: dict[str, Answer] = {
    "inside": moved("http://alice:s3cr3t-Pa55@127.0.0.1:{canary}/"),
    "brackets": moved("http://[::1"),
    "data": moved("data:text/plain,User-agent:*"),
    "cut": packed(b"gzip")[:-8],
    "bytes": plain(PACKED[:-8]),
}
HOSTS = {f"rules-{name}": answer for name, answer in (READ | UNREAD).items()}
MORE: dict[str, Answer] = {"/elsewhere": plain(RULES), "/%E1%BA%A1": plain(RULES)}


def entries(name: str) -> tuple[Entry, ...]:
    """Return a page that is allowed and one that is not; neither is asked for where the rules cannot be read."""
    private = Entry("H10", "/private/page", page("/private/page"), "robots", 0)
    if name.removeprefix("rules-") in READ:
        return Entry("H10", f"/{name}", page(f"/{name}")), private
    return (Entry("H10", "/", page("/"), "robots_unreachable", 0),)
