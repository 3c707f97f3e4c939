"""Learning site models from the pages that earlier runs have stored.

A crawl learns before its first request, so its texts depend on earlier runs only. It learns sites without a model, and
sites that have grown enough since their last model. Its time is limited: other sites wait for the next crawl, so those
that have grown most come first. All models are stored in one transaction at the end, and earlier models are kept.
"""

from __future__ import annotations

import logging
import time
from collections import Counter, deque
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from corpus_spider.archive import missing_files
from corpus_spider.crawling.open_corpus import open_for_reading, open_for_writing
from pipelines.extractors.auto.blocks.site_template import KEY
from pipelines.extractors.auto.blocks.template_learning import SCHEME, THRESHOLDS, learn
from storage.bytes.lines import count, pack
from storage.documents.own_lines import PageLines
from storage.documents.recurring_lines import shared
from storage.documents.site_models import LearnedModel
from storage.errors import CorpusError
from storage.reporting import counted
from storage.warc import read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from corpus_spider.config.model import Config
    from corpus_spider.terminal.console import Console
    from pipelines.extractors.auto.blocks.template_learning import Survey
    from pipelines.runtime.workers import WorkerPool
    from storage.corpus import Corpus
    from storage.documents.recurring_lines import SiteLines

logger = logging.getLogger(__name__)

SAMPLE = 60
"""Pages that a site model is learned from: the newest ones, since layouts change."""
SECONDS = 60.0
"""Maximum seconds of learning at the start of a crawl."""
UNLIMITED_SECONDS = 10.0**9
NEW_DOCUMENTS = 100
"""New documents after which a site is learned again: a new layout or campaign is known after some nights.

The work for each new document is bounded: less than one page surveyed, and 20 texts read.
"""


@dataclass(frozen=True, slots=True)
class SiteLearning:
    """Result of learning at one site: number of distinct pages, and of texts that recur on them."""

    site: str
    documents: int
    pages: int = 0
    recurring: int = 0
    model: str = ""
    """Id of the learned model; empty when there were too few pages."""
    lines: int = 0
    """Lines that recur in the texts, with any extractor."""
    own_lines: int = 0
    """The publisher's own lines among them, and among those that were left out of texts."""
    shared: float = 0.0
    """Share of the site's paragraphs that also occur in texts of other sites."""


def learn_sites(
    config: Config, *, dry_run: bool = False, on_progress: Callable[[int], None] = lambda _: None
) -> list[SiteLearning]:
    """Learn a model of every configured site from its newest pages. With ``dry_run`` nothing is stored.

    Raises CorpusError when the corpus cannot be opened, or a crawl holds a site or has taken a lost lock.
    """
    opening = open_for_reading(config) if dry_run else open_for_writing(config, new_pages=False)
    with opening as opened:
        corpus, locks = opened.corpus, opened.locks
        if files := Counter(missing_files.elsewhere(corpus, config.originals).values()):
            logger.warning(
                "not learned from, because they can be read there only: %s",
                missing_files.on_machines(files, "WARC file"),
            )
        counts = corpus.documents.count_by_site(config.site_names)
        learned = _Learner(config, corpus, opened.pool, UNLIMITED_SECONDS).learn(counts, on_progress)
        locks.ensure()
        if not dry_run:
            corpus.models.add([each.model for each in learned.values() if not each.model.is_empty])
        paragraphs, found = {}, []
        for site, each in learned.items():
            locks.ensure()
            if not dry_run:
                corpus.models.keep_lines(site, each.lines)
            paragraphs[site] = each.lines.paragraphs
            found.append(_result(each))
    elsewhere = shared(paragraphs)
    return [replace(each, shared=round(elsewhere[each.site], 4)) for each in found]


def render(found: Sequence[SiteLearning], console: Console) -> None:
    """Write the results as a table, unless the console is quiet."""
    if not console.quiet:
        columns = tuple(field.name for field in fields(SiteLearning))
        console.table("Sites", columns, [tuple(str(value) for value in asdict(each).values()) for each in found])


def _result(learned: _LearnedSite) -> SiteLearning:
    model, lines = learned.model, learned.lines
    texts, own_lines = len(model.template) // KEY.itemsize, count(model.own_lines)
    known = "" if model.is_empty else model.id
    return SiteLearning(model.site, model.documents, model.pages, texts, known, len(lines.recurring), own_lines)


def learn_due(config: Config, corpus: Corpus, pool: WorkerPool, seconds: float = SECONDS) -> None:
    """Learn the sites that are due, within so many seconds. The caller holds their locks."""
    if not config.crawl.site_models:
        return
    counts = corpus.documents.count_by_site(config.site_names)
    known = corpus.models.newest(tuple(counts))
    growth = {
        site: number / (known[site].documents or 1) if site in known else UNLIMITED_SECONDS
        for site, number in counts.items()
    }
    due = {
        site: counts[site]
        for site in sorted(counts, key=lambda site: -growth[site])
        if is_due(counts[site], known.get(site))
    }
    if not due:
        return
    learned = _Learner(config, corpus, pool, seconds).learn(due)
    corpus.models.add([each.model for each in learned.values()])
    for site, each in learned.items():
        corpus.models.keep_lines(site, each.lines)
        found = _result(each)
        texts, pages = counted(found.recurring, "text"), counted(found.pages, "page")
        lines = counted(found.own_lines, "line")
        logger.info("%s: learned on %s; recurring: %s; the publisher's own: %s", site, pages, texts, lines)
    if missed := len(due) - len(learned):
        logger.info("left to be learned at the next crawl: %s", counted(missed, "site"))


def is_due(documents: int, known: LearnedModel | None) -> bool:
    """Return whether a site is due: it has enough documents, and no model or has doubled or grown by a number since."""
    if documents < THRESHOLDS.sample:
        return False
    if known is None or known.scheme != SCHEME:
        return True
    return documents > min(2 * known.documents, known.documents + NEW_DOCUMENTS)


@dataclass(frozen=True, slots=True)
class _LearnedSite:
    """What was learned of a site: its model, and its recurring lines."""

    model: LearnedModel
    lines: SiteLines


class _Learner:
    """Surveys pages in workers until its time is over."""

    def __init__(self, config: Config, corpus: Corpus, pool: WorkerPool, seconds: float) -> None:
        self._corpus, self._pool, self._store = corpus, pool, config.originals.streaming()
        self._end = time.monotonic() + seconds
        self._now = datetime.now(UTC)

    def learn(
        self, documents: dict[str, int], on_progress: Callable[[int], None] = lambda _: None
    ) -> dict[str, _LearnedSite]:
        """Learn sites, given the number of documents of each. Sites that time was too short for are left out."""
        found: dict[str, _LearnedSite] = {}
        for site, number in documents.items():
            try:
                surveys = list(self._surveys(site))
            except TimeoutError:
                break
            learned = learn(surveys)
            lines = self._corpus.models.learn_lines(site, PageLines(learned.on_pages, learned.pages))
            model = LearnedModel(site, self._now, SCHEME, learned.pages, number, learned.template, pack(lines.own))
            found[site] = _LearnedSite(model, lines)
            on_progress(len(found))
        return found

    def _surveys(self, site: str) -> Iterator[Survey]:
        """Survey the newest pages of a site, a few ahead in the workers. Raises TimeoutError when time is over."""
        ahead: deque[Future[Survey]] = deque()
        try:
            newest = self._corpus.models.newest_pages(site, SAMPLE)
            for pointer in self._store.ahead(newest, lambda pointer: pointer.warc):
                try:
                    ahead.append(self._pool.survey(read_record(self._store, pointer)))
                except (CorpusError, OSError) as error:
                    logger.debug("cannot learn from a page of %s: %s", site, error)
                if len(ahead) >= 4 * self._pool.size:
                    yield self._in_time(ahead.popleft())
            while ahead:
                yield self._in_time(ahead.popleft())
        finally:
            # The crawl goes on with these workers.
            for future in ahead:
                future.cancel()

    def _in_time(self, future: Future[Survey]) -> Survey:
        return future.result(max(0.0, self._end - time.monotonic()))
