"""PostgreSQL servers, databases and roles that are set up for other programs: a corpus reads and writes as anywhere, or
says what to change.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
import sqlalchemy as sa

from storage.corpus import Corpus
from storage.database import copy
from storage.database.migrations import migrate
from storage.documents.selection import Selection
from storage.errors import ConfigError, CorpusError, DatabaseError
from tests.corpus_spider.running import until
from tests.storage.corpus_samples import Crawl, made, with_parts

if TYPE_CHECKING:
    from tests.conftest import PostgresServer

TEXT = "Tiếng Việt, العربية, 漢字, 𐍈 and 'quotes' \\ \" %"


def texts(corpus: Corpus) -> list[str]:
    return [document.text for document in corpus.documents()]


def arrange(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


OTHERS = {
    "client_encoding": "'LATIN1'",
    "datestyle": "'SQL, DMY'",
    "default_transaction_isolation": "'repeatable read'",
    "extra_float_digits": "0",
    "idle_in_transaction_session_timeout": "'1h'",
    "idle_session_timeout": "'1h'",
    "lock_timeout": "'1h'",
    "row_security": "on",
    "standard_conforming_strings": "off",
    "statement_timeout": "'1h'",
}
OURS = {
    "client_encoding": "UTF8",
    "datestyle": "ISO, DMY",
    "default_transaction_isolation": "read committed",
    "extra_float_digits": "1",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "lock_timeout": "1min",
    "row_security": "off",
    "statement_timeout": "0",
}


def test_what_a_database_is_set_to_for_other_programs_is_not_for_a_corpus(postgresql_url: str) -> None:
    """Texts and times come back as they were; no limit ends an export, or a lock between two pages; transactions see
    what was done while they waited for their turn; no row is left out without a word.
    """
    name = postgresql_url.rpartition("/")[2]
    arrange(postgresql_url, *(f"ALTER DATABASE {name} SET {key} = {value}" for key, value in OTHERS.items()))
    with Corpus.open(postgresql_url, create=True) as corpus:
        Crawl(corpus).visit("x", with_parts(made(TEXT), confidence=2 / 3))
        assert texts(corpus) == [TEXT]
        assert [document.confidence for document in corpus.documents()] == [2 / 3]
        assert corpus.runs()[0].started.tzinfo is not None
        assert corpus.problems() == []
        locks = {key: corpus.database.session(lambda asking, key=key: shown(asking, key)) for key in OURS}
        assert locks == OURS
        with corpus.database.writer.begin() as connection:
            assert connection.exec_driver_sql("SHOW transaction_isolation").scalar_one() == "read committed"
    for read_only in (False, True):
        with Corpus.open(postgresql_url, read_only=read_only) as corpus, corpus.database.snapshot() as connection:
            assert {key: connection.exec_driver_sql(f"SHOW {key}").scalar_one() for key in OURS} == OURS


def shown(session: psycopg.Connection, key: str) -> str:
    row = session.execute(f"SHOW {key}".encode()).fetchone()
    assert row is not None
    return str(row[0])


def limits(connection: sa.Connection) -> list[str]:
    names = ("statement_timeout", "idle_in_transaction_session_timeout")
    return [connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in names]


def test_no_limit_of_time_ends_what_takes_in_or_changes_a_whole_corpus(
    postgresql_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that writes a few pages is ended when it hangs; a migration or a move may take hours, and one of its
    statements, or what it reads meanwhile, longer than that.
    """
    found = list[list[str]]()
    monkeypatch.setattr(copy, "_continue_numbering", lambda connection: found.append(limits(connection)))
    with Corpus.open(postgresql_url, create=True) as corpus, Corpus.open(tmp_path / "one.db", create=True) as one:
        assert corpus.database.write(limits) == ["5min", "2min"]
        copy.transfer(one.database, corpus.database)
        with corpus.database.writer.begin() as connection:
            migrate(connection)
            found.append(limits(connection))
        assert found == [["0", "0"]] * 2
        assert corpus.database.write(limits) == ["5min", "2min"]


@pytest.mark.parametrize(("encoding", "works"), [("SQL_ASCII", True), ("LATIN1", False)])
def test_a_database_that_cannot_hold_every_text_is_refused(
    postgres_server: PostgresServer, encoding: str, *, works: bool
) -> None:
    """Its corpus would lack nearly every page; one that takes bytes as they are will do."""
    name = f"encoded_{encoding.lower()}"
    postgres_server.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
    url = postgres_server.url(name)
    try:
        if not works:
            with pytest.raises(ConfigError, match=f"{encoding}[^\n]*\n.*createdb"):
                Corpus.open(url, create=True)
            return
        with Corpus.open(url, create=True) as corpus:
            Crawl(corpus).visit("x", made(TEXT))
            assert texts(corpus) == [TEXT]
    finally:
        postgres_server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_database_that_sorts_by_a_language_exports_the_same_texts(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    """Of texts that repeat each other the earliest is the same one, whichever of + and - comes first there."""
    icu = "ENCODING 'UTF8' LOCALE 'C.UTF-8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US' TEMPLATE template0"
    try:
        postgres_server.execute(f"CREATE DATABASE by_language {icu}")
    except psycopg.Error as error:
        pytest.skip(f"this server sorts by no language: {error}")
    chosen = []
    try:
        for where in (postgres_server.url("by_language"), str(tmp_path / "corpus.db")):
            with Corpus.open(where, create=True) as corpus:
                crawl = Crawl(corpus)
                for path, zone in (("one", "-03:00"), ("two", "+07:00")):
                    crawl.visit(path, made(TEXT, published=f"2026-01-01T10:00:00{zone}"))
                chosen.append([document.url for document in corpus.documents(Selection(representative="earliest"))])
    finally:
        postgres_server.execute("DROP DATABASE by_language WITH (FORCE)")
    assert chosen == [["https://a.example/two"]] * 2


@pytest.mark.parametrize("versions", [["8f3a1c2b9d4e"], ["0001", "0002"], [""], ["0000"], ["0001\x1b[31m"]])
def test_tables_of_another_program_are_no_corpus(sqlite_template: Path, tmp_path: Path, versions: list[str]) -> None:
    """They are neither taken for a corpus of a newer release nor brought forward."""
    path = Path(shutil.copy(sqlite_template, tmp_path / "corpus.db"))
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("DELETE FROM alembic_version")
        other.executemany("INSERT INTO alembic_version VALUES (?)", [(version,) for version in versions])
    before = path.read_bytes()
    for create in (False, True):
        with pytest.raises(ConfigError, match="not those of a corpus") as caught:
            Corpus.open(path, create=create)
        assert "\x1b" not in str(caught.value)
    assert path.read_bytes() == before


@pytest.fixture(scope="module")
def own_url(postgres_server: PostgresServer) -> str:
    """A PostgreSQL corpus of this test alone."""
    url = postgres_server.url(postgres_server.new_database())
    Corpus.open(url, create=True).close()
    return url


REFUSING = """
CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$;
CREATE TRIGGER no BEFORE INSERT ON run EXECUTE FUNCTION no()
"""


@pytest.mark.parametrize(
    ("statement", "undo", "advice"),
    [
        ("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM reader", "", "grant"),
        ("REVOKE INSERT ON run FROM reader", "", "grant"),
        ("ALTER ROLE reader SET default_transaction_read_only = on", "", "default_transaction_read_only"),
        ("ALTER ROLE reader SET search_path = elsewhere", "", "there is no corpus here"),
        ("ALTER TABLE run RENAME TO ran", "ALTER TABLE ran RENAME TO run", "Restore"),
        (
            "ALTER TABLE run RENAME COLUMN started TO begun",
            "ALTER TABLE run RENAME COLUMN begun TO started",
            "Restore",
        ),
        (
            REFUSING,
            "DROP FUNCTION no CASCADE",
            "log of the server",
        ),
        ("ALTER TABLE run ENABLE ROW LEVEL SECURITY", "ALTER TABLE run DISABLE ROW LEVEL SECURITY", "grant"),
    ],
)
def test_a_database_that_refuses_is_reported_with_what_to_do_about_it(
    own_url: str, statement: str, undo: str, advice: str
) -> None:
    """That it runs and can be reached, everybody knows by then."""
    arrange(own_url, "CREATE ROLE reader LOGIN", "GRANT ALL ON ALL TABLES IN SCHEMA public TO reader", statement)
    try:
        with pytest.raises(CorpusError, match=advice):
            run_in(own_url.replace("corpus@", "reader@"))
    finally:
        arrange(own_url, *filter(None, (undo, "DROP OWNED BY reader", "DROP ROLE reader")))


@pytest.mark.parametrize(
    ("known", "given", "advice"),
    [
        ("corpus@", "nobody@", "Correct user and password"),
        ("corpus@", "crowded@", "connection limit"),
        ("/test", "/no_test", "createdb"),
        ("", "?sslmode=require", "Correct the parameters"),
        ("", "?sslmode=strict", "Correct the parameters"),
        ("", "?connect_timeout=soon", "Correct the parameters"),
        ("127.0.0.1", "127.0.0.2", "reachable"),
    ],
)
def test_a_server_that_refuses_a_connection_is_reported_with_what_to_do_about_it(
    own_url: str, known: str, given: str, advice: str
) -> None:
    """That it can be reached is known where it answers; of a connection that it refuses it gives no code."""
    arrange(own_url, "CREATE ROLE crowded LOGIN CONNECTION LIMIT 0")
    try:
        with pytest.raises(DatabaseError, match=advice):
            Corpus.open(own_url.replace(known, given) if known else own_url + given)
    finally:
        arrange(own_url, "DROP ROLE crowded")


def run_in(url: str) -> None:
    """Open a corpus, write to it and read."""
    with Corpus.open(url) as corpus:
        corpus.runs.start("{}")
        corpus.runs()


def test_a_statement_that_somebody_cancels_is_begun_again(own_url: str) -> None:
    """pg_cancel_backend ends a query, not a crawl."""
    with Corpus.open(own_url) as corpus, psycopg.connect(own_url, autocommit=True) as other:
        asked: list[int] = []

        def work(connection: sa.Connection) -> int:
            asked.append(connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one())
            if len(asked) == 1:
                connection.execute(sa.text("SELECT pg_sleep(600)"))
            return len(asked)

        results: list[int] = []
        writing = threading.Thread(target=lambda: results.append(corpus.database.write(work)))
        writing.start()
        sleeping = b"SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = %s AND query LIKE '%%pg_sleep%%'"
        until(lambda: asked)
        until(lambda: other.execute(sleeping, (asked[0],)).fetchone() or results)
        writing.join()
        assert results == [2]
