"""Recover ``.open`` files of a dead run: move the torn tail away, keep the records, rename the file."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.disk import disk_errors, sync_folder
from storage.errors import DamageError
from storage.failpoints import reach
from storage.warc.redact import first_name
from storage.warc.scan import ScannedRecord, scan
from storage.warc.writer import OPEN, SUFFIX, lock, made_at

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

LOOK_BACK = 32 << 20
"""Bytes at the end of a file that are always verified."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class RecoveredFile:
    """Content of a dead run's file. ``name`` is its final name; offsets and ``size`` are in bytes."""

    name: str
    size: int
    """Size without the torn tail. A file without a sound record has size 0 and is removed."""
    records: tuple[ScannedRecord, ...]
    """Sound records of the verified part."""
    orphans: tuple[ScannedRecord, ...]
    """Sound responses and revisits without a committed pointer."""
    missing: tuple[int, ...]
    """Committed offsets without a sound record. Not expected."""
    damaged: tuple[ScannedRecord, ...]
    """Damaged ranges with sound records after them. They stay in the file."""
    torn: str | None
    """Name of the file that holds the torn tail; None if there was no tail."""


def recover(
    folder: Path,
    committed: Callable[[str], Collection[int]] = lambda _: (),
    adopt: Callable[[RecoveredFile], None] = lambda _: None,
) -> list[RecoveredFile]:
    """Recover every ``.open`` file of the folder that no living process holds, and return their content.

    Records are durable before the database points to them. So only the last `LOOK_BACK` bytes of a long file are
    verified, and everything after the last of its committed records. ``check --deep`` reads all.

    Args:
        folder: the WARC folder.
        committed: gives the offsets of a file (by its final name) that the database points to.
        adopt: is called for each file before it gets its final name, to index the orphans. After a kill the next
            recovery calls it again for the same file.

    Every step can be repeated, so recovery itself can be killed at any moment. The torn tail is kept as
    ``NAME.torn-OFFSET``. Raises DiskError.
    """
    found = (_recover(path, committed, adopt) for path in sorted(folder.glob(f"*{SUFFIX}{OPEN}")) if _is_ours(path))
    return [recovered for recovered in found if recovered]


def unread(finished: Collection[str], states: Mapping[str, str]) -> list[str]:
    """Return the finished files of which a database does not know the end. ``states`` has the files it knows.

    Such a database is older than the files, for example restored from a copy. Or a run died before it noted their
    length. Files of other programs are left out, and files that a removal was about to put in the place of another.
    """
    return [
        name
        for name in sorted(finished)
        if states.get(name, "open") == "open" and made_at(name)
        if (first := first_name(name)) == name or not (first in states or first in finished)
    ]


def _is_ours(path: Path) -> bool:
    """Return whether a writer may have made it: no folder, no pipe, and no link, which may lead anywhere."""
    return path.is_file() and not path.is_symlink()


def _recover(
    path: Path, committed: Callable[[str], Collection[int]], adopt: Callable[[RecoveredFile], None]
) -> RecoveredFile | None:
    descriptor = _take(path)
    if descriptor is None:
        return None
    try:
        recovered = examine(path, committed(path.name.removesuffix(OPEN)))
        with disk_errors(path):
            _move_tail(path, descriptor, recovered)
        reach("in_recovery")
        adopt(recovered)
        reach("in_recovery")
        with disk_errors(path):
            _release(path, recovered)
        return recovered
    finally:
        os.close(descriptor)


def _take(path: Path) -> int | None:
    """Open the file and lock it. None if a living process or another recovery holds it."""
    with disk_errors(path), suppress(FileNotFoundError):
        descriptor = os.open(path, os.O_RDWR)
        if lock(descriptor, path):
            return descriptor
        os.close(descriptor)
    return None


def examine(path: Path, committed: Collection[int]) -> RecoveredFile:
    """Return the result that recovery of the file will have, without changing it."""
    name, start = path.name.removesuffix(OPEN), _start(path, committed)
    scanned = list(scan(path, start=start))
    records = tuple(record for record in scanned if record.ok)
    size = records[-1].end if records else start
    offsets = {record.offset for record in records if record.is_answer}
    return RecoveredFile(
        name,
        size,
        records,
        tuple(record for record in records if record.is_answer and record.offset not in committed),
        tuple(sorted({offset for offset in committed if offset >= start} - offsets)),
        tuple(record for record in scanned if not record.ok and record.offset < size),
        f"{name}.torn-{size}" if scanned and not scanned[-1].ok else None,
    )


def _start(path: Path, committed: Collection[int]) -> int:
    """Return the offset of the first record to verify."""
    with disk_errors(path):
        size = path.stat().st_size
    there = [offset for offset in committed if offset < size]
    if size <= LOOK_BACK or not there:
        return 0
    return min((offset for offset in there if offset >= size - LOOK_BACK), default=max(there))


def _move_tail(path: Path, descriptor: int, recovered: RecoveredFile) -> None:
    """Copy the torn tail to its own file, durably, before it is cut off."""
    if recovered.torn:
        target = path.with_name(recovered.torn)
        copy = path.with_name(f"{recovered.torn}.tmp")
        _copy_tail(descriptor, recovered.size, copy)
        reach("in_recovery")
        copy.rename(target)
        sync_folder(path.parent)
        reach("in_recovery")
        os.ftruncate(descriptor, recovered.size)
    # Without a tail too: the dead run may have died before its own fsync.
    os.fsync(descriptor)


def _copy_tail(descriptor: int, offset: int, copy: Path) -> None:
    with suppress(FileNotFoundError):
        copy.unlink()
    target = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(target, "wb") as file:
        while chunk := os.pread(descriptor, _CHUNK, offset):
            file.write(chunk)
            offset += len(chunk)
        file.flush()
        os.fsync(target)


def _release(path: Path, recovered: RecoveredFile) -> None:
    """Give the file its final name, or remove an empty one."""
    final = path.with_name(recovered.name)
    if not recovered.size:
        path.unlink()
    elif final.exists():
        raise DamageError("two files claim this name", where=str(final), do=f"Compare it with {path.name}.")
    else:
        path.rename(final)
    sync_folder(path.parent)
