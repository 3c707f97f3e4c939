"""The one thread that writes: it gathers what comes into groups, appends them to the WARC, fsyncs, and commits.

A group is written when it is full, when its first page has waited long enough, or when nothing has come for about as
long as writing takes: a quiet crawl commits page by page, a busy one a hundred at a time, and the slower the disk the
larger the groups. Other writes (leases, failures) do not wait for a group.
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

from storage.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from storage.records import Capture, Fetched, Lease, Original, Pointer, Processed

logger = logging.getLogger(__name__)

GROUP = 100
"""Pages of one group at most."""
GROUP_LINKS = 20_000
"""Links that fill a group, however few pages they are of: a sitemap may have fifty thousand."""
QUIET_SECONDS = 0.02
"""Without another job for so long, or for as long as the last write of its kind took, a group is written."""
FETCHED_SECONDS, PROCESSED_SECONDS = 0.25, 1.0
"""How long the first page of a group waits at most. A host's next request may wait for an exchange; for what came of a
page nobody does but those who have nothing else to ask for.
"""
T = TypeVar("T")


class Archive(Protocol):
    """Where captures are made durable (storage.warc)."""

    def append(self, captures: Sequence[Capture], originals: Sequence[Original | None]) -> list[Pointer]:
        """Append, flush and fsync, as revisits where there is an original; return a pointer for each."""
        ...


class FetchStore(Protocol):
    """Write fetches (``corpus.fetches``)."""

    def record_fetched(self, run_id: int, group: Sequence[tuple[Fetched, Pointer]]) -> list[int]:
        """Commit exchanges with their pointers in one transaction. Return a fetch id for each."""
        ...


class DocumentStore(Protocol):
    """Write documents (``corpus.documents``)."""

    def record_processed(self, group: Sequence[tuple[int, Lease, Processed]]) -> Mapping[int, Processed]:
        """Commit outcomes in one transaction. Return the stored outcomes by fetch id."""
        ...


class Store(Protocol):
    """The parts of a corpus that the writer needs (`storage.Corpus`)."""

    @property
    def fetches(self) -> FetchStore: ...

    @property
    def documents(self) -> DocumentStore: ...


@dataclass(slots=True)
class _Job:
    kind: str
    value: Any
    links: int = 0
    future: Future[Any] = field(default_factory=Future)


_END = _Job("end", None)


@dataclass(slots=True)
class _Group:
    """What waits to be written together."""

    write: Callable[[list[_Job]], list[Any]]
    patience: float
    """Seconds its first job waits at most."""
    quiet: float = QUIET_SECONDS
    jobs: list[_Job] = field(default_factory=list)
    links: int = 0
    latest: float = 0.0
    due: float = 0.0

    @property
    def is_full(self) -> bool:
        """Whether no more is to be written together."""
        return len(self.jobs) >= GROUP or self.links >= GROUP_LINKS

    def add(self, job: _Job) -> None:
        """Take a job in; it puts off the writing for a moment, but not for ever."""
        now = time.monotonic()
        if not self.jobs:
            self.latest = now + self.patience
        self.due = min(now + self.quiet, self.latest)
        self.jobs.append(job)
        self.links += job.links

    def take(self) -> list[_Job]:
        """Hand over the jobs."""
        jobs, self.jobs, self.links = self.jobs, [], 0
        return jobs


class Writer:
    """Serialises every write of a run. Each call returns a future that resolves once the write is durable.

    After the first error nothing more is written: every later call fails with the same error, which ``error`` keeps,
    so that a failing disk or database stops the crawl and is never only a line in a log.
    """

    def __init__(self, run_id: int, archive: Archive, store: Store) -> None:
        self.error: BaseException | None = None
        self.seconds: dict[str, float] = defaultdict(float)
        self.together: Callable[[], AbstractContextManager[object]] = nullcontext
        """What the futures of a group are resolved within."""
        self._run_id, self._archive, self._store = run_id, archive, store
        self._jobs: deque[_Job] = deque()
        self._bell = threading.Event()
        self._idle = False
        self._groups = {
            "fetched": _Group(self._write_fetched, FETCHED_SECONDS),
            "processed": _Group(self._write_processed, PROCESSED_SECONDS),
        }
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    def fetched(self, item: Fetched) -> Future[int]:
        """Make an exchange durable; the future gives its fetch id."""
        return self._put(_Job("fetched", item))

    def processed(self, fetch_id: int, lease: Lease, outcome: Processed) -> Future[Processed]:
        """Make the outcome of a fetched page durable; the future gives what was stored, which may be a drop where the
        database would not take the document.
        """
        return self._put(_Job("processed", (fetch_id, lease, outcome), len(outcome.links)))

    def call(self, function: Callable[[], T]) -> Future[T]:
        """Run any other write (leases, failures) between two groups."""
        return self._put(_Job("call", function))

    def close(self) -> None:
        """Finish what is queued and end the thread; what comes later is cancelled."""
        self._put(_END)
        self._thread.join()
        self._closed = True
        self._cancel_rest()

    def _put(self, job: _Job) -> Future[Any]:
        """Queue a job. Those of a group do not wake the thread each: it looks for them in time (`_wait`)."""
        self._jobs.append(job)
        if self._idle or job.kind not in self._groups or len(self._jobs) >= GROUP:
            self._bell.set()
        if self._closed:
            self._cancel_rest()
        return job.future

    def _cancel_rest(self) -> None:
        """Let nobody wait for what came too late."""
        with suppress(IndexError):
            while True:
                self._jobs.popleft().future.cancel()

    def _run(self) -> None:
        while (job := self._next()) is not _END:
            if job is not None and job.kind == "call":
                if not job.future.cancelled():
                    self._guarded([job], self._call)
            elif job is not None:
                self._groups[job.kind].add(job)
            self._write_due()
        for group in self._groups.values():
            self._write(group)

    def _next(self) -> _Job | None:
        """Wait for a job, as long as no group becomes due; None when one may have."""
        if not self._jobs:
            self._wait(min((group.due for group in self._groups.values() if group.jobs), default=None))
        return self._jobs.popleft() if self._jobs else None

    def _wait(self, due: float | None) -> None:
        """Wait for the bell, which rings for all that must not wait, or while a group fills for a moment at most."""
        self._bell.clear()
        self._idle = due is None
        # What came before the bell was silent has not rung, or in vain.
        if not self._jobs:
            self._bell.wait(None if due is None else min(QUIET_SECONDS, max(0.0, due - time.monotonic())))
        self._idle = False

    def _write_due(self) -> None:
        for group in self._groups.values():
            if group.is_full or (group.jobs and time.monotonic() >= group.due):
                self._write(group)

    def _write(self, group: _Group) -> None:
        started = time.monotonic()
        self._guarded(group.take(), group.write)
        group.quiet = max(QUIET_SECONDS, time.monotonic() - started)

    def _guarded(self, jobs: list[_Job], write: Callable[[list[_Job]], list[Any]]) -> None:
        if not jobs:
            return
        # A waiter that was cancelled (a crawl that is stopped) must not end this thread; what it gave is written.
        waiters = [job.future if job.future.set_running_or_notify_cancel() else None for job in jobs]
        try:
            if self.error is not None:
                raise self.error
            results = write(jobs)
        except Exception as error:  # noqa: BLE001 - the edge of the writing stage: kept, logged, handed to every waiter
            if self.error is None:
                # An error of disk or database is told at the end of the run, with what to do.
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

    def _write_fetched(self, jobs: list[_Job]) -> list[int]:
        items: list[Fetched] = [job.value for job in jobs]
        captures, originals = [item.capture for item in items], [item.original for item in items]
        pointers = self._timed("archive", lambda: self._archive.append(captures, originals))
        group = list(zip(items, pointers, strict=True))
        return self._timed("commit_fetched", lambda: self._store.fetches.record_fetched(self._run_id, group))

    def _write_processed(self, jobs: list[_Job]) -> list[Processed]:
        stored = self._timed(
            "commit_processed", lambda: self._store.documents.record_processed([job.value for job in jobs])
        )
        return [stored[job.value[0]] for job in jobs]

    def _call(self, jobs: list[_Job]) -> list[Any]:
        return [self._timed("frontier", jobs[0].value)]

    def _timed(self, stage: str, function: Callable[[], T]) -> T:
        started = time.perf_counter()
        try:
            return function()
        finally:
            self.seconds[stage] += time.perf_counter() - started
