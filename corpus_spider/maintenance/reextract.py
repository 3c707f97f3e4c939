"""Re-extraction: make texts again from the stored originals. Nothing is fetched."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from corpus_spider.archive.missing_files import elsewhere
from corpus_spider.crawling.open_corpus import open_for_reading, open_for_writing
from pipelines.runtime.writer import GROUP
from storage.bytes.lines import count
from storage.errors import CorpusError, MissingFileError, ObjectStorageError
from storage.fetches.file_retention import REMOVED as EXPIRED
from storage.reasons import REMOVED, SAME_PAGE, UNCHANGED_TEXT
from storage.warc import read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus_spider.config.model import Config
    from corpus_spider.crawling.open_corpus import OpenCorpus
    from pipelines.runtime.page_pipeline import PagePipeline
    from storage.documents.rereading import KnownText
    from storage.fetches.fetches import StoredFetch
    from storage.records import Capture, Document, Lease, Processed

logger = logging.getLogger(__name__)

PROCESSED = ("document", "drop")
TEXT_KNOWN = frozenset({UNCHANGED_TEXT, SAME_PAGE})


@dataclass(slots=True)
class ReextractReport:
    """Result of a re-extraction."""

    pages: int = 0
    unchanged: int = 0
    changed: int = 0
    rescored: int = 0
    """Documents with another confidence and no other change."""
    gained: int = 0
    """Pages that had no document before."""
    lost: int = 0
    """Pages that have no document any more. The reason is stored."""
    unreadable: int = 0
    """Pages with an unreadable original. Their texts stay as they are."""
    own_lines: int = 0
    """The publisher's own lines that were left out of the documents."""
    dry_run: bool = False
    removed: int = 0
    """Pages whose originals were removed by rule ([archive]). They keep their texts."""
    healed: int = 0
    """With ``metadata``: pages that changed the metadata of a document."""
    missing: Counter[str] = field(default_factory=Counter)
    """Unreadable pages by missing WARC file."""
    elsewhere: Counter[str] = field(default_factory=Counter)
    """Pages with an original on another machine, by machine. They keep their texts."""
    other_rules: int = 0
    """Documents that had been made, before this re-extraction, with other rules of their site than those of today."""
    lost_urls: list[str] = field(default_factory=list)
    """URLs of the lost pages, in the order of their fetches."""


def reextract(
    config: Config,
    *,
    dry_run: bool = False,
    keep_models: bool = False,
    metadata: bool = False,
    on_progress: Callable[[int], None] = lambda _: None,
) -> ReextractReport:
    """Process every page of the configured sites again from its WARC record, and store the outcome.

    The newest site models are used. With ``keep_models`` each document is made with its own model, if there still is
    one. Document ids and versions stay. With ``dry_run`` nothing is stored. With ``metadata`` only
    titles, authors and dates are updated, and texts stay. Raises CorpusError when the corpus cannot
    be opened or a crawl holds a site.
    """
    report = ReextractReport(dry_run=dry_run)
    opening = open_for_reading(config) if dry_run else open_for_writing(config, new_pages=False)
    with opening as opened, opened.pipeline(again=True) as pipeline:
        report.other_rules = sum(opened.corpus.documents.with_other_rules(config.rule_fingerprints()).values())
        work = _Reextraction(opened, pipeline, report, keep_models=keep_models, metadata=metadata)
        asyncio.run(work.run(on_progress))
    return report


class _Reextraction:
    """Processes pages in the order of their fetches, a few ahead in the workers, and stores them by groups."""

    def __init__(
        self,
        opened: OpenCorpus,
        pipeline: PagePipeline,
        report: ReextractReport,
        *,
        keep_models: bool,
        metadata: bool,
    ) -> None:
        self._metadata = metadata
        self._config, self._corpus, self._locks = opened.config, opened.corpus, opened.locks
        self._pipeline, self._report = pipeline, report
        self._models, self._keep_models = opened.models, keep_models

    async def run(self, on_progress: Callable[[int], None]) -> None:
        """Process and store all pages."""
        ahead: deque[tuple[StoredFetch, Lease, asyncio.Task[Processed]]] = deque()
        group: list[tuple[StoredFetch, Lease, Processed]] = []

        async def take_first() -> None:
            fetch, lease, processing = ahead.popleft()
            group.append((fetch, lease, await processing))
            if len(group) >= GROUP:
                await self._store(group)
                group.clear()
                on_progress(self._report.pages)

        for fetch, lease, capture in self._originals():
            used = self._corpus.models.used_by(fetch.fetch_id) if self._keep_models else None
            kept = None if used is None else self._models.as_made(lease.site, used)
            model = kept or self._models.newest[lease.site]
            processing = self._pipeline.process(capture, lease.site, fetch.fetch_id, model=model)
            ahead.append((fetch, lease, asyncio.ensure_future(processing)))
            # The task hands the page to a worker.
            await asyncio.sleep(0)
            if len(ahead) >= 4 * self._pipeline.pool.size:
                await take_first()
        while ahead:
            await take_first()
        await self._store(group)

    def _originals(self) -> Iterator[tuple[StoredFetch, Lease, Capture]]:
        """Yield the pages with a readable original, and count the others."""
        store, report, expired = self._config.originals.streaming(), self._report, self._expired_files()
        for fetch, lease in store.ahead(self._kept(expired), lambda kept: kept[0].pointer.warc):
            try:
                capture = replace(read_record(store, fetch.pointer), kind=fetch.kind, terms=fetch.terms)
            except ObjectStorageError:
                # Each further page would wait for the server as long as this one.
                raise
            except (CorpusError, OSError) as error:
                if fetch.pointer.warc not in report.missing:
                    # A crawl of other sites removes files at its end.
                    expired |= self._expired_files()
                if fetch.pointer.warc in expired:
                    report.removed += 1
                else:
                    self._count_unreadable(fetch, error)
                continue
            yield fetch, lease, capture

    def _kept(self, expired: set[str]) -> Iterator[tuple[StoredFetch, Lease]]:
        """Yield the pages whose originals are kept here. Count those removed by rule, and those on other machines."""
        sites, away = self._config.site_names, elsewhere(self._corpus, self._config.originals)
        for fetch in self._corpus.fetches(outcomes=PROCESSED, sites=sites):
            # The record of a text that was removed on request is empty, and a revisit of it refers to nothing.
            if fetch.lease is None or fetch.reason == REMOVED:
                continue
            if fetch.pointer.warc in expired:
                self._report.removed += 1
                continue
            if machine := away.get(fetch.pointer.warc):
                self._report.elsewhere[machine] += 1
                continue
            yield fetch, fetch.lease

    def _expired_files(self) -> set[str]:
        return {file.name for file in self._corpus.warc.files() if file.state == EXPIRED}

    def _count_unreadable(self, fetch: StoredFetch, error: Exception) -> None:
        """Count a page that cannot be read, and log why; a missing file only once."""
        store, name, report = self._config.originals, fetch.pointer.warc, self._report
        report.unreadable += 1
        if not isinstance(error, MissingFileError):
            logger.error("%s: %s", fetch.uri, error)
            return
        if name not in report.missing:
            where = f"{store.where}/{name[:300]}"
            logger.error("%s is missing; its pages keep their texts. Restore it from a backup.", where)
        report.missing[name] += 1

    async def _store(self, group: list[tuple[StoredFetch, Lease, Processed]]) -> None:
        """Store a group in one transaction, if the locks are still held, and compare it with the documents before."""
        self._locks.ensure()
        if self._metadata:
            found = ((fetch.fetch_id, lease, processed) for fetch, lease, processed in group)
            self._report.pages += len(group)
            self._report.healed += len(self._corpus.documents.reread(list(found)))
            return
        before = self._corpus.documents.known_texts([fetch.fetch_id for fetch, _, _ in group])
        after = [processed for _, _, processed in group]
        if not self._report.dry_run:
            store = self._pipeline.store
            after = await asyncio.gather(
                *(store(fetch.fetch_id, lease, processed, follow=False) for fetch, lease, processed in group)
            )
        for (fetch, _, _), new in zip(group, after, strict=True):
            self._count(fetch, before.get(fetch.fetch_id), new.document)

    def _count(self, fetch: StoredFetch, before: KnownText | None, after: Document | None) -> None:
        report = self._report
        report.pages += 1
        report.own_lines += count(after.own_lines) if after else 0
        if fetch.reason in TEXT_KNOWN or (before is None and after is None):
            report.unchanged += 1
        elif before is None:
            report.gained += 1
        elif after is None:
            report.lost += 1
            report.lost_urls.append(fetch.uri)
        else:
            same = before.is_same(after)
            rescored = same and before.confidence != after.confidence
            report.changed += not same
            report.rescored += rescored
            report.unchanged += same and not rescored
