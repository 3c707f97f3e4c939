"""Import: pages of WARC files that others have made, added as if a crawl had fetched them at that time."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from corpus_spider.archive.adoption import PageSites
from corpus_spider.archive.foreign_warc import ArchiveDamage, SkippedResponse, captures
from corpus_spider.crawling.open_corpus import open_for_writing
from pipelines.urls.url import host_of
from storage.records import Fetched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from corpus_spider.config.model import Config
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


def take_in(
    config: Config, archives: Sequence[Path], report: ImportReport, on_progress: Callable[[int], None] = lambda _: None
) -> None:
    """Import the pages of some archives into the corpus. With ``dry_run`` in the report, only count them.

    Groups of pages become durable, so an error or a kill loses no earlier group, and the next import continues.
    Raises CorpusError when the corpus cannot be opened or written to, or a crawl holds a site.
    """
    pages = _pages(archives, config, report, on_progress)
    if report.dry_run:
        for _ in pages:
            pass
    else:
        with open_for_writing(config) as opened, ExitStack() as stack:
            archive = opened.archive()
            # After an error the file keeps its name, for the next start to recover.
            stack.callback(archive.abandon)
            with opened.pipeline(archive) as pipeline:
                asyncio.run(_Importer(pipeline, report).run(pages))
            archive.close()
            opened.corpus.gather_statistics()
            report.documents, report.dropped = pipeline.counts.documents, pipeline.counts.drops
    report.other_hosts = Counter(dict(report.other_hosts.most_common(HOSTS_REPORTED)))


def _pages(
    archives: Sequence[Path], config: Config, report: ImportReport, on_progress: Callable[[int], None]
) -> Iterator[tuple[CapturedPage, Capture]]:
    """Yield the pages of the configured sites, and count every response. Damaged parts are logged and counted."""
    sites = PageSites(config)
    hosts = report.other_hosts

    def is_wanted(address: str) -> bool:
        return sites.seen(address) is not None

    for path in archives:
        for found in captures(path, is_wanted, config.crawl.max_body):
            if isinstance(found, ArchiveDamage):
                report.losses += 1
                if len(report.damaged) < LOSSES_REPORTED:
                    logger.error("%s", found)
                    report.damaged.append(str(found))
                continue
            report.answers += 1
            if isinstance(found, SkippedResponse):
                host = host_of(found.url) if found.reason == "other_site" else ""
                # Scripts and images of a site, and what its link rules deny.
                own = bool(host) and sites.has_host(host)
                report.skipped[UNRULED if own else found.reason] += 1
                is_new = host and not own and not sites.is_elsewhere(host)
                if is_new and (host in hosts or len(hosts) < MOST_HOSTS):
                    hosts[host] += 1
            elif seen := sites.seen(found.capture.url, found.capture.fetched_at):
                report.pages += 1
                report.recovered += found.capture.recovered
                report.rewritten += found.rewritten
                report.sites[seen.site] += 1
                yield seen, replace(found.capture, url=seen.fetch_url)
            on_progress(report.answers)
        report.archives += 1


class _Importer:
    """Imports pages by groups. While the workers process one group, the next is read and archived."""

    def __init__(self, pipeline: PagePipeline, report: ImportReport) -> None:
        self._pipeline, self._report = pipeline, report
        self._processing: list[tuple[int, Lease, asyncio.Task[Processed]]] = []

    async def run(self, pages: Iterator[tuple[CapturedPage, Capture]]) -> None:
        """Import pages. Two captures of one URL go into two groups."""
        await self._resume()
        group: dict[str, tuple[CapturedPage, Capture]] = {}
        size = 0
        for seen, capture in pages:
            if seen.url in group or len(group) >= GROUP or size >= GROUP_BYTES:
                await self._add(group)
                group, size = {}, 0
            group[seen.url] = seen, capture
            size += len(capture.body)
        await self._add(group)
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
