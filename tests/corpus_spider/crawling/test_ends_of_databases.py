"""Crawls whose database is lost: they resume, or they end with the right exit code."""

from __future__ import annotations

import importlib
import signal
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from corpus_spider.archive import retention
from corpus_spider.config.loader import load
from corpus_spider.crawling import model_learning
from corpus_spider.crawling.session import Session
from corpus_spider.maintenance import reextract, remove
from corpus_spider.maintenance.copy_corpus import move as move_to
from storage import Corpus
from storage.documents.document_store import Documents
from storage.documents.site_models import SiteModels
from storage.errors import CorpusError, DatabaseError, LockedError
from storage.locking.locks import SiteLocks
from storage.removal.affected_pages import RemovalRequest, RequestKind
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, hanging
from tests.corpus_spider.running import PATIENCE, run, start, until, well

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from corpus_spider.config.model import Config
    from tests.conftest import PostgresServer


@pytest.fixture
def vanishing(postgres_server: PostgresServer, postgresql_url: str) -> Iterator[str]:
    """A database whose server the test may stop; it runs again afterwards."""
    yield postgresql_url
    postgres_server.start_again()


def crawl_until_lost(
    folder: Path, newspaper: Newspaper, server: PostgresServer, patience: int
) -> tuple[subprocess.Popen[str], list[str]]:
    """Start a crawl, stop its database in the middle, and wait until it says so."""
    gate = hanging(newspaper)
    crawl = start(folder, "crawl", CORPUS_SPIDER_DATABASE_PATIENCE=str(patience))
    until(lambda: newspaper.asked["/hang"] and newspaper.asked.total() > 8, lambda: newspaper.asked)
    server.stop("immediate")
    gate.set()
    said: list[str] = []
    assert crawl.stderr is not None
    while not said or "lost the database" not in said[-1]:
        said.append(crawl.stderr.readline())
        assert said[-1], said
    assert "WARNING" in said[-1]
    assert "trying again until" in said[-1]
    return crawl, said


def test_a_database_that_stays_away_ends_a_crawl_with_exit_code_4_and_one_message(
    tmp_path: Path, newspaper: Newspaper, postgres_server: PostgresServer, vanishing: str
) -> None:
    """After the patience, without a second wait; the next crawl adopts what had no rows yet."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, vanishing, delay=0.1, timeout=900))
    crawl, _ = crawl_until_lost(tmp_path, newspaper, postgres_server, patience=1)
    said = crawl.communicate(timeout=PATIENCE)[1]
    assert crawl.returncode == 4, said
    assert "Traceback" not in said
    assert "ERROR" not in said
    assert said.count("Check that the database is running") == 1
    postgres_server.start()
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, vanishing))
    well(tmp_path, "crawl")
    checked = run(tmp_path, "check", "--deep", "--json")
    assert checked.returncode == 0, checked.stdout


def test_a_signal_ends_the_waiting_for_a_database(
    tmp_path: Path, newspaper: Newspaper, postgres_server: PostgresServer, vanishing: str
) -> None:
    """With exit code 11, before the patience is over."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, vanishing, delay=0.1, timeout=900))
    crawl, _ = crawl_until_lost(tmp_path, newspaper, postgres_server, patience=900)
    crawl.send_signal(signal.SIGTERM)
    said = crawl.communicate(timeout=PATIENCE)[1]
    assert crawl.returncode == 11, said
    assert "Traceback" not in said


def test_a_database_that_comes_back_in_time_costs_nothing(
    tmp_path: Path, newspaper: Newspaper, postgres_server: PostgresServer, vanishing: str
) -> None:
    """The crawl goes on to its end, and every article is there."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, vanishing, delay=0.05, timeout=900))
    crawl, _ = crawl_until_lost(tmp_path, newspaper, postgres_server, patience=900)
    postgres_server.start()
    said = crawl.communicate(timeout=PATIENCE)[1]
    assert crawl.returncode == 0, said
    assert "the database is back" in said
    with Corpus.open(vanishing, read_only=True) as corpus:
        assert corpus.status().documents == newspaper.articles
    well(tmp_path, "check", "--deep")


def test_a_standby_that_takes_the_database_s_place_ends_a_crawl_and_the_next_completes_it(
    tmp_path: Path, newspaper: Newspaper, postgres_server: PostgresServer, vanishing: str
) -> None:
    """It may lack the last commits, in the midst of which the crawl would write on: pages that it believed to be stored
    were lost without a word.
    """
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, vanishing, delay=0.05, timeout=900))
    crawl, _ = crawl_until_lost(tmp_path, newspaper, postgres_server, patience=900)
    postgres_server.promote()
    postgres_server.start()
    said = crawl.communicate(timeout=PATIENCE)[1]
    assert crawl.returncode == 4, said
    assert said.count("another server or a copy has taken its place") == 1
    well(tmp_path, "crawl")
    well(tmp_path, "check", "--deep")
    with Corpus.open(vanishing, read_only=True) as corpus:
        assert corpus.status().documents == newspaper.articles


END_LOCKS = "SELECT pg_terminate_backend(pid, 60000) FROM pg_locks WHERE locktype = 'advisory'"


class Rival:
    """Another crawl of the same site, which has its lock once the session that held it has ended."""

    def __init__(self, corpus: Corpus, config: Config) -> None:
        self.corpus = corpus
        self.locks = SiteLocks(corpus, [site.name for site in config.sites], config.warc_folder / "locks")

    def take_over(self) -> None:
        """End the other's session, as administrators do with those that are idle for long, and take its locks."""
        self.corpus.database.read(lambda connection: connection.execute(sa.text(END_LOCKS)).all())
        self.locks.acquire()

    def come_and_go(self) -> None:
        self.take_over()
        self.locks.release()


@pytest.fixture
def config(tmp_path: Path, newspaper: Newspaper, postgresql_url: str) -> Config:
    """That of a corpus in PostgreSQL that was crawled."""
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, postgresql_url))
    well(tmp_path, "crawl")
    return load(tmp_path / "corpus.toml")


@pytest.fixture
def rival(config: Config) -> Iterator[Rival]:
    with Corpus.open(config.database_url) as corpus:
        rival = Rival(corpus, config)
        yield rival
        rival.locks.release()


def at_first(monkeypatch: pytest.MonkeyPatch, name: str, event: Callable[[], None]) -> None:
    """Have something happen right before a function is called for the first time."""
    module, _, function = name.rpartition(".")
    called, events = getattr(importlib.import_module(module), function), [event]

    def calling(*arguments: object, **named: object) -> object:
        if events:
            events.pop()()
        return called(*arguments, **named)

    monkeypatch.setattr(name, calling)


def move(config: Config) -> None:
    move_to(config, f"sqlite:///{config.path and config.path.with_name('moved.db')}")


@pytest.mark.parametrize(
    ("work", "moment", "event", "error"),
    [
        (reextract.reextract, "corpus_spider.maintenance.reextract.read_record", Rival.take_over, LockedError),
        (move, "storage.database.copy._continue_numbering", Rival.take_over, LockedError),
        (move, "storage.database.copy._continue_numbering", Rival.come_and_go, DatabaseError),
    ],
)
def test_a_command_that_has_lost_its_locks_to_a_crawl_stores_nothing(
    config: Config,
    rival: Rival,
    monkeypatch: pytest.MonkeyPatch,
    work: Callable[[Config], object],
    moment: str,
    event: Callable[[Rival], None],
    error: type[CorpusError],
) -> None:
    """What a crawl has stored meanwhile would be missing from what was moved."""
    stored = list[object]()
    monkeypatch.setattr(Documents, "record_processed", lambda *group, **_: stored.append(group))
    at_first(monkeypatch, moment, lambda: event(rival))
    with pytest.raises(error):
        work(config)
    assert stored == []
    moved = config.path and config.path.with_name("moved.db")
    if moved and moved.exists():
        with Corpus.open(moved) as corpus:
            assert corpus.runs() == []


def test_a_removal_that_has_lost_its_locks_to_a_crawl_takes_no_file_from_under_it(
    config: Config, rival: Rival, newspaper: Newspaper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That may be about to read pages in it. The next call finishes."""
    at_first(monkeypatch, "corpus_spider.archive.redaction.scrub", rival.take_over)
    files = [file.name for file in rival.corpus.warc.files()]
    with pytest.raises(LockedError):
        remove.remove(config, RemovalRequest(RequestKind.URL, f"{newspaper.origin}/article/3", "asked"))
    assert [file.name for file in rival.corpus.warc.files()] == files
    rival.locks.release()
    remove.remove(config)
    assert [file.name for file in rival.corpus.warc.files()] != files
    assert rival.corpus.problems() == []


@pytest.mark.parametrize("moment", ["corpus_spider.archive.retention.choose", "storage.warc.store.disk_errors"])
def test_pruning_that_has_lost_its_locks_to_a_crawl_removes_no_more_files(
    config: Config, rival: Rival, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Neither the first nor those that are left: the crawl may be about to read pages in them."""
    well(config.warc_folder.parent, "crawl", "--now")
    files = sorted(path.name for path in config.warc_folder.glob("*.warc.gz"))
    at_first(monkeypatch, moment, rival.take_over)
    with pytest.raises(LockedError):
        retention.prune(replace(config, archive=replace(config.archive, max=1)))
    gone = 1 if moment.endswith("disk_errors") else 0
    assert len(files) == 2
    assert sorted(path.name for path in config.warc_folder.glob("*.warc.gz")) == files[gone:]
    assert [file.state for file in rival.corpus.warc.files()].count("removed") == gone


def test_what_was_learned_is_not_stored_once_a_crawl_has_taken_the_locks(
    config: Config, rival: Rival, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That reads by what it has learned itself, since."""
    stored = list[str]()
    for name in ("add", "keep_lines"):
        monkeypatch.setattr(SiteModels, name, lambda *_, name=name: stored.append(name))
    at_first(monkeypatch, "corpus_spider.crawling.model_learning.learn", rival.take_over)
    with pytest.raises(LockedError):
        model_learning.learn_sites(config)
    assert stored == []


def test_a_crawl_that_has_lost_its_locks_gives_back_no_leases_of_another(config: Config, rival: Rival) -> None:
    """They would be asked for twice; it ends with exit code 5."""
    session = Session.open(config, now=True)
    rival.take_over()
    run_id = rival.corpus.runs.start("{}")
    frontier = rival.corpus.frontier
    leases = frontier.lease(run_id, dict.fromkeys(frontier.hosts(session.sites, time.time()), 1), time.time())
    session.close(0)
    assert session.exit_code == LockedError.exit_code
    assert leases
    assert frontier.release(session.sites) == len(leases)
