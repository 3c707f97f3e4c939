"""Read pages from WARC files of other programs: Common Crawl's news, crawls by wget, Heritrix or Browsertrix.

``storage.warc.foreign_records`` reads and verifies the records. This module undoes the transfer coding, as a `Capture`
needs it: headers, and body in its content coding. Some programs undo the content coding too. They rename its header
(``X-Crawl-Content-Encoding``) or leave it. ``storage.bytes.content_encoding`` detects a plain body under a false label.
"""

from __future__ import annotations

import lzma
import re
import zlib
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from io import BytesIO
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile

from storage.records import Capture
from storage.warc import ArchiveForm, FileSource, ForeignRecord, ForeignRecords, Loss, StatedDigest, StreamSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import BinaryIO
    from zipfile import ZipInfo

    from storage.warc import ByteSource

PAGES = frozenset({"", "text/html", "application/xhtml+xml"})
"""Content types of pages."""
EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
CLOCK_ERROR = timedelta(days=1)
MOST_OF_HEAD = 1 << 20
"""Bytes. Maximum of an HTTP header."""
_EMPTY = "it has no record"
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_ZIP_HEADER = 30
_LZ4_MAGIC, _ZSTANDARD_MAGIC = b"\x04\x22\x4d\x18", b"\x28\xb5\x2f\xfd"
_CHUNKS = 1 << 16
"""Bytes that the lengths of chunks may add to a body."""
_LENGTH = re.compile(r"[0-9]{1,18}")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n")
_IN_WACZ = re.compile(r"archive/[^/]+\.warc(\.gz)?")
_DAMAGED = (EOFError, ValueError, OSError, RuntimeError, OverflowError, zlib.error, lzma.LZMAError, BadZipFile)
"""Errors of the standard library's modules, and of FastWARC, at a damaged file."""


@dataclass(frozen=True)
class ForeignPage:
    """A page, and where its record is. ``offset``: as in `ForeignRecord`. ``sent``: body with its transfer coding."""

    capture: Capture
    sent: bytes
    offset: int = 0
    record_id: str = ""
    payload_digest: str = ""
    """As stated; empty if it is not."""

    @cached_property
    def rewritten(self) -> bool:
        """Whether the page does not have the stated payload digest, but its record is sound.

        It is computed on demand: it takes a tenth of the time to read an archive.
        """
        return not _payload_agrees(self.payload_digest, (self.sent, self.capture.body))


@dataclass(frozen=True, slots=True)
class SkippedResponse:
    """A response that is not imported, with its URL, the reason, and the offset of its record."""

    url: str
    reason: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class ArchiveDamage:
    """A damaged part of an archive: ``where`` (file, and archive in a collection), its bytes, and the reason."""

    where: str
    loss: Loss

    def __str__(self) -> str:
        loss = self.loss
        extent = f", {loss.length} bytes" if loss.length else ""
        uri = f" ({loss.uri})" if loss.uri else ""
        return " ".join(f"{self.where} at {loss.offset}{extent}: {loss.reason}{uri}".split())


def captures(
    path: Path, wanted: Callable[[str], bool], max_body: int
) -> Iterator[ForeignPage | SkippedResponse | ArchiveDamage]:
    """Yield for each response in an archive its page, or the reason to skip it, and every damaged part.

    Args:
        path: a WARC or ARC file, plain or packed by gzip, LZ4 or Zstandard, or a WACZ collection of WARC files.
        wanted: returns whether the page of a URL is wanted. Others are ``other_site``; their bodies are not kept.
        max_body: bytes. A longer body is ``too_large``.
    """
    number = 0
    try:
        with path.open("rb") as file:
            for name, source, form in _archives(file, path.name):
                where = f"{path}, {name}" if name else str(path)
                for found in _found_in(where, source, wanted, max_body, form):
                    number += 1
                    if found is not None:
                        yield found
    except _DAMAGED as error:
        number += 1
        yield ArchiveDamage(str(path), Loss(0, 0, " ".join(str(error).split())[:200] or type(error).__name__))
    if not number:
        yield ArchiveDamage(str(path), Loss(0, 0, _EMPTY))


def captures_in(
    where: str, source: ByteSource, wanted: Callable[[str], bool], max_body: int, start: int
) -> Iterator[ForeignPage | SkippedResponse | ArchiveDamage]:
    """Yield what `captures` does, of a WARC or ARC archive from any source: plain, or packed by gzip.

    Errors of the source are raised. ``start``: offset of the first record to read.
    """
    number = 0
    for found in _found_in(where, source, wanted, max_body, ArchiveForm(packed=where.endswith(".gz")), start):
        number += 1
        if found is not None:
            yield found
    if not number and not start:
        yield ArchiveDamage(where, Loss(0, 0, _EMPTY))


def is_streamed(beginning: bytes) -> bool:
    """Return whether `captures_in` can read an archive that begins so. Others must be local files."""
    return not beginning.startswith((_LZ4_MAGIC, _ZSTANDARD_MAGIC, *_ZIP_MAGIC))


def _found_in(
    where: str,
    source: ByteSource,
    wanted: Callable[[str], bool],
    max_body: int,
    form: ArchiveForm,
    start: int = 0,
) -> Iterator[ForeignPage | SkippedResponse | ArchiveDamage | None]:
    """Yield the pages, skipped responses and damaged parts of one archive; None for other records."""
    longest = 2 * max_body + _CHUNKS + MOST_OF_HEAD

    def keep(fields: dict[str, str]) -> int:
        return longest if fields.get("warc-type") == "response" and wanted(fields.get("warc-target-uri", "")) else 0

    for found in _responses(ForeignRecords(source, keep, form, start), wanted, max_body):
        yield ArchiveDamage(where, found) if isinstance(found, Loss) else found
    if isinstance(source, StreamSource) and source.damage:
        yield ArchiveDamage(where, Loss(0, 0, f"it cannot be unpacked to its end: {source.damage}"))


def _responses(
    records: ForeignRecords, wanted: Callable[[str], bool], max_body: int
) -> Iterator[ForeignPage | SkippedResponse | Loss | None]:
    """Yield the pages, skipped responses and losses of an archive; None for other records."""
    for found in records:
        if isinstance(found, Loss):
            yield found
        elif found.fields.get("warc-type") == "revisit":
            yield SkippedResponse(found.fields.get("warc-target-uri", ""), "revisit", found.offset)
        elif found.fields.get("warc-type") == "response":
            read = _response(found, wanted, max_body)
            yield replace(read, offset=found.offset) if isinstance(read, SkippedResponse) else read
        else:
            yield None


def _archives(file: BinaryIO, path: str) -> Iterator[tuple[str, ByteSource, ArchiveForm]]:
    """Yield names, sources and expected forms of the archives in a file.

    It is one archive without a name, or those of a WACZ collection.
    """
    from fastwarc.stream_io import Lz4Reader, ZstdReader

    whole, beginning = FileSource(file.fileno()), file.read(len(_LZ4_MAGIC))

    def unpacked(reader: Any) -> StreamSource:
        def start() -> Any:
            file.seek(0)
            return reader(file)

        return StreamSource(start, _DAMAGED)

    if beginning == _LZ4_MAGIC:
        yield "", unpacked(Lz4Reader), ArchiveForm()
    elif beginning == _ZSTANDARD_MAGIC:
        yield "", unpacked(ZstdReader), ArchiveForm()
    elif beginning in _ZIP_MAGIC:
        # A WARC file may end like a ZIP file, with a page that is one. So its beginning decides.
        try:
            collection = ZipFile(file)
        except BadZipFile:
            # Its directory is at the end. Without it the records are found by a search.
            yield "", whole, ArchiveForm(packed=True, between=b"PK")
            return
        with closing(collection):
            for entry in collection.infolist():
                if _IN_WACZ.fullmatch(entry.filename):
                    source = _entry(collection, entry, file.fileno())
                    yield entry.filename, source, ArchiveForm(packed=entry.filename.endswith(".gz"))
    else:
        yield "", whole, ArchiveForm(packed=path.endswith(".gz"))


def _entry(collection: ZipFile, entry: ZipInfo, descriptor: int) -> ByteSource:
    """Return the source of an archive in a collection. The CRC of a stored one is not verified, only its records."""
    if entry.compress_type != ZIP_STORED:
        return StreamSource(lambda: collection.open(entry), _DAMAGED)
    header = FileSource(descriptor, entry.header_offset).read_at(0, _ZIP_HEADER)
    names = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    return FileSource(descriptor, entry.header_offset + _ZIP_HEADER + names, entry.file_size)


def _response(
    record: ForeignRecord, wanted: Callable[[str], bool], max_body: int
) -> ForeignPage | SkippedResponse | Loss:
    fields = record.fields
    url = fields.get("warc-target-uri", "")
    if not wanted(url):
        return SkippedResponse(url, "other_site")
    stream = BytesIO(record.block)
    answer, fetched_at = _head(stream), _moment(fields.get("warc-date", ""))
    if answer is None:
        return SkippedResponse(url, "no_answer")
    if answer.get_statuscode() != "200":
        return SkippedResponse(url, f"http_{answer.get_statuscode()}")
    if (answer.get_header("Content-Type") or "").partition(";")[0].strip().lower() not in PAGES:
        return SkippedResponse(url, "not_html")
    if fetched_at is None:
        return SkippedResponse(url, "undated")
    if not record.whole:
        return SkippedResponse(url, "too_large")
    sent = stream.read()
    found = _body(sent, answer, max_body)
    if found is None:
        return SkippedResponse(url, "too_large")
    body, whole = found
    if not whole or fields.get("warc-truncated"):
        # A crawl or another archive may have the whole page. It must not find this one in its place.
        return SkippedResponse(url, "truncated")
    payload_digest = fields.get("warc-payload-digest", "")
    if not (record.vouched or _payload_agrees(payload_digest, (sent, body))):
        return Loss(record.offset, 0, "the payload digest does not agree", url)
    headers = tuple((str(name), str(value)) for name, value in answer.headers)
    capture = Capture(
        url=url,
        fetched_at=fetched_at,
        status=200,
        request_headers=(),
        response_headers=headers,
        body=body,
        ip=_ip(fields.get("warc-ip-address", "")),
        protocol=answer.protocol,
        recovered=record.recovered,
    )
    return ForeignPage(
        capture,
        sent,
        offset=record.offset,
        record_id=fields.get("warc-record-id", ""),
        payload_digest=payload_digest,
    )


def _payload_agrees(stated: str, payloads: tuple[bytes, bytes]) -> bool:
    """Return whether the payload digest agrees, or none is stated. Programs differ: with chunks, or without."""
    for payload in payloads:
        digest = StatedDigest.readable({"warc-payload-digest": stated}, "payload")
        if digest is None or digest.agrees_after(payload):
            return True
    return False


def _head(stream: BytesIO) -> Any:
    """Return status and headers; None if they are missing or have no end."""
    from warcio.limitreader import LimitReader
    from warcio.statusandheaders import StatusAndHeadersParser, StatusAndHeadersParserException

    head = LimitReader(stream, MOST_OF_HEAD)
    try:
        answer = StatusAndHeadersParser([], verify=False).parse(head)
    except (StatusAndHeadersParserException, EOFError):
        return None
    return answer if head.limit > 0 and re.fullmatch("[0-9]{3}", answer.get_statuscode()) else None


def _ip(stated: str) -> str | None:
    try:
        return str(ip_address(stated.strip("[]")))
    except ValueError:
        return None


def _moment(stated: str) -> datetime | None:
    """Return the time of the capture; None if it is missing or impossible."""
    try:
        moment = datetime.fromisoformat(stated)
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment if EARLIEST <= moment <= datetime.now(UTC) + CLOCK_ERROR else None


def _body(sent: bytes, answer: Any, max_body: int) -> tuple[bytes, bool] | None:
    """Return the body without transfer coding, and whether it is complete; None if it is too large."""
    chunked = "chunked" in (answer.get_header("Transfer-Encoding") or "").lower()
    if len(sent) > (2 * max_body + _CHUNKS if chunked else max_body):
        return None
    stated = (answer.get_header("Content-Length") or "").strip()
    length = int(stated) if _LENGTH.fullmatch(stated) else 0
    body, whole = _unchunked(sent) if chunked else (sent, len(sent) >= length)
    return None if len(body) > max_body else (body, whole)


def _unchunked(sent: bytes) -> tuple[bytes, bool]:
    """Undo chunks (RFC 9112, 7.1). Return the body, and whether its last chunk is there.

    A body without chunks was undone by the program that wrote it. warcio's own reader takes a body for complete that
    ends in the middle of a chunk.
    """
    parts, at = list[bytes](), 0
    while size := _CHUNK.match(sent, at):
        start, end = size.end(), size.end() + int(size[1], 16)
        if end == start:
            return b"".join(parts), True
        if end <= len(sent) and not b"\r\n".startswith(sent[end : end + 2]):
            break
        parts.append(sent[start:end])
        at = end + 2
    return (b"".join(parts), False) if at else (sent, True)
