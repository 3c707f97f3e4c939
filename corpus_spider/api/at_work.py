"""What all machines do now: crawls that go on or died, and the workers and batches of the queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus_spider.exit_codes import FINISHED
from corpus_spider.monitoring.model import MachineProblem
from corpus_spider.monitoring.run_state import CrawlAtWork, crawls_at_work
from corpus_spider.queue.jobs import MAX_FAILED_DAYS, known_queue
from storage.reporting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from corpus_spider.queue.jobs import QueuedBatch, QueueState, QueueWorker
    from storage.corpus import Corpus

MAX_ATTEMPTS = 1
"""Attempts that a batch may have had without a report: the first one may have been that of a killed worker."""
MOST_NAMED_SITES = 5
"""Sites that a sentence names."""


@dataclass(frozen=True, slots=True)
class Machines:
    """What all machines do now. ``crawls``: those that go on or died. ``problems``: of no single site."""

    crawls: Sequence[CrawlAtWork] = ()
    problems: Sequence[MachineProblem] = ()

    @property
    def running(self) -> list[CrawlAtWork]:
        """The crawls that go on."""
        return [crawl for crawl in self.crawls if crawl.is_running]

    @property
    def pages_per_minute(self) -> float:
        """Sum over the crawls that go on."""
        return sum(crawl.pages_per_minute for crawl in self.running)


def read_machines(corpus: Corpus) -> Machines:
    """Read what all machines do now."""
    crawls, queue = crawls_at_work(corpus), known_queue(corpus)
    queued = {site for batch in queue.batches for site in batch.sites} if queue else set()
    died = [_died(crawl) for crawl in crawls if not crawl.is_running and queued.isdisjoint(crawl.sites)]
    return Machines(crawls, (*died, *(queue_problems(queue, _finished(corpus, queue)) if queue else ())))


def _finished(corpus: Corpus, queue: QueueState) -> dict[str, datetime]:
    """Return when the last finished crawl of each site of a failed batch began."""
    sites = {site for batch in queue.batches if batch.has_failed for site in batch.sites}
    return {run.site: run.started for run in corpus.runs.by_site(sites, MAX_FAILED_DAYS) if run.exit_code in FINISHED}


def queue_problems(queue: QueueState, finished: Mapping[str, datetime]) -> list[MachineProblem]:
    """Return the workers that died, and the batches that failed or cannot start. Pure.

    ``finished``: start of the last finished crawl of a site. A failed batch is no problem after later ones.
    """
    dead = [worker for worker in queue.workers if worker.is_dead]
    machines = {worker.worker: worker.machine for worker in queue.workers}
    found = [_dead(worker, queue.batches) for worker in dead]
    for batch in queue.batches:
        if batch.has_failed and not _is_crawled(batch, finished):
            found.append(_failed(batch, machines))
        elif not batch.has_failed and batch.attempts > MAX_ATTEMPTS:
            found.append(_repeated(batch, machines))
    waiting = [batch for batch in queue.batches if not batch.has_failed]
    if waiting and len(dead) == len(queue.workers):
        sites = tuple(site for batch in waiting for site in batch.sites)
        words = f"{counted(len(waiting), 'batch')} in the queue and no worker ({_named(sites)})"
        found.append(MachineProblem(words, "worker run", sites=sites))
    return found


def _is_crawled(batch: QueuedBatch, finished: Mapping[str, datetime]) -> bool:
    """Return whether a crawl that began after the last attempt has finished each of the sites."""
    since = batch.started
    return since is not None and all(site in finished and finished[site] > since for site in batch.sites)


def _died(crawl: CrawlAtWork) -> MachineProblem:
    words = f"the crawl of {_named(crawl.sites)} on {crawl.machine} was killed; the next one goes on where it stopped"
    return MachineProblem(words, "crawl", crawl.machine, crawl.sites)


def _dead(worker: QueueWorker, batches: Iterable[QueuedBatch]) -> MachineProblem:
    sites = tuple(site for batch in batches if batch.worker == worker.worker for site in batch.sites)
    left = f"; it had {_named(sites)}" if sites else ""
    words = f"worker {worker.worker} on {worker.machine} gives no sign of life{left}"
    return MachineProblem(words, "worker list", worker.machine, sites)


def _failed(batch: QueuedBatch, machines: dict[int, str]) -> MachineProblem:
    words = f"batch {batch.job} failed after {counted(batch.attempts, 'attempt')} ({_named(batch.sites)})"
    return MachineProblem(words, "crawl --queue", machines.get(batch.worker or 0, ""), batch.sites)


def _repeated(batch: QueuedBatch, machines: dict[int, str]) -> MachineProblem:
    words = f"batch {batch.job} was interrupted {batch.attempts} times and is tried again ({_named(batch.sites)})"
    return MachineProblem(words, "worker list", machines.get(batch.worker or 0, ""), batch.sites)


def _named(sites: Sequence[str]) -> str:
    more = len(sites) - MOST_NAMED_SITES
    return ", ".join(sites[:MOST_NAMED_SITES]) + (f" and {more} more" if more > 0 else "")
