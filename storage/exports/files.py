"""Count and hash written bytes, and turn errors of the disk into ours."""

from __future__ import annotations

import hashlib
import io
import math
import os
import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from storage.disk import disk_error, sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUFFER = 2**18
UNWRITTEN_BYTES = 32 * 2**20
"""Bytes of a durable file after which the disk starts to write."""


class HashingStream(io.RawIOBase):
    """Stream that counts and hashes (SHA-256) its bytes, forward only. Errors of the disk become DiskError."""

    def __init__(self, raw: BinaryIO, where: str, *, durable: bool = False) -> None:
        self.raw, self.where = raw, where
        self.count = 0
        self.sha256 = hashlib.sha256()
        self._ahead = UNWRITTEN_BYTES if durable and hasattr(os, "posix_fadvise") else math.inf
        self._started = 0

    def writable(self) -> bool:
        """Return True, for libraries that ask."""
        return True

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self.count

    def write(self, data: Any, /) -> int:
        """Write all bytes."""
        with disk_errors(self.where):
            self.raw.write(data)
        self.sha256.update(data)
        size = memoryview(data).nbytes
        self.count += size
        if self.count - self._started >= self._ahead:
            self._start_writing()
        return size

    def entry(self, path: str) -> dict[str, Any]:
        """Return the entry of the finished file in a manifest."""
        return {"path": path, "bytes": self.count, "sha256": self.sha256.hexdigest()}

    def _start_writing(self) -> None:
        """Have the disk start to write, so that the final fsync waits for less."""
        self.flush()
        with suppress(OSError):  # only advice
            os.posix_fadvise(self.raw.fileno(), self._started, self.count - self._started, os.POSIX_FADV_DONTNEED)
        self._started = self.count

    def flush(self) -> None:
        """Flush the buffer of the file."""
        if not self.raw.closed:
            with disk_errors(self.where):
                self.raw.flush()


@contextmanager
def disk_errors(where: Path | str) -> Iterator[None]:
    """Turn OSError into DiskError, except BrokenPipeError: a reader that went away is no fault of the disk."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise disk_error(error, where) from error


@contextmanager
def opened(path: Path, *, durable: bool = False) -> Iterator[HashingStream]:
    """Create the file (it must not exist) and close it at the end. ``durable`` also waits for the disk."""
    with disk_errors(path):
        raw = path.open("xb", buffering=BUFFER)
    stream = HashingStream(raw, str(path), durable=durable)
    try:
        yield stream
        stream.flush()
        if durable:
            with disk_errors(path):
                os.fsync(raw.fileno())
    finally:
        with suppress(OSError):
            raw.close()


@contextmanager
def replaced(path: Path) -> Iterator[HashingStream]:
    """Give a stream to a file that gets its name, in place of an older one, when it is whole and on the disk.

    Two processes that write the same file do not meet: each has a name of its own aside. The last one stays.
    """
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with opened(aside, durable=True) as stream:
            yield stream
        with disk_errors(path):
            aside.replace(path)
            sync_folder(path.parent)
    finally:
        aside.unlink(missing_ok=True)
