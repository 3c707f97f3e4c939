"""How a crawl is getting on: one living line on a terminal, a plain line each half minute elsewhere."""

from __future__ import annotations

import logging
import sys
import threading
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from storage.counting import counted
from storage.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pipelines.line import PagePipeline

logger = logging.getLogger(__name__)

PLAIN_SECONDS = 30.0
RECOUNT_SECONDS = 15.0


class Recount:
    """A count that takes a while, taken anew now and then in a thread of its own; ``value`` is None until it is known.

    The longer it takes the seldomer it is taken: a fiftieth of the time at most.
    """

    def __init__(self, count: Callable[[], int]) -> None:
        self.value: int | None = None
        self._count = count
        self._thread: threading.Thread | None = None
        self._due = 0.0

    def refresh(self) -> None:
        """Begin a new count when it is time for one."""
        if time.monotonic() >= self._due and not (self._thread and self._thread.is_alive()):
            thread = threading.Thread(target=self._run, name="recount", daemon=True)
            # Where the system has no more of them, the crawl goes on without the count.
            with suppress(RuntimeError):
                thread.start()
                self._thread = thread

    def stop(self) -> None:
        """Wait a moment for a count that is being taken."""
        if self._thread:
            self._thread.join(2.0)

    def _run(self) -> None:
        started = time.monotonic()
        try:
            self.value = self._count()
        except CorpusError as error:
            logger.debug("cannot count: %s", error)
        self._due = time.monotonic() + max(RECOUNT_SECONDS, 50 * (time.monotonic() - started))


def closing_words(summary: Mapping[str, Any], code: int) -> str:
    """Say in a line how a crawl ended, from its summary (of `Session.summary`) and its exit code."""
    done = f"{counted(summary['pages'], 'page')} fetched, {counted(summary['documents'], 'document')}"
    unread = f", {counted(summary['unread'], 'page')} not read yet" if summary["unread"] else ""
    pending = f", {counted(summary['pending'], 'URL')} pending" if summary["pending"] else ""
    left = f"{done}{unread}{pending}. Run the same command to go on."
    if code in {0, 8}:
        return _nothing_due(summary) if not _tried(summary) else f"Done: {done}; {_later(summary)}."
    if code == 7:
        return f"Nothing could be fetched; first reason: {_first_reason(summary)}."
    return {11: "Stopped by a signal: ", 12: f"Stopped at {summary['limit']}: "}.get(code, "Ended by an error: ") + left


def _first_reason(summary: Mapping[str, Any]) -> str:
    answered = next(iter(summary["dropped"]), "")
    return str(summary["first_failure"] or answered or "robots.txt refuses every URL")


def _tried(summary: Mapping[str, Any]) -> int:
    return int(summary["pages"] + summary["refused"] + sum(summary["failed"].values()))


def _nothing_due(summary: Mapping[str, Any]) -> str:
    return "Nothing is due." if not summary["pending"] else f"Nothing is due; {_waiting(summary)}."


def _later(summary: Mapping[str, Any]) -> str:
    return _waiting(summary) if summary["pending"] else "nothing more is due"


def _waiting(summary: Mapping[str, Any]) -> str:
    """Say how many URLs wait, and until when at least, in local time."""
    pending, moment = summary["pending"], summary["next_try"]
    words = f"{counted(pending, 'URL')} {'waits' if pending == 1 else 'wait'}"
    if not moment:
        return f"{words} for the next crawl"
    local, today = datetime.fromtimestamp(moment, UTC).astimezone(), datetime.now(UTC).astimezone().date()
    return f"{words}, next try at {local:%H:%M}" if local.date() == today else f"{words}, next try {local:%F at %H:%M}"


def words(pipeline: PagePipeline, seconds: float, pending: int | None = None) -> str:
    """Say how far a crawl has come (pure but for reading the counts)."""
    counts = pipeline.counts
    waiting = len(pipeline.held) + pipeline.waiting
    parts = [
        f"{counts.pages} fetched ({counts.pages / max(seconds, 0.001):.1f}/s, {counts.bytes / 2**20:.1f} MiB)",
        counted(counts.documents, "document"),
        f"{counts.unchanged} unchanged" if counts.unchanged else "",
        f"{counts.drops.total()} without text",
        f"{counts.failures.total()} failed" if counts.failures else "",
        f"{counts.refused} refused by robots.txt" if counts.refused else "",
        f"{pending} pending" if pending is not None else "",
        f"{waiting} waiting for a worker" if waiting else "",
    ]
    return ", ".join(part for part in parts if part)


@contextmanager
def shown(pipeline: PagePipeline, pending: Recount, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """Give a function to call now and then; it shows the progress where somebody looks."""
    started = time.monotonic()

    def now() -> str:
        pending.refresh()
        return words(pipeline, time.monotonic() - started, pending.value)

    try:
        if quiet:
            yield lambda: None
        elif sys.stderr.isatty():
            with _living(now) as show:
                yield show
        else:
            yield _plain(now, started)
    finally:
        pending.stop()


@contextmanager
def _living(now: Callable[[], str]) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=None)
        yield lambda: progress.update(task, description=now())


def _plain(now: Callable[[], str], started: float) -> Callable[[], None]:
    due = started + PLAIN_SECONDS

    def show() -> None:
        nonlocal due
        text = now()
        if time.monotonic() >= due:
            # Not `due +=`: there would be a line for each half minute in which the program was stopped.
            due = time.monotonic() + PLAIN_SECONDS
            logger.info("%s", text)

    return show
