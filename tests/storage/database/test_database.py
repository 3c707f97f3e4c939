"""Database access: how it opens, who may read, which writes are flushed, and the words of errors."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from storage import Corpus, Selection
from storage.database.transactions import masked, parse_url
from storage.errors import ConfigError, CorpusError, DamageError, DatabaseError, DiskError
from tests.corpus_spider.faults import shim
from tests.corpus_spider.running import PATIENCE, environment
from tests.storage.corpus_samples import Crawl, made, texts

if TYPE_CHECKING:
    from pathlib import Path


def test_a_missing_corpus_says_how_to_make_one(database_url: str) -> None:
    """Opening what is not there is a configuration error, for reading and for writing, and makes nothing."""
    for read_only in (False, True):
        with pytest.raises(ConfigError, match="no corpus here") as caught:
            Corpus.open(database_url, read_only=read_only)
        assert "create=True" in caught.value.do


def test_a_kill_while_a_new_file_is_set_up_leaves_no_corpus_and_can_be_repeated(tmp_path: Path) -> None:
    """At each call until the schema begins: a reader says that there is no corpus, and the next start makes it."""
    opening = "import sys; from storage import Corpus; Corpus.open(sys.argv[1], create=True)"
    library = shim(tmp_path)
    for call in range(1, 12):
        folder = tmp_path / str(call)
        folder.mkdir()
        fault = {"LD_PRELOAD": str(library), "DISK_ROOT": str(folder), "DISK_FAULT": f"kill@any:{call}"}
        command = [sys.executable, "-c", opening, str(folder / "corpus.db")]
        killed = subprocess.run(command, env=environment(**fault), start_new_session=True, check=False)
        assert killed.returncode == -9
        shutil.copytree(folder, tmp_path / "read")
        with pytest.raises(ConfigError, match="no corpus here"):
            Corpus.open(tmp_path / "read" / "corpus.db", read_only=True)
        shutil.rmtree(tmp_path / "read")
        with Corpus.open(folder / "corpus.db", create=True) as corpus:
            Crawl(corpus).visit("x", made("text"))
            assert corpus.problems() == []


def test_reading_only_is_enforced_by_the_database(database_url: str) -> None:
    """A corpus opened for reading refuses to be written, and reads."""
    with Corpus.open(database_url, create=True) as corpus:
        Crawl(corpus).visit("x", made("text"))
    with Corpus.open(database_url, read_only=True) as corpus:
        assert texts(corpus) == ["text"]
        with pytest.raises(CorpusError, match=r"read-?only"):
            corpus.runs.start("{}")
        with pytest.raises(CorpusError, match=r"read-?only"):
            corpus.database.read(lambda connection: connection.execute(sa.text("DELETE FROM document_text")))
        assert texts(corpus) == ["text"]


def test_what_others_have_changed_is_noticed(tmp_path: Path) -> None:
    """From the moment it is watched, and in spite of views that go on showing what was there before."""
    path = tmp_path / "corpus.db"
    with Corpus.open(path, create=True) as corpus, Corpus.open(path) as other:
        Crawl(other).visit("x", made("text"))
        with corpus.documents.view(Selection()) as view, corpus.database.watched() as has_changed:
            assert not has_changed()
            Crawl(other).visit("y", made("another text, and longer"))
            assert has_changed()
            assert [each.text for page in view.pages() for each in view.documents(page)] == ["text"]
        with corpus.database.watched() as has_changed:
            assert not has_changed()
        assert sorted(texts(corpus)) == ["another text, and longer", "text"]


def test_a_new_sqlite_corpus_is_for_its_owner_and_durable(tmp_path: Path) -> None:
    """Mode 0600 for the file and its companions, folders made, WAL, synchronous=FULL, foreign keys on, large pages."""
    path = tmp_path / "new" / "folder" / "corpus.db"
    with Corpus.open(path, create=True) as corpus:
        corpus.runs.start("{}")
        assert {stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()} == {0o600}
        pragmas = ("journal_mode", "synchronous", "foreign_keys", "page_size", "busy_timeout")
        with corpus.database.engine.connect() as connection:
            values = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in pragmas]
    assert values == ["wal", 2, 1, 8192, 30000]


def test_only_what_may_be_lost_does_not_wait_for_the_disk(database_url: str) -> None:
    """Leases and wakings do not, and what is written after them on the same connection does again.

    PostgreSQL may crash under a crawl that goes on, and undo what the crawl believes: there everything waits.
    """
    with Corpus.open(database_url, create=True) as corpus:
        asked = "PRAGMA synchronous" if corpus.database.is_sqlite else "SHOW synchronous_commit"

        def waits(connection: sa.Connection) -> bool:
            return str(connection.exec_driver_sql(asked).scalar()) in {"2", "on"}

        hasty = not corpus.database.is_sqlite
        assert [corpus.database.write(waits, durable=durable) for durable in (True, False, True)] == [True, hasty, True]
        written: list[bool] = []
        sa.event.listen(
            corpus.database.writer, "commit", lambda connection: written.append(waits(connection)), named=False
        )
        corpus.frontier.wake(["news"], 0.0)
        run = corpus.runs.start("{}")
        corpus.frontier.lease(run, {"news.example": 1}, 0.0)
        assert written == [hasty, True, hasty]


def test_commits_wait_where_a_server_is_set_not_to(postgresql_url: str) -> None:
    """With ``synchronous_commit = off`` a crash of PostgreSQL would undo what a crawl was told is stored."""
    with Corpus.open(f"{postgresql_url}?options=-c%20synchronous_commit%3Doff", create=True) as corpus:

        def asked(connection: sa.Connection) -> str:
            return str(connection.exec_driver_sql("SHOW synchronous_commit").scalar())

        assert [corpus.database.read(asked), corpus.database.write(asked)] == ["off", "local"]


def test_a_sqlite_corpus_in_a_read_only_folder_can_be_read(tmp_path: Path) -> None:
    """A corpus on read-only media needs no companion files."""
    path = tmp_path / "media" / "corpus.db"
    with Corpus.open(path, create=True) as corpus:
        Crawl(corpus).visit("x", made("text"))
    before = sorted(path.parent.iterdir())
    with Corpus.open(path, read_only=True) as corpus:
        assert texts(corpus) == ["text"]
    assert before == [path]


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to look at" * 100, b"SQLite format 3\x00" + b"\xff" * 4080]
)
def test_a_file_that_is_no_database_is_damage(tmp_path: Path, content: bytes) -> None:
    """Garbage in place of the corpus ends with our own error and stays as it is."""
    path = tmp_path / "corpus.db"
    path.write_bytes(content)
    with pytest.raises(DamageError):
        Corpus.open(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "damage",
    [
        "document_text SET captions = '{'",
        "document SET quality = 'good'",
        "http_fetch SET fetched_at = 'yesterday'",
        "fingerprint SET exact = 9",
    ],
)
def test_values_of_another_kind_are_damage_of_a_named_document(tmp_path: Path, damage: str) -> None:
    """SQLite keeps any value that a stranger puts into a column; it is never read as a list or a time."""
    path = tmp_path / "corpus.db"
    with Corpus.open(path, create=True) as corpus:
        Crawl(corpus).visit("x", made("text"))
        (document,) = corpus.documents()
        with closing(sqlite3.connect(path)) as other, other:
            assert other.execute(f"UPDATE {damage}").rowcount == 1
        with pytest.raises(DamageError, match=document.id):
            list(corpus.documents())


def test_a_text_that_is_none_any_more_is_damage(tmp_path: Path) -> None:
    """A bit that has turned in a file: it is told at once, and not waited for as for a server that is away."""
    path = tmp_path / "corpus.db"
    with Corpus.open(path, create=True) as corpus:
        Crawl(corpus).visit("x", made("text"))
        for reported, damage in (("decode", "CAST(x'61ff62' AS TEXT)"), ("bytes instead", "x'61ff62'")):
            with closing(sqlite3.connect(path)) as other, other:
                other.execute(f"UPDATE document_text SET text = {damage}")
            if reported == "decode":
                with pytest.raises(DamageError, match=reported):
                    texts(corpus)
            else:
                assert [problem for problem in corpus.problems() if reported in problem]


def test_a_pointer_that_is_no_number_is_damage(tmp_path: Path) -> None:
    """SQLite keeps words and fractions in a column of whole numbers."""
    path = tmp_path / "corpus.db"
    with Corpus.open(path, create=True) as corpus:
        Crawl(corpus).visit("x", made("text"))
        for value in ("'far away'", "1e30"):
            with closing(sqlite3.connect(path)) as other, other:
                other.execute(f"UPDATE http_fetch SET warc_length = {value}")
            with pytest.raises(DamageError, match="no numbers"):
                list(corpus.fetches())


def test_a_full_disk_is_a_disk_error_and_loses_nothing(tmp_path: Path) -> None:
    """When SQLite runs out of space the group is rolled back whole, and succeeds once there is room; it says the same
    of a full /tmp, which is named too.
    """
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        crawl = Crawl(corpus)
        crawl.seed("x")
        leases = crawl.lease()
        ids = crawl.fetch(*leases)
        with corpus.database.engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages + 2}")
        group = [(ids[0], leases[0], made("long " * 100_000))]
        with pytest.raises(DiskError, match="full") as reported:
            corpus.documents.record_processed(group)
        assert "TMPDIR" in str(reported.value)
        assert corpus.fetches.count_unprocessed() == 1
        with corpus.database.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count=1000000")
        corpus.documents.record_processed(group)
        assert corpus.fetches.count_unprocessed() == 0


def test_a_held_write_lock_is_waited_for(tmp_path: Path) -> None:
    """Another program in the middle of a write delays ours and does not break it."""
    path = tmp_path / "corpus.db"
    with Corpus.open(path, create=True) as corpus:
        other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        done = threading.Event()
        writer = threading.Thread(target=lambda: (corpus.runs.start("{}"), done.set()))
        writer.start()
        assert not done.wait(0.3)
        other.execute("COMMIT")
        other.close()
        assert done.wait(PATIENCE)
        writer.join(PATIENCE)


@pytest.mark.parametrize("lock", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_corpus_that_another_program_is_making_is_waited_for(tmp_path: Path, lock: str) -> None:
    """Neither fails, though SQLite has no wait for the change to WAL mode."""
    path = tmp_path / "corpus.db"
    path.touch()
    with ThreadPoolExecutor(1) as apart, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(lock)
        opened = apart.submit(Corpus.open, path, create=True)
        assert not wait([opened], 0.3).done
        other.execute("ROLLBACK")
        with opened.result(PATIENCE) as corpus:
            assert corpus.runs.start("{}") == 1


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ("postgres://me:secret@db.example:5433/news", "postgresql://me:***@db.example:5433/news"),
        (
            "postgresql://db.example/news?password=secret&sslmode=require",
            "postgresql://db.example/news?password=***&sslmode=require",
        ),
        ("postgresql://me@%2Frun%2Fpg:5433/news", "postgresql://me@/news?host=%2Frun%2Fpg&port=5433"),
        ("corpus.db", "sqlite:///corpus.db"),
    ],
)
def test_database_addresses_are_shown_without_secrets(where: str, shown: str) -> None:
    """Both spellings of PostgreSQL are taken; a password is never shown, wherever it stands."""
    assert masked(parse_url(where)).replace("%2A", "*") == shown


@pytest.mark.parametrize("name", ["نوی/corpus.db", "mine & yours/50%20 ?#.db", "ü.db"])
def test_a_file_is_shown_as_it_is_named(tmp_path: Path, name: str) -> None:
    """What `move` has people write into corpus.toml was percent-encoded there, and so the name of another file."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    Corpus.open(tmp_path / name, create=True).close()
    with Corpus.open(f"sqlite:///{tmp_path / name}", read_only=True) as corpus:
        assert corpus.name == f"sqlite:///{tmp_path / name}"
    Corpus.open(corpus.name, read_only=True).close()


@pytest.mark.parametrize(
    "where", ["mysql://me:secret@db/x", "postgresql://me:secret@db:port/x", "sqlite://", "sqlite:///:memory:"]
)
def test_addresses_that_will_not_do_are_configuration_errors(where: str) -> None:
    """Other databases, unreadable URLs and corpora in memory are refused without showing a password."""
    with pytest.raises(ConfigError) as caught:
        Corpus.open(where, create=True)
    assert "secret" not in str(caught.value)


def test_a_server_that_is_not_there_is_said_at_once() -> None:
    """Opening does not wait for a PostgreSQL that refuses, and its error has no password."""
    with pytest.raises(DatabaseError) as caught:
        Corpus.open("postgresql://me:secret@127.0.0.1:1/x", create=True)
    assert "secret" not in str(caught.value)
    assert caught.value.exit_code == 4
