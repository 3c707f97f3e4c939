"""Locks by site: all or none, at once, and gone with whoever held them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from storage.corpus import Corpus
from storage.errors import DiskError, LockedError
from storage.locks import SiteLocks, lock_file, lock_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

HOLDER = """
import sys
from pathlib import Path
from storage.corpus import Corpus
from storage.locks import SiteLocks
with Corpus.open(sys.argv[1]) as corpus, SiteLocks(corpus, ["b.example"], Path(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "locks"


@pytest.fixture
def holder(corpus: Corpus, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock of b.example."""
    where = corpus.database.url.render_as_string(hide_password=False).replace("+psycopg", "")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", HOLDER, where, str(folder)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def acquire_within(locks: SiteLocks, attempts: int = 200) -> bool:
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


def test_a_lock_dies_with_its_holder(corpus: Corpus, folder: Path, holder: subprocess.Popen[str]) -> None:
    """Killing the process that holds a lock frees it; nothing stale stands in the way."""
    locks = SiteLocks(corpus, ["b.example"], folder)
    with pytest.raises(LockedError):
        locks.acquire()
    holder.kill()
    holder.wait(30)
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
    """When the server ends the session, `ensure` takes the locks anew, or says that somebody else has them."""
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

    def take_once_lost(session: psycopg.Connection, site: str) -> bool:
        sessions.append(session)
        if len(sessions) == 2:
            session.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return take(session, site)

    monkeypatch.setattr(SiteLocks, "_advise_one", staticmethod(take_once_lost))
    with Corpus.open(shared_postgresql_url) as corpus, Corpus.open(shared_postgresql_url) as other:
        with SiteLocks(corpus, ["a.example", "b.example"], folder):
            assert [session.closed for session in sessions] == [True, True, False, False]
            with pytest.raises(LockedError) as taken:
                SiteLocks(other, ["a.example", "b.example"], folder).acquire()
            assert taken.value.sites == ("a.example", "b.example")
        assert all(session.closed for session in sessions)


def end_sessions_with_locks(corpus: Corpus) -> None:
    ended = sa.text("SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory'")
    corpus.database.read(lambda connection: connection.execute(ended).all())


def test_a_folder_that_cannot_be_made_is_a_disk_error(tmp_path: Path, sqlite_template: Path) -> None:
    """A file in place of the folder ends with our own error."""
    (tmp_path / "state").write_text("a file")
    with Corpus.open(sqlite_template, read_only=True) as corpus, pytest.raises(DiskError):
        SiteLocks(corpus, ["a.example"], tmp_path / "state").acquire()


@pytest.mark.parametrize("site", ["báo.example", "../../etc/passwd", "a" * 300, "", "a/b"])
def test_every_site_has_a_lock_file_of_its_own_in_the_folder(site: str) -> None:
    """Whatever a site is called, its lock file stays in the folder and differs from its neighbours'."""
    folder = Path("/locks")
    assert lock_file(folder, site).parent == folder
    assert len(lock_file(folder, site).name) < 100
    assert lock_file(folder, site) != lock_file(folder, site + "x")
    assert -(2**63) <= lock_key(site) < 2**63
