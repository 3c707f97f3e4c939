"""Retention: a rule deletes old originals, the deletion is recorded, and `check` does not report it as damage."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from corpus_spider.archive import recovery
from corpus_spider.archive.retention import ArchiveLimits, choose, remove
from corpus_spider.config.loader import load
from corpus_spider.maintenance import reextract
from storage import Corpus
from storage.errors import ConfigError
from storage.fetches.fetches import Orphan
from storage.fetches.file_retention import AgedFile
from storage.records import Pointer
from storage.warc import OriginalStore
from storage.warc.gzip_member import member
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, served
from tests.corpus_spider.others_archives import Answer, archive
from tests.corpus_spider.running import run
from tests.storage.corpus_samples import NOON, Crawl, made

if TYPE_CHECKING:
    from pathlib import Path

    from storage.records import Capture

NOW = datetime(2026, 11, 21, tzinfo=UTC)
DAY, GIB = 86400.0, 2**30


def files(*ages: float, size: int = GIB) -> list[AgedFile]:
    return [AgedFile(f"{age:g}", size, NOW - timedelta(days=age), settled=True) for age in ages]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (ArchiveLimits(), []),
        (ArchiveLimits(age=90 * DAY), ["100", "91"]),
        (ArchiveLimits(size=3 * GIB), ["100"]),
        (ArchiveLimits(size=4 * GIB), []),
        (ArchiveLimits(age=95 * DAY, size=2 * GIB), ["100", "91"]),
        (ArchiveLimits(size=1), ["100", "91", "90", "1"]),
    ],
)
def test_the_oldest_go_as_far_as_the_rules_say(limits: ArchiveLimits, expected: list[str]) -> None:
    """By age, then by size, each with its reason."""
    going = choose(files(90, 1, 100, 91), limits, NOW)
    assert [file.name for file in going] == expected
    assert all(file.why.startswith(("older than", "beyond")) for file in going)


def test_a_file_with_a_page_that_is_not_processed_stays() -> None:
    """With any rules; one without a row stays too. The next oldest goes in the place of it."""
    waiting, other = files(100, 50)
    odd = AgedFile("odd", GIB, None, settled=True)
    going = choose([replace(waiting, settled=False), other, odd], ArchiveLimits(size=2 * GIB), NOW)
    assert [file.name for file in going] == ["50"]


def test_imported_originals_are_as_old_as_their_file(tmp_path: Path) -> None:
    """They were captured long before they came in: the first crawl after an import would remove them."""
    (tmp_path / "corpus.toml").write_text(
        '[corpus]\nname = "a-b"\n[archive]\nkeep = "2d"\n[[site]]\nname = "x"\nstart = ["https://x.example/"]\n'
    )
    archive(tmp_path / "theirs.warc.gz", Answer("https://x.example/1", article(1)))
    assert run(tmp_path, "import", "theirs.warc.gz").returncode == 0
    config = load(tmp_path / "corpus.toml", environ={})
    with Corpus.open(config.database_url, read_only=True) as corpus:
        aged, now = corpus.warc.aged(), datetime.now(UTC)
    limits = ArchiveLimits(config.archive.keep_seconds)
    assert [len(choose(aged, limits, now + timedelta(days=days))) for days in (1, 3)] == [0, 1]


def test_removal_is_noted_before_it_happens_and_made_good_after_a_kill(corpus: Corpus, tmp_path: Path) -> None:
    """The row says when and why, texts and pointers stay, and what is asked for again is asked for in full."""
    crawl = Crawl(corpus)
    crawl.visit("x", made("text"))
    name = f"run{crawl.run_id}.warc.gz"
    (tmp_path / name).write_bytes(b"x" * 100)
    corpus.warc.close(name, 100)
    (aged,) = corpus.warc.aged()
    assert aged == AgedFile(name, 100, NOON, settled=True)
    crawl.seed("x")
    (lease,) = crawl.lease()
    assert lease.original is not None
    going = choose([aged], ArchiveLimits(size=1), NOW)
    corpus.warc.remove(name, going[0].why)
    # Killed here: the file is there and its row says it is not.
    assert corpus.warc.aged() == []
    remove(corpus, OriginalStore(tmp_path), [])
    assert not (tmp_path / name).exists()
    corpus.warc.close(name, 100)  # by the crawl that wrote it, which ends
    assert [file.state for file in corpus.warc.files()] == ["removed"]
    assert [document.warc for document in corpus.documents()] == [name]
    crawl.corpus.frontier.release([crawl.site])
    (again,) = crawl.lease(now=2.0)
    assert again.original is None


@pytest.mark.parametrize("keep", ["0d", "1h", "ever", "90"])
def test_an_impossible_time_is_refused(tmp_path: Path, keep: str) -> None:
    """Less than a day would remove the night that has just been crawled."""
    (tmp_path / "corpus.toml").write_text(f'[archive]\nkeep = "{keep}"\n')
    with pytest.raises(ConfigError, match=r"archive\.keep"):
        load(tmp_path / "corpus.toml", environ={})


def test_a_crawl_ends_with_what_the_rules_say_and_nothing_takes_it_for_damage(tmp_path: Path) -> None:
    """prune tells and removes; a crawl does too; check and reextract count what went, and export has the texts."""
    with served(Newspaper(articles=6)) as newspaper:
        (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper))
        assert run(tmp_path, "crawl").returncode == 0
        (tmp_path / "corpus.toml").write_text(corpus_toml(newspaper) + "\n[archive]\nmax = 1\n")
        reported = run(tmp_path, "prune", "--dry-run", "--json")
        (going,) = json.loads(reported.stdout)
        assert (tmp_path / "warc" / going["name"]).stat().st_size == going["bytes"]
        second = run(tmp_path, "crawl")
    assert second.returncode == 0, second.stderr
    assert f"removed {going['name']}" in second.stderr
    assert "beyond 1 bytes" in second.stderr
    assert list((tmp_path / "warc").glob("*.warc.gz")) == []
    checked = run(tmp_path, "check", "--deep", "--json")
    report = json.loads(checked.stdout)
    assert (checked.returncode, report["removed_files"], report["documents"]) == (0, 1, 6), checked.stdout
    rebuilt = run(tmp_path, "reextract", "--json")
    report = json.loads(rebuilt.stdout)
    assert (rebuilt.returncode, report["pages"], report["unreadable"]) == (0, 0, 0)
    assert report["removed"] >= 6
    kept = run(tmp_path, "export", "-o", "originals.wacz", "--json")
    assert (kept.returncode, json.loads(kept.stdout)["pages"]) == (0, 0), kept.stderr
    assert "No file to remove." in run(tmp_path, "prune").stderr
    with Corpus.open(tmp_path / "corpus.db", read_only=True) as corpus:
        assert len([document.text for document in corpus.documents()]) == 6


def test_originals_that_go_while_texts_are_rebuilt_are_counted_as_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As at the end of a crawl of another site: they were missing, to be restored from a backup."""
    (tmp_path / "corpus.toml").write_text('[[site]]\nname = "a"\nstart = ["https://a.example/"]\n')
    archive(tmp_path / "theirs.warc.gz", *(Answer(f"https://a.example/{at}", article(at)) for at in range(3)))
    assert run(tmp_path, "import", "theirs.warc.gz").returncode == 0
    config, read = load(tmp_path / "corpus.toml", environ={}), reextract.read_record

    def removed_first(folder: Path, pointer: Pointer) -> Capture:
        with Corpus.open(config.database_url) as corpus:
            remove(corpus, config.originals, choose(corpus.warc.aged(), ArchiveLimits(size=1), NOW))
        return read(folder, pointer)

    monkeypatch.setattr(reextract, "read_record", removed_first)
    report = reextract.reextract(config)
    assert (report.removed, report.unreadable, report.pages) == (3, 0, 0)


@pytest.mark.parametrize(
    ("state", "arguments"),
    [
        ("removed", ("prune",)),
        ("replaced", ("remove",)),
        ("closed", ("export", "-o", "originals.wacz")),
        ("closed", ("backup", "copy")),
    ],
)
def test_a_name_that_leads_out_of_the_folder_is_damage(tmp_path: Path, state: str, arguments: tuple[str, ...]) -> None:
    """In a corpus that a stranger made: a file of the user's was removed, or given away with the originals."""
    (tmp_path / "corpus.toml").write_text('[[site]]\nname = "a"\nstart = ["https://a.example/"]\n')
    letters = tmp_path / "letters.warc.gz"
    letters.write_text("dear")
    (tmp_path / "warc").mkdir()
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        pointer = Pointer("../letters.warc.gz", 0, 4, "urn:uuid:1", "sha1:A")
        corpus.fetches.add_orphans(None, [Orphan("https://a.example/", pointer, 200, NOON)])
    with closing(sqlite3.connect(tmp_path / "corpus.db")) as database, database:
        database.execute("UPDATE warc_file SET state = ?", (state,))
    ended = run(tmp_path, *arguments)
    assert (ended.returncode, letters.read_text()) == (6, "dear")
    assert "'../letters.warc.gz' is not a valid name of a WARC file" in ended.stderr


@pytest.mark.parametrize("stated", ["", "yesterday", "2016-12-31T23:59:60Z", "0001-01-01T00:00:00+14:00"])
def test_a_record_that_states_no_time_is_as_new_as_its_recovery(tmp_path: Path, stated: str) -> None:
    """In a file that lies about under the name of one that was being written: no crawl could begin, and with a time
    before all others it would be the first file to go.
    """
    head = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/\r\n"
    head += f"WARC-Date: {stated}\r\nContent-Type: application/http\r\nContent-Length: 19\r\n\r\n"
    block = b"HTTP/1.1 200 OK\r\n\r\n\r\n\r\n"
    (tmp_path / "odd.warc.gz.open").write_bytes(member(head.encode(), block, stored=False))
    before = datetime.now(UTC)
    with Corpus.open(tmp_path / "corpus.db", create=True) as corpus:
        recovery.recover(corpus, OriginalStore(tmp_path), ())
        (file,) = corpus.warc.aged()
    assert file.newest is not None
    assert before <= file.newest <= datetime.now(UTC)
