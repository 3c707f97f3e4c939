"""Simple news crawler, as written in an afternoon: Scrapy's defaults, and all work for a page in its item pipeline.

warcio writes each response to a WARC, trafilatura extracts the text, and SQLAlchemy's session commits it. This happens
page by page in the process that downloads. benchmarks/crawl.py compares with it; it is no part of the program. It does
not fetch robots.txt, only the database flushes to the disk, and pages are not compared.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any

import scrapy
import trafilatura
from sqlalchemy import create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCATION = re.compile(rb"<loc>(.*?)</loc>")


class Base(DeclarativeBase):
    """SQLAlchemy's."""


class Article(Base):
    """One text."""

    __tablename__ = "article"
    url: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str | None]
    date: Mapped[str | None]
    text: Mapped[str | None]


class SitemapPages(scrapy.Spider):
    """Downloads what sitemaps name and does nothing with it: what Scrapy by itself can do."""

    name = "bare"

    def __init__(self, sitemaps: list[str], **values: Any) -> None:
        super().__init__(**values)
        self.start_urls = sitemaps

    def parse(self, response: Any) -> Iterator[scrapy.Request]:
        """Ask for the pages of a sitemap."""
        for match in LOCATION.finditer(response.body):
            yield scrapy.Request(match.group(1).decode(), self.parse_page)

    def parse_page(self, response: Any) -> Any:
        """Leave the page."""


class NaivePages(SitemapPages):
    """Hands each page to the pipeline."""

    name = "naive"

    def parse_page(self, response: Any) -> Any:
        """Yield address, headers and body."""
        return {"url": response.url, "headers": response.headers.to_unicode_dict(), "body": response.body}


class NaivePipeline:
    """Archives, extracts and commits one page after the other."""

    def __init__(self, folder: Path) -> None:
        self.file = (folder / "naive.warc.gz").open("wb")
        self.warc = WARCWriter(self.file, gzip=True)
        engine = create_engine(f"sqlite:///{folder / 'naive.db'}")
        Base.metadata.create_all(engine)
        self.session = Session(engine)

    @classmethod
    def from_crawler(cls, crawler: Any) -> NaivePipeline:
        """Write to the folder that the settings name."""
        return cls(crawler.settings["NAIVE_FOLDER"])

    def process_item(self, item: dict[str, Any]) -> dict[str, Any]:
        """Archive, extract, commit."""
        headers = StatusAndHeaders("200 OK", list(item["headers"].items()), protocol="HTTP/1.1")
        body = BytesIO(item["body"])
        self.warc.write_record(self.warc.create_warc_record(item["url"], "response", body, http_headers=headers))
        found = trafilatura.bare_extraction(item["body"], url=item["url"], with_metadata=True)
        values = {"title": found.title, "date": found.date, "text": found.text} if found else {}
        self.session.merge(Article(url=item["url"], **values))
        self.session.commit()
        return item

    def close_spider(self) -> None:
        """Close both."""
        self.session.close()
        self.file.close()
