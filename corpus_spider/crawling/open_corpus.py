"""An open corpus with everything that pages need: site locks, worker processes, site models, archive, page pipeline.

Crawl, import, re-extraction and learning all open a corpus here.
"""

from __future__ import annotations

from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from corpus_spider.archive.missing_files import look_for_files
from corpus_spider.archive.ownership import claim, name_machine
from corpus_spider.archive.recovery import recover
from corpus_spider.archive.redaction import carry_out
from corpus_spider.archive.writer import GuardedArchive, prepare_folders
from corpus_spider.crawling import fingerprints
from corpus_spider.crawling.site_models import ConfiguredModels
from pipelines.runtime.heap import share_heap
from pipelines.runtime.page_pipeline import PagePipeline, PipelineSettings
from pipelines.runtime.workers import WorkerPool
from storage.corpus import Corpus
from storage.locking.locks import SiteLocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from corpus_spider.config.model import Config
    from storage.runs.allowance import Allowance


@dataclass(frozen=True)
class OpenCorpus:
    """A corpus that is open, its site locks and a pool of worker processes."""

    config: Config
    corpus: Corpus
    locks: SiteLocks
    pool: WorkerPool

    @cached_property
    def models(self) -> ConfiguredModels:
        """The site models at the first use. A crawl learns before it."""
        return ConfiguredModels(self.config, self.corpus)

    def archive(self, run_id: int | None = None) -> GuardedArchive:
        """Return the WARC writer of a crawl run or, without a run, of an import. The caller closes it."""
        return GuardedArchive(self.config, self.corpus, run_id, self.locks)

    def pipeline(
        self,
        archive: GuardedArchive | None = None,
        run_id: int | None = None,
        *,
        again: bool = False,
        held: int = 64,
        allowances: Mapping[str, Allowance] | None = None,
    ) -> PagePipeline:
        """Return a page pipeline. The caller closes it before the archive.

        ``archive``: None when no new page comes in. ``again``: outcomes replace those that the pages have.
        ``held``: maximum pages in memory between the two transactions. ``allowances``: see `PipelineSettings`.
        """
        config = self.config
        settings = PipelineSettings(
            originals=config.originals.streaming(),
            models=self.models.newest,
            run_id=run_id,
            max_depth={site.name: config.site_max_depth(site) for site in config.sites},
            feeds_only=frozenset(site.name for site in config.sites if site.feeds_only),
            own_sources=frozenset(site.name for site in config.sites if not (site.feeds or site.sitemaps)),
            again=again,
            max_held=held,
            allowances=allowances or {},
            suspended=(suspended := self.corpus.frontier.suspended(tuple(allowances)) if allowances else {}),
            largest_backlogs=self.corpus.runs.largest_backlogs(suspended) if suspended else {},
        )
        return PagePipeline(self.corpus, archive, self.pool, settings)


@contextmanager
def open_for_writing(
    config: Config, *, new_pages: bool = True, rebuild: bool = False, load_workers: bool = True
) -> Iterator[OpenCorpus]:
    """Lock the configured sites of a corpus and open it for writing.

    ``new_pages``: whether pages will be added, by a crawl or an import. Folders and database are made then, the folder
    is claimed for this corpus, and what a dead run left is recovered. Re-extraction and learning add no pages.
    ``rebuild``: an empty database may take over a folder with WARC files.
    ``load_workers``: load the workers' modules now, not with the first page.

    Raises ConfigError, DiskError, DatabaseError, LockedError or NewerCorpusError, and leaves nothing locked.
    """
    share_heap()
    if new_pages:
        prepare_folders(config)
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus.open(config.database_url, create=new_pages, machine=config.machine))
        sites = config.site_names
        locks = stack.enter_context(SiteLocks(corpus, sites, config.locks_folder))
        if new_pages:
            claim(config, corpus, rebuild=rebuild)
            recover(corpus, config.originals, sites)
        else:
            name_machine(config, corpus)
        carry_out(corpus, config.originals)
        if new_pages:
            look_for_files(corpus, config.originals, sites)
            corpus.documents.set_licences(config.site_licences())
            # The schedule takes a while with many sites, and only new pages change it.
            corpus = replace(corpus, schedule=config.schedule())
        fingerprints.renew(corpus, config.workers)
        pool = stack.enter_context(closing(_worker_pool(config, load=load_workers)))
        yield OpenCorpus(config, corpus, locks, pool)


@contextmanager
def open_for_reading(config: Config) -> Iterator[OpenCorpus]:
    """Open a corpus for a dry run: no site is locked, and nothing can be written."""
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus.open(config.database_url, read_only=True, machine=config.machine))
        locks = SiteLocks(corpus, config.site_names, config.locks_folder)
        yield OpenCorpus(config, corpus, locks, stack.enter_context(closing(_worker_pool(config))))


def _worker_pool(config: Config, *, load: bool = True) -> WorkerPool:
    extractors = {site.extractor for site in config.sites}
    return WorkerPool(config.workers, config.worker_limits, load=load, extractors=extractors)
