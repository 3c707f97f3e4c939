"""How a crawl goes on, or ends, when its database goes away."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import pytest

from storage import Corpus
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, hanging
from tests.corpus_spider.running import PATIENCE, run, start, until, well

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import PostgresServer


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
    assert said.count("see that the database runs") == 1
    postgres_server.start()
    (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper, vanishing))
    well(tmp_path, "crawl")
    checked = run(tmp_path, "check", "--deep", "--json")
    assert checked.returncode == 0, checked.stdout


def test_a_signal_ends_the_waiting_for_a_database(
    tmp_path: Path, newspaper: Newspaper, postgres_server: PostgresServer, vanishing: str
) -> None:
    """With exit code 11, whatever patience is left."""
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
