"""Read a list of names or addresses from a text file: one a line, ``#`` begins a comment line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.disk import disk_errors
from storage.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def read_list(file: Path) -> list[str]:
    """Return the entries of a file, each once, in their order.

    Raises ConfigError for a file without an entry or not in UTF-8, DiskError for one that cannot be read.
    """
    with disk_errors(file):
        data = file.read_bytes()
    try:
        lines = [line.strip() for line in data.decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise ConfigError(f"is not UTF-8 (byte {error.start})", where=str(file), do="Save the file as UTF-8.") from None
    found = list(dict.fromkeys(line for line in lines if line and not line.startswith("#")))
    if not found:
        raise ConfigError("has no entry", where=str(file), do="Write one name or address a line.")
    return found
