"""Output of `extract`: the text with its source, or all metadata."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from corpus_spider.cli.extract import marked, show
from corpus_spider.config.model import Config
from corpus_spider.sites.single_page import ExtractRequest, extract
from corpus_spider.terminal.console import Console

if TYPE_CHECKING:
    from pathlib import Path

    from corpus_spider.sites.single_page import PageReading

SENTENCE = "The committee met on Tuesday and agreed, after a long discussion, that the bridge will be rebuilt soon. "
PAGE = (
    "<html lang=en><title>A bridge is rebuilt</title><body><article><h1>A bridge is rebuilt</h1>"
    "<figure><img src=a><figcaption>The bridge</figcaption></figure>"
    f"<p>1. {SENTENCE * 3}</p><h2>What comes next</h2><p>2. {SENTENCE * 2}</p><ul><li>3. {SENTENCE}</li></ul>"
    f"<blockquote>4. {SENTENCE * 2}</blockquote><p>5. {SENTENCE * 3}</p></article>"
)


@pytest.fixture
def reading(tmp_path: Path) -> PageReading:
    """A small article as a crawl would read it."""
    (tmp_path / "page.html").write_text(PAGE)
    return extract(str(tmp_path / "page.html"), ExtractRequest(), Config())


def test_lines_are_marked_as_markdown_has_them(reading: PageReading) -> None:
    """Headings, items and quotations have marks; signs of a text that would be markup are escaped."""
    assert reading.document
    blocks = marked(reading.document).split("\n\n")
    assert [block[:3] for block in blocks] == ["1\\.", "## ", "2\\.", "- 3", "> 4", "5\\."]
    plain = marked(replace(reading.document, kinds="")).split("\n\n")
    assert [block.replace("\\", "") for block in plain] == reading.document.text.split("\n")


def test_json_has_what_stands_beside_the_text(reading: PageReading, capsys: pytest.CaptureFixture[str]) -> None:
    """Confidence, kinds, captions, comments and measures of quality under the names that an export uses."""
    assert show(reading, Console(), as_json=True) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["title"], shown["kinds"], shown["captions"]) == ("A bridge is rebuilt", "phplqp", ["The bridge"])
    assert 0.5 < shown["confidence"] <= 1
    assert shown["comments"] == []
    assert reading.document
    assert reading.document.quality
    assert shown["quality"] == structs.asdict(reading.document.quality)
    assert shown["quality"]["words"] == len(shown["text"].split())


def test_a_page_of_which_a_crawl_would_make_no_text_is_shown_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who looks why a list of links is not in the corpus sees that it is one, beside what text there is."""
    items = "".join(f"<li><a href=/{at}.html>{at}. {SENTENCE}</a><p>{SENTENCE[:60]}</li>" for at in range(12))
    (tmp_path / "list.html").write_text(f"<html lang=en><title>News</title><body><ul>{items}</ul>")
    reading = extract(str(tmp_path / "list.html"), ExtractRequest(), Config())
    assert show(reading, Console(), as_json=False) == 0
    reported = capsys.readouterr()
    assert reported.out
    assert "a crawl would drop this page: listing (" in reported.err
    assert show(reading, Console(), as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["drop"]["reason"] == "listing"
