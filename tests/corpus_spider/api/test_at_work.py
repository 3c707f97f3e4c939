"""What all machines do: crawls that died, and the problems of a queue."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from corpus_spider.api.at_work import queue_problems, read_machines
from corpus_spider.queue.jobs import QueuedBatch, QueueState, QueueWorker

if TYPE_CHECKING:
    from storage import Corpus

NOW = datetime(2026, 11, 26, 20, 5, tzinfo=UTC)
LIVING = QueueWorker(1, "a", 7, 1, NOW, 3.0)
QUIET = QueueWorker(2, "b", 7, 1, NOW, 40.0)
WAITING = QueuedBatch(1, "todo", ("s1", "s2"), 0, None, None, None)
FAILED = QueuedBatch(2, "failed", ("s3",), 4, 1, None, NOW)


@pytest.mark.parametrize(
    ("workers", "batches", "finished", "expected"),
    [
        ([], [], {}, []),
        ([LIVING], [WAITING], {}, []),
        ([LIVING, QUIET], [], {}, ["worker 2 on b gives no sign of life"]),
        ([QueueWorker(2, "b", 7, 1, NOW, 8.0)], [], {}, []),
        ([QueueWorker(2, "b", 7, 1, NOW, 8.0, connected=False)], [], {}, ["worker 2 on b gives no sign of life"]),
        (
            [LIVING, QUIET],
            [QueuedBatch(4, "doing", tuple("abcdefg"), 0, 2, None, NOW)],
            {},
            ["worker 2 on b gives no sign of life; it had a, b, c, d, e and 2 more"],
        ),
        ([], [WAITING], {}, ["1 batch in the queue and no worker (s1, s2)"]),
        ([LIVING], [FAILED], {}, ["batch 2 failed after 4 attempts (s3)"]),
        ([LIVING], [FAILED], {"s3": NOW - timedelta(days=1)}, ["batch 2 failed after 4 attempts (s3)"]),
        ([LIVING], [FAILED], {"s3": NOW + timedelta(hours=1)}, []),
        (
            [LIVING],
            [QueuedBatch(3, "todo", ("s1",), 2, None, None, NOW)],
            {},
            ["batch 3 was interrupted 2 times and is tried again (s1)"],
        ),
        ([LIVING], [QueuedBatch(3, "doing", ("s1",), 1, 1, None, NOW)], {}, []),
    ],
)
def test_each_problem_of_a_queue_is_named(
    workers: list[QueueWorker], batches: list[QueuedBatch], finished: dict[str, datetime], expected: list[str]
) -> None:
    """A dead worker, a failed batch until a later crawl, a batch that is tried again and again, a queue alone."""
    found = queue_problems(QueueState(tuple(workers), tuple(batches)), finished)
    assert [problem.words for problem in found] == expected


def test_a_crawl_is_at_work_until_it_ends_or_later_ones_take_up_its_sites(corpus: Corpus) -> None:
    """Runs of both databases: one that died, one whose sites have a later run, one that ended."""
    assert read_machines(corpus).crawls == []
    taken_up = corpus.runs.start("{}", ["a", "b"])
    died = corpus.runs.start("{}", ["b", "c"])
    ended = corpus.runs.start("{}", ["a"])
    corpus.runs.finish(ended, 0, "{}")
    (crawl,) = read_machines(corpus).crawls
    assert (crawl.run, crawl.sites, crawl.process) == (died, ("b", "c"), os.getpid())
    assert taken_up < died
    # In PostgreSQL the locks tell, in SQLite the process, which is this one.
    assert crawl.is_running is corpus.database.is_sqlite
    assert [problem.words for problem in read_machines(corpus).problems] == (
        []
        if corpus.database.is_sqlite
        else [f"the crawl of b, c on {crawl.machine} was killed; the next one goes on where it stopped"]
    )
