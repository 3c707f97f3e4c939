"""Output of the program: results on standard output, messages on standard error.

A terminal gets tables and progress bars; files and pipes get tab-separated lines. Control characters in text from the
web are escaped before they reach a terminal.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import sys
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from corpus_spider.terminal.escapes import CONTROLS, DIRECTION_MARKS, readable, safe, safe_lines
from corpus_spider.terminal.headings import heading
from corpus_spider.terminal.log_file import is_journal, with_priority
from corpus_spider.terminal.log_lines import to_log_file
from corpus_spider.terminal.progress import progress
from corpus_spider.terminal.values import in_units

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from storage.reporting import Progress

UNSAFE_IN_JSON = re.compile(f"[{CONTROLS}]")


def to_json(value: object) -> str:
    """Return dataclasses, paths, dates and bytes (hexadecimal) as JSON, without invisible or control characters."""
    import msgspec

    plain = msgspec.to_builtins(value, builtin_types=(bytes,), enc_hook=str)
    text = json.dumps(plain, ensure_ascii=False, indent=2, default=lambda one: one.hex())
    return UNSAFE_IN_JSON.sub(lambda match: json.dumps(match[0])[1:-1], text)


@dataclass(frozen=True, slots=True)
class Console:
    """Writes results and messages. ``quiet`` suppresses all but errors and results; ``verbose`` adds internals."""

    quiet: bool = False
    verbose: bool = False

    @property
    def on_terminal(self) -> bool:
        """Whether results go to a terminal."""
        return sys.stdout.isatty()

    def note(self, text: str) -> None:
        """Write a message to standard error, unless quiet."""
        if not self.quiet:
            click.echo(_for_journal(safe_lines(text), logging.INFO), err=True)

    def error(self, text: str) -> None:
        """Write an error message to standard error, also if quiet, and to the log file."""
        to_log_file(logging.ERROR, text)
        # If standard error is closed or full, the exit code still reports the error.
        with suppress(OSError):
            click.echo(_for_journal(safe_lines(text), logging.ERROR), err=True)

    def result(self, text: str) -> None:
        """Write a result: unchanged to files and pipes, escaped to a terminal."""
        click.echo(safe_lines(text) if self.on_terminal else text)

    def text(self, text: str) -> None:
        """Write a text: unchanged to files and pipes; escaped, wrapped at words and directed on a terminal."""
        if self.on_terminal:
            from corpus_spider.terminal.layout import paragraphs

            click.echo(shown(paragraphs(safe_lines(text), width())))
        else:
            click.echo(text)

    def lines(self, lines: Iterable[str]) -> None:
        """Write lines that are laid out for `width` columns. Their text from pages is already escaped."""
        click.echo(shown("\n".join(lines)))

    def json(self, value: object) -> None:
        """Write a value as JSON on standard output."""
        click.echo(to_json(value))

    def table(self, title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Write a table: drawn on a terminal, with readable URLs; tab-separated elsewhere; nothing without rows."""
        listed = list(rows)
        if not listed:
            return
        if self.on_terminal:
            _draw(title, header, [[readable(_grouped(value)) for value in row] for row in listed])
        else:
            lines = ("\t".join(_cell(value) for value in row) for row in listed)
            click.echo("\n".join([f"# {title}", "\t".join(heading(name) for name in header), *lines]))

    def summary(self, report: object, internals: Collection[str] = ()) -> None:
        """Write a report as tables: one of its single values, then one for each group in it.

        ``internals`` are keys that only a verbose console shows.
        """
        import msgspec

        hidden = () if self.verbose else internals
        every = msgspec.to_builtins(report, enc_hook=str)
        plain = {key: in_units(key, value) for key, value in every.items() if key not in hidden}
        singles = {key: value for key, value in plain.items() if not isinstance(value, (dict, list, tuple))}
        self.table("Summary", ("what", "value"), singles.items())
        for name, group in plain.items():
            if isinstance(group, dict):
                self.table(name, ("what", "value"), group.items())
            elif isinstance(group, (list, tuple)) and all(isinstance(row, dict) for row in group):
                header = list(dict.fromkeys(key for row in group for key in row))
                self.table(name, header, [[row.get(key, "") for key in header] for row in group])
            elif isinstance(group, (list, tuple)):
                self.table(name, (name,), [[value] for value in group])

    @contextmanager
    def progress(
        self, what: str, total: int | Callable[[], int | None] | None = None
    ) -> Iterator[Callable[[int], None]]:
        """Yield a function that takes the current count: a bar on a terminal, a line every 30 seconds elsewhere.

        A callable ``total`` is called only for a bar, because counting may take a while.
        """
        with self.stages() as show:
            counted = not self.quiet and sys.stderr.isatty()
            known = (total() if counted else None) if callable(total) else total
            if counted:
                show(what, 0, known)
            yield lambda count: show(what, count, known)

    @contextmanager
    def stages(self) -> Iterator[Progress]:
        """Yield a function that takes a step, the finished and the total count: a bar, or a line every 30 seconds.

        The lines also come while one step is busy and reports nothing.
        """
        with progress(self.note, quiet=self.quiet) as show:
            yield show


def _for_journal(text: str, level: int) -> str:
    return with_priority(text, level) if is_journal() else text


def open_closed_streams() -> None:
    """Open standard streams that the caller closed (``>&-``, some supervisors).

    Otherwise the database file could get their descriptor, and output of a library or child process would damage it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # The system assigns the lowest free descriptor, which is the closed one.
            opened = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(opened, True)
            setattr(sys, name, os.fdopen(opened, mode))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else safe(str(value))


def _grouped(value: object) -> str:
    """Return a cell for readers: whole numbers have groups of three digits."""
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else _cell(value)


def _draw(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from corpus_spider.terminal.layout import table

    click.echo(shown("\n".join([bold(safe(title)), *table(header, rows, width()), ""])))


def width() -> int:
    """Return the number of columns of the terminal; 80 without a terminal."""
    return max(shutil.get_terminal_size().columns, 20)


def bold(text: str) -> str:
    """Return the text in bold for a terminal; unchanged elsewhere, and if ``NO_COLOR`` is set (https://no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return text if plain else f"\x1b[1m{text}\x1b[0m"


def shown(text: str) -> str:
    """Return a text that was laid out for a terminal, without direction marks where the terminal would draw them."""
    return DIRECTION_MARKS.sub("", text) if os.environ.get("TERM") in {"linux", "dumb"} else text
