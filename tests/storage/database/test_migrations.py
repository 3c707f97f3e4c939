"""Schema versions: one history, forward only, all or nothing, and never a newer corpus."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from errno import ENOSPC
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from storage.corpus import Corpus
from storage.database import migrations, opening
from storage.database.migrations import current_versions, migrate
from storage.database.schema import FIRST_SCHEMA, FIRST_TRY, SCHEMA_VERSION, metadata
from storage.database.transactions import connect, parse_url
from storage.errors import ConfigError, CorpusError, DiskError, NewerCorpusError
from storage.failpoints import parse
from tests.corpus_spider.running import PATIENCE
from tests.storage.corpus_samples import Crawl, made
from tests.storage.next_release import NEXT, next_release, open_as, scripts_of

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection


def test_the_migrations_make_exactly_the_schema(database_url: str) -> None:
    """A corpus made by the migrations has the tables, columns, keys and indexes that schema.py describes."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with Corpus.open(database_url, create=True) as corpus, corpus.database.snapshot() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert current_versions(connection) == [SCHEMA_VERSION]


def test_partial_indexes_have_the_conditions_of_the_schema(database_url: str) -> None:
    """The database has the partial indexes that schema.py names, SQLite with the same text of their conditions."""
    stated = {
        str(index.name): index.info["where"]
        for table in metadata.tables.values()
        for index in table.indexes
        if index.info
    }
    with Corpus.open(database_url, create=True) as corpus, corpus.database.snapshot() as connection:
        is_sqlite = connection.dialect.name == "sqlite"
        table = "name, sql FROM sqlite_master" if is_sqlite else "indexname, indexdef FROM pg_indexes"
        rows = connection.exec_driver_sql(f"SELECT {table}").all()
    found = {
        name: made.partition(" WHERE ")[2]
        for name, made in rows
        if made and made.startswith("CREATE") and " WHERE " in made
    }
    assert sorted(name for name in found if name.startswith("ix_")) == sorted(stated)
    if is_sqlite:
        assert {name: found[name] for name in stated} == stated
        # Alembic does not compare indexes on expressions there.
        assert FIRST_TRY in dict(rows)["ix_url_due"]


def test_this_release_is_the_head_of_one_history() -> None:
    """The revisions are a single line from the first schema to that of the program."""
    from alembic.script import ScriptDirectory

    history = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert (history.get_bases(), history.get_heads()) == ([FIRST_SCHEMA], [SCHEMA_VERSION])
    numbers = [script.revision for script in history.walk_revisions()]
    assert numbers == sorted(numbers, reverse=True)


def test_opening_again_changes_nothing(database_url: str) -> None:
    """``create`` on a corpus that exists opens it."""
    with Corpus.open(database_url, create=True) as corpus:
        Crawl(corpus).visit("x", made("text"))
    with Corpus.open(database_url, create=True) as corpus:
        assert corpus.status().documents == 1


def test_two_programs_may_make_a_corpus_at_once(database_url: str) -> None:
    """Both end with the same, whole corpus."""
    failures: list[BaseException] = []

    def make() -> None:
        try:
            with Corpus.open(database_url, create=True) as corpus:
                corpus.runs.start("{}")
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    makers = [threading.Thread(target=make) for _ in range(4)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join(PATIENCE)
    assert failures == []
    with Corpus.open(database_url, read_only=True) as corpus:
        assert corpus.status().last_run["id"] == "4"


def test_a_newer_corpus_is_refused_and_untouched(database_url: str) -> None:
    """A schema that this program does not know ends with exit code 9, for reading and for writing."""
    newer = sa.text("UPDATE alembic_version SET version_num = '9999'")
    with Corpus.open(database_url, create=True) as corpus:
        corpus.database.write(lambda connection: connection.execute(newer))
    for read_only in (False, True):
        with pytest.raises(NewerCorpusError, match="9999") as caught:
            Corpus.open(database_url, read_only=read_only, create=not read_only)
        assert caught.value.exit_code == 9


@pytest.mark.parametrize("version", ["0001", "0015", "0023"])
def test_a_corpus_from_before_the_first_release_is_refused_and_untouched(database_url: str, version: str) -> None:
    """The error names the commit that can bring it forward. This program has no migrations of before."""
    with Corpus.open(database_url, create=True) as corpus:
        Crawl(corpus).visit("x", made("text"))
        older = sa.text(f"UPDATE alembic_version SET version_num = '{version}'")
        corpus.database.write(lambda connection: connection.execute(older))
    for opening_it in (
        lambda: Corpus.open(database_url, read_only=True),
        lambda: Corpus.open(database_url, create=True),
        lambda: opening.pending_steps(database_url),
    ):
        with pytest.raises(ConfigError, match=f"schema {version}, from before the first release") as caught:
            opening_it()
        assert "`corpus-spider migrate` once with the program's source of commit" in caught.value.do
    left = connect(parse_url(database_url))
    assert left.read(current_versions) == [version]
    left.close()


def test_the_next_release_keeps_every_row_and_a_copy(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening for writing migrates; opening for reading does not dare to; SQLite keeps a copy of before."""
    with Corpus.open(database_url, create=True) as corpus:
        Crawl(corpus).visit("x", made("Một văn bản \U0001f600"))
    open_as(next_release(tmp_path), monkeypatch)
    with pytest.raises(ConfigError, match="older schema"):
        Corpus.open(database_url, read_only=True)
    with Corpus.open(database_url) as corpus:
        assert [each.text for each in corpus.documents()] == ["Một văn bản \U0001f600"]
        assert corpus.database.read(genres) == ["news"]
        is_sqlite = corpus.database.is_sqlite
    copies = list(tmp_path.glob("corpus.db.before-*"))
    assert [path.name for path in copies] == ([f"corpus.db.before-{NEXT}-from-{SCHEMA_VERSION}"] if is_sqlite else [])
    monkeypatch.undo()
    for copy in copies:
        with Corpus.open(copy, read_only=True) as corpus:
            assert corpus.status().documents == 1


def test_a_migration_reports_its_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First the pages of the copy, then each step of the schema."""
    path = tmp_path / "corpus.db"
    Corpus.open(path, create=True).close()
    open_as(next_release(tmp_path), monkeypatch)
    reported: list[tuple[str, int, int | None]] = []
    Corpus.open(path, on_progress=lambda *each: reported.append(each)).close()
    assert reported[0][0] == "database pages copied"
    assert reported[-2:] == [("schema steps", 0, 1), ("schema steps", 1, 1)]


def test_a_corpus_that_another_program_has_just_brought_forward_keeps_its_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy is of the older schema, whichever of two that open the corpus at once comes first."""
    path = tmp_path / "corpus.db"
    Corpus.open(path, create=True).close()
    open_as(next_release(tmp_path), monkeypatch)
    look, others = opening.current_versions, [lambda: Corpus.open(path).close()]

    def looked(connection: Connection) -> list[str]:
        found = look(connection)
        while others:
            others.pop()()
        return found

    monkeypatch.setattr(opening, "current_versions", looked)
    Corpus.open(path).close()
    (copy,) = tmp_path.glob("corpus.db.before-*")
    with sa.create_engine(f"sqlite:///{copy}").connect() as connection:
        assert look(connection) == [SCHEMA_VERSION]


def test_a_migration_without_room_for_the_copy_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk while SQLite's file is copied: an error of the disk, and the corpus as before."""
    path = tmp_path / "corpus.db"
    with Corpus.open(path, create=True) as corpus:
        Crawl(corpus).visit("x", made("text"))
    open_as(next_release(tmp_path), monkeypatch)

    def full(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(opening, "copy_pages", full)
        with pytest.raises(DiskError):
            Corpus.open(path)
    assert not list(tmp_path.glob(f"corpus.db.before-{NEXT}-from-{SCHEMA_VERSION}"))
    monkeypatch.undo()
    with Corpus.open(path) as corpus:
        assert (corpus.status().documents, corpus.database.read(current_versions)) == (1, [SCHEMA_VERSION])


def genres(connection: Connection) -> list[str]:
    return list(connection.execute(sa.text("SELECT genre FROM document")).scalars())


def test_a_migration_that_fails_leaves_the_corpus_as_it_was(database_url: str, tmp_path: Path) -> None:
    """Schema and rows change in one transaction: after an error half way there is nothing of it."""
    scripts = scripts_of(next_release(tmp_path, fault='op.execute("SELECT no_such_column FROM document")'))
    with Corpus.open(database_url, create=True) as corpus:
        Crawl(corpus).visit("x", made("text"))
        with pytest.raises(CorpusError, match="no_such_column"):
            corpus.database.write(lambda connection: migrate(connection, NEXT, scripts))
        columns = corpus.database.read(lambda connection: sa.inspect(connection).get_columns("document"))
        assert "genre" not in {column["name"] for column in columns}
        assert corpus.database.read(current_versions) == [SCHEMA_VERSION]
        assert corpus.status().documents == 1


def test_a_kill_while_a_corpus_is_made_leaves_nothing_that_stands_in_the_way(database_url: str) -> None:
    """Killed before the commit, there is no corpus yet; the next start makes it."""
    code = "import sys; from storage.corpus import Corpus; Corpus.open(sys.argv[1], create=True)"
    environment = os.environ | {
        "PYTHONPATH": str(Path(__file__).parents[3]),
        "CORPUS_SPIDER_FAILPOINT": "in_migration:1",
    }
    command = [sys.executable, "-c", code, database_url]
    killed = subprocess.run(command, env=environment, start_new_session=True, timeout=PATIENCE, check=False)
    assert killed.returncode == -signal.SIGKILL
    with pytest.raises(ConfigError, match="no corpus here"):
        Corpus.open(database_url)
    with Corpus.open(database_url, create=True) as corpus:
        Crawl(corpus).visit("x", made("text"))
        assert corpus.status().documents == 1


@pytest.mark.parametrize(("setting", "expected"), [("", ("", 1)), ("place", ("place", 1)), ("place:3", ("place", 3))])
def test_a_failpoint_is_a_name_and_a_count(setting: str, expected: tuple[str, int]) -> None:
    """The variable of the crash tests is read as ``name:N``."""
    assert parse(setting) == expected
