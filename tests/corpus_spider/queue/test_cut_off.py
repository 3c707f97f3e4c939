"""A worker that loses its database, but not its newspapers: it stops, and another one takes its sites over."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from storage import Corpus
from storage.documents.selection import Selection
from tests.corpus_spider.queue.lines import dead_line, pulled_cable
from tests.corpus_spider.queue.own_network import own_network
from tests.corpus_spider.queue.press import DELAY, press
from tests.corpus_spider.running import ended, kill, often, start, until, well
from tests.extras import need

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import PostgresServer
    from tests.corpus_spider.queue.lines import Lines

need("queue")

ARTICLES, LONG_DELAY, MAX_SECONDS = 150, 1.0, 60.0


def test_a_program_in_a_network_of_its_own_reaches_its_ports_until_their_line_is_cut() -> None:
    """One of two lines is cut and mended: nothing passes it in between, and the other one is open all the time."""
    with (
        socket.create_server(("127.0.0.1", 0)) as database,
        socket.create_server(("127.0.0.1", 0)) as newspapers,
        own_network(*(server.getsockname()[1] for server in (database, newspapers))) as lines,
    ):

        def reached() -> list[bool]:
            connect = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 0.5)"
            command = [sys.executable, "-I", "-S", "-c", connect]
            return [
                subprocess.run([*line.within, *command, str(line.port)], check=False, capture_output=True).returncode
                == 0
                for line in lines
            ]

        assert reached() == [True, True]
        lines[0].cut()
        assert reached() == [False, True]
        lines[0].mend()
        assert reached() == [True, True]


@pytest.mark.timeout(900)
@pytest.mark.skipif(often(0, 1) == 0, reason="takes three minutes: make test-kills")
@pytest.mark.parametrize("line_to", [dead_line, pulled_cable])
def test_a_worker_that_is_cut_off_stops_and_no_page_is_stored_twice(
    tmp_path: Path,
    postgresql_url: str,
    postgres_server: PostgresServer,
    line_to: Lines,
    record_property: Callable[[str, object], None],
) -> None:
    """Its requests end within a minute, each page is stored once, and those that both workers requested are counted."""
    with ExitStack() as stack:
        papers = stack.enter_context(press(tmp_path, postgresql_url, 1, ARTICLES))
        host = papers.hosts["p0"]
        line = stack.enter_context(line_to(postgres_server, host.port))
        Corpus.open(postgresql_url, create=True).close()
        # With the whole site leased, only the recall of the leases ends the requests.
        longer = f"delay = {LONG_DELAY}\nper_host = {ARTICLES}"
        settings = (tmp_path / "corpus.toml").read_text().replace(f"delay = {DELAY}", longer)
        (tmp_path / "corpus.toml").write_text(settings)
        well(tmp_path, "crawl", "--queue")
        through = postgresql_url.replace(f":{postgres_server.port}/", f":{line.port}/")
        names = {"DATABASE_URL": through, "CORPUS_SPIDER_CORPUS_CONTACT": "away@example.org"}
        cut_off = start(tmp_path, "worker", "run", "--heartbeat-limit", "10", within=line.within, **names)
        stack.callback(kill, cut_off)
        until(lambda: len(host.log) > 10)
        line.cut()
        cut = time.monotonic()
        other = papers.worker()
        stack.callback(kill, other)
        until(lambda: any("tests@" in agent for agent in host.agents), lambda: host.log)
        taken_up = time.monotonic() - cut
        until(lambda: time.monotonic() - cut > 2 * MAX_SECONDS)
        line.mend()
        until(lambda: papers.listed()["batches"] == [], papers.listed)
        for worker in (cut_off, other):
            worker.terminate()
            assert ended(worker) == 11
        logged = [(agent, at - cut, path) for agent, (at, path) in zip(host.agents, host.log, strict=True)]
        away, here = ([(at, path) for agent, at, path in logged if who in agent] for who in ("away@", "tests@"))
        last = max(at for at, _ in away if at < 2 * MAX_SECONDS)
        articles = {path for path in host.pages if path.startswith("/a/")}
        both = articles & {path for _, path in away} & {path for _, path in here}
        with Corpus.open(postgresql_url, read_only=True) as corpus:
            documents = Counter(each.url for each in corpus.documents(Selection(include_duplicates=True)))
            query = sa.text("SELECT summary FROM run ORDER BY id")
            rows = corpus.database.read(lambda connection: connection.execute(query).scalars().all())
        (counted,) = [json.loads(row)["postponed"] for row in rows if row and json.loads(row)["postponed"]]
        overlap = max(0.0, last - taken_up)
        record_property(
            "cut off",
            f"last request after {last:.1f} s, taken up after {taken_up:.1f} s, overlap {overlap:.1f} s, "
            f"{len(both)} pages requested by both, {len(documents)} documents",
        )
        assert counted == {"lease_lost": len(both)}
        assert last <= MAX_SECONDS
        assert set(documents.values()) == {1}
        assert len(documents) == ARTICLES
        # Each keeps the delay of the host; this machine may log a request late.
        for requests in (away, here):
            assert min(after - before for (before, _), (after, _) in pairwise(requests)) >= LONG_DELAY / 2
        well(tmp_path, "check")
