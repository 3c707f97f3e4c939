"""How a corpus stands, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus_spider.config import Config
    from corpus_spider.console import Console
    from storage.records import CountRow, Status


def read(config: Config) -> Status:
    """Count what is in the corpus. Raises ConfigError when nothing was crawled yet, DatabaseError when it is away."""
    from storage.corpus import Corpus

    with Corpus.open(config.database_url, read_only=True) as corpus:
        return corpus.status()


def render(status: Status, console: Console) -> None:
    """Write tables: totals, languages, sites, URLs by state, drops and failures by reason, the last run."""
    totals = [("documents", status.documents), ("duplicates", status.duplicates), ("fetches", status.fetches)]
    console.table("Corpus", ("what", "count"), totals)
    console.table("Languages", ("language", "documents", "characters"), _with_chars(status.by_language))
    console.table("Sites", ("site", "documents", "characters"), _with_chars(status.by_site))
    console.table("URLs", ("state", "count"), _counts(status.by_state))
    console.table("Pages without a document", ("reason", "count"), _counts(status.dropped))
    console.table("URLs that failed", ("reason", "count"), _counts(status.failed))
    console.table("Last run", ("what", "value"), status.last_run.items())


def _counts(rows: tuple[CountRow, ...]) -> list[tuple[str, int]]:
    return [(row.key, row.count) for row in rows]


def _with_chars(rows: tuple[CountRow, ...]) -> list[tuple[str, int, int]]:
    return [(row.key, row.count, row.chars) for row in rows]
