"""`corpus-spider prune`: WARC files that are older, or more, than corpus.toml has kept; each with a line that says so.

The texts stay, and so do their pointers: a file that went by rule is removed, not damage.
"""

from __future__ import annotations

import logging
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from corpus_spider.console import human_size
from corpus_spider.owner import require_originals
from storage.corpus import Corpus
from storage.disk import disk_errors
from storage.errors import CorpusError
from storage.locks import SiteLocks
from storage.retention import REMOVED
from storage.warc import warc_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from corpus_spider.config import Config
    from storage.retention import AgedFile

DAY = 86_400
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long (seconds) and how much (bytes) is kept; 0: without end."""

    age: float = 0.0
    size: int = 0


@dataclass(frozen=True, slots=True)
class Going:
    """A WARC file that goes, and why."""

    name: str
    bytes: int
    why: str


def _days(seconds: float) -> str:
    return "1 day" if seconds == DAY else f"{seconds / DAY:g} days"


def choose(files: Sequence[AgedFile], limits: Limits, now: datetime) -> list[Going]:
    """Decide which files go, the oldest first. One with a page that awaits processing stays, whatever the rule."""
    total = sum(file.size for file in files)
    going = []
    dated = [(file.newest, file) for file in files if file.newest is not None and file.settled]
    for newest, file in sorted(dated, key=lambda each: (each[0], each[1].name)):
        old = bool(limits.age) and now - newest > timedelta(seconds=limits.age)
        much = bool(limits.size) and total > limits.size
        if old or much:
            why = f"older than {_days(limits.age)}" if old else f"beyond {human_size(limits.size)}"
            going.append(Going(file.name, file.size, why))
            total -= file.size
    return going


def limits_of(config: Config) -> Limits:
    """Return what a configuration keeps."""
    return Limits(config.archive.keep_seconds, config.archive.max)


def prune(config: Config, *, dry_run: bool = False) -> list[Going]:
    """Remove what the rules do not keep, and return it; with ``dry_run`` only return it.

    Raises CorpusError when the corpus cannot be opened, a file cannot be removed, others work on the originals, also
    when they do because the locks were lost, or these are in another folder.
    """
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus.open(config.database_url, read_only=dry_run))
        require_originals(config, corpus)
        locks = SiteLocks(corpus, [site.name for site in config.sites], config.warc_folder / "locks")
        if not dry_run:
            stack.enter_context(locks)
        going = choose(corpus.warc.aged(), limits_of(config), datetime.now(UTC))
        if not dry_run:
            remove(corpus, config.warc_folder, going, locks.ensure)
        return going


def apply(corpus: Corpus, config: Config) -> None:
    """Remove what the rules do not keep at the end of a run; nothing without a rule. What cannot go stays."""
    limits = limits_of(config)
    if not (limits.age or limits.size):
        return
    try:
        remove(corpus, config.warc_folder, choose(corpus.warc.aged(), limits, datetime.now(UTC)))
    except CorpusError as error:
        logger.warning("cannot remove originals that need not be kept: %s", error)


def remove(
    corpus: Corpus, folder: Path, going: Sequence[Going], before_each: Callable[[], object] = lambda: None
) -> None:
    """Remove files, each noted first, so that one that is missing is never taken for damage.

    What ``before_each`` raises ends it; the file it was called for stays.
    """
    for file in going:
        path = warc_path(folder, file.name)
        before_each()
        corpus.warc.remove(file.name, file.why)
        with disk_errors(path):
            path.unlink(missing_ok=True)
        logger.info("removed %s, %s: %s", file.name, human_size(file.bytes), file.why)
    _finish(corpus, folder)


def _finish(corpus: Corpus, folder: Path) -> None:
    """Remove what was noted as removed when a run died before it was."""
    for known in corpus.warc.files():
        if known.state == REMOVED and (path := warc_path(folder, known.name)).exists():
            with disk_errors(path):
                path.unlink(missing_ok=True)
            logger.info("removed %s, which an earlier run had noted as removed", known.name)
