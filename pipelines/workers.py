"""Supervised worker processes: one page at a time each, with a time and a memory limit; a crash costs that page only.

A thread of the parent owns each worker. It hands over (capture, model) as MessagePack, never as pickles, so that a
worker which hostile bytes have taken over can give back wrong data at worst. Workers come from a fork server that has
the heavy modules loaded, so a replacement is there in milliseconds; they hold no file, socket or database handle of
the parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import math
import multiprocessing
import os
import resource
import signal
import threading
import time
import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import forkserver, resource_tracker, util
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

import msgspec

from pipelines.recurrence import Survey
from storage.records import Capture, Drop, Processed, SiteModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

logger = logging.getLogger(__name__)

MAX_FRAME = 256 * 1024 * 1024
MAX_CRASHES = 2
MAX_FAULT = 10_000
FAULTS = "CORPUS_SPIDER_FAULTS"
START_SECONDS = 120.0
LOOK_SECONDS = 0.5
"""How often it is looked at whether a page takes too long: so much longer it may."""
PR_SET_PDEATHSIG = 1
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
STOPPING = frozenset({signal.SIGINT, signal.SIGTERM})


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Limits of one page: wall-clock seconds and bytes of address space."""

    seconds: float = 20.0
    memory: int = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class Task:
    """What goes to a worker: a page to process with a model or, without one, to survey."""

    capture: Capture
    model: SiteModel | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What comes back: the outcome, CPU seconds spent on it and the worker's peak memory in KiB; the survey of a page
    that was to be surveyed, empty where that failed.
    """

    processed: Processed
    cpu: float = 0.0
    peak_kib: int = 0
    survey: Survey = field(default_factory=Survey)
    fault: str = ""
    """The traceback of what was raised. Told by the parent, whose log has rules; a worker has none to hold to."""


class WorkerDiedError(Exception):
    """The worker ended without an answer; ``timed_out`` when its supervisor killed it for the time limit."""

    def __init__(self, *, timed_out: bool) -> None:
        super().__init__("timed out" if timed_out else "crashed")
        self.timed_out = timed_out


def start_fork_server() -> None:
    """Have the process that workers are forked from load and warm up, while the caller goes on; safe to repeat."""
    multiprocessing.get_context("forkserver").set_forkserver_preload(["pipelines.warm"])
    with signals_held():
        forkserver.ensure_running()


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Hold SIGINT and SIGTERM back while processes start: they inherit that, and a signal to the whole process group
    (Ctrl-C, systemd, timeout(1)) is for the parent alone to act on.
    """
    # It lets both signals through when it starts its own process, so it has to be there before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class WorkerPool:
    """A fixed number of supervised workers. ``submit`` may be called from any thread; ``close`` ends them all."""

    def __init__(self, size: int, limits: WorkerLimits | None = None) -> None:
        self.size = size
        self.cpu_seconds = 0.0
        self.peak_kib = 0
        self._limits = limits or WorkerLimits()
        self._context = multiprocessing.get_context("forkserver")
        start_fork_server()
        self._local = threading.local()
        self._workers: list[_Worker] = []
        self._guard = threading.Lock()
        self._closing = False
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="worker")
        # A program that ends without `close` would wait for them for ever: they heed no signal but this.
        self._at_exit = util.Finalize(None, _end, (self._workers,), exitpriority=100)
        self._closed = threading.Event()
        self._watch = threading.Thread(target=self._keep_limits, name="workers' watch", daemon=True)
        self._watch.start()

    def submit(
        self,
        capture: Capture,
        model: SiteModel,
        crashes: int = 0,
        on_crash: Callable[[], object] = lambda: None,
    ) -> Future[Processed]:
        """Process a capture; the result is always a Processed: what kills workers comes back as a drop with its
        reason. ``crashes``: workers it has cost before. ``on_crash`` is called after each one more, before the next
        try; what it raises ends the task.
        """
        return self._threads.submit(lambda: self._run(Task(capture, model), crashes, on_crash).processed)

    def survey(self, capture: Capture) -> Future[Survey]:
        """Survey a stored page for learning; the survey is empty when it cost its worker or could not be read."""
        return self._threads.submit(lambda: self._run(Task(capture), MAX_CRASHES - 1).survey)

    def close(self) -> None:
        """Kill the workers; unfinished futures are cancelled or end as a crash."""
        self._closing = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._guard:
            for worker in self._workers:
                worker.end()
        self._threads.shutdown(wait=True)
        self._closed.set()
        self._watch.join()
        for worker in self._workers:
            worker.bury()
        self._workers.clear()
        self._at_exit.cancel()

    def pids(self) -> list[int]:
        """Return the process ids of the living workers."""
        with self._guard:
            return [worker.pid for worker in self._workers if worker.alive]

    def _keep_limits(self) -> None:
        """Kill workers that take too long over a page, until the pool is closed.

        One thread that looks now and then: starting a timer for each page takes longer than sending it.
        """
        while not self._closed.wait(LOOK_SECONDS):
            with self._guard:
                workers = tuple(self._workers)
            for worker in workers:
                worker.keep_limit()

    def _run(self, task: Task, crashes: int, on_crash: Callable[[], object] = lambda: None) -> Reply:
        frame = msgspec.msgpack.encode(task)
        for _ in range(crashes, MAX_CRASHES):
            try:
                reply = self._answer(self._own_worker().call(frame))
            except WorkerDiedError as death:
                self._discard()
                if self._closing:
                    break
                logger.warning("worker %s on %s", death, task.capture.url)
                if death.timed_out:
                    return Reply(Processed(drop=Drop("worker_timeout", f"over {self._limits.seconds:g} s")))
                on_crash()
            else:
                _tell(reply, task.capture.url)
                return reply
        return Reply(Processed(drop=Drop("worker_crash", f"cost {MAX_CRASHES} workers")))

    def _answer(self, frame: bytes) -> Reply:
        try:
            reply = msgspec.msgpack.decode(frame, type=Reply)
        except msgspec.DecodeError as error:
            raise WorkerDiedError(timed_out=False) from error
        with self._guard:
            self.cpu_seconds += reply.cpu
            self.peak_kib = max(self.peak_kib, reply.peak_kib)
        return reply

    def _own_worker(self) -> _Worker:
        worker: _Worker | None = getattr(self._local, "worker", None)
        if worker is not None and not worker.alive:
            # It was killed between two pages, by a machine short of memory for one: the next page has cost nothing.
            self._discard()
            worker = None
        if worker is None:
            worker = self._local.worker = self._started()
            with self._guard:
                self._workers.append(worker)
                if self._closing:
                    # Nobody else would kill it any more, and it lets no other signal end it.
                    raise WorkerDiedError(timed_out=False)
        return worker

    def _started(self) -> _Worker:
        """Start a worker; one that does not come up is tried once more, then the machine is at fault, not a page."""
        try:
            return _Worker(self._context, self._limits)
        except (EOFError, OSError) as error:
            logger.warning("a worker did not start (%s)", error or type(error).__name__)
            return _Worker(self._context, self._limits)

    def _discard(self) -> None:
        worker: _Worker = self._local.worker
        self._local.worker = None
        worker.bury()
        with self._guard:
            self._workers.remove(worker)


def _end(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.end()


def _tell(reply: Reply, url: str) -> None:
    if reply.fault:
        logger.error("cannot process %s: %s", url, reply.processed.drop and reply.processed.drop.detail)
        logger.debug("%s", reply.fault)


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, context: multiprocessing.context.ForkServerContext, limits: WorkerLimits) -> None:
        self._limits, self._ended = limits, False
        self._clock = threading.Lock()
        self._due, self._overdue = math.inf, False
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, limits.memory, os.environ.get(FAULTS, "")), daemon=True
        )
        with signals_held():
            self._process.start()
        theirs.close()
        # The first worker waits for the fork server to load; that is nobody's page time.
        if not self._pipe.poll(START_SECONDS):
            self.bury()
            raise TimeoutError(f"it took more than {START_SECONDS:g} s")
        self._pipe.recv_bytes(MAX_FRAME)

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    @property
    def alive(self) -> bool:
        """Whether it can be given a task: the process has not ended, as far as is known; any thread may ask."""
        return not self._ended and not wait([self._process.sentinel], 0)

    def call(self, frame: bytes) -> bytes:
        """Send one task and wait for the answer; `keep_limit` kills the process meanwhile at the limit.

        Another thread, not a timed read, keeps the limit: a stopped process would block the sending too.
        """
        self._begin(time.monotonic() + self._limits.seconds)
        try:
            self._pipe.send_bytes(frame)
            answer = self._pipe.recv_bytes(MAX_FRAME)
        except (EOFError, OSError) as error:
            raise WorkerDiedError(timed_out=self._end_of_page()) from error
        # An answer that came at the last moment is taken; that its worker is dead is known before the next task.
        self._end_of_page()
        return answer

    def _begin(self, due: float) -> None:
        with self._clock:
            self._due, self._overdue = due, False

    def _end_of_page(self) -> bool:
        """Stop the clock; say whether the page took too long."""
        with self._clock:
            self._due = math.inf
            return self._overdue

    def keep_limit(self) -> None:
        """Kill the process if its page takes too long; any thread may."""
        with self._clock:
            if time.monotonic() > self._due:
                self._overdue = True
                self.end()

    def end(self) -> None:
        """Kill the process; any thread may, and whoever waits for its answer learns that it died."""
        self._ended = True
        self._process.kill()

    def bury(self) -> None:
        """Kill the process and let go of it; only by its own thread, or when that is gone: nothing closes twice."""
        self.end()
        self._process.join(5)
        self._pipe.close()


def _serve(pipe: Connection, memory: int, faults: str) -> None:
    """Life of a worker: limits first, then one task after the other until the parent is gone.

    ``faults`` comes from the parent: the fork server's environment is that of the time it was started.
    """
    _confine(memory)
    os.environ[FAULTS] = faults
    with contextlib.suppress(EOFError, OSError):
        pipe.send_bytes(b"ready")
        while True:
            pipe.send_bytes(_handle(pipe.recv_bytes(MAX_FRAME)))


def _confine(memory: int) -> None:
    """Take the network away, bound the address space, forbid writing files and core dumps, and die with the parent.

    The terminal sends Ctrl-C to the whole group: the parent decides what it means, so workers ignore it.
    """
    _leave_network()
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _let_go_of_fork_server()


def _let_go_of_fork_server() -> None:
    """Leave the end of the pipe that keeps the fork server alive to the crawl alone.

    Whoever it starts gets a copy, so one that hangs when the crawl is killed would keep both of them for ever.
    """
    # Where CPython puts the copy; it has no public name.
    alive = vars(forkserver._forkserver).get("_forkserver_alive_fd")  # noqa: SLF001
    if alive is not None:
        os.close(alive)


def _leave_network() -> None:
    """Go where there is no network, not even loopback, if the system lets us (Linux namespaces); pages need none.

    Root needs no namespace of users for it, and would lose its rights to files in one.
    """
    flags = CLONE_NEWNET if os.geteuid() == 0 else CLONE_NEWUSER | CLONE_NEWNET
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).unshare(flags)


def _handle(frame: bytes) -> bytes:
    task = msgspec.msgpack.decode(frame, type=Task)
    started = time.thread_time()
    reply = _outcome(task)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return msgspec.msgpack.encode(replace(reply, cpu=time.thread_time() - started, peak_kib=peak))


def _outcome(task: Task) -> Reply:
    from pipelines.process import process, survey

    try:
        _inject_fault(task.capture.body)
        if task.model is None:
            return Reply(Processed(), survey=survey(task.capture))
        return Reply(process(task.capture, task.model))
    except MemoryError:
        return Reply(Processed(drop=Drop("worker_memory")))
    except Exception as error:  # noqa: BLE001 - the edge of the processing stage: counted, and told by the parent
        drop = Drop("worker_error", f"{type(error).__name__}: {error}"[:500])
        return Reply(Processed(drop=drop), fault=traceback.format_exc()[-MAX_FAULT:])


def _inject_fault(body: bytes) -> None:
    """Fail on purpose when the crash tests ask for it (CORPUS_SPIDER_FAULTS=1) and the page carries the marker."""
    if os.environ.get(FAULTS) != "1":
        return
    if b"fault:crash" in body:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"fault:hang" in body:
        while True:
            time.sleep(1)
    if b"fault:memory" in body:
        bytearray(64 * 1024**3)
    if b"fault:growth" in body:
        blocks = []
        while True:
            blocks.append(bytes(2**20))
    if b"fault:error" in body:
        raise ValueError(body.decode("utf-8", "replace"))
