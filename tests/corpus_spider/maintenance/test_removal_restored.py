"""Removal in a database restored from an older copy: the originals that are left are found."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from storage import Corpus
from storage.warc import OriginalStore, read_record
from tests.corpus_spider.local_paper import crawl_into
from tests.corpus_spider.running import run, well

if TYPE_CHECKING:
    from pathlib import Path


def problems(folder: Path) -> list[str]:
    return list(json.loads(run(folder, "check", "--deep", "--json").stdout)["problems"])


@pytest.mark.parametrize("removals", [1, 2])
def test_a_restored_database_finds_the_originals_that_are_left(tmp_path: Path, removals: int) -> None:
    """Its rows pointed to a file that was gone, and nothing was read from the one in its place.

    The removals can be made again.
    """
    folder, database = crawl_into(tmp_path, articles=5), tmp_path / "corpus.db"
    with Corpus.open(database, read_only=True) as corpus:
        urls = {index: each.url for each in corpus.documents() for index in (1, 2, 3) if each.url.endswith(f"/{index}")}
    asked = ("remove", "--yes", "--reason", "asked", "--url")
    shutil.copy(database, tmp_path / "kept.db")
    for index in range(1, 1 + removals):
        well(folder, *asked, urls[index])
    shutil.copy(tmp_path / "kept.db", database)
    well(folder, "remove")
    with Corpus.open(database, read_only=True) as corpus:
        left = corpus.documents.find(urls[3])
        assert left
        (pointer,) = (each for _, each in corpus.warc.pointers(left.warc) if each.offset == left.warc_offset)
    assert read_record(OriginalStore(folder / "warc"), pointer).body != b""
    removed = [urls[index] for index in range(1, 1 + removals)]
    assert [problem for problem in problems(folder) if not any(url in problem for url in removed)] == []
    for index in range(1, 1 + removals):
        well(folder, *asked, urls[index])
    assert problems(folder) == []
    with Corpus.open(database, read_only=True) as corpus:
        assert {each.url for each in corpus.documents()}.isdisjoint(removed)
