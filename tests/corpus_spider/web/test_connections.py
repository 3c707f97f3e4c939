"""Connections of strangers, on real sockets: half-sent requests, slow readers, and too many of either."""

from __future__ import annotations

import asyncio
import http.client
import socket
import ssl
import subprocess
import threading
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from storage.corpus import Corpus
from tests.conftest import free_port
from tests.corpus_spider.running import PATIENCE, environment, program, until
from tests.extras import need

need("web")
import uvicorn  # noqa: E402

from corpus_spider.web import connections  # noqa: E402
from corpus_spider.web.connections import LimitedLoop, LimitedProtocol, Phase  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BIG = b"x" * 4_000_000
"""More than the buffers of a loopback connection hold."""
REQUEST = (
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost "
    "-addext subjectAltName=DNS:localhost"
)
"""Command that makes a certificate."""
SECONDS = 1.0
"""The limits in these tests."""


async def app(scope: Any, _: Any, send: Any) -> None:
    """Answer with a word, or with much."""
    body = BIG if scope["path"] == "/big" else b"here"
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for start in range(0, len(body), 2**18):
        more = start + 2**18 < len(body)
        await send({"type": "http.response.body", "body": body[start : start + 2**18], "more_body": more})


@contextmanager
def served(**options: Any) -> Iterator[tuple[int, uvicorn.Server]]:
    """Serve the application as `serve` does, and yield port and server."""
    settings = uvicorn.Config(
        app, http=LimitedProtocol, ws="none", lifespan="off", log_level="critical", timeout_keep_alive=5, **options
    )
    server = uvicorn.Server(settings)

    def run() -> None:
        with asyncio.Runner(loop_factory=LimitedLoop) as runner:
            runner.run(server.serve(sockets=[listening]))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        until(lambda: server.started)
        try:
            yield listening.getsockname()[1], server
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


@pytest.fixture(autouse=True)
def _short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "LIMIT_SECONDS", {Phase.WAITING: SECONDS, Phase.SENDING: SECONDS})
    monkeypatch.setattr(connections, "HEAD_SECONDS", SECONDS)


def asked(port: int, path: str = "/") -> int:
    """Return the status of an honest request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def ends(client: socket.socket) -> bool:
    """Read what comes; return whether the server ends the connection."""
    client.settimeout(PATIENCE)
    try:
        while client.recv(2**16):
            pass
    except ConnectionResetError:
        return True
    return True


HALVES = {
    "nothing": b"",
    "half a head": b"GET / HTTP/1.1\r\nHost: local",
    "no body": b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx",
    "a second head": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT",
}


@pytest.mark.parametrize("sent", HALVES.values(), ids=HALVES)
@pytest.mark.parametrize("dribbles", [False, True])
def test_what_a_client_does_not_finish_is_ended(sent: bytes, dribbles: bool) -> None:
    """Also where a byte comes now and then: the limit is that of the whole head."""
    with served() as (port, server), socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(sent)
        over = threading.Event()

        def dribble() -> None:
            while not over.wait(0.1):
                try:
                    client.sendall(b"x")
                except OSError:
                    return

        thread = threading.Thread(target=dribble, daemon=True)
        if dribbles:
            thread.start()
        begun = time.monotonic()
        assert ends(client)
        assert time.monotonic() - begun >= SECONDS / 2
        over.set()
        until(lambda: not server.server_state.connections)


def test_a_client_that_does_not_read_is_ended() -> None:
    """Its answer is larger than the buffers."""
    with served() as (port, server), socket.create_connection(("127.0.0.1", port)) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(b"GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n")
        until(lambda: bool(server.server_state.connections))
        until(lambda: not server.server_state.connections)


def test_a_client_that_reads_gets_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the whole takes longer than the limit: what counts is that it goes on."""
    monkeypatch.setattr(connections, "LIMIT_SECONDS", {Phase.WAITING: SECONDS, Phase.SENDING: 3 * SECONDS})
    with served() as (port, _), socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"GET /big HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        received, paused = 0, 0.0
        while part := client.recv(2**16):
            received += len(part)
            if received > paused + len(BIG) / 8:
                paused = received
                threading.Event().wait(0.5 * SECONDS)
        assert received > len(BIG)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_strangers_that_hold_all_connections_exclude_no_visitor(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection that has waited longest gives way, long before its time is over."""
    monkeypatch.setattr(connections, "LIMIT_SECONDS", dict.fromkeys((Phase.WAITING, Phase.SENDING), PATIENCE))
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 20)
    with served() as (port, server), ExitStack() as clients:
        for _ in range(40):
            client = clients.enter_context(socket.create_connection(("127.0.0.1", port)))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.sendall(sent)
        begun = time.monotonic()
        assert [asked(port) for _ in range(5)] == [200] * 5
        assert time.monotonic() - begun < PATIENCE / 2
        until(lambda: len(server.server_state.connections) <= 20)


def test_serve_answers_beside_three_hundred_half_sent_requests(tmp_path: Path) -> None:
    """The program itself, with its own limits."""
    Corpus.open(tmp_path / "corpus.db", create=True).close()
    (tmp_path / "corpus.toml").write_text('[corpus]\nname = "news"\ncontact = "tests@example.org"\n')
    port = free_port()
    command = program("-c", str(tmp_path), "serve", "--listen", f"127.0.0.1:{port}")
    server = subprocess.Popen(command, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr
        assert "until you press Ctrl-C" in server.stderr.readline()
        until(lambda: answers(port))
        with ExitStack() as clients:
            for _ in range(300):
                client = clients.enter_context(socket.create_connection(("127.0.0.1", port)))
                client.sendall(b"GET / HTTP/1.1\r\nHost: local")
            assert [asked(port, "/about") for _ in range(3)] == [200] * 3
    finally:
        server.terminate()
        server.wait(PATIENCE)


def answers(port: int) -> bool:
    """Return whether the server answers a request."""
    try:
        return asked(port, "/about") == 200
    except OSError:
        return False


def test_a_handshake_that_is_not_finished_is_ended(tmp_path: Path) -> None:
    """A client that says nothing gets no TLS connection, and an honest one does."""
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(
        [*REQUEST.split(), "-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    with served(ssl_certfile=certificate, ssl_keyfile=key) as (port, _):
        with socket.create_connection(("127.0.0.1", port)) as client:
            assert ends(client)
        context = ssl.create_default_context(cafile=str(certificate))
        connection = http.client.HTTPSConnection("localhost", port, timeout=PATIENCE, context=context)
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
        connection.close()
