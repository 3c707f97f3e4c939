"""Gain of site models: reported for gold sites of five pages and more, each page held back from its model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from corpus_spider.lab.gold import load_gold
from corpus_spider.lab.site_model_gain import SiteGain, gains, large_sites, rows, total
from tests.corpus_spider.local_paper import article, paragraphs
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = "Mời bạn đăng ký nhận bản tin của chúng tôi để không bỏ lỡ những câu chuyện hay nhất trong ngày hôm nay."


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Six pages of a site that asks for subscribers in every article, and four of one that does not."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "gold").mkdir()
    entries = []
    for number, site in enumerate(["asking.example"] * 6 + ["quiet.example"] * 4, start=1):
        end = f"<p>{PROMPT}</p></article>" if site == "asking.example" else "</article>"
        page = article(number).decode().replace("</article>", end)
        (tmp_path / "pages" / f"p{number}.html").write_text(page)
        (tmp_path / "gold" / f"p{number}.txt").write_text("\n".join(paragraphs(number)))
        entries.append(json.dumps({"id": f"p{number}", "lang": "vi", "site": site}))
    (tmp_path / "manifest.jsonl").write_text("\n".join(entries))
    return tmp_path


def test_each_site_is_scored_with_and_without_what_its_other_pages_teach(gold: Path) -> None:
    """Without a model the prompt is in every text, with one in none."""
    (gain,) = gains(large_sites(load_gold(gold)))
    assert (gain.site, gain.pages, gain.changed) == ("asking.example", 6, 6)
    assert gain.with_model == 1.0
    assert 0.9 < gain.without < 1.0
    assert gain.gain == 1.0 - gain.without


def test_the_command_prints_it(gold: Path) -> None:
    """As a table with a line for all, or as JSON; a folder without such a site is refused."""
    reported = run(gold, "evaluate", "--gold", ".", "--site-models").stdout.splitlines()
    assert reported[1].split("\t") == ["site", "pages", "without", "with", "gain", "changed"]
    assert [line.split("\t")[0] for line in reported[2:]] == ["asking.example", "all"]
    lines = (gold / "manifest.jsonl").read_text().splitlines()
    (gold / "manifest.jsonl").write_text("\n".join(lines[2:]))
    refused = run(gold, "evaluate", "--gold", ".", "--site-models", "--json")
    assert refused.returncode == 2
    assert "no site has 5 pages" in refused.stderr


def test_in_the_sum_every_page_counts_alike() -> None:
    found = [SiteGain("a", 1, 0.5, 1.0, 1), SiteGain("b", 3, 0.9, 0.9, 0)]
    assert total(found) == SiteGain("all", 4, pytest.approx(0.8), pytest.approx(0.925), 1)
    assert rows(found)[-1] == ("all", "4", "0.8000", "0.9250", "+0.1250", "1")
