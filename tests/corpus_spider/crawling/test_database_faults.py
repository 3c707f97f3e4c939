"""Database faults: lost connections and responses, locks, crawls at once, clocks that jump. Each page counts once."""

from __future__ import annotations

import itertools
import os
import random
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import psycopg
import pytest

from corpus_spider.archive.writer import prepare_folders
from corpus_spider.config.loader import load
from storage import Corpus
from tests.corpus_spider.faults import (
    SmallCrawls,
    State,
    damage,
    differences,
    new_corpus,
    said,
    sessions,
    small_crawls,
    state,
)
from tests.corpus_spider.running import PATIENCE, SEED, often, until
from tests.corpus_spider.small_paper import PAUSE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from tests.conftest import PostgresServer


def of(folder: Path) -> str:
    return f"sqlite:///{folder / 'corpus.db'}"


@dataclass
class Proxy:
    """Stands between a program and PostgreSQL; the answer to every third COMMIT is lost with its connection."""

    to: int
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    commits: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    cuts: int = 0

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    def serve(self) -> None:
        """Accept until the listener is closed."""
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with suppress(OSError), client, socket.create_connection(("127.0.0.1", self.to)) as server:
            threading.Thread(target=_copy, args=(server, client), daemon=True).start()
            while data := client.recv(1 << 16):
                if b"COMMIT" in data and next(self.commits) % 3 == 0:
                    self.cuts += 1
                    # The answer has nowhere to go; the server gets the time to commit before it sees the end.
                    client.shutdown(socket.SHUT_RDWR)
                    server.sendall(data)
                    server.shutdown(socket.SHUT_WR)
                    return
                server.sendall(data)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_RDWR)


@contextmanager
def between(server: PostgresServer) -> Iterator[Proxy]:
    proxy = Proxy(server.port)
    threading.Thread(target=proxy.serve, daemon=True).start()
    yield proxy
    proxy.listener.shutdown(socket.SHUT_RDWR)
    proxy.listener.close()


@pytest.mark.timeout(3600)
def test_a_crawl_whose_commits_lose_their_answers_stores_everything_once(
    tmp_path: Path,
    crawls: SmallCrawls,
    calm: State,
    postgres_server: PostgresServer,
    record_property: Callable[[str, object], None],
) -> None:
    """Every third of all commits of a crawl is done without its saying so; each group is found to be there already."""
    with between(postgres_server) as proxy:
        for number in itertools.count():
            name = postgres_server.new_database()
            url = postgres_server.url(name)
            Corpus.open(url, create=True).close()
            folder = new_corpus(tmp_path / str(number), url.replace(f":{postgres_server.port}/", f":{proxy.port}/"))
            assert crawls.run(folder) == 0, said(folder)
            assert differences(state(url), calm) == []
            (folder / "corpus.toml").write_text(
                (folder / "corpus.toml").read_text().replace(str(proxy.port), str(postgres_server.port))
            )
            assert damage(folder) == []
            if proxy.cuts >= often(5, 50):
                break
    record_property("lost answers", f"{proxy.cuts} in {number + 1} crawls")


def kill_postmaster(server: PostgresServer) -> None:
    """kill -9 the server's first process and start another as soon as PostgreSQL lets it: not before all processes
    that the first has started have noticed and ended.
    """
    os.kill(int((server.folder / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return server.start()
        except subprocess.CalledProcessError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def restart(server: PostgresServer, mode: str) -> None:
    server.stop(mode)
    server.start()


def terminate(server: PostgresServer) -> None:
    server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test%'")


OUTAGES: tuple[Callable[[PostgresServer], None], ...] = (
    kill_postmaster,
    terminate,
    lambda server: restart(server, "immediate"),
    lambda server: restart(server, "fast"),
)


def until_crawling(url: str, crawl: Future[int]) -> None:
    """Wait until a crawl has a session for its locks besides its first: a first contact that fails is told at once. Or
    until it is over, should this be slower.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        until(lambda: crawl.done() or len(sessions(connection)) >= 2, lambda: sessions(connection))


@pytest.mark.timeout(3600)
def test_a_server_that_goes_away_in_the_middle_of_a_crawl_costs_nothing(
    tmp_path: Path,
    crawls: SmallCrawls,
    calm: State,
    postgres_server: PostgresServer,
    record_property: Callable[[str, object], None],
) -> None:
    """Its first process killed, every session ended, stopped at once or fast, at any moment from the seeds to the last
    page: the crawl waits and goes on.
    """
    chance, rounds = random.Random(SEED), often(len(OUTAGES), 40)
    with ThreadPoolExecutor(1) as waiting:
        for number in range(rounds):
            url = postgres_server.url(postgres_server.new_database())
            Corpus.open(url, create=True).close()
            folder = new_corpus(tmp_path / str(number), url)
            crawl = waiting.submit(crawls.run, folder, **{PAUSE: "0.04"})
            until_crawling(url, crawl)
            time.sleep(chance.uniform(0.0, 0.8))
            OUTAGES[number % len(OUTAGES)](postgres_server)
            assert crawl.result(2 * PATIENCE) == 0, said(folder)
            assert differences(state(url), calm) == []
            assert damage(folder) == []
    record_property("outages", f"{rounds}, seed {SEED}")


@pytest.mark.timeout(3600)
def test_a_locked_sqlite_file_is_waited_for(tmp_path: Path, crawls: SmallCrawls, calm: State) -> None:
    """A writer that holds the lock, a reader that never ends and a backup cost time and nothing else, even when one
    lock outlasts the time that SQLite itself waits.
    """
    folder = new_corpus(tmp_path / "corpus")
    Corpus.open(folder / "corpus.db", create=True).close()
    path, over = str(folder / "corpus.db"), threading.Event()

    def hold() -> None:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=PATIENCE)) as other:
            while not over.wait(0.2):
                other.execute("BEGIN IMMEDIATE")
                over.wait(often(1, 35))
                other.execute("ROLLBACK")
                with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
                    other.backup(copy)

    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM url").fetchone()
        holder = threading.Thread(target=hold)
        holder.start()
        try:
            assert crawls.run(folder, **{PAUSE: "0.1"}) == 0, said(folder)
        finally:
            over.set()
            holder.join()
    assert differences(state(of(folder)), calm) == []
    assert damage(folder) == []


def one_after_the_other(folder: Path) -> bool:
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        ended = [run for run in corpus.runs() if run.finished]
    return all(before.finished and before.finished <= after.started for before, after in pairwise(ended))


@pytest.mark.timeout(3600)
def test_of_crawls_that_start_at_once_one_runs(
    tmp_path: Path, crawls: SmallCrawls, calm: State, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The others end with exit code 5 and change nothing; a lock dies with its holder."""
    with ExitStack() as stack, ThreadPoolExecutor(8) as at_once:
        others = [stack.enter_context(small_crawls(tmp_path_factory.mktemp("other"))) for _ in range(often(1, 7))]
        for number, other in enumerate(others):
            # What it loads at its start is to delay no crawl that counts.
            assert other.run(new_corpus(tmp_path / f"first{number}")) == 0
        for number in range(often(2, 50)):
            folder = new_corpus(tmp_path / str(number))
            if number % 2:
                assert crawls.run(folder, DISK_FAULT="kill@any:60") == -9
            rivals = (crawls, *others[: number % len(others) + 1])
            started = [at_once.submit(each.run, folder, **{PAUSE: "0.1"}) for each in rivals]
            codes = [each.result(2 * PATIENCE) for each in started]
            # On a busy machine the one may be over before the other has begun.
            assert 0 in codes, (codes, said(folder))
            assert set(codes) <= {0, 5}, (codes, said(folder))
            assert one_after_the_other(folder), (codes, said(folder))
            assert differences(state(of(folder)), calm) == []
            assert damage(folder) == []


def test_crawls_that_look_at_a_folder_at_once_all_find_that_it_can_be_written(tmp_path: Path) -> None:
    """That another has just removed the file it tried it with is no error of the disk."""
    config = load(new_corpus(tmp_path / "corpus") / "corpus.toml")
    with ThreadPoolExecutor(4) as at_once:
        assert list(at_once.map(prepare_folders, [config] * 500)) == [None] * 500
    assert list(config.warc_folder.iterdir()) == []


@pytest.mark.parametrize("jump", [-86_400, 365 * 86_400, 3600, 1])
def test_a_clock_that_jumps_in_the_middle_of_a_crawl_changes_nothing(
    tmp_path: Path, crawls: SmallCrawls, calm: State, jump: int
) -> None:
    """Back a day, on a year, an hour, a second: it ends, and so does the next one by the clock that is right again.

    That one may find articles old enough to be read again.
    """
    folder = new_corpus(tmp_path / "corpus")
    assert crawls.run(folder, CLOCK_JUMP=f"{jump}@60", TZ="Pacific/Apia") == 0, said(folder)
    assert crawls.run(folder) == 0, said(folder)
    assert state(of(folder))[:2] == calm[:2]
    assert damage(folder) == []
