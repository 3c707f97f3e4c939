"""Servers that stall, never end, or end too early (rows H1, H2, H4)."""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING

from tests.corpus_spider.hostile.entry import CLOSE, Entry, chunked, http, page, story

if TYPE_CHECKING:
    from tests.corpus_spider.hostile.entry import Reply
    from tests.corpus_spider.hostile.server import Wire

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
LATE = "truncated_time|timeout"
"""Of a body that drips both limits come at nearly the same time, and a busy machine may be late for the first."""
TWICE = 2
"""Requests of an address whose fault may pass, with one new attempt."""
BODY = 8 * 2**20
"""Bytes that may be on their way when a crawl hangs up at a limit of 1 MiB: the sockets hold some."""
NO_SPACE = b"<!doctype html><html><body>" + b"<p>x" * 20_000


def hang(wire: Wire) -> None:
    wire.pause(30)


def drip(first: bytes, piece: bytes, times: int = 100, every: float = 0.2) -> Reply:
    """Send a piece now and then."""

    def answer(wire: Wire) -> None:
        wire.send(first)
        for _ in range(times):
            wire.pause(every)
            wire.send(piece)

    return answer


def slowly(path: str, pieces: int) -> Reply:
    """Send a good page in pieces, within the time there is."""

    def answer(wire: Wire) -> None:
        whole = page(path)
        size = len(whole) // pieces + 1
        for at in range(0, len(whole), size):
            wire.send(whole[at : at + size])
            wire.pause(0.05)

    return answer


def endless(first: bytes, piece: bytes) -> Reply:
    """Send without end."""

    def answer(wire: Wire) -> None:
        wire.send(first)
        wire.forever(piece)

    return answer


def reset_after(data: bytes) -> Reply:
    """End the connection with a reset."""

    def answer(wire: Wire) -> None:
        wire.send(data)
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        wire.socket.close()

    return answer


def once_cut(path: str) -> Reply:
    """Cut the first answer short and give the second whole."""

    def answer(wire: Wire) -> bytes:
        return page(path)[:-400] if wire.number == 1 else page(path)

    return answer


def raw(path: str, head: bytes, body: bytes = b"") -> bytes:
    """Return a good page, or another body, under a head written by hand."""
    return head + CLOSE + b"\r\n" + (body or story(path))


def cut(path: str, by: int = 300) -> bytes:
    return page(path)[:-by]


ENTRIES = (
    Entry("H1", "/slow/hang", hang, "timeout", TWICE),
    Entry("H1", "/slow/headers", drip(OK, b"X-A: b\r\n"), "timeout", TWICE),
    Entry("H1", "/slow/status", drip(b"", b"H"), "timeout", TWICE),
    Entry("H1", "/slow/body", drip(OK + b"\r\n", b"<p>drip</p>"), LATE, TWICE),
    Entry("H1", "/slow/length", drip(OK + b"Content-Length: 900000\r\n\r\n", b"<p>drip</p>"), LATE, TWICE),
    Entry("H1", "/slow/stops", drip(OK + b"Content-Length: 90000\r\n\r\n<p>", b"<p>", 1, 30), "timeout", TWICE),
    Entry("H1", "/slow/chunks", drip(chunked(end=b""), b"1\r\nx\r\n"), LATE, TWICE),
    Entry("H1", "/slow/pieces", slowly("/slow/pieces", 12)),
    Entry("H2", "/endless/body", endless(OK + b"\r\n", NO_SPACE), "truncated_length", bytes=BODY),
    Entry("H2", "/endless/line", endless(OK + b"\r\n", b"x" * 65_536), "truncated_length", bytes=BODY),
    Entry(
        "H2",
        "/endless/chunks",
        endless(chunked(end=b""), b"%x\r\n%s\r\n" % (len(NO_SPACE), NO_SPACE)),
        "truncated_length",
        bytes=BODY,
    ),
    Entry("H2", "/endless/headers", endless(OK, b"X-A: " + b"b" * 8000 + b"\r\n"), "network", TWICE, bytes=BODY),
    Entry("H2", "/endless/header", endless(OK + b"X-A: ", b"b" * 8000), "network", TWICE, bytes=BODY),
    Entry("H2", "/endless/status", endless(b"HTTP/1.1 200 ", b"OK" * 4000), "network", TWICE, bytes=BODY),
    Entry(
        "H2", "/endless/continue", endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 300), "network", TWICE, bytes=BODY
    ),
    Entry(
        "H2",
        "/length/huge",
        raw("/length/huge", OK + b"Content-Length: 10995116277760\r\n"),
        "truncated_disconnect",
        TWICE,
    ),
    Entry(
        "H2",
        "/length/full",
        endless(OK + b"Content-Length: 10995116277760\r\n\r\n", NO_SPACE),
        "truncated_length",
        bytes=BODY,
    ),
    Entry(
        "H2",
        "/length/digits",
        raw("/length/digits", OK + b"Content-Length: " + b"9" * 4000 + b"\r\n"),
        "truncated_disconnect",
        TWICE,
    ),
    Entry("H2", "/length/negative", raw("/length/negative", OK + b"Content-Length: -5\r\n"), "network", TWICE),
    Entry("H2", "/length/words", raw("/length/words", OK + b"Content-Length: many\r\n"), "network", TWICE),
    Entry(
        "H2", "/length/two", raw("/length/two", OK + b"Content-Length: 5\r\nContent-Length: 9\r\n"), "network", TWICE
    ),
    Entry(
        "H2", "/chunk/huge", chunked(b"<p>", end=b"1000000000000000\r\n" + b"x" * 1000), "truncated_disconnect", TWICE
    ),
    Entry(
        "H2", "/chunk/endless", endless(chunked(end=b"1000000000000000\r\n"), NO_SPACE), "truncated_length", bytes=BODY
    ),
    Entry("H2", "/chunk/digits", endless(chunked(end=b""), b"1" * 8000), "truncated_disconnect", TWICE, bytes=BODY),
    Entry("H2", "/chunk/words", chunked(story("/chunk/words"), end=b"lots\r\n"), "truncated_disconnect", TWICE),
    Entry("H2", "/chunk/extension", chunked(story("/chunk/extension"), end=b"0;" + b"x" * 1000 + b"\r\n\r\n")),
    Entry(
        "H2",
        "/chunk/trailers",
        endless(chunked(b"<p>", end=b"0\r\n"), b"X-A: b\r\n" * 500),
        "truncated_disconnect",
        TWICE,
        bytes=BODY,
    ),
    Entry("H2", "/chunk/tiny", chunked(*(bytes([byte]) for byte in story("/chunk/tiny")))),
    Entry("H4", "/cut/body", cut("/cut/body"), "truncated_disconnect", TWICE),
    Entry("H4", "/cut/last", cut("/cut/last", 1), "truncated_disconnect", TWICE),
    Entry("H4", "/cut/all", http(headers={"Content-Length": "5000"}), "truncated_disconnect", TWICE),
    Entry("H4", "/cut/chunk", chunked(story("/cut/chunk"), end=b"500\r\n<p>"), "truncated_disconnect", TWICE),
    Entry("H4", "/cut/end", chunked(story("/cut/end"), end=b""), "truncated_disconnect", TWICE),
    Entry("H4", "/cut/reset", reset_after(page("/cut/reset")[:-500]), "truncated_disconnect", TWICE),
    Entry("H4", "/cut/once", once_cut("/cut/once"), most=TWICE),
    Entry("H4", "/cut/headers", b"HTTP/1.1 200 OK\r\nContent-Type: text/h", "network", TWICE),
    Entry("H4", "/cut/nothing", b"", "network", TWICE),
    Entry("H4", "/cut/none", reset_after(b""), "network", TWICE),
    Entry("H4", "/odd/0.9", story("/odd/0.9"), "network", TWICE),
    Entry("H4", "/odd/ssh", b"SSH-2.0-OpenSSH_9.2p1\r\n", "network", TWICE),
    Entry("H4", "/odd/status", b"HTTP/1.1 two-hundred OK\r\n\r\n" + story("/odd/status"), "network", TWICE),
    Entry("H4", "/odd/negative", http(story("/odd/negative"), "-200 OK"), "network", TWICE),
    Entry("H4", "/odd/999", http(story("/odd/999"), "999 Denied"), "http_999"),
    Entry("H4", "/odd/304", http(status="304 Not Modified", headers={"Content-Length": ""}), "http_304"),
    Entry("H4", "/odd/206", http(story("/odd/206"), "206 Partial Content"), "http_206"),
    Entry("H4", "/odd/204", http(status="204 No Content", headers={"Content-Length": ""}), "blank"),
    Entry("H4", "/odd/empty", http(), "blank"),
    Entry("H4", "/odd/hints", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + page("/odd/hints")),
    Entry("H4", "/odd/longer", page("/odd/longer") + b"<p>behind the end</p>" * 50),
    Entry("H4", "/odd/lines", (OK + b"Connection: close\r\n\r\n").replace(b"\r\n", b"\n") + story("/odd/lines")),
    Entry("H4", "/odd/colon", raw("/odd/colon", OK + b"a line that is no header\r\nX: y\r\n")),
    Entry("H4", "/odd/fold", raw("/odd/fold", OK + b"X-Long: a\r\n b\r\n\tc\r\n")),
    Entry("H4", "/odd/nul", raw("/odd/nul", OK + b"X-\x00Nul: a\x00\x01\x1b[31mb\r\n")),
    Entry("H4", "/odd/latin", raw("/odd/latin", OK + b"X-A: caf\xe9 \xff\xfe\r\nCaf\xe9: x\r\n")),
    Entry("H4", "/odd/names", raw("/odd/names", OK + b"Bad Name: x\r\nX(y): z\r\n: empty\r\nContent-Length : 7\r\n")),
    Entry("H4", "/odd/first", raw("/odd/first", b"HTTP/1.1 200 OK\r\n folded first\r\nContent-Type: text/html\r\n")),
    Entry("H4", "/odd/many", raw("/odd/many", OK + b"".join(b"X-%d: y\r\n" % number for number in range(3000)))),
    Entry("H4", "/odd/type", http(story("/odd/type"), kind="text/html; charset=" + "x" * 3000)),
    Entry("H4", "/odd/notype", http(story("/odd/notype"), kind="")),
    Entry("H4", "/odd/reason", http(story("/odd/reason"), "200 " + "Fine " * 200)),
)
