"""Check a record's headers, length and digests while it streams by. Memory stays flat for any size."""

from __future__ import annotations

import base64
import hashlib
from contextlib import suppress
from typing import TYPE_CHECKING

from storage.warc.gzip_member import MAX_RECORD
from storage.warc.headers import END, parse_headers

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_HEAD = 1 << 16
"""Longest record header in bytes."""
_STATUS_LINE = 64


class RecordCheck:
    """Check of one record, fed with its inflated bytes in pieces. ValueError says why the record is damaged."""

    def __init__(self) -> None:
        self.fields: dict[str, str] = {}
        self.status: int | None = None
        self._take: Callable[[bytes], None] = self._head
        self._buffer = b""
        self._left = 0
        self._digests: list[StatedDigest] = []
        self._payload: _Payload | None = None

    def feed(self, data: bytes) -> None:
        """Take the next piece."""
        if data:
            self._take(data)

    def finish(self) -> None:
        """End the check with the end of the member: the record must be complete and its digests must agree."""
        if self._take != self._tail or self._buffer != END:
            raise ValueError("the record is not as long as it says")
        wrong = [digest.name for digest in self._digests if not digest.agrees()]
        if wrong:
            raise ValueError(f"{' and '.join(wrong)} digest does not agree")
        if self._payload:
            self.status = self._payload.status()

    def _head(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(END)
        if not self._buffer.startswith(b"WARC/"[: len(self._buffer)]):
            raise ValueError("not a WARC record")
        if len(head) > MAX_HEAD:
            raise ValueError("the record header has no end")
        if found:
            self._begin_block(head)
            self.feed(rest)

    def _begin_block(self, head: bytes) -> None:
        self.fields = parse_headers(head)
        length = self.fields.get("content-length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 11 and int(length) <= MAX_RECORD):
            raise ValueError(f"a record length of {length[:20]!r}")
        self._left, self._buffer = int(length), b""
        block, payload = (StatedDigest.of(self.fields, name) for name in ("block", "payload"))
        self._digests = [digest for digest in (block, payload) if digest]
        kind = self.fields.get("warc-type")
        if kind in {"response", "revisit"} and "application/http" in self.fields.get("content-type", ""):
            self._payload = _Payload(payload if kind == "response" else None)
        if payload and (kind != "response" or self._payload is None):
            # A revisit states the digest of the payload that it refers to.
            self._digests.remove(payload)
        self._block_digest = block
        self._take = self._block if self._left else self._tail

    def _block(self, data: bytes) -> None:
        block = data[: self._left]
        self._left -= len(block)
        if self._block_digest:
            self._block_digest.update(block)
        if self._payload:
            self._payload.update(block)
        if not self._left:
            self._take = self._tail
            self.feed(data[len(block) :])

    def _tail(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) > len(END):
            raise ValueError("there is more than the record says")


class _Payload:
    """Digest the payload of a block that comes in pieces: the bytes after the end of the HTTP headers."""

    def __init__(self, digest: StatedDigest | None) -> None:
        self._digest = digest
        self._start = b""
        self._carry = b""
        self._inside = False

    def update(self, data: bytes) -> None:
        if self._inside:
            if self._digest:
                self._digest.update(data)
            return
        if len(self._start) < _STATUS_LINE:
            self._start += data[:_STATUS_LINE]
        joined = self._carry + data
        _, found, body = joined.partition(END)
        if found:
            self._inside = True
            self.update(body)
        # The end may lie across two pieces.
        self._carry = joined[-len(END) + 1 :]

    def status(self) -> int | None:
        """Return the status code of the first line. Raise ValueError when the block is no HTTP response."""
        words = self._start.split(b" ", 2)
        if not (self._inside and words[0].startswith(b"HTTP/") and len(words) > 1 and words[1][:3].isdigit()):
            raise ValueError("the record holds no HTTP response")
        return int(words[1].split(b"\r")[0])


_ENCODINGS: tuple[Callable[[str], bytes], ...] = (
    bytes.fromhex,
    lambda value: base64.b32decode(value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 8), casefold=True),
    lambda value: base64.b64decode(value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4), b"-_", validate=True),
)
"""Encodings of digests in WARC files. Padding may be missing. Only one gives a digest of the right length."""


class StatedDigest:
    """Digest of bytes, with the value that the record states for it."""

    def __init__(self, name: str, algorithm: str, expected: bytes) -> None:
        self.name, self._expected = name, expected
        self._digest = hashlib.new(algorithm, usedforsecurity=False)
        self.update = self._digest.update

    @classmethod
    def of(cls, fields: dict[str, str], name: str) -> StatedDigest | None:
        """Return the digest that a record states of its block or payload; None if it states no known one."""
        label, _, value = fields.get(f"warc-{name}-digest", "").partition(":")
        algorithm = label.strip().lower().replace("-", "")
        if algorithm not in {"md5", "sha1", "sha256", "sha512"}:
            return None
        size = hashlib.new(algorithm, usedforsecurity=False).digest_size
        for decode in _ENCODINGS:
            with suppress(ValueError):
                if len(expected := decode(value.strip())) == size:
                    return cls(name, algorithm, expected)
        raise ValueError(f"{name} digest is unreadable")

    @classmethod
    def readable(cls, fields: dict[str, str], name: str) -> StatedDigest | None:
        """Return the digest that a record states; None if it states no readable one, as some programs do."""
        try:
            return cls.of(fields, name)
        except ValueError:
            return None

    def agrees(self) -> bool:
        """Return whether the bytes have the stated digest."""
        return self._digest.digest() == self._expected

    def agrees_after(self, more: bytes) -> bool:
        """Return whether the bytes have the stated digest when these follow. They are not taken."""
        digest = self._digest.copy()
        digest.update(more)
        return digest.digest() == self._expected
