"""The disk: its errors told in words, and folders flushed to it."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import stat
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from storage.errors import DiskError
from storage.patience import pauses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ALONE_SECONDS = 10.0
"""How long others are waited for who change what stands in a folder."""

_FEWER = "Raise the limit of open files (ulimit -n), or have the crawl open fewer: concurrency in [crawl]."
_WORDS = {
    errno.ENOSPC: ("the disk is full", "Free some space and start again; nothing that was committed is lost."),
    errno.EDQUOT: ("the disk quota is used up", "Free some space or raise the quota, then start again."),
    errno.EFBIG: ("the file may not grow any further", "Raise the file size limit (ulimit -f) and start again."),
    errno.EIO: ("the disk reported an input/output error", "Check the disk (dmesg, smartctl) before you go on."),
    errno.EACCES: ("permission denied", "Give this user the right to write there."),
    errno.EPERM: ("permission denied", "Give this user the right to write there."),
    errno.ESTALE: ("another program has moved, replaced or changed the file", "See what did; then start again."),
    errno.EMFILE: ("too many files are open", _FEWER),
    errno.ENFILE: ("too many files are open", _FEWER),
    errno.EROFS: ("the file system is read-only", "Mount it for writing, or choose another folder."),
}


def disk_error(error: OSError, where: Path | str) -> DiskError:
    """Return the DiskError that says what went wrong there and what to do about it."""
    what, do = _WORDS.get(
        error.errno or 0, (f"the disk refused: {error.strerror or error}", "Check the disk and the folder.")
    )
    return DiskError(what, where=str(where), do=do)


@contextmanager
def disk_errors(where: Path) -> Iterator[None]:
    """Turn the system's errors inside the block into DiskError."""
    try:
        yield
    except OSError as error:
        raise disk_error(error, where) from error


def sync_folder(folder: Path) -> None:
    """Make names created, renamed or removed in the folder durable; OSError when the disk refuses."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a small file whole or not at all, so that it outlasts a power cut: beside its place, then in it.

    A file that has its name already is replaced and passes its permissions on, a link is replaced and not written
    through; ``mode`` is that of a new file, less the umask. OSError when the disk refuses.
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
    """Have one of our programs at a time change what stands in a folder, for a moment; OSError when there is none.

    Who holds it for long is not waited for: it is none of ours, but one such as flock(1).
    """
    descriptor, waits = os.open(folder, os.O_RDONLY | os.O_DIRECTORY), pauses(ALONE_SECONDS)
    try:
        # A file system may have no locks.
        with suppress(OSError):
            while not flocked(descriptor) and (wait := next(waits, None)) is not None:
                time.sleep(wait)
        yield
    finally:
        os.close(descriptor)


def flocked(descriptor: int, kind: int = fcntl.LOCK_EX) -> bool:
    """Take flock(2)'s lock of an open file without waiting; False if another holds it. OSError where there is none."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def allow_open_files(wanted: int, needed: int) -> None:
    """Raise this process's limit of open files (``ulimit -n``) to ``wanted``, as far as the system lets us.

    Raises DiskError when it lets us have fewer than are ``needed``.
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
    """Return a descriptor of a regular file; FileNotFoundError for what stands in its place and would be waited for
    (a pipe, a device). OSError when the system refuses.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise FileNotFoundError(errno.ENOENT, "this is no file", str(path))


def same_file(path: Path) -> Callable[[], bool]:
    """Return a function that tells whether the path still names the file it names now; OSError when there is none."""
    before = path.stat()

    def unmoved() -> bool:
        with suppress(OSError):
            return os.path.samestat(before, path.stat())
        return False

    return unmoved


def make_folder(folder: Path) -> None:
    """Make a folder, private to its owner, whose name outlasts a power cut, there already or not; OSError when the disk
    refuses.
    """
    above = [each for each in folder.absolute().parents if not each.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for each in (folder.absolute(), *above):
        # A folder that may be passed through and not read cannot be flushed; it was there before.
        with suppress(PermissionError):
            sync_folder(each.parent)
