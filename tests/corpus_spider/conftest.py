"""What the tests of the program share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.corpus_spider.gold_samples import ENTRIES, TRUE_TEXTS, write_manifest
from tests.corpus_spider.local_paper import Newspaper, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
