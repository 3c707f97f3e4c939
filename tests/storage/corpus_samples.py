"""Small builders that the tests of the corpus share: from a seed to a processed page in a line or two."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from storage import Corpus, Selection
from storage.database.schema import metadata, url
from storage.frontier.leases import Chances
from storage.frontier.new_links import CLEAN_SLATE, FINISHED
from storage.records import (
    Capture,
    Document,
    Drop,
    Fetched,
    Fingerprint,
    Kind,
    LanguageGuess,
    Lease,
    Link,
    Metadata,
    Pointer,
    Processed,
    Seed,
    Turn,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection

    from storage.corpus import Corpus

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def seed(path: str, kind: Kind = Kind.PAGE, site: str = "a.example") -> Seed:
    url = f"https://{site}/{path}"
    return Seed(url, url, site, site, kind)


def link(path: str, *, redirect: bool = False, site: str = "a.example", fetch_url: str | None = None) -> Link:
    url = f"https://{site}/{path}"
    return Link(url, fetch_url or url, site, redirect=redirect)


def capture(url: str = "https://a.example/", status: int = 200, fetched_at: datetime = NOON) -> Capture:
    headers = (("Content-Type", "Text/HTML; charset=utf-8"),)
    return Capture(url, fetched_at, status, (), headers, b"body", ip="192.0.2.1")


def fingerprint(text: str, sketch: bytes = b"", bands: tuple[int, ...] = ()) -> Fingerprint:
    return Fingerprint("v1", hashlib.sha256(text.encode("utf-8", "replace")).digest()[:16], len(text), sketch, bands)


def document(text: str, prints: Fingerprint | None = None, language: str = "en", **stated: Any) -> Document:
    return Document(
        text=text,
        language=LanguageGuess(language, 0.99, "Latn", 1.0),
        metadata=Metadata(**stated),
        extractor="bte",
        extractor_version="1",
        extractor_reason="",
        encoding="utf-8",
        encoding_source="header",
        replaced=0.0,
        fingerprint=prints or fingerprint(text),
    )


def made(text: str, *links: Link, prints: Fingerprint | None = None, language: str = "en", **stated: Any) -> Processed:
    return Processed(document=document(text, prints, language, **stated), links=links)


def with_parts(processed: Processed, **parts: Any) -> Processed:
    """The same outcome, its document with a confidence, kinds, captions or comments."""
    assert processed.document
    return replace(processed, document=replace(processed.document, **parts))


def dropped(reason: str, *links: Link, detail: str = "") -> Processed:
    return Processed(drop=Drop(reason, detail), links=links)


@dataclass
class Crawl:
    """A run on a corpus that a test drives by hand."""

    corpus: Corpus
    site: str = "a.example"
    run_id: int = 0
    offsets: Iterator[int] = field(default_factory=lambda: itertools.count(0, 100))

    def __post_init__(self) -> None:
        self.run_id = self.corpus.runs.start("{}")

    def seed(self, *paths: str, kind: Kind = Kind.PAGE) -> None:
        """Name sources and have them read, again if need be."""
        seeds = [seed(path, kind, self.site) for path in paths]
        self.corpus.frontier.seed(seeds)
        finished = url.c.url.in_([each.url for each in seeds]), url.c.state.in_(FINISHED)
        again = sa.update(url).where(*finished).values(CLEAN_SLATE | {"hops": 0})
        self.corpus.database.write(lambda connection: connection.execute(again))

    def lease(self, quota: int = 1000, now: float = 1.0, turn: Turn | None = None) -> list[Lease]:
        chances = Chances({turn: {self.site}} if turn else {})
        return self.corpus.frontier.lease(self.run_id, {self.site: quota}, now, chances=chances)

    def pointer(self) -> Pointer:
        offset = next(self.offsets)
        return Pointer(f"run{self.run_id}.warc.gz", offset, 100, f"<urn:uuid:{self.run_id}-{offset}>", "sha256:00")

    def fetch(self, *leases: Lease) -> list[int]:
        group = [(Fetched(capture(lease.fetch_url), lease), self.pointer()) for lease in leases]
        return self.corpus.fetches.record_fetched(self.run_id, group)

    def process(self, leases: list[Lease], outcomes: list[Processed]) -> list[int]:
        """Fetch and process; return the fetch ids."""
        ids = self.fetch(*leases)
        self.corpus.documents.record_processed(list(zip(ids, leases, outcomes, strict=True)))
        return ids

    def visit(self, path: str, outcome: Processed) -> int:
        """Seed one URL, lease it, fetch it and process it; return the fetch id."""
        self.seed(path)
        lease = next(each for each in self.lease() if each.url.endswith(f"/{path}"))
        return self.process([lease], [outcome])[0]


def empty(corpus: Corpus) -> None:
    """Delete everything, so that each example of a property starts from nothing."""

    def work(connection: Connection) -> None:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())

    corpus.database.write(work)


def texts(corpus: Corpus, **selection: object) -> list[str]:
    return sorted(each.text for each in corpus.documents(Selection(include_duplicates=True, **selection)))
