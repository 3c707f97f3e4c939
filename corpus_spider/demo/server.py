"""HTTP/1.1 server of the demo site, on loopback only: a thin shell around `DemoSite.answer`."""

from __future__ import annotations

import gzip
import socket
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from corpus_spider.demo.papers import LANDING_HOST
from corpus_spider.demo.site import DemoResponse
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus_spider.demo.site import DemoSite

CONNECTIONS = 64
"""Connections that are served in parallel. More wait in the backlog."""
SLOT_SECONDS = 5
"""Maximum wait for a free connection slot."""
IDLE_SECONDS = 30
"""Timeout of an idle connection."""
MAX_LOGGED_REQUESTS = 100_000
"""Maximum number of logged requests. Later ones are answered but not logged."""
OWN_NAMES = {"127.0.0.1", "localhost"}


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """A logged request: method, host without port, target, status of the response, and user agent."""

    method: str
    host: str
    target: str
    status: int
    user_agent: str


class DemoServer(ThreadingHTTPServer):
    """Serves one site to at most CONNECTIONS clients in parallel, and logs their requests."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(self, site: DemoSite, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.site = site.at(self.port)
        self.requests: list[LoggedRequest] = []
        self._slots = threading.BoundedSemaphore(CONNECTIONS)
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()

    @property
    def port(self) -> int:
        """Port of the server."""
        return int(self.server_address[1])

    def count(self, prefix: str) -> int:
        """Return the number of requests, to any host, for targets with this prefix."""
        return sum(request.target.startswith(prefix) for request in list(self.requests))

    def log_request(self, request: LoggedRequest) -> None:
        """Log a request, unless the log is full."""
        with self._lock:
            if len(self.requests) < MAX_LOGGED_REQUESTS:
                self.requests.append(request)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve the connection in its own thread. Close it if no slot becomes free in time."""
        if not self._slots.acquire(timeout=SLOT_SECONDS):
            super().shutdown_request(request)
            return
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection and free its slot."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)
        self._slots.release()

    def hang_up(self) -> None:
        """Close the connections that clients keep open, so that their threads end."""
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect during a response."""


class Handler(BaseHTTPRequestHandler):
    """Responds to GET and HEAD by host and target."""

    protocol_version = "HTTP/1.1"
    server_version = "DemoNews/1.0"
    timeout = IDLE_SECONDS
    server: DemoServer

    def do_GET(self) -> None:
        """Send the response with its body."""
        self._send(with_body=True)

    def do_HEAD(self) -> None:
        """Send the response without its body."""
        self._send(with_body=False)

    def log_message(self, *_values: Any, **_named: Any) -> None:
        """Write nothing: the requests are in the server's log."""

    def _send(self, *, with_body: bool) -> None:
        host = self.headers.get("Host", "").rsplit(":", 1)[0].lower()
        answer = self.server.site.answer(LANDING_HOST if host in OWN_NAMES else host, self.path)
        answer = acceptable(answer, self.headers.get("Accept-Encoding", ""))
        agent = self.headers.get("User-Agent", "")
        self.server.log_request(LoggedRequest(self.command, host, self.path, answer.status, agent))
        self.send_response(answer.status)
        for name, value in (*answer.headers, ("Content-Length", str(len(answer.body)))):
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(answer.body)


def acceptable(answer: DemoResponse, accepted: str) -> DemoResponse:
    """Return the response, decompressed if the client does not accept gzip."""
    if "gzip" in accepted or ("Content-Encoding", "gzip") not in answer.headers:
        return answer
    headers = tuple(header for header in answer.headers if header[0] != "Content-Encoding")
    return DemoResponse(answer.status, headers, gzip.decompress(answer.body))


def serve_until_stopped(site: DemoSite, port: int, say: Callable[[str], None]) -> None:
    """Serve the site until Ctrl-C or SIGTERM. Raises ConfigError if the port is in use."""
    try:
        with serve(site, port) as server:
            say(f"The newspapers are at http://{LANDING_HOST}:{server.port}/. Ctrl-C ends.")
            threading.Event().wait()
    except KeyboardInterrupt:
        return
    except OSError as error:
        raise ConfigError(f"port {port}: {error.strerror}", do="Name another one with --port.") from None


@contextmanager
def serve(site: DemoSite, port: int = 0) -> Iterator[DemoServer]:
    """Serve the site on 127.0.0.1 during the context. Port 0 takes a free port; links contain it.

    Raises OSError if the port is in use.
    """
    server = DemoServer(site, port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="demo-site")
    thread.start()
    try:
        yield server
    finally:
        server.hang_up()
        server.shutdown()
        server.hang_up()
        server.server_close()
        thread.join()
