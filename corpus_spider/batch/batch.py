"""Process archives to a release: the parts of a task, and the release when all parts are there."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from corpus_spider.archive.path_lists import part_name
from corpus_spider.batch.part import DATA, FINGERPRINTS, PARTS, make_part, read_report
from corpus_spider.config.version import program_version
from pipelines.runtime.workers import WorkerPool
from storage.errors import ConfigError, CorpusError, DiskError
from storage.exports.release.parted_release import complete
from storage.exports.release.statistics import Census
from storage.exports.release.writer import Release
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from corpus_spider.batch.part import PartReport
    from corpus_spider.batch.rules import BatchRules

logger = logging.getLogger(__name__)

MAX_NAMED_ARCHIVES = 5
"""Archives that a message names."""


@dataclass(slots=True)
class BatchReport:
    """Result of `process`: counts over the archives of this task, or of the whole release when it was merged."""

    release: str
    archives: int = 0
    made: int = 0
    """Parts that were made now. The others were finished before."""
    responses: int = 0
    pages: int = 0
    documents: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Responses that are no wanted page, by reason."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Pages without a document, by reason."""
    unprocessed: int = 0
    """Dropped pages that a limit of the machine has stopped."""
    losses: int = 0
    """Damaged ranges of archives. ``damaged``: the first ones of each archive."""
    damaged: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    """Archives that gave no part, with the error."""
    bytes: int = 0
    """Size of the release when it is complete, else 0."""

    def add(self, part: PartReport) -> None:
        """Count a part."""
        self.archives += 1
        self.responses += part.responses
        self.pages += part.pages
        self.documents += part.documents
        self.skipped.update(part.skipped)
        self.dropped.update(part.dropped)
        self.unprocessed += part.unprocessed
        self.losses += part.losses
        self.damaged += part.damaged


def make_parts(
    archives: Sequence[str],
    release: Path,
    rules: BatchRules,
    *,
    again: bool = False,
    on_page: Callable[[], object] = lambda: None,
) -> BatchReport:
    """Make the parts of some archives. Finished parts with the same rules stay, unless they are made ``again``.

    An archive that cannot be read is counted, and the others go on. Raises CorpusError when the disk is full, a worker
    cannot be started, or a part was made with other rules.
    """
    report = BatchReport(str(release))
    pool = WorkerPool(rules.config.workers, rules.config.worker_limits, extractors=rules.extractors)
    try:
        for archive in archives:
            known = None if again else read_report(release, archive)
            if known is not None:
                _require_rules(known, rules)
                report.add(known)
                continue
            try:
                part = make_part(archive, release, rules, pool, on_page)
            except DiskError:
                raise
            except (CorpusError, OSError) as error:
                logger.error("%s: %s", archive, error)
                report.failed[archive] = str(error).splitlines()[0]
                continue
            logger.info("%s: %s of %s", archive, counted(part.documents, "document"), counted(part.pages, "page"))
            report.made += 1
            report.add(part)
    finally:
        pool.close()
    return report


def merge(archives: Sequence[str], release: Path, rules: BatchRules) -> BatchReport:
    """Write the manifest of a release whose parts are all there. Documents are not read again.

    Raises ConfigError when a part is missing, or was made with other rules or by another version of the program.
    """
    parts = [(archive, read_report(release, archive)) for archive in archives]
    missing = [archive for archive, part in parts if part is None]
    if missing:
        names = ", ".join(missing[:MAX_NAMED_ARCHIVES]) + (" …" if len(missing) > MAX_NAMED_ARCHIVES else "")
        do = "Run `process` for them, then `process --merge` again."
        raise ConfigError(f"parts are missing ({len(missing)} of {len(parts)}): {names}", where=str(release), do=do)
    finished = [part for _, part in parts if part is not None]
    _refuse_strangers(release, archives)
    report, census = BatchReport(str(release)), Census()
    for part in finished:
        _require_rules(part, rules)
        report.add(part)
        census.include(part.counts)
    config = rules.config
    about = Release(
        name=config.corpus.name if config.path else release.name,
        software=f"corpus-spider {program_version()}",
        schema="",
        contact=config.corpus.contact,
        selection=rules.plain(),
        configuration={},
        title=config.corpus.title,
        authors=config.corpus.authors,
        doi=config.corpus.doi,
    )
    lines = [
        {name: value for name, value in msgspec.to_builtins(part).items() if name not in {"files", "counts", "rules"}}
        | {"documents": part.documents, "sha256": part.files[0]["sha256"]}
        for part in finished
    ]
    _sweep(release)
    report.bytes = complete(release, about, census, [part.files for part in finished], lines)
    return report


def _sweep(release: Path) -> None:
    """Delete what killed tasks have left in a release whose parts are all there."""
    for folder in (DATA, FINGERPRINTS, PARTS):
        for left in (release / folder).glob(".*"):
            left.unlink(missing_ok=True)


def _require_rules(part: PartReport, rules: BatchRules) -> None:
    software = f"corpus-spider {program_version()}"
    if part.rules != rules.digest or part.software != software:
        other = "by other rules" if part.rules != rules.digest else f"by {part.software}"
        do = "Use the same options for all parts, or add `--overwrite` to make this part again."
        raise ConfigError(f"its part was made {other}", where=part.archive, do=do)


def _refuse_strangers(release: Path, archives: Sequence[str]) -> None:
    """Raise ConfigError when the folder has parts of other archives: the list has changed."""
    own = {part_name(archive) for archive in archives}
    others = sorted(path.stem for path in (release / PARTS).glob("*.json") if path.stem not in own)
    if others:
        do = "Name all archives of the release, or delete the files of these parts."
        names = ", ".join(others[:MAX_NAMED_ARCHIVES]) + (" …" if len(others) > MAX_NAMED_ARCHIVES else "")
        raise ConfigError(f"has {counted(len(others), 'part')} of other archives: {names}", where=str(release), do=do)
