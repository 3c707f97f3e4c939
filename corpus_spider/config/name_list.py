"""Read a list of names or addresses from a text file: one a line, ``#`` begins a comment line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from storage.disk import disk_errors
from storage.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def read_list(file: Path) -> list[str]:
    """Return the entries of a file, or of standard input for ``-``, each once, in their order.

    Raises ConfigError for a file without an entry or not in UTF-8, DiskError for one that cannot be read.
    """
    with disk_errors(file):
        data = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    where = "standard input" if str(file) == "-" else str(file)
    try:
        lines = [line.strip() for line in data.decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise ConfigError(f"is not UTF-8 (byte {error.start})", where=where, do="Save the file as UTF-8.") from None
    found = list(dict.fromkeys(line for line in lines if line and not line.startswith("#")))
    if not found:
        raise ConfigError("has no entry", where=where, do="Write one name or address a line.")
    return found
