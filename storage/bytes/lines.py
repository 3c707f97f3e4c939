"""Digests of lines of text, packed into bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import xxhash

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

DIGEST_BYTES = 8


def digest(line: str) -> int:
    """Return the digest of a line without surrounding white space, as a signed 64-bit integer."""
    return int(xxhash.xxh3_64_intdigest(line.strip().encode("utf-8", "surrogatepass"))) - 2**63


def pack(digests: Iterable[int]) -> bytes:
    """Pack digests into bytes, sorted, each once."""
    return b"".join(each.to_bytes(DIGEST_BYTES, "little", signed=True) for each in sorted(set(digests)))


def count(packed: bytes) -> int:
    """Return the number of packed digests."""
    return len(packed) // DIGEST_BYTES


def unpack(packed: bytes) -> frozenset[int]:
    """Return packed digests. Bytes after the last whole digest are ignored: a compromised worker may send anything."""
    places = range(0, len(packed) - DIGEST_BYTES + 1, DIGEST_BYTES)
    return frozenset(int.from_bytes(packed[at : at + DIGEST_BYTES], "little", signed=True) for at in places)


def without(text: str, digests: Collection[int]) -> str:
    """Return a text without its empty lines and the lines of these digests."""
    return "\n".join(line for line in text.split("\n") if line.strip() and digest(line) not in digests)
