"""Server of the demo: hosts by name, gzip, persistent connections, and an end without delay."""

from __future__ import annotations

import gzip
import http.client
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from corpus_spider.demo.server import DemoServer, serve
from corpus_spider.demo.site import DemoSite, build_site, truth
from tests.corpus_spider.running import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator


PORT = 8000
SITE = build_site(PORT)


def host(language: str) -> str:
    return f"{language}.demo.localhost"


@pytest.fixture
def server() -> Iterator[DemoServer]:
    with serve(SITE) as running:
        yield running


def ask(server: DemoServer, name: str, target: str, method: str = "GET", **headers: str) -> tuple[int, str, bytes]:
    """Return status, content coding and body of one request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        connection.request(method, target, headers={"Host": f"{name}:{server.port}", **headers})
        response = connection.getresponse()
        return response.status, response.headers.get("Content-Encoding", ""), response.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("name", "status", "word"),
    [
        ("vi.demo.localhost", 200, "Sông Xanh"),
        ("AR.demo.localhost", 200, "المرسى"),
        ("fa.demo.localhost", 200, "بامداد"),
        ("ur.demo.localhost", 200, "صبحِ نو"),
        ("th.demo.localhost", 200, "ศรีธาราโพสต์"),
        ("127.0.0.1", 200, "demo newspapers"),
        ("elsewhere.example", 421, "Misdirected"),
    ],
)
def test_the_host_header_chooses_the_newspaper(server: DemoServer, name: str, status: int, word: str) -> None:
    """One port serves all newspapers by name, and links carry that port; unknown names are refused."""
    answered, _, body = ask(server, name, "/")
    assert (answered, word in body.decode()) == (status, True)
    assert status != 200 or f".demo.localhost:{server.port}/" in body.decode()


def test_gzip_is_sent_to_those_who_accept_it(server: DemoServer) -> None:
    """The same page comes gzipped or plain, as the client says."""
    [target] = {"/khabar.php?id=3990"} & {path for _, path in truth()}
    _, coding, packed = ask(server, host("ur"), target, **{"Accept-Encoding": "gzip, br"})
    _, none, plain = ask(server, host("ur"), target, **{"Accept-Encoding": "identity"})
    assert (coding, none) == ("gzip", "")
    assert gzip.decompress(packed) == plain


def test_one_connection_serves_many_requests_and_all_are_counted(server: DemoServer) -> None:
    """HTTP/1.1 connections stay open over errors, redirects and HEAD; the log knows host, target and status."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    asked = [("GET", "/private/", 200), ("GET", "/no-such-page", 404), ("HEAD", "/", 200), ("GET", "/go/70190", 302)]
    for method, target, status in asked:
        connection.request(method, target, headers={"Host": f"{host('ar')}:{server.port}"})
        response = connection.getresponse()
        body = response.read()
        assert response.status == status
        assert (method == "HEAD") == (body == b"" and response.headers["Content-Length"] != "0")
    connection.close()
    assert [(request.method, request.target, request.status) for request in server.requests] == asked
    assert (server.count("/private/"), server.requests[0].host) == (1, host("ar"))


def test_more_clients_than_slots_are_all_served(server: DemoServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred clients at once all get their page: those beyond the limit wait for their turn."""
    monkeypatch.setattr("corpus_spider.demo.server.SLOT_SECONDS", PATIENCE)
    with ThreadPoolExecutor(100) as clients:
        answers = list(clients.map(lambda _: ask(server, host("th"), "/"), range(100)))
    assert {status for status, _, _ in answers} == {200}
    assert len(server.requests) == 100


def test_the_server_stops_although_clients_hold_connections() -> None:
    """Leaving the context closes idle connections and the port, and leaves no thread behind."""
    before = set(threading.enumerate())
    with serve(SITE) as server:
        idle = [http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE) for _ in range(5)]
        for connection in idle:
            connection.request("GET", "/robots.txt", headers={"Host": host("vi")})
            connection.getresponse().read()
        port = server.port
    assert set(threading.enumerate()) <= before
    with pytest.raises(ConnectionRefusedError):
        http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE).request("GET", "/")
    for connection in idle:
        connection.close()


def test_a_site_is_served_on_the_port_asked_for(server: DemoServer) -> None:
    """The served site is built for the server's port; a taken port is an OSError."""
    assert isinstance(server.site, DemoSite)
    assert server.site.port == server.port != PORT
    with pytest.raises(OSError, match="in use"), serve(SITE, server.port):
        pass


def test_the_command_serves_the_newspapers_until_it_is_stopped(server: DemoServer) -> None:
    """It says where they are, and ends without an error. A port in use is an error with the next step."""
    command = [sys.executable, "-m", "corpus_spider", "demo", "--serve", "--until", "2026-10-03", "--port"]
    with subprocess.Popen([*command, "0"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        port = int(re.search(r"http://demo\.localhost:(\d+)/", process.stderr.readline())[1])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("GET", "/feed.atom", headers={"Host": f"{host('ar')}:{port}"})
        assert connection.getresponse().read().count(b"<entry>") == 6
        connection.close()
        process.terminate()
        assert process.wait(PATIENCE) == 0
    done = subprocess.run([*command, str(server.port)], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert "--port" in done.stderr
