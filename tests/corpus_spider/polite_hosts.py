"""Hosts on loopback that each try a crawler's manners in one way, with what may be asked of them beside it.

A host is a name below ``localhost``, so that each has its own robots.txt, delay and pauses; one server answers for all
and logs when what was asked.
"""

from __future__ import annotations

import gzip
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.corpus_spider.local_paper import article

if TYPE_CHECKING:
    from collections.abc import Iterator

Answer = tuple[int, dict[str, str], bytes]
Reply = Callable[["Host"], Answer]

PAGES = ("/ok/1", "/private/1", "/caf%C3%A9/1", "/caf%E9/1", "/x.php", "/x.php?a=1")
ALL = frozenset({"/", *PAGES})
NOTHING: frozenset[str] = frozenset()
NO_PRIVATE = ALL - {"/private/1"}
PRIVATE = b"User-agent: *\nDisallow: /private/\n"
CRAWLERS = frozenset({"/robots.txt", "/.well-known/tdmrep.json"})

BOMB = gzip.compress(PRIVATE + b"\n" * 60_000_000, 1, mtime=0)


def page(index: int) -> bytes:
    """Return an article that links to nothing else."""
    return article(index).replace(b"<a href=/section>", b"<a>")


@dataclass(slots=True)
class Host:
    """How one host answers for robots.txt, and which pages may be fetched then."""

    robots: bytes | int | Reply
    expected: frozenset[str]
    delay: float = 0.0
    """Seconds that its Crawl-delay asks for."""
    pages: dict[str, Reply] = field(default_factory=dict)
    pause: float = 0.0
    """Seconds of Retry-After after which it may be asked again, counted from the first answer that says so."""
    name: str = ""
    port: int = 0
    log: list[tuple[float, str]] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    """User agent of each request in the log."""
    paused: float = 0.0
    """When it required a pause, monotonic seconds."""

    @property
    def asked(self) -> set[str]:
        """Pages that were requested."""
        return {path for _, path in self.log} - CRAWLERS - {path for _, path in self.log if path.startswith("/hop")}

    @property
    def gaps(self) -> list[float]:
        """Seconds between two requests."""
        return [after - before for (before, _), (after, _) in pairwise(self.log)]

    def answer(self, path: str) -> Answer:
        """Answer one path."""
        html = {"Content-Type": "text/html; charset=utf-8"}
        if path in self.pages:
            return self.pages[path](self)
        if path == "/robots.txt":
            if callable(self.robots):
                return self.robots(self)
            if isinstance(self.robots, int):
                return self.robots, {}, b"no"
            return 200, {"Content-Type": "text/plain"}, self.robots
        if path == "/":
            return 200, html, "".join(f'<p><a href="{page}">{page}</a></p>' for page in PAGES).encode()
        return (200, html, page(PAGES.index(path))) if path in PAGES else (404, html, b"no")


def hang(host: Host) -> Answer:
    """Say nothing for longer than a crawler waits."""
    time.sleep(25)
    return 200, {}, PRIVATE


def reset(host: Host) -> Answer:
    """End the connection with a reset."""
    raise ConnectionResetError


def hops(count: int) -> Reply:
    """Redirect so many times on the way to the rules."""

    def first(host: Host) -> Answer:
        return 302, {"Location": "/hop1"}, b""

    def hop(number: int) -> Reply:
        return lambda _: (302, {"Location": f"/hop{number + 1}"}, b"") if number < count else (200, {}, PRIVATE)

    def start(host: Host) -> Answer:
        host.pages.update({f"/hop{number}": hop(number) for number in range(1, count + 1)})
        return first(host)

    return start


def to_private(host: Host) -> Answer:
    """Redirect to an address that no crawl may reach."""
    return 302, {"Location": f"http://127.0.0.1:{host.port}/canary"}, b""


def packed(host: Host) -> Answer:
    """Send 60 MB of rules in 60 kB."""
    return 200, {"Content-Encoding": "gzip"}, BOMB


def later(status: int, value: Callable[[], str]) -> Reply:
    """Ask for a pause once, and be well from then on."""

    def reply(host: Host) -> Answer:
        if host.paused:
            return 200, {"Content-Type": "text/html"}, page(7)
        host.paused = time.monotonic()
        return status, {"Retry-After": value()}, b"later"

    return reply


def robots_later(host: Host) -> Answer:
    """Ask for a pause in the answer for robots.txt."""
    if host.paused:
        return 200, {}, PRIVATE
    host.paused = time.monotonic()
    return 503, {"Retry-After": "3"}, b"later"


def hosts() -> dict[str, Host]:
    """Return every host by name."""
    large = PRIVATE + b"# filler\n" * 1_200_000 + b"Disallow: /ok/\n"
    cut = PRIVATE + b"#" * (500 * 1024 - len(PRIVATE) - 12) + b"\nDisallow: /ok/\n"
    split = b"User-agent: corpus-spider\nDisallow: /private/\n\nUser-agent: x\nDisallow: /\n\n"
    soon = lambda: formatdate(time.time() + 4, usegmt=True)  # noqa: E731
    return {
        "allow": Host(b"User-agent: *\nAllow: /\n", ALL),
        "deny": Host(b"User-agent: *\nDisallow: /\n", NOTHING),
        "private": Host(PRIVATE, NO_PRIVATE),
        "missing": Host(404, ALL),
        "forbidden": Host(403, ALL),
        "error": Host(500, NOTHING),
        "busy": Host(503, NOTHING),
        "many": Host(429, NOTHING),
        "timeout": Host(hang, NOTHING),
        "reset": Host(reset, NOTHING),
        "five": Host(hops(5), NO_PRIVATE),
        "six": Host(hops(6), ALL),
        "inside": Host(to_private, NOTHING),
        "large": Host(large, NO_PRIVATE),
        "cut": Host(cut, NO_PRIVATE),
        "bomb": Host(packed, NOTHING),
        "bom": Host(b"\xef\xbb\xbfUser-agent: *\nDisallow: /private/\n", NO_PRIVATE),
        "latin": Host("User-agent: *\nDisallow: /café/\n".encode("latin-1"), ALL - {"/caf%E9/1"}),
        "unicode": Host("User-agent: *\nDisallow: /café/\n".encode(), ALL - {"/caf%C3%A9/1"}),
        "html": Host(b"<!doctype html><title>Not here</title><p>Disallow: is no rule of a page", ALL),
        "slow": Host(
            b"User-agent: *\nCrawl-delay: 2\nDisallow: /x\nDisallow: /caf\n", frozenset({"/", *PAGES[:2]}), 2.0
        ),
        "sloth": Host(b"User-agent: *\nCrawl-delay: 300\n", NOTHING),
        "split": Host(split + b"User-agent: Corpus-Spider\nDisallow: /ok/\n", ALL - {"/private/1", "/ok/1"}),
        "wildcard": Host(b"User-agent: *\nDisallow: /*.php$\n", ALL - {"/x.php"}),
        "unknown": Host(b"User-agent: *\nNoindex: /\nUser-agent: y\nFoo\nDisallow: /private/\n", NO_PRIVATE),
        "sitemap": Host(
            b"User-agent: *\nSitemap: http://a.example/t\nDisallow: /private/\nSitemap: /s\n", NO_PRIVATE | {"/s"}
        ),
        "longest": Host(b"User-agent: *\nDisallow: /\nAllow: /$\nAllow: /ok\n", frozenset({"/", "/ok/1"})),
        "others": Host(b"User-agent: corpus\nDisallow: /\nUser-agent: example\nDisallow: /\n", ALL),
        "nul": Host(b"User-agent: *\nDis\x00allow: /private/\x00\n", NO_PRIVATE),
        "seconds": Host(404, ALL, pages={"/ok/1": later(429, lambda: "3")}, pause=3),
        "date": Host(404, ALL, pages={"/ok/1": later(503, soon)}, pause=2),
        "garbage": Host(404, ALL, pages={"/ok/1": later(429, lambda: "soon; \x01x")}, pause=2),
        "hour": Host(404, frozenset({"/", "/ok/1"}), pages={"/ok/1": later(429, lambda: "99999999999")}, pause=1000),
        "file": Host(robots_later, NO_PRIVATE, pause=3),
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hosts: dict[str, Host]
    strays: list[str]

    def do_GET(self) -> None:
        name = self.headers.get("Host", "").partition(".")[0]
        host = self.hosts.get(name)
        if host is None:
            self.strays.append(f"{self.headers.get('Host')}{self.path}")
            return
        host.log.append((time.monotonic(), self.path))
        host.agents.append(self.headers.get("User-Agent", ""))
        try:
            status, headers, body = host.answer(self.path)
        except ConnectionResetError:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return
        self.send_response(status)
        for header, value in headers.items():
            self.send_header(header, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that hang up on a large file are part of the bench."""


@contextmanager
def served(answering: dict[str, Host]) -> Iterator[list[str]]:
    """Serve the hosts for the length of the block; give what was asked of no host that there is."""
    strays: list[str] = []
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"hosts": answering, "strays": strays}))
    server.daemon_threads = True
    for name, host in answering.items():
        host.name, host.port = name, server.server_address[1]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield strays
    finally:
        server.shutdown()
        server.server_close()


def corpus_toml(answering: dict[str, Host], delay: float) -> str:
    """Return a corpus.toml with a site for each host."""
    port = next(iter(answering.values())).port
    sites = "".join(f'[[site]]\nname = "{name}"\nstart = ["http://{name}.localhost:{port}/"]\n' for name in answering)
    return f"""
[corpus]
name = "test"
contact = "tests@example.org"

[crawl]
delay = {delay}
timeout = 10
retries = 1
workers = 1
allow_private = ["*.localhost:{port}"]

{sites}
"""
