"""The verb `evaluate`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus_spider.cli.app import run


@pytest.fixture
def gold(home: Path) -> str:
    """A gold folder of one page."""
    sentence = "The committee met on Tuesday and agreed that the bridge will be rebuilt next year. "
    for folder in ("pages", "gold"):
        (home / "gold" / folder).mkdir(parents=True)
    (home / "gold/pages/a.html").write_text(f"<html lang=en><title>Bridge</title><article><p>{sentence * 5}</article>")
    (home / "gold/gold/a.txt").write_text(sentence * 5)
    (home / "gold/manifest.jsonl").write_text('{"id": "a", "lang": "en"}\n')
    return "gold"


def test_texts_are_scored_against_the_truth(gold: str, capsys: pytest.CaptureFixture[str]) -> None:
    """evaluate reads a gold folder and gives each extractor a row for all languages and one for each."""
    assert run(["evaluate", "--gold", gold, "--extractor", "auto", "--extractor", "bte", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(row["extractor"], row["language"]) for row in found["summary"]] == [
        ("auto", "all"),
        ("auto", "en"),
        ("bte", "all"),
        ("bte", "en"),
    ]
    assert [row["f1"] for row in found["summary"]] == [1.0] * 4
    assert {row["page"] for row in found["pages"]} == {"a"}
    assert run(["evaluate", "--gold", gold]) == 0
    assert "\nauto\t1\t1.000\t" in capsys.readouterr().out


def test_evaluate_keeps_texts_and_the_worst_pages(gold: str, capsys: pytest.CaptureFixture[str]) -> None:
    """--output and --html write what they say; --compare adds the one compared with."""
    command = ["evaluate", "--gold", gold, "--compare", "justext", "--output", "texts", "--html", "worst.html"]
    assert run(command) == 0
    assert "Difference of F1 to justext" in capsys.readouterr().out
    assert sorted(str(path) for path in Path("texts").rglob("*.txt")) == ["texts/auto/a.txt", "texts/justext/a.txt"]
    assert Path("texts/auto/a.txt").read_text().startswith("The committee")
    assert "The committee" in Path("worst.html").read_text()


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        (["--html", "gone/worst.html"], "gone/worst.html: the folder does not exist"),
        (["--output", "gold/manifest.jsonl"], "gold/manifest.jsonl"),
        (["--compare", "no-such"], 'no extractor "no-such"'),
    ],
)
def test_what_evaluate_cannot_do_is_reported(
    gold: str, options: list[str], reported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each error names the file or option; none is an internal one."""
    assert run(["evaluate", "--gold", gold, *options]) in {2, 3}
    assert reported in capsys.readouterr().err
