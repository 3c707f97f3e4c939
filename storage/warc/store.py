"""Where the WARC files of a corpus are: a local folder."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.disk import disk_errors, open_to_read, sync_folder
from storage.errors import DamageError
from storage.warc.writer import OPEN, SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MAX_NAME_BYTES = 250
_IN_NO_NAME = re.compile("[/\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def is_file_name(name: str) -> bool:
    """Return whether a name is allowed for a WARC file. The database of a stranger may hold any name."""
    return _IN_NO_NAME.search(name) is None and name.strip(".") != "" and len(name.encode()) <= _MAX_NAME_BYTES


@dataclass(frozen=True, slots=True)
class OriginalStore:
    """The WARC files of a corpus by their final names. A file that is still written is read under its own name."""

    folder: Path
    """Folder in which files are written, recovered and rewritten."""

    def path(self, name: str) -> Path:
        """Return the local path of a WARC file that the database names.

        Raises DamageError for a name that is not allowed. In a stranger's corpus it may lead to any file of the user,
        which would be published or removed.
        """
        if not is_file_name(name):
            do = "Run `corpus-spider check`."
            raise DamageError(f"{name[:50]!r} is not a valid name of a WARC file", where=str(self.folder), do=do)
        return self.folder / name

    def list(self) -> dict[str, int]:
        """Return the bytes of each file, whether it is finished or not. Recovery's torn tails are left out."""
        found: dict[str, int] = {}
        for path in self.folder.glob(f"*{SUFFIX}*"):
            # A stopped removal leaves an unfinished copy (.tmp). The next call deletes it.
            with suppress(FileNotFoundError):
                if ".torn-" not in path.name and path.suffix != ".tmp" and path.is_file():
                    found[path.name.removesuffix(OPEN)] = path.stat().st_size
        return found

    def finished(self) -> set[str]:
        """Return the names of the finished files, without what no writer made: a folder, a pipe, or a link."""
        return {path.name for path in self.folder.glob(f"*{SUFFIX}") if path.is_file() and not path.is_symlink()}

    def has(self, name: str) -> bool:
        """Return whether a file is there, finished or not."""
        return is_file_name(name) and any((self.folder / each).exists() for each in (name, name + OPEN))

    def range(self, name: str, offset: int, length: int) -> bytes:
        """Return the part of a range that exists. Raises OSError, such as FileNotFoundError."""
        if not is_file_name(name):
            raise FileNotFoundError(name)
        # The writer may rename the file between the first two looks; the third then finds it.
        for each in (name, name + OPEN):
            with suppress(FileNotFoundError):
                return _read_range(self.folder / each, offset, length)
        return _read_range(self.folder / name, offset, length)

    @contextmanager
    def open(self, name: str) -> Iterator[Path]:
        """Give a finished file as a local path until the end of the block."""
        yield self.path(name)

    def delete(self, name: str) -> bool:
        """Delete a finished file for good. Return whether it was there. Raises DiskError."""
        path = self.path(name)
        with disk_errors(path):
            there = path.exists()
            path.unlink(missing_ok=True)
            if there:
                sync_folder(self.folder)
        return there


def _read_range(path: Path, offset: int, length: int) -> bytes:
    """Read the part of a range that exists. A pipe or a device in the file's place gives nothing: it would block."""
    descriptor = open_to_read(path)
    try:
        there = min(length, os.fstat(descriptor).st_size - offset)
        return os.pread(descriptor, there, offset) if there > 0 <= offset else b""
    finally:
        os.close(descriptor)
