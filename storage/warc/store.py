"""Where the WARC files of a corpus are: a local folder, and object storage if the configuration names some."""

from __future__ import annotations

import os
import re
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

from storage.disk import disk_errors, flocked, make_folder, open_to_read, sync_folder
from storage.errors import DamageError
from storage.failpoints import reach
from storage.warc.objects import MAX_COPIES, CopiedObjects
from storage.warc.writer import OPEN, SUFFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from storage.warc.objects import ObjectFiles

T = TypeVar("T")
COPIES = "copies-"
"""Beginning of the folders of downloaded files. The next command deletes those of killed ones."""
READ_AHEAD = 1000
"""Records that are announced before they are read: some 20 seconds of work, in which a file of 1 GiB can come."""
_MAX_NAME_BYTES = 250
_IN_NO_NAME = re.compile("[/\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def is_file_name(name: str) -> bool:
    """Return whether a name is allowed for a WARC file. The database of a stranger may hold any name."""
    return _IN_NO_NAME.search(name) is None and name.strip(".") != "" and len(name.encode()) <= _MAX_NAME_BYTES


@dataclass(frozen=True, slots=True)
class OriginalStore:
    """The WARC files of a corpus by their final names. A file that is still written is read under its own name.

    With ``objects`` a finished file stays in the folder until it is uploaded and verified. A file is looked up in the
    folder first: it is deleted there only after the upload.
    """

    folder: Path
    """Folder in which files are written, recovered and rewritten."""
    objects: ObjectFiles | None = None
    address: str = ""
    """Address of the objects, without credentials."""

    @property
    def where(self) -> str:
        """Place of the finished files, for messages."""
        return self.address or str(self.folder)

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
        found = self.uploaded()
        for path in self.folder.glob(f"*{SUFFIX}*"):
            # A stopped removal leaves an unfinished copy (.tmp). The next call deletes it.
            with suppress(FileNotFoundError):
                if ".torn-" not in path.name and path.suffix != ".tmp" and path.is_file():
                    found[path.name.removesuffix(OPEN)] = path.stat().st_size
        return found

    def finished(self) -> set[str]:
        """Return the names of the finished files, without what no writer made: a folder, a pipe, or a link."""
        return set(self.uploaded()) | set(self.local())

    def streaming(self) -> OriginalStore:
        """Return the same store for many records or files in their order: each uploaded file is downloaded once."""
        return replace(self, objects=CopiedObjects(self.objects, self.folder)) if self.objects else self

    def expect(self, name: str) -> None:
        """Announce a record that will be read, so that a streaming store downloads its file meanwhile."""
        if isinstance(self.objects, CopiedObjects) and not self.has(name):
            self.objects.expect(name)

    def ahead(self, items: Iterable[T], file_of: Callable[[T], str]) -> Iterator[T]:
        """Yield items in their order, and announce the records of the next ones."""
        if not isinstance(self.objects, CopiedObjects):
            yield from items
            return
        announced: deque[T] = deque()
        for item in items:
            self.expect(file_of(item))
            announced.append(item)
            if len(announced) > READ_AHEAD:
                yield announced.popleft()
        yield from announced

    def in_turn(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the names of files that will be opened. A streaming store downloads the next ones meanwhile."""
        wanted, copied = list(names), self.objects
        for at, name in enumerate(wanted):
            if isinstance(copied, CopiedObjects):
                for each in wanted[at : at + MAX_COPIES]:
                    if is_file_name(each) and not self.has(each):
                        copied.begin(each)
            yield name
            if isinstance(copied, CopiedObjects):
                copied.drop(name)

    def uploaded(self) -> dict[str, int]:
        """Return the bytes of each file in object storage."""
        return self.objects.sizes() if self.objects else {}

    def local(self) -> tuple[str, ...]:
        """Return the names of the finished files in the folder. With object storage they wait for their upload."""
        files = sorted(self.folder.glob(f"*{SUFFIX}"))
        return tuple(path.name for path in files if path.is_file() and not path.is_symlink())

    def has(self, name: str) -> bool:
        """Return whether a file is in the folder, finished or not."""
        return is_file_name(name) and any((self.folder / each).exists() for each in (name, name + OPEN))

    def range(self, name: str, offset: int, length: int) -> bytes:
        """Return the part of a range that exists. Raises OSError, such as FileNotFoundError."""
        if not is_file_name(name):
            raise FileNotFoundError(name)
        # The writer may rename the file between the first two looks; the third then finds it.
        for each in (name, name + OPEN):
            with suppress(FileNotFoundError):
                return _read_range(self.folder / each, offset, length)
        with suppress(FileNotFoundError):
            return _read_range(self.folder / name, offset, length)
        if self.objects is None:
            raise FileNotFoundError(name)
        return self.objects.range(name, offset, length)

    @contextmanager
    def open(self, name: str) -> Iterator[Path]:
        """Give a finished file as a local path until the end of the block. An uploaded one is downloaded for it."""
        path = self.path(name)
        if self.objects is None or path.exists():
            yield path
            return
        self.sweep()
        with _scratch(self.folder) as folder:
            copy = folder / name
            self._download(name, copy)
            yield copy

    def sweep(self) -> None:
        """Delete the downloaded files of killed commands."""
        for left in self.folder.glob(f"{COPIES}*"):
            with suppress(OSError), _opened(left) as descriptor:
                if flocked(descriptor):
                    rmtree(left)

    def fetch(self, name: str) -> bool:
        """Bring a finished file into the folder, if it is elsewhere. Return whether it is there now."""
        path = self.path(name)
        if path.is_file() or self.objects is None:
            return path.is_file()
        part = path.with_name(f"{name}.tmp")
        try:
            self._download(name, part)
        except FileNotFoundError:
            part.unlink(missing_ok=True)
            return False
        with disk_errors(path):
            part.replace(path)
            sync_folder(self.folder)
        return True

    def _download(self, name: str, target: Path) -> None:
        assert self.objects is not None
        with disk_errors(target):
            file = os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")
        with file:
            self.objects.fetch(name, file)
            with disk_errors(target):
                file.flush()
                os.fsync(file.fileno())

    def put(self, name: str) -> None:
        """Upload a finished file, verify it, and delete it in the folder. Raises DiskError, and the file stays."""
        path = self.path(name)
        if self.objects is None:
            return
        self.objects.put(path)
        reach("uploaded")
        with disk_errors(path):
            path.unlink(missing_ok=True)
            sync_folder(self.folder)

    def delete(self, name: str) -> bool:
        """Delete a finished file for good, in object storage with all its versions. Raises DiskError.

        Return whether it was in the folder.
        """
        path = self.path(name)
        with disk_errors(path):
            there = path.exists()
            path.unlink(missing_ok=True)
            if there:
                sync_folder(self.folder)
        if self.objects is not None:
            self.objects.delete(name)
        return there


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """Give a new folder that is locked as long as it is used, and deleted after that."""
    with disk_errors(folder), ExitStack() as stack:
        make_folder(folder)
        while True:
            made = Path(stack.enter_context(TemporaryDirectory(prefix=COPIES, dir=folder, ignore_cleanup_errors=True)))
            # Another program may have deleted it before it was locked.
            with suppress(FileNotFoundError):
                if flocked(stack.enter_context(_opened(made))) and made.exists():
                    break
        kept = stack.pop_all()
    with kept:
        yield made


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _read_range(path: Path, offset: int, length: int) -> bytes:
    """Read the part of a range that exists. A pipe or a device in the file's place gives nothing: it would block."""
    descriptor = open_to_read(path)
    try:
        there = min(length, os.fstat(descriptor).st_size - offset)
        return os.pread(descriptor, there, offset) if there > 0 <= offset else b""
    finally:
        os.close(descriptor)
