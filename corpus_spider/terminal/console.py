"""Output of the program: results on standard output, messages and log on standard error.

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
import time
import unicodedata
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, TextIO
from urllib.parse import quote, unquote

import click

from corpus_spider.terminal.headings import heading
from corpus_spider.terminal.log_file import LogFile, is_journal, with_priority
from corpus_spider.terminal.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from storage.reporting import Progress

CONTROLS = r"\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f"
"""Character class, above C0: controls, bidirectional controls, line separators, invisible tags and surrogates."""
UNSAFE = re.compile(f"[\\x00-\\x1f{CONTROLS}]")
UNSAFE_IN_LINES = re.compile(f"[\\x00-\\x09\\x0b-\\x1f{CONTROLS}]")
UNSAFE_IN_JSON = re.compile(f"[{CONTROLS}]")
DIRECTION_MARKS = re.compile("[\u200e\u200f\u2066-\u2069]")
_ESCAPES = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")
LINE = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_BYTES, _NON_JOINER = "surrogateescape", "\u200c"


def safe(text: str, limit: int | None = 500) -> str:
    """Return the text on one line, with control and bidirectional characters escaped, cut to ``limit`` characters."""
    cut = text if limit is None or len(text) <= limit else text[: limit - 1] + "…"
    return UNSAFE.sub(_escape, cut)


def safe_lines(text: str) -> str:
    """Return the text with its line breaks, and every other control character escaped."""
    return UNSAFE_IN_LINES.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def readable(text: str) -> str:
    """Return a URL as a browser shows it, with percent-escaped letters decoded. Other text stays unchanged.

    Only letters, digits and their marks are decoded, so no character can move the cursor or end the URL.
    """
    return _ESCAPES.sub(_letters, text) if text.startswith(("http://", "https://")) else text


def _letters(escapes: re.Match[str]) -> str:
    return "".join(
        each if unicodedata.category(each)[0] in "LMN" or each == _NON_JOINER else quote(each, errors=_BYTES)
        for each in unquote(escapes[0], errors=_BYTES)
    )


def human_size(count: int) -> str:
    """Format a number of bytes in the largest fitting unit: 826688 is ``807.3 KiB``."""
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{count} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def in_units(key: str, value: object) -> object:
    """Return a value of a report for readers: ``bytes`` in units, ``next_try`` (epoch seconds) as a time."""
    if key == "bytes" and isinstance(value, int):
        return human_size(value)
    if value is None:
        return ""
    if key == "next_try" and isinstance(value, (int, float)):
        return datetime.fromtimestamp(value, UTC).isoformat(timespec="seconds") if value else "at once"
    return value


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


class OneLine(logging.Formatter):
    """Formats each log event as one escaped line, without secrets. A traceback follows on its own lines."""

    secrets: ClassVar[dict[str, str]] = {}
    """What to write instead of each text that must not be logged."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """Format and escape the message. The name is that of `logging`."""
        return safe(super().formatMessage(record), limit=2000)

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """Format and escape a traceback. The name is that of `logging`."""
        return safe_lines(super().formatException(ei))

    def format(self, record: logging.LogRecord) -> str:
        """Format an event and mask the secrets in it."""
        text = super().format(record)
        for secret, mask in self.secrets.items():
            text = text.replace(secret, mask)
        return text


class JournalLine(OneLine):
    """Formats each log event with its priority. The journal adds the time itself."""

    def format(self, record: logging.LogRecord) -> str:
        """Format an event."""
        return with_priority(super().format(record), record.levelno)


class StandardError(logging.StreamHandler[TextIO]):
    """Writes to the current `sys.stderr`, which a progress bar replaces to stay below the log."""

    @property
    def stream(self) -> TextIO:
        """Current standard error."""
        return sys.stderr

    @stream.setter
    def stream(self, _: TextIO) -> None:
        """Ignore other streams."""


class RateLimit(logging.Filter):
    """Limits each message, whatever its arguments, to ``most`` lines an hour, so that a site cannot fill the disk.

    The last line, and the first of the next hour, report the omission. The limit is above the rate of progress lines.
    Messages of libraries are counted by logger, because their texts may already contain values.
    """

    HOUR = 3600.0

    def __init__(self, most: int = 200, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._most, self._clock = most, clock
        self._counts: dict[tuple[str, int, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Count a message and return whether it is shown. A second handler gets the same answer."""
        known = record.__dict__
        if "is_shown" not in known:
            known["is_shown"] = self._count(record)
        return bool(known["is_shown"])

    def _count(self, record: logging.LogRecord) -> bool:
        now, key = self._clock(), (record.name, record.levelno, str(record.msg) if _is_ours(record.name) else "")
        since, before = self._counts.get(key, (now, 0))
        if now - since >= self.HOUR:
            left_out = max(0, before - self._most)
            record.msg = f"{record.msg} ({left_out} similar messages omitted)" if left_out else record.msg
            since, before = now, 0
        self._counts[key] = since, before + 1
        if before + 1 == self._most:
            record.msg = f"{record.msg} (similar messages are omitted for an hour)"
        return before < self._most


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


def start_logging(level: str) -> None:
    """Log to standard error from ``level`` upwards. Libraries log only warnings, and repeated messages are limited.

    At DEBUG both restrictions are off. Lines for the journal of systemd have a priority instead of a time.
    """
    handler = StandardError()
    handler.setFormatter(JournalLine("%(name)s: %(message)s") if is_journal() else OneLine(LINE, "%Y-%m-%dT%H:%M:%S%z"))
    handler.setLevel(level)
    _restrict(handler, level, RateLimit())
    OneLine.secrets.clear()
    logging.basicConfig(level=level, handlers=[handler], force=True)


def hide_in_logs(secrets: Mapping[str, str]) -> None:
    """Set what to write instead of each text that must not be logged."""
    OneLine.secrets.update(secrets)


def log_to_file(path: Path, most: int, keep: int) -> None:
    """Log also to a file from INFO upwards, even if quiet; from DEBUG upwards if standard error is that full.

    ``most``: maximum size in bytes. ``keep``: number of earlier files.
    """
    root, file = logging.getLogger(), _log_file()
    if file is not None and file.path == path:
        return
    level = "DEBUG" if root.level == logging.DEBUG else "INFO"
    handler = LogFile(path, most, keep)
    handler.setFormatter(OneLine(f"[%(process)d] {LINE}", "%Y-%m-%dT%H:%M:%S%z"))
    limits = [each for one in root.handlers for each in one.filters if isinstance(each, RateLimit)]
    _restrict(handler, level, *limits[:1])
    root.addHandler(handler)
    root.setLevel(min(root.level, logging.INFO))


def to_log_file(level: int, text: str) -> None:
    """Write a message to the log file only, if there is one."""
    if file := _log_file():
        message = " ".join(line.strip() for line in text.splitlines())
        file.handle(logging.LogRecord("corpus_spider", level, "", 0, "%s", (message,), None))


def log_end(verb: str, code: int) -> None:
    """Write the exit code of a verb to the log file, if the verb has logged anything or failed."""
    file = _log_file()
    if file and (code or file.is_used):
        to_log_file(logging.INFO, f"{verb} ended with exit code {code}")


def _log_file() -> LogFile | None:
    return next((each for each in logging.getLogger().handlers if isinstance(each, LogFile)), None)


def _restrict(handler: logging.Handler, level: str, *limits: RateLimit) -> None:
    """Unless the level is DEBUG, show only warnings of libraries, and limit repeated messages."""
    if level != "DEBUG":
        handler.addFilter(lambda record: record.levelno >= logging.WARNING or _is_ours(record.name))
        for limit in limits:
            handler.addFilter(limit)


def _is_ours(logger: str) -> bool:
    return logger.partition(".")[0] in {"corpus_spider", "pipelines", "storage"}


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
