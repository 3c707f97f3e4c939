"""Write the WARC files of a crawl or an import: prepare the folder, guard disk space and locks."""

from __future__ import annotations

import logging
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from corpus_spider.archive.ownership import require_own
from corpus_spider.archive.uploads import UploadThread, upload
from corpus_spider.config.version import program_version
from storage.disk import disk_errors, make_folder, same_file
from storage.errors import CorpusError, DatabaseError, DiskError
from storage.warc import WarcInfo, WarcWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corpus_spider.config.model import Config
    from storage.corpus import Corpus
    from storage.locking.locks import SiteLocks
    from storage.records import Capture, Original, Pointer

logger = logging.getLogger(__name__)

LOCK_SECONDS = 10.0
"""Seconds between checks that the site locks are still held."""


class GuardedArchive:
    """WARC writer that registers each new file in the database, and guards the disk's reserve and the site locks."""

    def __init__(self, config: Config, corpus: Corpus, run_id: int | None, locks: SiteLocks) -> None:
        info = WarcInfo(
            software=f"corpus-spider/{program_version()}", contact=config.corpus.contact, user_agent=config.user_agent
        )
        self._writer = WarcWriter(config.warc_folder, config.corpus.name, info, config.crawl.roll_bytes)
        self._corpus, self._run_id, self._store = corpus, run_id, config.originals
        self._uploads = UploadThread(self._store) if self._store.objects else None
        self._reserve = reserve_check(config.warc_folder, config.archive.reserve)
        self._announced: set[str] = set()
        self._noted: set[str] = set()
        self._locks, self._looked = locks, time.monotonic()
        self._database = Path(corpus.database.url.database or "") if corpus.database.is_sqlite else None
        self._unmoved = same_file(self._database) if self._database else lambda: True

    def require_database(self, *, now: bool = False) -> None:
        """Raise DatabaseError when the file of the database was moved or replaced: later writes to it would be lost.

        Every LOCK_SECONDS, or with ``now``, check the locks too. Raise LockedError when another run has them.
        """
        if not self._unmoved():
            raise DatabaseError(
                "the file was removed or replaced while a crawl wrote to it",
                where=str(self._database),
                do="Restore it from a backup, or start again. The fetched pages are in the WARC files.",
            )
        if now or time.monotonic() - self._looked > LOCK_SECONDS:
            self._locks.ensure()
            self._looked = time.monotonic()

    def append(self, captures: Sequence[Capture], originals: Sequence[Original | None]) -> list[Pointer]:
        """Append a group of captures, fsynced. A capture with an original becomes a revisit.

        Raises DiskError when the disk is full or below the reserve, and the errors of `require_database`.
        """
        self._reserve()
        self.require_database()
        pointers = self._writer.append(captures, originals)
        for name in sorted({pointer.warc for pointer in pointers} - self._announced):
            self._corpus.warc.register(self._run_id, name)
            self._announced.add(name)
        if self._uploads:
            self._upload_full()
        return pointers

    def _upload_full(self) -> None:
        """Upload the files that got their final names. Their sizes are noted first: recovery reads files without."""
        for name in sorted(self._announced - self._noted - {self._writer.current}):
            with suppress(FileNotFoundError):
                if self._note_size(self._store.path(name)) and self._uploads:
                    self._noted.add(name)
                    self._uploads.add(name)

    def abandon(self) -> None:
        """Leave the current file to the recovery at the next start."""
        self._writer.abandon()
        if self._uploads:
            self._uploads.close(wait=False)

    def close(self) -> None:
        """Close the current file under its final name, record the sizes of all files, and upload them."""
        self._writer.close()
        if self._uploads:
            self._uploads.close(wait=True)
        for path in (self._store.folder / name for name in sorted(self._announced - self._noted)):
            # After an error the file keeps its .open name until the next start. Another crawl may have pruned it.
            with suppress(FileNotFoundError):
                if not self._note_size(path):
                    return
        upload(self._corpus, self._store)

    def _note_size(self, path: Path) -> bool:
        try:
            self._corpus.warc.close(path.name, path.stat().st_size)
        except CorpusError as error:
            logger.debug("cannot note the size of %s: %s", path.name, error)
            return False
        return True


def reserve_check(folder: Path, reserve: int) -> Callable[[], None]:
    """Return a check that raises DiskError when less than ``reserve`` bytes are free."""

    def check() -> None:
        with disk_errors(folder):
            free = shutil.disk_usage(folder).free
        if free < reserve:
            raise DiskError(
                f"only {free // 2**20} MiB are free, less than the reserve of {reserve // 2**20} MiB",
                where=str(folder),
                do="Free some space, or lower reserve in [archive]. The next crawl goes on where this one stopped.",
            )

    return check


def prepare_folders(config: Config) -> None:
    """Make the WARC folder, private to its owner. Check that it is writable, has room, and belongs to this corpus."""
    folder = config.warc_folder
    try:
        make_folder(folder)
        probe = folder / ".writable"
        probe.touch()
        # Another crawl that starts at this moment may have removed it.
        probe.unlink(missing_ok=True)
    except OSError as error:
        raise DiskError(
            f"cannot be written ({error.strerror})", where=str(folder), do="Check the folder's owner and permissions."
        ) from error
    require_own(config)
    reserve_check(folder, config.archive.reserve)()
