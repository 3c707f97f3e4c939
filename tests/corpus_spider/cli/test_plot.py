"""`plot`: figures and numbers of a page from a file, the web or the corpus."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from corpus_spider.cli.app import run
from pipelines.extractors.papers.bte import VERSION
from tests.corpus_spider.local_paper import Newspaper, article, crawl_into, served
from tests.extras import need

need("figures")

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus whose newspaper is gone."""
    return crawl_into(tmp_path_factory.mktemp("crawled"), 6)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a page and no corpus."""
    (tmp_path / "page.html").write_bytes(article(1))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("form", "begins"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_a_file_gives_a_figure_and_its_numbers(
    folder: Path, capsys: pytest.CaptureFixture[str], form: str, begins: bytes
) -> None:
    """The figure in the form of its name, and its numbers as JSON."""
    assert run(["plot", "page.html", "--extractor", "bte", "-o", f"a.{form}", "--json"]) == 0
    reported = capsys.readouterr()
    assert (folder / f"a.{form}").read_bytes().startswith(begins)
    plain = json.loads(reported.out)
    assert (plain["page"], plain["extractor"], plain["item"]) == ("page.html", "bte", "run of words or tags")
    assert len(plain["columns"]["encode"]) == len(plain["columns"]["item"])
    assert set(plain["columns"]["chosen"]) == {0, 1}
    assert f"Extractor bte, version {VERSION}" in reported.err


def test_p_is_a_parameter(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is in the caption and decides the region."""
    lines = "\n".join(["<html>", "خبر عن المدينة والناس في هذا اليوم", *["<b>"] * 5, "خبر آخر"])
    (folder / "page.html").write_text(lines)
    chosen = []
    for p in ("3", "6"):
        assert run(["plot", "page.html", "--extractor", "r2l-nepl", "--p", p, "--json"]) == 0
        reported = capsys.readouterr()
        assert f"(P = {p})" in reported.err
        chosen.append(sum(json.loads(reported.out)["columns"]["chosen"]))
    assert chosen == [2, 8]  # from the first line, whose smoothed column is the longest


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("page.html", "Name a file with -o, or use --json"),
        ("page.html -o a.gif", "must end in .svg, .png, .pdf"),
        ("page.html -o a.svg --extractor thai", "there is no extractor"),
        ("page.html -o a.svg --extractor trafilatura", "has no figure"),
        ("none.html -o a.svg", "cannot be read"),
        ("0123456789abcdef0123456789abcdef -o a.svg", "there is no corpus yet"),
        ("page.html -o none/a.svg", "none/a.svg"),
        ("empty.html -o a.svg", "not_html"),
    ],
)
def test_what_cannot_be_drawn_is_reported(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: str, expected: str
) -> None:
    """With what to do instead, and without a file."""
    (folder / "empty.html").write_bytes(b"%PDF-1.4 \x00\x01")
    assert run(["plot", *arguments.split()]) != 0
    assert expected in capsys.readouterr().err
    assert not list(folder.glob("a.*"))


def test_a_page_of_the_corpus_is_read_from_its_warc_file(
    crawled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By URL and by id, with the model of its site: the figure is of the stored text."""
    monkeypatch.chdir(crawled)
    assert run(["export", "-o", "-", "--format", "jsonl"]) == 0
    row = json.loads(capsys.readouterr().out.splitlines()[0])
    made = []
    for target in (row["url"], row["id"]):
        assert run(["plot", target, "--json"]) == 0
        made.append(json.loads(capsys.readouterr().out))
    assert made[0] == made[1]
    assert (made[0]["page"], made[0]["extractor"]) == (row["url"], row["extractor"])
    columns = made[0]["columns"]
    first = next(text for text, own in zip(columns["text"], columns["chosen"], strict=True) if own)
    assert row["text"].startswith(first)


def test_another_address_is_fetched_by_the_rules_of_extract(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """robots.txt is obeyed, and private addresses need leave."""
    with served(Newspaper()) as newspaper:
        assert run(["plot", f"{newspaper.origin}/article/2", "-o", "a.svg"]) != 0
        assert "private address" in capsys.readouterr().err
        assert run(["plot", f"{newspaper.origin}/private/1", "-o", "a.svg", "--allow-private"]) != 0
        assert "robots.txt forbids" in capsys.readouterr().err
        assert run(["plot", f"{newspaper.origin}/article/2", "-o", "a.svg", "--allow-private"]) == 0
        assert newspaper.asked["/article/2"] == 1
        assert newspaper.asked["/private/1"] == 0
    assert (folder / "a.svg").exists()


def test_a_page_of_too_many_lines_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its numbers would fill the memory of this process: exit code 7."""
    (folder / "page.html").write_text(f"<html><p>{'a س' * 20}{'<b>' * 500_001}")
    assert run(["plot", "page.html", "--extractor", "dana", "--json"]) == 7
    assert "500,003 lines to explain, at most 500,000" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "expected"), [("hang", "worker_timeout"), ("crash", "worker_crash"), ("memory", "worker_memory")]
)
def test_a_page_that_breaks_the_extraction_breaks_its_worker_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fault: str, expected: str
) -> None:
    """The verb ends with the reason, within the limits of a crawl."""
    monkeypatch.setenv("CORPUS_SPIDER_FAULTS", "1")
    (folder / "page.html").write_text(f"<html><p>fault:{fault}</p>")
    assert run(["-s", "crawl.page_timeout=1", "plot", "page.html", "-o", "a.svg"]) != 0
    assert expected in capsys.readouterr().err


def test_without_the_library_the_numbers_are_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the extra; `--json` needs none."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run(["plot", "page.html", "-o", "a.svg"]) != 0
    assert "make figures" in capsys.readouterr().err
    assert run(["plot", "page.html", "--json"]) == 0
