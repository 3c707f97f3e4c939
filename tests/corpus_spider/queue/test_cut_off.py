"""A worker that loses its database, but not its newspapers: it stops, and another one takes its sites over."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from storage import Corpus
from storage.documents.selection import Selection
from tests.corpus_spider.queue.press import DELAY, SLACK, press
from tests.corpus_spider.running import ended, often, start, until, well
from tests.extras import need

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import PostgresServer

need("queue")

ARTICLES, SERVER_SECONDS, MAX_SECONDS = 150, 20.0, 60.0


class Line:
    """The line between a program and PostgreSQL. While it is cut nothing passes, and neither end is told.

    The server gives the lost sessions up after SERVER_SECONDS, as its keepalives do. Then the line is open again only
    for new connections: the old ones are reset at their next word.
    """

    def __init__(self, port: int) -> None:
        self.to, self.listener = port, socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.open = threading.Event()
        self.open.set()
        self.servers: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client: socket.socket) -> None:
        self.open.wait()
        server = socket.create_connection(("127.0.0.1", self.to))
        self.servers.append(server)
        threading.Thread(target=self._copy, args=(server, client), daemon=True).start()
        self._copy(client, server)

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError), source, target:
            while data := source.recv(1 << 16):
                self.open.wait()
                target.sendall(data)
        # The end of one direction is passed on only while there is a line.
        self.open.wait()

    def cut(self) -> None:
        self.open.clear()
        lost, self.servers = self.servers, []

        def give_up() -> None:
            for server in lost:
                with suppress(OSError):
                    server.shutdown(socket.SHUT_RDWR)

        threading.Timer(SERVER_SECONDS, give_up).start()

    def close(self) -> None:
        self.open.set()
        self.listener.close()


@contextmanager
def line_to(server: PostgresServer) -> Iterator[Line]:
    line = Line(server.port)
    yield line
    line.close()


@pytest.mark.timeout(900)
@pytest.mark.skipif(often(0, 1) == 0, reason="takes three minutes: make test-kills")
def test_a_worker_that_is_cut_off_stops_and_no_page_is_stored_twice(
    tmp_path: Path, postgresql_url: str, postgres_server: PostgresServer
) -> None:
    """Both crawl the site for less than a minute. Each page that the first one had no right to is counted."""
    with press(tmp_path, postgresql_url, 1, ARTICLES) as papers, line_to(postgres_server) as line:
        Corpus.open(postgresql_url, create=True).close()
        settings = (tmp_path / "corpus.toml").read_text().replace(f"delay = {DELAY}", "delay = 1\nper_host = 8")
        (tmp_path / "corpus.toml").write_text(settings)
        well(tmp_path, "crawl", "--queue")
        through = postgresql_url.replace(f":{postgres_server.port}/", f":{line.port}/")
        names = {"DATABASE_URL": through, "CORPUS_SPIDER_CORPUS_CONTACT": "away@example.org"}
        cut_off = start(tmp_path, "worker", "run", "--heartbeat-limit", "10", **names)
        host = papers.hosts["p0"]
        until(lambda: len(host.log) > 10)
        line.cut()
        cut = time.monotonic()
        other = papers.worker()
        until(lambda: any("tests@" in agent for agent in host.agents), lambda: host.log)
        taken_up = time.monotonic() - cut
        until(lambda: time.monotonic() - cut > 2 * MAX_SECONDS)
        line.open.set()
        until(lambda: papers.listed()["batches"] == [], papers.listed)
        for worker in (cut_off, other):
            worker.terminate()
            assert ended(worker) == 11
        by = {name: [] for name in ("away@", "tests@")}
        for (at, path), agent in zip(host.log, host.agents, strict=True):
            next(requests for name, requests in by.items() if name in agent).append((at - cut, path))
        last = max(at for at, _ in by["away@"] if at < 2 * MAX_SECONDS)
        articles = {path for path in papers.hosts["p0"].pages if path.startswith("/a/")}
        both = articles & {path for _, path in by["away@"]} & {path for _, path in by["tests@"]}
        with Corpus.open(postgresql_url, read_only=True) as corpus:
            documents = Counter(each.url for each in corpus.documents(Selection(include_duplicates=True)))
            query = sa.text("SELECT summary FROM run ORDER BY id")
            rows = corpus.database.read(lambda connection: connection.execute(query).scalars().all())
        (counted,) = [json.loads(row)["postponed"] for row in rows if row and json.loads(row)["postponed"]]
        print(f"taken up after {taken_up:.1f} s, last request after {last:.1f} s, {len(both)} pages by both")
        assert counted == {"lease_lost": len(both)}
        assert last <= MAX_SECONDS
        assert set(documents.values()) == {1}
        assert len(documents) == ARTICLES
        assert min(host.gaps) >= SLACK
        well(tmp_path, "check")
