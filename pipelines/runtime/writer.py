"""Writer thread: collect pages into groups, append them to the WARC, fsync, commit.

A group is written when it is full, when its first page has waited long enough, or when no page has come for about as
long as a write takes. So a quiet crawl commits page by page and a busy one a hundred pages at a time. A slower disk
gives larger groups. Other writes (leases, failures) do not wait for a group.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict, deque
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pipelines.runtime.heap import HeapTrimmer
from storage.errors import CorpusError
from storage.fetches.fetches import NOT_RECORDED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from storage.records import Capture, Fetched, Lease, Original, Pointer, Processed

logger = logging.getLogger(__name__)

GROUP = 100
"""Maximum pages of a group."""
GROUP_LINKS = 20_000
"""Links that fill a group of any number of pages. A sitemap may have fifty thousand."""
QUIET_SECONDS = 0.02
"""Seconds without a new job after which a group is written, or as many as the last write of its kind took."""
FETCHED_SECONDS, PROCESSED_SECONDS = 0.25, 1.0
"""Maximum seconds that the first page of a group waits. A host's next request may wait for a fetched page. A processed
page delays only hosts that have no other URL.
"""
T = TypeVar("T")


class CaptureArchive(Protocol):
    """Makes captures durable (storage.warc)."""

    def append(self, captures: Sequence[Capture], originals: Sequence[Original | None]) -> list[Pointer]:
        """Append, flush and fsync, as revisits where there is an original; return a pointer for each."""
        ...

    def require_database(self, *, now: bool = False) -> None:
        """Raise an error when another crawl has the sites. Without ``now``, look only after a while."""
        ...


class FetchStore(Protocol):
    """Write fetches (``corpus.fetches``)."""

    def record_fetched(self, run_id: int | None, group: Sequence[tuple[Fetched, Pointer]]) -> list[int]:
        """Commit exchanges with their pointers in one transaction. Return a fetch id for each."""
        ...


class DocumentStore(Protocol):
    """Write documents (``corpus.documents``)."""

    def record_processed(
        self, group: Sequence[tuple[int, Lease, Processed]], *, again: bool = False
    ) -> Mapping[int, Processed]:
        """Commit outcomes in one transaction. Return the stored outcomes by fetch id.

        ``again``: replace the outcomes of these pages.
        """
        ...


class WrittenCorpus(Protocol):
    """The parts of a corpus that the writer needs (`storage.Corpus`)."""

    @property
    def fetches(self) -> FetchStore: ...

    @property
    def documents(self) -> DocumentStore: ...


@dataclass(slots=True)
class _WriteJob:
    kind: str
    value: Any
    links: int = 0
    future: Future[Any] = field(default_factory=Future)


_END = _WriteJob("end", None)


@dataclass(slots=True)
class _JobGroup:
    """Jobs that are written together."""

    write: Callable[[list[_WriteJob]], list[Any]]
    patience: float
    """Maximum seconds that its first job waits."""
    quiet: float = QUIET_SECONDS
    jobs: list[_WriteJob] = field(default_factory=list)
    links: int = 0
    latest: float = 0.0
    due: float = 0.0

    @property
    def is_full(self) -> bool:
        """Whether the group takes no more jobs."""
        return len(self.jobs) >= GROUP or self.links >= GROUP_LINKS

    def add(self, job: _WriteJob) -> None:
        """Add a job. It delays the write, up to the patience of the first job."""
        now = time.monotonic()
        if not self.jobs:
            self.latest = now + self.patience
        self.due = min(now + self.quiet, self.latest)
        self.jobs.append(job)
        self.links += job.links

    def take(self) -> list[_WriteJob]:
        """Return the jobs and empty the group."""
        jobs, self.jobs, self.links = self.jobs, [], 0
        return jobs


class Writer:
    """Serialises every write. Each call returns a future that resolves once the write is durable.

    After the first error nothing more is written. Every later call fails with the same error, which ``error`` keeps,
    so a failing disk or database stops the run.
    """

    def __init__(
        self, run_id: int | None, archive: CaptureArchive | None, store: WrittenCorpus, *, again: bool = False
    ) -> None:
        """``archive``: None when no exchange is written. ``again``: new outcomes replace those of the pages."""
        self.error: BaseException | None = None
        self.seconds: dict[str, float] = defaultdict(float)
        self.began: float | None = None
        """When the write at work began, monotonic seconds. None: the thread waits for jobs."""
        self.together: Callable[[], AbstractContextManager[object]] = nullcontext
        """Context in which the futures of a group are resolved."""
        self._run_id, self._archive, self._store, self._again = run_id, archive, store, again
        self._jobs: deque[_WriteJob] = deque()
        self._bell = threading.Event()
        self._idle = False
        self._groups = {
            "fetched": _JobGroup(self._write_fetched, FETCHED_SECONDS),
            "processed": _JobGroup(self._write_processed, PROCESSED_SECONDS),
        }
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def fetched(self, item: Fetched) -> Future[int]:
        """Make an exchange durable. The future returns its fetch id."""
        return self._put(_WriteJob("fetched", item))

    def processed(self, fetch_id: int, lease: Lease, outcome: Processed) -> Future[Processed]:
        """Make the outcome of a fetched page durable. The future returns the outcome as stored: a drop when the
        database rejects the document.
        """
        return self._put(_WriteJob("processed", (fetch_id, lease, outcome), len(outcome.links)))

    def call(self, function: Callable[[], T]) -> Future[T]:
        """Run any other write (leases, failures) between two groups."""
        return self._put(_WriteJob("call", function))

    def close(self) -> None:
        """Write what is queued and end the thread. Later jobs are cancelled. Safe to repeat."""
        if not self._closed:
            self._put(_END)
            self._thread.join()
            self._closed = True
            self._cancel_rest()

    def _put(self, job: _WriteJob) -> Future[Any]:
        """Queue a job. A job of a group does not wake the thread: it looks in time (`_wait`)."""
        self._jobs.append(job)
        if self._idle or job.kind not in self._groups or len(self._jobs) >= GROUP:
            self._bell.set()
        if self._closed:
            self._cancel_rest()
        return job.future

    def _cancel_rest(self) -> None:
        """Cancel jobs queued after close."""
        with suppress(IndexError):
            while True:
                self._jobs.popleft().future.cancel()

    def _run(self) -> None:
        heap = HeapTrimmer()
        while (job := self._next()) is not _END:
            if job is not None and job.kind == "call":
                if not job.future.cancelled():
                    self._guarded([job], self._call)
            elif job is not None:
                self._groups[job.kind].add(job)
            self._write_due()
            heap.trim_when_due()
        for group in self._groups.values():
            self._write(group)

    def _next(self) -> _WriteJob | None:
        """Wait for a job until a group is due. Return None then."""
        if not self._jobs:
            self._wait(min((group.due for group in self._groups.values() if group.jobs), default=None))
        return self._jobs.popleft() if self._jobs else None

    def _wait(self, due: float | None) -> None:
        """Wait for a job that may not wait; while a group fills, only for a moment."""
        self._bell.clear()
        self._idle = due is None
        # A job that came before `clear` did not ring, or its ring is lost.
        if not self._jobs:
            self._bell.wait(None if due is None else min(QUIET_SECONDS, max(0.0, due - time.monotonic())))
        self._idle = False

    def _write_due(self) -> None:
        for group in self._groups.values():
            if group.is_full or (group.jobs and time.monotonic() >= group.due):
                self._write(group)

    def _write(self, group: _JobGroup) -> None:
        started = time.monotonic()
        self._guarded(group.take(), group.write)
        group.quiet = max(QUIET_SECONDS, time.monotonic() - started)

    def _guarded(self, jobs: list[_WriteJob], write: Callable[[list[_WriteJob]], list[Any]]) -> None:
        if not jobs:
            return
        # A cancelled waiter (of a stopped crawl) must not end this thread. Its job is written.
        waiters = [job.future if job.future.set_running_or_notify_cancel() else None for job in jobs]
        try:
            if self.error is not None:
                raise self.error
            self.began = time.monotonic()
            results = write(jobs)
        except Exception as error:  # noqa: BLE001 - the edge of the writing stage: kept, logged, passed to every waiter
            if self.error is None:
                # The end of the run reports an error of disk or database, with advice.
                level = logging.INFO if isinstance(error, CorpusError) else logging.ERROR
                logger.log(level, "cannot write (%s); the crawl stops here", type(error).__name__)
            self.error = error
            with self.together():
                for waiter in filter(None, waiters):
                    waiter.set_exception(error)
        else:
            with self.together():
                for answered, result in zip(waiters, results, strict=True):
                    if answered:
                        answered.set_result(result)
        finally:
            self.began = None

    def _write_fetched(self, jobs: list[_WriteJob]) -> list[int]:
        assert self._archive is not None
        archive, items = self._archive, [job.value for job in jobs]
        captures, originals = [item.capture for item in items], [item.original for item in items]
        pointers = self._timed("archive", lambda: archive.append(captures, originals))
        group = list(zip(items, pointers, strict=True))
        ids = self._timed("commit_fetched", lambda: self._store.fetches.record_fetched(self._run_id, group))
        if NOT_RECORDED in ids:
            archive.require_database(now=True)
        return ids

    def _write_processed(self, jobs: list[_WriteJob]) -> list[Processed]:
        group = [job.value for job in jobs]
        stored = self._timed(
            "commit_processed", lambda: self._store.documents.record_processed(group, again=self._again)
        )
        return [stored[fetch_id] for fetch_id, _, _ in group]

    def _call(self, jobs: list[_WriteJob]) -> list[Any]:
        return [self._timed("frontier", jobs[0].value)]

    def _timed(self, stage: str, function: Callable[[], T]) -> T:
        started = time.perf_counter()
        try:
            return function()
        finally:
            self.seconds[stage] += time.perf_counter() - started
