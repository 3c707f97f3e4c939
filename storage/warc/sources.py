"""Sources of bytes that can be read at any offset: a part of a file, or a packed stream that is unpacked on the way."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

PIECE = 1 << 16


class ByteSource(Protocol):
    """Bytes of an archive."""

    def read_at(self, offset: int, size: int) -> bytes:
        """Return the bytes at an offset, fewer than ``size`` only at the end."""


class Stream(Protocol):
    """Anything with a ``read`` that returns some bytes, none at the end."""

    def read(self, size: int, /) -> bytes:
        """Return at most ``size`` bytes."""


class FileSource:
    """A range of an open file; ``size`` None reads to the end of the file. Raises OSError if the disk refuses."""

    def __init__(self, descriptor: int, start: int = 0, size: int | None = None) -> None:
        self._descriptor, self._start = descriptor, start
        self._size = max(0, os.fstat(descriptor).st_size - start) if size is None else size

    def read_at(self, offset: int, size: int) -> bytes:
        """Return the bytes at an offset, fewer than ``size`` only at the end."""
        size = min(size, self._size - offset)
        return os.pread(self._descriptor, size, self._start + offset) if size > 0 else b""


class StreamSource:
    """A stream that can only be read forward. A look further back than ``look_back`` bytes opens it again.

    Args:
        start: opens the stream at its beginning.
        errors: exceptions of a damaged stream. It ends there, and ``damage`` has the message.
    """

    look_back = 1 << 18

    def __init__(self, start: Callable[[], Stream], errors: tuple[type[Exception], ...] = ()) -> None:
        self._open, self._errors = start, errors
        self.damage = ""
        self._begin()

    def _begin(self, _: int = 0) -> None:
        """Begin again, at the beginning or at an offset before the one that is wanted."""
        self._base, self._held, self._ended = 0, bytearray(), False
        self._stream: Stream | None = None

    def read_at(self, offset: int, size: int) -> bytes:
        """Return the bytes at an offset, fewer than ``size`` only at the end."""
        if offset < self._base:
            self._begin(offset)
        while not self._ended and self._base + len(self._held) < offset + size:
            piece = self._more()
            self._held += piece
            self._ended = not piece
            surplus = min(offset - self._base, len(self._held)) - self.look_back
            if surplus > self.look_back:
                del self._held[:surplus]
                self._base += surplus
        at = offset - self._base
        return bytes(self._held[at : at + size])

    def _more(self) -> bytes:
        try:
            if self._stream is None:
                self._stream = self._open()
            return self._stream.read(PIECE)
        except self._errors as error:
            self.damage = " ".join(str(error).split())[:200] or type(error).__name__
            return b""
