"""Table of export formats, and the format of a target."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from storage import plugins
from storage.errors import ConfigError
from storage.exports.fields import MINIMAL
from storage.exports.formats import jsonl, markdown, parquet, spreadsheet, tei, vertical
from storage.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from storage.documents.model import Columns, CorpusDocument
    from storage.fields import Fields

STDOUT = "-"
FOLDER = "txt"
"""Format that is always a folder."""


class StreamFormat(Protocol):
    """Function that writes rows to a stream as they come. It never seeks and leaves the stream open."""

    def __call__(self, rows: Iterable[CorpusDocument], stream: BinaryIO, /) -> None: ...


class FieldFormat(StreamFormat, Protocol):
    """StreamFormat that writes the fields it is given, in their order."""

    def __call__(self, rows: Iterable[CorpusDocument], stream: BinaryIO, /, fields: Fields = FIELDS) -> None: ...


@dataclass(frozen=True, slots=True)
class PartedFormat:
    """Format whose parts several processes can make.

    ``make`` returns the part of some rows, in any process. ``write`` writes parts in their order to a stream. The bytes
    are those of STREAM_FORMATS for the same rows, however the rows are parted. ``make_of_columns``, if there is one,
    makes the same part from columns with texts in UTF-8. It raises ValueError or TypeError for other values.
    """

    make: Callable[[Iterable[CorpusDocument]], bytes]
    write: Callable[[Iterable[bytes], BinaryIO], None]
    make_of_columns: Callable[[Columns], bytes] | None = None


FIELD_FORMATS: dict[str, FieldFormat] = {
    "jsonl": jsonl.write,
    "jsonl.gz": jsonl.write_gzip,
    "jsonl.zst": jsonl.write_zstd,
    "parquet": parquet.write,
    "csv": spreadsheet.write,
    "md": markdown.write,
}
STREAM_FORMATS: dict[str, StreamFormat] = {
    **FIELD_FORMATS,
    "tei.xml": tei.write,
    "vert": vertical.write,
    "prevert": vertical.write_prevertical,
}
FIXED_FIELDS: dict[str, frozenset[str]] = {
    "tei.xml": tei.HELD,
    "vert": vertical.HELD,
    "prevert": vertical.HELD,
}
"""Fields in formats that always have the same. Their digests cannot be compared with those of another format."""
FORMATS = (*STREAM_FORMATS, FOLDER)
FOLDERS = frozenset({FOLDER, "md"})
"""Formats that a folder can have, with a file for each document."""


def _of_lines(write: Callable[[Iterable[bytes], BinaryIO], None]) -> Callable[[Fields], PartedFormat]:
    return lambda fields: PartedFormat(partial(jsonl.part, fields=fields), write)


PARTED_FORMATS: dict[str, Callable[[Fields], PartedFormat]] = {
    "jsonl": _of_lines(jsonl.write_parts),
    "jsonl.gz": _of_lines(jsonl.write_gzip_parts),
    "jsonl.zst": _of_lines(jsonl.write_zstd_parts),
    "parquet": lambda fields: PartedFormat(
        partial(parquet.part, fields=fields),
        partial(parquet.write_parts, fields=fields),
        partial(parquet.part_of_columns, fields=fields),
    ),
    "vert": lambda _: PartedFormat(vertical.part, vertical.write_parts),
}
"""Formats whose rows several processes can prepare."""
EXPORTERS: dict[str, str] = {}
"""Distribution, with its version, of each format that a plug-in writes. `formats` adds them."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Path and format of an export. ``path`` is None for standard output. ``fields``: None for those of the format."""

    path: Path | None
    format_name: str
    is_folder: bool = False
    fields: Fields | None = None

    @property
    def written(self) -> Fields:
        """Fields of a format that can have any."""
        return self.fields or default_fields(self.format_name)

    @property
    def write(self) -> StreamFormat:
        """Function that writes the file."""
        return writer_of(self.format_name, self.fields)


def default_fields(format_name: str) -> Fields:
    """Return the fields of a format if no others are wanted: all, but in Markdown, which people read, a few."""
    return MINIMAL if format_name == "md" else FIELDS


def writer_of(format_name: str, fields: Fields | None) -> StreamFormat:
    """Return the function that writes a format, with these fields or its own.

    Raises ConfigError for fields and a format that always has the same.
    """
    refuse_fields(format_name, fields)
    known = FIELD_FORMATS.get(format_name)
    return partial(known, fields=fields or default_fields(format_name)) if known else STREAM_FORMATS[format_name]


def refuse_fields(format_name: str, fields: Fields | None) -> None:
    """Raise ConfigError for fields of a format that always has the same."""
    if fields and format_name not in {*FIELD_FORMATS, FOLDER}:
        do = f"Leave out --fields, or use one of {', '.join((*FIELD_FORMATS, FOLDER))}."
        raise ConfigError(f"{format_name} always has the same fields", where="--fields", do=do)


def formats() -> tuple[str, ...]:
    """Return the names of all formats: ours, and those of the plug-ins that the configuration names.

    Raises ConfigError for a plug-in that is not installed, cannot be loaded or has the name of another format.
    """
    for name in plugins.named(plugins.EXPORTERS):
        if name in EXPORTERS:
            continue
        plugin = plugins.find(plugins.EXPORTERS, name)
        if name in FORMATS:
            raise ConfigError(f'"{name}" is a format of this program', where=plugin.release, do="Rename the plug-in.")
        write = plugin.load()
        if not callable(write):
            do = "Name a function write(rows, stream)."
            raise ConfigError(f'the plug-in "{name}" is no exporter', where=plugin.release, do=do)
        STREAM_FORMATS[name], EXPORTERS[name] = write, plugin.release
    return (*STREAM_FORMATS, FOLDER)


def destination(target: str | Path, format_name: str | None = None, fields: Fields | None = None) -> Destination:
    """Return where an export goes. The target's name gives the format, unless ``format_name`` does.

    Raises ConfigError for an unknown format, for a target that the format cannot be written to, and for fields that it
    cannot have.
    """
    refuse_unknown_format(format_name)
    if str(target) == STDOUT:
        return _standard_output(format_name, fields)
    path = Path(target)
    found = format_name or _by_name(str(target), path)
    refuse_fields(found, fields)
    if format_name:
        refuse_other_name(str(target), format_name)
    if str(target).endswith(os.sep) and found not in FOLDERS:
        do = "Leave out the final /, or the format; --release makes a folder of any format."
        raise ConfigError(f"the target is a folder, and {found} makes a file", where=str(target), do=do)
    is_folder = found == FOLDER or (found in FOLDERS and (str(target).endswith(os.sep) or path.is_dir()))
    _check(path, found, is_folder=is_folder)
    return Destination(path, found, is_folder, fields)


def refuse_unknown_format(format_name: str | None) -> None:
    """Raise ConfigError for an unknown name of a format. None is allowed."""
    if format_name is not None and format_name not in formats():
        raise ConfigError(f"unknown export format {format_name!r}", do=_known())


def _standard_output(format_name: str | None, fields: Fields | None) -> Destination:
    refuse_fields(format_name or "jsonl", fields)
    if format_name == FOLDER:
        raise ConfigError("a folder of text files cannot go to standard output", do="Name a folder.")
    return Destination(None, format_name or "jsonl", fields=fields)


def _by_name(target: str, path: Path) -> str:
    named = named_format(path.name)
    if target.endswith(os.sep) or path.is_dir():
        return named if named in FOLDERS else FOLDER
    if not named:
        raise ConfigError("no export format has this suffix", where=target, do=_known())
    return named


def named_format(name: str) -> str | None:
    """Return the format that the suffix of a name states, or None."""
    return next((known for known in formats() if known != FOLDER and name.endswith(f".{known}")), None)


def refuse_other_name(target: str, format_name: str) -> None:
    """Raise ConfigError if the target's name states another format: programs open the file by its name."""
    named = named_format(Path(target).name)
    if named and named != format_name:
        do = f"Leave out --format, or give the target a name of {format_name}."
        raise ConfigError(f"the name says {named}, and --format says {format_name}", where=target, do=do)


def _check(path: Path, format_name: str, *, is_folder: bool) -> None:
    require_place(path)
    if is_folder != path.is_dir() and path.exists():
        other = "a folder" if path.is_dir() else "not a folder"
        raise ConfigError(
            f"is {other}, which the format {format_name} cannot replace", where=str(path), do="Choose another name."
        )


def require_place(target: Path) -> None:
    """Raise ConfigError for a target without a name, or in a folder that does not exist."""
    if not target.name:
        raise ConfigError("the target needs a name of its own", where=str(target), do="Name a file or a new folder.")
    if not target.parent.is_dir():
        raise ConfigError("there is no such folder", where=str(target.parent), do="Create it first, or name another.")


def _known() -> str:
    suffixes = ", ".join(f".{name}" for name in STREAM_FORMATS)
    return f"Use {suffixes}, a folder with a final / for text files, or - for JSON lines on standard output."
