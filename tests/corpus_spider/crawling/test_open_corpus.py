"""Opening a corpus: one function locks and recovers it, and one pipeline takes its pages through."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from corpus_spider.config.loader import load
from corpus_spider.crawling.open_corpus import open_for_reading, open_for_writing
from storage.errors import LockedError
from tests.corpus_spider.local_paper import Newspaper, corpus_toml

if TYPE_CHECKING:
    from corpus_spider.config.model import Config

ROOT = Path(__file__).parents[3]


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "corpus.toml").write_text(corpus_toml(Newspaper()))
    return load(tmp_path / "corpus.toml", environ={})


def callers(name: str) -> set[str]:
    """Return the product's modules that call a function or class of this name."""
    found = set()
    for path in (path for floor in ("corpus_spider", "pipelines", "storage") for path in (ROOT / floor).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if called == name:
                    found.add(path.stem)
    return found


@pytest.mark.parametrize(
    ("name", "modules"),
    [
        ("WorkerPool", {"open_corpus", "batch", "explained_page", "many_pages", "state"}),
        ("PagePipeline", {"open_corpus"}),
        ("GuardedArchive", {"open_corpus"}),
        ("record_processed", {"writer"}),
        ("record_fetched", {"writer"}),
    ],
)
def test_one_module_does_each_step_of_the_page_path(name: str, modules: set[str]) -> None:
    """Crawl, import and re-extraction share it. What stores nothing in a corpus has workers of its own."""
    assert callers(name) == modules


def test_a_corpus_open_for_writing_is_locked_and_a_dry_run_opens_it(config: Config) -> None:
    """The second writer fails, and a reader changes nothing."""
    with open_for_writing(config) as opened:
        assert opened.config.site_names == tuple(opened.models.newest)
        with pytest.raises(LockedError), open_for_writing(config, new_pages=False):
            pass
        with open_for_reading(config) as reading:
            assert reading.corpus.documents.count_by_site(config.site_names) == dict.fromkeys(config.site_names, 0)
    with open_for_writing(config, new_pages=False) as again:
        assert again.corpus.runs() == []


def test_a_failed_opening_leaves_nothing_locked(config: Config) -> None:
    """The caller's error does not keep the next one out."""
    with pytest.raises(ZeroDivisionError), open_for_writing(config):
        raise ZeroDivisionError
    with open_for_writing(config):
        pass
