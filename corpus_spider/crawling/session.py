"""Crawl session: one run on an open corpus, from the first request to the last row."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

import msgspec

from corpus_spider.archive import adoption, missing_files, retention
from corpus_spider.crawling import link_rules
from corpus_spider.crawling.model_learning import learn_due
from corpus_spider.crawling.open_corpus import open_for_writing
from corpus_spider.crawling.open_files import CONNECTIONS, open_files
from corpus_spider.exit_codes import DONE, ENDED, FORCED, INTERNAL, LIMITED, NONE_SUCCEEDED, SICK, STOPPED
from corpus_spider.monitoring import health
from corpus_spider.monitoring.advice import suspended_sites
from corpus_spider.monitoring.model import HealthThresholds, PausedHost
from corpus_spider.network.connection import require_proxies
from corpus_spider.rendering.chromium import require_browser
from corpus_spider.terminal.crawl_words import closing_words
from pipelines.discovery.site_budget import MAX_BACKLOG
from pipelines.runtime.workers import start_fork_server
from storage.disk import allow_open_files
from storage.errors import CorpusError, DatabaseError
from storage.frontier.recrawl_schedule import moment
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from corpus_spider.archive.writer import GuardedArchive
    from corpus_spider.config.model import Config
    from corpus_spider.crawling.dispatcher import DispatchLimits
    from corpus_spider.crawling.host_backoff import HostPauses
    from corpus_spider.crawling.link_rules import ChangedRules
    from corpus_spider.crawling.open_corpus import OpenCorpus
    from corpus_spider.crawling.run_summary import RunSummary
    from corpus_spider.monitoring.model import SiteProblem
    from storage.corpus import Corpus
    from storage.runs.allowance import Allowance
    from storage.runs.site_runs import SiteRun

logger = logging.getLogger(__name__)

RETRY_PATIENCE = 30.0
"""Maximum seconds that a run waits for the next retry. Later ones are for the next run."""
HELD_PAGES = 1000
"""Maximum pages in memory between the two transactions. The writer groups them, and the workers take them."""


@dataclass(frozen=True, slots=True)
class RemainingWork:
    """Work left for the next run: pending URLs, unprocessed pages, next due time (epoch seconds). None if unknown."""

    pending: int | None = None
    unread: int | None = None
    next_try: float | None = None

    @classmethod
    def of(cls, corpus: Corpus, sites: tuple[str, ...]) -> RemainingWork:
        """Read the frontier."""
        return cls(
            count_pending(corpus, sites), corpus.fetches.count_unprocessed(sites), corpus.frontier.next_due(sites)
        )


def count_pending(corpus: Corpus, sites: tuple[str, ...]) -> int:
    """Count the pending URLs of these sites. With millions of them it takes a while."""
    return corpus.frontier.count_pending(sites)


def try_suspended(corpus: Corpus, allowances: Mapping[str, Allowance]) -> None:
    """Return suspended URLs of each site to the queue, as many as texts that its allowance adds to the usual number.

    They show whether the site has come to an end. Sitemaps of a long backlog stay: they would only make it longer.
    """
    waiting = corpus.frontier.suspended(tuple(allowances))
    for is_long in (False, True):
        limits = {site: allowances[site].extra for site, count in waiting.items() if (count > MAX_BACKLOG) is is_long}
        corpus.frontier.try_suspended(limits, sources=not is_long)


class Session:
    """One crawl run on one corpus. :meth:`open` starts it; :meth:`close` ends it and is safe to repeat."""

    def __init__(
        self,
        opened: OpenCorpus,
        archive: GuardedArchive,
        run_id: int,
        stack: ExitStack,
        allowances: Mapping[str, Allowance],
    ) -> None:
        """``allowances``: the nightly allowance by site. Sites without one are not held back."""
        self.config, self.corpus, self.run_id = opened.config, opened.corpus, run_id
        self.archive, self.pool, self.locks = archive, opened.pool, opened.locks
        self.pipeline = opened.pipeline(archive, run_id, held=HELD_PAGES, allowances=allowances)
        self.pipeline.waiting = self.corpus.fetches.count_unprocessed(self.sites)
        self.ended = ""
        """Why the spider closed, in Scrapy's words, and after :meth:`close` in ours. Empty while it runs."""
        self.limit = ""
        """The key of `[crawl]` that limited the run, or empty."""
        self.exit_code = FORCED
        """How the run ended, after :meth:`close`."""
        self.sick: tuple[SiteProblem, ...] = ()
        """Findings about failing sites, after :meth:`close`."""
        self.paused: list[PausedHost] = []
        """Hosts that the run leaves paused while URLs of them are due, after :meth:`close`."""
        self.site_runs: list[SiteRun] = []
        """Counters by site, after :meth:`close`."""
        self.rule_changes: list[ChangedRules] = []
        """Counts of queued URLs that changed link rules took out and let in, by site."""
        self.missing: Counter[str] = Counter()
        """Pages that wait for a missing WARC file, by file, after :meth:`close`."""
        self.elsewhere: Counter[str] = Counter()
        """Pages that wait for another machine, by machine, after :meth:`close`."""
        self._left = RemainingWork()
        self._pauses: HostPauses | None = None
        self._stack = stack
        self._closed = False
        self._closing = threading.Lock()

    @classmethod
    def open(
        cls,
        config: Config,
        *,
        now: bool = False,
        rebuild: bool = False,
        forget_pending: bool = False,
        release: bool = False,
    ) -> Session:
        """Check, lock, recover, learn and start a run. ``now``: every source is due. ``rebuild``: see open_for_writing.

        ``forget_pending``: delete the URLs that were found in pages and never fetched. ``release``: fetch suspended
        URLs.

        Raises ConfigError (no contact, no browser, no proxy), DiskError, DatabaseError, LockedError or
        NewerCorpusError, and leaves nothing locked.
        """
        config.require_contact()
        require_browser(config)
        require_proxies()
        allow_open_files(*open_files(config))
        with ExitStack() as stack:
            opened = stack.enter_context(open_for_writing(config, rebuild=rebuild, load_workers=False))
            corpus, sites = opened.corpus, config.site_names
            learn_due(config, corpus, opened.pool)
            corpus.frontier.seed(config.seeds())
            if forget_pending:
                logger.info("forgotten: %s", counted(corpus.frontier.forget_pending(sites), "pending URL"))
            # An archive that is crawled on purpose is not held back either.
            is_free = release or bool(config.crawl.since or config.crawl.until)
            if is_free and (count := corpus.frontier.release_suspended(sites, moment(config.crawl.since))):
                logger.info("released: %s", counted(count, "suspended URL"))
            changes = link_rules.follow(config, corpus)
            woken = corpus.frontier.wake(sites, time.time(), sources=now)
            # Links that were refused when they were found are not in the queue. The sources name the newest of them.
            if changes:
                woken += corpus.frontier.wake(changes, time.time(), sources=True)
            if woken:
                logger.info("due again: %s", counted(woken, "known URL"))
            if corpus.frontier.hosts(sites, time.time()):
                # The workers load while the crawl goes on. With nothing due only an unprocessed page starts them.
                start_fork_server()
            run_id = corpus.runs.start(msgspec.json.encode(config.effective()).decode(), sites)
            allowances = {} if is_free else corpus.runs.allowances(run_id)
            try_suspended(corpus, allowances)
            adoption.take_up(config, corpus, run_id)
            archive = opened.archive(run_id)
            stack.callback(archive.close)
            session = cls(opened, archive, run_id, stack.pop_all(), allowances)
            session.rule_changes = link_rules.rows(changes)
            return session
        raise AssertionError("unreachable")

    @property
    def sites(self) -> tuple[str, ...]:
        """Names of the sites this run crawls."""
        return self.config.site_names

    def is_idle(self) -> bool:
        """Return whether there is nothing to do: no URL is due soon, and no fetched page waits to be processed."""
        frontier, now = self.corpus.frontier, time.time()
        if self.pipeline.waiting or frontier.hosts(self.sites, now):
            return False
        retry = frontier.next_due(self.sites)
        return retry is None or retry - now > RETRY_PATIENCE

    def dispatch_limits(self) -> DispatchLimits:
        """Return the limits on leases that are out at once."""
        # Imported here: it imports Scrapy, which a run with nothing due does not need.
        from corpus_spider.crawling.dispatcher import DispatchLimits

        crawl = self.config.crawl
        return DispatchLimits(
            run_id=self.run_id,
            sites=self.sites,
            # Without a delay, the next request waits when a response comes.
            per_host=crawl.per_host if crawl.delay else 2 * crawl.per_host,
            total=4 * crawl.concurrency,
            most=(4 + CONNECTIONS) * crawl.concurrency,
            backlog=crawl.backlog,
            page_limit=crawl.page_limit,
            time_limit=crawl.time_limit,
            size_limit=crawl.size_limit,
            retries=crawl.retries,
            patience=RETRY_PATIENCE,
        )

    def host_pauses(self) -> HostPauses:
        """Return the paused hosts, including pauses that a host requested in an earlier run."""
        from corpus_spider.crawling.host_backoff import HostPauses

        pauses, now = HostPauses(self.config.crawl.retries), time.time()
        for host, until in self.corpus.frontier.pauses(self.sites, now).items():
            pauses.resume(host, until - now)
        self._pauses = pauses
        return pauses

    def _left_paused(self) -> list[PausedHost]:
        """Return the paused hosts with URLs due, by site and host."""
        pauses, frontier, now = self._pauses, self.corpus.frontier, time.time()
        if pauses is None:
            return []
        hosts = [host for host in frontier.hosts(self.sites, now) if pauses.left(host)]
        due = frontier.count_due(self.sites, hosts, now) if hosts else {}
        return [PausedHost(site, host, number, pauses.reason(host)) for (site, host), number in sorted(due.items())]

    def summary(self) -> RunSummary:
        """Return the counters of the run, for its row and the last line of a crawl."""
        counts = self.pipeline.counts
        return {
            "ended": self.ended,
            "limit": self.limit,
            "pages": counts.pages,
            "documents": counts.documents,
            "unchanged": counts.unchanged,
            "healed": counts.healed,
            "own_lines": counts.own_lines,
            "bytes": counts.bytes,
            "spilled": counts.spilled,
            "dropped": ranked(counts.drops),
            "postponed": ranked(counts.postponed),
            "failed": ranked(counts.failures),
            "first_failure": counts.first_failure,
            "first_failed_site": counts.first_failed_site,
            "sick": [str(finding) for finding in self.sick],
            "paused": self.paused,
            "refused": counts.refused,
            "changed_rules": self.rule_changes,
            "pending": self._left.pending,
            "unread": self._left.unread,
            "without_file": self.missing.total(),
            "elsewhere": ranked(self.elsewhere),
            "next_try": self._left.next_try,
            "seconds": {stage: round(seconds, 3) for stage, seconds in self.pipeline.writer.seconds.items()},
            "worker_cpu_seconds": round(self.pool.cpu_seconds, 3),
            "worker_peak_kib": self.pool.peak_kib,
        }

    def close(self, exit_code: int) -> None:
        """Write what is queued, release the leases, record the end of the run, close and unlock."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._close(exit_code)

    def _close(self, exit_code: int) -> None:
        self.exit_code, self.ended = exit_code, ENDED[exit_code]
        self.pipeline.close()
        self.pool.close()
        failed = self.pipeline.writer.error is not None
        if failed:
            # The last records may have no rows. The next start adds them.
            self.archive.abandon()
        with self._stack:
            try:
                if not failed:
                    self.archive.require_database(now=True)
                    self.corpus.frontier.release(self.sites)
                    self._left = RemainingWork.of(self.corpus, self.sites)
                    self.paused = self._left_paused()
                    self.missing = self.corpus.warc.count_waiting(self.sites)
                    self.elsewhere = self.corpus.warc.count_elsewhere(self.sites)
                    self.corpus.runs.recount(self.sites)
                self._record_end()
                if not failed:
                    self._examine()
            except CorpusError as error:
                self._fail_to_end(error)

    def _fail_to_end(self, error: CorpusError) -> None:
        """End the run with an error in closing it, unless an earlier error has ended it.

        The files keep their names. The next start examines them and takes the leases back.
        """
        if self.pipeline.error is not None:
            logger.debug("cannot record the end of the run: %s", error)
            return
        self.pipeline.break_down(error)
        self.archive.abandon()
        if self.exit_code not in {STOPPED, FORCED}:
            self.exit_code, self.ended = error.exit_code, "error"
            with suppress(CorpusError):
                self._record_end()

    def _record_end(self) -> None:
        self.corpus.runs.finish(self.run_id, self.exit_code, msgspec.json.encode(self.summary()).decode())

    def _examine(self) -> None:
        """Read counters and health of each site, and remove old originals. With a failing site the run ends as SICK."""
        self.site_runs = self.corpus.runs.by_site(self.sites, run_id=self.run_id)
        self.sick = health.examine(self.corpus, self.config, HealthThresholds()).sick
        if self.sick:
            self.exit_code = SICK if self.exit_code == DONE else self.exit_code
            self._record_end()
        # The files of this run get their final names first.
        self.archive.close()
        retention.apply(self.corpus, self.config)


def ranked(counts: Counter[str]) -> dict[str, int]:
    """Return the counts, largest first and equal ones by name, so that the same pages give the same summary."""
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def log_end(session: Session, code: int) -> None:
    """Log how a closed run ended: its error, its failing sites, and the counters in words."""
    if isinstance(session.pipeline.error, CorpusError):
        logger.warning("%s", session.pipeline.error)
    lost = missing_files.words(session.missing, session.config.originals.where)
    for problem in (*session.sick, *session.paused, *([lost] if lost else [])):
        logger.warning("%s", problem)
    for machine, pages in ranked(session.elsewhere).items():
        words = f"{counted(pages, 'page')} of these sites can be processed on machine {machine} only"
        logger.warning("%s. If it is gone for good: `corpus-spider worker gone %s`", words, quote(machine))
    for words, command in suspended_sites({run.site: run.suspended for run in session.site_runs}):
        logger.info("%s `corpus-spider %s` fetches them.", words, command)
    # With -q, as a timer runs it, a night without a response still says why.
    level = logging.WARNING if code == NONE_SUCCEEDED else logging.INFO
    logger.log(level, "%s", closing_words(session.summary(), code))


def exit_code(session: Session, *, stopped: bool) -> int:
    """Return the exit code of a run: the first that applies.

    An error with a code of its own, a fault, a signal, a limit, no response to any request, done.
    """
    error, counts = session.pipeline.error, session.pipeline.counts
    if stopped and isinstance(error, DatabaseError):
        # The signal ended the wait for a lost database.
        return STOPPED
    if isinstance(error, CorpusError):
        return error.exit_code
    if error is not None or session.ended not in {"finished", "shutdown"}:
        return INTERNAL
    if stopped:
        return STOPPED
    if session.limit:
        return LIMITED
    # A page that robots.txt forbids is no failure of the run. A site that forbids all its sources is one.
    tried = counts.pages + counts.failures.total() + counts.refused_sources
    return NONE_SUCCEEDED if tried and not counts.answered else DONE
