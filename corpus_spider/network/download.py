"""Download one large file to disk: resumed after a cut connection, patient with a busy server, whole or an error.

Addresses of other kinds than HTTP are read by fsspec (extra ``remote``).
"""

from __future__ import annotations

import shutil
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit

from corpus_spider.network.connection import Manners
from corpus_spider.network.range_client import DownloadError, FileChangedError, RangeClient, RangeStream
from storage.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CHUNK = 1 << 20
"""Bytes read at a time."""
MAX_CHANGES = 3
"""Times that a file may change while it is fetched."""


def download(
    address: str, target: Path, wait: Callable[[float], None] | None = None, client: RangeClient | None = None
) -> None:
    """Download a file. Raises DownloadError when it cannot be had whole, ConfigError for an unknown kind of address.

    ``client``: its manners decide about private addresses. Without one, the named host may be private, and no other.
    """
    if not address.startswith(("http://", "https://")):
        _copy_remote(address, target)
        return
    with closing(client or RangeClient(_own_manners(address), wait)) as used, target.open("wb") as file:
        for left in reversed(range(MAX_CHANGES)):
            try:
                with closing(RangeStream(used, address)) as stream:
                    shutil.copyfileobj(stream, file, CHUNK)
                return
            except FileChangedError:
                if not left:
                    raise
                # Halves of two files are never joined.
                file.seek(0)
                file.truncate()


def _own_manners(address: str) -> Manners:
    parts = urlsplit(address)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return Manners("corpus-spider", allow_private=(f"{parts.hostname}:{port}",))


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
