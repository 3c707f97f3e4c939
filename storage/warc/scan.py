"""Verify a WARC file record by record, and go on after damage."""

from __future__ import annotations

import os
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.disk import disk_errors, open_to_read
from storage.records import Pointer
from storage.warc.gzip_member import HEADER, SEALED, Inflater
from storage.warc.headers import END, identifier, parse_headers
from storage.warc.sources import PIECE, FileSource
from storage.warc.verify import RecordCheck

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

ANSWERS = frozenset({"response", "revisit"})
_PEEK = 1 << 14


@dataclass(frozen=True, slots=True)
class ScannedRecord:
    """A record of a WARC file, or a damaged range. Then ``damage`` is the reason, and some fields may be empty.

    ``offset`` and ``length`` are in bytes of the file. ``date`` is as written. Only responses and revisits have a
    ``status``.
    """

    offset: int
    length: int
    record_id: str = ""
    type: str = ""
    uri: str = ""
    date: str = ""
    status: int | None = None
    payload_digest: str = ""
    damage: str | None = None
    refers_to: str = ""
    """Id of the record that has the payload of a revisit."""
    concurrent_to: str = ""
    """Id of the response that a request belongs to."""

    @property
    def is_answer(self) -> bool:
        """Whether a fetch can point to it: a response or a revisit."""
        return self.type in ANSWERS

    @property
    def ok(self) -> bool:
        """Whether the record is undamaged."""
        return self.damage is None

    @property
    def end(self) -> int:
        """Offset of the first byte after it."""
        return self.offset + self.length

    def pointer(self, warc: str) -> Pointer:
        """Return the pointer to this record in the file ``warc``."""
        return Pointer(warc, self.offset, self.length, self.record_id, self.payload_digest)


def scan(
    path: Path, *, start: int = 0, end: int | None = None, known: Mapping[int, int] | None = None
) -> Iterator[ScannedRecord]:
    """Yield every record of a file of ours in order, sound or damaged. The ranges cover the file without a gap.

    A record is sound when its gzip member is complete, its CRC agrees, it is one WARC record of the stated length, and
    its block and payload digests agree. After damage the scan goes on with the next member that begins a record of this
    file: one that names the warcinfo record of the sound records before it. So a page that carries a WARC file in its
    body cannot slip records in. `storage.warc.foreign_records` reads files of other programs, which have no seals.

    Args:
        path: the file.
        start: offset of the first record to read.
        end: offset at which to stop, for a file that grows.
        known: offsets and lengths of records that need not be read, only passed over. They have no other fields.

    Raises DiskError when the file cannot be read.
    """
    with _opened(path) as descriptor:
        size = os.fstat(descriptor).st_size
        size = size if end is None else min(size, end)
        yield from _Scan(descriptor, size).records(start, known or {})


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    with disk_errors(path):
        descriptor = open_to_read(path)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


class _DamageFoundError(Exception):
    """Reason of the damage of a member, with its record's fields as far as readable."""

    def __init__(self, reason: str, fields: dict[str, str]) -> None:
        super().__init__(reason)
        self.reason, self.fields = reason, fields


class _Scan:
    def __init__(self, descriptor: int, size: int) -> None:
        self._source, self._size = FileSource(descriptor, 0, size), size
        self._families: set[str] = set()

    def records(self, offset: int, known: Mapping[int, int]) -> Iterator[ScannedRecord]:
        if offset:
            # The first record identifies the file.
            with suppress(_DamageFoundError):
                self._member(0)
        while offset < self._size:
            try:
                length = known.get(offset, 0)
                record = ScannedRecord(offset, length) if self._is_framed(offset, length) else self._member(offset)
            except _DamageFoundError as found:
                end = self._next_member(offset + 1)
                record = _scanned(offset, end - offset, found.fields, damage=found.reason)
            yield record
            offset = record.end

    def _is_framed(self, offset: int, length: int) -> bool:
        """Return whether a record of this length may be here: it begins like one, and another or the file's end follows
        it.
        """
        end = offset + length
        edges = (offset,) if end == self._size else (offset, end)
        return length > 0 and all(self._source.read_at(edge, len(HEADER)) == HEADER for edge in edges)

    def _member(self, start: int) -> ScannedRecord:
        check = RecordCheck()
        try:
            if self._source.read_at(start, len(HEADER)) != HEADER:
                raise ValueError("no record begins here")
            end = self._inflate(start, check)
            check.finish()
        except ValueError as error:
            raise _DamageFoundError(str(error), check.fields) from error
        self._families.add(_family(check.fields))
        return _scanned(start, end - start, check.fields, status=check.status)

    def _inflate(self, start: int, check: RecordCheck) -> int:
        """Feed the member's content to the check, verify its seal and return the offset of its end."""
        inflater = Inflater(self._source, start)
        while content := inflater.read():
            check.feed(content)
        if inflater.end is None or inflater.damage:
            raise ValueError(inflater.damage)
        seal, at = 0, start + SEALED
        while at < inflater.end:
            packed = self._source.read_at(at, min(PIECE, inflater.end - at))
            seal, at = zlib.crc32(packed, seal), at + len(packed)
        if self._source.read_at(start + len(HEADER), SEALED - len(HEADER)) != seal.to_bytes(4, "little"):
            raise ValueError("the compressed bytes have changed since they were written")
        return inflater.end

    def _next_member(self, start: int) -> int:
        """Return the offset of the next member of this file at or after ``start``, or the file's end."""
        while start < self._size:
            window = self._source.read_at(start, PIECE + len(HEADER) - 1)
            at = window.find(HEADER)
            while at >= 0:
                if self._genuine(start + at):
                    return start + at
                at = window.find(HEADER, at + 1)
            start += PIECE
        return self._size

    def _genuine(self, offset: int) -> bool:
        head, found, _ = Inflater(self._source, offset).read(_PEEK).partition(END)
        try:
            return bool(found) and (not self._families or _family(parse_headers(head)) in self._families)
        except ValueError:
            return False


def _family(fields: dict[str, str]) -> str:
    """Return the id of the warcinfo record of a record's file. Outsiders cannot know it beforehand."""
    own = "warc-record-id" if fields.get("warc-type") == "warcinfo" else "warc-warcinfo-id"
    return identifier(fields.get(own, ""))


def _scanned(
    offset: int, length: int, fields: dict[str, str], *, status: int | None = None, damage: str | None = None
) -> ScannedRecord:
    return ScannedRecord(
        offset,
        length,
        identifier(fields.get("warc-record-id", "")),
        fields.get("warc-type", ""),
        fields.get("warc-target-uri", ""),
        fields.get("warc-date", ""),
        status,
        fields.get("warc-payload-digest", ""),
        damage,
        identifier(fields.get("warc-refers-to", "")),
        identifier(fields.get("warc-concurrent-to", "")),
    )
