"""One crawl: open a session, run Scrapy, close the session, say how it ended as an exit code."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from typing import TYPE_CHECKING, Any

from scrapy.crawler import CrawlerProcess
from scrapy.settings import Settings

from corpus_spider import settings as settings_module
from corpus_spider.progress import shown
from corpus_spider.session import Session
from storage.errors import CorpusError

if TYPE_CHECKING:
    from corpus_spider.config import Config
    from corpus_spider.spiders.news import NewsSpider

logger = logging.getLogger(__name__)

DONE, NONE_SUCCEEDED, STOPPED, LIMITED, FORCED = 0, 7, 11, 12, 13
# Scrapy waits for requests in flight, up to their time limit; a stop may not take longer than this.
STOP_SECONDS = 20.0


def crawl(config: Config, *, log_level: str = "INFO", quiet: bool = False) -> tuple[int, dict[str, Any]]:
    """Crawl the configured sites until nothing is due; return the exit code and the summary of the run.

    Raises CorpusError before anything is fetched when the crawl cannot start. An error of disk or database during the
    crawl is raised after the session is closed.
    """
    session = Session.open(config)
    logger.info("run %d: %d sites, %d workers", session.run_id, len(session.sites), config.workers)
    code = FORCED
    try:
        code = _run(session, log_level, quiet=quiet)
    finally:
        session.close(code)
    if isinstance(session.writer.error, CorpusError):
        raise session.writer.error
    return code, session.summary()


def _run(session: Session, log_level: str, *, quiet: bool) -> int:
    """Run the reactor until the crawl is over or stopped."""
    from twisted.internet import task

    process = CrawlerProcess(_settings(session, log_level))
    # Scrapy sets its own level when it starts; its everyday messages are for those who ask for more.
    logging.getLogger("scrapy").setLevel("WARNING" if log_level == "INFO" else log_level)
    crawler = process.create_crawler("news")
    process.crawl(crawler, session=session)
    stopper = Stopper(session)
    stopper.arm(crawler)
    with shown(session.line, quiet=quiet) as show:
        task.LoopingCall(show).start(0.5)
        process.start(install_signal_handlers=False)
    return exit_code(session, stopped=stopper.asked, limited=_limited(crawler.spider))


def exit_code(session: Session, *, stopped: bool, limited: bool) -> int:
    """Tell how a run ended (pure but for reading its counts)."""
    counts = session.line.counts
    if isinstance(session.writer.error, CorpusError):
        return session.writer.error.exit_code
    if session.writer.error is not None or session.ended not in {"finished", "shutdown"}:
        return 1
    if stopped:
        return STOPPED
    if limited:
        return LIMITED
    tried = counts.pages + counts.failures.total()
    return NONE_SUCCEEDED if tried and not counts.answered else DONE


def _limited(spider: Any) -> bool:
    news: NewsSpider | None = spider
    return news is not None and news.dispatcher.limit_reached


def _settings(session: Session, log_level: str) -> Settings:
    config = session.config
    settings = Settings()
    settings.setmodule(settings_module, priority="project")
    ports = {int(port) for seed in config.seeds() if (port := seed.host.rpartition(":")[2]).isdigit()}
    own = {
        "CORPUS_CONFIG_OBJECT": config,
        "CORPUS_PORTS": sorted(ports),
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

    def __init__(self, session: Session) -> None:
        self.asked = False
        self._session = session
        self._crawler: Any = None
        self._stopping: asyncio.Future[None] | None = None

    def arm(self, crawler: Any) -> None:
        """Take over SIGINT and SIGTERM once the reactor runs (Twisted installs its own at start)."""
        from twisted.internet import reactor

        self._crawler = crawler
        reactor.callWhenRunning(self._install)

    def _install(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, _: object) -> None:
        from twisted.internet import reactor

        if self.asked:
            os._exit(FORCED)
        self.asked = True
        timer = threading.Timer(STOP_SECONDS, self._give_up)
        timer.daemon = True
        timer.start()
        reactor.callFromThread(self._stop, number)

    def _stop(self, number: int) -> None:
        logger.info("%s: finishing what is in flight; once more to stop at once", signal.Signals(number).name)
        if self._crawler.spider is not None:
            self._crawler.spider.dispatcher.stop()
        self._stopping = asyncio.ensure_future(self._crawler.stop_async())

    def _give_up(self) -> None:
        """The deadline has passed: make durable what is queued and leave; what was in flight is asked for again."""
        logger.info("not everything in flight ended within %g s; stopping", STOP_SECONDS)
        self._session.close(STOPPED)
        os._exit(STOPPED)
