"""How a corpus stands, for people."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from corpus_spider.console import in_units
from storage.records import UrlState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.config import Config
    from corpus_spider.console import Console
    from storage.holdings import CountRow, Status

INTERNALS = frozenset({"spilled", "worker_cpu_seconds", "worker_peak_kib", "seconds"})
"""What a run notes of itself for those who work on the program; shown with ``-v`` and in JSON."""

LABELS = {"refused": "not allowed by robots.txt", "failed": "tries that failed", "bytes": "received"}
"""What people read in the place of these names in a run's summary, since elsewhere they mean something else: in the
counts of a site ``refused`` is what a server refuses, in `status` ``failed`` are URLs that were given up, and the
``bytes`` of a site are those of the WARC.
"""
TIMES = frozenset({"started", "finished"})
NUMBERS = ("id", "exit_code", "pid")
LANGUAGE_KEYS = ("language", "documents", "chars")
SITE_KEYS = ("site", "documents", "chars", "pending")
MEANINGS = {
    UrlState.PENDING: "waiting to be fetched",
    UrlState.LEASED: "being fetched, or was when a crawl died",
    UrlState.FETCHED: "fetched, waiting to be read",
    UrlState.DONE: "fetched and read",
    UrlState.FAILED: "given up",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """A corpus's numbers, how many URLs wait at each site, and what has become of the last run."""

    status: Status
    pending: Mapping[str, int] = field(default_factory=dict)
    run_state: str = ""
    sites: tuple[str, ...] = ()
    """The sites that are configured, crawled already or not."""

    def plain(self) -> dict[str, Any]:
        """Return all of it for JSON, under the names that the summary of a crawl and `export --dry-run` have for it."""
        status = self.status
        return {
            "documents": status.documents,
            "duplicates": status.duplicates,
            "earlier_versions": status.superseded,
            "reserved": status.reserved,
            "licensed": status.licensed,
            "fetches": status.fetches,
            "languages": [dict(zip(LANGUAGE_KEYS, row, strict=True)) for row in _with_chars(status.by_language)],
            "sites": [dict(zip(SITE_KEYS, row, strict=True)) for row in _sites(self)],
            "urls": dict(_counts(status.by_state)),
            "dropped": dict(_counts(status.dropped)),
            "failed": dict(_counts(status.failed)),
            "last_run": self._last_run(),
        }

    def _last_run(self) -> dict[str, Any]:
        last = ({"state": self.run_state} if self.run_state else {}) | self.status.last_run
        numbers = {key: int(text) for key in NUMBERS if (text := last.get(key, "")).isdecimal()}
        times = {key: moment for key in TIMES if (moment := _moment(last.get(key, "")))}
        noted = {"summary": _noted(self.status)} if "summary" in last else {}
        return last | numbers | times | noted


def read(config: Config) -> Standing:
    """Count what is in the corpus. Raises ConfigError when nothing was crawled yet, DatabaseError when it is away."""
    from storage.corpus import Corpus

    with Corpus.open(config.database_url, read_only=True) as corpus:
        status, counts = corpus.status(), corpus.frontier.counts()
    pending = {site: states[UrlState.PENDING] for site, states in counts.items() if states.get(UrlState.PENDING)}
    return Standing(status, pending, run_state(status.last_run), tuple(site.name for site in config.sites))


def run_state(known: Mapping[str, str]) -> str:
    """Tell whether the last run ``ended``, is ``running``, or died without a word; empty when there was none."""
    if not known:
        return ""
    if "finished" in known:
        return "ended"
    if known.get("host") != socket.gethostname():
        return f"running on {known.get('host', 'another host')}, or died there"
    return "running" if _is_alive(known.get("pid", "")) else "died; the next crawl goes on where it stopped"


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        return True
    except (ValueError, OverflowError, OSError):
        return False
    return True


def render(standing: Standing, console: Console) -> None:
    """Write tables: totals, languages, sites, URLs by state, drops and failures by reason, the last run."""
    status = standing.status
    totals = [("documents", status.documents), ("duplicates", status.duplicates), ("fetches", status.fetches)]
    totals[2:2] = [("earlier versions", status.superseded)] if status.superseded else []
    said = [("reserved", status.reserved), ("with a licence of their own", status.licensed)]
    totals += [(what, count) for what, count in said if count]
    console.table("Corpus", ("what", "count"), totals)
    console.table("Languages", ("language", "documents", "characters"), _with_chars(status.by_language))
    console.table("Sites", ("site", "documents", "characters", "pending"), _sites(standing))
    console.table("URLs", ("state", "count", "meaning"), _states(status.by_state))
    console.table("Pages without a document", ("reason", "count"), _counts(status.dropped))
    console.table("URLs that failed", ("reason", "count"), _counts(status.failed))
    console.table("Last run", ("what", "value"), _last_run(standing, () if console.verbose else INTERNALS))


def _counts(rows: tuple[CountRow, ...]) -> list[tuple[str, int]]:
    return [(row.key, row.count) for row in rows]


def _with_chars(rows: tuple[CountRow, ...]) -> list[tuple[str, int, int]]:
    return [(row.key, row.count, row.chars) for row in rows]


def _sites(standing: Standing) -> list[tuple[str, int, int, int]]:
    """Sites with documents, those of most first, then those that are configured, or where URLs wait, only."""
    pending = standing.pending
    rows = [(row.key, row.count, row.chars, pending.get(row.key, 0)) for row in standing.status.by_site]
    known = {row[0] for row in rows}
    others = sorted({*pending, *standing.sites} - known)
    return rows + [(site, 0, 0, pending.get(site, 0)) for site in others]


def _states(rows: tuple[CountRow, ...]) -> list[tuple[str, int, str]]:
    return [(row.key, row.count, MEANINGS[UrlState(row.key)]) for row in rows]


def _last_run(standing: Standing, hidden: frozenset[str] | tuple[()]) -> list[tuple[str, object]]:
    """Spread what a run noted of itself as JSON over lines of their own, single values only."""
    known, noted = standing.status.last_run, _noted(standing.status)
    rows: list[tuple[str, object]] = [("state", standing.run_state)] if standing.run_state else []
    rows += [(key, _second(value) if key in TIMES else value) for key, value in known.items() if key != "summary"]
    shown = {key: value for key, value in noted.items() if key not in hidden and not isinstance(value, (dict, list))}
    return rows + [(LABELS.get(key, key), in_units(key, value)) for key, value in shown.items() if said(value)]


def _noted(status: Status) -> dict[str, Any]:
    """Return what the last run noted of itself; nothing where that cannot be read."""
    try:
        noted = json.loads(status.last_run.get("summary") or "{}")
    except ValueError:
        return {}
    return noted if isinstance(noted, dict) else {}


def _second(text: str) -> str:
    """Cut a time to its second; what is none stays as it is."""
    moment = _moment(text)
    return moment.isoformat(timespec="seconds") if moment else text


def _moment(text: str) -> datetime | None:
    """Read a time as the database gives it; None for what is none."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def said(value: object) -> bool:
    """Say whether a run noted anything under a name: there may be no failure, and nothing to wait for."""
    return value is not None and value != ""
