"""What people and programs read: results on standard output, everything else on standard error.

On a terminal there are tables and progress bars; elsewhere plain lines, tab-separated. Nothing that came from the web
reaches a terminal with its control characters.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import time
import unicodedata
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import quote, unquote

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from rich.console import Console as RichConsole

CONTROLS = r"\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f"
"""Everything above C0 that moves the cursor, turns the writing direction, ends a line, hides, or is no character."""
UNSAFE = re.compile(f"[\\x00-\\x1f{CONTROLS}]")
UNSAFE_IN_LINES = re.compile(f"[\\x00-\\x09\\x0b-\\x1f{CONTROLS}]")
UNSAFE_IN_JSON = re.compile(f"[{CONTROLS}]")
PLAIN_PROGRESS_SECONDS = 30.0
_ESCAPES = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")
_BYTES, _NON_JOINER = "surrogateescape", "\u200c"


def safe(text: str, limit: int | None = 500) -> str:
    """Return the text on one line, with control and bidirectional characters escaped, cut at ``limit`` characters."""
    cut = text if limit is None or len(text) <= limit else text[: limit - 1] + "…"
    return UNSAFE.sub(_escape, cut)


def safe_lines(text: str) -> str:
    """Return the text with its line ends and every other control character escaped."""
    return UNSAFE_IN_LINES.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def readable(text: str) -> str:
    """Return an address as a browser shows it, with letters beyond ASCII in the place of their escapes; any other text
    as it is.

    Nothing but letters, digits and their marks is put in, so that nothing moves the cursor or ends the address.
    """
    return _ESCAPES.sub(_letters, text) if text.startswith(("http://", "https://")) else text


def _letters(escapes: re.Match[str]) -> str:
    return "".join(
        each if unicodedata.category(each)[0] in "LMN" or each == _NON_JOINER else quote(each, errors=_BYTES)
        for each in unquote(escapes[0], errors=_BYTES)
    )


def human_size(count: int) -> str:
    """Write a number of bytes in the largest unit of which there is one: 826688 is ``807.3 KiB``."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def in_units(key: str, value: object) -> object:
    """Return a value of a report as people read it: ``bytes`` in units, ``next_try`` (epoch seconds) as a time."""
    if key == "bytes" and isinstance(value, int):
        return human_size(value)
    if value is None:
        return ""
    if key == "next_try" and isinstance(value, (int, float)):
        return datetime.fromtimestamp(value, UTC).isoformat(timespec="seconds") if value else "at once"
    return value


def to_json(value: object) -> str:
    """Write dataclasses, paths, dates and bytes (hexadecimal) as JSON; invisible and control characters are escaped."""
    import msgspec

    plain = msgspec.to_builtins(value, builtin_types=(bytes,), enc_hook=str)
    text = json.dumps(plain, ensure_ascii=False, indent=2, default=lambda one: one.hex())
    return UNSAFE_IN_JSON.sub(lambda match: json.dumps(match[0])[1:-1], text)


@dataclass(frozen=True, slots=True)
class Console:
    """Where the program writes. ``quiet`` leaves errors and results only, ``verbose`` shows internals too."""

    quiet: bool = False
    verbose: bool = False

    @property
    def on_terminal(self) -> bool:
        """Whether results go to a terminal."""
        return sys.stdout.isatty()

    def note(self, text: str) -> None:
        """Tell the user something, on standard error."""
        if not self.quiet:
            click.echo(safe_lines(text), err=True)

    def error(self, text: str) -> None:
        """Tell the user what went wrong, on standard error, whatever the verbosity."""
        # What nobody can be told still has its exit code.
        with suppress(OSError):
            click.echo(safe_lines(text), err=True)

    def result(self, text: str) -> None:
        """Write a result; as it is into files and pipes, made safe on a terminal."""
        click.echo(safe_lines(text) if self.on_terminal else text)

    def json(self, value: object) -> None:
        """Write a value as JSON on standard output."""
        click.echo(to_json(value))

    def table(self, title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Write a table: drawn on a terminal, with addresses as browsers show them, tab-separated lines elsewhere,
        nothing when it has no rows.
        """
        listed = [[_cell(value) for value in row] for row in rows]
        if not listed:
            return
        if self.on_terminal:
            _draw(title, header, [[readable(cell) for cell in row] for row in listed])
        else:
            click.echo("\n".join([f"# {title}", "\t".join(header), *("\t".join(row) for row in listed)]))

    def summary(self, report: object, internals: Collection[str] = ()) -> None:
        """Write a report of any shape: a table of its single values, then one of each group in it.

        ``internals`` are keys that are left out unless the console is verbose.
        """
        import msgspec

        hidden = () if self.verbose else internals
        every = msgspec.to_builtins(report, enc_hook=str)
        plain = {key: in_units(key, value) for key, value in every.items() if key not in hidden}
        singles = {key: value for key, value in plain.items() if not isinstance(value, (dict, list, tuple))}
        self.table("Summary", ("what", "value"), singles.items())
        for name, group in plain.items():
            self._group(name, group)

    def _group(self, name: str, group: object) -> None:
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
        """Give a function that takes the count so far: a bar on a terminal, a line each half minute elsewhere.

        A ``total`` that has to be counted is only where there is a bar.
        """
        if self.quiet:
            yield lambda _: None
        elif sys.stderr.isatty():
            with _bar(what, total() if callable(total) else total) as show:
                yield show
        else:
            known = None if callable(total) else total
            yield _every(PLAIN_PROGRESS_SECONDS, lambda count: self.note(_count_line(what, count, known)))


class OneLine(logging.Formatter):
    """One event, one line, without anything that drives a terminal; a traceback follows on lines of its own."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """Format the message and escape it (logging's name)."""
        return safe(super().formatMessage(record), limit=2000)

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """Format a traceback and escape it (logging's name)."""
        return safe_lines(super().formatException(ei))


class StandardError(logging.StreamHandler[TextIO]):
    """Writes to what is standard error at that moment, so that a progress bar can keep its place below."""

    @property
    def stream(self) -> TextIO:
        """Today's standard error."""
        return sys.stderr

    @stream.setter
    def stream(self, _: TextIO) -> None:
        """Take no other."""


class Sparing(logging.Filter):
    """Lets each message through ``most`` times an hour, whatever is filled into it: what a site can have said for every
    page of it must not fill a disk. The last one, and the first of the next hour, tell of those that are left out.

    How far a crawl is, said every thirty seconds, passes. Messages of libraries, which may have their values in them
    already, count by logger.
    """

    HOUR = 3600.0

    def __init__(self, most: int = 200, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._most, self._clock = most, clock
        self._counts: dict[tuple[str, int, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Count a message, and say whether it is to be shown."""
        now, key = self._clock(), (record.name, record.levelno, str(record.msg) if _is_ours(record.name) else "")
        since, before = self._counts.get(key, (now, 0))
        if now - since >= self.HOUR:
            left_out = max(0, before - self._most)
            record.msg = f"{record.msg} ({left_out} like it were left out)" if left_out else record.msg
            since, before = now, 0
        self._counts[key] = since, before + 1
        if before + 1 == self._most:
            record.msg = f"{record.msg} (more like it are left out for an hour)"
        return before < self._most


def open_closed_streams() -> None:
    """Open what the caller has closed (``>&-``, some supervisors): the database would get its number, and with it
    whatever a library or a child prints there.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # The least free number is taken, which is the one that was closed.
            opened = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(opened, True)
            setattr(sys, name, os.fdopen(opened, mode))


def start_logging(level: str) -> None:
    """Send the log to standard error, from that level upwards; of libraries only warnings, unless it is DEBUG, which
    tells everything as often as it happens.
    """
    handler = StandardError()
    handler.setFormatter(OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S%z"))
    handler.addFilter(lambda record: level == "DEBUG" or record.levelno >= logging.WARNING or _is_ours(record.name))
    if level != "DEBUG":
        handler.addFilter(Sparing())
    logging.basicConfig(level=level, handlers=[handler], force=True)


def _is_ours(logger: str) -> bool:
    return logger.partition(".")[0] in {"corpus_spider", "pipelines", "storage"}


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else safe(str(value))


def _count_line(what: str, count: int, total: int | None) -> str:
    return f"{what}: {count} of {total}" if total else f"{what}: {count}"


def _every(seconds: float, action: Callable[[int], None]) -> Callable[[int], None]:
    due = time.monotonic() + seconds

    def show(count: int) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + seconds
            action(count)

    return show


def _draw(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for position, name in enumerate(header):
        numeric = all(re.fullmatch(r"[\d.,]+", row[position]) for row in rows)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(value) for value in row))
    _drawing_on(sys.stdout).print(table)


def _drawing_on(stream: TextIO) -> RichConsole:
    """Return what draws on a terminal; where ``NO_COLOR`` is set, without any style (https://no-color.org)."""
    from rich.console import Console as RichConsole

    return RichConsole(file=stream, color_system=None if os.environ.get("NO_COLOR") else "auto")


@contextmanager
def _bar(what: str, total: int | None) -> Iterator[Callable[[int], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns: tuple[Any, ...] = (SpinnerColumn(), TextColumn(what, markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=_drawing_on(sys.stderr), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda count: progress.update(task, completed=count)
