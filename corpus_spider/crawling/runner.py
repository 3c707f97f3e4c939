"""Crawl runner: open a session, run Scrapy, close the session, return the exit code."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from corpus_spider import settings as settings_module
from corpus_spider.crawling.session import Session, count_pending, exit_code, log_end
from corpus_spider.exit_codes import FORCED, STOPPED
from corpus_spider.monitoring.health import counters_of
from corpus_spider.monitoring.metrics import SECONDS, Metrics, reporting
from corpus_spider.terminal.crawl_words import CrawlLimits, closing_words, crawl_progress
from corpus_spider.terminal.signals import Interruption, ending_signals, let_go_of_terminal
from corpus_spider.terminal.slow_count import SlowCount
from storage.errors import CorpusError
from storage.reporting import counted

if TYPE_CHECKING:
    from scrapy.settings import Settings

    from corpus_spider.config.model import Config
    from corpus_spider.crawling.run_summary import CrawlOutput

logger = logging.getLogger(__name__)

STOP_SECONDS = 10.0
"""Maximum seconds of a stop. Scrapy would wait for requests in flight, up to their timeout."""
CLOSE_SECONDS = 10.0
"""Maximum further seconds to make durable what came. The wait for a lost database would be much longer."""
RECOUNT_SECONDS = 15.0
"""Minimum pause between two counts of pending URLs."""
LAST_LOG_SECONDS = 1.0
"""Maximum seconds for a log line at the very end."""


def crawl(
    config: Config,
    *,
    log_level: str = "INFO",
    quiet: bool = False,
    now: bool = False,
    rebuild: bool = False,
    forget_pending: bool = False,
    release: bool = False,
) -> tuple[int, CrawlOutput]:
    """Crawl the configured sites until nothing is due. Return the exit code and the summary of the run.

    ``now``: fetch every source, due or not. ``rebuild``: make an empty database again from the WARC files.
    ``forget_pending``: first delete pages that were found and never fetched. ``release``: fetch suspended URLs.

    Raises CorpusError before the first request when the crawl cannot start.
    An error of disk or database during the crawl is raised after the session is closed.
    """
    with Interruption() as interruption, reporting(config) as metrics:
        session = Session.open(config, now=now, rebuild=rebuild, forget_pending=forget_pending, release=release)
        many, workers = counted(len(session.sites), "site"), counted(config.workers, "worker")
        logger.info("run %d: %s, %s", session.run_id, many, workers)
        code = FORCED
        try:
            if session.is_idle():
                # Scrapy, its reactor and the workers take seconds to load, and would find nothing to do.
                session.ended = "finished"
                code = exit_code(session, stopped=False)
            else:
                code = _run(session, Stopper(session, interruption, metrics), log_level, quiet=quiet)
        except KeyboardInterrupt:
            code = STOPPED
            raise
        finally:
            session.close(code)
        error = session.pipeline.error
        if isinstance(error, CorpusError) and session.exit_code == error.exit_code:
            raise error
        metrics.end(session.exit_code, session.summary())
    log_end(session, code)
    sites = [counters_of(run) for run in session.site_runs]
    return session.exit_code, {**session.summary(), "sick": list(session.sick), "sites": sites}


def _run(session: Session, stopper: Stopper, log_level: str, *, quiet: bool) -> int:
    """Run the reactor until the crawl is over or stopped."""
    from scrapy.crawler import CrawlerProcess
    from twisted.internet import task, threads

    process = CrawlerProcess(_settings(session, log_level))
    # Scrapy sets its own level when it starts. Its routine messages show at a lower level only.
    logging.getLogger("scrapy").setLevel("WARNING" if log_level == "INFO" else log_level)
    crawler = process.create_crawler("news")
    # From here on Twisted might swallow an exception that a signal raises.
    stopper.listen()
    starting: Any = process.crawl(crawler, session=session)
    # Scrapy does not log an error that keeps it from starting.
    starting.addErrback(lambda failure: session.pipeline.break_down(failure.value))
    stopper.arm(crawler)
    crawl = session.config.crawl
    limits = CrawlLimits(crawl.page_limit, crawl.time_limit, crawl.size_limit)
    pending = SlowCount(lambda: count_pending(session.corpus, session.sites), RECOUNT_SECONDS)
    # The objects so far stay. The garbage collector need not visit them again and again.
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    with crawl_progress(session.pipeline, pending, limits, quiet=quiet) as show:
        task.LoopingCall(show).start(0.5)
        if stopper.metrics.path:
            task.LoopingCall(threads.deferToThread, _report, stopper.metrics, session, pending).start(SECONDS)
        process.start(install_signal_handlers=False)
    return exit_code(session, stopped=bool(stopper.asked))


def _report(metrics: Metrics, session: Session, pending: SlowCount[int]) -> None:
    pending.refresh()
    metrics.update(session.summary() | {"pending": pending.value})


def _settings(session: Session, log_level: str) -> Settings:
    from scrapy.settings import Settings

    settings = Settings()
    settings.setmodule(settings_module, priority="project")
    own = {
        "CORPUS_CONFIG_OBJECT": session.config,
        "LOG_LEVEL": log_level,
        "LOG_INSTALL_ROOT_HANDLER": False,
    }
    for name, value in own.items():
        settings.set(name, value, "cmdline")
    return settings


class Stopper:
    """Stops a crawl on signals.

    First signal: give no more leases, and finish what is in flight within a deadline. Second signal: exit now; the next
    start recovers.
    """

    def __init__(self, session: Session, interruption: Interruption, metrics: Metrics) -> None:
        self.metrics = metrics
        self.asked = 0
        """Number of the first signal; 0 before."""
        self._session, self._interruption = session, interruption
        self._crawler: Any = None
        self._running = False
        self._stopping: asyncio.Future[None] | None = None

    def arm(self, crawler: Any) -> None:
        """Act on signals, also earlier ones, once the reactor runs: Twisted installs its own handlers at start."""
        from twisted.internet import reactor

        self._crawler = crawler
        reactor.callWhenRunning(self._begin)

    def listen(self) -> None:
        """Record signals from now on, and an earlier one, instead of being interrupted by them."""
        for number in ending_signals():
            signal.signal(number, self._on_signal)
        if self._interruption.asked and not self.asked:
            self._note(self._interruption.asked)

    def _begin(self) -> None:
        self.listen()
        self._running = True
        if self.asked:
            self._act()

    def _on_signal(self, number: int, _: object) -> None:
        if self.asked:
            os._exit(FORCED)
        self._note(number)
        if self._running:
            self._act()

    def _note(self, number: int) -> None:
        """Record a signal. Its deadline runs from now on, also while a busy machine starts the crawl."""
        self.asked = number
        let_go_of_terminal(number)
        threading.Thread(target=self._watch, daemon=True).start()

    def _act(self) -> None:
        from twisted.internet import reactor

        reactor.callFromThread(self._stop, self.asked)

    def _stop(self, number: int) -> None:
        if self._stopping is not None:
            # The signal came while the crawl began to listen, and both have handled it.
            return
        logger.info("%s: finishing what is in flight; once more to stop at once", signal.Signals(number).name)
        if self._crawler.spider is not None:
            self._crawler.spider.dispatcher.stop()
        self._stopping = asyncio.ensure_future(self._end())

    async def _end(self) -> None:
        """Stop Scrapy, if its engine runs. An engine that does not run yet would ignore this and every later stop.

        A spider without leases ends the engine as soon as it runs.
        """
        if self._crawler.engine.running:
            await self._crawler.stop_async()

    def _watch(self) -> None:
        """End the wait for a lost database at once, and the run at the deadline."""
        self._session.corpus.database.patience.end()
        time.sleep(STOP_SECONDS)
        self._give_up()

    def _give_up(self) -> None:
        """After the deadline: make durable what is queued and exit. URLs in flight are fetched again."""
        _log_last(f"not everything in flight ended within {STOP_SECONDS:g} s; stopping")
        closing = threading.Thread(target=self._close, daemon=True)
        closing.start()
        closing.join(CLOSE_SECONDS)
        _log_last(closing_words(self._session.summary(), STOPPED))
        os._exit(STOPPED)

    def _close(self) -> None:
        self._session.close(STOPPED)
        self.metrics.end(STOPPED, self._session.summary())


def _log_last(text: str) -> None:
    """Log a line at the very end, in a thread: a full pipe or a stopped terminal (Ctrl-S) must not block the exit."""
    logging_thread = threading.Thread(target=logger.info, args=("%s", text), daemon=True)
    logging_thread.start()
    logging_thread.join(LAST_LOG_SECONDS)
