"""One archive is one part of a release: its documents, their fingerprints, and a manifest of the part.

Each file gets its name when it is whole, the manifest last. So a part whose manifest is there is finished. A task that
is repeated writes the same part again, and nothing is doubled.
"""

from __future__ import annotations

import json
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import msgspec

from corpus_spider.archive.foreign_warc import ArchiveDamage, SkippedResponse, captures
from corpus_spider.archive.path_lists import part_name
from corpus_spider.batch.archives import local_file
from corpus_spider.batch.rows import row_of
from corpus_spider.config.version import program_version
from storage.exports.files import replaced
from storage.exports.formats import parquet
from storage.exports.release import fingerprints
from storage.exports.release.statistics import Census
from storage.reasons import MACHINE_FAULTS, REMOVED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from corpus_spider.archive.foreign_warc import ForeignPage
    from corpus_spider.batch.rules import BatchRules
    from pipelines.runtime.workers import WorkerPool
    from storage.documents.model import CorpusDocument
    from storage.records import Processed

DATA, FINGERPRINTS, PARTS = "data", "fingerprints", "parts"
"""Folders of a release made of parts."""
PAGES_PER_WORKER = 32
"""Pages that wait for each worker. They hide the time to read the archive, and that of a wanted page in its order among
others: with 4 a run of the language test on 2,040 pages took a quarter longer."""
MAX_WAITING_BYTES = 64 * 2**20
"""Bytes of the bodies of waiting pages, with their transfer coding. One page may always wait."""
LOSSES_REPORTED = 20
"""Maximum damaged ranges of an archive that its manifest names. All are counted."""
KNOWN = "known"
"""Reason of a page that the same archive has with the same text."""


@dataclass(slots=True)
class PartReport:
    """Manifest of a part, as plain JSON values."""

    archive: str
    name: str
    rules: str
    """Digest of the rules."""
    software: str
    responses: int = 0
    """Responses in the archive, including revisit records."""
    pages: int = 0
    """Wanted pages, that were processed."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Responses that are no wanted page, by reason."""
    dropped: dict[str, int] = field(default_factory=dict)
    """Processed pages without a document, by reason."""
    unprocessed: int = 0
    """Dropped pages that a limit of the machine has stopped: process the archive again for them."""
    losses: int = 0
    damaged: list[str] = field(default_factory=list)
    """Damaged ranges of the archive. The first ones."""
    recovered: int = 0
    """Pages that were found by a search after damage."""
    counts: dict[str, Any] = field(default_factory=dict)
    """Statistics of the documents, as in a release."""
    files: list[dict[str, Any]] = field(default_factory=list)
    """Path, bytes and SHA-256 of its files."""

    @property
    def documents(self) -> int:
        """Number of documents."""
        return int(self.counts.get("documents", 0))


def report_path(release: Path, archive: str) -> Path:
    """Return the path of an archive's manifest."""
    return release / PARTS / f"{part_name(archive)}.json"


def read_report(release: Path, archive: str) -> PartReport | None:
    """Return the manifest of a finished part whose files are there; None if the part has to be made."""
    try:
        report = msgspec.json.decode(report_path(release, archive).read_bytes(), type=PartReport)
    except (FileNotFoundError, msgspec.MsgspecError, ValueError):
        return None
    whole = all(_size(release / file["path"]) == file["bytes"] for file in report.files)
    return report if whole and report.archive == archive else None


def make_part(
    archive: str, release: Path, rules: BatchRules, pool: WorkerPool, on_page: Callable[[], object]
) -> PartReport:
    """Process an archive into its part of a release. Replaces an earlier part of the same archive.

    Raises CorpusError when the archive cannot be had, the disk is full, or no worker can be started. A damaged archive
    gives its sound pages.
    """
    name = part_name(archive)
    report = PartReport(archive, name, rules.digest, f"corpus-spider {program_version()}")
    making = _PartInProgress(report, rules, pool, on_page)
    with local_file(archive) as path:
        prints: list[tuple[str, Any]] = []
        data, sketches = f"{DATA}/{name}.parquet", f"{FINGERPRINTS}/{name}.parquet"
        with replaced(release / data) as stream:
            parquet.write(making.rows(path, prints), cast("BinaryIO", stream))
        with replaced(release / sketches) as further:
            fingerprints.write(prints, cast("BinaryIO", further))
    report.files = [stream.entry(data) | {"documents": report.documents}, further.entry(sketches)]
    with replaced(report_path(release, archive)) as manifest:
        manifest.write(json.dumps(msgspec.to_builtins(report), ensure_ascii=False, indent=1).encode() + b"\n")
    return report


class _PartInProgress:
    """Reads the pages of an archive, has them processed, and yields the rows in the archive's order."""

    def __init__(self, report: PartReport, rules: BatchRules, pool: WorkerPool, on_page: Callable[[], object]) -> None:
        self._report, self._rules, self._pool, self._on_page = report, rules, pool, on_page
        self._skipped, self._dropped = Counter[str](), Counter[str]()
        self._ids: set[str] = set()

    def rows(self, path: Path, prints: list[tuple[str, Any]]) -> Iterator[CorpusDocument]:
        census = Census()
        yield from census.count(self._rows(path, prints))
        self._report.counts = census.plain()
        self._report.skipped, self._report.dropped = dict(self._skipped), dict(self._dropped)

    def _rows(self, path: Path, prints: list[tuple[str, Any]]) -> Iterator[CorpusDocument]:
        waiting: deque[tuple[ForeignPage, Future[Processed]]] = deque()
        held = 0
        for page in self._pages(path):
            while waiting and (
                len(waiting) >= PAGES_PER_WORKER * self._pool.size or held + len(page.sent) > MAX_WAITING_BYTES
            ):
                first, processing = waiting.popleft()
                held -= len(first.sent)
                yield from self._row(first, processing.result(), prints)
            model = self._rules.page(page.capture.url)[2]
            waiting.append((page, self._pool.submit(page.capture, model, skim=self._rules.skim)))
            held += len(page.sent)
        for first, processing in waiting:
            yield from self._row(first, processing.result(), prints)

    def _pages(self, path: Path) -> Iterator[ForeignPage]:
        report = self._report
        for found in captures(path, self._rules.is_wanted, self._rules.config.crawl.max_body):
            if isinstance(found, ArchiveDamage):
                report.losses += 1
                if len(report.damaged) < LOSSES_REPORTED:
                    report.damaged.append(str(found).replace(str(path), report.archive))
                continue
            report.responses += 1
            if isinstance(found, SkippedResponse):
                self._skipped["not_wanted" if found.reason == "other_site" else found.reason] += 1
            elif reason := self._rules.refusal(found.capture.url, found.capture.fetched_at):
                self._skipped[reason] += 1
            else:
                report.pages += 1
                report.recovered += found.capture.recovered
                yield found

    def _row(self, page: ForeignPage, processed: Processed, prints: list[tuple[str, Any]]) -> Iterator[CorpusDocument]:
        self._on_page()
        made = processed.document
        if made is None:
            reason = processed.drop.reason if processed.drop else "empty"
            self._dropped[reason] += 1
            self._report.unprocessed += reason in MACHINE_FAULTS
            return
        if self._rules.blocklist.has_author(made.metadata.author):
            self._dropped[REMOVED] += 1
            return
        url, site, _ = self._rules.page(page.capture.url)
        row = row_of(page, made, url, site, self._report.archive)
        if row.id in self._ids:
            self._dropped[KNOWN] += 1
            return
        self._ids.add(row.id)
        prints.append((row.id, made.fingerprint))
        yield row


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return -1
