"""README.md is true: its figures are those of the program, its output is that of a tutorial."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

from corpus_spider import presets
from corpus_spider.demo.run import REAL_PAGES

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
    known = sum(len(presets.newspapers(language)) for language in languages)
    assert f"{known} known in {len(languages)} languages" in FRONT


def test_the_score_on_real_pages_is_the_one_that_the_demo_prints() -> None:
    """Both are those of the page on the rules of the extractor."""
    [(pages, score)] = re.findall(r"On (\d+) real pages.*F1 is (\.\d+)\.", REAL_PAGES)
    assert f"{pages} pages of newspapers that it had not seen before, F1 is {score}." in FRONT.replace("\n  ", " ")


def test_the_picture_is_there() -> None:
    """Each picture of the page is a file of the repository."""
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", FRONT)
    assert pictures
    assert [picture for picture in pictures if not (ROOT / picture).is_file()] == []
