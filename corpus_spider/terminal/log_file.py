"""Log file with rotation, and the form of log lines for the journal of systemd. Several processes may share a file."""

from __future__ import annotations

import fcntl
import logging
import os
import re
import stat
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from storage.disk import flocked, missing_folder

if TYPE_CHECKING:
    from pathlib import Path

LOCK_SECONDS = 1.0
"""Maximum wait for another process that writes. Afterwards the line is appended without rotation."""
ATTEMPTS = 10
"""Attempts to write a line, while other processes rotate the file."""
PRIORITIES = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
"""Priorities of syslog(3) by level, which sd-daemon(3) reads from the beginning of a line."""


class LogFile(logging.Handler):
    """Appends each record to a file with mode 0600. A full file becomes ``FILE.1``, that one ``FILE.2``, and so on.

    ``most``: maximum size in bytes, exceeded only by a single longer record. ``keep``: number of earlier files. The
    file is created with the first record. Each process holds a lock on the file while it writes or renames it, so no
    line is lost or torn. A file that cannot be written is reported once, and nothing else fails.
    """

    def __init__(self, path: Path, most: int, keep: int) -> None:
        super().__init__()
        self.path, self._most, self._keep = path, most, keep
        self._descriptor: int | None = None
        self.is_used = False
        """Whether this process has written to the file."""
        self._failed = False

    def emit(self, record: logging.LogRecord) -> None:
        """Append a record. The caller holds the lock of the handler."""
        data = f"{self.format(record)}\n".encode("utf-8", "backslashreplace")
        try:
            self._append(data)
            self.is_used = True
        except OSError as error:
            if not self._failed:
                self._failed = True
                with suppress(OSError):
                    do = missing_folder(self.path)
                    sys.stderr.write(f"the log file cannot be written: {self.path}: {error.strerror}{do}\n")

    def close(self) -> None:
        """Close the file."""
        self._let_go()
        super().close()

    def _append(self, data: bytes) -> None:
        for _ in range(ATTEMPTS):
            descriptor = self._open()
            locked = _lock(descriptor)
            try:
                if not self._is_current(descriptor):
                    self._let_go()
                    continue
                size = os.fstat(descriptor).st_size
                if locked and size and size + len(data) > self._most:
                    self._rotate()
                    self._let_go()
                    continue
                while data:
                    data = data[os.write(descriptor, data) :]
                return
            finally:
                if self._descriptor is not None and locked:
                    fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _open(self) -> int:
        if self._descriptor is None:
            # Without O_NONBLOCK, a pipe in the place of the file would block until it is read.
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
            self._descriptor = os.open(self.path, flags, 0o600)
            if not stat.S_ISREG(os.fstat(self._descriptor).st_mode):
                self._let_go()
                raise OSError(0, "it is not a regular file")
        return self._descriptor

    def _is_current(self, descriptor: int) -> bool:
        """Return whether the path still names the open file. Another process may have rotated it."""
        try:
            named = self.path.stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(named, os.fstat(descriptor))

    def _rotate(self) -> None:
        """Rename the files. The caller holds the lock of the present one."""
        numbers = sorted((self._number(path) for path in self.path.parent.glob(f"{self.path.name}.*")), reverse=True)
        for number in filter(None, numbers):
            earlier = self._numbered(number)
            if number >= self._keep:
                earlier.unlink(missing_ok=True)
            else:
                earlier.replace(self._numbered(number + 1))
        if self._keep:
            self.path.replace(self._numbered(1))
        else:
            self.path.unlink(missing_ok=True)

    def _numbered(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}")

    def _number(self, path: Path) -> int:
        """Return the number of an earlier file; 0 for a file of another program."""
        tail = path.name.removeprefix(f"{self.path.name}.")
        return int(tail) if re.fullmatch(r"[1-9]\d{0,5}", tail) else 0

    def _let_go(self) -> None:
        """Close the file, which also releases its lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _lock(descriptor: int) -> bool:
    """Lock a file against other processes. Return False if another one holds the lock for too long."""
    deadline = time.monotonic() + LOCK_SECONDS
    try:
        while not flocked(descriptor):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.001)
    except OSError:
        # Some network disks have no locks.
        return False
    return True


def is_journal() -> bool:
    """Return whether standard error is a stream of the journal (systemd.exec(5), $JOURNAL_STREAM)."""
    try:
        status = os.fstat(sys.stderr.fileno())
    except (OSError, ValueError, AttributeError):
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


def with_priority(text: str, level: int) -> str:
    """Begin each line with its priority, for the journal. A level between two has the lower priority."""
    known = max((each for each in PRIORITIES if each <= level), default=logging.DEBUG)
    return "\n".join(f"<{PRIORITIES[known]}>{line}" for line in text.split("\n"))
