"""Progress of long work: a bar or a live text on a terminal, a line every 30 seconds elsewhere."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from storage.reporting import unseen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress as RichProgress
    from rich.progress import ProgressColumn, TaskID

    from storage.reporting import Progress

PLAIN_SECONDS = 30.0
"""Interval of progress lines without a terminal."""
CLOCK, COUNTS, SPINNER = 7, 20, 4
"""Columns of a terminal for a clock (0:00:00), for counts such as 1234567/1234567, and for the spinner. With spaces."""
MIN_BAR_COLUMNS = 80
"""Columns from which there is room for a bar."""


@contextmanager
def progress(write: Callable[[str], None], *, quiet: bool = False) -> Iterator[Progress]:
    """Yield a function that takes a step, the finished and the total count: a bar on a terminal, else lines.

    ``write`` gets the lines.
    """
    if quiet:
        yield unseen
    elif sys.stderr.isatty():
        with bar() as show:
            yield show
    else:
        with lines(write) as show:
            yield show


@contextmanager
def live_text(
    text: Callable[[int | None], str], write: Callable[[str], None], *, quiet: bool = False
) -> Iterator[Callable[[], None]]:
    """Yield a function that shows the present text: beside a clock on a terminal, else now and then as a line.

    ``text`` gets the columns that it has, None without a terminal.
    """
    if quiet:
        yield lambda: None
    elif sys.stderr.isatty():
        with _drawn(text_columns) as (drawing, task):
            yield lambda: drawing.update(task, description=text(drawing.console.width - CLOCK - SPINNER))
    else:
        with lines(write) as show:
            yield lambda: show(text(None), 0, None)


@contextmanager
def lines(write: Callable[[str], None]) -> Iterator[Progress]:
    """Write the newest state every `PLAIN_SECONDS`, from a thread: one query may take minutes.

    A process that was suspended writes one line when it goes on.
    """
    newest, over = "", threading.Event()

    def show(what: str, done: int, total: int | None) -> None:
        nonlocal newest
        newest = f"{what}: {done} of {total}" if total else f"{what}: {done}" if done else what

    def report() -> None:
        while not over.wait(PLAIN_SECONDS):
            if newest:
                write(newest)

    thread = threading.Thread(target=report, name="progress", daemon=True)
    # If the system has no thread left, the work goes on without the lines.
    with suppress(RuntimeError):
        thread.start()
    try:
        yield show
    finally:
        over.set()
        if thread.is_alive():
            thread.join()


@contextmanager
def bar() -> Iterator[Progress]:
    """Draw a bar. A new step has its own clock and total."""
    with _drawn(bar_columns) as (drawing, task):
        newest = ""

        def show(what: str, done: int, total: int | None) -> None:
            nonlocal newest
            if what != newest:
                newest = what
                drawing.reset(task, description=what, total=total)
            drawing.update(task, completed=done)

        yield show


def bar_columns(columns: int) -> tuple[ProgressColumn, ...]:
    """Return the parts of a progress bar. In a narrow terminal the step is cut and there is no bar."""
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
    from rich.table import Column

    step = Column(no_wrap=True, max_width=max(columns - CLOCK - COUNTS - 2, 8))
    text = TextColumn("{task.description}", markup=False, table_column=step)
    count = MofNCompleteColumn(table_column=Column(no_wrap=True))
    return (SpinnerColumn(), _clock(), text, *([BarColumn()] if columns >= MIN_BAR_COLUMNS else []), count)


def text_columns(_: int) -> tuple[ProgressColumn, ...]:
    """Return the parts of a live text. A narrow terminal cuts the text, not the clock."""
    from rich.progress import SpinnerColumn, TextColumn

    return SpinnerColumn(), _clock(), TextColumn("{task.description}", markup=False)


def _clock() -> ProgressColumn:
    from rich.progress import TimeElapsedColumn
    from rich.table import Column

    return TimeElapsedColumn(table_column=Column(no_wrap=True, min_width=CLOCK))


@contextmanager
def _drawn(columns: Callable[[int], tuple[ProgressColumn, ...]]) -> Iterator[tuple[RichProgress, TaskID]]:
    """Draw on standard error, without any style if ``NO_COLOR`` is set (https://no-color.org)."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=sys.stderr, color_system=None if os.environ.get("NO_COLOR") else "auto")
    with Progress(*columns(console.width), console=console, transient=True) as drawing:
        yield drawing, drawing.add_task("starting", total=None)
