"""Compare a release with an earlier one by ids and digests, in one pass over both."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, BinaryIO

from storage.errors import ConfigError, DamageError
from storage.exports.fields import BY_NAME
from storage.exports.format_table import FIXED_FIELDS
from storage.exports.formats import jsonl
from storage.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from storage.documents.model import CorpusDocument
    from storage.fields import Fields

CHANGES = ADDED, CHANGED, REMOVED = "added", "changed", "removed"
"""Kinds of changes since an earlier release."""
INDEX = "documents.tsv.zst"
MANIFEST = "manifest.json"

# The place of the original and the number of duplicates may change from night to night, though the document does not.
# Measures of a text and its digest follow from it; recurring lines follow from other documents. Places of the title and
# the authors, and rules, are not known for older texts.
COMPARED_FIELDS = tuple(field.name for field in FIELDS if field.note.compared)
"""Fields of the digests of a release."""


def compared_fields(format_name: str, fields: Fields | None) -> tuple[str, ...]:
    """Return the fields whose change changes a document in a release of that format with these fields."""
    held = {field.name for field in fields} if fields else FIXED_FIELDS.get(format_name)
    return COMPARED_FIELDS if held is None else tuple(name for name in COMPARED_FIELDS if name in held)


def digests(rows: Sequence[CorpusDocument], names: tuple[str, ...] = COMPARED_FIELDS) -> list[str]:
    """Return for each row 32 hex digits of the SHA-256 of the fields of these names."""
    return [hashlib.sha256(line).hexdigest()[:32] for line in _lines_of(names)(rows)]


@lru_cache(maxsize=8)
def _lines_of(names: tuple[str, ...]) -> Callable[[Sequence[CorpusDocument]], list[bytes]]:
    return jsonl.part_lines(names)


def index_lines(rows: Iterable[tuple[CorpusDocument, str]]) -> bytes:
    """Return the lines of the index for rows with their digests: id, tab, digest."""
    return "".join(f"{row.id}\t{digest}\n" for row, digest in rows).encode()


def read_index(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (id, digest) of an index, in order of ids. Raises DamageError for another file."""
    import zstandard

    last = ""
    try:
        with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
            for line in io.TextIOWrapper(stream, encoding="utf-8"):
                name, tab, value = line.rstrip("\n").partition("\t")
                if not tab or name <= last:
                    raise DamageError(
                        "not the index of a release", where=str(path), do="Fetch the earlier release again."
                    )
                last = name
                yield name, value
    except (OSError, UnicodeDecodeError, zstandard.ZstdError) as error:
        raise DamageError(f"cannot be read: {error}", where=str(path), do="Fetch the earlier release again.") from error


@dataclass(frozen=True, slots=True)
class EarlierRelease:
    """An earlier release: its manifest, the manifest's SHA-256, its index, and the fields of the digests."""

    manifest: dict[str, object]
    sha256: str
    index: Path
    fields: tuple[str, ...] = COMPARED_FIELDS
    written: Fields | None = None
    """Its fields if they were chosen, else None."""


def read_earlier(path: Path) -> EarlierRelease:
    """Read the manifest of an earlier release (the file, or its folder). Raises ConfigError for another file."""
    file = path / MANIFEST if path.is_dir() else path
    try:
        data = file.read_bytes()
        manifest = json.loads(data)
        index = file.with_name(manifest["index"]["path"])
        fields = _fields_of(manifest["index"])
        written = tuple(BY_NAME[name] for name in manifest.get("fields", ())) or None
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=str(file), do="Name a manifest.json.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError("not the manifest of a release", where=str(file), do="Name its manifest.json.") from error
    if not index.is_file():
        raise ConfigError(
            "the index of the earlier release is missing", where=str(index), do="Put it beside its manifest."
        )
    return EarlierRelease(manifest, hashlib.sha256(data).hexdigest(), index, fields, written)


def _fields_of(index: dict[str, Any]) -> tuple[str, ...]:
    """Return the fields of an index's digests. Raises KeyError if there are none, ValueError for an unknown one."""
    fields = tuple(index["fields"])
    if not set(fields) <= {field.name for field in FIELDS}:
        raise ValueError(fields)
    return fields


def refuse_other_filters(earlier: EarlierRelease, selection: object, folds: Sequence[str]) -> None:
    """Raise ConfigError if an earlier release was made with another selection or other folds."""
    made = earlier.manifest
    if (_asked(made.get("selection")), made.get("folds")) != (_asked(selection), list(folds)):
        do = "Export with the filters and folds that its manifest names, or without --since-release."
        raise ConfigError("the earlier release was made with other filters", where=str(earlier.index.parent), do=do)


def _asked(selection: object) -> dict[str, Any]:
    """Return the filters of a selection that are set. An earlier release may not know some, which equals not set."""
    return {name: value for name, value in selection.items() if value} if isinstance(selection, dict) else {}


@dataclass(slots=True)
class Changes:
    """Pass on the rows that are new or changed, and log the change of each document."""

    earlier: Iterable[tuple[str, str]]
    log: BinaryIO
    """Gets a JSON line for each change: ``id`` and ``change``, in order of ids."""
    counts: Counter[str] = field(default_factory=Counter)

    def passing(self, rows: Iterable[tuple[CorpusDocument, str]]) -> Iterator[CorpusDocument]:
        """Yield rows that were added or changed. Rows come with their digests, in order of ids as the index does."""
        before = iter(self.earlier)
        other = next(before, None)
        for row, digest in rows:
            own = row.id
            while other is not None and other[0] < own:
                self._note(other[0], REMOVED)
                other = next(before, None)
            known = other if other is not None and other[0] == own else None
            other = next(before, None) if known else other
            if known is None or known[1] != digest:
                self._note(own, CHANGED if known else ADDED)
                yield row
        while other is not None:
            self._note(other[0], REMOVED)
            other = next(before, None)

    def _note(self, name: str, change: str) -> None:
        self.counts[change] += 1
        self.log.write(jsonl.line({"id": name, "change": change}))
