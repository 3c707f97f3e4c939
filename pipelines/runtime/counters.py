"""Counters of a run, for progress and the summary."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from storage.bytes.lines import count
from storage.documents.healing import HEALED
from storage.reasons import GONE_STATUSES, ROBOTS

if TYPE_CHECKING:
    from storage.records import Failure, Fetched, Lease, Processed


@dataclass(slots=True)
class SiteCounts:
    """Counters of a run at one site, for progress."""

    pages: int = 0
    documents: int = 0
    failed: int = 0


@dataclass(slots=True)
class PipelineCounts:
    """Counters of a run, for progress and the summary."""

    pages: int = 0
    answered: int = 0
    """Responses with a success or redirect status, and articles that are gone: that is an answer too."""
    documents: int = 0
    unchanged: int = 0
    """Responses that repeat the last one. There is nothing to process."""
    bytes: int = 0
    spilled: int = 0
    """Pages released from memory because it was full."""
    drops: Counter[str] = field(default_factory=Counter)
    postponed: Counter[str] = field(default_factory=Counter)
    """Pages left to a later run by reason, because the machine may be at fault."""
    healed: int = 0
    """Documents that got better metadata from a visit with the same text."""
    own_lines: int = 0
    """The publisher's own lines that were left out of documents."""
    failures: Counter[str] = field(default_factory=Counter)
    """Failed attempts by reason. A URL with three failed attempts counts three times."""
    refused: int = 0
    """URLs that robots.txt forbids."""
    refused_sources: int = 0
    """Sources of the crawl among them."""
    first_failure: str = ""
    """Reason, site and URL of the first failure."""
    first_failed_site: str = ""
    """Site of the first failure; empty for a page without a lease."""
    sites: defaultdict[str, SiteCounts] = field(default_factory=lambda: defaultdict(SiteCounts))
    """Counters by site."""

    def exchange(self, fetched: Fetched) -> None:
        """Count one durable exchange."""
        status, lease = fetched.capture.status, fetched.lease
        self.pages += 1
        if lease is not None:
            self.sites[lease.site].pages += 1
        self.bytes += len(fetched.capture.body)
        # A start page that is not there is no answer.
        is_gone = status in GONE_STATUSES and lease is not None and lease.depth > 0
        self.answered += status < 400 or is_gone
        self.unchanged += fetched.original is not None
        if fetched.reason:
            self._count_failure(fetched.reason, lease)

    def failure(self, failure: Failure) -> None:
        """Count one lease that ended without an exchange."""
        if failure.reason == ROBOTS:
            self.refused += 1
            self.refused_sources += failure.lease.depth == 0
        else:
            self._count_failure(failure.reason, failure.lease)

    def _count_failure(self, reason: str, lease: Lease | None) -> None:
        self.failures[reason] += 1
        if lease is not None:
            self.sites[lease.site].failed += 1
        if not self.first_failure:
            self.first_failure = f"{reason} ({lease.site}, {lease.fetch_url})" if lease else reason
            self.first_failed_site = lease.site if lease else ""

    def outcome(self, processed: Processed, site: str) -> None:
        """Count the outcome of one page."""
        if processed.document is not None:
            self.documents += 1
            self.sites[site].documents += 1
            self.own_lines += count(processed.document.own_lines)
        elif processed.drop is not None:
            self.drops[processed.drop.reason] += 1
            self.healed += processed.drop.detail.startswith(HEALED)
