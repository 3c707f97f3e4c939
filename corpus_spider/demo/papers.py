"""Newspapers of the demo, from papers.toml, and the URLs of their articles."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.demo.articles import Article

FILE = Path(__file__).parent / "papers.toml"
LANDING_HOST = "demo.localhost"


@dataclass(frozen=True)
class Paper:
    """One newspaper: language code and its table of papers.toml."""

    language: str
    table: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        """Return a value of papers.toml. Raises KeyError if it is missing."""
        return self.table[key]

    @property
    def host(self) -> str:
        """Host name without port."""
        return str(self.table["host"])

    def section(self, slug: str) -> Mapping[str, str]:
        """Return the section of that slug, or the first section for articles without one."""
        sections: list[dict[str, str]] = self.table["sections"]
        return next((section for section in sections if section["slug"] == slug), sections[0])

    def path(self, article: Article) -> str:
        """Return the percent-encoded path of an article, with its query."""
        if fixed := article.fields.get("path"):
            return fixed
        pattern: str = self.table["wire_path" if article.wire else "article_path"]
        title = "-".join("".join(c if c.isalnum() or c == "\u200c" else " " for c in article.title).split())
        values = {"section": article.fields["section"], "slug": article.slug, "id": article.fields["id"]}
        return pattern.format(**values, date=f"{article.date:%Y/%m/%d}", title=quote(title))


@dataclass(frozen=True)
class Edition:
    """A newspaper with its articles (newest first), served at a port."""

    paper: Paper
    articles: tuple[Article, ...]
    port: int

    @cached_property
    def base(self) -> str:
        """Scheme, host and port, without a trailing slash."""
        return f"http://{self.paper.host}" + (f":{self.port}" if self.port != 80 else "")

    @cached_property
    def by_slug(self) -> dict[str, Article]:
        """Articles by slug."""
        return {article.slug: article for article in self.articles}

    @cached_property
    def listed(self) -> list[Article]:
        """Articles on list pages, newest first."""
        return [article for article in self.articles if article.listed]

    def url(self, article: Article) -> str:
        """Return the article's absolute URL."""
        return self.base + self.paper.path(article)

    def related(self, article: Article, count: int = 3) -> list[Article]:
        """Return the articles that follow this one in the list; after the end it continues at the start."""
        start = self.listed.index(article) + 1 if article.listed else 0
        others = self.listed[start:] + self.listed[:start]
        return [other for other in others if other not in (article, self.by_slug.get(article.wire))][:count]


def load() -> tuple[Paper, ...]:
    """Return the newspapers, in the order of papers.toml."""
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tuple(Paper(language, table) for language, table in tables.items())
