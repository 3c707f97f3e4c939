"""Work over what is already there: texts made anew from the stored originals. Nothing is fetched."""

from __future__ import annotations

import logging
from collections import Counter, deque
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from corpus_spider.learning import Models
from pipelines.workers import WorkerLimits, WorkerPool
from storage.corpus import Corpus
from storage.errors import CorpusError
from storage.locks import SiteLocks
from storage.outcomes import SAME_PAGE
from storage.retention import REMOVED as EXPIRED
from storage.tombstones import REMOVED
from storage.visits import UNCHANGED_TEXT
from storage.warc import is_file_name, read_record
from storage.warc.writer import OPEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from corpus_spider.config import Config
    from storage.fetches import StoredFetch
    from storage.holdings import CorpusDocument
    from storage.records import Document, Processed, SiteModel

logger = logging.getLogger(__name__)

GROUP = 100
"""Pages whose texts are stored in one transaction."""
PROCESSED = ("document", "drop")
TEXT_KNOWN = frozenset({UNCHANGED_TEXT, SAME_PAGE})
COMPARED = ("text", "kinds", "captions", "comments")
"""What makes a document a changed one when it is made anew."""


@dataclass(slots=True)
class ReextractReport:
    """What making the texts anew came to."""

    pages: int = 0
    unchanged: int = 0
    changed: int = 0
    rescored: int = 0
    """Documents that have another confidence, and all else as it was."""
    gained: int = 0
    """Pages that gave no document before."""
    lost: int = 0
    """Pages that give none any more; the reason is stored."""
    unreadable: int = 0
    """Pages whose original cannot be read; they keep what is stored of them."""
    dry_run: bool = False
    removed: int = 0
    """Pages whose originals went by rule ([archive]); they keep their texts."""
    missing: Counter[str] = field(default_factory=Counter)
    """WARC files that are not there, and how many of the unreadable pages lie in each."""


def reextract(
    config: Config,
    *,
    dry_run: bool = False,
    keep_models: bool = False,
    on_progress: Callable[[int], None] = lambda _: None,
) -> ReextractReport:
    """Process every page of the configured sites again from its WARC record and store what comes out.

    With the newest site models; with ``keep_models`` each document with the one it was made with, if that is still
    there.
    Document ids and versions stay. Raises CorpusError when the corpus cannot be opened or a crawl holds a site.
    """
    report = ReextractReport(dry_run=dry_run)
    sites = tuple(site.name for site in config.sites)
    limits = WorkerLimits(config.crawl.page_timeout, config.crawl.page_memory)
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus.open(config.database_url, read_only=dry_run))
        locks = SiteLocks(corpus, sites, config.warc_folder / "locks")
        if not dry_run:
            stack.enter_context(locks)
        pool = stack.enter_context(closing(WorkerPool(config.workers, limits)))
        group: list[tuple[StoredFetch, Processed]] = []
        choose = _choice(Models(config, corpus), corpus, keep=keep_models)
        for made in _made_anew(config, corpus, _Reader(pool, choose), report):
            group.append(made)
            if len(group) >= GROUP:
                locks.ensure()
                _store(corpus, group, report)
                on_progress(report.pages)
        locks.ensure()
        _store(corpus, group, report)
    return report


@dataclass(frozen=True, slots=True)
class _Reader:
    """The workers, and which model they read a page with."""

    pool: WorkerPool
    choose: Callable[[StoredFetch, str], SiteModel]


def _choice(models: Models, corpus: Corpus, *, keep: bool) -> Callable[[StoredFetch, str], SiteModel]:
    """Return the function that says which model to read a page of a site with."""

    def choose(fetch: StoredFetch, site: str) -> SiteModel:
        used = corpus.models.used_by(fetch.fetch_id) if keep else None
        kept = None if used is None else models.as_made(site, used)
        return kept or models.newest[site]

    return choose


def _made_anew(
    config: Config, corpus: Corpus, reader: _Reader, report: ReextractReport
) -> Iterator[tuple[StoredFetch, Processed]]:
    """Yield each page with its new outcome, in the order of the fetches, a few pages ahead in the workers."""
    ahead: deque[tuple[StoredFetch, Future[Processed]]] = deque()
    expired = _expired(corpus)
    for fetch in corpus.fetches(outcomes=PROCESSED, sites=tuple(site.name for site in config.sites)):
        # What was taken out on request has been emptied: there is nothing to read, least of all where a revisit of it
        # refers to.
        if fetch.lease is None or fetch.reason == REMOVED:
            continue
        report.removed += fetch.pointer.warc in expired
        if fetch.pointer.warc in expired:
            continue
        try:
            capture = replace(read_record(config.warc_folder, fetch.pointer), kind=fetch.kind, terms=fetch.terms)
        except (CorpusError, OSError) as error:
            if fetch.pointer.warc not in report.missing:
                # A crawl of other sites removes files at its end.
                expired |= _expired(corpus)
            _count_unread(config.warc_folder, fetch, report, None if fetch.pointer.warc in expired else error)
            continue
        ahead.append((fetch, reader.pool.submit(capture, reader.choose(fetch, fetch.lease.site))))
        if len(ahead) >= 4 * reader.pool.size:
            first, future = ahead.popleft()
            yield first, future.result()
    for fetch, future in ahead:
        yield fetch, future.result()


def _expired(corpus: Corpus) -> set[str]:
    return {file.name for file in corpus.warc.files() if file.state == EXPIRED}


def _count_unread(folder: Path, fetch: StoredFetch, report: ReextractReport, error: Exception | None) -> None:
    """Count a page that cannot be read, and say why, of a missing file once; no error: its file went by rule."""
    if error is None:
        report.removed += 1
        return
    report.unreadable += 1
    name = fetch.pointer.warc
    if is_file_name(name) and any((folder / each).exists() for each in (name, name + OPEN)):
        logger.error("%s: %s", fetch.uri, error)
        return
    if name not in report.missing:
        logger.error("%s is missing; its pages keep their texts. Restore it from a backup.", folder / name[:300])
    report.missing[name] += 1


def _store(corpus: Corpus, group: list[tuple[StoredFetch, Processed]], report: ReextractReport) -> None:
    before = [corpus.documents.of_fetch(fetch.fetch_id) if fetch.outcome == "document" else None for fetch, _ in group]
    stored: dict[int, Processed] = {}
    if not report.dry_run and group:
        rows = [(fetch.fetch_id, fetch.lease, processed) for fetch, processed in group if fetch.lease]
        stored = corpus.documents.record_processed(rows, again=True)
    for document, (fetch, processed) in zip(before, group, strict=True):
        _count(document, fetch, stored.get(fetch.fetch_id, processed).document, report)
    group.clear()


def _count(before: CorpusDocument | None, fetch: StoredFetch, after: Document | None, report: ReextractReport) -> None:
    report.pages += 1
    if fetch.reason in TEXT_KNOWN or (before is None and after is None):
        report.unchanged += 1
    elif before is None:
        report.gained += 1
    elif after is None:
        report.lost += 1
    else:
        same = all(getattr(before, name) == getattr(after, name) for name in COMPARED)
        rescored = same and before.confidence != after.confidence
        report.changed += not same
        report.rescored += rescored
        report.unchanged += same and not rescored
