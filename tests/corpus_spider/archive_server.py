"""A server that answers as those of large archives do: ranges, pauses, cut connections, and answers that are wrong."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


@dataclass
class ArchiveServer:
    """Files by path, and what happens to the requests for them.

    ``faults``: what it does with the first requests of a path, in order: a status, ``cut``, ``cut-head``, ``wrong``
    (another range than was requested), ``unstated`` (a range without Content-Range) or ``""`` (a good answer).
    ``answers``: bodies by path and query that are made at each request.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    faults: dict[str, list[str]] = field(default_factory=dict)
    answers: Callable[[str], bytes | None] = lambda _: None
    ranges: bool = True
    head: bool = True
    retry_after: str = "0"
    piece: int = 1 << 16
    pause: float = 0.0
    """Seconds between two pieces of a body."""
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path and Range of each request."""
    agents: set[str] = field(default_factory=set)
    sent: Counter[str] = field(default_factory=Counter)
    """Bytes of bodies by path."""
    at_once: int = 0
    """Most requests at the same time."""
    address: str = ""
    port: int = 0
    _now: int = 0

    def gets(self, path: str) -> list[str]:
        """Return the ranges of the GET requests of a path."""
        return [asked for method, each, asked in self.requests if method == "GET" and each == path]


class _ArchiveHandler(BaseHTTPRequestHandler):
    archives: ArchiveServer
    protocol_version = "HTTP/1.1"
    _is_open = False

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._is_open = True
        self.archives._now += 1
        self.archives.at_once = max(self.archives.at_once, self.archives._now)
        try:
            self._answer()
        except OSError:
            self.close_connection = True
        finally:
            self._end()

    def _end(self) -> None:
        """Count the answer as ended: before its last bytes, after which the client may ask again at once."""
        self.archives._now -= self._is_open
        self._is_open = False

    def _answer(self) -> None:
        path, asked = unquote(urlsplit(self.path).path), self.headers.get("Range", "")
        self.archives.requests.append((self.command, path, asked))
        self.archives.agents.add(self.headers.get("User-Agent", ""))
        if self.command == "HEAD" and not self.archives.head:
            self._refuse(405)
            return
        queue = self.archives.faults.get(path, []) if self.command == "GET" else []
        fault = queue.pop(0) if queue else ""
        body = self.archives.answers(self.path)
        body = self.archives.files.get(path) if body is None else body
        if fault.isdigit() or body is None:
            self._refuse(int(fault or 404))
            return
        self._send_part(path, body, asked, fault)

    def _send_part(self, path: str, body: bytes, asked: str, fault: str) -> None:
        found = _RANGE.fullmatch(asked) if self.archives.ranges and self.archives.answers(self.path) is None else None
        start, end = (int(found[1]), int(found[2] or len(body) - 1) + 1) if found else (0, len(body))
        end = min(end, len(body))
        if start >= len(body) and found:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(body)}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if found else 200)
        if found and fault != "unstated":
            first = start + 7 if fault == "wrong" else start
            self.send_header("Content-Range", f"bytes {first}-{end - 1}/{len(body)}")
        self.send_header("ETag", f'"{hash(body)}"')
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        if self.command == "GET":
            self._send(path, body[start:end], fault)

    def _send(self, path: str, part: bytes, fault: str) -> None:
        if fault == "cut-head":
            part = b""
        if fault == "cut":
            part = part[: len(part) // 2]
        for at in range(0, len(part), self.archives.piece):
            piece = part[at : at + self.archives.piece]
            if at + len(piece) == len(part):
                self._end()
            self.wfile.write(piece)
            self.archives.sent[path] += len(piece)
            time.sleep(self.archives.pause)
        self.close_connection = self.close_connection or fault.startswith("cut")

    def _refuse(self, status: int) -> None:
        self._end()
        self.send_response(status)
        if status in {429, 503}:
            self.send_header("Retry-After", self.archives.retry_after)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def archives_served(server: ArchiveServer) -> Iterator[ArchiveServer]:
    """Serve on a free loopback port."""

    handler = type("Handler", (_ArchiveHandler,), {"archives": server})
    running = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    running.daemon_threads = True
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    server.port, server.address = running.server_port, f"http://127.0.0.1:{running.server_port}"
    try:
        yield server
    finally:
        running.shutdown()
        running.server_close()
