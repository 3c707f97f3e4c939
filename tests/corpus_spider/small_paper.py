"""The newspaper that the small crawls read, and their corpus.toml (see small_crawl)."""

from __future__ import annotations

from tests.corpus_spider.local_paper import Newspaper, corpus_toml

PORT = 8081
PAUSE = "SMALL_CRAWL_PAUSE"
"""Environment variable: seconds before each page."""


def newspaper(articles: int = 12) -> Newspaper:
    """Return the newspaper, which is read where it is."""
    return Newspaper(articles=articles, restless=True, port=PORT)


def settings(database: str = "sqlite:///corpus.db", **crawl: object) -> str:
    """Return the corpus.toml of a small crawl."""
    return corpus_toml(newspaper(), database, **{"site_models": False} | crawl) + 'extractor = "density"\n'
