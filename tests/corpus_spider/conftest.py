"""Fixtures shared by the tests of the program."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

import pytest

from tests.corpus_spider.faults import damage, new_corpus, small_crawls, state
from tests.corpus_spider.gold_samples import ENTRIES, TRUE_TEXTS, write_manifest
from tests.corpus_spider.local_paper import Newspaper, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.corpus_spider.faults import SmallCrawls, State

SECTIONS = """
[corpus]
name = "test"
contact = "me@example.org"

[[site]]
name = "example"
start = ["https://news.example.org/"]
"""


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """Leave the log of the other tests as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a corpus.toml, to be in."""
    (tmp_path / "corpus.toml").write_text(SECTIONS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("DATABASE_URL", "CORPUS_SPIDER_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def newspaper() -> Iterator[Newspaper]:
    with served(Newspaper()) as paper:
        yield paper


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """A small gold folder written for these tests."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "gold").mkdir()
    for name, text in TRUE_TEXTS.items():
        (tmp_path / "pages" / f"{name}.html").write_text(f"<nav>menu</nav><p>{text}</p>", encoding="utf-8")
        (tmp_path / "gold" / f"{name}.txt").write_text(text, encoding="utf-8")
    write_manifest(tmp_path, *map(json.dumps, ENTRIES))
    return tmp_path


@pytest.fixture
def paper() -> Iterator[Newspaper]:
    """A site whose answers a test writes itself; other addresses are not found."""
    with served(Newspaper(articles=0)) as newspaper:
        newspaper.robots = (200, {}, b"")
        newspaper.extra["/feed.xml"] = lambda: (404, {}, b"")
        yield newspaper


@pytest.fixture(scope="session")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallCrawls]:
    """Crawls of a small site in programs of their own, with a say in what the disk does."""
    with small_crawls(tmp_path_factory.mktemp("shim")) as running:
        yield running


@pytest.fixture(scope="session")
def calm(crawls: SmallCrawls, tmp_path_factory: pytest.TempPathFactory) -> State:
    """What a crawl comes to that nothing happens to."""
    folder = new_corpus(tmp_path_factory.mktemp("calm") / "corpus")
    assert crawls.run(folder) == 0
    assert damage(folder) == []
    return state(f"sqlite:///{folder / 'corpus.db'}")
