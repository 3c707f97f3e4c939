"""A small newspaper on loopback for crawl tests: generated, deterministic, with what a crawl must cope with.

The text of article ``i`` never changes. Every tenth is an exact copy of the one before it, every eleventh differs from
the one before it by a few words. The server counts its requests.
"""

from __future__ import annotations

import gzip
import random
import socket
import threading
import time
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.corpus_spider.running import PATIENCE, well

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from email.message import Message
    from pathlib import Path

WORDS = """
thành phố người dân hôm nay cho biết trong năm qua nhiều công trình mới được xây dựng ở miền trung và các tỉnh
phía nam chính quyền địa phương nói rằng việc này giúp đời sống tốt hơn trẻ em đến trường bằng xe đạp dọc theo con
sông lớn mùa mưa năm nay đến sớm nông dân trồng lúa cà phê hồ tiêu bán ra chợ với giá cao khách du lịch thích món
ăn bánh mì phở bún chả nghe nhạc xem phim đọc sách thư viện mở cửa suốt tuần
""".split()

Answer = tuple[int, dict[str, str], bytes]


def paragraphs(index: int) -> list[str]:
    """Return the true text of article ``index``."""
    source = index - 1 if index % 10 == 0 and index else index
    near = index % 11 == 0 and index and index % 10
    chance = random.Random(f"article {index - 1 if near else source}")
    texts = [" ".join(chance.choices(WORDS, k=60)).capitalize() + "." for _ in range(4)]
    if near:
        texts[1] = texts[1].replace("trong", "ngoài", 1)[:-1] + " nhé."
    return texts


def article(index: int, links: str = "") -> bytes:
    """Return the page of article ``index``."""
    body = "".join(f"<p>{text}</p>" for text in paragraphs(index))
    return (
        f"<!doctype html><html lang=vi><head><meta charset=utf-8><title>Bài số {index} - Báo Thử</title></head><body>"
        f"<nav><a href=/>Trang chủ</a> <a href=/section>Mục</a></nav><article><h1>Bài số {index}</h1>{body}</article>"
        f"<aside>{links}</aside><footer>Bản quyền Báo Thử</footer></body></html>"
    ).encode()


@dataclass(slots=True)
class Newspaper:
    """What the server answers and what it was asked."""

    articles: int = 30
    restless: bool = False
    """Whether the front page is never the same twice, though its links are."""
    robots: Answer = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /private/\n")
    extra: dict[str, Callable[[], Answer]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    agents: set[str] = field(default_factory=set)
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Time of the request for each path, monotonic seconds."""
    arrivals: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """The same by host."""
    sent: dict[str, Message] = field(default_factory=dict)
    """The headers of the last request for each path."""
    port: int = 0
    server: ThreadingHTTPServer | None = None

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def gaps(self) -> dict[str, list[float]]:
        """Seconds between two requests, by host."""
        return {host: [after - before for before, after in pairwise(times)] for host, times in self.arrivals.items()}

    def note(self, path: str, headers: Message) -> None:
        """Remember a request."""
        now = time.monotonic()
        self.asked[path] += 1
        self.times[path].append(now)
        self.arrivals[headers.get("Host", "")].append(now)
        self.sent[path] = headers
        self.agents.add(headers.get("User-Agent", ""))

    def answer(self, path: str) -> Answer:
        """Answer one path."""
        html = {"Content-Type": "text/html; charset=utf-8"}
        if path in self.extra:
            return self.extra[path]()
        if path == "/robots.txt":
            return self.robots
        if path == "/":
            return 200, html, self._front().encode() + (b"<!-- %d -->" % self.asked["/"] if self.restless else b"")
        if path == "/feed.xml":
            return 200, {"Content-Type": "application/rss+xml"}, self._feed().encode()
        if path == "/old":
            return 301, {"Location": "/article/1"}, b""
        if path.startswith("/private/"):
            return 200, html, article(990)
        if path.startswith("/article/") and path[9:].isdigit() and int(path[9:]) < self.articles:
            return self._article(int(path[9:]))
        return 404, html, b"<h1>404</h1>"

    def _front(self) -> str:
        links = "".join(
            f'<li><a href="/article/{index}">Bài số {index}</a></li>' for index in range(0, self.articles, 3)
        )
        others = "".join(
            f'<li><a href="{path}">{path}</a></li>'
            for path in ("/old", "/gone", "/private/1", *(self.extra.keys() - {"/robots.txt"}))
        )
        return f"<html><body><ul>{links}{others}</ul></body></html>"

    def _feed(self) -> str:
        items = "".join(f"<item><link>{self.origin}/article/{i}</link></item>" for i in range(min(self.articles, 5)))
        return f'<rss version="2.0"><channel><title>Báo</title>{items}</channel></rss>'

    def _article(self, index: int) -> Answer:
        near = "".join(f'<a href="/article/{other}">{other}</a> ' for other in (index + 1, index + 2))
        page, headers = article(index, near), {"Content-Type": "text/html; charset=utf-8"}
        if index % 2:
            return 200, headers | {"Content-Encoding": "gzip"}, gzip.compress(page, mtime=0)
        return 200, headers, page


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    newspaper: Newspaper

    def do_GET(self) -> None:
        self.newspaper.note(self.path, self.headers)
        status, headers, body = self.newspaper.answer(self.path)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if "Content-Length" in headers:
            self.close_connection = True

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: clients that are killed in mid-request are what these tests are about."""


@contextmanager
def served(newspaper: Newspaper, address: str = "127.0.0.1") -> Iterator[Newspaper]:
    """Serve a newspaper on a free loopback port for the length of the block."""
    handler = type("Handler", (_Handler,), {"newspaper": newspaper})
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    server = type("Server", (_Server,), {"address_family": family})((address, 0), handler)
    server.daemon_threads = True
    newspaper.port, newspaper.server = server.server_address[1], server
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield newspaper
    finally:
        server.shutdown()
        server.server_close()


def corpus_toml(newspaper: Newspaper, database: str = "sqlite:///corpus.db", **crawl: object) -> str:
    """Return a corpus.toml that crawls the newspaper without delay."""
    import json

    settings = {"delay": 0.0, "workers": 2, "per_host": 8, "allow_private": [f"127.0.0.1:{newspaper.port}"]} | crawl
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in settings.items())
    return f"""
[corpus]
name = "test"
languages = ["vi"]
database = "{database}"
contact = "tests@example.org"

[crawl]
{lines}

[[site]]
name = "newspaper"
start = ["{newspaper.origin}/"]
feeds = ["{newspaper.origin}/feed.xml"]
language = "vi"
"""


def crawl_into(folder: Path, articles: int) -> Path:
    """Crawl a newspaper of so many articles, which is gone then, and return the folder."""
    with served(Newspaper(articles=articles)) as newspaper:
        (folder / "corpus.toml").write_text(corpus_toml(newspaper))
        well(folder, "crawl")
    return folder


def hanging(newspaper: Newspaper) -> threading.Event:
    """Make one page of the newspaper hang until the event is set; before, no crawl of it can be over."""
    gate = threading.Event()

    def answer() -> tuple[int, dict[str, str], bytes]:
        gate.wait(3 * PATIENCE)
        return 404, {}, b""

    newspaper.extra["/hang"] = answer
    return gate
