"""Crawls of a range of days: which archive pages and articles are fetched, and in which order."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from corpus_spider.config.loader import assemble
from corpus_spider.config.model import Config
from corpus_spider.config.sections import CrawlSettings, SiteSettings
from storage.errors import ConfigError
from tests.corpus_spider.local_paper import Answer, Newspaper, article, corpus_toml, served
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from pathlib import Path

ARCHIVE = "https://news.example.org/{yyyy}/{mm}/{dd}/"


def page(body: str | bytes) -> Answer:
    raw = (
        body
        if isinstance(body, bytes)
        else f"<html><head><meta charset=utf-8></head><body>{body}</body></html>".encode()
    )
    return 200, {"Content-Type": "text/html; charset=utf-8"}, raw


def without_feed(paper: Newspaper) -> str:
    """Return a corpus.toml for a paper that has no feed."""
    return re.sub(r"feeds = .*\n", "", corpus_toml(paper, per_host=1))


def put(paper: Newspaper, path: str, body: str | bytes) -> None:
    """Answer at a path with a page."""
    paper.extra[path] = lambda: page(body)


def test_only_days_of_the_range_are_asked_for(tmp_path: Path) -> None:
    """Each day's archive and its articles, the newest day first; not the days before and after."""
    with served(Newspaper(articles=0)) as paper:
        put(paper, "/", "<p>Trang nhất</p>")
        for day in range(2, 20):
            paths = [f"/2026/11/{day:02}/bai-viet-trong-ngay-{day}-so-{number}" for number in range(2)]
            near = [f"/2026/11/{day - 1:02}/", f"/2026/11/{day + 1:02}/"]
            put(paper, f"/2026/11/{day:02}/", "".join(f"<a href='{path}'>{path}</a>" for path in (*paths, *near)))
            for number, path in enumerate(paths):
                put(paper, path, article(100 + 2 * day + number))
        archive = f'[[site]]\narchive = "{paper.origin}/{{yyyy}}/{{mm}}/{{dd}}/"\n'
        (tmp_path / "corpus.toml").write_text(without_feed(paper).replace("[[site]]\n", archive))
        done = run(tmp_path, "crawl", "--since", "2026-11-05", "--until", "2026-11-07")
    assert done.returncode == 0, done.stderr
    asked = [path for path in paper.asked if path.startswith("/2026")]
    assert {re.sub(r"^/2026/11/(\d\d)/.*", r"\1", path) for path in asked} == {"05", "06", "07"}
    assert len(asked) == 3 + 6
    assert [path for path in asked if path.endswith("/")] == ["/2026/11/07/", "/2026/11/06/", "/2026/11/05/"]


def test_a_day_without_an_archive_is_not_reported_as_a_source_that_died(tmp_path: Path) -> None:
    """Papers have no page for a day without an article; each such day was named in the summary and in mails."""
    with served(Newspaper(articles=4)) as paper:
        put(paper, "/2026/11/06/", article(7))
        archive = f'[[site]]\narchive = "{paper.origin}/{{yyyy}}/{{mm}}/{{dd}}/"\n'
        (tmp_path / "corpus.toml").write_text(corpus_toml(paper).replace("[[site]]\n", archive))
        done = run(tmp_path, "crawl", "--since", "2026-11-05", "--until", "2026-11-07")
    assert paper.asked["/2026/11/05/"]
    assert (done.returncode, "is gone" in done.stderr) == (0, False), done.stderr


def test_articles_of_a_list_are_asked_for_before_its_sections(tmp_path: Path) -> None:
    """What looks like an article comes first, the rest after it."""
    with served(Newspaper(articles=0)) as paper:
        sections = "".join(f"<a href='/muc-{name}'>{name}</a>" for name in "abcdef")
        paths = [f"/bai/{number}-tieu-de" for number in range(1000, 1006)]
        articles = "".join(f"<a href='{path}'>Tiêu đề dài của bài báo {path[5:9]}</a>" for path in paths)
        for number, path in enumerate(paths):
            put(paper, path, article(number))
        put(paper, "/", sections + articles)
        (tmp_path / "corpus.toml").write_text(without_feed(paper))
        assert run(tmp_path, "crawl").returncode == 0
    order = [path[:4] for path in paper.asked if path.startswith(("/bai", "/muc"))]
    assert order == ["/bai"] * 6 + ["/muc"] * 6


def test_archives_are_seeds_only_with_a_first_day() -> None:
    """Without one the past would be endless."""
    site = SiteSettings(name="a", start=("https://news.example.org/",), archive=ARCHIVE)
    config = Config(sites=(site,))
    assert len(config.seeds()) == 1
    ranged = replace(config, crawl=CrawlSettings(since="2026-10-30", until="2026-11-01"))
    days = [seed.fetch_url.removeprefix("https://news.example.org/") for seed in ranged.seeds()]
    assert days == ["", "2026/11/01/", "2026/10/31/", "2026/10/30/"]
    assert config.site_max_depth(site) < ranged.site_max_depth(site)
    assert ranged.site_model(site).since == "2026-10-30"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"crawl": {"since": "2026-11-20", "until": "2026-11-01"}}, "is after crawl.until"),
        ({"crawl": {"since": "20.11.2026"}}, "expected a day"),
        ({"site": [{"name": "a", "archive": "https://a.example/{dd}/"}]}, "expected a URL with {yyyy}"),
        ({"site": [{"name": "a", "archive": "{yyyy}/{mm}/"}]}, "expected a URL"),
    ],
)
def test_wrong_ranges_and_archives_are_refused(table: dict[str, object], words: str) -> None:
    """With words that say what is wrong."""
    with pytest.raises(ConfigError) as caught:
        assemble(table, {}, {}, None)
    assert words in str(caught.value)
