"""Output of `status`: the dashboard, and with ``--all`` tables of totals, URLs, dropped pages and the last run."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from corpus_spider.monitoring.run_state import run_state
from corpus_spider.terminal.console import in_units
from corpus_spider.terminal.reasons import NO_PAGES, meaning
from corpus_spider.terminal.values import in_local_time, local
from storage.records import UrlState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.cli.dashboard import Overview
    from corpus_spider.config.model import Config
    from corpus_spider.terminal.console import Console
    from storage.corpus import Corpus
    from storage.documents.model import CountRow, Status

INTERNALS = frozenset({"spilled", "worker_cpu_seconds", "worker_peak_kib", "seconds"})
"""Fields of a run's summary for developers. Shown with ``-v`` and in JSON."""

LABELS = {
    "refused": "forbidden by robots.txt",
    "failed": "failed attempts",
    "bytes": "received",
    "sick": "failing",
    "without_file": "WARC file missing",
}
"""Labels for fields of a run's summary whose names mean something else in other tables.

In the counters of a site, ``refused`` are refusals by the server and ``bytes`` those of the WARC. In `status`,
``failed`` are URLs that were given up.
"""
TIMES = frozenset({"started", "finished"})
NUMBERS = ("id", "exit_code", "pid")
LANGUAGE_KEYS = ("language", "documents", "chars")
REASON_KEYS = ("reason", "count", "meaning")
SITE_KEYS = ("site", "documents", "chars", "pending")
MEANINGS = {
    UrlState.PENDING: "waiting to be fetched",
    UrlState.LEASED: "being fetched, or left by a run that was killed",
    UrlState.FETCHED: "fetched, waiting to be processed",
    UrlState.DONE: "fetched and processed",
    UrlState.FAILED: "given up",
    UrlState.SUSPENDED: "held back, too many new texts at once; see `crawl --release-suspended`",
    UrlState.OUT_OF_SCOPE: "no longer within the link rules of its site",
}
"""Meaning of each state of a URL."""


@dataclass(frozen=True, slots=True)
class CorpusStanding:
    """Counts of a corpus, and the state of its last run."""

    status: Status
    run_state: str = ""
    sites: tuple[str, ...] = ()
    """The configured sites, crawled or not."""
    other_rules: Mapping[str, int] = field(default_factory=dict)
    """By site: documents that were made with other rules than those of today."""

    def plain(self) -> dict[str, Any]:
        """Return the status for JSON. Field names are those of a crawl's summary and of `export --dry-run`."""
        status = self.status
        return {
            "documents": status.documents,
            "duplicates": status.duplicates,
            "earlier_versions": status.superseded,
            "reserved": status.reserved,
            "licensed": status.licensed,
            "fetches": status.fetches,
            "recovered": status.recovered,
            "languages": [dict(zip(LANGUAGE_KEYS, row, strict=True)) for row in _with_chars(status.by_language)],
            "sites": [dict(zip(SITE_KEYS, row, strict=True)) for row in _sites(self)],
            "urls": dict(_counts(status.by_state)),
            "dropped": dict(_counts(status.dropped)),
            "failed": dict(_counts(status.failed)),
            "last_run": self._last_run(),
            "other_rules": dict(self.other_rules),
        }

    def _last_run(self) -> dict[str, Any]:
        last = ({"state": self.run_state} if self.run_state else {}) | self.status.last_run
        numbers = {key: int(text) for key in NUMBERS if (text := last.get(key, "")).isdecimal()}
        times = {key: moment for key in TIMES if (moment := _moment(last.get(key, "")))}
        noted = {"summary": _noted(self.status)} if "summary" in last else {}
        return last | numbers | times | noted


def read(config: Config) -> CorpusStanding:
    """Read the counts of the corpus. Raises ConfigError if there is no corpus yet, and DatabaseError."""
    from storage.corpus import Corpus

    with Corpus.open(config.database_url, read_only=True) as corpus:
        return _standing(config, corpus)


def _standing(config: Config, corpus: Corpus) -> CorpusStanding:
    status = corpus.status()
    names = tuple(site.name for site in config.sites)
    return CorpusStanding(status, run_state(status.last_run), names, with_other_rules(config, corpus))


def with_other_rules(config: Config, corpus: Corpus) -> dict[str, int]:
    """Count the documents of each site that were made with other rules than those of today."""
    return corpus.documents.with_other_rules(config.rule_fingerprints())


def read_overview(config: Config, program: str, environ: Mapping[str, str]) -> tuple[CorpusStanding, Overview]:
    """Read the facts of the dashboard. ``program`` is the command line of this program. Errors as for `read`."""
    from corpus_spider.cli.dashboard import Overview
    from corpus_spider.monitoring import health, timer
    from corpus_spider.monitoring.disk_use import sizes
    from corpus_spider.monitoring.last_night import last_night
    from corpus_spider.monitoring.model import HealthThresholds
    from corpus_spider.search.totals import count_words
    from storage.corpus import Corpus

    now = datetime.now(UTC).astimezone()
    with Corpus.open(config.database_url, read_only=True) as corpus:
        standing = _standing(config, corpus)
        names, status = standing.sites, standing.status
        again, earliest = corpus.frontier.due_again(names, now.timestamp())
        pending = corpus.frontier.next_due(names)
        due = again + (
            sum(status.pending.get(name, 0) for name in names)
            if pending is not None and pending <= now.timestamp()
            else 0
        )
        suspended = corpus.frontier.suspended(names)
        night = last_night(corpus.runs.by_site(names, 1.0))
        found = health.examine(corpus, config, HealthThresholds(), now) if night else health.Health(())
    return standing, Overview(
        name=config.corpus.name,
        program=program,
        now=now,
        status=status,
        run_state=standing.run_state,
        site_count=len({*names, *(row.key for row in status.by_site)}),
        words=count_words(config.index_folder),
        sizes=sizes(config),
        night=night,
        scheduled=timer.installed_at(config, environ),
        other_rules=standing.other_rules,
        due=due,
        next_due=min((each for each in (earliest, pending) if each is not None), default=None),
        problems=found.sick,
        paused=[host for site in found.sites for host in site.paused],
        suspended=suspended,
    )


def render(standing: CorpusStanding, console: Console) -> None:
    """Write the tables of ``--all``: totals, languages, sites, URLs, drops and failures by reason, the last run."""
    status = standing.status
    totals = [("documents", status.documents), ("duplicates", status.duplicates), ("fetches", status.fetches)]
    totals[2:2] = [("earlier versions", status.superseded)] if status.superseded else []
    some = [("reserved", status.reserved), ("with a licence", status.licensed), ("recovered", status.recovered)]
    some.append(("made with other rules of the site", sum(standing.other_rules.values())))
    totals += [(what, count) for what, count in some if count]
    console.table("Corpus", ("what", "count"), totals)
    console.table("Languages", LANGUAGE_KEYS, _with_chars(status.by_language))
    console.table("Sites", SITE_KEYS, _sites(standing))
    states = [(row.key, row.count, MEANINGS[UrlState(row.key)]) for row in status.by_state]
    console.table("URLs", ("state", "count", "meaning"), states)
    pages = tuple(row for row in status.dropped if row.key not in NO_PAGES)
    others = tuple(row for row in status.dropped if row.key in NO_PAGES)
    console.table("Pages without a document", REASON_KEYS, _with_meaning(pages))
    console.table("Sources, redirects and unchanged texts", REASON_KEYS, _with_meaning(others))
    console.table("URLs that failed", REASON_KEYS, _with_meaning(status.failed))
    console.table(
        in_local_time("Last run"), ("what", "value"), _last_run(standing, () if console.verbose else INTERNALS)
    )


def _counts(rows: tuple[CountRow, ...]) -> list[tuple[str, int]]:
    return [(row.key, row.count) for row in rows]


def _with_meaning(rows: tuple[CountRow, ...]) -> list[tuple[str, int, str]]:
    return [(row.key, row.count, meaning(row.key)) for row in rows]


def _with_chars(rows: tuple[CountRow, ...]) -> list[tuple[str, int, int]]:
    return [(row.key, row.count, row.chars) for row in rows]


def _sites(standing: CorpusStanding) -> list[tuple[str, int, int, int]]:
    """Return rows of sites with documents, most documents first, then of sites that are only configured or pending."""
    pending = standing.status.pending
    rows = [(row.key, row.count, row.chars, pending.get(row.key, 0)) for row in standing.status.by_site]
    known = {row[0] for row in rows}
    others = sorted({*pending, *standing.sites} - known)
    return rows + [(site, 0, 0, pending.get(site, 0)) for site in others]


def _last_run(standing: CorpusStanding, hidden: frozenset[str] | tuple[()]) -> list[tuple[str, object]]:
    """Return rows of the last run, with one row for each single value of its summary."""
    known, noted = standing.status.last_run, _noted(standing.status)
    rows: list[tuple[str, object]] = [("state", standing.run_state)] if standing.run_state else []
    rows += [(key, _second(value) if key in TIMES else value) for key, value in known.items() if key != "summary"]
    shown = {key: value for key, value in noted.items() if key not in hidden and not isinstance(value, (dict, list))}
    return rows + [(LABELS.get(key, key), in_units(key, value)) for key, value in shown.items() if said(value)]


def _noted(status: Status) -> dict[str, Any]:
    """Return the summary of the last run; empty if it cannot be parsed."""
    try:
        noted = json.loads(status.last_run.get("summary") or "{}")
    except ValueError:
        return {}
    return noted if isinstance(noted, dict) else {}


def _second(text: str) -> str:
    """Return a time in the local zone; other text unchanged."""
    moment = _moment(text)
    return local(moment) if moment else text


def _moment(text: str) -> datetime | None:
    """Parse a time of the database. Return None for other text."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def said(value: object) -> bool:
    """Return whether a field of a run's summary has a value."""
    return value is not None and value != ""
