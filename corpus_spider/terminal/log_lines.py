"""Log of the program: one escaped line for each event, limited in number, on standard error and in a file."""

from __future__ import annotations

import logging
import sys
import time
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from corpus_spider.terminal.escapes import safe, safe_lines
from corpus_spider.terminal.log_file import LogFile, is_journal, with_priority

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

MOMENT_FORMAT = "%Y-%m-%dT%H:%M:%S%z"
LINE_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


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
    """Limits each message, with any arguments, to ``most`` lines an hour, so that a site cannot fill the disk.

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


def start_logging(level: str) -> None:
    """Log to standard error from ``level`` upwards. Libraries log only warnings, and repeated messages are limited.

    At DEBUG both restrictions are off. Lines for the journal of systemd have a priority instead of a time.
    """
    handler = StandardError()
    handler.setFormatter(JournalLine("%(name)s: %(message)s") if is_journal() else OneLine(LINE_FORMAT, MOMENT_FORMAT))
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
    handler.setFormatter(OneLine(f"[%(process)d] {LINE_FORMAT}", MOMENT_FORMAT))
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
