"""A site with a start page alone: its feeds and sitemaps are found, and bring the news of the next night."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from storage import Corpus
from storage.documents.selection import Selection
from tests.corpus_spider.local_paper import Newspaper, article, corpus_toml, served
from tests.corpus_spider.nights import age
from tests.corpus_spider.running import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HTML = {"Content-Type": "text/html; charset=utf-8"}
STATED = (
    "<link rel=alternate type=application/rss+xml href=/named><link rel=alternate type=text/xml href=/comments/feed>"
)
PAGES = {
    "head": f"<head>{STATED}</head><p>Trang chủ</p>",
    "link": "<p><a href=/named/rss>RSS</a></p>",
    "list of feeds": "<p><a href=/rss>RSS</a></p>",
    "robots.txt": "<p>Trang chủ</p>",
}


@pytest.fixture
def newspaper() -> Iterator[Newspaper]:
    with served(Newspaper(articles=3)) as paper:
        yield paper


def start_only(newspaper: Newspaper, more: str = "") -> str:
    """Return a corpus.toml whose site has a start page and no other source."""
    text = corpus_toml(newspaper, reread=[])
    return text.replace(f'feeds = ["{newspaper.origin}/feed.xml"]\n', more)


def feed(newspaper: Newspaper) -> tuple[int, dict[str, str], bytes]:
    """Return a feed with all articles, or the sitemap that names them."""
    items = "".join(
        f"<item><link>{newspaper.origin}/article/{each}</link></item>" for each in range(newspaper.articles)
    )
    return 200, {"Content-Type": "text/xml"}, f"<rss><channel>{items}</channel></rss>".encode()


def stored(folder: Path) -> set[str]:
    """Return the paths of all documents."""
    with Corpus.open(folder / "corpus.db", read_only=True) as corpus:
        return {each.url.rpartition("/")[2] for each in corpus.documents(Selection(include_duplicates=True))}


@pytest.mark.parametrize("place", PAGES)
def test_a_start_page_is_enough_to_find_all_articles(tmp_path: Path, newspaper: Newspaper, place: str) -> None:
    """The start page or robots.txt names a feed or sitemap, which is read each night."""
    newspaper.extra["/"] = lambda: (200, HTML, PAGES[place].encode())
    newspaper.extra["/rss"] = lambda: (200, HTML, b"<ul><li><a href=/rss/all.rss>Tin</a><li><a href=/>Home</a></ul>")
    for path in ("/named", "/named/rss", "/rss/all.rss"):
        newspaper.extra[path] = lambda: feed(newspaper)
    if place == "robots.txt":
        newspaper.robots = (200, {}, b"User-agent: *\nDisallow: /private/\nSitemap: /named # all")
    (tmp_path / "corpus.toml").write_text(start_only(newspaper))
    assert run(tmp_path, "crawl").returncode == 0
    assert stored(tmp_path) == {"0", "1", "2"}
    newspaper.articles = 5
    age(tmp_path / "corpus.db")
    assert run(tmp_path, "crawl").returncode == 0
    assert stored(tmp_path) == {"0", "1", "2", "3", "4"}
    assert not newspaper.asked["/comments/feed"]
    assert max(newspaper.asked[f"/article/{each}"] for each in range(3)) == 1


@pytest.mark.parametrize("source", ["feeds", "sitemaps"])
def test_configured_sources_are_the_only_ones(tmp_path: Path, newspaper: Newspaper, source: str) -> None:
    """What a person has chosen is not added to."""
    newspaper.extra["/"] = lambda: (200, HTML, PAGES["head"].encode())
    newspaper.extra["/own"] = lambda: feed(newspaper)
    newspaper.robots = (200, {}, b"Sitemap: /other")
    (tmp_path / "corpus.toml").write_text(start_only(newspaper, f'{source} = ["{newspaper.origin}/own"]\n'))
    assert run(tmp_path, "crawl").returncode == 0
    assert stored(tmp_path) == {"0", "1", "2"}
    assert (newspaper.asked["/named"], newspaper.asked["/other"]) == (0, 0)


def test_articles_and_deep_pages_name_no_source(tmp_path: Path, newspaper: Newspaper) -> None:
    """A feed for each article would be a request for each."""
    newspaper.extra["/"] = lambda: (200, HTML, b"<a href=/article/0>0</a>")
    newspaper.extra["/article/0"] = lambda: (200, HTML, article(0).replace(b"<head>", f"<head>{STATED}".encode()))
    (tmp_path / "corpus.toml").write_text(start_only(newspaper))
    assert run(tmp_path, "crawl").returncode == 0
    assert newspaper.asked["/article/0"] == 1
    assert not newspaper.asked["/named"]


def test_with_feeds_only_the_feeds_of_the_start_page_are_read(tmp_path: Path, newspaper: Newspaper) -> None:
    """Its links are not followed."""
    newspaper.extra["/"] = lambda: (200, HTML, f"{PAGES['head']}<a href=/article/9>9</a><a href=/a>a</a>".encode())
    newspaper.extra["/named"] = lambda: feed(newspaper)
    (tmp_path / "corpus.toml").write_text(start_only(newspaper, "feeds_only = true\n"))
    assert run(tmp_path, "crawl").returncode == 0
    assert stored(tmp_path) == {"0", "1", "2"}
    assert not newspaper.asked["/a"]
