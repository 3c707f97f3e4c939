"""What the views share: the corpus, its configuration, the search index, workers, and the limit of expensive pages."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from corpus_spider.api.at_work import read_machines
from corpus_spider.monitoring import health
from corpus_spider.monitoring.model import HealthThresholds
from corpus_spider.terminal.slow_count import SlowCount
from corpus_spider.web.translation import marked
from storage.documents.selection import INDEX
from storage.time_limit import time_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from corpus_spider.api.at_work import Machines
    from corpus_spider.api.index_facts import IndexFacts
    from corpus_spider.config.model import Config
    from corpus_spider.monitoring.health import Health
    from corpus_spider.search.searching import SearchIndex
    from pipelines.runtime.workers import WorkerLimits, WorkerPool
    from storage.corpus import Corpus
    from storage.documents.model import Status
    from storage.documents.selection import Selection

T = TypeVar("T")
K = TypeVar("K")

MAX_VIEW_SECONDS = 5.0
"""Seconds in which a view must have read what it shows from the corpus and the index."""
EXPENSIVE_AT_ONCE = 2
"""Expensive pages (another extractor, figures, downloads) that are made at one time. Others wait."""
WAITING_AT_ONCE = 8
"""Requests that wait for a turn. Each holds one of the forty threads in which all views run."""
REMEMBERED_SECONDS = 10.0
"""Age from which the counts of the whole corpus are counted again."""
PATIENCE_SECONDS = 10.0
"""Seconds to wait for a turn. After that the answer is 503."""


BUSY = marked("Busy. Try again in a few seconds.")
TRIAL_RUNS = marked("Another extractor is running. Only one runs at a time. Try again in a few seconds.")
WORKERS = 2
"""Processes that read originals: one for pages to look at, one for another extractor."""


class BusyError(Exception):
    """Too many expensive pages are requested at once. The text is a sentence for the visitor."""


class LastMade(Generic[K, T]):
    """The value of the last key. Callers with another key wait until its value is made."""

    def __init__(self) -> None:
        self._known: tuple[K, T] | None = None
        self._turn = threading.Lock()

    def __call__(self, key: K, make: Callable[[], T]) -> T:
        """Return the value of a key. Errors of ``make`` reach the caller."""
        with self._turn:
            if self._known is None or self._known[0] != key:
                self._known = key, make()
            return self._known[1]


@dataclass(slots=True)
class Workers:
    """The sandboxed processes that read originals, with the limits of a crawl. They start with the first page."""

    limits: WorkerLimits
    _pool: WorkerPool | None = None
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self) -> WorkerPool:
        """Return the pool of processes."""
        from pipelines.runtime.workers import WorkerPool

        with self._guard:
            if self._pool is None:
                self._pool = WorkerPool(WORKERS, self.limits)
            return self._pool

    def close(self) -> None:
        """End the processes."""
        with self._guard:
            if self._pool is not None:
                self._pool.close()
                self._pool = None


@dataclass(frozen=True, slots=True)
class ServedCorpus:
    """One served corpus. Views use it from several threads."""

    config: Config
    corpus: Corpus
    turns: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(EXPENSIVE_AT_ONCE))
    places: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(WAITING_AT_ONCE))
    trial: threading.Lock = field(default_factory=threading.Lock)
    workers: Workers = field(init=False)
    status: SlowCount[Status] = field(init=False)
    """Counts of the whole corpus: a million documents take a third of a second."""
    health: SlowCount[Health] = field(init=False)
    """Results for all sites: the runs of a hundred nights are read."""
    machines: SlowCount[Machines] = field(init=False)
    """What all machines do now."""
    index_facts: LastMade[tuple[int, ...], IndexFacts] = field(default_factory=LastMade)
    """Numbers of the search index, by the ids of its shards, which are never used twice."""

    def __post_init__(self) -> None:
        # A frozen dataclass has no other way to derive a field.
        object.__setattr__(self, "workers", Workers(self.config.worker_limits))
        object.__setattr__(self, "status", SlowCount(self.corpus.status, REMEMBERED_SECONDS))
        examine = partial(health.examine, self.corpus, self.config, HealthThresholds())
        object.__setattr__(self, "health", SlowCount(examine, REMEMBERED_SECONDS))
        object.__setattr__(self, "machines", SlowCount(partial(read_machines, self.corpus), REMEMBERED_SECONDS))

    @property
    def selections(self) -> dict[str, Selection]:
        """Selections of corpus.toml that the search index honours, as the page offers them."""
        every = self.config.selections.items()
        return {name: each for name, each in every if each == each.only(INDEX)}

    def close(self) -> None:
        """End the processes that read originals."""
        self.workers.close()

    @contextmanager
    def index(self) -> Iterator[SearchIndex]:
        """Open the search index for one request. ConfigError if there is none, or while it is behind a removal."""
        from corpus_spider.search.searching import SearchIndex

        with SearchIndex.open(self.config.index_folder, self.corpus) as opened:
            yield opened

    @contextmanager
    def expensive(self, seconds: float = MAX_VIEW_SECONDS) -> Iterator[None]:
        """Wait for a turn, which lasts so many seconds. Raises BusyError if none comes, or if too many wait."""
        if not self.places.acquire(blocking=False):
            raise BusyError(BUSY)
        try:
            has_turn = self.turns.acquire(timeout=PATIENCE_SECONDS)
        finally:
            self.places.release()
        if not has_turn:
            raise BusyError(BUSY)
        try:
            with time_limit(seconds):
                yield
        finally:
            self.turns.release()

    @contextmanager
    def one_trial(self) -> Iterator[None]:
        """Take the turn to run another extractor. Raises BusyError at once if one runs."""
        if not self.trial.acquire(blocking=False):
            raise BusyError(TRIAL_RUNS)
        try:
            yield
        finally:
            self.trial.release()
