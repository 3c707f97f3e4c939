"""Site locks: all or none, at once, and released when their process ends."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
import sqlalchemy as sa

from storage.corpus import Corpus
from storage.errors import ConfigError, DatabaseError, DiskError, LockedError
from storage.locking.locks import SiteLocks, lock_file, lock_key
from tests.corpus_spider.running import PATIENCE, until
from tests.storage.pooler import pooled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import PostgresServer

HOLDER = """
import sys
from pathlib import Path
from storage.corpus import Corpus
from storage.locking.locks import SiteLocks
with Corpus.open(sys.argv[1]) as corpus, SiteLocks(corpus, ["b.example"], Path(sys.argv[2])) as locks:
    assert len(locks.lock_hosts(["h.example", "i.example"])) == 2
    print("held", flush=True)
    sys.stdin.read()
"""

UNLOCKER = """
import sys
from pathlib import Path
from storage.corpus import Corpus
from storage.locking.locks import SiteLocks
with Corpus.open(sys.argv[1]) as corpus, SiteLocks(corpus, ["u.example"], Path(sys.argv[2])) as locks:
    print(*locks.lock_hosts(["h.example"]))
    locks.unlock_hosts(["h.example"])
print("psycopg" in sys.modules)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "locks"


RIVAL = """
import sys
from pathlib import Path
from storage.corpus import Corpus
from storage.locking.locks import SiteLocks
with Corpus.open(sys.argv[1]) as corpus, SiteLocks(corpus, ["r.example"], Path(sys.argv[2])) as locks:
    print(*locks.lock_hosts(sys.argv[3:]))
"""


def program_of(corpus: Corpus, folder: Path, code: str, *arguments: str) -> tuple[list[str], dict[str, str]]:
    """Return the command line and environment of another process with this corpus."""
    where = corpus.database.url.render_as_string(hide_password=False).replace("+psycopg", "")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    return [sys.executable, "-c", code, where, str(folder), *arguments], environment


def taken_elsewhere(corpus: Corpus, folder: Path, hosts: list[str]) -> str:
    """Let another process lock the hosts, and return those that it got."""
    command, environment = program_of(corpus, folder, RIVAL, *hosts)
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, check=True, timeout=PATIENCE)
    return done.stdout.strip()


@pytest.fixture
def holder(corpus: Corpus, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the locks of the site b.example and of the hosts h.example and i.example."""
    command, environment = program_of(corpus, folder, HOLDER)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def acquire_within(locks: SiteLocks, attempts: int = 2000) -> bool:
    """Try until the lock is free; the server needs a moment to notice that a client has died."""
    for _ in range(attempts):
        try:
            locks.acquire()
        except LockedError:
            subprocess.run(["sleep", "0.05"], check=True)
        else:
            return True
    return False


def test_a_site_is_locked_once(corpus: Corpus, folder: Path) -> None:
    """A second crawl of a locked site is told which site, and takes none of the others; other sites are free."""
    with SiteLocks(corpus, ["a.example", "b.example"], folder):
        with pytest.raises(LockedError) as caught, SiteLocks(corpus, ["b.example", "c.example"], folder):
            pytest.fail("the lock was given twice")
        assert caught.value.sites == ("b.example",)
        assert caught.value.exit_code == 5
        with SiteLocks(corpus, ["c.example"], folder):
            pass
    with SiteLocks(corpus, ["a.example", "b.example", "c.example"], folder):
        pass


def test_a_host_is_locked_by_one_crawl_until_it_ends(
    corpus: Corpus, folder: Path, holder: subprocess.Popen[str]
) -> None:
    """Sites of two crawls share a host: the second crawl gets the other hosts, and this one when the first has died."""
    with SiteLocks(corpus, ["a.example"], folder) as locks:
        assert locks.lock_hosts(["h.example", "www.h.example"]) == {"www.h.example"}
        holder.kill()
        until(lambda: locks.lock_hosts(["h.example", "i.example"]) == {"h.example", "i.example"})


def test_a_host_is_free_once_its_crawl_has_unlocked_it(corpus: Corpus, folder: Path) -> None:
    """A server has room for a limited number of locks, so a crawl keeps no lock of a host that it does not request."""
    with SiteLocks(corpus, ["a.example"], folder) as locks:
        locks.lock_hosts(["h.example", "i.example"])
        locks.unlock_hosts(["h.example", "never.example"])
        assert locks.hosts == {"i.example"}
        assert taken_elsewhere(corpus, folder, ["h.example", "i.example"]) == "h.example"


def test_locks_of_sqlite_load_no_driver_of_postgresql(tmp_path: Path, folder: Path) -> None:
    """It takes 9 MiB, in a crawl of many hosts."""
    database = f"sqlite:///{tmp_path / 'corpus.db'}"
    with Corpus.open(database, create=True):
        pass
    done = subprocess.run(
        [sys.executable, "-c", UNLOCKER, database, str(folder)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["h.example", "False"]


def test_a_lost_connection_costs_a_crawl_the_host_that_another_crawl_has_locked_since(
    postgresql_url: str, folder: Path
) -> None:
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus.open(postgresql_url, create=True))
        other = stack.enter_context(Corpus.open(postgresql_url))
        locks = stack.enter_context(SiteLocks(corpus, ["a.example"], folder))
        rival = stack.enter_context(SiteLocks(other, ["b.example"], folder))
        assert locks.lock_hosts(["h.example", "i.example"]) == {"h.example", "i.example"}
        assert rival.lock_hosts(["h.example"]) == set()
        end_sessions_with_locks(other)
        rival.ensure()
        assert rival.lock_hosts(["h.example"]) == {"h.example"}
        locks.ensure()
        assert locks.lock_hosts(["h.example", "i.example"]) == {"i.example"}


def test_corpora_in_two_schemas_of_a_database_have_locks_of_their_own(postgresql_url: str, folder: Path) -> None:
    """A newspaper of the one is not held by a crawl of the other, though a database knows its locks by number alone."""
    with psycopg.connect(postgresql_url, autocommit=True) as arranging:
        for schema in ("one", "other"):
            arranging.execute(f"CREATE SCHEMA {schema}".encode())
    one, other, again = (f"{postgresql_url}?options=-csearch_path%3D{path}" for path in ("one", "other", "public,one"))
    with (
        Corpus.open(one, create=True) as corpus,
        Corpus.open(other, create=True) as elsewhere,
        SiteLocks(corpus, ["a.example"], folder),
        SiteLocks(elsewhere, ["a.example"], folder),
        Corpus.open(again) as same,
        pytest.raises(LockedError, match="held by"),
    ):
        SiteLocks(same, ["a.example"], folder).acquire()


def test_more_sites_than_the_server_has_locks_for_are_reported_so(shared_postgresql_url: str, folder: Path) -> None:
    """With the setting to change; none is held then."""
    sites = [f"{number}.example" for number in range(100_000)]
    with Corpus.open(shared_postgresql_url) as corpus:
        with pytest.raises(DatabaseError, match="max_locks_per_transaction"):
            SiteLocks(corpus, sites, folder).acquire()
        with SiteLocks(corpus, sites[:1], folder):
            pass


def test_a_lock_dies_with_its_holder(corpus: Corpus, folder: Path, holder: subprocess.Popen[str]) -> None:
    """Killing the process that holds a lock frees it; nothing stale stands in the way."""
    locks = SiteLocks(corpus, ["b.example"], folder)
    with pytest.raises(LockedError):
        locks.acquire()
    holder.kill()
    holder.wait(PATIENCE)
    assert acquire_within(locks)
    locks.release()


def test_a_forked_worker_does_not_keep_the_lock(corpus: Corpus, folder: Path) -> None:
    """A child process that outlives the release of a lock does not hold it."""
    locks = SiteLocks(corpus, ["a.example"], folder)
    locks.acquire()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
    try:
        locks.release()
        assert acquire_within(locks)
        locks.release()
    finally:
        os.close(writing)
        os.close(reading)
        os.waitpid(child, 0)


def test_readers_need_no_lock(corpus: Corpus, folder: Path) -> None:
    """A locked site can be read and counted."""
    with SiteLocks(corpus, ["a.example"], folder):
        assert list(corpus.documents()) == []
        assert corpus.status().documents == 0


def test_a_lost_connection_is_noticed_and_its_locks_taken_again(shared_postgresql_url: str, folder: Path) -> None:
    """When the server ends the session, `ensure` takes the locks again, or says that another program has them."""
    with Corpus.open(shared_postgresql_url) as corpus, Corpus.open(shared_postgresql_url) as other:
        locks, rival = SiteLocks(corpus, ["a.example"], folder), SiteLocks(other, ["a.example"], folder)
        locks.acquire()
        locks.ensure()
        end_sessions_with_locks(other)
        assert acquire_within(rival)
        with pytest.raises(LockedError):
            locks.ensure()
        rival.release()
        locks.acquire()
        end_sessions_with_locks(other)
        locks.ensure()
        with pytest.raises(LockedError):
            rival.acquire()
        locks.release()


def test_a_connection_that_is_lost_while_it_takes_locks_is_replaced(
    shared_postgresql_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that goes away again just after it has come back costs a crawl nothing."""
    take, sessions = SiteLocks._advise_one, list["psycopg.Connection"]()

    def take_once_lost(locks: SiteLocks, session: psycopg.Connection, key: int) -> bool:
        sessions.append(session)
        if len(sessions) == 2:
            session.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return take(locks, session, key)

    monkeypatch.setattr(SiteLocks, "_advise_one", take_once_lost)
    with Corpus.open(shared_postgresql_url) as corpus, Corpus.open(shared_postgresql_url) as other:
        with SiteLocks(corpus, ["a.example", "b.example"], folder):
            assert [session.closed for session in sessions] == [True, True, False, False]
            with pytest.raises(LockedError) as taken:
                SiteLocks(other, ["a.example", "b.example"], folder).acquire()
            assert taken.value.sites == ("a.example", "b.example")
        assert all(session.closed for session in sessions)


class Network:
    """Between a program and PostgreSQL: `part` takes it away as a partition does. The program's connections are gone;
    the server is told nothing and waits for the other end. New ones can be made.
    """

    def __init__(self, port: int) -> None:
        self.to, self.listener = port, socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.pairs: list[tuple[socket.socket, socket.socket]] = []
        self.parted: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.to))
                self.pairs.append((client, server))
                for source, target in ((client, server), (server, client)):
                    threading.Thread(target=self._copy, args=(source, target), daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        if source not in self.parted:
            with suppress(OSError):
                target.shutdown(socket.SHUT_WR)

    def part(self) -> None:
        for client, server in self.pairs:
            self.parted += [client, server]
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        self.pairs.clear()

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        for each in [self.listener, *self.parted, *(end for pair in self.pairs for end in pair)]:
            each.close()


@pytest.fixture
def network(postgres_server: PostgresServer) -> Iterator[Network]:
    between = Network(postgres_server.port)
    yield between
    between.close()


def test_a_partition_of_the_network_costs_a_crawl_no_lock(
    shared_postgresql_url: str, folder: Path, network: Network, postgres_server: PostgresServer
) -> None:
    """To the server the lost session lives on with its locks: the crawl ends it, and has them again."""
    through = shared_postgresql_url.replace(f":{postgres_server.port}/", f":{network.port}/")
    with Corpus.open(through) as corpus, Corpus.open(shared_postgresql_url) as other:
        rival = SiteLocks(other, ["a.example", "b.example"], folder)
        with SiteLocks(corpus, ["a.example", "b.example"], folder) as locks:
            for _ in range(2):
                before = sessions_with_locks(other)
                network.part()
                assert sessions_with_locks(other) == before
                locks.ensure()
                assert not before & sessions_with_locks(other)
                with pytest.raises(LockedError):
                    rival.acquire()
        rival.acquire()
        rival.release()


def test_a_locked_site_is_said_to_be_held_by_whom_since_when(corpus: Corpus, folder: Path) -> None:
    """PostgreSQL knows the program, the machine and the session to look for; a lock file does not."""
    with SiteLocks(corpus, ["a.example"], folder), pytest.raises(LockedError) as caught:
        SiteLocks(corpus, ["a.example"], folder).acquire()
    if corpus.database.is_sqlite:
        assert caught.value.do == "Wait for it to end, or crawl other sites."
    else:
        (number,) = {str(pid) for pid in re.findall(r"session (\d+)", caught.value.do)}
        assert f"process {os.getpid()} on {socket.gethostname()}"[:40] in caught.value.do
        assert re.search(
            rf" since \d{{4}}-\d\d-\d\d \d\d:\d\d UTC \(session {number} of the database\)\.$", caught.value.do
        )


def test_the_server_gives_up_a_session_that_the_network_has_lost_within_a_minute(postgresql_url: str) -> None:
    """Left to itself it would keep the locks of a program that is gone for two hours."""
    names = ("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout")
    with Corpus.open(postgresql_url, create=True) as corpus:

        def settings(session: psycopg.Connection) -> dict[str, int]:
            with session:
                rows = session.execute("SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", (list(names),))
                return {name: int(setting) for name, setting in rows}

        of_locks = corpus.database.session(settings)
        shown = sa.text("SELECT name, setting FROM pg_settings WHERE name LIKE 'tcp\\_%'")
        of_work = corpus.database.read(lambda connection: {name: int(to) for name, to in connection.execute(shown)})
    assert of_work == of_locks
    idle, interval, count, unanswered = (of_locks[name] for name in names)
    assert 0 < idle + interval * count <= 60
    assert 0 < unanswered <= 60_000


def sessions_with_locks(corpus: Corpus) -> set[int]:
    query = sa.text("SELECT pid FROM pg_locks WHERE locktype = 'advisory'")
    return set(corpus.database.read(lambda connection: connection.execute(query).scalars().all()))


def end_sessions_with_locks(corpus: Corpus) -> None:
    ended = sa.text("SELECT pg_terminate_backend(pid, 60000) FROM pg_locks WHERE locktype = 'advisory'")
    corpus.database.read(lambda connection: connection.execute(ended).all())


def test_a_folder_that_cannot_be_made_is_a_disk_error(tmp_path: Path, sqlite_template: Path) -> None:
    """A file in place of the folder ends with our own error."""
    (tmp_path / "state").write_text("a file")
    with Corpus.open(sqlite_template, read_only=True) as corpus, pytest.raises(DiskError):
        SiteLocks(corpus, ["a.example"], tmp_path / "state").acquire()


@pytest.mark.parametrize("site", ["báo.example", "../../etc/passwd", "a" * 300, "", "a/b"])
def test_every_site_has_a_lock_file_of_its_own_in_the_folder(site: str) -> None:
    """With any name of a site, its lock file stays in the folder and differs from its neighbours'."""
    folder = Path("/locks")
    assert lock_file(folder, site).parent == folder
    assert len(lock_file(folder, site).name) < 100
    assert lock_file(folder, site) != lock_file(folder, site + "x")
    assert -(2**63) <= lock_key(site, "public") < 2**63


def test_a_pooler_that_shares_sessions_is_refused(postgresql_url: str, folder: Path) -> None:
    """Through it all crawls would have the lock of a site at once, because they share one session."""
    Corpus.open(postgresql_url, create=True).close()
    with pooled(postgresql_url) as url, Corpus.open(url) as corpus, pytest.raises(ConfigError, match="pooler"):
        SiteLocks(corpus, ["a.example"], folder).acquire()
    with Corpus.open(postgresql_url) as corpus, SiteLocks(corpus, ["a.example"], folder):
        pass
