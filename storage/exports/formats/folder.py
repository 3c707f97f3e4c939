"""Write a folder with a file for each document, named by its id, and an index of the other fields.

The files are plain texts (``txt``), or Markdown with the fields in front (``md``).
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from storage.errors import DamageError
from storage.exports.fields import encodable, named
from storage.exports.files import HashingStream, disk_errors, opened
from storage.exports.formats import jsonl, markdown
from storage.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from storage.documents.model import CorpusDocument
    from storage.fields import Fields

    Content = Callable[[CorpusDocument, Fields], str]

INDEX = "index.jsonl"
CONTENTS: Mapping[str, Content] = {"txt": lambda row, _: f"{row.text}\n", "md": markdown.page}
"""Content of a document's file, by the suffix of the file."""
_SAFE_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}")


def write(
    rows: Iterable[CorpusDocument],
    folder: Path,
    record: Callable[[str, HashingStream], None],
    suffix: str = "txt",
    fields: Fields = FIELDS,
) -> None:
    """Write ``ID.SUFFIX`` for each row, and ``index.jsonl``, into the empty folder.

    The index has the fields except ``text``. ``record`` gets every finished file. Raises DamageError for an id that is
    no safe file name, or that comes twice. Titles and URLs never name a file.
    """
    content = CONTENTS[suffix]
    listed = tuple(field for field in fields if field.name != "text")
    with opened(folder / INDEX) as index:
        for row in map(encodable, rows):
            name = _file_name(f"{row.id}.{suffix}", row.id, folder)
            with opened(folder / name) as stream:
                stream.write(content(row, fields).encode())
            record(name, stream)
            index.write(jsonl.line({"file": name, **named(row, listed)}))
    record(INDEX, index)


def is_ours(folder: Path) -> bool:
    """Return whether a folder holds only files of ``write``, so that replacing it destroys nothing else."""
    suffixes = tuple(f".{suffix}" for suffix in CONTENTS)
    empty, indexed = True, False
    # One entry after the other: there may be a million files.
    with disk_errors(folder), os.scandir(folder) as entries:
        for entry in entries:
            empty, indexed = False, indexed or entry.name == INDEX
            if entry.name != INDEX and not entry.name.endswith(suffixes):
                return False
    return empty or indexed


def _file_name(name: str, identifier: str, folder: Path) -> str:
    if not _SAFE_ID.fullmatch(identifier):
        raise DamageError(
            f"document id {identifier[:80]!r} cannot name a file", do="Check the corpus, or export as .jsonl."
        )
    if (folder / name).exists():
        raise DamageError(f"two documents with the id {identifier!r}", do="Check the corpus, or export as .jsonl.")
    return name
