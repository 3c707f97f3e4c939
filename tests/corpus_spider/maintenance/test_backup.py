"""Backup: a sound and whole corpus, also when made during a crawl."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from corpus_spider.config.loader import load
from corpus_spider.maintenance import backup as module
from corpus_spider.maintenance.backup import backup
from corpus_spider.maintenance.copy_corpus import move
from corpus_spider.maintenance.remove import remove
from storage import Corpus
from storage.database.opening import PAGE_BYTES
from storage.database.schema import SCHEMA_VERSION
from storage.errors import ConfigError, DamageError
from storage.records import Capture
from storage.removal.affected_pages import RemovalRequest, RequestKind
from storage.warc import OriginalStore, WarcInfo, WarcWriter, read_record
from storage.warc.scan import scan
from tests.corpus_spider.local_paper import Newspaper, corpus_toml, crawl_into, served
from tests.corpus_spider.running import PATIENCE, ended, environment, program, run, start, until
from tests.storage.next_release import NEXT, PURPOSE, next_release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


CONFIG = """
[corpus]
name = "news"
contact = "someone@example.org"
database = "{}"

[[site]]
name = "paper"
start = ["https://paper.example/"]
"""


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_into(tmp_path_factory.mktemp("crawled"), articles=8)


@pytest.fixture
def folder(crawled: Path, tmp_path: Path) -> Path:
    shutil.copytree(crawled, tmp_path / "corpus")
    return tmp_path / "corpus"


def sound(folder: Path) -> bool:
    done = run(folder, "check", "--deep", "--json")
    assert json.loads(done.stdout)["problems"] == []
    return done.returncode == 0


def test_a_backup_is_a_sound_corpus_of_its_own(folder: Path, tmp_path: Path) -> None:
    """With its own settings; finished WARC files are hard links, and no other user may read it."""
    done = run(folder, "backup", str(tmp_path / "copy"), "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    shutil.rmtree(folder / "warc" / "locks", ignore_errors=True)
    assert sound(tmp_path / "copy")
    assert report["files"] == report["linked"] == len(list((folder / "warc").iterdir()))
    assert (tmp_path / "copy").stat().st_mode & 0o077 == 0
    shutil.rmtree(folder)
    assert sound(tmp_path / "copy")
    assert run(tmp_path / "copy", "export", "-o", "all.jsonl").returncode == 0


def test_a_backup_in_the_middle_of_a_crawl_is_sound_and_can_go_on(tmp_path: Path) -> None:
    """The growing WARC file is copied up to its last known record; a crawl from the copy comes to the same end."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    with served(Newspaper(articles=16)) as paper:
        # The crawl is over when the backup is, however long that takes.
        backed_up = threading.Event()
        paper.extra["/last"] = lambda: (404, {}, b"") if backed_up.wait(3 * PATIENCE) else (500, {}, b"")
        (folder / "corpus.toml").write_text(corpus_toml(paper, delay=0.2, timeout=900))
        crawl = start(folder, "crawl")
        until(lambda: crawl.poll() is not None or _some_documents(folder), lambda: paper.asked)
        done = run(folder, "backup", str(tmp_path / "copy"), "--json")
        assert done.returncode == 0, done.stderr
        assert crawl.poll() is None, crawl.stderr and crawl.stderr.read()
        backed_up.set()
        assert ended(crawl) == 0, crawl.stderr and crawl.stderr.read()
        assert json.loads(done.stdout)["linked"] == 0
        assert sound(tmp_path / "copy")
        assert run(tmp_path / "copy", "crawl").returncode == 0
    ends = [_urls(each) for each in (folder, tmp_path / "copy")]
    assert ends[0] == ends[1]


def _some_documents(folder: Path) -> bool:
    if not any((folder / "warc").glob("*.open")):
        return False
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        return corpus.status().documents > 3


def _urls(folder: Path) -> set[str]:
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        return {document.url for document in corpus.documents()}


def test_a_backup_appears_whole_or_not_at_all(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that exists is touched, and neither an error nor one that was killed leaves anything behind."""
    config = load(folder / "corpus.toml")
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy.tmp-4194305").mkdir()
    with pytest.raises(ConfigError, match="exists already"):
        backup(config, tmp_path / "copy")
    monkeypatch.setattr("corpus_spider.maintenance.backup._linked", lambda *_: False)
    monkeypatch.setattr(
        "corpus_spider.maintenance.backup._copy_settings", lambda *_: (_ for _ in ()).throw(DamageError("broken"))
    )
    with pytest.raises(DamageError):
        backup(config, tmp_path / "new")
    assert {path.name for path in tmp_path.iterdir()} == {"corpus", "copy"}


def test_of_two_backups_to_one_name_the_second_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when both began before either was there: it was an error of the disk."""
    config, target, fill = load(folder / "corpus.toml"), tmp_path / "copy", module._fill

    def filled(*parts: Any) -> None:
        fill(*parts)
        shutil.copytree(folder, target)

    monkeypatch.setattr(module, "_fill", filled)
    with pytest.raises(ConfigError, match="exists already"):
        backup(config, target)
    assert {path.name for path in tmp_path.iterdir()} == {"corpus", "copy"}


def test_a_backup_that_the_disk_has_no_room_for_is_reported_as_such(folder: Path, tmp_path: Path) -> None:
    """It was an internal error, then one of the corpus's own disk; nothing half is left."""
    command = ["bash", "-c", 'ulimit -f 64 && exec "$@"', "-", *program("backup", str(tmp_path / "copy"))]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, "internal error" in done.stderr) == (3, False), done.stderr
    assert "start again" in done.stderr
    assert str(tmp_path / "copy") in done.stderr
    assert not (tmp_path / "copy").exists()


def test_a_backup_reports_its_progress(folder: Path, tmp_path: Path) -> None:
    """The pages of the database with their number, then each WARC file."""
    reported: list[tuple[str, int, int | None]] = []
    report = backup(load(folder / "corpus.toml"), tmp_path / "copy", lambda *each: reported.append(each))
    pages = (folder / "corpus.db").stat().st_size // PAGE_BYTES
    assert ("database pages copied", pages, pages) in reported
    files = [each for each in reported if each[0] == "WARC files copied"]
    assert files == [("WARC files copied", number, report.files) for number in range(report.files)]


def test_missing_originals_are_reported_and_do_not_stop_a_backup(folder: Path, tmp_path: Path) -> None:
    """The texts are worth a backup, too; its exit code tells of it at night."""
    gone = next((folder / "warc").glob("*.warc.gz"))
    gone.unlink()
    report = backup(load(folder / "corpus.toml"), tmp_path / "copy")
    assert report.missing == [gone.name]
    assert _urls(tmp_path / "copy") == _urls(folder)
    done = run(folder, "backup", str(tmp_path / "other"), "--json")
    assert (done.returncode, json.loads(done.stdout)["missing"]) == (6, [gone.name])


def test_a_backup_beside_a_removal_has_all_originals(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looked for the files that the removal had replaced since the database was copied, and went without them."""
    config, copied = load(folder / "corpus.toml"), []
    first = min(_urls(folder))

    def copy_and_remove(*parts: object) -> int:
        rows = copy_database(*parts)
        if not copied:
            remove(config, RemovalRequest(RequestKind.URL, first, "on request"))
        copied.append(parts)
        return rows

    copy_database: Callable[..., int] = module._copy_database
    monkeypatch.setattr(module, "_copy_database", copy_and_remove)
    assert backup(config, tmp_path / "copy").missing == []
    assert len(copied) == 2
    assert sound(tmp_path / "copy")
    assert _urls(tmp_path / "copy") == _urls(folder)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(("copy", ".copy"))] == ["copy"]


def test_what_is_no_file_in_the_place_of_an_original_is_missing(folder: Path, tmp_path: Path) -> None:
    """A pipe would be waited for, a device read without an end."""
    gone = next((folder / "warc").glob("*.warc.gz"))
    gone.unlink()
    os.mkfifo(gone)
    report = backup(load(folder / "corpus.toml"), tmp_path / "copy")
    assert report.missing == [gone.name]
    gone.unlink()
    gone.symlink_to("/dev/zero")
    assert backup(load(folder / "corpus.toml"), tmp_path / "other").missing == [gone.name]


def test_originals_that_went_by_rule_are_not_missed(folder: Path, tmp_path: Path) -> None:
    """The archive's rules removed them; the backup is as sound as the corpus."""
    gone = next((folder / "warc").glob("*.warc.gz"))
    with Corpus.open(folder / "corpus.db") as corpus:
        corpus.warc.remove(gone.name, "older than 1 days")
    gone.unlink()
    assert backup(load(folder / "corpus.toml"), tmp_path / "copy").missing == []
    assert json.loads(run(tmp_path / "copy", "check", "--json").stdout)["problems"] == []


def test_without_hard_links_files_are_copied(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To another disk, for instance; the bytes are the same."""
    monkeypatch.setattr("pathlib.Path.hardlink_to", lambda *_: (_ for _ in ()).throw(OSError(18, "cross-device")))
    report = backup(load(folder / "corpus.toml"), tmp_path / "copy")
    assert (report.linked, report.files > 0) == (0, True)
    for path in (tmp_path / "copy" / "warc").glob("*.warc.gz"):
        assert path.read_bytes() == (folder / "warc" / path.name).read_bytes()


def test_a_corpus_toml_of_another_systems_editor_goes_with_a_backup(folder: Path, tmp_path: Path) -> None:
    """With a byte order mark and its line ends."""
    text = (folder / "corpus.toml").read_text()
    (folder / "corpus.toml").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    backup(load(folder / "corpus.toml"), tmp_path / "copy")
    assert sound(tmp_path / "copy")


def test_a_corpus_moves_to_postgresql_and_back(folder: Path, tmp_path: Path, postgresql_url: str) -> None:
    """Checked on arrival; a backup of it is a folder as of any other corpus; the same place is refused."""
    there = run(folder, "move", postgresql_url, "--json")
    assert there.returncode == 0, there.stderr
    assert json.loads(there.stdout)["problems"] == []
    config = load(folder / "corpus.toml", overrides={"corpus.database": postgresql_url})
    backup(config, tmp_path / "copy")
    assert sound(tmp_path / "copy")
    assert _urls(tmp_path / "copy") == _urls(folder)
    assert move(config, f"sqlite:///{tmp_path / 'back.db'}").problems == []
    with Corpus.open(tmp_path / "back.db", read_only=True) as corpus:
        assert {document.url for document in corpus.documents()} == _urls(folder)
    with pytest.raises(ConfigError, match="there already"):
        move(config, postgresql_url)


def test_a_file_is_named_as_in_corpus_toml(folder: Path, tmp_path: Path) -> None:
    """Relative to its folder, in any working folder, and printed in full; a path that is not allowed is refused."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    moved = run(elsewhere, "-c", str(folder / "corpus.toml"), "move", "sqlite:///moved.db", "--json")
    assert moved.returncode == 0, moved.stderr
    assert json.loads(moved.stdout)["database"] == f"sqlite:///{folder}/moved.db"
    assert (folder / "moved.db").is_file()
    refused = run(folder, "move", "moved-again.db")
    assert (refused.returncode, "expected sqlite:///FILE or postgresql://" in refused.stderr) == (2, True)
    assert [each.name for each in (*elsewhere.iterdir(), *folder.glob("moved-again*"))] == []


def test_a_growing_file_is_copied_with_all_that_belongs_to_its_last_answer(tmp_path: Path) -> None:
    """Its request, and the page as a browser rendered it, without which the answer counts as damaged; no more."""
    source, target = tmp_path / "source", tmp_path / "target"
    target.mkdir()
    page = Capture("https://a.example/1", datetime.now(UTC), 200, (("Host", "a.example"),), (), b"<p>1</p>")
    for rendered in (b"", b"<p>As a browser has it.</p>" * 9):
        pages = [page, replace(page, rendered=rendered), page]
        first, last, _ = WarcWriter(source, "news", WarcInfo("program")).append(pages)
        size = module._copy_file(OriginalStore(source), target / last.warc, last, module.BackupReport(""))
        assert size == (target / last.warc).stat().st_size
        assert [read_record(OriginalStore(target), each).rendered for each in (first, last)] == [b"", rendered]
        kinds = [record.type for record in scan(target / last.warc)]
        assert kinds[3:] == ["response", "request", *(["conversion"] if rendered else [])]


def test_what_counts_before_corpus_toml_is_reported(folder: Path, tmp_path: Path) -> None:
    """With a variable of the environment the corpus would have stayed where it was, and a backup have been the corpus
    it was made of.
    """
    for name in ("", "DATABASE_URL"):
        variables = {name: "sqlite:///corpus.db"} if name else {}
        moved = run(folder, "move", f"sqlite:///moved{name}.db", **variables)
        assert f"Now set {name or 'database in [corpus] of corpus.toml'}" in moved.stderr
        copied = run(folder, "backup", str(tmp_path / f"copy{name}"), **variables)
        assert (copied.returncode, f"Unset {name} to work" in copied.stderr) == (0, bool(name))


def test_a_corpus_does_not_move_into_a_folder_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    """A disk that is not mounted would have its mount point filled."""
    refused = run(folder, "move", f"sqlite:///{tmp_path}/disk/news/corpus.db")
    assert refused.returncode == 2
    assert f"{tmp_path}/disk/news: this folder does not exist" in refused.stderr
    assert not (tmp_path / "disk").exists()


def test_what_a_migration_would_do_is_reported_first_and_nothing_is_touched(tmp_path: Path, database_url: str) -> None:
    """The steps in their order with what each is for; then they are taken, and then there are none."""
    Corpus.open(database_url, create=True).close()
    (tmp_path / "corpus.toml").write_text(CONFIG.format(database_url))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    later = {"PYTHONPATH": str(next_release(tmp_path))}
    assert "corpus-spider migrate" in run(tmp_path, "status", **later).stderr
    reported = json.loads(run(tmp_path, "migrate", "--dry-run", "--json", **later).stdout)
    assert reported["steps"] == [{"version": NEXT, "what": PURPOSE}]
    assert (reported["from_schema"], reported["to_schema"], reported["dry_run"]) == (SCHEMA_VERSION, NEXT, True)
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    assert not list(tmp_path.glob("*.before-*"))
    assert f"would come from schema {SCHEMA_VERSION}" in run(tmp_path, "migrate", "--dry-run", **later).stdout
    assert f"came from schema {SCHEMA_VERSION}" in run(tmp_path, "migrate", **later).stdout
    assert "up to date" in run(tmp_path, "migrate", **later).stdout
    assert run(tmp_path, "check", **later).returncode == 0


def test_a_corpus_from_before_the_first_release_is_named_by_every_command(tmp_path: Path, database_url: str) -> None:
    """Exit code 2, and what to do. `doctor` says it as well."""
    with Corpus.open(database_url, create=True) as corpus:
        older = sa.text("UPDATE alembic_version SET version_num = '0016'")
        corpus.database.write(lambda connection: connection.execute(older))
    (tmp_path / "corpus.toml").write_text(CONFIG.format(database_url))
    for command in ("status", "migrate", "migrate --dry-run", "reextract", "doctor"):
        done = run(tmp_path, *command.split())
        assert done.returncode == 2, command
        assert "schema 0016, from before the first release" in " ".join((done.stdout + done.stderr).split()), command
