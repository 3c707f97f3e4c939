"""Captures of every awkward sort, and short ways to write them."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from storage.records import Capture, Kind
from storage.warc import WarcInfo, WarcWriter

if TYPE_CHECKING:
    from pathlib import Path

    from storage.records import Pointer

INFO = WarcInfo("corpus-spider/0.1", "Example Institute", "mailto:corpus@example.org", "corpus-spider", run="run1")
PAGE = "<!doctype html><title>Møte</title><p>Ein Satz über Bücher. 日本語の文。".encode()


def capture(number: int = 0, body: bytes = PAGE, **changes: object) -> Capture:
    """Return a plain capture of a small page, numbered, with the given fields changed."""
    plain = Capture(
        url=f"https://example.org/page/{number}",
        fetched_at=datetime(2026, 11, 20, 3, 4, 5, 678901, tzinfo=UTC),
        status=200,
        request_headers=(("Host", "example.org"), ("User-Agent", "corpus-spider"), ("Accept-Encoding", "gzip, br")),
        response_headers=(("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body)))),
        body=body,
        ip="192.0.2.7",
        protocol="http/1.1",
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


def noise(size: int, seed: int = 1) -> bytes:
    """Return bytes that do not compress, the same for the same seed."""
    return random.Random(seed).randbytes(size)


def headers(*pairs: tuple[str, str]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the change that gives a capture these response headers."""
    return {"response_headers": pairs}


AWKWARD = {
    "plain": capture(1),
    "gzip": capture(2, gzip.compress(PAGE), **headers(("Content-Encoding", "gzip"), ("Content-Type", "text/html"))),
    "chunked": capture(3, **headers(("Transfer-Encoding", "chunked"), ("Content-Type", "text/html"))),
    "lying length": capture(4, **headers(("Content-Length", "7"), ("content-length", str(len(PAGE))))),
    "empty body": capture(5, b""),
    "rendered": capture(28, rendered=PAGE * 2000),
    "204": capture(6, b"", status=204, **headers()),
    "304 with a length": capture(7, b"", status=304, **headers(("Content-Length", "5120"), ("ETag", '"x"'))),
    "status 999": capture(8, status=999),
    "status 0": capture(9, status=0),
    "redirect": capture(10, b"", status=301, **headers(("Location", "/elsewhere"))),
    "non-ASCII headers": capture(11, **headers(("X-Caf\xe9", "\xe4\xf6\xfc\x85\xa0\x80"), ("X-UTF-8", "Ã¦\x0b\x1c"))),
    "bytes that look like ends": capture(12, b"\r\n\r\nHTTP/1.1 200 OK\r\n\r\nWARC/1.1\r\n\r\n\x00"),
    "10 MiB": capture(13, noise(1 << 20) * 10, **headers(("Content-Type", "image/jpeg"))),
    "cut": capture(14, gzip.compress(noise(5000))[:2000], truncated="length", **headers(("Content-Encoding", "gzip"))),
    "HTTP/2": capture(15, protocol="h2", ip="2001:db8::1"),
    "unknown peer": capture(16, ip=None, protocol=None),
    "feed": capture(17, b"<?xml version='1.0'?><rss/>", kind=Kind.FEED),
    "odd URL": capture(18, url="https://example.org/über?q=%C3%A9&r=日本#frag"),
    "already archived": capture(
        19, **headers(("X-Archive-Orig-Transfer-Encoding", "chunked"), ("X-Archive-Orig-X", ""))
    ),
    "json": capture(20, json.dumps({"a": [1]}).encode(), **headers(("Content-Type", "application/json"))),
    "many headers": capture(21, **headers(*((f"X-{n}", "v" * 900) for n in range(30)))),
}


def write(folder: Path, *groups: list[Capture], close: bool = True, roll_bytes: int = 1 << 30) -> list[Pointer]:
    """Write groups of captures with one writer and return all the pointers."""
    writer = WarcWriter(folder, "test", INFO, roll_bytes)
    pointers = [pointer for group in groups for pointer in writer.append(group)]
    if close:
        writer.close()
    else:
        abandon(writer)
    return pointers


def abandon(writer: WarcWriter) -> None:
    """Let go of the writer's files as a killed process does: no rename, the lock gone."""
    import os

    for file in (*writer._full, writer._file):
        if file:
            os.close(file._descriptor)
