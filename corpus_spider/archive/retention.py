"""`prune`: remove WARC files beyond the age or size that corpus.toml keeps, and log each.

The texts and their pointers stay. A file that was removed by rule does not count as damage.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from corpus_spider.archive.ownership import require_originals, require_own
from corpus_spider.archive.recovery import delete_removed
from corpus_spider.terminal.values import human_size
from storage.corpus import Corpus
from storage.errors import CorpusError
from storage.fetches.file_retention import REMOVED
from storage.locking.locks import SiteLocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from corpus_spider.config.model import Config
    from storage.fetches.file_retention import AgedFile
    from storage.warc import OriginalStore

DAY = 86_400
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Limits of the archive: age in seconds, size in bytes. 0 is no limit."""

    age: float = 0.0
    size: int = 0


@dataclass(frozen=True, slots=True)
class ExpiredFile:
    """A WARC file to remove, and the reason."""

    name: str
    bytes: int
    why: str


def choose(files: Sequence[AgedFile], limits: ArchiveLimits, now: datetime) -> list[ExpiredFile]:
    """Choose the files to remove, the oldest first. A file with an unprocessed page always stays."""
    total = sum(file.size for file in files)
    going = []
    dated = [(file.newest, file) for file in files if file.newest is not None and file.settled]
    for newest, file in sorted(dated, key=lambda each: (each[0], each[1].name)):
        old = bool(limits.age) and now - newest > timedelta(seconds=limits.age)
        much = bool(limits.size) and total > limits.size
        if old or much:
            days = "1 day" if limits.age == DAY else f"{limits.age / DAY:g} days"
            why = f"older than {days}" if old else f"beyond {human_size(limits.size)}"
            going.append(ExpiredFile(file.name, file.size, why))
            total -= file.size
    return going


def limits_of(config: Config) -> ArchiveLimits:
    """Return the limits in a configuration."""
    return ArchiveLimits(config.archive.keep_seconds, config.archive.max)


def prune(config: Config, *, dry_run: bool = False) -> list[ExpiredFile]:
    """Remove the files beyond the limits, and return them. ``dry_run`` only returns them.

    Raises CorpusError when the corpus cannot be opened, a file cannot be removed, another program holds or has taken
    the locks, or the originals are in another folder.
    """
    require_own(config)
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus.open(config.database_url, read_only=dry_run, machine=config.machine))
        require_originals(config, corpus)
        locks = SiteLocks(corpus, config.site_names, config.locks_folder)
        if not dry_run:
            stack.enter_context(locks)
        going = choose(corpus.warc.aged(), limits_of(config), datetime.now(UTC))
        if not dry_run:
            remove(corpus, config.originals, going, locks.ensure)
        return going


def apply(corpus: Corpus, config: Config) -> None:
    """Remove the files beyond the limits at the end of a run. Files that cannot be removed stay, with a warning."""
    limits = limits_of(config)
    if not (limits.age or limits.size):
        return
    try:
        remove(corpus, config.originals, choose(corpus.warc.aged(), limits, datetime.now(UTC)))
    except CorpusError as error:
        logger.warning("originals beyond the limits in [archive] could not be removed: %s", error)


def remove(
    corpus: Corpus, store: OriginalStore, going: Sequence[ExpiredFile], before_each: Callable[[], object] = lambda: None
) -> None:
    """Remove files. Each is recorded as removed first, so that a missing file never counts as damage.

    ``before_each`` may raise to stop before a file, which then stays.
    """
    for file in going:
        store.path(file.name)
        before_each()
        corpus.warc.remove(file.name, file.why)
        store.delete(file.name)
        logger.info("removed %s, %s: %s", file.name, human_size(file.bytes), file.why)
    there, removed = store.list(), [file.name for file in corpus.warc.files() if file.state == REMOVED]
    delete_removed(store, [name for name in removed if store.path(name).name in there])
