"""Answers of worker processes, read by one thread for each worker."""

from __future__ import annotations

import asyncio
import errno
import subprocess
import sys
import threading
from contextlib import closing
from datetime import UTC, datetime
from multiprocessing import forkserver
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import DropItem

from pipelines.runtime.stages import Page, ProcessStage
from pipelines.runtime.workers import WorkerPool, start_fork_server
from storage.errors import CorpusError
from storage.records import Capture, Fetched, Lease, SiteModel

if TYPE_CHECKING:
    from storage.records import Processed

ROOT = Path(__file__).resolve().parents[3]
FIRST_ANSWERS = """
import sys, threading
from types import SimpleNamespace
import msgspec
from pipelines.runtime.worker_process import Reply
from pipelines.runtime.workers import WorkerPool
from storage.records import Drop, Processed

sys.setswitchinterval(1e-6)
frame = msgspec.msgpack.encode(Reply(Processed(drop=Drop("listing"))))
pool = SimpleNamespace(_guard=threading.Lock(), cpu_seconds=0.0, peak_kib=0)
together, read = threading.Barrier(8), []

def answer():
    together.wait()
    read.append(WorkerPool._answer(pool, frame).processed.drop.reason)

threads = [threading.Thread(target=answer) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert read == ["listing"] * 8, read
"""


@pytest.mark.parametrize("_time", range(4))
def test_the_first_answers_may_come_at_the_same_moment(_time: int) -> None:
    """Eight threads that read their first answer together all read it: two ended the program with SIGSEGV."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST_ANSWERS], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM])
def test_a_system_without_another_process_is_reported_as_that(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Not as a folder for temporary files that is missing."""

    def refuse() -> None:
        raise OSError(number, "Not now")

    monkeypatch.setattr(forkserver, "ensure_running", refuse)
    with pytest.raises(CorpusError, match=r"no worker process can be started .*Not now"):
        start_fork_server()


@pytest.mark.parametrize("kind", [threading.Timer, threading.Thread])
def test_a_system_without_another_thread_is_reported_as_that(
    monkeypatch: pytest.MonkeyPatch, kind: type[threading.Thread]
) -> None:
    """The system has no thread left to watch a worker's start, or to work with it. This was an internal error."""

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    capture = Capture("http://a.example/", datetime.now(UTC), 200, (), (), b"<p>")
    with closing(WorkerPool(1)) as pool:
        monkeypatch.setattr(kind, "start", refuse)
        with pytest.raises(CorpusError, match=r"no worker process can be started .*new thread"):
            pool.submit(capture, SiteModel("s")).result(60)


class WithoutWorkers:
    """A pipeline to which the system gives no worker."""

    async def process(self, *_: object) -> Processed:
        raise CorpusError("no worker process can be started")


def test_a_page_for_which_no_worker_starts_leaves_the_pipeline_as_one_that_is_not_written() -> None:
    """The crawl ends with the message; Scrapy added a traceback."""
    lease = Lease(1, "http://a.example/", "http://a.example/", "s", "a.example")
    capture = Capture("http://a.example/", datetime.now(UTC), 200, (), (), b"<p>")
    crawler: Any = SimpleNamespace(spider=SimpleNamespace(pipeline=WithoutWorkers()))
    with pytest.raises(DropItem, match="not_written"):
        asyncio.run(ProcessStage(crawler).process_item(Page(Fetched(capture, lease))))
