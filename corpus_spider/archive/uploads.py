"""Upload finished WARC files to object storage. After a failure the file stays, and the next run tries again."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus_spider.terminal.values import human_size
from storage.disk import disk_errors, flocked, make_folder
from storage.errors import CorpusError
from storage.reporting import counted

if TYPE_CHECKING:
    from storage.corpus import Corpus
    from storage.warc import OriginalStore

logger = logging.getLogger(__name__)

MAX_FAILURES = 3
"""Failed uploads after which the others wait for the next run. Each may take minutes if the server is away."""
LOCK = "locks/upload"


@dataclass(frozen=True, slots=True)
class WaitingUploads:
    """Finished files that wait for their upload: number and bytes."""

    files: int = 0
    bytes: int = 0

    @classmethod
    def of(cls, store: OriginalStore) -> WaitingUploads:
        """Count the files in the folder; none without object storage."""
        sizes = []
        for name in store.local() if store.objects else ():
            # Another program may have uploaded it meanwhile.
            with suppress(FileNotFoundError):
                sizes.append(store.path(name).stat().st_size)
        return cls(len(sizes), sum(sizes))

    def __str__(self) -> str:
        return f"waiting to be uploaded: {counted(self.files, 'WARC file')} ({human_size(self.bytes)})"


def upload(corpus: Corpus, store: OriginalStore) -> None:
    """Upload the files whose end is in the database. Failures are logged. One process does it at a time."""
    if store.objects is None:
        return
    closed = {file.name for file in corpus.warc.files() if file.state == "closed"}
    lock = store.folder / LOCK
    with disk_errors(lock):
        make_folder(lock.parent)
    with lock.open("ab") as held:
        if not flocked(held.fileno()):
            return
        failures = 0
        for name in store.local():
            if name in closed and failures < MAX_FAILURES:
                failures += not put(store, name)
    waiting = counted(WaitingUploads.of(store).files, "WARC file")
    if failures:
        logger.warning("not uploaded to %s: %s; the next run tries again", store.where, waiting)


def put(store: OriginalStore, name: str) -> bool:
    """Upload a file. Return whether it is uploaded; the reason is logged."""
    try:
        store.put(name)
    except (CorpusError, OSError) as error:
        logger.warning("cannot upload %s: %s", name, error)
        return False
    logger.info("uploaded %s", name)
    return True


class UploadThread:
    """Uploads full files of a run while it goes on. Failures wait for the end of the run."""

    def __init__(self, store: OriginalStore) -> None:
        self._store, self._pool = store, ThreadPoolExecutor(1, "upload")

    def add(self, name: str) -> None:
        """Upload a finished file whose end is in the database."""
        self._pool.submit(put, self._store, name)

    def close(self, *, wait: bool) -> None:
        """End with the current file, or with all if ``wait``."""
        self._pool.shutdown(wait=wait, cancel_futures=not wait)
