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
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from procrastinate import BaseRetryStrategy, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import DeleteJobCondition, Status
from procrastinate.worker import Worker
from psycopg import OperationalError

from corpus_spider.exit_codes import FINISHED, FORCED, INTERNAL, LOCKED, REASONS, STOPPED
from corpus_spider.queue.batches import MAX_SITES
from corpus_spider.queue.jobs import (
    AGAIN,
    MAX_FAILED_DAYS,
    QUEUE,
    TASK,
    alone,
    app_of,
    introduce,
    mark_dead,
    open_tables,
    queue_state,
    show_life,
    state_of,
    uncount,
)
from storage.errors import CorpusError
from storage.locking.locks import held_sites
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    import psycopg
    from procrastinate import App
    from procrastinate.job_context import JobContext
    from procrastinate.jobs import Job

    from storage.corpus import Corpus

logger = logging.getLogger(__name__)

HEARTBEAT_LIMIT = 30.0
"""Seconds without a sign of life after which the batches of a worker are queued again."""
HEARTBEATS = 10
"""Signs of life in that time. Two are enough for a worker whose session with the database has ended: it was killed."""
LOCKED_SECONDS = 5
"""Seconds until a batch with a locked site is tried again. A try is one query."""
FAILED_SECONDS = (60, 300, 1800)
"""Seconds until a failed batch is tried again, by attempt. After the last one it stays failed."""
KILLED_SECONDS = (0, *FAILED_SECONDS)
"""The same after a kill of the crawl, such as by a machine without memory. It never stays failed."""
AGAIN_SECONDS = 5.0
"""Seconds between two attempts to reach the database."""
LEFT_SECONDS = 600.0
"""Seconds until a site is tried again, if pages of it still wait on this machine."""
LOOK_SECONDS = 2.0
"""Seconds between two looks for batches of dead workers, and for batches that wait for a time."""
_WITHOUT_FAULT = frozenset({LOCKED, STOPPED, FORCED})
"""Codes of crawls that say nothing about their batch. These attempts are not counted."""


class CrawlEndedError(Exception):
    """The crawl of a batch ended with an exit code that leaves work. Negative: the signal that killed it."""

    def __init__(self, code: int) -> None:
        super().__init__(REASONS.get(code, f"exit code {code}"))
        self.code = code


class BatchRetries(BaseRetryStrategy):
    """Decides when a batch is crawled again."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return when, by the exit code of the crawl and the counted attempts; None: the batch has failed."""
        code = exception.code if isinstance(exception, CrawlEndedError) else INTERNAL
        if code in _WITHOUT_FAULT:
            return RetryDecision(retry_in={"seconds": LOCKED_SECONDS if code == LOCKED else 0})
        if code < 0:
            return RetryDecision(retry_in={"seconds": KILLED_SECONDS[min(job.attempts, len(FAILED_SECONDS))]})
        if job.attempts < len(FAILED_SECONDS):
            return RetryDecision(retry_in={"seconds": FAILED_SECONDS[job.attempts]}, queue=QUEUE)
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

    ``machine``: its name. ``slots``: batches at once. ``until_empty``: end when no batch waits.
    ``heartbeat_limit``: see HEARTBEAT_LIMIT. ``errand``: carries out what other machines request, if they do. It is
    called again and again, in a thread. ``sites``: those of the configuration.
    """

    corpus: Corpus
    program: Sequence[str]
    machine: str
    slots: int = 1
    until_empty: bool = False
    heartbeat_limit: float = HEARTBEAT_LIMIT
    errand: Callable[[], object] = lambda: None
    sites: frozenset[str] = frozenset()
    crawls: dict[int, asyncio.subprocess.Process] = field(default_factory=dict)
    """Crawls by process id."""
    signals: int = 0
    _workers: dict[Worker, int] = field(default_factory=dict)
    """Slots of Procrastinate's workers that run."""
    _left: dict[str, float] = field(default_factory=dict)
    """When a site was last crawled for the pages that only this machine can process."""

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
                if self.until_empty and not await asyncio.to_thread(self._is_due):
                    return 0
            if not self.signals:
                await asyncio.sleep(AGAIN_SECONDS)
        return STOPPED

    def stop(self) -> None:
        """Take no more batches. Stop the crawls as Ctrl-C does; at the second call kill them. The next run goes on."""
        self.signals += 1
        self._take_no_more()
        for crawl in self.crawls.values():
            if crawl.returncode is None:
                crawl.send_signal(signal.SIGTERM if self.signals == 1 else signal.SIGKILL)

    def _is_due(self) -> bool:
        """Return whether a batch waits for a slot: the database may have ended the work."""
        now, batches = datetime.now(UTC), queue_state(self.corpus).batches
        return any(each.state == "todo" and not (each.not_before and each.not_before > now) for each in batches)

    def _take_no_more(self) -> None:
        for worker in self._workers:
            worker.stop()  # type: ignore[no-untyped-call]

    async def _work(self) -> None:
        with closing(await asyncio.to_thread(open_tables, self.corpus)):
            app = app_of(self.corpus)
        app.task(name=TASK, queue=QUEUE, retry=BatchRetries(), pass_context=True)(self.crawl)
        # A removal comes before the next batch.
        await self._do_errand()
        if self.until_empty:
            await self._crawl_left()
        if self.signals:
            return
        async with app.open_async():
            slots = self._worker(app, [QUEUE, AGAIN], self.slots)
            # Beside the slots: these may be busy for hours.
            spare = self._worker(app, [AGAIN], 1)
            self._workers = {slots: self.slots, spare: 0}
            slots.wait = not self.until_empty
            again = map(self._again_and_again, (self._do_errand, self._crawl_left))
            beside = [asyncio.ensure_future(each) for each in (self._beside(app), *again)]
            recovered = asyncio.ensure_future(self._run(spare))
            recovered.add_done_callback(lambda _: self._take_no_more())
            try:
                await self._run(slots)
            finally:
                self._take_no_more()
                try:
                    await recovered
                finally:
                    while self.crawls:
                        await asyncio.sleep(0.05)
                    for each in beside:
                        each.cancel()

    async def _run(self, worker: Worker) -> None:
        try:
            await worker.run()  # type: ignore[no-untyped-call]
        finally:
            del self._workers[worker]

    def _worker(self, app: App, queues: list[str], slots: int) -> Worker:
        return Worker(
            app,
            queues,
            concurrency=slots,
            delete_jobs=DeleteJobCondition.SUCCESSFUL,
            install_signal_handlers=False,
            update_heartbeat_interval=self.heartbeat_limit / HEARTBEATS,
            fetch_job_polling_interval=LOOK_SECONDS,
            # It would hold a connection: the server has room for a hundred, and a crawl needs four.
            listen_notify=False,
            stalled_worker_timeout=self.heartbeat_limit,
        )

    async def _again_and_again(self, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await work()

    async def _crawl_left(self) -> None:
        """Crawl sites with pages in WARC files that only this machine reaches: its last worker may have been killed."""
        try:
            if sites := await asyncio.to_thread(self._left_sites):
                await self._crawl(sites)
        except (CrawlEndedError, OperationalError, CorpusError) as error:
            logger.debug("pages of this machine wait: %s", error)

    def _left_sites(self) -> list[str]:
        """Return these sites, without those that are queued, crawled, or were tried a short time ago."""
        now = time.monotonic()
        tried = {site for site, moment in self._left.items() if now - moment < LEFT_SECONDS}
        sites = self.sites.intersection(self.corpus.warc.left_sites()) - tried if self.corpus.machine else frozenset()
        if not sites or self.signals:
            return []
        batches = queue_state(self.corpus).batches
        sites -= {site for batch in batches if not batch.has_failed for site in batch.sites}
        free = sorted(sites - held_sites(self.corpus, sites))[:MAX_SITES]
        self._left |= dict.fromkeys(free, now)
        return free

    async def _do_errand(self) -> None:
        try:
            await asyncio.to_thread(self.errand)
        except CorpusError as error:
            logger.warning("a removal cannot be carried out yet: %s", error)

    async def _beside(self, app: App) -> None:
        """Say which machine the worker is on, and queue the batches of dead workers again.

        It is no job: it would wait for a free slot, perhaps for hours.
        """
        while True:
            try:
                with closing(await asyncio.to_thread(open_tables, self.corpus)) as tables:
                    await self._watch(app, tables)
            except (ConnectorException, OperationalError, CorpusError) as error:
                logger.debug("cannot look for dead workers: %s", error)
            await asyncio.sleep(AGAIN_SECONDS)

    async def _watch(self, app: App, tables: psycopg.Connection[Any]) -> None:
        for queue in (QUEUE, AGAIN):
            await app.job_manager.delete_old_jobs(
                24 * MAX_FAILED_DAYS, queue, include_failed=True, include_aborted=True
            )
        for worker, slots in tuple(self._workers.items()):
            while worker.worker_id is None:
                await asyncio.sleep(0.05)
            await asyncio.to_thread(introduce, tables, self.machine, worker.worker_id, slots)
        while True:
            await self._show_life(tables)
            await self._recover(app, tables)
            await asyncio.sleep(LOOK_SECONDS)

    async def _show_life(self, tables: psycopg.Connection[Any]) -> None:
        """Stay in the list of workers. Procrastinate's own signs of life end with the first one that fails."""
        for worker, slots in tuple(self._workers.items()):
            if worker in self._workers and worker.worker_id is not None and not self.signals:
                await asyncio.to_thread(show_life, tables, self.machine, worker.worker_id, slots)

    async def _recover(self, app: App, tables: psycopg.Connection[Any]) -> None:
        """Queue the batches of workers without a sign of life again. One worker does it at a time."""
        manager = app.job_manager
        async with _turn(tables):
            await asyncio.to_thread(mark_dead, tables, 2 * self.heartbeat_limit / HEARTBEATS)
            stalled = list(await manager.get_stalled_jobs(task_name=TASK, seconds_since_heartbeat=self.heartbeat_limit))
            if not stalled:
                return
            dead = {job.id for job in stalled}
            batches = (await asyncio.to_thread(state_of, tables)).batches
            newer = {site for each in batches if not each.has_failed and each.job not in dead for site in each.sites}
            for job in stalled:
                sites = job.task_kwargs["sites"]
                if isinstance(sites, list) and newer.issuperset(sites):
                    logger.warning("batch %s: its worker gave no sign of life; a newer batch has its sites", job.id)
                    await manager.finish_job(job, Status.FAILED, delete_job=False)
                else:
                    logger.warning("batch %s: its worker gave no sign of life; queued again", job.id)
                    await manager.retry_job(job, queue=AGAIN)
                    await asyncio.to_thread(uncount, tables, job.id)
            await manager.prune_stalled_workers(self.heartbeat_limit)

    def _uncount(self, job: int | None) -> None:
        """Take back the count of an attempt that is about to end. Without the database it stays counted."""
        with suppress(CorpusError, OperationalError), closing(open_tables(self.corpus, read_only=True)) as tables:
            uncount(tables, job)

    async def crawl(self, context: JobContext, sites: list[str]) -> None:
        """Crawl a batch in a child. Raises CrawlEndedError when it has to be crawled again."""
        try:
            if await asyncio.to_thread(held_sites, self.corpus, sites):
                # Cheaper than a crawl that ends at once. What another crawl locks after this look, it finds itself.
                raise CrawlEndedError(LOCKED)
            await self._crawl(sites)
        except CrawlEndedError as error:
            if error.code in _WITHOUT_FAULT:
                await asyncio.to_thread(self._uncount, context.job.id)
            raise

    async def _crawl(self, sites: list[str]) -> None:
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
            raise CrawlEndedError(FORCED if code < 0 and self.signals else code)
