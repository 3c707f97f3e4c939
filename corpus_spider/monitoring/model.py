"""Data model of the health checks: signs, findings, nights and the cases to judge. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from corpus_spider.exit_codes import FINISHED
from pipelines.urls.url import MAX_REDIRECTS
from storage.reasons import REDIRECT, is_fault
from storage.records import UrlState
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from storage.frontier.sources import SourceState
    from storage.runs.site_runs import SiteRun


class Sign(StrEnum):
    """Kind of problem at a site. The values appear in JSON and in the table `Problems`."""

    NOT_CRAWLED = "not_crawled"
    SILENT = "silent"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    ERRORS = "errors"
    PROCESSING = "processing"
    TEXT_LOST = "text_lost"
    UNDATED = "undated"
    LANGUAGE = "language"
    DUPLICATES = "duplicates"
    SHORTENED = "shortened"
    PAUSED = "paused"
    RULES = "rules"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class SiteProblem:
    """One problem at a site, described in words. ``url``: the source with the problem, or a page that shows it."""

    site: str
    sign: Sign
    words: str
    url: str = ""
    reason: str = ""
    """Reason that most lost pages share."""

    def __str__(self) -> str:
        return f"{self.site}: {f'{self.url} ' if self.url else ''}{self.words}"


@dataclass(frozen=True, slots=True)
class MachineProblem:
    """A problem of a worker, a batch or a crawl, at no single site. ``next``: arguments of the command for it."""

    words: str
    next: str
    machine: str = ""
    sites: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class PausedHost:
    """A host that a run left paused while ``urls`` of it were due. ``reason``: of the pause, such as ``http_429``."""

    site: str
    host: str
    urls: int
    reason: str

    def __str__(self) -> str:
        wait = f"{counted(self.urls, 'URL')} {'waits' if self.urls == 1 else 'wait'}"
        return f"{self.site}: {wait} for the next crawl, because {self.host} is paused ({self.reason})"


@dataclass(frozen=True, slots=True)
class Night:
    """All runs of one night at one site, oldest first. There is at least one."""

    runs: tuple[SiteRun, ...]

    @property
    def started(self) -> datetime:
        """Start of the last run."""
        return self.runs[-1].started

    @property
    def whole(self) -> bool:
        """Whether at least one run is complete."""
        # Most nights have one run, which is complete.
        return self.runs[-1].exit_code in FINISHED or any(run.exit_code in FINISHED for run in self.runs)

    def total(self, *names: str) -> int:
        """Sum counters of `SiteRun` over the runs."""
        return sum([getattr(run, name) for run in self.runs for name in names])

    def because(self, *reasons: str) -> int:
        """Count responses and failed attempts by reason."""
        return sum([run.reasons.get(reason, 0) for run in self.runs for reason in reasons])


@dataclass(frozen=True, slots=True)
class Matches:
    """What the rules of a site matched in one run: number of documents, those that each rule matched, one address."""

    documents: int
    matched: Mapping[str, int]
    url: str = ""


@dataclass(frozen=True, slots=True)
class SiteCase:
    """A site to judge: its nights, oldest first, and the state of each source by its configured URL."""

    site: str
    nights: Sequence[Night] = ()
    sources: Sequence[tuple[str, SourceState | None]] = field(default=())
    known: bool = False
    """Whether any of its sources was ever read."""
    listed: bool = False
    """Whether the site is a fixed list of pages and no link is followed. One night reads it all."""
    rendered: bool = False
    """Whether its pages are rendered in a browser."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """CSS selectors of the site by rule."""
    matches: Mapping[int, Matches] = field(default_factory=dict)
    """What they matched, by id of the run."""
    paused: Sequence[PausedHost] = ()
    """Hosts that the last run left paused with URLs due."""

    @property
    def shut(self) -> bool:
        """Whether the last attempt failed at every source."""
        return bool(self.sources) and all(state is not None and last_attempt_failed(state) for _, state in self.sources)

    @property
    def yielded(self) -> bool:
        """Whether any of its nights gave an article."""
        return any(night.total("articles") for night in self.nights)

    @property
    def sources_yield(self) -> bool:
        """Whether the site has given articles and its last attempt succeeded at a source. A list has no sources."""
        sound = any(state is not None and not last_attempt_failed(state) for _, state in self.sources)
        return sound and self.yielded and not self.listed

    @property
    def without_news(self) -> bool:
        """Whether it gave no article and its sources named no URL, except by redirects."""
        if self.yielded:
            return False
        found = sum(night.total("found") for night in self.nights)
        redirects = sum(night.because(REDIRECT) for night in self.nights)
        return found <= min(redirects, MAX_REDIRECTS * len(self.sources))


@dataclass(frozen=True, slots=True)
class HealthThresholds:
    """Thresholds: nights to compare with, and days without a finished crawl that are acceptable."""

    nights: int = 14
    max_age: float = 3.0


def is_broken(state: SourceState) -> bool:
    """Return whether a source has failed or its last response was faulty."""
    return state.state is UrlState.FAILED or is_fault(state.reason)


def last_attempt_failed(state: SourceState) -> bool:
    """Return whether the last attempt to read a source failed."""
    return is_broken(state) or (state.state is UrlState.PENDING and bool(state.reason))
