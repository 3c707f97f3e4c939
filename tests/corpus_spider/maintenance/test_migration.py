"""A corpus of the schema before comes forward: no false version, the same duplicates, the same removals."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import zstandard
from msgspec import structs

from pipelines.text.minhash import SCHEME, earlier_exact
from storage.corpus import Corpus
from storage.database.schema import SCHEMA_VERSION
from storage.documents.model import Selection
from storage.exports.changes import EXACT, digests, index_lines
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, served
from tests.corpus_spider.nights import age
from tests.corpus_spider.running import run, well
from tests.storage.old_corpus import make_old

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ARTICLES = 6
EARLIER = "v2;char12;mh32;b20r6;k32;s480x2;xxh3;norm2"


def make_0015(database: Path) -> None:
    """Take a SQLite corpus back to schema 0015, with fingerprints of the scheme of its time."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        texts = connection.execute(
            "SELECT fingerprint_id, text FROM document JOIN document_text ON document_id = document.id"
        ).fetchall()
        connection.executemany(
            "UPDATE fingerprint SET exact = ? WHERE id = ?", [(earlier_exact(text), number) for number, text in texts]
        )
        connection.execute("UPDATE scheme SET name = ? WHERE name = ?", (EARLIER, SCHEME))
    old = database.with_suffix(".old")
    make_old("0015", database, f"sqlite:///{old}")
    for end in ("-wal", "-shm"):
        database.with_name(database.name + end).unlink(missing_ok=True)
    old.replace(database)


@pytest.fixture(scope="module")
def paper() -> Iterator[Newspaper]:
    with served(Newspaper(articles=ARTICLES)) as newspaper:
        yield newspaper


@pytest.fixture(scope="module")
def old(paper: Newspaper, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a corpus of schema 0015 and the release made of it then."""
    folder = tmp_path_factory.mktemp("old")
    (folder / "corpus.toml").write_text(corpus_toml(paper))
    well(folder, "crawl")
    age(folder / "corpus.db")
    well(folder, "export", "-o", "first/", "--release", "--format", "jsonl")
    cover_exact(folder)
    make_0015(folder / "corpus.db")
    return folder


def cover_exact(folder: Path) -> None:
    """Make the index of a release as releases of schema 0015 made it: its digests cover the field ``exact``."""
    path = folder / "first" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["index"]["fields"] = [*manifest["index"]["fields"], EXACT]
    path.write_text(json.dumps(manifest))
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        rows = [structs.replace(each, exact=earlier_exact(each.text).hex()) for each in corpus.documents()]
    told = zip(rows, digests(rows, tuple(manifest["index"]["fields"])), strict=True)
    (folder / "first" / "documents.tsv.zst").write_bytes(zstandard.ZstdCompressor().compress(index_lines(told)))


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
def test_a_night_over_a_corpus_of_the_schema_before_adds_no_version(folder: Path, *, migrated: bool) -> None:
    """Unchanged pages stay one version each, in the duplicate sets they were in, whichever command comes first."""
    if migrated:
        well(folder, "migrate")
    well(folder, "crawl", "--now")
    found = facts(folder)
    assert len(found) >= ARTICLES
    assert {version for _, version, _, _ in found} == {1}
    with closing(sqlite3.connect(folder / "corpus.db")) as connection:
        assert connection.execute("SELECT name FROM scheme").fetchall() == [(SCHEME,)]


def test_a_dry_run_tells_counts_time_and_room(folder: Path) -> None:
    """It says how many texts are compared again, about how long that takes, and where the copy will be."""
    before = (folder / "corpus.db").read_bytes()
    told = json.loads(run(folder, "migrate", "--dry-run", "--json").stdout)
    assert told["documents"] >= told["fingerprints"] >= ARTICLES
    assert told["bytes"] == len(before)
    assert told["copy"].endswith(f"corpus.db.before-{SCHEMA_VERSION}-from-0015")
    assert told["seconds"] > 0
    assert (folder / "corpus.db").read_bytes() == before
    lines = run(folder, "migrate", "--dry-run").stdout
    assert "computed again" in lines
    assert "Nothing was changed." in lines


def test_a_release_after_the_migration_names_no_changed_text(folder: Path) -> None:
    """The digest of a text has another form in this release, which is no change of the text."""
    well(folder, "migrate")
    well(folder, "export", "-o", "second/", "--since-dump", "first/manifest.json")
    second = json.loads((folder / "second" / "manifest.json").read_text())
    assert (second["schema"], EXACT in second["index"]["fields"]) == (SCHEMA_VERSION, False)
    assert {name: second["since"][name] for name in ("added", "changed", "removed")} == {
        "added": 0,
        "changed": 0,
        "removed": 0,
    }
