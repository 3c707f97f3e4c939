"""Empty the originals of removed pages in the WARC files of this machine.

`remove` does it for the machine on which it runs. With a WARC folder on each machine, each of the others does it when
its worker or its next crawl sees the request in the database. No lock of a site is needed for that: a page whose file
is rewritten meanwhile is read in the next run.
"""

from __future__ import annotations

import fcntl
import logging
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus_spider.archive.recovery import recover
from storage.disk import disk_errors, make_folder
from storage.errors import LockedError, ObjectStorageError
from storage.failpoints import reach
from storage.fetches.file_retention import REMOVED as EXPIRED
from storage.reporting import counted, unseen
from storage.warc.redact import scrub
from storage.warc.writer import OPEN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from storage.corpus import Corpus
    from storage.reporting import Progress
    from storage.warc import OriginalStore

logger = logging.getLogger(__name__)

LOCK = "locks/removal"
"""File in the WARC folder that a program locks while it rewrites files."""


@dataclass(slots=True)
class EmptiedFiles:
    """Result: see the fields of the same names in `RemovalReport`."""

    records: int = 0
    files: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    undeleted: dict[str, str] = field(default_factory=dict)
    torn: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether no original is left here."""
        return not (self.missing or self.undeleted)


def today() -> str:
    """Return the day that emptied records state."""
    return datetime.now(UTC).date().isoformat()


def carry_out(corpus: Corpus, store: OriginalStore, tried: datetime | None = None) -> datetime | None:
    """Carry out the removals that wait for this machine, if there are some. Return when they were requested.

    ``tried``: an earlier result. The same request is not tried again. Raises DiskError and DatabaseError. What fails is
    left to the next call.
    """
    asked = corpus.removals.asked()
    if asked is None or asked == tried:
        return asked
    recover(corpus, store, ())
    try:
        done = empty_originals(corpus, store)
    except LockedError as error:
        logger.debug("the removal waits: %s", error)
        return None
    if done.is_complete:
        corpus.removals.carried_out(asked)
        emptied = counted(done.records, "record")
        logger.info("removal carried out on machine %s: %s emptied", corpus.machine, emptied)
    else:
        files = counted(len(done.missing), "WARC file")
        logger.warning(
            "a removal waits: %s cannot be found in %s. Mount or restore the folder. If they are lost for good, run"
            " `corpus-spider remove --lost` on machine %s",
            *(files, store.where, corpus.machine),
        )
    return asked


def empty_originals(
    corpus: Corpus,
    store: OriginalStore,
    *,
    lost: bool = False,
    before_each: Callable[[], object] = lambda: None,
    on_progress: Progress = unseen,
) -> EmptiedFiles:
    """Rewrite each file of this machine that holds an original of a removed page. After a kill the next call goes on.

    ``lost``: take missing files for lost. Otherwise they are reported, and stay for a later call. ``before_each`` may
    raise to stop before a file is replaced.

    Raises LockedError for a file that a crawl is writing.
    """
    done = EmptiedFiles()
    with ExitStack() as stack:
        if corpus.machine:
            _wait_for_turn(stack, store.folder)
        _delete_replaced(corpus, store, done)
        written = _rewrite(corpus, store, done, before_each, on_progress, lost=lost)
        _delete_torn(store.folder, done)
    if written:
        # A crawl writes them, of a site that was not known yet when the locks were taken.
        do = "When it has ended, run `corpus-spider remove` to empty the rest."
        raise LockedError(tuple(written), where=str(store.folder), do=do)
    return done


def _wait_for_turn(stack: ExitStack, folder: Path) -> None:
    """Let one program of this machine rewrite files at a time."""
    path = folder / LOCK
    with disk_errors(path):
        make_folder(path.parent)
        held = stack.enter_context(path.open("ab"))
    # The file system may not support locks.
    with suppress(OSError):
        fcntl.flock(held.fileno(), fcntl.LOCK_EX)


def _rewrite(
    corpus: Corpus,
    store: OriginalStore,
    done: EmptiedFiles,
    before_each: Callable[[], object],
    on_progress: Progress,
    *,
    lost: bool,
) -> list[str]:
    """Rewrite the files. Return the names of those that a crawl is writing."""
    gone = {file.name for file in corpus.warc.files() if file.state == EXPIRED}
    written, unscrubbed = [], corpus.removals.unscrubbed()
    for number, (name, pointers) in enumerate(unscrubbed.items()):
        on_progress("WARC files rewritten", number, len(unscrubbed))
        path = store.path(name)
        if path.with_name(name + OPEN).exists():
            written.append(name)
            continue
        # An uploaded file is rewritten here, and uploaded again.
        there = name not in gone and store.fetch(name)
        if name not in gone and not lost and not there:
            # Perhaps its folder is not mounted. The text is still in the file, so nothing is finished.
            done.missing.append(name)
            continue
        if not there:
            store.delete(name)
            corpus.removals.give_up(name)
            continue
        offsets, ids = {each.offset for each in pointers}, {each.record_id for each in pointers}
        again = corpus.warc.revisits(name)
        kept = {
            pointer.offset: pointer.length
            for _, pointer in corpus.warc.pointers(name)
            if pointer.offset not in offsets and pointer.offset not in again
        }
        scrubbed = scrub(store.folder, name, offsets, ids, today(), kept)
        reach("in_removal")
        before_each()
        corpus.removals.move(name, scrubbed)
        done.records += scrubbed.emptied
        done.files.append(scrubbed.name)
        _delete_replaced(corpus, store, done)
    return written


def _delete_replaced(corpus: Corpus, store: OriginalStore, done: EmptiedFiles) -> None:
    """Delete the files that rewritten ones have replaced. Report those that stay."""
    for name in corpus.removals.replaced_files():
        if name in done.undeleted:
            continue
        try:
            store.delete(name)
        except ObjectStorageError as error:
            done.undeleted[name] = error.what
            continue
        reach("in_removal")
        corpus.removals.forget_file(name)


def _delete_torn(folder: Path, done: EmptiedFiles) -> None:
    """Delete torn tails and unfinished copies. No row points into them, so their content is unknown."""
    with disk_errors(folder):
        for path in [*folder.glob("*.warc.gz.torn-*"), *folder.glob("*.warc.gz.tmp")]:
            path.unlink()
            done.torn += ".torn-" in path.name
