"""HTTP proxy of the environment: all requests go through it, and the guard checks them first."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from corpus_spider.middlewares.guard import proxy_hosts, refusal
from corpus_spider.network.connection import Proxy, proxy_for
from storage import Corpus
from storage.errors import ConfigError
from tests.corpus_spider.local_paper import article
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONFIG = """
[corpus]
name = "test"
contact = "tests@example.org"
[crawl]
delay = 0.0
retries = 0
workers = 1
[[site]]
name = "plain"
start = ["http://news.example/article/1"]
[[site]]
name = "tls"
start = ["https://tls.example/"]
[[site]]
name = "inside"
start = ["http://10.0.0.1/"]
"""


class _Proxy(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        page = self.path == "http://news.example/article/1"
        body = article(1) if page else b""
        self.send_response(200 if page else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_CONNECT(self) -> None:
        self.asked.append(f"CONNECT {self.path}")
        self.send_error(502)

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture
def proxy() -> Iterator[tuple[str, list[str]]]:
    """The address of a proxy, and what it was asked for."""
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Proxy", (_Proxy,), {"asked": asked}))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    server.server_close()


def test_a_crawl_goes_through_the_proxy_and_asks_it_for_no_private_address(
    tmp_path: Path, proxy: tuple[str, list[str]]
) -> None:
    """Names that do not resolve here are crawled; the proxy's own address is not taken for the page's."""
    address, asked = proxy
    (tmp_path / "corpus.toml").write_text(CONFIG)
    crawled = run(tmp_path, "crawl", http_proxy=address, https_proxy=address, no_proxy="", HTTP_PROXY=address)
    # Two sites are sick: one is not there, one may not be asked.
    assert crawled.returncode == 8, crawled.stderr
    assert {"http://news.example/robots.txt", "http://news.example/article/1"} <= set(asked)
    assert "CONNECT tls.example:443" in asked
    assert not [path for path in asked if "10.0.0.1" in path]
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        assert [document.url for document in corpus.documents()] == ["http://news.example/article/1"]


def test_what_is_asked_for_by_hand_goes_through_the_proxy_too(tmp_path: Path, proxy: tuple[str, list[str]]) -> None:
    """`extract`, `sites discover` and `sites check` see a web that only the proxy reaches; a login goes to it alone."""
    address, asked = proxy
    login = address.replace("://", "://me:p%40ss@")
    (tmp_path / "corpus.toml").write_text(CONFIG)
    read = run(tmp_path, "extract", "http://news.example/article/1", "--json", http_proxy=login, no_proxy="")
    assert read.returncode == 0, read.stderr
    assert asked == ["http://news.example/robots.txt", "http://news.example/article/1"]
    asked.clear()
    found = run(tmp_path, "sites", "discover", "http://news.example/article/1", http_proxy=address, no_proxy="")
    assert "http://news.example/article/1" in asked, found.stderr
    asked.clear()
    run(tmp_path, "sites", "check", "plain", http_proxy=address, no_proxy="")
    assert "http://news.example/article/1" in asked
    asked.clear()
    tunnel = run(tmp_path, "extract", "https://tls.example/", https_proxy=address, no_proxy="")
    assert (tunnel.returncode, asked) == (7, ["CONNECT tls.example:443"])
    assert "502" in tunnel.stderr


@pytest.mark.parametrize(
    ("environ", "scheme", "host", "expected"),
    [
        ({}, "http", "a.example", None),
        ({"http_proxy": "http://p.example:3128"}, "http", "a.example", Proxy("p.example", 3128, {})),
        ({"http_proxy": "p.example:3128"}, "http", "a.example", Proxy("p.example", 3128, {})),
        ({"http_proxy": "http://p.example"}, "http", "a.example", Proxy("p.example", 80, {})),
        ({"http_proxy": "http://p.example"}, "https", "a.example", None),
        ({"https_proxy": "http://p.example", "no_proxy": "a.example"}, "https", "a.example", None),
        ({"https_proxy": "http://p.example", "no_proxy": ".example"}, "https", "sub.a.example", None),
        (
            {"https_proxy": "http://me:p%40ss@p.example:8080"},
            "https",
            "a.example",
            Proxy("p.example", 8080, {"Proxy-Authorization": "Basic bWU6cEBzcw=="}),
        ),
    ],
)
def test_the_proxy_for_a_url(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], scheme: str, host: str, expected: Proxy | None
) -> None:
    """By scheme, with its login, except for the hosts in NO_PROXY."""
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(scheme, host) == expected


@pytest.mark.parametrize(
    "value",
    ["http://me:secret@p.example:x", "http://me:secret@[p.example", "p.example:99999", "://", "http://me:secret@"],
)
def test_a_proxy_that_is_no_address_is_a_mistake_of_the_configuration(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """Told by the variable, without the login in it."""
    monkeypatch.setenv("http_proxy", value)
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(ConfigError, match="is not a valid address") as caught:
        proxy_for("http", "a.example")
    assert (caught.value.where, "secret" in str(caught.value)) == ("$http_proxy", False)


def test_a_crawl_does_not_start_with_a_proxy_that_is_no_address(tmp_path: Path) -> None:
    """It ended by an error that did not name it, or told every host as unreachable."""
    (tmp_path / "corpus.toml").write_text(CONFIG)
    crawled = run(tmp_path, "crawl", https_proxy="http://[p.example", no_proxy="")
    assert (crawled.returncode, "$https_proxy: is not a valid address" in crawled.stderr) == (2, True), crawled.stderr
    assert not (tmp_path / "corpus.db").exists()


@pytest.mark.parametrize(
    ("value", "hosts"),
    [("http://Proxy.internal:3128", {"proxy.internal"}), ("10.1.1.1:3128", {"10.1.1.1"}), ("", set())],
)
def test_the_proxy_may_be_connected_to_and_not_fetched_from(
    monkeypatch: pytest.MonkeyPatch, value: str, hosts: set[str]
) -> None:
    """Its name resolves, so no URL may use it."""
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", value)
    assert proxy_hosts() == hosts
    for host in hosts:
        assert refusal(f"http://{host}/", (), (), proxy_hosts()) == "private_address"
