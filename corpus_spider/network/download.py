"""Download one large file to disk: resumed after a cut connection, patient with a busy server, whole or an error.

Addresses of other kinds than HTTP are read by fsspec (extra ``remote``).
"""

from __future__ import annotations

import logging
import shutil
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from typing import TYPE_CHECKING, BinaryIO
from urllib.error import HTTPError

from corpus_spider.network.retry_after import retry_after
from storage.errors import ConfigError, CorpusError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

logger = logging.getLogger(__name__)

ATTEMPTS = 8
"""Attempts in a row that bring no byte. Each waits twice as long as the one before: four minutes in all."""
FIRST_WAIT, LONGEST_WAIT = 2.0, 120.0
"""Seconds."""
TIMEOUT = 60.0
"""Seconds without a byte."""
CHUNK = 1 << 20
"""Bytes read at a time."""
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
PARTIAL_STATUS = 206


class DownloadError(CorpusError):
    """A file could not be fetched. A later run may succeed."""


def download(address: str, target: Path, wait: Callable[[float], None] = time.sleep) -> None:
    """Download a file. Raises DownloadError when it cannot be had whole, ConfigError for an unknown kind of address."""
    if not address.startswith(("http://", "https://")):
        _copy_remote(address, target)
        return
    failures = 0
    with target.open("wb") as file:
        transfer = _Transfer(address, file)
        while True:
            before = file.tell()
            try:
                if transfer.go_on():
                    return
                why, pause = "the connection was cut", 0.0
            except HTTPError as error:
                if error.code not in _LATER:
                    raise DownloadError(f"HTTP {error.code}", where=address, do="Is the address right?") from error
                why, pause = f"HTTP {error.code}", _stated_pause(error)
            except (OSError, HTTPException) as error:
                why, pause = str(error) or type(error).__name__, 0.0
            failures = 0 if file.tell() > before else failures + 1
            if failures >= ATTEMPTS:
                do = "Run the same command again later. Finished archives are kept."
                raise DownloadError(f"no byte in {counted(ATTEMPTS, 'attempt')} ({why})", where=address, do=do)
            pause = min(max(pause, FIRST_WAIT * 2**failures), LONGEST_WAIT)
            logger.warning("%s: %s. Next attempt in %.0f s", address, why, pause)
            wait(pause)


@dataclass(slots=True)
class _Transfer:
    """One file on its way. ``validator``: its ETag, so that halves of two files are never joined."""

    address: str
    file: BinaryIO
    validator: str = ""

    def go_on(self) -> bool:
        """Append what is missing. Return whether the file is whole now.

        It starts again if the server knows no ranges, or the file has changed.
        """
        start = self.file.tell()
        headers = {"User-Agent": "corpus-spider", "Accept-Encoding": "identity"}
        if start and self.validator:
            headers |= {"Range": f"bytes={start}-", "If-Range": self.validator}
        request = urllib.request.Request(self.address, headers=headers)  # noqa: S310 - `download` allows only http(s)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310
            if answer.status != PARTIAL_STATUS:
                self.file.seek(0)
                self.file.truncate()
            self.validator = answer.headers.get("ETag", "")
            length = answer.headers.get("Content-Length", "")
            expected = self.file.tell() + int(length) if length.isdigit() else None
            while chunk := answer.read(CHUNK):
                self.file.write(chunk)
            return expected is None or self.file.tell() >= expected


def _stated_pause(error: HTTPError) -> float:
    return retry_after(error.headers.get("Retry-After"), time.time()) or 0.0 if error.headers else 0.0


def _copy_remote(address: str, target: Path) -> None:
    with _opened(address) as source, target.open("wb") as file:
        shutil.copyfileobj(source, file, CHUNK)


@contextmanager
def _opened(address: str) -> Iterator[BinaryIO]:
    try:
        import fsspec
    except ImportError as error:
        do = "pip install 'corpus-spider[remote]'"
        raise ConfigError("addresses of this kind need the extra `remote`", where=address, do=do) from error
    try:
        with fsspec.open(address, "rb") as stream:
            yield stream
    except (OSError, ValueError, ImportError) as error:
        do = "See that the address and its credentials are right."
        raise DownloadError(str(error) or type(error).__name__, where=address, do=do) from error
