"""HTML page of the worst texts: any text is harmless in it, and differences are marked."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_spider.lab import GoldPage, score_texts
from corpus_spider.lab.worst import MAX_WORDS, STYLE, WorstTexts, as_html, compared

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "</style></p><script>alert(1)</script><img src=x onerror=alert(2)>\"'\x00\x1b[31m\u202egnp\ud800 &amp; &lt;"


class Tags(HTMLParser):
    """Collects the start tags and attributes of a page, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def page(folder: Path, name: str, truth: str, **known: str) -> GoldPage:
    """A gold page whose true text is this."""
    path = folder / f"{name}.txt"
    path.write_text(truth, encoding="utf-8", errors="replace")
    return GoldPage(name, known.pop("language", "en"), path, path, **known)


def rendered(folder: Path, texts: dict[str, tuple[str, str]], count: int = 20) -> str:
    """The page for these extracted and true texts."""
    pairs = [(page(folder, name, truth, url=HOSTILE, site=HOSTILE), text) for name, (text, truth) in texts.items()]
    report, worst = score_texts(HOSTILE, pairs), WorstTexts(count)
    for (gold, text), found in zip(pairs, report.scores, strict=True):
        worst(report.name, gold, text, found)
    return as_html([report], worst.cases())


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    """Texts, addresses and names bring no tag, no attribute and no character that moves text into the page."""
    html = rendered(tmp_path, {"p1": (HOSTILE, f"{HOSTILE}\n{HOSTILE}")})
    found = Tags(html)
    assert found.tags <= set("html head meta title style body h1 h2 h3 table tr th td p mark section div".split())
    assert found.attributes <= {"lang", "charset", "http-equiv", "content", "name", "class", "dir"}
    assert "<script>alert(1)</script>" in found.text
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\ud800-\udfff]", html)
    html.encode("utf-8")


def test_the_policy_allows_the_pages_own_style_only(tmp_path: Path) -> None:
    """The hash in the policy is that of the style element, to the letter."""
    from base64 import b64encode
    from hashlib import sha256

    html = rendered(tmp_path, {"p1": ("a", "b")})
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    assert style[1] == STYLE
    wanted = b64encode(sha256(style[1].encode()).digest()).decode()
    assert f"content=\"default-src 'none'; style-src 'sha256-{wanted}'\"" in html


@pytest.mark.parametrize(
    ("text", "truth", "extra", "missing"),
    [
        ("the old cat", "the cat sat", ["old"], ["sat"]),
        ("menu home\nthe cat", "the cat", ["menu home"], []),
        ("one\ntwo", "three", ["one", "two"], ["three"]),
        ("سلام دنیا", "سلام", ["دنیا"], []),
        ("新闻报", "新报", ["闻"], []),
        ("<b>bold</b>", "bold", ["b&gt;", "b"], []),
        ("", "all of it", [], ["all of it"]),
    ],
)
def test_what_differs_is_marked(text: str, truth: str, extra: list[str], missing: list[str]) -> None:
    """Words that the other text lacks, neighbours on a line as one; markup between them is only shown."""
    found, true = compared(text, truth)
    marked = [re.findall(r"<mark class=\"\w+\">(.*?)</mark>", one) for one in (found, true)]
    if "<" not in text:
        assert marked == [extra, missing]
    assert 'dir="auto"' in true


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_both_texts_are_shown_whole(text: str, truth: str) -> None:
    """Marks change no word; each line is a paragraph of its own direction."""
    for shown, given_text in zip(compared(text, truth), (text, truth), strict=True):
        words = re.findall(r"[a-zA-Z0-9]+", given_text)
        assert re.findall(r"[a-zA-Z0-9]+", Tags(shown).text if given_text.strip() else "")[: len(words)] == words
        assert shown.count("<p") == shown.count("</p>")


def test_long_texts_are_cut(tmp_path: Path) -> None:
    """Neither size nor time grows with the texts; that something is left out is shown."""
    html = rendered(tmp_path, {"p1": ("word " * 500_000, "x" * 2_000_000), "p2": ("新" * 100_000, "闻" * 100_000)})
    assert len(html) < 1_000_000
    assert html.count("…") >= 3
    assert html.count("word") <= MAX_WORDS + 10


def test_the_worst_come_first_and_no_more_than_asked_for(tmp_path: Path) -> None:
    """By F1, of each report so many."""
    texts = {f"p{number}": ("a " * number + "b " * (9 - number), "a " * 9) for number in range(9)}
    html = rendered(tmp_path, texts, count=3)
    assert re.findall(r"<h2>(p\d)", html) == ["p0", "p1", "p2"]
