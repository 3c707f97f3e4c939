"""Everything one run holds: site locks, database, archive, workers. Opened before the first request, closed after the
last.
"""

from __future__ import annotations

import logging
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from corpus_spider import adoption, health, recovery, retention
from corpus_spider.connection import require_proxies
from corpus_spider.dispatch import DispatchLimits
from corpus_spider.exit_codes import SICK
from corpus_spider.guarded_archive import GuardedArchive, prepare_folders
from corpus_spider.health_model import Rule
from corpus_spider.learning import Models, learn_due
from corpus_spider.owner import claim
from corpus_spider.pauses import HostPauses
from corpus_spider.rendering.chromium import require_browser
from pipelines.line import Line, LineParts
from pipelines.workers import WorkerLimits, WorkerPool
from pipelines.writer import Writer
from storage.corpus import Corpus
from storage.counting import counted
from storage.disk import allow_open_files
from storage.errors import CorpusError, DatabaseError
from storage.locks import SiteLocks

if TYPE_CHECKING:
    from corpus_spider.config import Config
    from corpus_spider.health_model import Finding
    from storage.nights import SiteRun

logger = logging.getLogger(__name__)

HELD_PAGES = 1000
"""Pages in memory between the two transactions: as many as the writer and the workers have to choose from."""
CONNECTIONS = 10
"""For each place of `concurrency`: one at work and, besides, those to slow hosts (downloader.SLOW_SHARE)."""
RESTING = 256
"""Connections without a request that are kept for the next one at most: a site may have hosts without number."""
OWN_FILES = 48
"""Libraries, log, database, originals and pipes to workers, and a connection or two."""
DONE, FAULT, NONE_SUCCEEDED, STOPPED, LIMITED, FORCED = 0, 1, 7, 11, 12, 13
ENDED = {
    DONE: "finished",
    NONE_SUCCEEDED: "finished",
    SICK: "finished",
    STOPPED: "stopped",
    LIMITED: "limit",
}
"""How a run ended, by exit code; everything else is an error."""


@dataclass(frozen=True, slots=True)
class Left:
    """What a run leaves to the next: how many URLs, how many pages that it fetched and did not read, and when (epoch
    seconds) the first is due. None: not known.
    """

    pending: int | None = None
    unread: int | None = None
    next_try: float | None = None

    @classmethod
    def of(cls, corpus: Corpus, sites: tuple[str, ...]) -> Left:
        """Look into the frontier."""
        return cls(count_pending(corpus, sites), corpus.count_unprocessed(sites), corpus.frontier.next_due(sites))


def _allow_files(config: Config) -> None:
    """See that the locks of all sites, as many connections as may be out and some files can be open at once."""
    locks = len(config.sites) if config.database_url.startswith("sqlite") else 0
    wanted = locks + CONNECTIONS * config.crawl.concurrency + RESTING + 2 * OWN_FILES
    allow_open_files(wanted, locks + OWN_FILES)


def _wake(corpus: Corpus, config: Config, sites: tuple[str, ...], *, now: bool) -> None:
    """Make pending what is due by now."""
    corpus.frontier.seed(config.seeds())
    woken = corpus.frontier.wake(sites, time.time(), sources=now)
    if woken:
        logger.info("due again: %s", counted(woken, "known URL"))


def count_pending(corpus: Corpus, sites: tuple[str, ...]) -> int:
    """Count the URLs of these sites that wait to be asked for; it takes a while when there are millions."""
    return corpus.frontier.count_pending(sites)


@dataclass(frozen=True, slots=True)
class Opened:
    """What was there to open: the corpus, the run's number, the archive."""

    config: Config
    corpus: Corpus
    run_id: int
    archive: GuardedArchive


class Session:
    """One run on one corpus. :meth:`open` takes the locks and repairs what a dead run left; :meth:`close` is safe to
    repeat.
    """

    def __init__(self, opened: Opened, stack: ExitStack) -> None:
        config = opened.config
        self.config, self.run_id = config, opened.run_id
        self.corpus, self.archive = opened.corpus, opened.archive
        self.writer = Writer(opened.run_id, opened.archive, opened.corpus)
        self.pool = WorkerPool(config.workers, WorkerLimits(config.crawl.page_timeout, config.crawl.page_memory))
        self.line = Line(self._parts())
        self.line.waiting = self.corpus.count_unprocessed(self.sites)
        self.ended = ""
        """Why the spider closed, in Scrapy's words, and after :meth:`close` in ours; empty while it runs."""
        self.limit = ""
        """The key of `[crawl]` that limited the run; empty where none ended it."""
        self.exit_code = FORCED
        """How the run ended; known after :meth:`close`."""
        self.sick: tuple[Finding, ...] = ()
        """What is wrong with sites; known after :meth:`close`, as is the rest."""
        self.site_runs: list[SiteRun] = []
        self._left = Left()
        self._stack = stack
        self._closed = False
        self._closing = threading.Lock()

    @classmethod
    def open(cls, config: Config, *, now: bool = False) -> Session:
        """Check, lock, recover and start a run. ``now``: every source is due.

        Raises ConfigError (no contact, no browser, no proxy), DiskError, DatabaseError, LockedError or
        NewerCorpusError, and leaves nothing held.
        """
        config.require_contact()
        require_browser(config)
        require_proxies()
        _allow_files(config)
        prepare_folders(config)
        with ExitStack() as stack:
            corpus = stack.enter_context(Corpus.open(config.database_url, create=True))
            sites = tuple(site.name for site in config.sites)
            locks = stack.enter_context(SiteLocks(corpus, sites, config.warc_folder / "locks"))
            claim(config, corpus)
            recovery.recover(corpus, config.warc_folder, sites)
            corpus.set_licences({site.name: site.licence for site in config.sites})
            learn_due(config, corpus)
            corpus = replace(corpus, schedule=config.schedule())
            _wake(corpus, config, sites, now=now)
            run_id = corpus.start_run(msgspec.json.encode(config.effective()).decode(), sites)
            adoption.take_up(config, corpus, run_id)
            archive = GuardedArchive(config, corpus, run_id, locks)
            stack.callback(archive.close)
            return cls(Opened(config, corpus, run_id, archive), stack.pop_all())
        raise AssertionError("unreachable")

    @property
    def sites(self) -> tuple[str, ...]:
        """Names of the sites this run crawls."""
        return tuple(site.name for site in self.config.sites)

    def dispatch_limits(self) -> DispatchLimits:
        """How much the dispatcher may have out at once."""
        crawl = self.config.crawl
        return DispatchLimits(
            run_id=self.run_id,
            sites=self.sites,
            # Where there is no delay, the next request is there when an answer comes.
            per_host=crawl.per_host if crawl.delay else 2 * crawl.per_host,
            total=4 * crawl.concurrency,
            most=(4 + CONNECTIONS) * crawl.concurrency,
            backlog=crawl.backlog,
            page_limit=crawl.page_limit,
            time_limit=crawl.time_limit,
            size_limit=crawl.size_limit,
            retries=crawl.retries,
        )

    def host_pauses(self) -> HostPauses:
        """Return which hosts are to be left alone; some have asked for it in an earlier run."""
        pauses, now = HostPauses(self.config.crawl.retries), time.time()
        for host, until in self.corpus.frontier.pauses(self.sites, now).items():
            pauses.resume(host, until - now)
        return pauses

    def summary(self) -> dict[str, Any]:
        """What went through, for the run's row and the last line of a crawl."""
        counts = self.line.counts
        return {
            "ended": self.ended,
            "limit": self.limit,
            "pages": counts.pages,
            "documents": counts.documents,
            "unchanged": counts.unchanged,
            "bytes": counts.bytes,
            "spilled": counts.spilled,
            "dropped": dict(counts.drops.most_common()),
            "failed": dict(counts.failures.most_common()),
            "first_failure": counts.first_failure,
            "sick": [str(finding) for finding in self.sick],
            "refused": counts.refused,
            "pending": self._left.pending,
            "unread": self._left.unread,
            "next_try": self._left.next_try,
            "seconds": {stage: round(seconds, 3) for stage, seconds in self.writer.seconds.items()},
            "worker_cpu_seconds": round(self.pool.cpu_seconds, 3),
            "worker_peak_kib": self.pool.peak_kib,
        }

    def close(self, exit_code: int) -> None:
        """Finish what is queued, give the leases back, note the end of the run, close and unlock."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._close(exit_code)

    def _close(self, exit_code: int) -> None:
        self.exit_code, self.ended = exit_code, ENDED.get(exit_code, "error")
        self.line.closing = True
        self.writer.close()
        self.pool.close()
        if self.writer.error is not None:
            # Its last records may have no rows: the next start gives them some.
            self.archive.abandon()
        with self._stack:
            try:
                if self.writer.error is None:
                    self.archive.require_database(now=True)
                    self.corpus.frontier.release(self.sites)
                    self._left = Left.of(self.corpus, self.sites)
                    self.corpus.count_runs(self.sites)
                self._note_end()
                if self.writer.error is None:
                    self._look_after()
            except CorpusError as error:
                self._fail_to_end(error)

    def _fail_to_end(self, error: CorpusError) -> None:
        """Have the run end with what happened in closing it, unless an error before has ended it and is told already.

        The next start takes back what was leased, and looks at the files, which keep their names for it.
        """
        if self.line.error is not None:
            logger.debug("cannot note the end of the run: %s", error)
            return
        self.line.break_down(error)
        self.archive.abandon()
        if self.exit_code not in {STOPPED, FORCED}:
            self.exit_code, self.ended = error.exit_code, "error"
            with suppress(CorpusError):
                self._note_end()

    def _note_end(self) -> None:
        self.corpus.finish_run(self.run_id, self.exit_code, msgspec.json.encode(self.summary()).decode())

    def _look_after(self) -> None:
        """Read what the run came to at each site, and which are sick: with one, a run that is done ends as `SICK`."""
        self.site_runs = self.corpus.site_runs(self.sites, run_id=self.run_id)
        self.sick = health.examine(self.corpus, self.config, Rule()).sick
        if self.sick:
            self.exit_code = SICK if self.exit_code == DONE else self.exit_code
            self._note_end()
        # What this run wrote is to have its final names.
        self.archive.close()
        retention.apply(self.corpus, self.config)

    def _parts(self) -> LineParts:
        config = self.config
        return LineParts(
            run_id=self.run_id,
            corpus=self.corpus,
            writer=self.writer,
            pool=self.pool,
            warc_folder=config.warc_folder,
            models=Models(config, self.corpus).newest,
            max_depth={site.name: config.site_max_depth(site) for site in config.sites},
            bound=HELD_PAGES,
        )


def exit_code(session: Session, *, stopped: bool) -> int:
    """Tell how a run ended (pure but for reading its counts); the first that applies.

    An error of ours, a fault, a signal, a limit, no answer to anything that was due; what is done may turn out sick.
    """
    error, counts = session.line.error, session.line.counts
    if stopped and isinstance(error, DatabaseError):
        # The signal ended the waiting for a database that is away.
        return STOPPED
    if isinstance(error, CorpusError):
        return error.exit_code
    if error is not None or session.ended not in {"finished", "shutdown"}:
        return FAULT
    if stopped:
        return STOPPED
    if session.limit:
        return LIMITED
    # A page that robots.txt keeps back is no failure of the night; a site that refuses all that leads into it is one.
    tried = counts.pages + counts.failures.total() + counts.refused_sources
    return NONE_SUCCEEDED if tried and not counts.answered else DONE
