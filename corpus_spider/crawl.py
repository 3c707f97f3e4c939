"""One crawl: open a session, run Scrapy, close the session, say how it ended as an exit code."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from corpus_spider import health
from corpus_spider import settings as settings_module
from corpus_spider.interruption import Interruption, heeded, let_go_of_terminal
from corpus_spider.progress import Recount, closing_words, shown
from corpus_spider.session import FORCED, STOPPED, Session, count_pending, exit_code
from pipelines.workers import start_fork_server
from storage.counting import counted
from storage.errors import CorpusError

if TYPE_CHECKING:
    from scrapy.settings import Settings

    from corpus_spider.config import Config

logger = logging.getLogger(__name__)

# Scrapy waits for requests in flight, up to their time limit; a stop may not take longer than this.
STOP_SECONDS = 10.0
# And this is for making durable what came; a database that is gone would be waited for much longer.
CLOSE_SECONDS = 10.0
SAY_SECONDS = 1.0


def crawl(
    config: Config, *, log_level: str = "INFO", quiet: bool = False, now: bool = False
) -> tuple[int, dict[str, Any]]:
    """Crawl the configured sites until nothing is due; return the exit code and the summary of the run.

    ``now``: read every source, whether it is due or not.
    Raises CorpusError before anything is fetched when the crawl cannot start. An error of disk or database during the
    crawl is raised after the session is closed.
    """
    start_fork_server()
    with Interruption() as interruption:
        session = Session.open(config, now=now)
        many, workers = counted(len(session.sites), "site"), counted(config.workers, "worker")
        logger.info("run %d: %s, %s", session.run_id, many, workers)
        code = FORCED
        try:
            code = _run(session, Stopper(session, interruption), log_level, quiet=quiet)
        except KeyboardInterrupt:
            code = STOPPED
            raise
        finally:
            session.close(code)
    _tell_end(session, code)
    sites = health.summary_rows(session.site_runs)
    return session.exit_code, session.summary() | {"sick": session.sick, "sites": sites}


def _tell_end(session: Session, code: int) -> None:
    """Raise what ended the run, or say in a line how it ended."""
    error = session.pipeline.error
    if isinstance(error, CorpusError):
        if session.exit_code == error.exit_code:
            raise error
        logger.warning("%s", error)
    for finding in session.sick:
        logger.warning("%s", finding)
    logger.info("%s", closing_words(session.summary(), code))


def _run(session: Session, stopper: Stopper, log_level: str, *, quiet: bool) -> int:
    """Run the reactor until the crawl is over or stopped."""
    from scrapy.crawler import CrawlerProcess
    from twisted.internet import task

    process = CrawlerProcess(_settings(session, log_level))
    # Scrapy sets its own level when it starts; its everyday messages are for those who ask for more.
    logging.getLogger("scrapy").setLevel("WARNING" if log_level == "INFO" else log_level)
    crawler = process.create_crawler("news")
    # From here on an exception that a signal raises might end in Twisted's hands, who would make nothing of it.
    stopper.listen()
    starting: Any = process.crawl(crawler, session=session)
    # Scrapy says nothing of what keeps it from starting.
    starting.addErrback(lambda failure: session.pipeline.break_down(failure.value))
    stopper.arm(crawler)
    pending = Recount(lambda: count_pending(session.corpus, session.sites))
    # What is loaded by now stays: it need not be looked through for garbage again and again.
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    with shown(session.pipeline, pending, quiet=quiet) as show:
        task.LoopingCall(show).start(0.5)
        process.start(install_signal_handlers=False)
    return exit_code(session, stopped=bool(stopper.asked))


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
    """First signal: hand out nothing more, finish what is in flight within a deadline. Second: end now, recover next
    time.
    """

    def __init__(self, session: Session, interruption: Interruption) -> None:
        self.asked = 0
        """Number of the first signal; 0 while there has been none."""
        self._session, self._interruption = session, interruption
        self._crawler: Any = None
        self._running = False
        self._stopping: asyncio.Future[None] | None = None

    def arm(self, crawler: Any) -> None:
        """Act on signals, one that has come too, once the reactor runs (Twisted installs its own handlers at start)."""
        from twisted.internet import reactor

        self._crawler = crawler
        reactor.callWhenRunning(self._begin)

    def listen(self) -> None:
        """Note signals from now on instead of being interrupted by them, with what has come before."""
        for number in heeded():
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
        """Take a signal in: its deadline holds from now on, however long a busy machine takes to start the crawl."""
        self.asked = number
        let_go_of_terminal(number)
        threading.Thread(target=self._watch, daemon=True).start()

    def _act(self) -> None:
        from twisted.internet import reactor

        reactor.callFromThread(self._stop, self.asked)

    def _stop(self, number: int) -> None:
        if self._stopping is not None:
            # The signal came while the crawl began to listen, and both have seen it.
            return
        logger.info("%s: finishing what is in flight; once more to stop at once", signal.Signals(number).name)
        if self._crawler.spider is not None:
            self._crawler.spider.dispatcher.stop()
        self._stopping = asyncio.ensure_future(self._end())

    async def _end(self) -> None:
        """Stop Scrapy, unless its engine does not run yet: it would forget that, and take no later stop for one. A
        spider that is given nothing ends it as soon as it runs.
        """
        if self._crawler.engine.running:
            await self._crawler.stop_async()

    def _watch(self) -> None:
        """Wait for no lost database any more, and for all else no longer than the deadline."""
        self._session.corpus.database.patience.end()
        time.sleep(STOP_SECONDS)
        self._give_up()

    def _give_up(self) -> None:
        """The deadline has passed: make durable what is queued and leave; what was in flight is asked for again."""
        _say(f"not everything in flight ended within {STOP_SECONDS:g} s; stopping")
        closing = threading.Thread(target=self._session.close, args=(STOPPED,), daemon=True)
        closing.start()
        closing.join(CLOSE_SECONDS)
        _say(closing_words(self._session.summary(), STOPPED))
        os._exit(STOPPED)


def _say(text: str) -> None:
    """Log at the very end, which whoever reads the log must not be able to hold up: a pipe that is full, a terminal
    that was stopped (Ctrl-S).
    """
    saying = threading.Thread(target=logger.info, args=("%s", text), daemon=True)
    saying.start()
    saying.join(SAY_SECONDS)
