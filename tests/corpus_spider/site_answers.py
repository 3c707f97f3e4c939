"""Short definitions of a site's sources for tests: feeds, sitemaps, pages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.corpus_spider.local_paper import Answer, Newspaper

TODAY = datetime.now(UTC).date().isoformat()
XML = {"Content-Type": "text/xml"}
HTML = {"Content-Type": "text/html; charset=utf-8"}


def rss(*paths: str, day: str = TODAY) -> Answer:
    items = "".join(f"<item><link>{path}</link><dc:date>{day}</dc:date></item>" for path in paths)
    return 200, XML, f"<rss><channel><language>vi-vn</language>{items}</channel></rss>".encode()


def urlset(*locations: str, extra: str = "") -> Answer:
    records = "".join(f"<url><loc>{one}</loc>{extra}</url>" for one in locations)
    return 200, XML, f"<urlset>{records}</urlset>".encode()


def index(*locations: str) -> Answer:
    records = "".join(f"<sitemap><loc>{one}</loc></sitemap>" for one in locations)
    return 200, XML, f"<sitemapindex>{records}</sitemapindex>".encode()


def page(head: str = "", body: str = "") -> Answer:
    return 200, HTML, f"<html lang=vi-VN><head>{head}</head><body>{body}</body></html>".encode()


def alternate(path: str, kind: str = "application/rss+xml") -> str:
    return f"<link rel=alternate type='{kind}' href='{path}'>"


def put(paper: Newspaper, **answers: Answer) -> None:
    """Answer at the path of each name, where __ is a slash and _ a point."""
    for name, answer in answers.items():
        paper.extra["/" + name.strip("_").replace("__", "/").replace("_", ".")] = lambda answer=answer: answer
