"""Read a capture by its pointer: one seek, one record, fully verified."""

from __future__ import annotations

import zlib
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from storage.disk import disk_error
from storage.errors import DamageError, MissingFileError
from storage.records import Capture, Kind
from storage.warc.gzip_member import MAX_RECORD
from storage.warc.headers import END, KIND, RECOVERED, RENDERED, identifier, parse_headers, sha1
from storage.warc.http_blocks import parse_request, parse_response
from storage.warc.scan import ANSWERS

if TYPE_CHECKING:
    from storage.records import Headers, Pointer
    from storage.warc.store import OriginalStore

IF_MISSING = "Mount or restore the folder or bucket, or restore the file from a backup."
_REQUEST_BYTES = 1 << 16
"""Bytes after a response in which its request record must lie. Requests are small."""


def read_record(store: OriginalStore, pointer: Pointer, original: Pointer | None = None) -> Capture:
    """Return the capture that a pointer leads to. Its file may be closed or still being written.

    A revisit record holds no payload; ``original`` points to the response that has it. The result is then the capture
    of the revisit with the payload of the original. Status and headers are those of the original too if the server
    answered "not modified".

    The headers are those given to the writer, with the changes that ``http_blocks`` documents. The request's are empty
    when its record is missing.

    Raises MissingFileError when the file is missing, DiskError when the disk fails. Raises DamageError, naming file and
    offset, when the record is not the one pointed to: another id, bytes that do not inflate, lengths or digests that do
    not agree, a revisit of another record.
    """
    where = f"{store.where}/{pointer.warc}, offset {pointer.offset}"
    try:
        data = store.range(pointer.warc, pointer.offset, pointer.length + _REQUEST_BYTES)
    except FileNotFoundError as error:
        raise MissingFileError("the WARC file is missing", where=where, do=IF_MISSING) from error
    except OSError as error:
        raise disk_error(error, f"{store.where}/{pointer.warc}") from error
    try:
        fields, visit = _capture(data, pointer)
        if fields["warc-type"] == "response":
            return replace(visit, rendered=_rendered(store, pointer, fields, data))
        refers_to = identifier(fields.get("warc-refers-to", ""))
        if original is None or refers_to != original.record_id:
            raise ValueError(f"it is a revisit of record {refers_to}")
    except (ValueError, KeyError, zlib.error) as error:
        raise DamageError(f"damaged record: {error}", where=where, do="Run `corpus-spider check --deep`.") from error
    visited = read_record(store, original)
    whole = replace(visit, body=visited.body, truncated=visited.truncated)
    if visit.status != 304:
        return whole
    return replace(whole, status=visited.status, response_headers=visited.response_headers)


def end_of(store: OriginalStore, pointer: Pointer) -> int:
    """Return the offset after the records of a response in a file that may be growing.

    They are the response, its request, and the page as a browser rendered it. Records that cannot be read do not count.
    """
    end = pointer.offset + pointer.length
    with suppress(ValueError, KeyError, zlib.error):
        data = store.range(pointer.warc, pointer.offset, pointer.length + _REQUEST_BYTES)
        request, stated = data[pointer.length :], _record(data[: pointer.length], whole=True)[0].get(RENDERED.lower())
        _record(request, whole=False)
        end += _member_length(request) + (int(stated.split()[1]) if stated else 0)
    return end


def _rendered(store: OriginalStore, pointer: Pointer, fields: dict[str, str], data: bytes) -> bytes:
    """Return the content of the conversion record that a response names. It follows the request."""
    stated = fields.get(RENDERED.lower())
    if stated is None:
        return b""
    record_id, length = stated.split()
    start = pointer.length + _member_length(data[pointer.length :])
    of_page, block = _record(store.range(pointer.warc, pointer.offset + start, int(length)), whole=True)
    named = of_page["warc-record-id"] == record_id and of_page["warc-block-digest"] == sha1(block)
    if not named or identifier(of_page.get("warc-refers-to", "")) != pointer.record_id:
        raise ValueError("the rendered page is not the one it names")
    return block


def _capture(data: bytes, pointer: Pointer) -> tuple[dict[str, str], Capture]:
    """Return the fields of the record and its own content. A revisit holds no payload."""
    fields, block = _record(data[: pointer.length], whole=True)
    if identifier(fields["warc-record-id"]) != pointer.record_id or fields["warc-type"] not in ANSWERS:
        raise ValueError(f"this is not record {pointer.record_id}")
    status, headers, body = parse_response(block)
    digest = sha1(body) if fields["warc-type"] == "response" else fields["warc-payload-digest"]
    if digest != pointer.payload_digest or digest != fields["warc-payload-digest"]:
        raise ValueError("the payload does not have its digest")
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
        recovered=RECOVERED.lower() in fields,
    )


def _request_headers(data: bytes, response_id: str) -> Headers:
    """Return the headers of the request record after a response; () if it is damaged, as a page is useful without."""
    try:
        fields, block = _record(data, whole=False)
        return parse_request(block) if identifier(fields.get("warc-concurrent-to", "")) == response_id else ()
    except (ValueError, zlib.error):
        return ()


def _member_length(data: bytes) -> int:
    """Return the length of the gzip member at the beginning of the bytes."""
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    inflater.decompress(data, MAX_RECORD)
    return len(data) - len(inflater.unused_data)


def _record(data: bytes, *, whole: bool) -> tuple[dict[str, str], bytes]:
    """Return fields and block of the record at the beginning of the bytes; with ``whole`` it must be all of them."""
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    content = inflater.decompress(data, MAX_RECORD)
    if not inflater.eof or (whole and inflater.unused_data):
        raise ValueError("it is cut short, too long, or ends at the wrong place")
    head, _, rest = content.partition(END)
    fields = parse_headers(head)
    length = int(fields.get("content-length", ""))
    if rest[length:] != END:
        raise ValueError("its length is not the one it states")
    return fields, rest[:length]
