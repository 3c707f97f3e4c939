"""Limits of SQLite: no network file systems, and in old releases no checkpoint beside a writer."""

from __future__ import annotations

import re
import sqlite3
from contextlib import suppress
from pathlib import Path

from storage.errors import DiskError

# WAL mode cannot rely on their locks and shared memory (sqlite.org/wal.html, section 1).
_NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs", "ceph", "lustre", "gpfs", "beegfs", "glusterfs", "davfs")
)
_NETWORK_FUSE = frozenset(
    ("sshfs", "rclone", "s3fs", "goofys", "gcsfuse", "blobfuse2", "glusterfs", "davfs", "curlftpfs")
)
MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(r"\\([0-7]{3})")
_SOUND_FROM = (3, 51, 3)
_SOUND_BACK_PORTS = {(3, 44): 6, (3, 50): 7}


def require_local(path: Path) -> None:
    """Raise DiskError for a database on a network file system, if the system reports it."""
    kind = ""
    with suppress(OSError):
        kind = file_system(path.resolve(), MOUNTS.read_text("utf-8", "replace"))
    if kind in _NETWORK or kind.removeprefix("fuse.") in _NETWORK_FUSE:
        raise DiskError(
            f"a SQLite corpus cannot be on a network file system ({kind}): two programs would damage it",
            where=str(path),
            do="Put the file on a local disk ([corpus] database = ...; the WARC files may stay), or use PostgreSQL.",
        )


def file_system(path: Path, mounts: str) -> str:
    """Return the type of the file system of an absolute path, from the text of mountinfo (proc(5)); empty if unknown.

    Of two mounts at the same place the later one counts.
    """
    found, longest = "", -1
    for line in mounts.splitlines():
        before, _, behind = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not behind:
            continue
        place = Path(_ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4]))
        if path.is_relative_to(place) and len(place.parts) >= longest:
            found, longest = behind.split(" ")[0], len(place.parts)
    return found


def is_sound(version: str = sqlite3.sqlite_version) -> bool:
    """Return whether a release of SQLite is free of the WAL-reset bug (sqlite.org/wal.html#walresetbug).

    Before 3.51.3, except later fixes of 3.44 and 3.50, a checkpoint that starts while another connection commits may
    lose later writes.
    """
    major, minor, patch = ([int(part) for part in version.split(".")] + [0, 0])[:3]
    return (major, minor, patch) >= _SOUND_FROM or patch >= _SOUND_BACK_PORTS.get((major, minor), patch + 1)
