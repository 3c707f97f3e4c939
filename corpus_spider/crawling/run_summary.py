"""Summary of a run: stored with it, written by `crawl --json`, sent by webhooks, and put into words."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from corpus_spider.crawling.link_rules import ChangedRules
    from corpus_spider.monitoring.model import PausedHost, SiteProblem
    from storage.records import SiteCounters


class RunCounters(TypedDict):
    """Counters of a run."""

    ended: str
    limit: str
    pages: int
    documents: int
    unchanged: int
    healed: int
    own_lines: int
    bytes: int
    spilled: int
    dropped: dict[str, int]
    postponed: dict[str, int]
    failed: dict[str, int]
    first_failure: str
    first_failed_site: str
    refused: int
    changed_rules: list[ChangedRules]
    paused: list[PausedHost]
    pending: int | None
    unread: int | None
    """Null if the run could not read the database at its end, as ``pending``."""
    without_file: int
    elsewhere: dict[str, int]
    """Pages of these sites that wait to be processed on other machines, by machine."""
    next_try: float | None
    seconds: dict[str, float]
    worker_cpu_seconds: float
    worker_peak_kib: int


class RunSummary(RunCounters):
    """Summary that is stored with the run. ``sick``: problems of sites as sentences."""

    sick: list[str]


class CrawlOutput(RunCounters):
    """Summary of a crawl."""

    sick: list[SiteProblem]
    sites: list[SiteCounters]
