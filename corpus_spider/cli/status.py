"""Output of ``status --all``: tables of totals, URLs, dropped pages and the last run."""

from __future__ import annotations

from dataclasses import astuple
from datetime import datetime
from typing import TYPE_CHECKING

from corpus_spider.terminal.values import in_local_time, in_units, local
from storage.reasons import is_page, meaning_of
from storage.records import UrlState

if TYPE_CHECKING:
    from collections.abc import Collection

    from corpus_spider.api.status import CorpusStatus, LastRun
    from corpus_spider.terminal.console import Console

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
DROP_TABLES = (("Pages without a document", True), ("Sources, redirects and unchanged texts", False))
"""Tables of drops: their title, and whether their responses are pages."""


def render(found: CorpusStatus, console: Console) -> None:
    """Write the tables of ``--all``: totals, languages, sites, URLs, drops and failures by reason, the last run."""
    totals = [("documents", found.documents), ("duplicates", found.duplicates)]
    totals += [("earlier versions", found.earlier_versions)] if found.earlier_versions else []
    totals += [("fetches", found.fetches)]
    some = [("reserved", found.reserved), ("with a licence", found.licensed), ("recovered", found.recovered)]
    some.append(("made with other rules of the site", sum(found.other_rules.values())))
    some.append(("WARC files that wait for their upload", found.uploads.files))
    totals += [(what, count) for what, count in some if count]
    console.table("Corpus", ("what", "count"), totals)
    console.table("Languages", ("language", "documents", "chars"), map(astuple, found.languages))
    console.table("Sites", ("site", "documents", "chars", "pending"), map(astuple, found.sites))
    states = [(state, count, MEANINGS[UrlState(state)]) for state, count in found.urls.items()]
    console.table("URLs", ("state", "count", "meaning"), states)
    dropped = [
        (title, {reason: count for reason, count in found.dropped.items() if is_page(reason) is are_pages})
        for title, are_pages in DROP_TABLES
    ]
    for title, reasons in (*dropped, ("URLs that failed", found.failed)):
        rows = [(reason, count, meaning_of(reason)) for reason, count in reasons.items()]
        console.table(title, ("reason", "count", "meaning"), rows)
    at_work = [
        (each.machine, each.process, local(each.started), each.state, len(each.sites), f"{each.pages_per_minute:.0f}")
        for each in found.at_work
    ]
    columns = ("machine", "process", "since", "state", "sites", "pages_per_minute")
    console.table(in_local_time("Crawls at work"), columns, at_work)
    hidden = () if console.verbose else INTERNALS
    console.table(in_local_time("Last run"), ("what", "value"), _last_run(found.last_run, hidden))


def _last_run(last: LastRun, hidden: Collection[str]) -> list[tuple[str, object]]:
    """Return rows of the last run, with one row for each single value of its summary."""
    known = ((key, value) for key, value in last.items() if key != "summary")
    rows: list[tuple[str, object]] = [
        (key, local(value) if isinstance(value, datetime) else str(value)) for key, value in known
    ]
    summary = last.get("summary", {}).items()
    shown = {key: value for key, value in summary if key not in hidden and not isinstance(value, (dict, list))}
    return rows + [(LABELS.get(key, key), in_units(key, value)) for key, value in shown.items() if said(value)]


def said(value: object) -> bool:
    """Return whether a field of a run's summary has a value."""
    return value is not None and value != ""
