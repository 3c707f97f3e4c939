"""Import: pages of archives that others have made, added as if a crawl had fetched them at that time."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from threading import Event
from typing import TYPE_CHECKING

from corpus_spider.archive.adoption import PageSites
from corpus_spider.archive.foreign_warc import ArchiveDamage, SkippedResponse
from corpus_spider.crawling.open_corpus import open_for_writing
from corpus_spider.maintenance.archive_inputs import OUT_OF_RANGE, CaptureDays, LocalArchive
from corpus_spider.network.range_client import BusyServerError, DownloadError, FileIdentity
from pipelines.urls.url import host_of
from storage.records import Fetched
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from corpus_spider.archive.foreign_warc import ForeignPage
    from corpus_spider.config.model import Config
    from corpus_spider.maintenance.archive_inputs import ArchiveInput
    from corpus_spider.maintenance.taken_archives import TakenArchives
    from pipelines.runtime.page_pipeline import PagePipeline
    from storage.frontier.imported_pages import CapturedPage
    from storage.records import Capture, Lease, Processed

logger = logging.getLogger(__name__)

GROUP, GROUP_BYTES = 64, 16 * 2**20
"""Maximum pages of a group, and bytes of their bodies."""
MOST_HOSTS, HOSTS_REPORTED = 10_000, 20
"""Maximum hosts of other sites that are counted (the first ones), and that are reported (the most frequent)."""
UNRULED = "out_of_scope"
"""Reason of responses on the hosts of a site that are no page by its link rules."""
LOSSES_REPORTED = 100
"""Maximum damaged parts that are named. All are counted."""
MAX_BUSY_IN_A_ROW = 3
"""Archives in a row that a busy server does not send. The import stops then: the next ones would fail too."""


@dataclass(slots=True)
class ImportReport:
    """Result of an import."""

    archives: int = 0
    answers: int = 0
    """Responses in them, including revisit records."""
    pages: int = 0
    """Responses that are a page of a configured site."""
    known: int = 0
    """Pages that the corpus has in this or a newer version, or must not have."""
    documents: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    """Imported pages without a document, by reason."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Responses that are no page of these sites, by reason."""
    other_hosts: Counter[str] = field(default_factory=Counter)
    """Responses of ``other_site`` by host, without the hosts of configured sites: the most frequent hosts."""
    sites: Counter[str] = field(default_factory=Counter)
    """Pages by site."""
    damaged: list[str] = field(default_factory=list)
    """Damaged parts of archives: file, offset, length and reason. The first ones."""
    losses: int = 0
    """Number of damaged parts."""
    recovered: int = 0
    """Pages that were found by a search after damage, or whose record states a wrong length."""
    rewritten: int = 0
    """Pages without their payload digest in a sound record. Some programs rewrite payloads."""
    dry_run: bool = False
    planned: int = 0
    """Archives, or parts of an index, that a list names and that were not finished before; 0 without a list."""
    taken_before: int = 0
    """Archives of the list that an earlier import has finished."""
    estimated_bytes: int | None = None
    """Bytes to fetch, by the sizes of ``sampled`` archives; null if it is not known, and without a list."""
    sampled: int = 0
    fetched_bytes: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    """Archives and lists that could not be fetched, with the error. The next import tries them again."""


@dataclass(frozen=True, slots=True)
class ImportMark:
    """A place between two pages: the pages of an archive before this position, or all, were read."""

    archive: ArchiveInput
    position: int
    finished: bool


@dataclass(frozen=True, slots=True)
class ImportRules:
    """Which pages are imported, and what is remembered of their archives. ``taken``: None for local files.

    ``stop`` ends the reading of the archives from another thread.
    """

    days: CaptureDays = field(default_factory=CaptureDays)
    taken: TakenArchives | None = None
    stop: Callable[[], None] = lambda: None


def take_in(
    config: Config,
    archives: Sequence[ArchiveInput | Path],
    report: ImportReport,
    on_progress: Callable[[int], None] = lambda _: None,
    rules: ImportRules | None = None,
) -> None:
    """Import the pages of some archives into the corpus. With ``dry_run`` in the report, only count them.

    Groups of pages become durable, so an error or a kill loses no earlier group, and the next import continues.
    Raises CorpusError when the corpus cannot be opened or written to, a crawl holds a site, or a server stays busy.
    """
    rules, stopping = rules or ImportRules(), Event()
    inputs = [LocalArchive(each) if isinstance(each, PurePath) else each for each in archives]
    pages = _pages(inputs, config, report, on_progress, rules, stopping)

    def stop() -> None:
        stopping.set()
        rules.stop()

    if report.dry_run:
        for _ in pages:
            pass
    else:
        with open_for_writing(config) as opened, ExitStack() as stack:
            archive = opened.archive()
            # After an error the file keeps its name, for the next start to recover.
            stack.callback(archive.abandon)
            with opened.pipeline(archive) as pipeline:
                asyncio.run(_Importer(pipeline, report, rules.taken, stop).run(_groups(pages)))
            archive.close()
            opened.corpus.gather_statistics()
            report.documents, report.dropped = pipeline.counts.documents, pipeline.counts.drops
    report.other_hosts = Counter(dict(report.other_hosts.most_common(HOSTS_REPORTED)))


def _pages(
    archives: Sequence[ArchiveInput],
    config: Config,
    report: ImportReport,
    on_progress: Callable[[int], None],
    rules: ImportRules,
    stopping: Event,
) -> Iterator[tuple[CapturedPage, Capture] | ImportMark]:
    """Yield the pages of the configured sites and the marks between them, and count every response.

    Damaged parts, and archives that cannot be fetched, are logged and counted.
    """
    counting = _Counting(PageSites(config), report, rules.days)
    busy = 0
    for archive in archives:
        before = rules.taken.before(archive) if rules.taken else None
        start = marked = before.position if before else 0
        known = FileIdentity(before.etag, before.size) if before else FileIdentity()
        pages_before = report.pages
        try:
            for position, found in archive.found(counting.is_wanted, config.crawl.max_body, start, known):
                if stopping.is_set():
                    return
                if archive.mark_step and position - marked >= archive.mark_step:
                    yield ImportMark(archive, position, finished=False)
                    marked = position
                page = counting.page(found)
                on_progress(report.answers)
                if page:
                    yield page
        except DownloadError as error:
            logger.error("%s", error)
            report.failed[archive.name] = error.what
            busy = busy + 1 if isinstance(error, BusyServerError) else 0
            if busy >= MAX_BUSY_IN_A_ROW:
                raise
            continue
        busy = 0
        report.archives += 1
        if rules.taken:
            logger.info("%s: %s", archive.name, counted(report.pages - pages_before, "page"))
            yield ImportMark(archive, 0, finished=True)


class _Counting:
    """Counts what archives have, and keeps the pages of the configured sites."""

    def __init__(self, sites: PageSites, report: ImportReport, days: CaptureDays) -> None:
        self._sites, self._report, self._days = sites, report, days

    def is_wanted(self, address: str) -> bool:
        return self._sites.seen(address) is not None

    def page(self, found: ForeignPage | SkippedResponse | ArchiveDamage) -> tuple[CapturedPage, Capture] | None:
        report, sites, hosts = self._report, self._sites, self._report.other_hosts
        if isinstance(found, ArchiveDamage):
            report.losses += 1
            if len(report.damaged) < LOSSES_REPORTED:
                logger.error("%s", found)
                report.damaged.append(str(found))
            return None
        report.answers += 1
        if isinstance(found, SkippedResponse):
            host = host_of(found.url) if found.reason == "other_site" else ""
            # Scripts and images of a site, and what its link rules deny.
            own = bool(host) and sites.has_host(host)
            report.skipped[UNRULED if own else found.reason] += 1
            is_new = host and not own and not sites.is_elsewhere(host)
            if is_new and (host in hosts or len(hosts) < MOST_HOSTS):
                hosts[host] += 1
            return None
        seen = sites.seen(found.capture.url, found.capture.fetched_at)
        if seen is None:
            return None
        if not self._days.has(found.capture.fetched_at.date().isoformat()):
            report.skipped[OUT_OF_RANGE] += 1
            return None
        report.pages += 1
        report.recovered += found.capture.recovered
        report.rewritten += found.rewritten
        report.sites[seen.site] += 1
        return seen, replace(found.capture, url=seen.fetch_url)


def _groups(
    pages: Iterator[tuple[CapturedPage, Capture] | ImportMark],
) -> Iterator[tuple[dict[str, tuple[CapturedPage, Capture]], ImportMark | None]]:
    """Yield pages in groups, each with the mark behind it. Two captures of one URL go into two groups."""
    group: dict[str, tuple[CapturedPage, Capture]] = {}
    size = 0
    for item in pages:
        if isinstance(item, ImportMark):
            yield group, item
            group, size = {}, 0
            continue
        seen, capture = item
        if seen.url in group or len(group) >= GROUP or size >= GROUP_BYTES:
            yield group, None
            group, size = {}, 0
        group[seen.url] = item
        size += len(capture.body)
    yield group, None


class _Importer:
    """Imports pages by groups. While the workers process one group, the next is read and archived."""

    def __init__(
        self, pipeline: PagePipeline, report: ImportReport, taken: TakenArchives | None, stop: Callable[[], None]
    ) -> None:
        self._pipeline, self._report, self._taken, self._stop = pipeline, report, taken, stop
        self._processing: list[tuple[int, Lease, asyncio.Task[Processed]]] = []

    async def run(self, groups: Iterator[tuple[Mapping[str, tuple[CapturedPage, Capture]], ImportMark | None]]) -> None:
        """Import groups of pages. They are read in a thread: a server may be slow, or require a pause."""
        await self._resume()
        try:
            while (read := await asyncio.to_thread(next, groups, None)) is not None:
                group, mark = read
                if group:
                    await self._add(group)
                if mark and self._taken:
                    self._taken.keep(mark.archive, mark.position, finished=mark.finished)
        except BusyServerError:
            await self._store()
            raise
        except BaseException:
            self._stop()
            raise
        await self._store()

    async def _resume(self) -> None:
        """Process the pages that a killed import had archived. A crawl resumes its own."""
        corpus, sites, after = self._pipeline.corpus, tuple(self._pipeline.settings.models), 0
        while waiting := corpus.fetches.unprocessed(sites, GROUP, after):
            await asyncio.gather(*(self._pipeline.resume(page) for page in waiting if page.imported))
            after = waiting[-1].fetch_id

    async def _add(self, group: Mapping[str, tuple[CapturedPage, Capture]]) -> None:
        """Archive the pages that the corpus lacks, start to process them, and store the group before."""
        pipeline = self._pipeline
        frontier, sites = pipeline.corpus.frontier, pipeline.settings.models.keys()
        leases = await pipeline.call(lambda: frontier.take_in([seen for seen, _ in group.values()], sites))
        self._report.known += len(group) - len(leases)
        pages = [(lease, group[url][1]) for url, lease in leases.items()]
        fetch_ids = await asyncio.gather(*(pipeline.archive(Fetched(capture, lease)) for lease, capture in pages))
        processing = [
            (fetch_id, lease, asyncio.ensure_future(pipeline.process(capture, lease.site, fetch_id)))
            for fetch_id, (lease, capture) in zip(fetch_ids, pages, strict=True)
        ]
        # Let the workers begin before the next group is read, which does not wait for anything.
        await asyncio.sleep(0)
        await self._store()
        self._processing = processing

    async def _store(self) -> None:
        """Store the group that the workers process. An import follows no links."""

        async def store(fetch_id: int, lease: Lease, processing: asyncio.Task[Processed]) -> None:
            await self._pipeline.store(fetch_id, lease, await processing, follow=False)

        await asyncio.gather(*(store(*page) for page in self._processing))
        self._processing = []
