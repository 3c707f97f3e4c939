"""Adoption: records that only the WARC files have enter a database that is older than its archive."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from corpus_spider.archive import recovery
from corpus_spider.config.loader import load
from storage import Corpus
from storage.warc import OriginalStore
from tests.corpus_spider.faults import differences, state
from tests.corpus_spider.local_paper import Newspaper, corpus_toml
from tests.corpus_spider.running import run, well

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from corpus_spider.config.model import Config
    from tests.conftest import PostgresServer

Keep = tuple["Callable[[], None]", "Callable[[], None]"]


@pytest.fixture(params=["sqlite", "postgresql"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Keep]:
    """The URL of a database, what keeps a copy of it, and what puts the copy in its place."""
    if request.param == "sqlite":
        database, copy = tmp_path / "corpus.db", tmp_path / "older.db"
        keep = (lambda: shutil.copy(database, copy), lambda: shutil.copy(copy, database))
        return f"sqlite:///{database}", keep
    server: PostgresServer = request.getfixturevalue("postgres_server")
    url: str = request.getfixturevalue("postgresql_url")
    name = url.rpartition("/")[2]

    def put_back() -> None:
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")
        server.execute(f"ALTER DATABASE {name}_older RENAME TO {name}")

    return url, (lambda: server.execute(f"CREATE DATABASE {name}_older TEMPLATE {name}"), put_back)


def problems(folder: Path, *options: str) -> list[str]:
    return list(json.loads(run(folder, "check", "--json", *options).stdout)["problems"])


def notes(folder: Path, *options: str) -> list[str]:
    reported = json.loads(run(folder, "check", "--json", *options).stdout)["notes"]
    return [note for note in reported if not note.startswith("SQLite")]


def texts(database: str) -> dict[str, str]:
    with Corpus.open(database, read_only=True) as corpus:
        return {document.url: document.text for document in corpus.documents()}


def test_pages_that_only_the_archive_knows_are_read_from_there(
    tmp_path: Path, newspaper: Newspaper, kept: tuple[str, Keep]
) -> None:
    """After a database was restored from an older copy; no request is sent, and they are on the web no more."""
    database, (keep, put_back) = kept
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, database))
    newspaper.restless, newspaper.articles = True, 9
    well(tmp_path, "crawl")
    keep()
    newspaper.articles = 21
    well(tmp_path, "crawl", "--now")
    before = state(database)
    put_back()
    newspaper.articles = 9
    newspaper.asked.clear()
    late = max(path.name for path in (tmp_path / "warc").glob("*.warc.gz"))
    assert notes(tmp_path) == [f"{late}: the database does not know this file; the next crawl takes in what is missing"]
    (note,) = notes(tmp_path, "--deep")
    assert note.startswith(f"{late}: ")
    assert "records without a row" in note
    assert problems(tmp_path, "--deep") == []
    well(tmp_path, "crawl", "--now")
    assert differences(state(database)[:2], before[:2]) == []
    assert newspaper.asked["/article/15"] == 0
    assert problems(tmp_path, "--deep") == []


def test_a_corpus_is_rebuilt_from_its_archive(tmp_path: Path, newspaper: Newspaper) -> None:
    """Where the database is lost altogether: the same texts under the same ids, of each page the newest version."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    newspaper.restless = True
    well(tmp_path, "crawl")
    database = tmp_path / "corpus.db"
    before = texts(str(database))
    database.unlink()
    newspaper.articles = 1
    asked = newspaper.asked.total()
    for _ in range(2):
        refused = run(tmp_path, "crawl")
        assert refused.returncode == 2
        assert "WARC file, but the database is empty" in refused.stderr
        assert "crawl --rebuild" in refused.stderr
    assert newspaper.asked.total() == asked
    well(tmp_path, "crawl", "--rebuild")
    assert texts(str(database)) == before
    assert len(before) > 20
    assert problems(tmp_path, "--deep") == []
    with Corpus.open(database, read_only=True) as corpus:
        reasons = [fetch.reason for fetch in corpus.fetches(outcomes=["orphan"]) if fetch.status == 200]
        assert set(reasons) <= {None, "known", "not_html"}


def test_check_notes_what_only_the_archive_knew_until_a_crawl_reads_it(tmp_path: Path, newspaper: Newspaper) -> None:
    """As after an import, which indexes the files of a database that was lost and leaves their pages to a crawl."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    well(tmp_path, "crawl")
    (tmp_path / "corpus.db").unlink()
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        recovery.recover(corpus, OriginalStore(tmp_path / "warc"), ("newspaper",))
    (note,) = notes(tmp_path)
    assert note.endswith("responses in WARC files without a row; the next crawl takes in what is missing")
    well(tmp_path, "crawl")
    assert notes(tmp_path) == []


def test_a_page_that_was_removed_does_not_come_in_again(tmp_path: Path, newspaper: Newspaper) -> None:
    """Its original, in a file from a backup, is one that `remove` empties, as check says."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    well(tmp_path, "crawl")
    (file,) = (tmp_path / "warc").glob("*.warc.gz")
    copy = file.with_name(file.name.replace("-00001", "-00002"))
    shutil.copy(file, tmp_path / "copy")
    address = f"{newspaper.origin}/article/3"
    well(tmp_path, "remove", "--yes", "--url", address, "--reason", "asked")
    (tmp_path / "copy").rename(copy)
    well(tmp_path, "crawl", "--now")
    assert address not in texts(str(tmp_path / "corpus.db"))
    assert [line for line in problems(tmp_path) if "`corpus-spider remove` redacts it" in line]
    well(tmp_path, "remove")
    assert problems(tmp_path, "--deep") == []


@pytest.fixture
def config(tmp_path: Path, newspaper: Newspaper) -> Config:
    """That of a corpus that was crawled."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
    well(tmp_path, "crawl")
    return load(tmp_path / "corpus.toml")


def test_the_files_of_a_killed_run_are_noted_as_closed(config: Config) -> None:
    """Full files are noted too. `prune` deletes closed files only and would never delete them."""
    with Corpus.open(config.database_url) as corpus:
        (file,) = corpus.warc.files()
        size = file.size
        with corpus.database.writer.begin() as connection:
            connection.exec_driver_sql("UPDATE warc_file SET state = 'open', bytes = NULL")
        recovery.recover(corpus, config.originals, ("newspaper",))
        assert [(each.state, each.size) for each in corpus.warc.files()] == [("closed", size)]
        assert list(corpus.fetches(outcomes=["orphan"])) == []


@pytest.mark.parametrize("name", ["theirs.warc.gz", "news-20261120021500-5f3e-00001-r1.warc.gz"])
def test_other_files_are_left_alone(config: Config, name: str) -> None:
    """Those of other programs, and what a removal that was interrupted had begun to put in the place of a file."""
    (file,) = config.warc_folder.glob("*.warc.gz")
    shutil.copy(file, file.with_name(name if name.startswith("theirs") else file.name.replace(".warc", "-r1.warc")))
    with Corpus.open(config.database_url) as corpus:
        recovery.recover(corpus, config.originals, ("newspaper",))
        assert [each.name for each in corpus.warc.files()] == [file.name]
