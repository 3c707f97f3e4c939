"""Feeds and sitemaps of a demo newspaper, as XML."""

from __future__ import annotations

import gzip
from email.utils import format_datetime
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.demo.articles import Article
    from corpus_spider.demo.papers import Edition

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
SITEMAP_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
NEWEST_ARTICLES = 10


def feed(edition: Edition) -> tuple[str, str]:
    """Return the content type and the text of the edition's feed, RSS 2.0 or Atom (RFC 4287)."""
    own = [article for article in edition.articles if article.language == edition.paper.language and not article.wire]
    articles = own[:NEWEST_ARTICLES]
    if edition.paper["feed"]["kind"] == "atom":
        return "application/atom+xml; charset=utf-8", _atom(edition, articles)
    return "application/rss+xml; charset=utf-8", _rss(edition, articles)


def sitemaps(edition: Edition) -> dict[str, tuple[str, bytes]]:
    """Return the content type and bytes of each sitemap, by path. An index has one gzipped child."""
    described: Mapping[str, str] = edition.paper["sitemap"]
    articles = [article for article in edition.articles if not article.wire]
    entries = "".join(
        f"<url><loc>{escape(edition.url(article))}</loc><lastmod>{article.date.isoformat()}</lastmod></url>\n"
        for article in articles
    )
    urls = f'{DECLARATION}<urlset xmlns="{SITEMAP_SPACE}">\n{entries}</urlset>\n'.encode()
    if described["kind"] == "plain":
        return {described["path"]: ("application/xml", urls)}
    child = f"<sitemap><loc>{edition.base}{described['child']}</loc></sitemap>"
    index = f'{DECLARATION}<sitemapindex xmlns="{SITEMAP_SPACE}">{child}</sitemapindex>\n'.encode()
    return {
        described["path"]: ("text/xml; charset=UTF-8", index),
        described["child"]: ("application/x-gzip", gzip.compress(urls, mtime=0)),
    }


def _rss(edition: Edition, articles: list[Article]) -> str:
    items = "".join(_rss_item(edition.url(article) + "?utm_source=rss", article) for article in articles)
    head = f"<title>{escape(edition.paper['name'])}</title><link>{edition.base}/</link>"
    head += f"<description>{escape(edition.paper['name'])}</description><language>{edition.paper.language}</language>"
    return f'{DECLARATION}<rss version="2.0"><channel>{head}\n{items}</channel></rss>\n'


def _rss_item(url: str, article: Article) -> str:
    return (
        f"<item><title>{escape(article.title)}</title><link>{escape(url)}</link>"
        f'<guid isPermaLink="false">{article.fields["id"]}</guid><pubDate>{format_datetime(article.date)}</pubDate>'
        f"<description><![CDATA[<p>{article.summary}</p>]]></description></item>\n"
    )


def _atom(edition: Edition, articles: list[Article]) -> str:
    entries = "".join(_atom_entry(edition.url(article), article) for article in articles)
    root = f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{edition.paper.language}">'
    head = f"<title>{escape(edition.paper['name'])}</title><id>{edition.base}/</id>"
    head += f"<updated>{articles[0].date.isoformat()}</updated>"
    return f"{DECLARATION}{root}{head}\n{entries}</feed>\n"


def _atom_entry(url: str, article: Article) -> str:
    return (
        f'<entry><title>{escape(article.title)}</title><link rel="alternate" href="{escape(url)}"/>'
        f"<id>{escape(url)}</id><updated>{article.date.isoformat()}</updated>"
        f"<author><name>{escape(article.fields['author'])}</name></author><summary>{escape(article.summary)}</summary></entry>\n"
    )
