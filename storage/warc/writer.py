"""Write captures to WARC files. They are durable before their pointers are returned."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import time
from contextlib import suppress
from datetime import UTC, datetime
from itertools import zip_longest
from typing import TYPE_CHECKING

from storage.disk import disk_error, flocked, make_folder, sync_folder
from storage.errors import DiskError
from storage.failpoints import reach
from storage.records import Pointer
from storage.retry import pauses
from storage.warc.headers import WarcInfo, encode, warcinfo

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from storage.records import Capture, Original

OPEN = ".open"
"""Suffix of a file that a run writes, or that a dead run left behind."""
SUFFIX = ".warc.gz"
GIB = 1 << 30
LOOK_SECONDS = 5.0
"""Seconds to wait for processes that lock a file for a moment, to see whether it is being written."""

_MADE = re.compile(r"-(\d{14})-[^-]+-\d{5,}(?:-r\d+)?\.warc\.gz", re.ASCII)
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]+")


class WarcWriter:
    """Writer of WARC/1.1 files in a folder: one gzip member a record, a new file when one is full.

    A file is named ``PREFIX-YYYYMMDDhhmmss-RUN-SERIAL.warc.gz``, followed by ``.open`` while it is written. It is
    created with the first record, never over another file. An exclusive flock on it lets recovery tell a dead run's
    file from a live one. A file that filled up in the middle of a group keeps ``.open`` until the next group. By then
    the caller has committed its pointers.

    After an error the writer is dead: durable records stay, the group is cut off, the files keep ``.open`` for
    ``recover``. An fsync is never repeated on a file after a failure, because the second may succeed without the data
    (PostgreSQL's "fsyncgate"). Not for use by two threads at once.
    """

    def __init__(self, folder: Path, prefix: str, info: WarcInfo, roll_bytes: int = GIB) -> None:
        self._folder, self._prefix, self._info, self._roll_bytes = folder, _in_names(prefix), info, roll_bytes
        self._serial = 0
        self._file: _OpenWarcFile | None = None
        self._full: list[_OpenWarcFile] = []
        self._dead = False

    @property
    def current(self) -> str | None:
        """Final name of the current file; None before the first capture and after close."""
        return self._file.name if self._file else None

    def append(self, captures: Sequence[Capture], originals: Sequence[Original | None] = ()) -> list[Pointer]:
        """Write a group of captures, wait for the disk, and return one pointer each, in the same order.

        A capture with an original, the response it repeats, becomes a revisit record. ``originals`` may be shorter.
        Raises DiskError when the disk refuses. Then the whole group counts as not written, and the writer is dead.
        """
        if self._dead:
            raise DiskError("the WARC writer stopped after an error", where=str(self._folder), do="Start again.")
        try:
            self._finish_full()
            pointers = [self._write(*each) for each in zip_longest(captures, originals)]
            self._sync()
        except OSError as error:
            raise disk_error(error, self._abandon()) from error
        except BaseException:
            self._abandon()
            raise
        return pointers

    def close(self) -> None:
        """Give the files their final names. Call it after the pointers of the last group are committed."""
        if self._dead:
            return
        try:
            self._retire()
            self._finish_full()
        except OSError as error:
            raise disk_error(error, self._abandon()) from error

    def abandon(self) -> None:
        """Leave the files under their ``.open`` names for ``recover``: their last pointers were not committed."""
        if not self._dead:
            self._abandon()

    def _write(self, capture: Capture, original: Original | None) -> Pointer:
        if self._file and self._file.size >= self._roll_bytes:
            self._file.sync()
            self._retire()
        file = self._file = self._file or self._create()
        pair = encode(capture, file.warcinfo_id, original)
        pointer = Pointer(file.name, file.size, len(pair.response), pair.record_id, pair.payload_digest)
        file.write(pair.response)
        file.write(pair.request)
        file.write(pair.rendered)
        return pointer

    def _create(self) -> _OpenWarcFile:
        if not self._serial:
            make_folder(self._folder)
        made = datetime.now(UTC)
        while True:
            self._serial += 1
            stem = f"{self._prefix}-{made:%Y%m%d%H%M%S}-{_in_names(self._info.run)}-{self._serial:05d}"
            file = _OpenWarcFile.create(self._folder, stem + SUFFIX)
            if file:
                file.warcinfo_id, record = warcinfo(self._info, file.name, made)
                self._file = file
                file.write(record)
                return file

    def _sync(self) -> None:
        if not self._file:
            return
        reach("before_fsync")
        self._file.sync()
        reach("after_fsync")
        for file in (*self._full, self._file):
            file.durable = file.size

    def _retire(self) -> None:
        if self._file:
            self._full.append(self._file)
            self._file = None

    def _finish_full(self) -> None:
        while self._full:
            self._full[0].finish()
            self._full.pop(0)

    def _abandon(self) -> Path:
        """Cut the group off, release the files, and return the path for the message."""
        self._dead = True
        self._retire()
        where = self._full[-1].path if self._full else self._folder
        for file in self._full:
            file.abandon()
        self._full.clear()
        return where


class _OpenWarcFile:
    """Locked file under its ``.open`` name. Bytes up to ``durable`` are safe; bytes up to ``size`` are written."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path, self._descriptor = path, descriptor
        self.name = path.name.removesuffix(OPEN)
        self.warcinfo_id = ""
        self.size = self.durable = 0
        self._named = False

    @classmethod
    def create(cls, folder: Path, name: str) -> _OpenWarcFile | None:
        """Create the file and lock it. None if the name is taken, or the file was removed before it was locked."""
        path = folder / (name + OPEN)
        if (folder / name).exists():
            return None
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        except FileExistsError:
            return None
        if lock(descriptor, path):
            return cls(path, descriptor)
        os.close(descriptor)
        return None

    def write(self, data: bytes) -> None:
        """Append all bytes. The system may take them in parts."""
        rest = memoryview(data)
        while rest:
            written = os.write(self._descriptor, rest)
            self.size += written
            rest = rest[written:]

    def sync(self) -> None:
        """Wait until the bytes, and at first the file's name, are on the disk. OSError if the file was moved or cut."""
        os.fsync(self._descriptor)
        held = os.fstat(self._descriptor)
        if held.st_size != self.size or not os.path.samestat(held, self.path.stat()):
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        if not self._named:
            sync_folder(self.path.parent)
            self._named = True

    def finish(self) -> None:
        """Remove ``.open`` from the name and release the file."""
        self.path.rename(self.path.with_name(self.name))
        sync_folder(self.path.parent)
        os.close(self._descriptor)

    def abandon(self) -> None:
        """Cut off bytes that are not durable, as far as the disk obeys, and release the file."""
        with suppress(OSError):
            # Bytes that another program has cut off would come back as zeros.
            os.ftruncate(self._descriptor, min(self.durable, os.fstat(self._descriptor).st_size))
        with suppress(OSError):
            os.close(self._descriptor)


def made_at(name: str) -> datetime | None:
    """Return when a file was begun, by its name; None for a name of another program.

    >>> made_at("vi-news-20261120021500-5f3e-00001-r2.warc.gz")
    datetime.datetime(2026, 11, 20, 2, 15, tzinfo=datetime.timezone.utc)
    """
    found = _MADE.search(name)
    with suppress(ValueError):
        return datetime.strptime(found[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC) if found else None
    return None


def lock(descriptor: int, path: Path) -> bool:
    """Lock an open file for this process alone. False if another holds it, or ``path`` names another file now.

    The lock belongs to the open file and ends with the last process that has it open, so no stale lock is left. Short
    shared locks of `is_being_written` are waited for.
    """
    waits = pauses(LOOK_SECONDS)
    while not flocked(descriptor):
        if not flocked(descriptor, fcntl.LOCK_SH) or (wait := next(waits, None)) is None:
            return False
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        time.sleep(wait)
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), path.stat())
    return False


def is_being_written(path: Path) -> bool:
    """Return whether a living process writes the file: it has its ``.open`` name and is locked."""
    if path.suffix != OPEN:
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        # Shared and for a moment only, so that two checks at the same time do not take each other for writers.
        return not flocked(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def _in_names(text: str) -> str:
    return _NOT_IN_NAMES.sub("_", text).strip(".") or "corpus"
