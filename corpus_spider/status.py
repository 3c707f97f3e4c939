"""How a corpus stands, for people."""

from __future__ import annotations

import json
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
    console.table("Last run", ("what", "value"), _last_run(status.last_run))


def _counts(rows: tuple[CountRow, ...]) -> list[tuple[str, int]]:
    return [(row.key, row.count) for row in rows]


def _with_chars(rows: tuple[CountRow, ...]) -> list[tuple[str, int, int]]:
    return [(row.key, row.count, row.chars) for row in rows]


def _last_run(known: dict[str, str]) -> list[tuple[str, object]]:
    """Spread what a run noted of itself as JSON over lines of their own, single values only."""
    try:
        noted = json.loads(known.get("summary") or "{}")
    except ValueError:
        noted = {}
    rows: list[tuple[str, object]] = [(key, value) for key, value in known.items() if key != "summary"]
    return rows + [(key, value) for key, value in noted.items() if not isinstance(value, (dict, list))]
