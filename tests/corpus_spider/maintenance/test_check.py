"""`check` reports each problem and ends with exit code 6. A sound corpus has no problem."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
from contextlib import closing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from corpus_spider.archive import retention
from corpus_spider.config.loader import load
from corpus_spider.maintenance import check as integrity
from corpus_spider.maintenance import remove
from corpus_spider.maintenance.check import check
from storage import Corpus
from storage.errors import ConfigError
from storage.removal.affected_pages import RemovalRequest, RequestKind
from storage.removal.takedown import Removals
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, crawl_into, served
from tests.corpus_spider.running import PATIENCE, run, start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from storage.warc.redact import RedactedFile


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus that nothing has happened to."""
    return crawl_into(tmp_path_factory.mktemp("sound"), articles=12)


@pytest.fixture
def corpus(sound: Path, tmp_path: Path) -> Path:
    """A copy of it to damage."""
    shutil.copytree(sound, tmp_path / "corpus")
    return tmp_path / "corpus"


def problems(folder: Path, *arguments: str) -> list[str]:
    done = run(folder, "check", "--json", *arguments)
    found: list[str] = json.loads(done.stdout)["problems"]
    assert done.returncode == (6 if found else 0), done.stderr
    return found


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "corpus.db")) as database, database:
        assert database.execute(statement).rowcount != 0


def warc(folder: Path) -> Path:
    return next((folder / "warc").glob("*.warc.gz"))


def test_a_sound_corpus_has_no_problems(corpus: Path) -> None:
    assert problems(corpus, "--deep") == []


def test_a_flipped_bit_in_an_original_is_found_by_the_deep_check(corpus: Path) -> None:
    data = bytearray(warc(corpus).read_bytes())
    data[len(data) // 2] ^= 1
    warc(corpus).write_bytes(data)
    assert problems(corpus) == []
    assert any(warc(corpus).name in problem for problem in problems(corpus, "--deep"))


def test_what_the_next_crawl_repairs_is_a_note(corpus: Path) -> None:
    """A run was killed in the middle of a record: the file is open, and no row points to its last records."""
    change(corpus, "DELETE FROM http_fetch WHERE outcome = 'record'")
    change(corpus, "UPDATE warc_file SET state = 'open'")
    path = warc(corpus)
    unfinished = path.with_name(f"{path.name}.open")
    unfinished.write_bytes(path.read_bytes() + path.read_bytes()[:100])
    path.unlink()
    done = run(corpus, "check", "--deep", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["problems"]) == (0, [])
    torn = "100 bytes: the gzip member is cut short; the next crawl moves it away"
    assert any(torn in note for note in report["notes"])
    assert any("without a row" in note for note in report["notes"])


def test_a_truncated_original_is_found_without_reading_it(corpus: Path) -> None:
    warc(corpus).write_bytes(warc(corpus).read_bytes()[:-1000])
    assert any("beyond the end" in problem for problem in problems(corpus))


def test_what_is_no_file_is_no_original(corpus: Path) -> None:
    """A folder, a pipe and a link to itself among them are passed by."""
    (corpus / "warc" / "a.warc.gz").mkdir()
    os.mkfifo(corpus / "warc" / "b.warc.gz")
    (corpus / "warc" / "c.warc.gz.open").symlink_to("c.warc.gz.open")
    assert problems(corpus, "--deep") == []


def test_a_missing_original_is_found(corpus: Path) -> None:
    warc(corpus).unlink()
    assert any("missing" in problem for problem in problems(corpus))


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM http_fetch WHERE outcome = 'record'", "without a row"),
        ("UPDATE http_fetch SET record_id = 'urn:uuid:0' WHERE id = 2", "differ"),
        ("UPDATE document_text SET text = text || ' added' WHERE document_id = 3", "extracted again"),
        ("UPDATE document_text SET kinds = 'c' || substr(kinds, 2) WHERE document_id = 3", "kind of a line differs"),
        ("UPDATE document_text SET kinds = kinds || 'p' WHERE document_id = 3", "lines than kinds"),
        ("UPDATE document_text SET text = 'e' || char(769) WHERE document_id = 3", "NFC"),
        ("UPDATE http_fetch SET outcome = 'drop' WHERE outcome = 'document' AND id % 2 = 0", "another outcome"),
        ("UPDATE url SET state = 'leased' WHERE id = 4", "leased"),
        ("UPDATE url SET state = 'fetched' WHERE id = 4", "without a page to process"),
        ("UPDATE duplicate_set SET size = size + 1 WHERE id = 1", "wrong size"),
    ],
)
def test_a_changed_row_is_found(corpus: Path, statement: str, words: str) -> None:
    change(corpus, statement)
    assert any(words in problem for problem in problems(corpus, "--deep"))


def test_bytes_in_the_place_of_a_text_are_found_and_rebuilt(corpus: Path) -> None:
    """SQLite stores values of any type; `reextract` mends them from the originals."""
    change(corpus, "INSERT INTO recurring_line (site, digest, texts) SELECT name, 1, 3 FROM site")
    change(corpus, "UPDATE document_text SET text = CAST(text AS BLOB) WHERE document_id = 3")
    assert any("bytes instead of text" in problem for problem in problems(corpus, "--deep"))
    done = run(corpus, "reextract", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["changed"] == 1
    assert problems(corpus, "--deep") == []


def pruned(folder: Path) -> None:
    config = load(folder / "corpus.toml")
    retention.prune(replace(config, archive=replace(config.archive, max=1)))


def emptied(folder: Path) -> None:
    remove.remove(load(folder / "corpus.toml"), RemovalRequest(RequestKind.URL, first_address(folder), "asked"))


def first_address(folder: Path) -> str:
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        return next(iter(corpus.documents())).url


@pytest.mark.parametrize("others", [pruned, emptied])
@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize(
    ("step", "first"),
    [("_find", True), ("_find", False), ("_renamed", False), ("_second_opinion", True), ("ConfiguredModels", True)],
)
def test_an_original_that_another_command_takes_away_meanwhile_is_no_damage(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, step: str, first: bool, deep: bool, others: Callable[[Path], None]
) -> None:
    """By rule or on request, before or after any step of the check."""
    todo, do = [others], getattr(integrity, step)

    def done(*parts: Any, **named: Any) -> Any:
        if first:
            while todo:
                todo.pop()(corpus)
        result = do(*parts, **named)
        while todo:
            todo.pop()(corpus)
        return result

    monkeypatch.setattr(integrity, step, done)
    report = check(load(corpus / "corpus.toml"), deep=deep)
    assert report.problems == []
    assert report.documents > 0


def test_a_file_that_a_removal_is_writing_again_is_no_damage(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there for a moment before the database knows it; the check looks at it when it does."""
    move, models = Removals.move, integrity.ConfiguredModels
    moves: list[Callable[[], None]] = []
    reports = []

    def looked(self: Removals, name: str, scrubbed: RedactedFile) -> None:
        moves.append(lambda: move(self, name, scrubbed))
        reports.append(check(load(corpus / "corpus.toml"), deep=True))

    def modelled(*parts: Any) -> Any:
        moves.pop()()
        return models(*parts)

    monkeypatch.setattr(Removals, "move", looked)
    monkeypatch.setattr(integrity, "ConfiguredModels", modelled)
    emptied(corpus)
    (report,) = reports
    # The removal is not finished, and the check says so.
    assert [problem for problem in report.problems if ".warc.gz" in problem] == []


def test_a_crawl_that_is_running_is_no_damage(tmp_path: Path) -> None:
    """Files that grow are checked as far as they have rows, however often one looks, and counted."""
    with served(Newspaper(articles=150)) as paper:
        # It is over when it has been looked at in the middle, however long that takes.
        seen = threading.Event()
        paper.extra["/last"] = lambda: (404, {}, b"") if seen.wait(2 * PATIENCE) else (500, {}, b"")
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper, delay=0.02, timeout=900))
        config = load(tmp_path / "corpus.toml")
        crawl = start(tmp_path, "crawl", "-q")
        reports = []
        while crawl.poll() is None:
            with suppress(ConfigError):
                reports.append(check(config, deep=True))
                if reports[-1].open_files and reports[-1].records:
                    seen.set()
    assert crawl.returncode == 0, crawl.stderr and crawl.stderr.read()
    assert [report.problems for report in reports if report.problems] == []
    assert any(report.open_files and report.records for report in reports)
    last = check(config, deep=True)
    assert (last.problems, last.open_files) == ([], 0)
    assert last.records > 150
