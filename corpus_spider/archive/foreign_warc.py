"""Read pages from WARC files of other programs: Common Crawl's news, crawls by wget, Heritrix or Browsertrix.

warcio reads WARC and ARC files, plain or packed by gzip. This module undoes the transfer coding, as a `Capture` needs
it: headers, and body in its content coding. Some programs undo the content coding too. They rename its header
(``X-Crawl-Content-Encoding``) or leave it. ``storage.bytes.content_encoding`` detects a plain body under a false label.
"""

from __future__ import annotations

import lzma
import re
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from gzip import GzipFile
from io import BufferedReader
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, BinaryIO
from zipfile import BadZipFile, ZipFile

from storage.errors import DamageError
from storage.records import Capture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


PAGES = frozenset({"", "text/html", "application/xhtml+xml"})
"""Content types of pages."""
EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
CLOCK_ERROR = timedelta(days=1)
MOST_OF_HEAD = 1 << 20
"""Bytes. Maximum of a record's header, and of an HTTP header. Common Crawl's have some hundreds."""
_GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_AT_ONCE = 1 << 16
_LENGTH = re.compile(r"[0-9]{1,18}")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n")
_IN_WACZ = re.compile(r"archive/[^/]+\.warc(\.gz)?")
_DAMAGED = (EOFError, ValueError, OSError, RuntimeError, OverflowError, zlib.error, lzma.LZMAError, BadZipFile)
"""Errors of the standard library's modules at a damaged file."""


@dataclass(slots=True)
class _Look:
    """Progress in a file: number of records, and messages about damaged parts."""

    records: int = 0
    broken: list[str] = field(default_factory=list)

    @contextmanager
    def at(self, name: str) -> Iterator[None]:
        """Record damage in the part of that name, and go on after it."""
        from warcio.exceptions import ArchiveLoadFailed

        try:
            yield
        except (ArchiveLoadFailed, *_DAMAGED) as error:
            said = " ".join(str(error).split())[:200] or type(error).__name__
            self.broken.append(f"{name}: {said}" if name else said)


def captures(path: Path, wanted: Callable[[str], bool], max_body: int) -> Iterator[Capture | str]:
    """Yield for each response in an archive its page, or the reason to skip it.

    Args:
        path: a WARC or ARC file, plain or packed by gzip, or a WACZ collection of WARC files.
        wanted: returns whether the page of a URL is wanted. Others are ``other_site``; their bodies are not read.
        max_body: bytes. A longer body is ``too_large``.

    Raises:
        DamageError: the file is no such archive, or ends in the middle of a record. Earlier records were sound. Of a
            collection the other archives are read first.
    """
    look = _Look()
    with look.at(""):
        for name, archive in _archives(path, look):
            with look.at(name):
                yield from _answers(archive, look, wanted, max_body)
        if not look.records and not look.broken:
            raise ValueError("it has no record")
    if look.broken:
        said = "; ".join(look.broken)
        raise DamageError(f"cannot be read to its end: {said}", where=str(path), do="Download the file again.")


def _answers(archive: BinaryIO, look: _Look, wanted: Callable[[str], bool], max_body: int) -> Iterator[Capture | str]:
    for record in _records(archive):
        look.records += 1
        if record.rec_type == "revisit":
            yield "revisit"
        elif record.rec_type == "response":
            yield _answer(record, wanted, max_body)


def _records(archive: BinaryIO) -> Iterator[Any]:
    """Yield the records as warcio parses them. The unread rest of each is skipped."""
    from warcio.archiveiterator import ArchiveIterator
    from warcio.bufferedreaders import BufferedReader as Lines

    heads = _Heads(archive)
    iterator = ArchiveIterator(heads, no_record_parse=True, arc2warc=True)
    # Its own reader would look for gzip again.
    iterator.reader = Lines(iterator.fh)
    for record in iterator:
        if not _LENGTH.fullmatch(record.rec_headers.get_header("Content-Length") or ""):
            raise ValueError("a record does not state its length")
        heads.left = None
        yield record
        _pass_over(record)
        heads.left = MOST_OF_HEAD


class _Heads:
    """Limit of the bytes between two records, where warcio accepts lines of any length and number."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.left: int | None = MOST_OF_HEAD
        """Bytes that may still be read; None inside a record."""

    def read(self, size: int = -1) -> bytes:
        """Return some bytes of the file. Raise ValueError at a truncated file, which warcio would take for its end."""
        try:
            data = self._file.read(size)
        except EOFError as error:
            raise ValueError("the file breaks off") from error
        if self.left is not None:
            self.left -= len(data)
            if self.left < 0:
                raise ValueError("the header of a record has no end")
        return data


def _pass_over(record: Any) -> None:
    """Read a record to its end."""
    while record.raw_stream.read(_AT_ONCE):
        pass
    if record.raw_stream.limit > 0:
        raise EOFError("the file breaks off in a record")


def _archives(path: Path, look: _Look) -> Iterator[tuple[str, BinaryIO]]:
    """Yield names and streams of the archives in a file: one without a name, or those of a WACZ collection."""
    with path.open("rb") as file:
        # A WARC file may end like a ZIP file, with a page that is one.
        if not file.peek(4).startswith(_ZIP_MAGIC):
            yield "", _unpacked(file)
            return
        with ZipFile(file) as collection:
            for name in filter(_IN_WACZ.fullmatch, collection.namelist()):
                with look.at(name), collection.open(name) as member:
                    yield name, _unpacked(BufferedReader(member))  # type: ignore[arg-type]


def _unpacked(file: BufferedReader) -> BinaryIO:
    """Return the unpacked stream of a file. warcio would skip damage in a packed one; Python's gzip module does not."""
    return _Packed(fileobj=file) if file.peek(2).startswith(_GZIP_MAGIC) else file  # type: ignore[return-value]


class _Packed(GzipFile):
    """GzipFile that returns the bytes before damage first, and then raises."""

    def read(self, size: int | None = -1) -> bytes:
        """Return at most ``size`` bytes; none at the end."""
        return self.read1(-1 if size is None else size)


def _answer(record: Any, wanted: Callable[[str], bool], max_body: int) -> Capture | str:
    fields = record.rec_headers
    address = (fields.get_header("WARC-Target-URI") or "").strip("<> ")
    if not wanted(address):
        return "other_site"
    answer, fetched_at = _head(record), _moment(fields.get_header("WARC-Date") or "")
    if answer is None:
        return "no_answer"
    if answer.get_statuscode() != "200":
        return f"http_{answer.get_statuscode()}"
    if (answer.get_header("Content-Type") or "").partition(";")[0].strip().lower() not in PAGES:
        return "not_html"
    if fetched_at is None:
        return "undated"
    headers = tuple((str(name), str(value)) for name, value in answer.headers)
    found = _body(record, answer, max_body)
    if found is None:
        return "too_large"
    body, whole = found
    if not whole or fields.get_header("WARC-Truncated"):
        # A crawl or another archive may have the whole page. It must not find this one in its place.
        return "truncated"
    return Capture(
        url=address,
        fetched_at=fetched_at,
        status=200,
        request_headers=(),
        response_headers=headers,
        body=body,
        ip=_ip(fields.get_header("WARC-IP-Address") or ""),
        protocol=answer.protocol,
    )


def _head(record: Any) -> Any:
    """Return status and headers; None if they are missing or have no end."""
    from warcio.limitreader import LimitReader
    from warcio.statusandheaders import StatusAndHeadersParser, StatusAndHeadersParserException

    head = LimitReader(record.raw_stream, MOST_OF_HEAD)
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


def _body(record: Any, answer: Any, max_body: int) -> tuple[bytes, bool] | None:
    """Return the body without transfer coding, and whether it is complete; None if it is too large."""
    chunked = "chunked" in (answer.get_header("Transfer-Encoding") or "").lower()
    most = 2 * max_body + _AT_ONCE if chunked else max_body
    parts, size = list[bytes](), 0
    while size <= most and (part := record.raw_stream.read(_AT_ONCE)):
        parts.append(part)
        size += len(part)
    if size > most:
        return None
    _pass_over(record)
    sent = b"".join(parts)
    stated = (answer.get_header("Content-Length") or "").strip()
    length = int(stated) if _LENGTH.fullmatch(stated) else 0
    body, whole = _unchunked(sent) if chunked else (sent, size >= length)
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
