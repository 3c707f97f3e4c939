"""Worker: take batches from the queue, and crawl each in a child process.

The site locks keep two crawls of a site apart. So a batch with a locked site is put off. A batch of a dead worker is
queued again, even if its crawl still lives.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import time
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from procrastinate import BaseRetryStrategy, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import DeleteJobCondition, Status
from procrastinate.worker import Worker
from psycopg import OperationalError

from corpus_spider.exit_codes import FINISHED, FORCED, LOCKED, REASONS, STOPPED
from corpus_spider.queue.jobs import MAX_FAILED_DAYS, QUEUE, TASK, alone, app_of, introduce, open_tables, state_of
from storage.errors import CorpusError
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    import psycopg
    from procrastinate import App
    from procrastinate.jobs import Job

    from storage.corpus import Corpus

logger = logging.getLogger(__name__)

HEARTBEAT_LIMIT = 30.0
"""Seconds without a sign of life after which the batches of a worker are queued again."""
LOCKED_SECONDS = 60
"""Seconds until a batch with a locked site is tried again."""
FAILED_SECONDS = (60, 300, 1800)
"""Seconds until a failed batch is tried again, by attempt. After the last one it stays failed."""
AGAIN_SECONDS = 5.0
"""Seconds between two attempts to reach the database."""


class CrawlEndedError(Exception):
    """The crawl of a batch ended with an exit code that leaves work."""

    def __init__(self, code: int) -> None:
        super().__init__(REASONS.get(code, f"exit code {code}"))
        self.code = code


class BatchRetries(BaseRetryStrategy):
    """Decides when a batch is crawled again."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return when, by the exit code of the crawl; None: the batch has failed."""
        code = exception.code if isinstance(exception, CrawlEndedError) else FORCED
        if code == LOCKED:
            return RetryDecision(retry_in={"seconds": LOCKED_SECONDS})
        if code in {STOPPED, FORCED}:
            return RetryDecision(retry_in={"seconds": 0})
        if job.attempts < len(FAILED_SECONDS):
            return RetryDecision(retry_in={"seconds": FAILED_SECONDS[job.attempts]})
        return None


@asynccontextmanager
async def _turn(tables: psycopg.Connection[Any]) -> AsyncIterator[None]:
    """Let no other worker queue batches again in the block."""
    turn = alone(tables)
    await asyncio.to_thread(turn.__enter__)
    try:
        yield
    finally:
        await asyncio.to_thread(turn.__exit__, None, None, None)


@dataclass
class CrawlWorker:
    """Crawls batches of a corpus until it is stopped. ``program``: the command line, without verb.

    ``slots``: batches at once. ``until_empty``: end when no batch waits. ``heartbeat_limit``: see HEARTBEAT_LIMIT.
    """

    corpus: Corpus
    program: Sequence[str]
    slots: int = 1
    until_empty: bool = False
    heartbeat_limit: float = HEARTBEAT_LIMIT
    crawls: dict[int, asyncio.subprocess.Process] = field(default_factory=dict)
    """Crawls by process id."""
    signals: int = 0
    _worker: Worker | None = None

    async def run(self) -> int:
        """Work, also again after the database was away. Return the exit code."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.stop)
        while not self.signals:
            try:
                await self._work()
            except ConnectorException as error:
                logger.warning("the queue cannot be reached: %s", error.__cause__ or error)
            else:
                if self.until_empty:
                    return 0
            if not self.signals:
                await asyncio.sleep(AGAIN_SECONDS)
        return STOPPED

    def stop(self) -> None:
        """Take no more batches. Stop the crawls as Ctrl-C does; at the second call kill them. The next run goes on."""
        self.signals += 1
        if self._worker is not None:
            self._worker.stop()  # type: ignore[no-untyped-call]
        for crawl in self.crawls.values():
            if crawl.returncode is None:
                crawl.send_signal(signal.SIGTERM if self.signals == 1 else signal.SIGKILL)

    async def _work(self) -> None:
        with closing(await asyncio.to_thread(open_tables, self.corpus)):
            app = app_of(self.corpus, connections=4)
        app.task(name=TASK, queue=QUEUE, retry=BatchRetries())(self.crawl)
        async with app.open_async():
            worker = self._worker = Worker(
                app,
                [QUEUE],
                concurrency=self.slots,
                wait=not self.until_empty,
                delete_jobs=DeleteJobCondition.SUCCESSFUL,
                install_signal_handlers=False,
                update_heartbeat_interval=self.heartbeat_limit / 5,
                stalled_worker_timeout=self.heartbeat_limit,
            )
            beside = asyncio.ensure_future(self._beside(app, worker))
            try:
                await worker.run()  # type: ignore[no-untyped-call]
            finally:
                beside.cancel()
                self._worker = None

    async def _beside(self, app: App, worker: Worker) -> None:
        """Say which machine the worker is on, and queue the batches of dead workers again.

        It is no job: it would wait for a free slot, perhaps for hours.
        """
        while True:
            try:
                with closing(await asyncio.to_thread(open_tables, self.corpus)) as tables:
                    await self._watch(app, worker, tables)
            except (ConnectorException, OperationalError, CorpusError) as error:
                logger.debug("cannot look for dead workers: %s", error)
            await asyncio.sleep(AGAIN_SECONDS)

    async def _watch(self, app: App, worker: Worker, tables: psycopg.Connection[Any]) -> None:
        await app.job_manager.delete_old_jobs(24 * MAX_FAILED_DAYS, QUEUE, include_failed=True, include_aborted=True)
        while worker.worker_id is None:
            await asyncio.sleep(0.05)
        await asyncio.to_thread(introduce, tables, worker.worker_id, self.slots)
        while True:
            await self._recover(app, tables)
            await asyncio.sleep(min(AGAIN_SECONDS, self.heartbeat_limit / 5))

    async def _recover(self, app: App, tables: psycopg.Connection[Any]) -> None:
        """Queue the batches of workers without a sign of life again. One worker does it at a time."""
        manager = app.job_manager
        async with _turn(tables):
            stalled = list(await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=self.heartbeat_limit))
            if not stalled:
                return
            batches = (await asyncio.to_thread(state_of, tables)).batches
            queued = {site for batch in batches if batch.state == "todo" for site in batch.sites}
            for job in stalled:
                logger.warning("batch %s: its worker gave no sign of life; queued again", job.id)
                sites = job.task_kwargs["sites"]
                if isinstance(sites, list) and queued.issuperset(sites):
                    # A newer batch has these sites.
                    await manager.finish_job(job, Status.FAILED, delete_job=True)
                else:
                    await manager.retry_job(job)
            await manager.prune_stalled_workers(self.heartbeat_limit)

    async def crawl(self, sites: list[str]) -> None:
        """Crawl a batch in a child. Raises CrawlEndedError when it has to be crawled again."""
        began, name = time.monotonic(), counted(len(sites), "site")
        logger.info("%s (%s, …): begun", name, sites[0])
        command = [sys.executable, "-m", "corpus_spider.cli.worker_child", str(os.getpid()), *self.program, "crawl"]
        options = [part for site in sites for part in ("--site", site)]
        # A session of its own: Ctrl-C at a terminal reaches the worker, which stops its crawls once.
        crawl = await asyncio.create_subprocess_exec(*command, *options, start_new_session=True)
        self.crawls[crawl.pid] = crawl
        if self.signals:
            # The signal came while the child was being started.
            crawl.send_signal(signal.SIGTERM)
        try:
            code = await crawl.wait()
        finally:
            del self.crawls[crawl.pid]
        words = REASONS.get(code, f"exit code {code}")
        logger.info("%s (%s, …): %s after %.0f s", name, sites[0], words, time.monotonic() - began)
        if code not in FINISHED:
            raise CrawlEndedError(code if code >= 0 else FORCED)
