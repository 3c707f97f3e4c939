"""Supervised worker processes. Each processes one page at a time, with a time and a memory limit.

A crash costs one page. A thread of the parent owns each worker. Tasks and replies are MessagePack and never pickles,
so a worker that hostile bytes have taken over can return wrong data at worst. Workers come from a fork server that has
loaded the heavy modules, so a new one starts in milliseconds. They hold no file, socket or database handle of the
parent.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import forkserver, util
from multiprocessing.connection import wait
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

import msgspec

from pipelines.runtime.worker_process import FAULTS, MAX_FRAME, Reply, StartFault, Task, serve, signals_held
from storage import plugins
from storage.disk import disk_error
from storage.errors import ConfigError, CorpusError, DiskError
from storage.reasons import MACHINE_FAULTS, WORKER_FAULTS
from storage.records import Drop, Processed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pipelines.extractors.auto.blocks.template_learning import Survey
    from pipelines.extractors.explanation import Explanation
    from pipelines.page.inert import InertPage
    from storage.records import Capture, SiteModel

logger = logging.getLogger(__name__)

T = TypeVar("T")

MAX_CRASHES = 2
"""Workers that a page may crash before it is dropped."""
START_SECONDS = 120.0
"""Maximum seconds for a worker or the fork server to start."""
WALL_FACTOR = 15.0
"""Wall-clock limit as a multiple of the limit of CPU time: a load of 30 on two processors."""
LOOK_SECONDS = 0.5
"""Seconds between two checks of the time limits. A page may exceed them by as much."""
_READABLE = frozenset(WORKER_FAULTS) - {"worker_crash"}
"""Reasons of pages whose links are read again. A page that has crashed two workers could crash a third."""
_UNSTARTED = (EOFError, OSError, RuntimeError)
"""Errors of a worker that does not start. RuntimeError: the system has no thread left to start it."""

_replies, _start_faults = msgspec.msgpack.Decoder(Reply), msgspec.msgpack.Decoder(StartFault | None)
"""Made before there are threads: two threads that resolve a type at once crash (SIGSEGV, msgspec 0.22)."""
_script_guard = threading.Lock()


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Limits of one page: seconds of CPU time and bytes of address space.

    A page that waits for a processor uses no CPU time, so a busy machine does not exceed the limit.
    """

    seconds: float = 20.0
    memory: int = 2 * 1024**3
    wall: float = 0.0
    """Wall-clock seconds, for a worker that hangs without work; 0: `WALL_FACTOR` times ``seconds``."""

    @property
    def wall_seconds(self) -> float:
        return self.wall or WALL_FACTOR * self.seconds


class WorkerDiedError(Exception):
    """The worker ended without a reply.

    ``limit``: the time limit for which it was killed, or empty. ``killed``: another process killed it with SIGKILL, as
    the system does when the machine is out of memory.
    """

    def __init__(self, *, limit: str = "", killed: bool = False) -> None:
        super().__init__("timed out" if limit else "was killed" if killed else "crashed")
        self.limit, self.killed = limit, killed


def start_fork_server() -> None:
    """Start the process that workers are forked from. It loads while the caller goes on. Safe to repeat.

    Raises DiskError when there is no folder for its socket, CorpusError when the system has no process left.
    """
    multiprocessing.get_context("forkserver").set_forkserver_preload(["pipelines.runtime.warm_up"])
    try:
        with signals_held():
            forkserver.ensure_running()
    except OSError as error:
        if error.errno == errno.EMFILE:
            raise disk_error(error, Path("ulimit -n")) from error
        if error.errno in {errno.EAGAIN, errno.ENOMEM}:
            raise _no_process(error) from error
        raise DiskError(
            f"worker processes need a folder for temporary files: {error}",
            where=os.environ.get("TMPDIR", ""),
            do="Have TMPDIR name one that can be written, has room, and whose path is short (90 characters).",
        ) from error


def _no_process(error: Exception) -> CorpusError:
    return CorpusError(
        f"no worker process can be started ({str(error) or type(error).__name__})",
        do="See that there is memory, and that ulimit -v, -u and -n leave room for some processes.",
    )


@contextlib.contextmanager
def server_in_time() -> Iterator[None]:
    """Kill the fork server when it does not answer within `START_SECONDS`: a stopped one would block its caller.

    The body gets an EOFError then, or a FileNotFoundError when the socket is gone. The next attempt gets a new server.
    """
    start_fork_server()
    asked = _server_pid()
    alarm = threading.Timer(START_SECONDS, _kill_server, [asked])
    alarm.daemon = True
    alarm.start()
    try:
        yield
    except (EOFError, ConnectionError):
        _await_end(asked)
        raise
    except FileNotFoundError:
        _make_folder()
        _kill_server(asked)
        _await_end(asked)
        raise
    finally:
        alarm.cancel()


@contextlib.contextmanager
def without_script() -> Iterator[None]:
    """Hide the script of this program from `multiprocessing`, which would run it again in each new process.

    A worker needs nothing of it. The script of `corpus-spider` takes .1 s to load, that of a user may do anything.
    """
    with _script_guard:
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = script


def _make_folder() -> None:
    """Make the folder of the fork server's socket again. Raises DiskError when another user has made it: that user
    would get the workers' pipes.
    """
    folder = Path(util.get_temp_dir())
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.lstat().st_uid != os.geteuid():
        what = "somebody else has made the folder for temporary files of this crawl"
        raise DiskError(what, where=str(folder), do="Set TMPDIR to a folder of your own.")


def _await_end(pid: int | None) -> None:
    """Wait until a fork server has ended: `multiprocessing` starts no other before, and reaps it."""
    deadline = time.monotonic() + START_SECONDS
    with contextlib.suppress(ChildProcessError):
        while pid is not None and time.monotonic() < deadline:
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None:
                return
            time.sleep(0.01)


def _server_pid() -> int | None:
    # It has no public name.
    pid: int | None = vars(forkserver._forkserver).get("_forkserver_pid")  # noqa: SLF001
    return pid


def _kill_server(pid: int | None) -> None:
    """Kill a fork server, unless a new one has taken its place."""
    if pid is not None and pid == _server_pid():
        logger.warning("the process that starts workers does not answer: it is replaced")
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


class WorkerPool:
    """A fixed number of supervised workers. Any thread may call ``submit``; ``close`` ends them all."""

    def __init__(
        self, size: int, limits: WorkerLimits | None = None, *, load: bool = True, extractors: Iterable[str] = ()
    ) -> None:
        """``load``: start the fork server now, not with the first task.

        ``extractors``: the extractors of all pages. If plug-ins are among them, each worker loads them when it starts,
        and the first one starts now. Raises ConfigError if one cannot be loaded, CorpusError if no worker starts.
        """
        self.size = size
        self.cpu_seconds = 0.0
        self.peak_kib = 0
        self._limits = limits or WorkerLimits()
        self._context = multiprocessing.get_context("forkserver")
        if load:
            start_fork_server()
        self._local = threading.local()
        self._workers: list[_Worker] = []
        self._guard = threading.Lock()
        self._closing = False
        self._broken: CorpusError | None = None
        self._plugins = tuple(sorted({*extractors}.intersection(plugins.named(plugins.EXTRACTORS))))
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="worker")
        # A program that ends without `close` would wait for them without end: they ignore every signal but SIGKILL.
        self._at_exit = util.Finalize(None, _end, (self._workers,), exitpriority=100)
        self._closed = threading.Event()
        self._watch = threading.Thread(target=self._keep_limits, name="workers' watch", daemon=True)
        self._watch.start()
        if self._plugins:
            try:
                self._hand_over(self._own_worker).result()
            except BaseException:
                self.close()
                raise

    def submit(
        self,
        capture: Capture,
        model: SiteModel,
        crashes: int = 0,
        on_crash: Callable[[], object] = lambda: None,
        *,
        links_wanted: bool = False,
        again_later: bool = False,
        skim: bool = False,
    ) -> Future[Processed]:
        """Process a capture. A page that kills workers gives a drop with the reason.

        ``crashes``: workers that the page has crashed before. ``on_crash`` is called after each further crash, before
        the next attempt. An exception of it ends the task. ``links_wanted``: read the links of a page. If its
        extraction fails, a second task reads them, which extracts nothing. A page that has crashed workers has none.
        ``again_later``: a later run may try the page again, so its worker that is killed has no successor now, and the
        links of a page with one of `MACHINE_FAULTS` are not read. ``skim``: as in `pipelines.page.process.process`.
        """

        def work() -> Processed:
            task = Task(capture, model, links_wanted=links_wanted, skim=skim)
            processed = self._run(task, crashes, on_crash, again_later=again_later).processed
            reason = processed.drop.reason if processed.drop else ""
            if not links_wanted or reason not in _READABLE or (again_later and reason in MACHINE_FAULTS):
                return processed
            read = self._run(Task(capture, model, only_links=True), MAX_CRASHES - 1, on_crash).processed
            return replace(processed, links=read.links, directives=read.directives)

        return self._hand_over(work)

    def survey(self, capture: Capture) -> Future[Survey]:
        """Survey a stored page for learning. The survey is empty when the page crashed its worker or is unreadable."""
        return self._hand_over(lambda: self._run(Task(capture), MAX_CRASHES - 1).survey)

    def explain(self, capture: Capture, model: SiteModel) -> Future[Explanation | Drop]:
        """Explain the extraction of a page. The drop has the reason when the page gives none or kills its worker."""
        return self._hand_over(lambda: _explanation(self._run(Task(capture, model, explain=True), MAX_CRASHES - 1)))

    def inert(self, capture: Capture, lines: tuple[str, ...]) -> Future[InertPage | Drop]:
        """Make a stored page inert with these lines of its text marked. A drop says why it cannot be shown."""

        def work() -> InertPage | Drop:
            reply = self._run(Task(capture, lines=lines), MAX_CRASHES - 1)
            return reply.inert or reply.processed.drop or Drop("empty")

        return self._hand_over(work)

    def _hand_over(self, work: Callable[[], T]) -> Future[T]:
        try:
            return self._threads.submit(work)
        except RuntimeError as error:
            # A closed pool raises it too: that is a fault of the caller.
            if self._closing:
                raise
            refused: Future[T] = Future()
            refused.set_exception(_no_process(error))
            return refused

    def close(self) -> None:
        """Kill the workers. Unfinished futures are cancelled or end as a crash. Safe to repeat."""
        self._closing = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._guard:
            for worker in self._workers:
                worker.end()
        self._threads.shutdown(wait=True)
        self._closed.set()
        self._watch.join()
        for worker in self._workers:
            worker.discard()
        self._workers.clear()
        self._at_exit.cancel()

    def pids(self) -> list[int]:
        """Return the process ids of the living workers."""
        with self._guard:
            return [worker.pid for worker in self._workers if worker.alive]

    def _keep_limits(self) -> None:
        """Kill workers that exceed the time limit, until the pool is closed.

        One thread checks now and then: starting a timer for each page takes longer than sending it. A long gap between
        two checks means that the program was stopped (Ctrl-Z, a suspended machine), and the workers with it.
        """
        looked = time.monotonic()
        while not self._closed.wait(LOOK_SECONDS):
            before, looked = looked, time.monotonic()
            with self._guard:
                workers = tuple(self._workers)
            for worker in workers:
                worker.keep_limit(looked - before - LOOK_SECONDS)

    def _run(
        self, task: Task, crashes: int, on_crash: Callable[[], object] = lambda: None, *, again_later: bool = False
    ) -> Reply:
        frame = msgspec.msgpack.encode(task)
        for _ in range(crashes, MAX_CRASHES):
            try:
                reply = self._answer(self._own_worker().call(frame))
            except WorkerDiedError as death:
                self._discard()
                if self._closing:
                    break
                logger.warning("worker %s on %s", death, task.capture.url)
                if death.limit:
                    return Reply(Processed(drop=Drop("worker_timeout", death.limit)))
                if death.killed and again_later:
                    return Reply(Processed(drop=Drop("worker_killed")))
                on_crash()
            else:
                if reply.processed.drop and reply.processed.drop.reason == "worker_memory":
                    # What earlier pages left in the worker may have filled it. The next page gets a new one.
                    self._discard()
                if reply.fault and not task.only_links:
                    drop = reply.processed.drop
                    logger.error("cannot process %s: %s", task.capture.url, drop and drop.detail)
                    logger.debug("%s", reply.fault)
                return reply
        return Reply(Processed(drop=Drop("worker_crash", f"cost {MAX_CRASHES} workers")))

    def _answer(self, frame: bytes) -> Reply:
        try:
            reply = _replies.decode(frame)
        except msgspec.DecodeError as error:
            raise WorkerDiedError from error
        with self._guard:
            self.cpu_seconds += reply.cpu
            self.peak_kib = max(self.peak_kib, reply.peak_kib)
        return reply

    def _own_worker(self) -> _Worker:
        worker: _Worker | None = getattr(self._local, "worker", None)
        if worker is not None and not worker.alive:
            # It was killed between two pages, for example by the system for its memory. No page has crashed it.
            self._discard()
            worker = None
        if worker is None:
            worker = self._local.worker = self._started()
            with self._guard:
                self._workers.append(worker)
                if self._closing:
                    # `close` has killed the others already.
                    raise WorkerDiedError
        return worker

    def _started(self) -> _Worker:
        """Start a worker, with a second attempt. Raises CorpusError then: the machine is at fault, not a page.

        A worker that cannot load its modules or plug-ins gets no second attempt, and no other worker is started.
        """
        if self._broken is not None:
            raise self._broken
        try:
            return _Worker(self._context, self._limits, self._plugins)
        except _UNSTARTED as error:
            logger.warning("a worker did not start (%s)", str(error) or type(error).__name__)
        except CorpusError as error:
            self._broken = error
            raise
        try:
            return _Worker(self._context, self._limits, self._plugins)
        except _UNSTARTED as error:
            self._broken = _no_process(error)
            raise self._broken from error

    def _discard(self) -> None:
        worker: _Worker = self._local.worker
        self._local.worker = None
        worker.discard()
        with self._guard:
            self._workers.remove(worker)


def _explanation(reply: Reply) -> Explanation | Drop:
    found = reply.explanation
    if found is not None and found.sound:
        return found
    return reply.processed.drop or Drop("worker_error", "the explanation is incomplete")


def _end(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.end()


def _is_stopped(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b") ")[2][:1] in (b"T", b"t")  # proc(5)
    return False


def _cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process so far; 0.0 if it has ended."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        user, system = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b") ")[2].split()[11:13]  # proc(5)
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return 0.0


class _Worker:
    """One process and the pipe to it."""

    def __init__(
        self, context: multiprocessing.context.ForkServerContext, limits: WorkerLimits, extractors: tuple[str, ...]
    ) -> None:
        self._limits, self._ended = limits, False
        self._clock = threading.Lock()
        self._due, self._exceeded = math.inf, ""
        self._cpu_before: float | None = None
        """CPU time of the process at the first look at its page. Reading it for each page would take too long."""
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=serve,
            args=(theirs, limits.memory, os.environ.get(FAULTS, ""), plugins.allowed(), extractors),
            daemon=True,
        )
        with server_in_time(), signals_held(), without_script():
            self._process.start()
        theirs.close()
        # The first worker waits for the fork server to load. This does not count for its page.
        if not self._pipe.poll(START_SECONDS):
            self.discard()
            raise TimeoutError(f"it took more than {START_SECONDS:g} s")
        fault = _start_faults.decode(self._pipe.recv_bytes(MAX_FRAME))
        if fault is not None:
            self.discard()
            logger.debug("%s", fault.trace)
            kind = ConfigError if fault.of_plugin else CorpusError
            raise kind(fault.what, where=fault.where, do=fault.do)

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    @property
    def alive(self) -> bool:
        """Whether the process has not ended, as far as is known. Any thread may call it."""
        return not self._ended and not wait([self._process.sentinel], 0)

    def call(self, frame: bytes) -> bytes:
        """Send one task and wait for the reply. `keep_limit` kills the process at the time limit.

        Another thread keeps the limit, not a timed read: a stopped process would block the send too.
        """
        self._begin(time.monotonic() + self._limits.wall_seconds)
        try:
            self._pipe.send_bytes(frame)
            answer = self._pipe.recv_bytes(MAX_FRAME)
        except (EOFError, OSError) as error:
            limit, ours = self._end_of_page(), self._ended
            self._process.join(5)
            raise WorkerDiedError(limit=limit, killed=not ours and self._process.exitcode == -signal.SIGKILL) from error
        # A reply at the last moment counts. The dead worker is noticed before the next task.
        self._end_of_page()
        return answer

    def _begin(self, due: float) -> None:
        with self._clock:
            self._due, self._exceeded, self._cpu_before = due, "", None

    def _end_of_page(self) -> str:
        """Stop the clock. Return the limit that the page exceeded, or an empty text."""
        with self._clock:
            self._due = math.inf
            return self._exceeded

    def keep_limit(self, lost: float) -> None:
        """Kill the process if its page exceeds a limit, without the ``lost`` seconds. Any thread may call it."""
        with self._clock:
            if self._due == math.inf:
                return
            now, cpu = time.monotonic(), _cpu_seconds(self.pid)
            if self._cpu_before is None:
                self._cpu_before = cpu
            if lost > LOOK_SECONDS:
                self._due = min(self._due + lost, now + self._limits.wall_seconds)
            if cpu - self._cpu_before > self._limits.seconds:
                self._exceeded = f"over {self._limits.seconds:g} s of CPU time"
                self.end()
            elif now > self._due:
                # A stopped process was not at work.
                self._exceeded = "" if _is_stopped(self.pid) else f"over {self._limits.wall_seconds:g} s"
                self.end()

    def end(self) -> None:
        """Kill the process; its `call` raises WorkerDiedError. Any thread may call it."""
        self._ended = True
        self._process.kill()

    def discard(self) -> None:
        """Kill and reap the process. Only its own thread may call it, or any when that has ended."""
        self.end()
        self._process.join(5)
        self._pipe.close()
