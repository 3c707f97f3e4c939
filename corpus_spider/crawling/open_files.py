"""Number of files and connections that a crawl has open."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus_spider.config.model import Config

CONNECTIONS = 10
"""Connections per place of `concurrency`: one at work, and those to slow hosts (downloader.SLOW_SHARE)."""
MAX_IDLE_CONNECTIONS = 256
"""Maximum idle connections kept for a later request. A site may have any number of hosts."""
OWN_FILES = 48
"""Open files of the program itself: libraries, log, database, originals, pipes to workers, a few connections."""


def open_files(config: Config) -> tuple[int, int]:
    """Return how many files and connections a crawl would like to have open at once, and how many it needs."""
    # SQLite locks a site by an open file, and all hosts by one.
    locks = len(config.sites) + 1 if config.database_file else 0
    return locks + CONNECTIONS * config.crawl.concurrency + MAX_IDLE_CONNECTIONS + 2 * OWN_FILES, locks + OWN_FILES
