"""Progress and end of a crawl in words."""

from __future__ import annotations

import logging
import shlex
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from corpus_spider.exit_codes import DONE, LIMITED, NONE_SUCCEEDED, SICK, STOPPED
from corpus_spider.terminal.layout import padded
from corpus_spider.terminal.progress import CLOCK, SPINNER, live_text
from corpus_spider.terminal.values import duration, number
from storage.reasons import NO_NETWORK
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from corpus_spider.terminal.slow_count import SlowCount
    from pipelines.runtime.counters import PipelineCounts
    from pipelines.runtime.page_pipeline import PagePipeline

logger = logging.getLogger(__name__)

OFFLINE = "Is this machine online? `corpus-spider doctor --network` checks it."
MAX_SITE_LINES = 5
"""Sites with a line of their own."""
MOST_REASONS = 6
"""Reasons of dropped pages in one line."""
MIN_WIDE_COLUMNS = 120
"""Columns from which sites and reasons are shown below the counts."""


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """Limits of a crawl: pages, seconds and received bytes; 0: no limit."""

    pages: int = 0
    seconds: float = 0.0
    bytes: int = 0

    def left(self, counts: PipelineCounts, seconds: float) -> float | None:
        """Return the seconds until the first limit is reached at the rate so far. None if there is no limit."""
        ahead = [self.seconds - seconds] if self.seconds else []
        for limit, done in ((self.pages, counts.pages), (self.bytes, counts.bytes)):
            if limit and done:
                ahead.append((limit - done) * seconds / done)
        return max(0.0, min(ahead)) if ahead else None


def closing_words(summary: Mapping[str, Any], code: int) -> str:
    """Describe in one line how a crawl ended, from its summary (`Session.summary`) and its exit code."""
    done = f"{counted(summary['pages'], 'page')} fetched, {counted(summary['documents'], 'document')}"
    unread = f", {counted(summary['unread'], 'page')} not processed yet" if summary["unread"] else ""
    if code in {DONE, SICK}:
        attempted = summary["pages"] + summary["refused"] + sum(summary["failed"].values())
        if not attempted:
            return f"Nothing is due{unread}; {_waiting(summary)}." if summary["pending"] else f"Nothing is due{unread}."
        return f"Done: {done}{unread}; {_waiting(summary) if summary['pending'] else 'nothing more is due'}."
    if code == NONE_SUCCEEDED and set(summary["failed"]) == NO_NETWORK and not summary["pages"]:
        return f"Nothing could be fetched. No host name could be resolved. {OFFLINE}"
    if code == NONE_SUCCEEDED:
        reason = summary["first_failure"] or next(iter(summary["dropped"]), "") or "robots.txt forbids every URL"
        site = summary.get("first_failed_site", "")
        check = f" `corpus-spider sites check {shlex.quote(site)}` checks its sources." if site else ""
        return f"Nothing could be fetched. First reason: {reason}.{check}"
    pending = f", {counted(summary['pending'], 'URL')} pending" if summary["pending"] else ""
    ends = {STOPPED: "Stopped by a signal", LIMITED: f"Stopped at {summary['limit']}"}
    return f"{ends.get(code, 'Ended by an error')}: {done}{unread}{pending}. Run the same command to resume."


def _waiting(summary: Mapping[str, Any]) -> str:
    """Return the number of pending URLs, and the local time of the next attempt."""
    pending, moment = summary["pending"], summary["next_try"]
    words = f"{counted(pending, 'URL')} {'waits' if pending == 1 else 'wait'}"
    if not moment:
        return f"{words} for the next crawl"
    local, today = datetime.fromtimestamp(moment, UTC).astimezone(), datetime.now(UTC).astimezone().date()
    day = "" if local.date() == today else f"{local:%F} "
    return f"{words}, next attempt {day}at {local:%H:%M}"


def words(
    pipeline: PagePipeline,
    seconds: float,
    pending: int | None = None,
    width: int | None = None,
    limits: CrawlLimits = CrawlLimits(),
) -> str:
    """Return the progress line of a crawl. Reads the counters of ``pipeline``; changes nothing.

    ``width``: columns it should fit into. The less important counts are left out first; three of them always stay.
    """
    counts, left = pipeline.counts, limits.left(pipeline.counts, seconds)
    waiting = len(pipeline.held) + pipeline.waiting
    fetched, rate = f"{number(counts.pages)} fetched", f"{counts.pages / max(seconds, 0.001):.1f}/s"
    parts = {
        "fetched": f"{fetched} ({rate}, {counts.bytes / 2**20:.1f} MiB)",
        "documents": counted(counts.documents, "document"),
        "unchanged": f"{number(counts.unchanged)} unchanged" if counts.unchanged else "",
        "dropped": f"{number(counts.drops.total())} without text",
        "failed": f"{number(counts.failures.total())} failed" if counts.failures else "",
        "refused": f"{number(counts.refused)} forbidden by robots.txt" if counts.refused else "",
        "pending": f"{number(pending)} pending" if pending is not None else "",
        "left": f"{duration(left)} left" if left is not None else "",
        "waiting": f"{number(waiting)} waiting for a worker" if waiting else "",
    }
    shorter = (("waiting", ""), ("fetched", f"{fetched} ({rate})"), ("refused", ""), ("fetched", fetched))
    line = _joined(parts)
    for name, text in (*shorter, ("unchanged", ""), ("dropped", ""), ("failed", ""), ("left", "")):
        if width is None or len(line) <= width:
            break
        parts[name] = text
        line = _joined(parts)
    return line


def _joined(parts: Mapping[str, str]) -> str:
    return ", ".join(part for part in parts.values() if part)


def details(counts: PipelineCounts, seconds: float, width: int) -> list[str]:
    """Return lines about the busiest sites and the reasons of dropped pages; none in a narrow terminal."""
    if width < MIN_WIDE_COLUMNS:
        return []
    # The names are those of corpus.toml, and reasons are words of this program: neither is text of a page.
    busiest = sorted(counts.sites.items(), key=lambda each: (-each[1].pages, each[0]))[:MAX_SITE_LINES]
    rows = [
        (
            name,
            f"{number(site.pages)} fetched",
            f"{site.pages / max(seconds, 0.001):.1f}/s",
            counted(site.documents, "document"),
            f"{number(site.failed)} failed" if site.failed else "",
        )
        for name, site in busiest
    ]
    columns = [max(cell_len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = ["  ".join(padded(cell, size) for cell, size in zip(row, columns, strict=True)).rstrip() for row in rows]
    reasons = [f"{reason} {number(count)}" for reason, count in counts.drops.most_common(MOST_REASONS)]
    return [*lines, f"without text: {', '.join(reasons)}"] if reasons else lines


@contextmanager
def crawl_progress(
    pipeline: PagePipeline, pending: SlowCount[int], limits: CrawlLimits, *, quiet: bool
) -> Iterator[Callable[[], None]]:
    """Yield a function that shows the progress of a crawl. Call it regularly."""
    started = time.monotonic()

    def now(width: int | None) -> str:
        pending.refresh()
        seconds = time.monotonic() - started
        line = words(pipeline, seconds, pending.value, width, limits)
        return "\n".join([line, *(details(pipeline.counts, seconds, width + CLOCK + SPINNER) if width else [])])

    try:
        with live_text(now, partial(logger.info, "%s"), quiet=quiet) as show:
            yield show
    finally:
        pending.stop()
