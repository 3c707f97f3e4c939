"""URLs are assigned to sites by host, patterns and paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpus_spider.archive import adoption
from corpus_spider.archive.adoption import PageSites
from corpus_spider.config.loader import load

if TYPE_CHECKING:
    from pathlib import Path

SITES = """
[corpus]
name = "test"
contact = "test@example.org"

[[site]]
name = "news"
sitemaps = ["https://paper.example/sitemap.xml"]
deny = ["/sport/"]

[[site]]
name = "sport"
sitemaps = ["https://paper.example/sitemap.xml"]
"""
EXPECTED = {
    "https://paper.example/a": "news",
    "https://paper.example/sport/b": "sport",
    "https://www.paper.example/c": "news",
    "https://paper.example/d.jpg": None,
    "https://other.example/e": None,
    "mailto:f@paper.example": None,
}


@pytest.mark.parametrize("remembered", [1, 10_000])
def test_a_url_belongs_to_the_first_site_whose_rules_include_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remembered: int
) -> None:
    """Also when its host is remembered, or was forgotten because there are too many."""
    monkeypatch.setattr(adoption, "MAX_REMEMBERED_HOSTS", remembered)
    path = tmp_path / "corpus.toml"
    path.write_text(SITES)
    sites = PageSites(load(path))
    for _ in range(2):
        found = {address: sites.seen(address) for address in EXPECTED}
        assert {address: page.site if page else None for address, page in found.items()} == EXPECTED
