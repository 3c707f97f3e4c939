"""Rewrite a WARC file without the content of removed pages.

A gzip member cannot be overwritten in place at equal length. So the file is copied, member by member, to a new one. The
records of removed pages are replaced by records of the same type, id, address and date. Their block is only a status or
request line. They are marked with ``X-Corpus-Removed``.
"""

from __future__ import annotations

import os
import re
import zlib
from bisect import bisect_left, bisect_right
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from storage.disk import disk_errors, open_to_read, sync_folder
from storage.warc.gzip_member import member
from storage.warc.headers import END, KIND, parse_headers, sha1
from storage.warc.scan import ANSWERS, scan
from storage.warc.writer import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from io import BufferedReader, BufferedWriter
    from pathlib import Path

    from storage.warc.scan import ScannedRecord

NOTHING = sha1(b"")
"""Payload digest of a response without a payload."""

_CHUNK = 1 << 20
_HEAD = 1 << 16
_SERIES = re.compile(r"-r(\d+)$")
_KEPT = (
    "WARC-Type",
    "WARC-Record-ID",
    "WARC-Warcinfo-ID",
    "WARC-Target-URI",
    "WARC-Date",
    "WARC-Concurrent-To",
    "WARC-Profile",
    "WARC-Refers-To",
    "WARC-Refers-To-Target-URI",
    "WARC-Refers-To-Date",
    KIND,
)


@dataclass(slots=True)
class RedactedFile:
    """A rewritten file: name, size in bytes, new places of the records, and number of emptied records."""

    name: str
    size: int = 0
    moves: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Offset in the old file -> offset and length in the new one."""
    emptied: int = 0

    def moved(self, offset: int, length: int) -> tuple[int, int]:
        """Return the new place of the record at an offset. A lost record gets a place after the end of the file."""
        return self.moves.get(offset, (self.size + offset, length))


def next_name(name: str) -> str:
    """Return the name of the rewritten file.

    >>> next_name("news-00001.warc.gz"), next_name("news-00001-r1.warc.gz")
    ('news-00001-r1.warc.gz', 'news-00001-r2.warc.gz')
    """
    return f"{_SERIES.sub('', name.removesuffix(SUFFIX))}-r{_number(name) + 1}{SUFFIX}"


def first_name(name: str) -> str:
    """Return the name of the original file of a rewritten one; for other files their own name.

    >>> first_name("news-00001-r2.warc.gz"), first_name("news-00001.warc.gz")
    ('news-00001.warc.gz', 'news-00001.warc.gz')
    """
    return _SERIES.sub("", name.removesuffix(SUFFIX)) + SUFFIX


def latest(finished: Collection[str], name: str) -> str | None:
    """Return the last rewriting of a file among finished files; None if there is none."""
    others = [each for each in finished if first_name(each) == first_name(name)]
    later = {number: each for each in others if (number := _number(each)) > _number(name)}
    return later[max(later)] if later else None


def _number(name: str) -> int:
    found = _SERIES.search(name.removesuffix(SUFFIX))
    return int(found.group(1)) if found else 0


def scrub(
    folder: Path,
    name: str,
    doomed: Collection[int],
    record_ids: Collection[str],
    day: str,
    kept: Mapping[int, int] | None,
) -> RedactedFile:
    """Rewrite the file under `next_name`, durably, with the responses at the doomed offsets emptied.

    Records that belong to them are emptied too. A damaged range is emptied from the first doomed offset in it to its
    end, because its content is unknown. Records beyond the end of a shortened file are lost already. The old file
    stays. The rewriting can be repeated: files of an interrupted attempt are replaced.

    Args:
        folder: the WARC folder.
        name: final name of the file.
        doomed: offsets of the responses to empty.
        record_ids: WARC-Record-IDs of these responses.
        day: day of the removal, for the emptied records.
        kept: offsets and lengths of responses that stay and refer to no other record. They are copied unread, which
            takes a small part of the time.

    Raises DiskError.
    """
    result = RedactedFile(next_name(name))
    source, target = folder / name, folder / result.name
    part = target.with_name(f"{result.name}.tmp")
    with disk_errors(source), os.fdopen(open_to_read(source), "rb") as old, _created(part) as new:
        start = end = shift = 0
        places = sorted(doomed)
        for record in _cut(scan(source, known=_apart(kept or {}, places)), places):
            end = record.end
            if record.offset not in doomed and {record.concurrent_to, record.refers_to}.isdisjoint(record_ids):
                result.moves[record.offset] = (record.offset + shift, record.length)
                continue
            _copy(old, start, record.offset, new)
            data = emptied(_fields_of(old, record), record.status or 0, day)
            result.moves[record.offset] = (new.tell(), len(data))
            new.write(data)
            result.emptied += 1
            start, shift = record.end, new.tell() - record.end
        _copy(old, start, end, new)
        result.size = new.tell()
        new.flush()
        os.fsync(new.fileno())
    with disk_errors(target):
        part.replace(target)
        sync_folder(folder)
    return result


def _apart(kept: Mapping[int, int], doomed: Sequence[int]) -> dict[int, int]:
    """Return the records that contain no doomed offset. A row of the database may be wrong."""
    return {
        offset: length
        for offset, length in kept.items()
        if bisect_left(doomed, offset) == bisect_left(doomed, offset + length)
    }


def _cut(records: Iterable[ScannedRecord], doomed: Sequence[int]) -> Iterator[ScannedRecord]:
    """Yield records, and damaged ranges in parts that begin at doomed offsets."""
    for record in records:
        inside = [] if record.ok else doomed[bisect_right(doomed, record.offset) : bisect_left(doomed, record.end)]
        ends = [*inside, record.end]
        for start, end in zip([record.offset, *inside], ends, strict=True):
            yield replace(record, offset=start, length=end - start) if inside else record


def _created(path: Path) -> BufferedWriter:
    with suppress(FileNotFoundError):
        path.unlink()
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _copy(old: BufferedReader, start: int, end: int, new: BufferedWriter) -> None:
    old.seek(start)
    left = end - start
    while left and (chunk := old.read(min(left, _CHUNK))):
        new.write(chunk)
        left -= len(chunk)


def _fields_of(old: BufferedReader, record: ScannedRecord) -> dict[str, str]:
    old.seek(record.offset)
    data = old.read(min(record.length, _HEAD))
    try:
        head, found, _ = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, _HEAD).partition(END)
        return parse_headers(head) if found else {}
    except (zlib.error, ValueError):
        return {}


def emptied(fields: dict[str, str], status: int, day: str) -> bytes:
    """Return the gzip member of a record with those fields (names in lower case) and without its content."""
    kind = fields.get("warc-type", "")
    kept = {name: fields[name.lower()] for name in _KEPT if fields.get(name.lower())}
    block = b"GET / HTTP/1.1\r\n\r\n" if kind == "request" else b""
    if kind in ANSWERS:
        block = f"HTTP/1.1 {status:03d} Removed\r\n\r\n".encode()
        kept |= {"WARC-Payload-Digest": NOTHING, "Content-Type": "application/http;msgtype=response"}
    elif kind == "request":
        kept["Content-Type"] = "application/http;msgtype=request"
    kept |= {"WARC-Truncated": "unspecified", "X-Corpus-Removed": day}
    kept |= {"WARC-Block-Digest": sha1(block), "Content-Length": str(len(block))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in kept.items())
    return member(b"WARC/1.1\r\n" + lines.encode("utf-8", "replace") + b"\r\n", block + END, stored=False)
