"""`extract` of many pages: files, folders and standard input, to text, JSON lines and Markdown."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from corpus_spider.cli.app import run
from corpus_spider.sites.many_pages import sources
from storage.errors import ConfigError
from tests.corpus_spider.local_paper import Newspaper, served
from tests.corpus_spider.running import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

SENTENCE = "The committee met on Tuesday and agreed, after a long discussion, that the bridge will be rebuilt soon. "


def page(title: str, extra: str = "") -> str:
    return (
        f"<html lang=en><title>{title}</title><body><article><h1>{title}</h1><p>1. {SENTENCE * 3}</p>"
        f"<h2>What *comes* next</h2><p>2. {SENTENCE * 2}</p><ul><li>one {SENTENCE}</li><li>two {SENTENCE}</li></ul>"
        f"<p>5. {SENTENCE * 3}</p>{extra}</article>"
    )


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with three articles, a short page, a page without text, and what is no page."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "pages"
    (folder / "2026").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "x.html").write_text(page("Hidden"))
    (folder / "a.html").write_text(page("First"))
    (folder / "a.htm").write_text(page("Second"))
    (folder / "2026" / "b.html").write_text(page("Third"))
    (folder / "empty.html").write_text("<html></html>")
    (folder / "short.html").write_text("<html lang=en><title>Short</title><p>The bridge is open again.</p>")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(100))
    return folder


def test_a_folder_becomes_a_folder_of_texts(pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file for each text, in its subfolder; equal names are numbered; the page without text is counted and named."""
    assert run(["extract", "pages", "-o", "texts"]) == 1
    written = {str(path.relative_to(tmp_path / "texts")) for path in (tmp_path / "texts").rglob("*") if path.is_file()}
    assert written == {"2026/b.txt", "a.txt", "a-2.txt", "short.txt"}
    assert (tmp_path / "texts" / "a.txt").read_text().startswith("1. The committee met on Tuesday")
    said = capsys.readouterr().err
    assert "pages/empty.html: no text, blank (13 characters of HTML)" in said
    assert (
        "5 pages: 4 texts; 1 of pages that a crawl would drop (no_article 1); 1 without text (blank 1); "
        "1 other file skipped." in said
    )


def test_a_verbose_run_names_the_files_that_are_no_pages(pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the type of each."""
    assert run(["-v", "extract", "pages", "-o", "texts"]) == 1
    assert "pages/photo.jpg: skipped, image/jpeg\n" in capsys.readouterr().err


def test_an_output_that_exists_is_not_replaced_by_accident(pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before a page is read; --overwrite replaces it."""
    assert run(["extract", "pages/a.html", "-o", "out.jsonl"]) == 0
    assert run(["extract", "pages/a.html", "-o", "out.jsonl"]) == 2
    assert "out.jsonl: exists already" in capsys.readouterr().err
    assert run(["extract", "pages/a.htm", "-o", "out.jsonl", "--overwrite"]) == 0
    assert [json.loads(line)["title"] for line in Path("out.jsonl").read_text().splitlines()] == ["Second"]


def test_lines_of_json_have_every_page_in_order(pages: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """With the fields of an export, the file, and the drop; a page without text has its reason."""
    assert run(["extract", "pages", "pages/a.html", "--format", "jsonl"]) == 1
    rows = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    names = ["pages/2026/b.html", "pages/a.htm", "pages/a.html", "pages/empty.html", "pages/short.html", "pages/a.html"]
    assert sorted(row["file"] for row in rows) == sorted(names)
    by_name = {row["file"]: row for row in rows}
    assert by_name["pages/2026/b.html"]["title"] == "Third"
    assert by_name["pages/2026/b.html"]["drop"] is None
    assert by_name["pages/empty.html"] == {
        "file": "pages/empty.html",
        "text": None,
        "drop": {"reason": "blank", "detail": "13 characters of HTML", "language": None},
    }
    assert by_name["pages/short.html"]["text"] == "The bridge is open again."
    assert by_name["pages/short.html"]["drop"]["reason"] == "no_article"


def test_markdown_has_headings_lists_and_escapes(pages: Path) -> None:
    """From the kinds of lines; the title is the first heading; signs of the text are no markup."""
    assert run(["extract", "pages/2026", "--format", "md", "-o", "out"]) == 0
    lines = Path("out/b.md").read_text().split("\n")
    assert lines[0] == "# Third"
    assert "## What \\*comes\\* next" in lines
    assert [line[:6] for line in lines if line.startswith("- ")] == ["- one ", "- two "]


def test_texts_on_standard_output_have_the_name_of_their_file(
    pages: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several texts, one of them from standard input; a single one stands alone."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(page("Piped").encode())))
    assert run(["extract", "pages/a.html", "-"]) == 0
    printed = capsys.readouterr().out
    assert re.findall(r"^==> (.*) <==$", printed, re.MULTILINE) == ["pages/a.html", "-"]
    assert run(["extract", "-q", "pages/a.html"]) == 0
    alone = capsys.readouterr()
    assert alone.out.startswith("1. The committee")
    assert alone.err == ""


def test_only_articles_leaves_out_what_a_crawl_would_drop(pages: Path) -> None:
    """The short page is no text then."""
    assert run(["extract", "pages", "-o", "kept", "--only-articles"]) == 1
    assert not Path("kept/short.txt").exists()
    assert Path("kept/a.txt").exists()


def test_a_page_that_crashes_its_worker_does_not_stop_the_others(
    pages: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A crash, a time-out and a file that cannot be read are counted with their reasons; the report lists them."""
    monkeypatch.setenv("CORPUS_SPIDER_FAULTS", "1")
    (pages / "crash.html").write_text("<p>fault:crash</p>")
    (pages / "hang.html").write_text("<p>fault:hang</p>")
    (pages / "error.html").write_text("<p>fault:error</p>")
    (pages / "big.html").write_text(page("Big", "x" * 40_000))
    settings = ["-s", "crawl.page_timeout=8", "-s", "crawl.max_body=30kB"]
    assert run([*settings, "extract", "pages", "-o", "out.jsonl", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    reasons = {Path(each["file"]).name: each["reason"] for each in report["failed"]}
    assert reasons == {
        "crash.html": "worker_crash",
        "hang.html": "worker_timeout",
        "error.html": "worker_error",
        "big.html": "unreadable",
        "empty.html": "blank",
    }
    assert (report["pages"], report["texts"], report["skipped"]) == (9, 4, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["pages", "none.html"], "none.html: cannot be read: No such file"),
        (["empty-folder"], "empty-folder: this folder has no files"),
        (["pages", "--url", "https://a.example/"], "--url is the address of one FILE"),
        (["pages", "--json"], "--json needs -o"),
        (["pages", "--extractor", "magic"], "magic"),
        (["pages", "--language", "klingon"], "--language"),
        (["pages", "-o", "pages"], "pages: exists already"),
        (["pages", "-o", "none/out.jsonl"], "none/out.jsonl"),
        (["pages/a.html", "pages/a.htm", "ftp://a.example/"], "only http and https"),
    ],
    ids=" ".join,
)
def test_a_mistake_is_an_error_before_the_first_page(
    pages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """Nothing is written, and nothing is printed."""
    (tmp_path / "empty-folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    assert run(["extract", *arguments]) in {2, 3}
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
    assert sorted(tmp_path.rglob("*")) == before


def test_names_are_distinct_and_independent_of_the_disk(tmp_path: Path) -> None:
    """Folders with the same files, files of the same name, a file name that is no text, and the output inside."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.html").touch()
    (tmp_path / "one" / "out").mkdir()
    (tmp_path / "one" / "out" / "a.txt").touch()
    os.close(os.open(os.fsencode(tmp_path) + b"/two/\xff.html", os.O_CREAT))
    one, two, file = str(tmp_path / "one"), str(tmp_path / "two"), str(tmp_path / "one" / "a.html")
    found = sources([one, two, file, "-", "https://a.example/x/y?z=1"], tmp_path / "one" / "out")
    names = ["one/a", "two/a", "two/\udcff", "a", "standard-input", "a.example-x-y-z-1"]
    assert [str(source.name) for source in found] == names
    assert [str(source.name) for source in sources([file, file, file])] == ["a", "a-2", "a-3"]
    with pytest.raises(ConfigError, match="cannot be read"):
        sources([one, "nothing"])


def test_web_pages_are_fetched_politely_among_files(pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One after another with the delay; a page that is forbidden is counted, and a private address needs the option."""
    with served(Newspaper(articles=3)) as paper:
        urls = [f"{paper.origin}/article/1", f"{paper.origin}/private/x"]
        options = ["-s", "crawl.delay=0.1", "--format", "jsonl", "-o", "out.jsonl"]
        assert run(["extract", *urls, "pages/a.html", *options, "--allow-private"]) == 1
        rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
        assert [row["text"] is None for row in rows] == [False, True, False]
        assert rows[1]["drop"]["reason"] == "not_fetched"
        assert paper.asked["/robots.txt"] == 1
        assert min(gap for gaps in paper.gaps.values() for gap in gaps) >= 0.1
        capsys.readouterr()
        assert run(["extract", urls[0], "pages/a.html", "-o", "out"]) == 1
        assert "refused: private address" in capsys.readouterr().err


def test_the_commands_of_the_page_about_files_run(pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command of docs/how-to/extract-files.md, in a folder with the files it names."""
    text = (ROOT / "docs" / "how-to" / "extract-files.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ corpus-spider (extract .*)$", text, re.MULTILINE)
    Path("page.html").write_text(page("Page"))
    Path("more.html").write_text(page("More"))
    assert len(commands) >= 5
    for command in commands:
        assert run(command.split()) in {0, 1}, (command, capsys.readouterr().err)
