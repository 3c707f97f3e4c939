"""README.md is true: its figures are those of the program, its output is that of a tutorial."""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import TYPE_CHECKING

import corpus_spider as cs
from corpus_spider import presets
from corpus_spider.cli import app
from corpus_spider.demo.run import REAL_PAGES
from corpus_spider.exit_codes import DONE
from tests.extras import EXTRAS, need

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
tutorials = importlib.import_module("tutorials")
FRONT = (ROOT / "README.md").read_text(encoding="utf-8")
TUTORIAL = (ROOT / "docs" / "tutorial" / "vietnamese-corpus.md").read_text(encoding="utf-8")


def test_the_output_of_the_crawl_is_that_of_the_tutorial() -> None:
    """The tutorial is run by another test."""
    [short] = [step.output for step in tutorials.steps(FRONT) if step.command.endswith(" crawl")]
    [full] = [step.output for step in tutorials.steps(TUTORIAL) if step.command.endswith(" crawl")]
    assert tutorials.agree(("…", *short), full)


def test_the_number_of_known_newspapers_is_right() -> None:
    """It is the number of all presets."""
    languages = presets.languages()
    known = [paper for language in languages for paper in presets.newspapers(language)]
    checked = sum(bool(paper.checked) for paper in known)
    how_many = f"{checked} of them checked" if checked else "none ever checked"
    assert f"{len(known)} known in {len(languages)} languages, {how_many} |" in FRONT
    assert ("None of these was ever checked" in FRONT) == (not checked)


def test_make_demo_installs_what_the_commands_of_the_page_need() -> None:
    """The page goes on with `search`, `serve` and a data frame, each of which needs more than the core."""
    need("web")
    command = ["make", "--dry-run", "--always-make", "demo"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    locks = [(ROOT / name).read_text() for name in re.findall(r"requirements/\w+\.lock", printed)]
    installed = {name for lock in locks for name in re.findall(r"^([a-z0-9.-]+)(?:\[[^]]*\])?==", lock, re.MULTILINE)}
    # A package has another name than its module: pyicu-wheels is imported as icu.
    packages = packages_distributions()
    needed = {name.lower() for module in (*EXTRAS["web"], "pandas") for name in packages[module]}
    assert needed <= installed


def test_the_commands_and_the_python_line_of_the_page_run_on_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the folder of the corpus. `serve` and `schedule` go on or change the machine: other tests have them."""
    need("web")
    assert app.run(["demo", "--keep", str(tmp_path / "vi-news"), "-q"]) == DONE
    [block] = re.findall(r"```console\n(\$ corpus-spider export.*?)```", FRONT, re.DOTALL)
    monkeypatch.chdir(tmp_path / "vi-news")
    commands = [shlex.split(line.removeprefix("$ corpus-spider ")) for line in block.splitlines()]
    assert [verb for verb, *_ in commands] == ["export", "search", "serve", "schedule", "health"]
    for command in commands:
        if command[0] not in {"serve", "schedule"}:
            assert app.run(command) == DONE, (command, capsys.readouterr().err)
    monkeypatch.chdir(tmp_path)
    [line] = re.findall(r"`import corpus_spider as cs; (cs\.open.*?\.to_pandas\(\))`", FRONT)
    assert len(eval(line, {"cs": cs})) > 30


def test_the_score_on_real_pages_is_the_one_that_the_demo_prints() -> None:
    """Both are those of the page on the rules of the extractor."""
    [(pages, score)] = re.findall(r"On (\d+) real pages.*F1 is (\.\d+)\.", REAL_PAGES)
    assert f"{pages} pages of newspapers that it had not seen before, F1 is {score}." in FRONT.replace("\n  ", " ")


def test_the_picture_is_there() -> None:
    """Each picture of the page is a file of the repository."""
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", FRONT)
    assert pictures
    assert [picture for picture in pictures if not (ROOT / picture).is_file()] == []
