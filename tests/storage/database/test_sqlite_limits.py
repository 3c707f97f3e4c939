"""What SQLite cannot do: network file systems are refused, old releases named, and one transaction writes at a time."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from storage.corpus import Corpus
from storage.database import sqlite_limits
from storage.errors import DiskError
from tests.corpus_spider.running import often

if TYPE_CHECKING:
    import sqlalchemy as sa

MOUNTS = """22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 27 0:50 / /home rw,relatime - nfs4 server:/home rw,vers=4.2
41 40 0:51 / /home/me/local rw - xfs /dev/sdb1 rw
42 27 0:52 / /mnt/my\\040disk rw - fuse.sshfs me@host: rw
43 27 0:53 / /srv rw - ext4 /dev/sdc1 rw
44 27 0:54 / /srv rw - cifs //host/share rw
not a mount
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/corpus.db", "ext4"),
        ("/home/me/corpus.db", "nfs4"),
        ("/home/me/local/corpus.db", "xfs"),
        ("/home/me/localised/corpus.db", "nfs4"),
        ("/homes/corpus.db", "ext4"),
        ("/mnt/my disk/corpus.db", "fuse.sshfs"),
        ("/srv/corpus.db", "cifs"),
    ],
)
def test_the_file_system_of_a_path_is_that_of_the_nearest_mount(path: str, kind: str) -> None:
    """Whole names count, spaces are read, and the later of two mounts hides the earlier."""
    assert sqlite_limits.file_system(Path(path), MOUNTS) == kind
    assert sqlite_limits.file_system(Path(path), "") == ""


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "ext4", "overlay", "9p", "fuse.mergerfs"])
def test_a_corpus_on_a_network_file_system_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Before anything is made there, and with what to do instead; other file systems are taken."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"27 1 254:0 / / rw - ext4 /dev/vda rw\n28 27 0:9 / {tmp_path.resolve()} rw - {kind} x rw\n")
    monkeypatch.setattr(sqlite_limits, "MOUNTS", mounts)
    path = tmp_path / "new" / "corpus.db"
    if kind in {"nfs4", "cifs", "fuse.sshfs"}:
        with pytest.raises(DiskError, match=rf"network file system \({kind}\)"):
            Corpus.open(path, create=True)
        assert not path.parent.exists()
    else:
        Corpus.open(path, create=True).close()


@pytest.mark.parametrize(
    ("version", "sound"),
    [
        ("3.40.1", False),
        ("3.44.5", False),
        ("3.44.6", True),
        ("3.50.6", False),
        ("3.50.7", True),
        ("3.51.2", False),
        ("3.51.3", True),
        ("3.53.0", True),
        ("4.0", True),
    ],
)
def test_releases_with_the_wal_reset_bug_are_known(version: str, *, sound: bool) -> None:
    """It was mended in 3.51.3, and later in two older lines."""
    assert sqlite_limits.is_sound(version) is sound


def test_one_transaction_writes_at_a_time_and_nothing_is_lost_beside_readers_and_checkpoints(tmp_path: Path) -> None:
    """Three threads write, four connections of others read on, and every commit may checkpoint."""
    path, each, writers = tmp_path / "corpus.db", often(40, 4000), 3
    under_way: set[int] = set()
    ended = threading.Event()

    def add(connection: sa.Connection, name: str, number: int) -> None:
        under_way.add(corpus.database.writer.pool.checkedout())  # type: ignore[attr-defined]
        connection.exec_driver_sql("INSERT INTO stress VALUES (?)", (f"{name}-{number}",))
        connection.exec_driver_sql("REPLACE INTO ballast VALUES (?, ?)", (number % 20, "x" * 200_000))

    def write(name: str) -> None:
        for number in range(each):
            corpus.database.write(lambda connection, number=number: add(connection, name, number), durable=False)

    def read(counts: list[int]) -> None:
        with closing(sqlite3.connect(path, timeout=60)) as connection:
            while not ended.is_set():
                count = connection.execute("SELECT count(*) FROM stress").fetchone()[0]
                counts += [count] * (count != counts[-1])

    with Corpus.open(path, create=True) as corpus:
        corpus.database.write(lambda connection: connection.exec_driver_sql("CREATE TABLE stress (name)"))
        ballast = "CREATE TABLE ballast (number INTEGER PRIMARY KEY, body)"
        corpus.database.write(lambda connection: connection.exec_driver_sql(ballast))
        seen: list[list[int]] = [[0] for _ in range(4)]
        readers = [threading.Thread(target=read, args=(counts,)) for counts in seen]
        threads = [threading.Thread(target=write, args=(f"w{number}",)) for number in range(writers)]
        try:
            for thread in (*readers, *threads):
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            ended.set()
        for thread in readers:
            thread.join()
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        assert connection.execute("SELECT count(DISTINCT name) FROM stress").fetchone() == (each * writers,)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert under_way == {1}
    assert all(counts == sorted(counts) for counts in seen)
