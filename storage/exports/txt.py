"""Write a folder of plain text files, one a document, named by its id, with an index of the other fields."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from storage.errors import DamageError
from storage.exports import jsonl
from storage.exports.fields import encodable, named
from storage.exports.files import HashingStream, disk_errors, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from storage.documents.model import CorpusDocument

INDEX = "index.jsonl"
_SAFE_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}")


def write(rows: Iterable[CorpusDocument], folder: Path, record: Callable[[str, HashingStream], None]) -> None:
    """Write ``ID.txt`` for each row, and ``index.jsonl``, into the empty folder. ``record`` gets every finished file.

    Raises DamageError for an id that is no safe file name, or that comes twice. Titles and URLs never name a file.
    """
    with opened(folder / INDEX) as index:
        for row in map(encodable, rows):
            name = _file_name(row.id, folder)
            with opened(folder / name) as stream:
                stream.write(f"{row.text}\n".encode())
            record(name, stream)
            fields = {key: value for key, value in named(row).items() if key != "text"}
            index.write(jsonl.line({"file": name, **fields}))
    record(INDEX, index)


def is_ours(folder: Path) -> bool:
    """Return whether a folder holds only files of ``write``, so that replacing it destroys nothing else."""
    with disk_errors(folder):
        names = {entry.name for entry in folder.iterdir()}
    return not names or (INDEX in names and all(name.endswith(".txt") for name in names - {INDEX}))


def _file_name(identifier: str, folder: Path) -> str:
    if not _SAFE_ID.fullmatch(identifier):
        raise DamageError(
            f"document id {identifier[:80]!r} cannot name a file", do="Check the corpus, or export as .jsonl."
        )
    name = f"{identifier}.txt"
    if (folder / name).exists():
        raise DamageError(f"two documents with the id {identifier!r}", do="Check the corpus, or export as .jsonl.")
    return name
