"""Disk helpers: readable errors, fsync of folders."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import shlex
import stat
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from storage.errors import ConfigError, DiskError
from storage.retry import pauses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ALONE_SECONDS = 10.0
"""Wait for another program that changes the files of a folder."""
MAX_MARK_BYTES = 1 << 13
"""Limit of a file with a name or a path: a folder from elsewhere may have any file there."""

_FEWER = "Raise the limit of open files (ulimit -n), or let the crawl open fewer: concurrency in [crawl]."
_WORDS = {
    errno.ENOSPC: ("the disk is full", "Free some space and start again; nothing that was committed is lost."),
    errno.EDQUOT: ("the disk quota is used up", "Free some space or raise the quota, then start again."),
    errno.EFBIG: ("the file may not grow any further", "Raise the file size limit (ulimit -f) and start again."),
    errno.EIO: ("the disk reported an input/output error", "Check the disk (dmesg, smartctl) before you go on."),
    errno.EACCES: ("permission denied", "Give this user the right to read and write there."),
    errno.EPERM: ("permission denied", "Give this user the right to read and write there."),
    errno.ESTALE: ("another program has moved, replaced or changed the file", "Find out which one, then start again."),
    errno.EMFILE: ("too many files are open", _FEWER),
    errno.ENFILE: ("too many files are open", _FEWER),
    errno.EROFS: ("the file system is read-only", "Mount it for writing, or choose another folder."),
}


def disk_error(error: OSError, where: Path | str) -> DiskError:
    """Return a DiskError that describes an OSError and what to do."""
    what, do = _WORDS.get(
        error.errno or 0, (f"the disk refused: {error.strerror or error}", "Check the disk and the folder.")
    )
    return DiskError(what, where=str(where), do=do)


@contextmanager
def disk_errors(where: Path) -> Iterator[None]:
    """Translate OSError inside the block into DiskError."""
    try:
        yield
    except OSError as error:
        raise disk_error(error, where) from error


def missing_folder(file: Path) -> str:
    """Return what to do if the folder of a file does not exist, as the end of a sentence; empty if it does."""
    return "" if file.parent.exists() else f". Make the folder: mkdir -p {shlex.quote(str(file.parent))}"


def require_file(path: Path, key: str) -> None:
    """Raise ConfigError if a file of the setting ``key`` cannot have this path: it is a folder, or below a file."""
    if path.is_dir():
        raise ConfigError(f"{key} names a folder", where=str(path), do=f"Name a file in {key} of [corpus].")
    _require_folders(path, key)


def require_folder(path: Path, key: str) -> None:
    """Raise ConfigError if a folder of the setting ``key`` cannot have this path: it is a file, or below one."""
    if path.exists() and not path.is_dir():
        raise ConfigError(f"{key} names a file", where=str(path), do=f"Name a folder in {key} of [corpus].")
    _require_folders(path, key)


def _require_folders(path: Path, key: str) -> None:
    above = next((each for each in path.parents if each.exists() and not each.is_dir()), None)
    if above:
        do = f"Name another place in {key} of [corpus]."
        raise ConfigError(f"{key} is in a folder, but {above} is a file", where=str(path), do=do)


def sync_folder(folder: Path) -> None:
    """Make created, renamed or removed names in the folder durable. OSError if the disk refuses."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a small file atomically and durably: to a temporary file, then rename.

    An existing file is replaced and passes on its permissions. A link is replaced, not followed. ``mode``: of a new
    file, less the umask. OSError if the disk refuses.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.new")
    part.unlink(missing_ok=True)
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            if path.is_file() and not path.is_symlink():
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink()
    sync_folder(path.parent)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold a short lock on a folder, so that one of our programs at a time changes its files. OSError if it is missing.

    After some seconds it goes on without the lock: only other programs, such as flock(1), hold it for long.
    """
    descriptor, waits = os.open(folder, os.O_RDONLY | os.O_DIRECTORY), pauses(ALONE_SECONDS)
    try:
        # The file system may not support locks.
        with suppress(OSError):
            while not flocked(descriptor) and (wait := next(waits, None)) is not None:
                time.sleep(wait)
        yield
    finally:
        os.close(descriptor)


def flocked(descriptor: int, kind: int = fcntl.LOCK_EX) -> bool:
    """Take the flock(2) lock of an open file without waiting; False if another holds it. OSError if unsupported."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def locked_byte(descriptor: int, place: int) -> bool:
    """Lock one byte of an open file by fcntl(2) without waiting; False if another process holds it."""
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except (BlockingIOError, PermissionError):
        return False
    return True


def unlock_byte(descriptor: int, place: int) -> None:
    """Release the lock of one byte."""
    fcntl.lockf(descriptor, fcntl.LOCK_UN, 1, place)


def allow_open_files(wanted: int, needed: int) -> None:
    """Raise this process's limit of open files (``ulimit -n``) towards ``wanted``.

    Raises DiskError if the system allows fewer than ``needed``.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else max(soft, min(wanted, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft != resource.RLIM_INFINITY and soft < needed:
        raise DiskError(
            f"{needed} files and connections would have to be open at once, and {soft} may be",
            where="ulimit -n",
            do=f"Raise it to {wanted} (ulimit -Hn, limits.conf, LimitNOFILE=), or crawl fewer sites at once.",
        )


def open_to_read(path: Path) -> int:
    """Open a regular file and return its descriptor. OSError if the system refuses.

    FileNotFoundError for anything that would block (a pipe, a device).
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise FileNotFoundError(errno.ENOENT, "this is no file", str(path))


def read_mark(path: Path) -> str:
    """Return the text of a small file, such as a name or path; "" if there is none. A power cut may leave zeros."""
    try:
        with os.fdopen(open_to_read(path), "rb") as file:
            text = file.read(MAX_MARK_BYTES).decode().removesuffix("\n")
    except (OSError, UnicodeError):
        return ""
    return "" if "\0" in text else text


def same_file(path: Path) -> Callable[[], bool]:
    """Return a function that says whether the path still names the same file. OSError if there is none."""
    before = path.stat()

    def unmoved() -> bool:
        with suppress(OSError):
            return os.path.samestat(before, path.stat())
        return False

    return unmoved


def make_folder(folder: Path) -> None:
    """Create a private folder durably; it may exist already. OSError if the disk refuses."""
    above = [each for each in folder.absolute().parents if not each.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for each in (folder.absolute(), *above):
        # A folder that may be entered but not read cannot be flushed. It existed before.
        with suppress(PermissionError):
            sync_folder(each.parent)
