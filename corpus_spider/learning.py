"""Site models: learned from what earlier runs have stored, kept for ever, and handed to whoever reads a page.

A crawl learns before it asks for anything, so what it reads depends on earlier runs only. It learns of sites without a
model and of those that have grown twice as large since; the time it takes is bounded, and what it did not get to waits
for the next crawl. All models are stored in one transaction at the end.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pipelines.recurrence import SCHEME, THRESHOLDS, learn
from pipelines.workers import WorkerLimits, WorkerPool
from storage.corpus import Corpus
from storage.counting import counted
from storage.errors import CorpusError
from storage.lines import shared
from storage.locks import SiteLocks
from storage.site_models import LearnedModel
from storage.warc import read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from corpus_spider.config import Config
    from corpus_spider.console import Console
    from pipelines.recurrence import Survey
    from storage.records import SiteModel

logger = logging.getLogger(__name__)

SAMPLE = 60
"""Pages of a site that are learned from; its newest, since layouts change."""
SECONDS = 60.0
"""What a crawl may spend on learning at its start."""
FOR_EVER = 10.0**9


class Models:
    """With which model a page is read: the rules of its site and, where there is one, what was learned of the site."""

    def __init__(self, config: Config, corpus: Corpus) -> None:
        self._corpus = corpus
        self._rules = {site.name: config.site_model(site) for site in config.sites}
        learned = corpus.models.newest(tuple(self._rules)) if config.crawl.site_models else {}
        self.newest = {site: with_learned(rules, learned.get(site)) for site, rules in self._rules.items()}
        """By site: what pages are read with today."""
        self._found: dict[str, LearnedModel | None] = {}

    def as_made(self, site: str, version: str) -> SiteModel | None:
        """Return today's rules with what was learned when a document was made, by its ``site_model``.

        None when the site is not configured any more, or what was learned then is gone or means nothing any more.
        """
        rules, learned_id = self._rules.get(site), version.partition("-")[2]
        if rules is None or not learned_id:
            return rules
        if learned_id not in self._found:
            self._found[learned_id] = self._corpus.models.find(learned_id)
        model = with_learned(rules, self._found[learned_id])
        return model if model.template else None


def with_learned(rules: SiteModel, learned: LearnedModel | None) -> SiteModel:
    """Add to the rules what was learned, unless that is nothing or names blocks in another way than this program."""
    if learned is None or not learned.template or learned.scheme != SCHEME:
        return rules
    return replace(rules, version=f"{rules.version}-{learned.id}", template=learned.template)


@dataclass(frozen=True, slots=True)
class SiteLearning:
    """What learning came to at a site: how many different pages there were, and how many texts recur on them."""

    site: str
    documents: int
    pages: int = 0
    recurring: int = 0
    model: str = ""
    """The id of what was learned; empty when the pages were too few."""
    lines: int = 0
    """Lines that recur in the texts, whatever the extractor."""
    shared: float = 0.0
    """Share of its paragraphs that stand in other texts at other sites too."""


def learn_sites(
    config: Config, *, dry_run: bool = False, on_progress: Callable[[int], None] = lambda _: None
) -> list[SiteLearning]:
    """Learn of every configured site from its newest pages; with ``dry_run`` nothing is stored.

    Raises CorpusError when the corpus cannot be opened or a crawl holds a site, also one that has taken locks that were
    lost.
    """
    sites = tuple(site.name for site in config.sites)
    with ExitStack() as stack:
        corpus = stack.enter_context(Corpus.open(config.database_url, read_only=dry_run))
        locks = SiteLocks(corpus, sites, config.warc_folder / "locks")
        if not dry_run:
            stack.enter_context(locks)
        counts = corpus.documents.count_by_site(sites)
        learned = _Learner(config, corpus, FOR_EVER).learn(counts, on_progress)
        locks.ensure()
        if not dry_run:
            corpus.models.add([model for model in learned.values() if model.template])
        paragraphs, told = {}, []
        for site in sites:
            locks.ensure()
            lines = corpus.models.learn_lines(site)
            if not dry_run:
                corpus.models.keep_lines(site, lines)
            paragraphs[site] = lines.paragraphs
            told.append(replace(_told(site, counts[site], learned.get(site)), lines=len(lines.recurring)))
    elsewhere = shared(paragraphs)
    return [replace(each, shared=round(elsewhere[each.site], 4)) for each in told]


def render(found: Sequence[SiteLearning], console: Console) -> None:
    """Write it as a table, unless quiet is asked for."""
    if not console.quiet:
        columns = tuple(field.name for field in fields(SiteLearning))
        console.table("Sites", columns, [tuple(str(value) for value in asdict(each).values()) for each in found])


def _told(site: str, documents: int, model: LearnedModel | None) -> SiteLearning:
    if model is None:
        return SiteLearning(site, documents)
    return SiteLearning(site, documents, model.pages, len(model.template) // 8, model.id if model.template else "")


def learn_due(config: Config, corpus: Corpus, seconds: float = SECONDS) -> None:
    """Learn of the sites that are due, for so many seconds; the caller holds their locks."""
    if not config.crawl.site_models:
        return
    counts = corpus.documents.count_by_site([site.name for site in config.sites])
    known = corpus.models.newest(tuple(counts))
    due = {site: number for site, number in counts.items() if is_due(number, known.get(site))}
    if not due:
        return
    learned = _Learner(config, corpus, seconds).learn(due)
    corpus.models.add(list(learned.values()))
    for model in learned.values():
        corpus.models.keep_lines(model.site, corpus.models.learn_lines(model.site))
        texts, pages = counted(len(model.template) // 8, "text"), counted(model.pages, "page")
        logger.info("%s: learned on %s; recurring: %s", model.site, pages, texts)
    if missed := len(due) - len(learned):
        logger.info("left to be learned at the next crawl: %s", counted(missed, "site"))


def is_due(documents: int, known: LearnedModel | None) -> bool:
    """Say whether to learn of a site: it has pages enough, and no model or one from when it was less than half."""
    if documents < THRESHOLDS.sample:
        return False
    return known is None or known.scheme != SCHEME or documents > 2 * known.documents


class _Learner:
    """Surveys pages in workers until its time is over."""

    def __init__(self, config: Config, corpus: Corpus, seconds: float) -> None:
        self._config, self._corpus = config, corpus
        self._end = time.monotonic() + seconds
        self._now = datetime.now(UTC)

    def learn(
        self, documents: dict[str, int], on_progress: Callable[[int], None] = lambda _: None
    ) -> dict[str, LearnedModel]:
        """Learn of sites, given how many documents each has; those that time was too short for are left out."""
        crawl = self._config.crawl
        limits = WorkerLimits(crawl.page_timeout, crawl.page_memory)
        found: dict[str, LearnedModel] = {}
        with closing(WorkerPool(self._config.workers, limits)) as pool:
            for site, number in documents.items():
                try:
                    surveys = list(self._surveys(site, pool))
                except TimeoutError:
                    break
                learned = learn(surveys)
                found[site] = LearnedModel(site, self._now, SCHEME, learned.pages, number, learned.template)
                on_progress(len(found))
        return found

    def _surveys(self, site: str, pool: WorkerPool) -> Iterator[Survey]:
        """Survey the newest pages of a site, a few ahead in the workers. Raises TimeoutError when time is over."""
        ahead: deque[Future[Survey]] = deque()
        for pointer in self._corpus.models.newest_pages(site, SAMPLE):
            try:
                ahead.append(pool.survey(read_record(self._config.warc_folder, pointer)))
            except (CorpusError, OSError) as error:
                logger.debug("cannot learn from a page of %s: %s", site, error)
            if len(ahead) >= 4 * pool.size:
                yield self._in_time(ahead.popleft())
        yield from map(self._in_time, ahead)

    def _in_time(self, future: Future[Survey]) -> Survey:
        return future.result(max(0.0, self._end - time.monotonic()))
