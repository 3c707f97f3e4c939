"""A server that misbehaves on purpose, byte by byte, and a canary that must not be reached. Both on loopback."""

from __future__ import annotations

import socket
import socketserver
import threading
import time
from collections import Counter, defaultdict
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.corpus_spider.hostile.entry import http

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.corpus_spider.hostile.entry import Answer, Entry

CRAWLERS = {"/robots.txt": http(status="404 Not Found"), "/.well-known/tdmrep.json": http(status="404 Not Found")}
CHUNK = 64 * 1024


@dataclass(slots=True)
class Site:
    """One host of the bench: its entries, and what else it answers."""

    name: str
    entries: tuple[Entry, ...]
    more: Mapping[str, Answer] = field(default_factory=dict)
    """Addresses that entries lead to, and the host's own files."""
    feeds: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()
    start: bool = True
    asked: Counter[str] = field(default_factory=Counter)
    sent: Counter[str] = field(default_factory=Counter)
    """Bytes sent by path."""
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def answer(self, path: str) -> Answer:
        """Find who answers a path: its own entry, the host's other files, or the tree it stands in."""
        plain = path.partition("?")[0]
        known: dict[str, Answer] = {**CRAWLERS, "/": self.index, **self.more}
        known |= {entry.path: entry.answer for entry in self.entries}
        if path in known or plain in known:
            return known.get(path, known.get(plain, b""))
        tree = next((entry for entry in self.entries if entry.tree and path.startswith(entry.path)), None)
        return tree.answer if tree else http(b"<h1>404</h1>", "404 Not Found")

    def index(self, wire: Wire) -> bytes:
        """Return the start page: a link to each entry."""
        links = (entry.links or f'<a href="{entry.path}">{entry.row}</a>' for entry in self.entries)
        skipped = {*self.feeds, *self.sitemaps}
        return http(
            "".join(
                f"<p>{wire.filled(link)}</p>"
                for entry, link in zip(self.entries, links, strict=True)
                if entry.path not in skipped
            ).encode()
        )

    def requests(self, entry: Entry) -> int:
        """Count the requests of an entry."""
        if entry.tree:
            return sum(count for path, count in self.asked.items() if path.startswith(entry.path))
        return self.asked[entry.path]


@dataclass(slots=True)
class Bench:
    """The servers and what they saw."""

    sites: dict[str, Site]
    port: int = 0
    canary: int = 0
    """Port of the canary."""
    reached: list[str] = field(default_factory=list)
    """What came to the canary, or to a host that there is not."""
    over: threading.Event = field(default_factory=threading.Event)


@dataclass(slots=True)
class Wire:
    """One connection with its request."""

    socket: socket.socket
    bench: Bench
    site: Site
    path: str
    head: str
    number: int
    """How often this path has been asked for, this time included."""

    def filled(self, text: str) -> str:
        """Put the ports into a text."""
        return text.replace("{port}", str(self.bench.port)).replace("{canary}", str(self.bench.canary))

    def send(self, data: bytes) -> None:
        """Send bytes and count them; raises OSError when the crawler has hung up."""
        for at in range(0, len(data), CHUNK):
            part = data[at : at + CHUNK]
            self.socket.sendall(part)
            self.site.sent[self.path] += len(part)

    def pause(self, seconds: float) -> None:
        """Wait, unless the bench is over."""
        if self.bench.over.wait(seconds):
            raise OSError("the bench is over")

    def forever(self, data: bytes, most: int = 256 * 2**20) -> None:
        """Send the same bytes until the crawler hangs up, or a bound of our own."""
        for _ in range(most // len(data)):
            if self.bench.over.is_set():
                return
            self.send(data)


class _Handler(socketserver.BaseRequestHandler):
    bench: Bench

    def handle(self) -> None:
        self.request.settimeout(600)
        # What the sockets hold when a crawler hangs up counts as sent, and must not grow with the machine's settings.
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, CHUNK)
        with suppress(OSError):
            head = self._head()
            if head:
                self._answer(head)

    def _head(self) -> str:
        head = b""
        while b"\r\n\r\n" not in head and len(head) < 100_000:
            data = self.request.recv(CHUNK)
            if not data:
                return ""
            head += data
        return head.decode("latin-1")

    def _answer(self, head: str) -> None:
        path = head.split(" ", 2)[1]
        host = next((line[5:].strip() for line in head.split("\r\n") if line.lower().startswith("host:")), "")
        names = host.partition(":")[0].split(".")
        site = self.bench.sites.get(names[-2] if names[-1] == "localhost" and len(names) > 1 else "")
        if site is None:
            self.bench.reached.append(f"{host}{path}")
            return
        site.asked[path] += 1
        site.times[path].append(time.monotonic())
        wire = Wire(self.request, self.bench, site, path, head, site.asked[path])
        answer = site.answer(path)
        made = answer if isinstance(answer, bytes) else answer(wire)
        if made:
            wire.send(made)


class _Canary(socketserver.BaseRequestHandler):
    bench: Bench

    def handle(self) -> None:
        self.request.settimeout(2)
        with suppress(OSError):
            first = self.request.recv(1000).decode("latin-1").partition("\r")[0]
            self.bench.reached.append(f"canary {first}")


class _Server(socketserver.ThreadingTCPServer):
    request_queue_size = 256
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: crawlers hang up on what this serves."""


@contextmanager
def served(sites: Mapping[str, Site]) -> Iterator[Bench]:
    """Serve the sites and the canary for the length of the block."""
    bench = Bench(dict(sites))
    with ExitStack() as stack:
        for handler in (_Handler, _Canary):
            server = _Server(("127.0.0.1", 0), type("Bound", (handler,), {"bench": bench}))
            stack.callback(server.server_close)
            stack.callback(server.shutdown)
            port = server.server_address[1]
            bench.port, bench.canary = (port, 0) if handler is _Handler else (bench.port, port)
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        stack.callback(bench.over.set)
        yield bench
