"""How a crawl is getting on: one living line on a terminal, a plain line each half minute elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.line import Line

logger = logging.getLogger(__name__)

PLAIN_SECONDS = 30.0


def words(line: Line, seconds: float) -> str:
    """Say how far a crawl has come (pure but for reading the counts)."""
    counts = line.counts
    waiting = len(line.held) + line.waiting
    parts = [
        f"{counts.pages} fetched ({counts.pages / max(seconds, 0.001):.1f}/s, {counts.bytes / 2**20:.1f} MiB)",
        f"{counts.documents} documents",
        f"{counts.drops.total()} without text",
        f"{counts.failures.total()} failed" if counts.failures else "",
        f"{waiting} waiting for a worker" if waiting else "",
    ]
    return ", ".join(part for part in parts if part)


@contextmanager
def shown(line: Line, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """Give a function to call now and then; it shows the progress where somebody looks."""
    started = time.monotonic()
    if quiet:
        yield lambda: None
    elif sys.stderr.isatty():
        with _living(line, started) as show:
            yield show
    else:
        yield _plain(line, started)


@contextmanager
def _living(line: Line, started: float) -> Iterator[Callable[[], None]]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=None)
        yield lambda: progress.update(task, description=words(line, time.monotonic() - started))


def _plain(line: Line, started: float) -> Callable[[], None]:
    due = started + PLAIN_SECONDS

    def show() -> None:
        nonlocal due
        if time.monotonic() >= due:
            due += PLAIN_SECONDS
            logger.info("%s", words(line, time.monotonic() - started))

    return show
