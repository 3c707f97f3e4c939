"""Demo: the whole program on the bundled newspapers, as a new user runs it."""

from __future__ import annotations

import json
import shlex
import shutil
from typing import TYPE_CHECKING

import pytest

from corpus_spider.demo.run import DemoReport
from corpus_spider.demo.site import truth
from tests.corpus_spider.running import ROOT, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    folder = tmp_path_factory.mktemp("user")
    done = run(folder, "demo", "--json")
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def test_every_language_is_extracted_well(demo: tuple[Path, dict[str, object]]) -> None:
    """The mean F1 against the true texts is over 0.9 in each of the five languages, no true page missing."""
    rows = demo[1]["languages"]
    assert [row["language"] for row in rows] == ["vi", "ar", "fa", "ur", "th"]
    assert all(row["f1"] > 0.9 for row in rows), rows


def test_the_manual_shows_what_the_demo_prints(demo: tuple[Path, dict[str, object]]) -> None:
    """Its tables are those of a demo of today: pages, documents, reasons, and the scores of each language."""
    page = (ROOT / "docs" / "tutorial" / "getting-started.md").read_text(encoding="utf-8")
    said = page.partition("$ make demo\n")[2].partition("Next:")[0]
    rows = [line.split("\t") for line in said.splitlines() if not line.startswith("#")]
    report = demo[1]
    shown = {row[0]: row[1] for row in rows if len(row) == 2 and row[0] not in {"what", "folder", "exit_code"}}
    counted = {name: report[name] for name in ("pages", "documents", "not_articles")} | report["dropped"]
    assert shown == {name: str(count) for name, count in counted.items()}
    head, *scores = [row for row in rows if len(row) == 5]
    assert scores == [
        [f"{row[name]:.3f}" if name == "f1" else str(row[name]) for name in head] for row in report["languages"]
    ]


def test_the_demo_ends_with_an_article_and_says_that_its_pages_are_easy(tmp_path: Path) -> None:
    """A reader sees what a corpus has, and that a score of 1 is not what real pages give."""
    done = run(tmp_path, "demo")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.partition("\nth\t")[2].splitlines()
    page = next(page for key, page in truth().items() if shown[2].endswith(key[1]))
    assert shown[4] == page.title
    assert shown[5:] == page.text.splitlines()
    assert "On 801 real pages" in done.stderr


def test_the_known_duplicates_are_found(demo: tuple[Path, dict[str, object]]) -> None:
    """An exact copy in each paper, and a near one in each but the Urdu, at the least."""
    assert all(row["duplicates"] >= 1 for row in demo[1]["languages"])
    assert sum(row["duplicates"] for row in demo[1]["languages"]) >= 9


def test_what_has_no_article_is_dropped_with_a_reason(demo: tuple[Path, dict[str, object]]) -> None:
    """The English page, the picture, the missing pages and the redirects are counted by reason."""
    assert {"http_404", "language", "not_html", "redirect", "feed", "sitemap"} <= demo[1]["dropped"].keys()


def test_the_three_next_commands_work(demo: tuple[Path, dict[str, object]]) -> None:
    """What the demo tells a user to try next ends well."""
    folder, said = demo
    reported = DemoReport(str(said["folder"]), 0, 0, 0, 0, {}, ()).next_commands
    for command in reported:
        done = run(folder, *shlex.split(command)[1:])
        assert done.returncode == 0, done.stderr


def test_the_next_commands_are_as_a_shell_takes_them() -> None:
    """A folder with a space in its name is one word."""
    reported = [shlex.split(command) for command in DemoReport("my demo", 0, 0, 0, 0, {}, ()).next_commands]
    assert [words[1:] for words in reported] == [
        ["-c", "my demo/corpus.toml", "status"],
        ["-c", "my demo/corpus.toml", "export", "-o", "my demo/demo.jsonl.zst"],
        ["-c", "my demo/corpus.toml", "check", "--deep"],
    ]


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    """The demo replaces an earlier demo and nothing else."""
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "thesis.txt").write_text("years of work")
    assert run(tmp_path, "demo").returncode == 2
    assert (tmp_path / "demo" / "thesis.txt").read_text() == "years of work"


def test_texts_rebuilt_from_the_originals_are_the_same(demo: tuple[Path, dict[str, object]]) -> None:
    """Re-extraction with unchanged extractors changes nothing."""
    done = run(demo[0], "-c", "demo/corpus.toml", "reextract", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["changed"], report["gained"], report["lost"], report["unreadable"]) == (0, 0, 0, 0)
    assert report["pages"] > 60


def test_originals_that_are_gone_are_reported_once_a_file(demo: tuple[Path, dict[str, object]], tmp_path: Path) -> None:
    """Re-extraction without the WARC file ends with the exit code of damage, one line, and every text as it was."""
    copy = shutil.copytree(demo[0] / "demo", tmp_path / "demo")
    (gone,) = copy.glob("warc/*.warc.gz")
    gone.unlink()
    done = run(tmp_path, "-c", "demo/corpus.toml", "reextract", "--json")
    assert done.returncode == 6
    assert done.stderr.count(gone.name) == 1
    report = json.loads(done.stdout)
    assert report["missing"] == {gone.name: report["unreadable"]}
    assert (report["pages"], report["changed"], report["lost"]) == (0, 0, 0)
