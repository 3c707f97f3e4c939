"""Read the records of WARC and ARC files of other programs, and go on after damage.

Other programs leave out digests, the blank lines between records or gzip; pack a whole file as one gzip member; write
lengths and digests that are wrong. So this reader accepts more than ``scan``, which reads our own files. It accepts a
record when something vouches for its bytes:

- the gzip member that holds it is complete and its CRC agrees; or
- its block digest agrees; or
- it states no digest and is not packed, it begins where the sound record before it ends, and the next record begins
  exactly where it ends (`_fits`).

After damage the reader continues at the end of the damaged record, if that is known. It searches for the next record
only if the end is unknown. A record that is found by a search needs a CRC or a block digest. The records after it must
lead to the end of the file or to another damage. So a page that carries WARC records in its body cannot slip them in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from storage.warc.gzip_member import MAGIC, Inflater
from storage.warc.headers import END
from storage.warc.sources import PIECE, StreamSource
from storage.warc.verify import StatedDigest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from storage.warc.sources import ByteSource

MOST_OF_HEAD = 1 << 20
"""Bytes. Maximum of a record header. Common Crawl's have some hundreds."""
_BOUNDARIES = 100
"""Maximum beginnings of records at which the end of a record with a wrong length is tried."""
_CHAIN = 200
"""Records that are followed after a found one. They must end in a way that the body of a page cannot imitate."""
_HEAD_PIECE = 1 << 13
_VERSION = re.compile(rb"WARC/\d+\.\d+[ \t\r]*\n")
_ARC = re.compile(
    rb"(?P<uri>[A-Za-z][A-Za-z0-9+.-]*:[^\r\n]*) (?P<ip>[0-9A-Fa-f.:]+) (?P<date>\d{12,18}) (?P<type>[^ \r\n]+)"
    rb" (?P<length>\d{1,18})[ \t]*\r?\n"
)
_HEAD_END = re.compile(rb"\n[ \t\r]*\n")
_LINE = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*:|[ \t]")
"""Beginning of a header line, or of its continuation (RFC 9110, 5.1)."""
_LENGTH = re.compile("[0-9]{1,18}")
_BLANK = b" \t\r\n"
_URI = "warc-target-uri"
_NO_RECORD = "no record begins here"
_WRONG_LENGTH = "the record has not the length that it states"
_WRONG_DIGEST = "the block digest does not agree"
_SEARCHED = re.compile(rb"WARC/\d\.\d+[ \t\r]*\n")
_STATED = re.compile(rb"\n(Content-Length|Transfer-Encoding)[ \t]*:[ \t]*([0-9]{1,18})?", re.IGNORECASE)
_OF_LINES = frozenset({"request", "warcinfo", "metadata"})
"""Types of records that consist of header lines. They hold nothing that a server sent."""
_LONGEST_MARK = 16
_CHUNKS_END = b"0\r\n\r\n"
"""End of a body with chunks (RFC 9112, 7.1)."""


@dataclass(frozen=True, slots=True)
class ForeignRecord:
    """A record. ``fields`` have names in lower case.

    ``offset``: in bytes of the file; of a packed record, that of its gzip member. ``block``: the first bytes of its
    block, as many as were wanted. ``whole``: that is all of it. ``vouched``: a CRC or block digest agrees.
    ``recovered``: it was found by a search, or its end was.
    """

    offset: int
    fields: dict[str, str]
    block: bytes
    whole: bool
    vouched: bool
    recovered: bool


@dataclass(frozen=True, slots=True)
class Loss:
    """A damaged range: its first byte, its length in bytes, and the reason. ``uri``: of a damaged record, if known."""

    offset: int
    length: int
    reason: str
    uri: str = ""


@dataclass(frozen=True, slots=True)
class _Head:
    """Header of a record. ``start``: its first byte; ``block``: the first byte behind it.

    ``genuine``: it begins as a record does. ``clean``: every line is a header line.
    """

    start: int
    block: int
    fields: dict[str, str]
    genuine: bool
    clean: bool
    separator: bytes = END
    """Bytes between records in this format."""

    @property
    def length(self) -> int | None:
        """Stated length of the block; None if it is missing or no number."""
        stated = self.fields.get("content-length", "")
        return int(stated) if _LENGTH.fullmatch(stated) else None

    @property
    def uri(self) -> str:
        """Address that the record states."""
        return self.fields.get(_URI, "")

    def block_digest(self) -> StatedDigest | None:
        """Return the stated digest of the block.

        ClueWeb09 repeats the payload digest in its place: its blocks have other line ends than the responses had.
        """
        stated = self.fields.get("warc-block-digest")
        if stated and stated == self.fields.get("warc-payload-digest") and self.fields.get("warc-type") == "response":
            return None
        return StatedDigest.readable(self.fields, "block")


@dataclass(slots=True)
class _RecordBlock:
    """A block as it is read: its first ``keep`` bytes are kept, all are digested.

    ``complete``: it has the stated length. ``after``: offset at which the next record begins or the content ends; None
    if neither follows.
    """

    keep: int
    digest: StatedDigest | None
    size: int = 0
    parts: list[bytes] = field(default_factory=list)
    complete: bool = False
    after: int | None = None

    def take(self, data: bytes) -> None:
        if self.size < self.keep:
            self.parts.append(data[: self.keep - self.size])
        if self.digest:
            self.digest.update(data)
        self.size += len(data)

    @property
    def agrees(self) -> bool | None:
        """Whether the bytes have the stated digest; None if none was stated or verified."""
        return self.complete and self.digest.agrees() if self.digest else None

    def record(self, offset: int, head: _Head, *, vouched: bool, recovered: bool) -> ForeignRecord:
        block = b"".join(self.parts)
        self.parts.clear()
        return ForeignRecord(offset, head.fields, block, self.size <= self.keep, vouched, recovered)


class _MemberSource(StreamSource):
    """Content of a gzip member, ``joined`` with those behind it. After ``finish`` it has ``end``, ``size`` and
    ``damage`` of `Inflater`.
    """

    def __init__(self, source: ByteSource, offset: int, *, joined: bool = False) -> None:
        self._source, self._offset, self._joined = source, offset, joined
        self.end: int | None = None
        self.size = 0
        self._sound: bool | None = None
        super().__init__(self._start)

    def _start(self) -> Inflater:
        self._inflater = Inflater(self._source, self._offset, joined=self._joined)
        return self._inflater

    def finish(self) -> None:
        """Read to the end, so that the CRC is verified. The content can be read again."""
        if self._stream is None:
            self.read_at(0, 1)
        passed = False
        while self._inflater.read():
            passed = True
        self.end, self.damage, self.size = self._inflater.end, self._inflater.damage, self._inflater.size
        if passed:
            self._begin()

    def is_sound(self) -> bool:
        """Return whether the CRC agrees. The first call reads the content to its end, apart from other reading."""
        if self._sound is None:
            inflater = Inflater(self._source, self._offset, joined=self._joined)
            while inflater.read():
                pass
            self._sound = not inflater.damage
        return self._sound


@dataclass(frozen=True, slots=True)
class ArchiveForm:
    """Expected form of an archive.

    ``packed``: its name says that it consists of gzip members. A file that begins with one always does. ``between``:
    beginning of other bytes that may follow a gzip member, as in a collection.
    """

    packed: bool = False
    between: bytes = b""


class ForeignRecords:
    """Records of an archive.

    Args:
        source: its bytes.
        keep: returns how many bytes of the block of a record are wanted, by its fields. Where it is 0, block digests
            are verified only to find a record after damage.
        form: what is known about the archive before it is read.
        start: offset of the first record to read.
    """

    def __init__(
        self, source: ByteSource, keep: Callable[[dict[str, str]], int], form: ArchiveForm, start: int = 0
    ) -> None:
        self._source, self._keep, self._between, self._read_members = source, keep, form.between, False
        self._start = start
        beginning = source.read_at(start, _HEAD_PIECE)
        self._packed = beginning.startswith(MAGIC) or (form.packed and not _begins(beginning.lstrip(_BLANK)))

    def __iter__(self) -> Iterator[ForeignRecord | Loss]:
        """Yield every record and every loss in order. Raises OSError if the disk refuses."""
        offset, recovered = self._start, False
        while (start := _skip_blanks(self._source, offset)) is not None:
            offset = start
            beginning = self._source.read_at(offset, _HEAD_PIECE)
            if beginning.startswith(MAGIC):
                offset, recovered = yield from self._member(offset, recovered=recovered)
            elif self._packed and not _begins(beginning):
                end = self._next_member(offset + 1)
                yield Loss(offset, end - offset, _NO_RECORD)
                offset, recovered = end, True
            else:
                offset = yield from self._plain(self._source, offset)
                recovered = False

    def _member(self, offset: int, *, recovered: bool) -> Generator[ForeignRecord | Loss, None, tuple[int, bool]]:
        """Yield the records of a gzip member. Return the offset to go on at, and whether a search found it."""
        member = _MemberSource(self._source, offset)
        start = _skip_blanks(member, 0)
        head = None if start is None else _head(member, start)
        block = self._read(member, head, head.length) if head and head.length is not None else _RecordBlock(0, None)
        if head and block.after is not None and member.read_at(block.after, 1):
            yield from self._plain(member, head.start, offset)
            member.finish()
        else:
            member.finish()
            if head and not block.complete and member.end is not None and self._goes_on(member.end):
                # The program began members anywhere, even inside of records.
                member = _MemberSource(self._source, offset, joined=True)
                yield from self._plain(member, 0, offset)
                member.finish()
            elif start is not None and not member.damage:
                yield from self._alone(member, offset, head, block, recovered=recovered)
        if not member.damage and member.end is not None:
            self._read_members = True
            return member.end, False
        known = member.end if member.end is not None and self._continues(member.end) else None
        end = self._next_member(offset + 1, known)
        yield Loss(offset, end - offset, member.damage, head.uri if head else "")
        return end, end != known

    def _alone(
        self, member: _MemberSource, offset: int, head: _Head | None, block: _RecordBlock, *, recovered: bool
    ) -> Iterator[ForeignRecord | Loss]:
        """Yield the only record of a sound member. It ends where the member ends, also if it states another length."""
        end = member.end or offset
        if head is None or not head.genuine:
            yield Loss(offset, end - offset, "the gzip member has no record")
            return
        if block.after is None:
            if offset == 0 and not self._source.read_at(end, 1) and _mark(member, head.block) is not None:
                # The whole archive is one member, and its first record has a wrong length.
                yield from self._plain(member, head.start, offset)
                return
            ending = member.read_at(max(head.block, member.size - len(END)), len(END))
            block = self._read(member, head, member.size - head.block - (len(END) if ending == END else 0))
            recovered = True
        if block.agrees is False:
            yield Loss(offset, end - offset, _WRONG_DIGEST, head.uri)
        else:
            yield block.record(offset, head, vouched=True, recovered=recovered)

    def _plain(
        self, source: ByteSource, offset: int, member: int | None = None
    ) -> Generator[ForeignRecord | Loss, None, int]:
        """Yield records that follow each other without packing, in a file or in the ``member`` at that offset.

        Return the offset at which a gzip member begins, or that of the end.
        """
        recovered, usual = False, None
        while (at := _skip_blanks(source, offset)) is not None:
            if member is None and source.read_at(at, len(MAGIC)) == MAGIC:
                return at
            head = _head(source, at)
            block = self._read(source, head, head.length) if head and head.length is not None else _RecordBlock(0, None)
            if head and head.genuine and (block.agrees or (block.after is not None and block.agrees is None)):
                end = head.block + block.size
                offset = end if block.after is None else block.after
                fits, between = _fits(source, head, (end, offset), usual)
                if fits or head.fields.get("warc-type") in _OF_LINES:
                    usual = between
                found = self._accept(source, head, block, fits=fits, recovered=recovered)
                recovered = False
            else:
                found, offset, recovered = self._after_damage(source, at, head, block)
            if found and member is not None:
                found = _in_member(found, member)
            if found:
                yield found
        return offset

    def _accept(
        self, source: ByteSource, head: _Head, block: _RecordBlock, *, fits: bool, recovered: bool
    ) -> ForeignRecord | Loss | None:
        """Return a record whose framing is sound, if something vouches for its bytes; None in a damaged member."""
        at = head.start
        vouched = bool(block.agrees)
        if block.keep and not vouched:
            if isinstance(source, _MemberSource):
                if not source.is_sound():
                    return None
                vouched = True
            elif not head.clean:
                return Loss(at, head.block + block.size - at, "the record header is damaged", head.uri)
            elif not fits and head.fields.get("warc-type") not in _OF_LINES:
                return Loss(at, head.block + block.size - at, _WRONG_LENGTH, head.uri)
        return block.record(at, head, vouched=vouched, recovered=recovered)

    def _after_damage(
        self, source: ByteSource, at: int, head: _Head | None, block: _RecordBlock
    ) -> tuple[ForeignRecord | Loss, int, bool]:
        """Return a damaged record or its loss, the offset to go on at, and whether a search found it."""
        if head is None:
            after = self._next_plain(source, at + 1)
            return Loss(at, after - at, _NO_RECORD), after, True
        if (end := self._digest_end(source, head)) is not None:
            block = self._read(source, head, end - head.block)
            return block.record(at, head, vouched=True, recovered=True), end, False
        if block.after is not None:
            reason = _WRONG_DIGEST if head.genuine else _NO_RECORD
            return Loss(at, block.after - at, reason, head.uri), block.after, False
        if head.genuine and (end := _lines_end(source, head)) is not None:
            return (
                self._read(source, head, end - head.block).record(at, head, vouched=False, recovered=True),
                end,
                False,
            )
        known = _http_end(source, head)
        stated = head.block + (head.length or 0) if block.complete else 0
        after = self._next_plain(source, head.block, stated) if known is None else known
        return Loss(at, after - at, _WRONG_LENGTH, head.uri), after, known is None

    def _read(self, source: ByteSource, head: _Head, length: int, *, verify: bool = False) -> _RecordBlock:
        """Read the block of a record. With ``verify`` nothing is kept, and its digest is verified."""
        keep = 0 if verify or not head.genuine else self._keep(head.fields)
        block = _RecordBlock(keep, head.block_digest() if keep or verify else None)
        at, end = head.block, head.block + length
        if block.keep or block.digest:
            while at < end and (data := source.read_at(at, min(PIECE, end - at))):
                block.take(data)
                at += len(data)
            block.complete = at == end
        else:
            block.complete = length == 0 or bool(source.read_at(end - 1, 1))
            block.size = length
        block.after = _boundary(source, end) if block.complete else None
        return block

    def _digest_end(self, source: ByteSource, head: _Head) -> int | None:
        """Return the end of a block whose stated length is wrong: where its bytes have the stated digest."""
        digest, longest = head.block_digest(), self._keep(head.fields)
        if digest is None or not head.genuine:
            return None
        tried, digested, size = 0, 0, PIECE
        while tried < _BOUNDARIES:
            data = source.read_at(head.block, size)
            is_all = len(data) < size
            for place in [*(found.start() for found in _SEARCHED.finditer(data)), *([len(data)] if is_all else [])]:
                if place - len(END) < digested:
                    continue
                digest.update(data[digested : place - len(END)])
                digested = place - len(END)
                tried += 1
                for separator in (END, b"\n\n", b"\r\n", b""):
                    end = place - len(separator)
                    if data[end:place] == separator and digest.agrees_after(data[digested:end]):
                        return head.block + end
            if is_all or size > longest:
                return None
            size *= 4
        return None

    def _next_plain(self, source: ByteSource, start: int, stated: int = 0) -> int:
        """Return the offset of the next record that is sound for certain, or of the end.

        ``stated``: end of the damaged record by its length, if the content reaches so far. A piece that was lost or
        added shifts the end. So records that do not lead on as far as this are a part of its body.
        """
        while (mark := _mark(source, start)) is not None:
            start = mark
            head = _head(source, start)
            if head is None or head.length is None:
                start += 1
                continue
            block = self._read(source, head, head.length, verify=True)
            if block.agrees and self._leads_on(source, head.block + block.size, stated):
                return start
            # Nothing is searched inside a record that ends where it says.
            start = start + 1 if block.after is None else block.after
        return _end(source, start)

    def _leads_on(self, source: ByteSource, end: int, stated: int) -> bool:
        """Return whether records follow up to the end of the content or to another damage behind ``stated``.

        A record at the end of a page's body has the blank lines of both behind it.
        """
        for number in range(_CHAIN):
            at = _skip_blanks(source, end)
            if at is None:
                return True
            if number == 0 and at - end > len(END):
                return False
            beginning = source.read_at(at, _HEAD_PIECE)
            if not _begins(beginning):
                return not beginning.strip(b"\0")
            head = _head(source, at)
            if head is None or head.length is None:
                return at >= stated
            after = _boundary(source, head.block + head.length)
            if after is None:
                # A sound record with text behind it is a part of a page, and no damage.
                return at >= stated and not self._read(source, head, head.length, verify=True).agrees
            end = after
        return True

    def _next_member(self, start: int, known: int | None = None) -> int:
        """Return the offset of the next sound gzip member with a record, or of the end of the file.

        The body of a damaged record may hold members too. They do not lead on to others. ``known``: where the damaged
        member ends as far as it can be unpacked. Damaged data may unpack beyond its end, over sound members.
        """
        at = start
        while known is None or at < known:
            data = self._source.read_at(at, PIECE)
            found = data.find(MAGIC)
            if found < 0:
                if len(data) < PIECE:
                    at += len(data)
                    break
                at += len(data) - len(MAGIC) + 1
                continue
            at += found
            member = _MemberSource(self._source, at)
            first = _skip_blanks(member, 0)
            if first is None or not _begins(member.read_at(first, _HEAD_PIECE)):
                at += 1
                continue
            member.finish()
            if member.damage or member.end is None:
                at += 1
            elif self._continues(member.end, known or 0):
                self._read_members = True
                return at
            else:
                at = member.end
        if known is not None:
            return known
        # No member was sound. Perhaps damage looks like the beginning of one.
        return at if self._read_members else self._next_plain(self._source, start)

    def _continues(self, end: int, known: int = 0) -> bool:
        """Return whether gzip members follow up to the end of the file, or to another damage behind ``known``."""
        for _ in range(_CHAIN):
            beginning = self._source.read_at(end, len(MAGIC))
            if self._between and beginning.startswith(self._between):
                return True
            if beginning != MAGIC:
                return MAGIC.startswith(beginning) or not beginning.strip(b"\0")
            inflater = Inflater(self._source, end)
            while inflater.read():
                pass
            if inflater.damage or inflater.end is None:
                return end >= known
            end = inflater.end
        return True

    def _goes_on(self, offset: int) -> bool:
        """Return whether a gzip member begins at an offset, but no record begins with it."""
        beginning = Inflater(self._source, offset).read(_HEAD_PIECE).lstrip(_BLANK)
        return bool(beginning) and not _begins(beginning)


def _begins(data: bytes) -> bool:
    """Return whether data begins as a record or a gzip member does. A short piece at the end of a file may be torn."""
    return data[:5] == b"WARC/"[: len(data)] or data.startswith(MAGIC) or _ARC.match(data) is not None


def _mark(source: ByteSource, start: int) -> int | None:
    """Return the offset of the next bytes that look like the beginning of a WARC record; None if there are none."""
    while data := source.read_at(start, PIECE):
        if found := _SEARCHED.search(data):
            return start + found.start()
        if len(data) < PIECE:
            break
        start += len(data) - _LONGEST_MARK
    return None


def _end(source: ByteSource, start: int) -> int:
    """Return the offset of the end."""
    while data := source.read_at(start, PIECE):
        start += len(data)
    return start


def _skip_blanks(source: ByteSource, offset: int) -> int | None:
    """Return the offset of the next byte that is not blank; None at the end."""
    while data := source.read_at(offset, _HEAD_PIECE):
        rest = data.lstrip(_BLANK)
        if rest:
            return offset + len(data) - len(rest)
        offset += len(data)
    return None


def _boundary(source: ByteSource, end: int) -> int | None:
    """Return the offset at which the next record begins, or the content ends; None if neither follows."""
    at = _skip_blanks(source, end)
    if at is None:
        return _end(source, end)
    return at if _begins(source.read_at(at, _HEAD_PIECE)) else None


def _fits(source: ByteSource, head: _Head, between: tuple[int, int], usual: bytes | None) -> tuple[bool, bytes]:
    """Return whether a block ends where its separator begins, and the bytes ``between`` it and the next record.

    If a block has lost a few bytes, its stated length reaches into the separator, and what is left of that is blank.
    So the separator must be the one of the format, or the ``usual`` one of the archive (None: not known yet). The first
    and the last record of an archive may have another, if they do not end with a part of the separator, or if the next
    record has the same.
    """
    end, after = between
    separator = source.read_at(end, min(after - end, 2 * len(END)))
    other = b"\n\n" if usual is None else usual
    if separator == other or separator.startswith(head.separator):
        return True, separator
    if usual is not None and source.read_at(after, 1):
        return False, separator
    ending = source.read_at(end - len(_CHUNKS_END), len(_CHUNKS_END)) + separator
    if not ending.endswith((head.separator, other or head.separator)):
        return True, separator
    if not separator and not source.read_at(after, 1) and (head.separator == b"\n" or ending == _CHUNKS_END):
        # The archive ends without a separator, and many pages end like this.
        return True, separator
    following = _head(source, after)
    if following is None or following.length is None:
        return False, separator
    end = following.block + following.length
    after = _boundary(source, end) or end
    return after > end and source.read_at(end, min(after - end, 2 * len(END))) == separator, separator


def _in_member(found: ForeignRecord | Loss, member: int) -> ForeignRecord | Loss:
    """Return a record or loss in an unpacked member with the member's offset, which is in bytes of the file."""
    if isinstance(found, ForeignRecord):
        return replace(found, offset=member)
    return Loss(member, 0, f"{found.reason} (byte {found.offset} of the unpacked member)", found.uri)


def _lines_end(source: ByteSource, head: _Head) -> int | None:
    """Return the end of a record of header lines, such as a request, if a record follows there; otherwise None."""
    if head.fields.get("warc-type") not in _OF_LINES:
        return None
    data = source.read_at(head.block, PIECE)
    found = None if _begins(data) else _HEAD_END.search(data)
    end = head.block + found.end() if found else 0
    return end if found and _boundary(source, end) is not None else None


def _http_end(source: ByteSource, head: _Head) -> int | None:
    """Return the end of a response by its own Content-Length, if a record follows there; otherwise None.

    The server states it. A program that fetches a page reads no further.
    """
    data = source.read_at(head.block, PIECE)
    found = _HEAD_END.search(data)
    if found is None or head.fields.get("warc-type") != "response" or not data.startswith(b"HTTP/"):
        return None
    stated = {name.lower(): value for name, value in _STATED.findall(data[: found.start() + 1])}
    if list(stated) != [b"content-length"] or not stated[b"content-length"]:
        return None
    return _boundary(source, head.block + found.end() + int(stated[b"content-length"]))


def _head(source: ByteSource, offset: int) -> _Head | None:
    """Return the header of the record at an offset; None if there is no header of a record."""
    size = _HEAD_PIECE
    while True:
        data = source.read_at(offset, size)
        arc = _ARC.match(data)
        if arc:
            return _Head(offset, offset + arc.end(), _arc_fields(arc), genuine=True, clean=True, separator=b"\n")
        end = _HEAD_END.search(data)
        if end:
            fields, clean = _fields(data[: end.start()])
            genuine = _VERSION.match(data) is not None
            # The first line may be damaged. Where damage removed the end, the header of another record follows.
            named = genuine or any(name.startswith("warc-") for name in fields)
            named = named and not _SEARCHED.search(data, 1, end.start())
            return _Head(offset, offset + end.end(), fields, genuine=genuine, clean=clean) if named else None
        if len(data) < size or size >= MOST_OF_HEAD:
            return None
        size *= 4


def _fields(head: bytes) -> tuple[dict[str, str], bool]:
    """Return the fields of a record header, the first of each name, and whether every line is a header line."""
    fields, name, clean = dict[str, str](), "", True
    for line in head.split(b"\n")[1:]:
        clean = clean and _LINE.match(line) is not None and line.rstrip(b"\r").find(b"\0") < 0
        try:
            text = line.decode("utf-8").strip()
        except UnicodeDecodeError:
            text = line.decode("latin-1").strip()
        if line[:1] in {b" ", b"\t"} and name:
            fields[name] += text
        else:
            stated, _, value = text.partition(":")
            name = stated.strip().lower()
            if name in fields:
                name = ""
            else:
                fields[name] = value.strip()
    uri = fields.get(_URI)
    if uri is not None:
        # wget writes angle brackets, and some programs write spaces.
        fields[_URI] = uri.strip("<> ").replace(" ", "%20")
    return fields, clean


def _arc_fields(line: re.Match[bytes]) -> dict[str, str]:
    """Return a line of an ARC file as the fields of a WARC record."""
    stated = {name: value.decode("utf-8", "replace") for name, value in line.groupdict().items()}
    digits = stated["date"].ljust(14, "0")[:14]
    try:
        date = datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC).isoformat()
    except ValueError:
        date = ""
    is_page = not stated["uri"].startswith("filedesc:")
    return {
        "warc-type": "response" if is_page else "warcinfo",
        _URI: stated["uri"].strip("<> ").replace(" ", "%20"),
        "warc-ip-address": stated["ip"],
        "warc-date": date,
        "content-type": "application/http;msgtype=response" if is_page else stated["type"],
        "content-length": stated["length"],
    }
