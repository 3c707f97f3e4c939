"""Status of a corpus: its counts and its last run (`status --json`), and the facts of the dashboard."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypedDict, cast

from corpus_spider.api.at_work import Machines, read_machines
from corpus_spider.archive.uploads import WaitingUploads
from corpus_spider.monitoring.run_state import CrawlAtWork, run_state
from storage.corpus import Corpus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from corpus_spider.api.crawls import LastNight
    from corpus_spider.config.model import Config
    from corpus_spider.monitoring.model import MachineProblem, PausedHost, SiteProblem
    from storage.documents.model import CountRow, Status
    from storage.runs.site_runs import SiteRun

TIMES = frozenset({"started", "finished"})
NUMBERS = ("id", "exit_code", "pid")


@dataclass(frozen=True, slots=True)
class LanguageCount:
    """Current documents in a language, without duplicates."""

    language: str
    documents: int
    chars: int


@dataclass(frozen=True, slots=True)
class SiteCount:
    """Current documents of a site without duplicates, and its URLs that wait."""

    site: str
    documents: int
    chars: int
    pending: int


class LastRun(TypedDict, total=False):
    """The last run; empty before the first. ``exit_code`` and ``finished`` are empty texts if it was killed.

    ``summary``: fields of the output of `crawl`, with the problems of sites as sentences.
    """

    state: str
    id: int
    started: datetime
    finished: str
    exit_code: int | str
    summary: dict[str, Any]
    pid: int | str
    host: str


@dataclass(frozen=True, slots=True)
class CorpusStatus:
    """Counts of a corpus. ``urls``: by state; ``dropped`` and ``failed``: by reason.

    ``other_rules``: documents by site that were made with other rules than those of today.
    """

    documents: int
    duplicates: int
    earlier_versions: int
    reserved: int
    licensed: int
    fetches: int
    recovered: int
    languages: list[LanguageCount]
    sites: list[SiteCount]
    urls: dict[str, int]
    dropped: dict[str, int]
    failed: dict[str, int]
    last_run: LastRun
    other_rules: Mapping[str, int]
    """By site: documents that were made with other rules than those of today."""
    uploads: WaitingUploads
    """WARC files that wait for their upload to object storage."""
    at_work: list[CrawlAtWork]
    """Crawls of all machines that go on, or died and were not taken up."""
    machine_problems: list[MachineProblem]
    """Workers and crawls that died, batches that failed or cannot start."""

    @classmethod
    def of(
        cls,
        status: Status,
        run_state: str = "",
        sites: Sequence[str] = (),
        other_rules: Mapping[str, int] | None = None,
        uploads: WaitingUploads | None = None,
        machines: Machines | None = None,
    ) -> CorpusStatus:
        """Return the counts. ``sites``: names of the configured ones, crawled or not."""
        return cls(
            documents=status.documents,
            duplicates=status.duplicates,
            earlier_versions=status.superseded,
            reserved=status.reserved,
            licensed=status.licensed,
            fetches=status.fetches,
            recovered=status.recovered,
            languages=[LanguageCount(row.key, row.count, row.chars) for row in status.by_language],
            sites=_sites(status, sites),
            urls=_counts(status.by_state),
            dropped=_counts(status.dropped),
            failed=_counts(status.failed),
            other_rules=other_rules or {},
            uploads=uploads or WaitingUploads(),
            last_run=_last_run(status.last_run, run_state),
            at_work=list(machines.crawls) if machines else [],
            machine_problems=list(machines.problems) if machines else [],
        )


def _counts(rows: Sequence[CountRow]) -> dict[str, int]:
    return {row.key: row.count for row in rows}


def _sites(status: Status, configured: Sequence[str]) -> list[SiteCount]:
    """Return the sites with documents, most documents first, then those that are only configured or pending."""
    pending = status.pending
    rows = [SiteCount(row.key, row.count, row.chars, pending.get(row.key, 0)) for row in status.by_site]
    others = sorted({*pending, *configured} - {row.site for row in rows})
    return rows + [SiteCount(site, 0, 0, pending.get(site, 0)) for site in others]


def _last_run(noted: Mapping[str, str], run_state: str) -> LastRun:
    last: dict[str, Any] = ({"state": run_state} if run_state else {}) | dict(noted)
    last |= {key: int(text) for key in NUMBERS if (text := noted.get(key, "")).isdecimal()}
    last |= {key: moment for key in TIMES if (moment := _moment(noted.get(key, "")))}
    return cast("LastRun", last | ({"summary": summary_of(noted)} if "summary" in noted else {}))


def summary_of(last_run: Mapping[str, str]) -> dict[str, Any]:
    """Return the summary of the last run; empty if it cannot be parsed."""
    try:
        noted = json.loads(last_run.get("summary") or "{}")
    except ValueError:
        return {}
    return noted if isinstance(noted, dict) else {}


def _moment(text: str) -> datetime | None:
    """Parse a time of the database. Return None for other text."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Overview:
    """Facts of the dashboard. ``now`` is the current time, with the local zone."""

    name: str
    program: str
    """The command line of this program, without a verb."""
    now: datetime
    status: Status
    run_state: str = ""
    site_count: int = 0
    words: int | None = None
    """Words of all documents, None without a search index."""
    sizes: Sequence[tuple[str, int]] = ()
    """Bytes by part of the corpus."""
    night: LastNight | None = None
    scheduled: str | None = None
    """Time of the nightly timer (HH:MM), None without one."""
    due: int = 0
    """URLs that a crawl would fetch now."""
    next_due: float | None = None
    """Time (epoch seconds) when the next URL is due, None if none is known."""
    problems: Sequence[SiteProblem] = ()
    paused: Sequence[PausedHost] = ()
    """Hosts that the last run left paused while URLs of them were due."""
    other_rules: Mapping[str, int] = field(default_factory=dict)
    """By site: documents that were made with other rules than those of today."""
    uploads: WaitingUploads = field(default_factory=WaitingUploads)
    """WARC files that wait for their upload to object storage."""
    suspended: Mapping[str, int] = field(default_factory=dict)
    """By site: suspended URLs."""
    machines: Machines = field(default_factory=Machines)
    """What all machines do now."""

    configured: Sequence[str] = ()
    """Names of the configured sites."""

    @property
    def counts(self) -> CorpusStatus:
        """All counts."""
        return CorpusStatus.of(
            self.status, self.run_state, self.configured, self.other_rules, self.uploads, self.machines
        )


def read_status(config: Config) -> CorpusStatus:
    """Read the counts of the corpus. Raises ConfigError if there is no corpus yet, and DatabaseError."""
    with Corpus.open(config.database_url, read_only=True) as corpus:
        status = corpus.status()
        names = config.site_names
        other_rules = corpus.documents.with_other_rules(config.rule_fingerprints())
        machines = read_machines(corpus)
        state = run_state(status.last_run, machines.crawls)
        return CorpusStatus.of(status, state, names, other_rules, WaitingUploads.of(config.originals), machines)


def read_overview(config: Config, program: str, environ: Mapping[str, str]) -> Overview:
    """Read the facts of the dashboard. ``program`` is the command line of this program. Errors as for `read_status`."""
    from corpus_spider.api.crawls import last_night
    from corpus_spider.monitoring import health, timer
    from corpus_spider.monitoring.disk_use import sizes
    from corpus_spider.monitoring.model import HealthThresholds
    from corpus_spider.search.index.totals import count_words

    now = datetime.now(UTC).astimezone()
    with Corpus.open(config.database_url, read_only=True) as corpus:
        status, names = corpus.status(), config.site_names
        again, earliest = corpus.frontier.due_again(names, now.timestamp())
        pending = corpus.frontier.next_due(names)
        is_due = pending is not None and pending <= now.timestamp()
        machines = read_machines(corpus)
        night = last_night(_counted_now(corpus, names, machines.running), {crawl.run for crawl in machines.running})
        found = health.examine(corpus, config, HealthThresholds(), now) if night else health.Health.of()
        return Overview(
            name=config.corpus.name,
            program=program,
            now=now,
            status=status,
            run_state=run_state(status.last_run, machines.crawls),
            machines=machines,
            configured=names,
            site_count=len({*names, *(row.key for row in status.by_site)}),
            words=count_words(config.index_folder),
            sizes=sizes(config),
            night=night,
            scheduled=timer.installed_at(config, environ),
            other_rules=corpus.documents.with_other_rules(config.rule_fingerprints()),
            uploads=WaitingUploads.of(config.originals),
            due=again + (sum(status.pending.get(name, 0) for name in names) if is_due else 0),
            next_due=min((each for each in (earliest, pending) if each is not None), default=None),
            problems=found.sick,
            paused=[host for site in found.sites for host in site.paused],
            suspended=corpus.frontier.suspended(names),
        )


def _counted_now(corpus: Corpus, names: Sequence[str], running: Sequence[CrawlAtWork]) -> list[SiteRun]:
    """Return the counters of the last day at these sites, oldest first. Crawls that go on have those of this moment."""
    present = {(row.run_id, row.site): row for crawl in running for row in corpus.runs.now(crawl.run)}
    return [present.get((row.run_id, row.site), row) for row in corpus.runs.by_site(names, 1.0)]
