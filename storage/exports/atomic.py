"""Make exports appear whole or not at all: written aside, flushed to the disk, renamed, with a checksum beside.

The files of an export in progress lie in one folder ``NAME.tmp-PID`` beside its target. Its writer holds it locked
(flock). The lock ends with the process, so the next export to that name can remove the folder of a killed one.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from storage.disk import alone, flocked, sync_folder
from storage.errors import ConfigError
from storage.exports.files import disk_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA, CHECKSUM, OLD = "data", "sha256", "old"
"""Names inside the staging folder: the export itself, its checksum file, the replaced folder."""


@contextmanager
def staging(target: Path) -> Iterator[Path]:
    """Give a locked temporary folder beside the target, and always remove it at the end."""
    folder = target.with_name(f"{target.name}.tmp-{os.getpid()}")
    with disk_errors(folder):
        descriptor = _made(folder)
    try:
        yield folder
    finally:
        _remove(folder, target)
        os.close(descriptor)


def make_way(target: Path, *, overwrite: bool) -> None:
    """Remove the folders of killed exports to the same name, then `refuse_to_clobber`."""
    sweep(target)
    refuse_to_clobber(target, overwrite=overwrite)


def publish(staged: Path, target: Path, *, overwrite: bool) -> None:
    """Move DATA and CHECKSUM of the staging folder to their final names, ``target`` and ``target.sha256``.

    A file is replaced in one step. Its old checksum goes first, so that there is never a wrong checksum. A folder
    cannot be replaced in one step. The old one waits in the staging folder. It comes back if the move fails, or with
    the next export if the process dies.
    """
    checksum = checksum_path(target)
    with disk_errors(target), alone(target.parent):
        refuse_to_clobber(target, overwrite=overwrite)
        checksum.unlink(missing_ok=True)
        if target.is_dir() and not target.is_symlink():
            target.rename(staged / OLD)
        (staged / DATA).rename(target)
        (staged / CHECKSUM).rename(checksum)
        sync_folder(target.parent)


def refuse_to_clobber(target: Path, *, overwrite: bool) -> None:
    """Raise ConfigError when the target exists and must not be replaced. An empty folder may be.

    A folder cannot replace a link to a folder. A device or pipe is never replaced: to rename a file over /dev/null
    takes it from the whole machine.
    """
    if os.path.lexists(target) and _is_device(target):
        do = "Write to standard output (-o -) and redirect it."
        raise ConfigError("is a device or a pipe, which no file replaces", where=str(target), do=do)
    if target.is_symlink() and target.is_dir():
        do = f"Name the folder itself, {target.resolve()}, or another."
        raise ConfigError("is a link to a folder, which no folder can replace", where=str(target), do=do)
    if not overwrite and os.path.lexists(target) and not _empty_folder(target):
        raise ConfigError("exists already", where=str(target), do="Choose another name, or add `--overwrite`.")


def _is_device(target: Path) -> bool:
    """Return whether a target is a device, pipe or socket, a link to one, or a name of an open file."""
    there = target.exists() and not target.is_file() and not target.is_dir()
    return there or target.parent == Path("/dev") or target.parent.resolve().is_relative_to("/proc")


def checksum_path(target: Path) -> Path:
    """Return the path of the checksum file of a target."""
    return target.with_name(f"{target.name}.sha256")


def checksum_line(digest: str, name: str) -> bytes:
    r"""Return a line for ``sha256sum -c``. As in coreutils, a ``\`` in front marks a name with escapes."""
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    mark = "\\" if escaped != name else ""
    return os.fsencode(f"{mark}{digest}  {escaped}\n")


def _made(folder: Path) -> int:
    """Make a staging folder and return its descriptor, locked. Repeat if another export removed it before the lock."""
    while True:
        try:
            folder.mkdir()
        except FileExistsError as error:
            raise ConfigError("another export to this name is running", where=str(folder), do="Wait for it.") from error
        with suppress(FileNotFoundError):
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            # Some file systems have no locks.
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(descriptor, folder):
                return descriptor
            os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    return False


def _empty_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and not any(path.iterdir())


def sweep(target: Path) -> None:
    """Remove the folders of killed exports to the same name. Those of living exports stay."""
    ours = re.compile(re.escape(target.name) + r"\.tmp-\d+")
    with disk_errors(target.parent):
        left = [path for path in target.parent.iterdir() if ours.fullmatch(path.name)]
    for folder in left:
        _clear(folder, target)


def _clear(folder: Path, target: Path) -> None:
    """Remove a staging folder that no living export holds. An export that has not locked it yet makes another."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        # Without locks it is unknown whether its export lives.
        with suppress(OSError):
            if flocked(descriptor) and _is_at(descriptor, folder):
                _remove(folder, target)
    finally:
        os.close(descriptor)


def _remove(folder: Path, target: Path) -> None:
    old = folder / OLD
    if old.exists():
        with suppress(OSError), alone(target.parent):
            if not os.path.lexists(target):
                old.rename(target)
    if not old.exists() or os.path.lexists(target):
        shutil.rmtree(folder, ignore_errors=True)
