"""A capture read back by its pointer: one seek, one record, everything about it verified."""

from __future__ import annotations

import os
import re
import zlib
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from storage.disk import disk_error, open_to_read
from storage.errors import DamageError
from storage.records import Capture, Kind
from storage.warc.headers import END, KIND, RENDERED, identifier, parse_headers, sha1
from storage.warc.http_blocks import parse_request, parse_response
from storage.warc.members import MAX_RECORD
from storage.warc.scanning import ANSWERS
from storage.warc.writer import OPEN

if TYPE_CHECKING:
    from pathlib import Path

    from storage.records import Headers, Pointer

_LONGEST = 250
_IN_NO_NAME = re.compile("[/\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_REQUEST_BYTES = 1 << 16
"""How far behind a response its request record is looked for; requests are small."""


def is_file_name(name: str) -> bool:
    """Say whether a WARC file may be called this; of a database that a stranger made it may be anything."""
    return _IN_NO_NAME.search(name) is None and name.strip(".") != "" and len(name.encode()) <= _LONGEST


def warc_path(folder: Path, name: str) -> Path:
    """Return where a WARC file lies that the database names.

    Raises DamageError for what is no file name: in a corpus that a stranger made it may lead to any file of the user's,
    which would be given away, or removed.
    """
    if not is_file_name(name):
        raise DamageError(
            f"{name[:50]!r} is no name of a WARC file", where=str(folder), do="Run `corpus-spider check`."
        )
    return folder / name


def read_record(folder: Path, pointer: Pointer, original: Pointer | None = None) -> Capture:
    """Return the capture that a pointer leads to, whether its file is closed or still being written.

    A revisit record holds no payload: ``original`` points to the response that has it. What comes back is what was
    read then, at the time of the revisit: the payload of the original, and its status and headers where the server
    only said that nothing had changed.

    The headers are those given to the writer but for what ``http_blocks`` documents; the request's are empty when its
    record is not there. Raises DamageError, naming file and offset, when the file is missing or the record is not the
    one pointed to: another id, bytes that do not inflate, lengths or digests that do not agree, a revisit of another
    record or of none that was given.
    """
    where = f"{folder / pointer.warc}, offset {pointer.offset}"
    try:
        data = _read(folder, pointer, 0, pointer.length + _REQUEST_BYTES)
    except FileNotFoundError as error:
        raise DamageError("the WARC file is missing", where=where, do="Restore it from a backup.") from error
    except OSError as error:
        raise disk_error(error, folder / pointer.warc) from error
    try:
        fields, visit = _capture(data, pointer)
        if fields["warc-type"] == "response":
            return replace(visit, rendered=_rendered(folder, pointer, fields, data))
        refers_to = identifier(fields.get("warc-refers-to", ""))
        if original is None or refers_to != original.record_id:
            raise ValueError(f"it is a revisit of record {refers_to}")
    except (ValueError, KeyError, zlib.error) as error:
        raise DamageError(f"damaged record: {error}", where=where, do="Run `corpus-spider check --deep`.") from error
    return _resolved(visit, read_record(folder, original))


def end_of(path: Path, pointer: Pointer) -> int:
    """Return the offset behind the records of an answer in a file that may be growing: its request, and the page as a
    browser rendered it. What cannot be read of them is left out.
    """
    end = pointer.offset + pointer.length
    with suppress(ValueError, KeyError, zlib.error):
        data = _read_range(path, pointer.offset, pointer.length + _REQUEST_BYTES)
        request, stated = data[pointer.length :], _record(data[: pointer.length], whole=True)[0].get(RENDERED.lower())
        _record(request, whole=False)
        end += _member_length(request) + (int(stated.split()[1]) if stated else 0)
    return end


def _resolved(visit: Capture, original: Capture) -> Capture:
    whole = replace(visit, body=original.body, truncated=original.truncated)
    if visit.status != 304:
        return whole
    return replace(whole, status=original.status, response_headers=original.response_headers)


def _rendered(folder: Path, pointer: Pointer, fields: dict[str, str], data: bytes) -> bytes:
    """Return what the conversion record holds that a response names; it lies behind the request."""
    stated = fields.get(RENDERED.lower())
    if stated is None:
        return b""
    record_id, length = stated.split()
    start = pointer.length + _member_length(data[pointer.length :])
    of_page, block = _record(_read(folder, pointer, start, int(length)), whole=True)
    named = of_page["warc-record-id"] == record_id and of_page["warc-block-digest"] == sha1(block)
    if not named or identifier(of_page.get("warc-refers-to", "")) != pointer.record_id:
        raise ValueError("the rendered page is not the one it names")
    return block


def _read(folder: Path, pointer: Pointer, start: int, length: int) -> bytes:
    """Read bytes of the file, counted from where the pointer leads to."""
    if not is_file_name(pointer.warc):
        raise FileNotFoundError(pointer.warc)
    # The writer may rename the file between the first two looks; the third then finds it.
    for name in (pointer.warc, pointer.warc + OPEN):
        try:
            return _read_range(folder / name, pointer.offset + start, length)
        except FileNotFoundError:
            continue
    return _read_range(folder / pointer.warc, pointer.offset + start, length)


def _read_range(path: Path, offset: int, length: int) -> bytes:
    """Read what there is of a range; of a pipe or a device in the file's place nothing, which would be waited for."""
    descriptor = open_to_read(path)
    try:
        there = min(length, os.fstat(descriptor).st_size - offset)
        return os.pread(descriptor, there, offset) if there > 0 <= offset else b""
    finally:
        os.close(descriptor)


def _capture(data: bytes, pointer: Pointer) -> tuple[dict[str, str], Capture]:
    """Fields of the record and what it holds itself; a revisit holds no payload."""
    fields, block = _record(data[: pointer.length], whole=True)
    if identifier(fields["warc-record-id"]) != pointer.record_id or fields["warc-type"] not in ANSWERS:
        raise ValueError(f"this is not record {pointer.record_id}")
    status, headers, body = parse_response(block)
    digest = sha1(body) if fields["warc-type"] == "response" else fields["warc-payload-digest"]
    if digest != pointer.payload_digest or digest != fields["warc-payload-digest"]:
        raise ValueError("the payload is not what its digest says")
    return fields, Capture(
        url=fields.get("warc-target-uri", ""),
        fetched_at=datetime.fromisoformat(fields["warc-date"]),
        status=status,
        request_headers=_request_headers(data[pointer.length :], pointer.record_id),
        response_headers=headers,
        body=body,
        kind=Kind(fields.get(KIND.lower(), Kind.PAGE)),
        ip=fields.get("warc-ip-address"),
        protocol=fields.get("warc-protocol"),
        truncated=fields.get("warc-truncated"),
    )


def _request_headers(data: bytes, response_id: str) -> Headers:
    """Headers of the request record right behind a response; a page is worth reading without them."""
    try:
        fields, block = _record(data, whole=False)
        return parse_request(block) if identifier(fields.get("warc-concurrent-to", "")) == response_id else ()
    except (ValueError, zlib.error):
        return ()


def _member_length(data: bytes) -> int:
    """Length of the gzip member that the bytes begin with."""
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    inflater.decompress(data, MAX_RECORD)
    return len(data) - len(inflater.unused_data)


def _record(data: bytes, *, whole: bool) -> tuple[dict[str, str], bytes]:
    """Fields and block of the record whose gzip member the bytes begin with, or are when ``whole``."""
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    content = inflater.decompress(data, MAX_RECORD)
    if not inflater.eof or (whole and inflater.unused_data):
        raise ValueError("it is cut short, too long, or does not end where it should")
    head, _, rest = content.partition(END)
    fields = parse_headers(head)
    length = int(fields.get("content-length", ""))
    if rest[length:] != END:
        raise ValueError("its length is not what it says")
    return fields, rest[:length]
