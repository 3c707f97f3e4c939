"""A corpus with fingerprints of an earlier scheme comes forward: no false version, the same duplicates."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from pipelines.text.minhash import SCHEME
from storage.corpus import Corpus
from storage.database.schema import SCHEMA_VERSION
from storage.documents.selection import Selection
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.nights import age
from tests.corpus_spider.running import run, well
from tests.storage.next_release import NEXT, next_release

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ARTICLES = 6
EARLIER = "v2;char12;mh32;b20r6;k32;s480x2;xxh3;norm2"


def use_earlier_scheme(database: Path) -> None:
    """Give a SQLite corpus the fingerprints of an earlier scheme."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE fingerprint SET exact = randomblob(16)")
        connection.execute("UPDATE scheme SET name = ? WHERE name = ?", (EARLIER, SCHEME))


@pytest.fixture(scope="module")
def paper() -> Iterator[Newspaper]:
    with served(Newspaper(articles=ARTICLES)) as newspaper:
        yield newspaper


@pytest.fixture(scope="module")
def old(paper: Newspaper, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a corpus with fingerprints of an earlier scheme, and a release of then."""
    folder = tmp_path_factory.mktemp("old")
    (folder / "corpus.toml").write_text(corpus_toml(paper))
    well(folder, "crawl")
    age(folder / "corpus.db")
    well(folder, "export", "-o", "first/", "--release", "--format", "jsonl")
    use_earlier_scheme(folder / "corpus.db")
    return folder


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The next release, for PYTHONPATH."""
    return str(next_release(tmp_path_factory.mktemp("release")))


@pytest.fixture
def folder(old: Path, tmp_path: Path) -> Path:
    shutil.copytree(old, tmp_path / "corpus")
    return tmp_path / "corpus"


def facts(folder: Path) -> set[tuple[str, int, str, str]]:
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        assert corpus.problems() == []
        return {
            (each.url, each.version, each.cluster, each.text)
            for each in corpus.documents(Selection(include_duplicates=True, versions="all"))
        }


@pytest.mark.parametrize("migrated", [True, False], ids=["migrate, then crawl", "crawl alone"])
def test_a_night_over_a_corpus_of_an_earlier_scheme_adds_no_version(folder: Path, *, migrated: bool) -> None:
    """Unchanged pages stay one version each, in the duplicate sets they were in, whichever command comes first."""
    if migrated:
        well(folder, "migrate")
    well(folder, "crawl", "--now")
    found = facts(folder)
    assert len(found) >= ARTICLES
    assert {version for _, version, _, _ in found} == {1}
    with closing(sqlite3.connect(folder / "corpus.db")) as connection:
        assert connection.execute("SELECT name FROM scheme").fetchall() == [(SCHEME,)]


def test_a_dry_run_shows_counts_time_and_space(folder: Path, release: str) -> None:
    """It says how many texts are compared again, about how long that takes, and where the copy will be."""
    before = (folder / "corpus.db").read_bytes()
    reported = json.loads(run(folder, "migrate", "--dry-run", "--json", PYTHONPATH=release).stdout)
    assert reported["documents"] >= reported["fingerprints"] >= ARTICLES
    assert reported["bytes"] == len(before)
    assert reported["copy"].endswith(f"corpus.db.before-{NEXT}-from-{SCHEMA_VERSION}")
    assert reported["seconds"] > 0
    assert (folder / "corpus.db").read_bytes() == before
    lines = run(folder, "migrate", "--dry-run", PYTHONPATH=release).stdout
    assert "computed again" in lines
    assert "Nothing was changed." in lines


def test_a_release_after_the_migration_names_no_changed_text(folder: Path, release: str) -> None:
    """Another schema and another form of fingerprints are no change of a text."""
    for command in ("migrate", "export -o second/ --since-release first/manifest.json"):
        done = run(folder, *command.split(), PYTHONPATH=release)
        assert done.returncode == 0, done.stderr
    second = json.loads((folder / "second" / "manifest.json").read_text())
    assert second["schema"] == NEXT
    assert {name: second["since"][name] for name in ("added", "changed", "removed")} == {
        "added": 0,
        "changed": 0,
        "removed": 0,
    }
