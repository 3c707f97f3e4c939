"""First output of `status`: what there is, what happened last night, what is next, what needs attention. Pure."""

from __future__ import annotations

import shlex
from datetime import timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.cells import cell_len

from corpus_spider.api.status import summary_of
from corpus_spider.exit_codes import EXPECTED, NONE_SUCCEEDED, REASONS, SICK
from corpus_spider.monitoring.advice import next_command, suspended_sites
from corpus_spider.terminal.escapes import safe
from corpus_spider.terminal.layout import GAP, beside, flow, padded, wrap
from corpus_spider.terminal.values import bar, duration, human_size, local, number, per_cent, rounded, zone
from storage.reasons import NO_NETWORK
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from corpus_spider.api.status import Overview
    from storage.documents.model import CountRow, Status

LABEL = 12
"""Cells of the first column."""
BARS = 5
"""Languages and sites with a bar of their own. The others have one together."""
MOST_PROBLEMS = 8
"""Problems that are shown. `health` shows all."""


def lines(overview: Overview, width: int) -> list[str]:
    """Return the dashboard in lines of at most ``width`` cells. Only a longer word or command exceeds it."""
    parts = [_headline(overview, width), _bars(overview.status, width)]
    summary = [
        *_last_night(overview, width),
        *_at_work(overview, width),
        *_next(overview, width),
        *_attention(overview, width),
    ]
    return [line for part in (*parts, summary) if part for line in (*part, "")][:-1]


def _headline(overview: Overview, width: int) -> list[str]:
    status = overview.status
    length = sum(row.chars for row in status.by_language)
    size = f"{rounded(length)} characters" if overview.words is None else f"{rounded(overview.words)} tokens"
    documents = counted(status.documents, "document")
    first = " · ".join([safe(overview.name), documents, size, counted(overview.site_count, "site")])
    second = " · ".join(f"{name} {human_size(size)}" for name, size in overview.sizes if size)
    return beside(first, second, width)


def _bars(status: Status, width: int) -> list[str]:
    """Return the shares of languages and sites, side by side if they fit."""
    blocks = [block for rows in (status.by_language, status.by_site) if (block := _shares(rows))]
    half = (width - 2 * len(GAP)) // 2
    halves = [_drawn(block, half) for block in blocks]
    if len(halves) == 2 and all(cell_len(line) <= half for block in halves for line in block):
        pairs = zip_longest(*halves, fillvalue="")
        return [f"{padded(left, half)}{GAP}{GAP}{right}".rstrip() for left, right in pairs]
    return [line for block in blocks for line in _drawn(block, width)]


def _shares(rows: Sequence[CountRow]) -> list[tuple[str, int]]:
    """Return the largest rows, and one row for all others."""
    shown = [(safe(row.key or "?"), row.count) for row in rows[: BARS if len(rows) <= BARS else BARS - 1]]
    others = rows[len(shown) :]
    return [*shown, (f"{len(others)} others", sum(row.count for row in others))] if others else shown


def _drawn(block: Sequence[tuple[str, int]], width: int) -> list[str]:
    """Return lines of name, bar and share."""
    total = sum(count for _, count in block)
    names = max(cell_len(name) for name, _ in block)
    room = max(5, min(30, width - names - len(GAP) - 8))
    drawn = [padded(bar(count / max(total, 1), room), room) for _, count in block]
    return [
        f"{padded(name, names)}{GAP}{line} {per_cent(count, total):>7}"
        for (name, count), line in zip(block, drawn, strict=True)
    ]


def _last_night(overview: Overview, width: int) -> list[str]:
    night, state = overview.night, overview.run_state
    if night is None:
        return []
    clock = f"{night.started.astimezone(overview.now.tzinfo):%H:%M}"
    if overview.machines.running or state == "running":
        when = f"since {clock} {zone()}, still running"
    elif night.finished:
        when = f"{clock}–{night.finished.astimezone(overview.now.tzinfo):%H:%M} {zone()}"
    else:
        when = f"{clock} {zone()}, not finished"
    is_recent = overview.now - night.started < timedelta(hours=36)
    label = "Last night" if is_recent else "Last crawl"
    day = "" if is_recent else f"{local(night.started)[:10]} "
    counts = [
        f"{number(value)} {word}"
        for word, value in (
            ("new", night.new),
            ("changed", night.changed),
            ("unchanged", night.unchanged),
            ("dropped", night.dropped),
            ("failed", night.failed),
        )
    ]
    return _labelled(label, flow([f"{day}{when}", *counts], width - LABEL))


def _at_work(overview: Overview, width: int) -> list[str]:
    """Return the sums over the crawls that go on, if they are several or on another machine."""
    running = overview.machines.running
    machines = sorted({crawl.machine for crawl in running})
    if len(running) < 2 and overview.run_state in {"running", "ended", ""}:
        return []
    facts = [counted(len(running), "crawl"), counted(sum(len(crawl.sites) for crawl in running), "site")]
    facts.append(f"{overview.machines.pages_per_minute:,.0f} pages a minute")
    named = machines[0] if len(machines) == 1 else counted(len(machines), "machine")
    return _labelled("At work", flow([*facts, f"on {safe(named)}"], width - LABEL)) if running else []


def _next(overview: Overview, width: int) -> list[str]:
    due = f"{counted(overview.due, 'URL')} due"
    if overview.scheduled:
        hour, minute = map(int, overview.scheduled.split(":"))
        start = overview.now.replace(hour=hour, minute=minute, second=0, microsecond=0)
        start += timedelta(days=start <= overview.now)
        seconds = (start - overview.now).total_seconds()
        return _labelled("Next", flow([f"in {duration(seconds)} ({overview.scheduled}, timer)", due], width - LABEL))
    if overview.machines.running or overview.run_state == "running":
        return []
    if overview.due or overview.night is None:
        what = [due] if overview.status.fetches else ["no documents yet"]
        return _labelled("Next", flow([*what, f"{overview.program} crawl"], width - LABEL))
    if overview.next_due is None:
        return _labelled("Next", ["nothing is due"])
    seconds = max(0.0, overview.next_due - overview.now.timestamp())
    return _labelled(
        "Next", flow([f"nothing is due for {duration(seconds)}", f"{overview.program} schedule"], width - LABEL)
    )


def _attention(overview: Overview, width: int) -> list[str]:
    """Return the problems with the command for each, one below the other."""
    found = []
    for what, command in _problems(overview):
        found += [*wrap(what, width - LABEL), f"{GAP}{overview.program} {command}"]
    return _labelled("Attention", found)


def _problems(overview: Overview) -> Iterator[tuple[str, str]]:
    known = overview.status.last_run
    for trouble in overview.machines.problems:
        yield f"{safe(str(trouble))}.", trouble.next
    if overview.run_state.startswith("died") and not overview.machines.crawls:
        yield "The last crawl was killed. The next one goes on where it stopped.", "crawl"
    elif "exit_code" in known and (code := int(known["exit_code"])) not in {*EXPECTED, SICK}:
        yield f"The last crawl ended with exit code {code}: {REASONS.get(code, 'unknown')}.", _after(code, known)
    for problem in overview.problems[:MOST_PROBLEMS]:
        yield f"{safe(str(problem))}", next_command(problem)
    for host in overview.paused:
        yield f"{safe(str(host))}.", f"crawl --site {shlex.quote(host.site)}"
    for site, documents in overview.other_rules.items():
        what = f"{safe(site)}: {counted(documents, 'document')} made with other rules than those of today"
        yield what, f"reextract --site {shlex.quote(site)}"
    if overview.uploads.files:
        yield f"{counted(overview.uploads.files, 'WARC file')} waiting to be uploaded.", "doctor"
    yield from ((safe(words), command) for words, command in suspended_sites(overview.suspended))
    if (more := len(overview.problems) - MOST_PROBLEMS) > 0:
        yield f"{counted(more, 'more problem')}.", "health"


def _after(code: int, last_run: Mapping[str, str]) -> str:
    """Return the arguments of the command that shows why a crawl failed: the site's sources, or this machine."""
    summary = summary_of(last_run)
    site = summary.get("first_failed_site")
    if code != NONE_SUCCEEDED or not site:
        return "doctor"
    return "doctor --network" if set(summary.get("failed") or ()) == NO_NETWORK else f"sites check {shlex.quote(site)}"


def _labelled(label: str, block: Sequence[str]) -> list[str]:
    return [padded(label if at == 0 else "", LABEL) + line for at, line in enumerate(block)]
