"""Pages that others have captured, into the corpus as if a crawl had fetched them then."""

from __future__ import annotations

import logging
from collections import Counter
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from corpus_spider.adoption import PageSites
from corpus_spider.archives import captures
from corpus_spider.guarded_archive import GuardedArchive, prepare_folders
from corpus_spider.learning import Models
from corpus_spider.owner import claim
from corpus_spider.recovery import recover
from pipelines.line import read_back
from pipelines.urls import host_of
from pipelines.workers import WorkerLimits, WorkerPool
from storage.corpus import Corpus
from storage.errors import DamageError
from storage.locks import SiteLocks
from storage.records import Capture, Drop, Fetched, Processed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from corpus_spider.config import Config
    from storage.imports import Seen
    from storage.records import Lease, SiteModel

logger = logging.getLogger(__name__)

GROUP, GROUP_BYTES = 64, 16 * 2**20
"""Pages that are made durable at a time, and bytes of their bodies, at most."""
MOST_HOSTS, HOSTS_TOLD = 10_000, 20
"""Hosts that are counted beside those of pages, the first found, and as many as are told, which gave most answers."""


@dataclass(slots=True)
class ImportReport:
    """What an import came to."""

    archives: int = 0
    answers: int = 0
    """What was read in them, revisits of records too."""
    pages: int = 0
    """Those of the configured sites with a page."""
    known: int = 0
    """Pages that the corpus has, as new or newer, or must not have."""
    documents: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    """Pages taken in that gave no document, by reason."""
    passed_over: Counter[str] = field(default_factory=Counter)
    """Answers in the archives that are no pages of these sites, by reason."""
    other_hosts: Counter[str] = field(default_factory=Counter)
    """Whose the answers of ``other_site`` are, by host: those that gave most."""
    sites: Counter[str] = field(default_factory=Counter)
    """Pages by site."""
    damaged: list[str] = field(default_factory=list)
    """What could not be read to its end, and why."""
    dry_run: bool = False


def take_in(
    config: Config, archives: Sequence[Path], report: ImportReport, on_progress: Callable[[int], None] = lambda _: None
) -> None:
    """Take the pages of some archives into the corpus, or with ``dry_run`` in the report only count them.

    Pages are durable by groups, so what was taken in before an error or a kill stays, and the next import goes on.
    Raises CorpusError when the corpus cannot be opened or written to, or a crawl holds a site.
    """
    with ExitStack() as stack:
        taker = None if report.dry_run else stack.enter_context(_opened(config, report))
        sites = PageSites(config)
        for path in archives:
            for page in _pages(path, sites, config.crawl.max_body, report):
                if taker is not None and page is not None:
                    taker.add(*page)
                on_progress(report.answers)
            report.archives += 1
        report.other_hosts = Counter(dict(report.other_hosts.most_common(HOSTS_TOLD)))
        if taker is not None:
            taker.finish()


def _pages(path: Path, sites: PageSites, max_body: int, report: ImportReport) -> Iterator[tuple[Seen, Capture] | None]:
    """Yield for each answer in an archive its page, if any, and count them; damage is told, and ends it."""
    try:
        for found in captures(path, lambda address: _is_wanted(address, sites, report), max_body):
            report.answers += 1
            seen = None if isinstance(found, str) else sites.seen(found.url, found.fetched_at)
            if isinstance(found, str) or seen is None:
                report.passed_over[str(found)] += 1
                yield None
            else:
                report.pages += 1
                report.sites[seen.site] += 1
                yield seen, replace(found, url=seen.fetch_url)
    except DamageError as error:
        told = " ".join(f"{error.where}: {error.what}. {error.do}".split())
        logger.error("%s", told)
        report.damaged.append(told)


def _is_wanted(address: str, sites: PageSites, report: ImportReport) -> bool:
    """Say whether an address is of a page of the sites; of others the host is counted."""
    if sites.seen(address) is not None:
        return True
    host, hosts = host_of(address), report.other_hosts
    if host and (host in hosts or len(hosts) < MOST_HOSTS):
        hosts[host] += 1
    return False


@contextmanager
def _opened(config: Config, report: ImportReport) -> Iterator[_Taker]:
    """Open what an import writes to. After an error the file it writes keeps its name for the next start to recover."""
    names = tuple(site.name for site in config.sites)
    prepare_folders(config)
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus.open(config.database_url, create=True))
        locks = stack.enter_context(SiteLocks(corpus, names, config.warc_folder / "locks"))
        claim(config, corpus)
        recover(corpus, config.warc_folder, names)
        corpus.documents.set_licences({site.name: site.licence for site in config.sites})
        corpus = replace(corpus, schedule=config.schedule())
        limits = WorkerLimits(config.crawl.page_timeout, config.crawl.page_memory)
        pool = stack.enter_context(closing(WorkerPool(config.workers, limits)))
        archive = GuardedArchive(config, corpus, None, locks)
        stack.callback(archive.abandon)
        taker = _Taker(_Parts(corpus, archive, pool, Models(config, corpus).newest), report)
        taker.resume(config.warc_folder)
        yield taker
        archive.close()


@dataclass(frozen=True, slots=True)
class _Parts:
    """What pages are taken into, and by what they are read."""

    corpus: Corpus
    archive: GuardedArchive
    pool: WorkerPool
    models: Mapping[str, SiteModel]


class _Taker:
    """Takes pages in by groups: archived, noted as fetched, read by the workers while the next group comes, stored."""

    def __init__(self, parts: _Parts, report: ImportReport) -> None:
        self._parts, self._report = parts, report
        self._group: dict[str, tuple[Seen, Capture]] = {}
        self._size = 0
        self._reading: list[tuple[int, Lease, Future[Processed]]] = []

    def resume(self, folder: Path) -> None:
        """Read the pages that an import that was killed had made durable and not read; a crawl reads its own."""
        after = 0
        while waiting := self._parts.corpus.fetches.unprocessed(tuple(self._parts.models), GROUP, after):
            own = (page for page in waiting if page.imported)
            self._read([(page.fetch_id, page.lease, read_back(folder, page), page.crashes) for page in own])
            after = waiting[-1].fetch_id
        self._store()

    def add(self, seen: Seen, capture: Capture) -> None:
        """Take a page in, now or with those that come. Captures of one page go into groups of their own."""
        if seen.url in self._group or len(self._group) >= GROUP or self._size >= GROUP_BYTES:
            self._write()
        self._group[seen.url] = seen, capture
        self._size += len(capture.body)

    def finish(self) -> None:
        """Take in what has come, and store what is being read."""
        self._write()
        self._store()

    def _write(self) -> None:
        corpus, group = self._parts.corpus, self._group
        self._group, self._size = {}, 0
        leases = corpus.frontier.take_in([seen for seen, _ in group.values()], self._parts.models.keys())
        self._report.known += len(group) - len(leases)
        taken = [Fetched(group[key][1], lease) for key, lease in leases.items()]
        if taken:
            pointers = self._parts.archive.append([each.capture for each in taken], [])
            ids = corpus.fetches.record_fetched(None, list(zip(taken, pointers, strict=True)))
            self._read([(at, each.lease, each.capture, 0) for at, each in zip(ids, taken, strict=True) if each.lease])

    def _read(self, pages: Sequence[tuple[int, Lease, Capture | Drop, int]]) -> None:
        """Hand pages to the workers, and store those they were given before."""
        given = [(fetch_id, lease, self._submit(*page)) for page in pages for fetch_id, lease in [page[:2]]]
        self._store()
        self._reading = given

    def _submit(self, fetch_id: int, lease: Lease, capture: Capture | Drop, crashes: int) -> Future[Processed]:
        parts = self._parts
        if isinstance(capture, Capture):
            return parts.pool.submit(
                capture, parts.models[lease.site], crashes, lambda: parts.corpus.fetches.add_crash(fetch_id)
            )
        known: Future[Processed] = Future()
        known.set_result(Processed(drop=capture))
        return known

    def _store(self) -> None:
        """Store what the workers made of pages, but for where they lead: an import follows no links."""
        read = [(fetch_id, lease, replace(made.result(), links=())) for fetch_id, lease, made in self._reading]
        self._reading = []
        for processed in self._parts.corpus.documents.record_processed(read).values():
            self._report.documents += processed.document is not None
            if processed.drop is not None:
                self._report.dropped[processed.drop.reason] += 1
